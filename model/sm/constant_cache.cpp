#include "model/sm/constant_cache.h"

#include <algorithm>
#include <utility>

namespace warpgauge::model {
namespace {

std::size_t places(unsigned lines, unsigned ways) {
  return static_cast<std::size_t>(std::max(1U, lines / ways)) * ways;
}

}  // namespace

ConstantCaches::ConstantCaches(const ConstantSpec& spec)
    : spec_(spec),
      l0_ways_(std::clamp(spec.l0_ways, 1U, std::max(1U, spec.l0_lines))),
      l1_ways_(std::clamp(spec.l1_ways, 1U, std::max(1U, spec.l1_lines))),
      l1_(places(spec.l1_lines, l1_ways_)),
      l15_(spec.l15_lines, spec.l15_ways) {
  for (std::vector<Line>& l0 : l0_) l0.resize(places(spec.l0_lines, l0_ways_));
  for (std::uint64_t byte = 0; byte < launch_constant_bytes; byte += spec.l15_line_bytes) l15_.insert(line_of(byte));
}

ConstantCaches::Found ConstantCaches::look_up(std::vector<Line>& lines, unsigned ways, std::uint64_t tag) {
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(tag % (lines.size() / ways) * ways);
  const auto end = begin + ways;
  const auto found = std::find_if(begin, end, [&](const Line& line) { return line.tag == tag; });
  if (found != end) {
    std::rotate(begin, found, found + 1);
    return {&*begin, true};
  }
  std::move_backward(begin, end - 1, end);
  *begin = {tag, never};
  return {&*begin, false};
}

Cycle ConstantCaches::operand(unsigned subcore, std::uint64_t line, Cycle now) {
  const Found found = look_up(l0_[subcore], l0_ways_, line);
  if (found.present) return std::max(now, found.line->here);
  ++operand_misses;
  Cycle ready = now + spec_.l0_miss_delay;
  const std::uint64_t behind = line * spec_.l0_line_bytes / spec_.l15_line_bytes;
  const bool shape = behind == 0 && !std::exchange(shape_here_, true);
  if (!l15_.touch(behind) || shape) {
    if (!shape) l15_.insert(behind);
    // What the L2 adds over the level before it is the same for both kinds of access.
    ready += spec_.l2_latency - std::min(spec_.l2_latency, spec_.l15_latency);
  }
  found.line->here = ready;
  return ready;
}

ConstantCaches::Lookup ConstantCaches::load(std::uint64_t byte, Cycle now) {
  ++requests;
  const Found found = look_up(l1_, l1_ways_, byte / spec_.l1_line_bytes);
  if (found.present && found.line->here <= now) {
    ++hits;
    return {spec_.l1_latency, false};
  }
  if (found.present && found.line->here != never) return {found.line->here - now + spec_.l1_latency, false};
  const Cycle turn = std::max(now, fill_free_);
  fill_free_ = turn + spec_.l1_miss_interval;
  Lookup lookup;
  lookup.latency = turn - now + spec_.l15_latency;
  lookup.missing = !l15_.touch(line_of(byte));
  if (!lookup.missing) found.line->here = now + lookup.latency - spec_.l1_latency;
  return lookup;
}

void ConstantCaches::arrived(std::uint64_t line, Cycle now) {
  l15_.insert(line);
  for (Line& l1 : l1_) {
    if (l1.here == never && line_of(l1.tag * spec_.l1_line_bytes) == line) l1.here = now;
  }
}

}  // namespace warpgauge::model
