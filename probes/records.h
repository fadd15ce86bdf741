// Reads what blocks and warps recorded of themselves (kernels/common.cuh).
#pragma once

#include <vector>

#include "probes/bench.h"

namespace warpgauge::probes {

// From the first start to the last end.
struct Span {
  double cycles = 0;       // by the SM clock of each block, the mean clock where the timer joins blocks
  double nanoseconds = 0;  // by the global timer
  double mhz = 0;          // the SM clock that the two imply, from the longest block; 0 when the timer stood still
};

std::vector<BlockRecord> block_records(const Buffer& out, std::size_t blocks);
std::vector<WarpRecord> warp_records(const Buffer& out, std::size_t warps);

Span span_of(const std::vector<BlockRecord>& blocks);
double span_of(const std::vector<WarpRecord>& warps);
// The same of the warps whose bit is set.
double span_of(const std::vector<WarpRecord>& warps, std::uint32_t mask);

}  // namespace warpgauge::probes
