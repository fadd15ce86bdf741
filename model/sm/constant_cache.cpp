#include "model/sm/constant_cache.h"

#include <algorithm>

namespace warpgauge::model {

ConstantCaches::ConstantCaches(const ConstantSpec& spec)
    : spec_(spec),
      l0_{TagCache(spec.l0_lines, spec.l0_ways), TagCache(spec.l0_lines, spec.l0_ways),
          TagCache(spec.l0_lines, spec.l0_ways), TagCache(spec.l0_lines, spec.l0_ways)},
      l1_(spec.l1_lines, spec.l1_ways),
      l15_(spec.l15_lines, spec.l15_ways) {}

Cycle ConstantCaches::operand(unsigned subcore, std::uint64_t line, Cycle now) {
  if (l0_[subcore].touch(line)) return now;
  ++operand_misses;
  l0_[subcore].insert(line);
  const std::uint64_t behind = line * spec_.l0_line_bytes / spec_.l15_line_bytes;
  if (l15_.touch(behind)) return now + spec_.l0_miss_delay;
  l15_.insert(behind);
  // What the L2 adds over the level before it is the same for both kinds of access.
  return now + spec_.l0_miss_delay + (spec_.l2_latency - std::min(spec_.l2_latency, spec_.l15_latency));
}

unsigned ConstantCaches::load(std::uint64_t byte) {
  if (l1_.touch(byte / spec_.l1_line_bytes)) return spec_.l1_latency;
  l1_.insert(byte / spec_.l1_line_bytes);
  const std::uint64_t behind = byte / spec_.l15_line_bytes;
  if (l15_.touch(behind)) return spec_.l15_latency;
  l15_.insert(behind);
  return spec_.l2_latency;
}

}  // namespace warpgauge::model
