// The probes' own cubins, compiled from kernels/*.cu and carried inside the program.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace warpgauge::probes {

// The cubin of kernels/<file>.cu for an architecture; empty when it was not compiled for that one.
std::vector<std::byte> embedded_cubin(std::string_view file, int sm);
bool has_embedded_cubin(std::string_view file, int sm);

}  // namespace warpgauge::probes
