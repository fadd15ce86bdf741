#include "probes/records.h"

#include <algorithm>

namespace warpgauge::probes {

std::vector<BlockRecord> block_records(const Buffer& out, std::size_t blocks) {
  const auto words = out.read<std::uint64_t>(5 * blocks);
  std::vector<BlockRecord> records(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    records[i] = {words[5 * i], words[5 * i + 1], words[5 * i + 2], words[5 * i + 3], words[5 * i + 4]};
  }
  return records;
}

std::vector<WarpRecord> warp_records(const Buffer& out, std::size_t warps) {
  const auto words = out.read<std::uint64_t>(2 * warps);
  std::vector<WarpRecord> records(warps);
  for (std::size_t i = 0; i < warps; ++i) records[i] = {words[2 * i], words[2 * i + 1]};
  return records;
}

Span span_of(const std::vector<BlockRecord>& blocks) {
  Span span;
  if (blocks.empty()) return span;
  std::uint64_t first = blocks[0].timer_start, last = blocks[0].timer_end;
  double longest_cycles = 0, longest_time = 0;
  for (const BlockRecord& block : blocks) {
    first = std::min(first, block.timer_start);
    last = std::max(last, block.timer_end);
    const auto cycles = static_cast<double>(block.clock_end - block.clock_start);
    if (cycles > longest_cycles) {
      longest_cycles = cycles;
      longest_time = static_cast<double>(block.timer_end - block.timer_start);
    }
  }
  span.nanoseconds = static_cast<double>(last - first);
  span.mhz = longest_time > 0 ? longest_cycles / longest_time * 1000 : 0;
  // One block's clock is exact; across SMs only the timer is common to all.
  span.cycles = blocks.size() == 1 || span.mhz == 0 ? longest_cycles : span.nanoseconds * span.mhz / 1000;
  return span;
}

double span_of(const std::vector<WarpRecord>& warps) {
  std::uint64_t first = warps.at(0).start, last = warps.at(0).end;
  for (const WarpRecord& warp : warps) {
    first = std::min(first, warp.start);
    last = std::max(last, warp.end);
  }
  return static_cast<double>(last - first);
}

double span_of(const std::vector<WarpRecord>& warps, std::uint32_t mask) {
  std::vector<WarpRecord> chosen;
  for (std::size_t warp = 0; warp < warps.size() && warp < 32; ++warp) {
    if ((mask >> warp & 1) != 0) chosen.push_back(warps[warp]);
  }
  return span_of(chosen);
}

}  // namespace warpgauge::probes
