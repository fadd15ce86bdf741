// The probes' own cubins, compiled from kernels/*.cu and carried inside the program.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace warpgauge::probes {

// The cubin of kernels/<file>.cu for an architecture; empty when it was not compiled for that one.
std::span<const std::byte> embedded_cubin(std::string_view file, int sm);

}  // namespace warpgauge::probes
