// Where two traces part.
#pragma once

#include <optional>
#include <string>

#include "traces/native/reader.h"
#include "traces/warp_stream.h"

namespace warpgauge::native {

// The first field in which two executions of an instruction differ, with both values; empty when they are the
// same. Addresses of lanes that took no part do not count. What depends on the order of warps at barriers
// (blocked, released) is not looked at.
std::string compare(const traces::Issued& a, const traces::Issued& b);

// The first difference between two launches: their shape, their code, then their streams, block by block.
std::optional<std::string> first_difference(const KernelTrace& a, const KernelTrace& b);

}  // namespace warpgauge::native
