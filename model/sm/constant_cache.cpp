#include "model/sm/constant_cache.h"

#include <algorithm>
#include <bit>

namespace warpgauge::model {
namespace {

std::size_t places(unsigned lines, unsigned ways) {
  return static_cast<std::size_t>(std::max(1U, lines / ways)) * ways;
}

}  // namespace

ConstantCaches::ConstantCaches(const ConstantSpec& spec, Cycle beyond)
    : spec_(spec),
      l0_ways_(std::clamp(spec.l0_ways, 1U, std::max(1U, spec.l0_lines))),
      l1_ways_(std::clamp(spec.l1_ways, 1U, std::max(1U, spec.l1_lines))),
      l1_(places(spec.l1_lines, l1_ways_)),
      l15_(spec.l15_lines, spec.l15_ways),
      operand_after_(beyond + spec.l0_miss_delay - std::min<Cycle>(beyond + spec.l0_miss_delay, spec.l15_latency)),
      places_(spec.lines_in_flight) {
  for (std::vector<Line>& l0 : l0_) l0.resize(places(spec.l0_lines, l0_ways_));
  // A tree has as many leaves as a power of two.
  if (spec.l1_by_turns && std::has_single_bit(l1_ways_) && l1_ways_ <= 16) turns_.resize(l1_.size() / l1_ways_);
  begin_launch();
}

void ConstantCaches::begin_launch() {
  for (std::vector<Line>& l0 : l0_) std::ranges::fill(l0, Line{});
  std::ranges::fill(l1_, Line{});
  std::ranges::fill(turns_, 0U);
  std::ranges::fill(places_, Place{});
  begun_ = false;
  l15_.clear();
  for (const std::uint64_t bank : {compiler_constants, std::uint64_t{0}})
    for (std::uint64_t byte = 0; byte < launch_constant_bytes; byte += spec_.l15_line_bytes) l15_.insert(line_of(bank + byte));
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

ConstantCaches::Found ConstantCaches::look_up_by_turns(std::uint64_t tag) {
  const std::size_t set = tag % turns_.size();
  Line* const lines = &l1_[set * l1_ways_];
  std::uint32_t& turns = turns_[set];
  unsigned way = 0;
  while (way < l1_ways_ && lines[way].tag != tag) ++way;
  const bool present = way < l1_ways_;
  if (!present) {
    unsigned node = 1;
    while (node < l1_ways_) node = 2 * node + (turns >> node & 1U);
    way = node - l1_ways_;
    lines[way] = {tag, never};
  }
  for (unsigned node = way + l1_ways_; node > 1; node /= 2) {
    const std::uint32_t parent = 1U << (node / 2);
    turns = (node & 1U) != 0 ? turns & ~parent : turns | parent;
  }
  return {&lines[way], present};
}

Cycle ConstantCaches::operand(unsigned subcore, std::uint64_t line, Cycle now) {
  const Found found = look_up(l0_[subcore], l0_ways_, line);
  if (found.present) return found.line->here == never ? never : std::max(now, found.line->here);
  ++operand_misses;
  const std::uint64_t from = behind(line);
  if (!l15_.touch(from)) return never;
  // Who asks at the same time gets its line within a round of the cluster's SMs.
  asked_ = true;
  const double turn = delivery_.occupy(static_cast<double>(now), interval_);
  found.line->here = static_cast<Cycle>(turn + std::max(0.0, interval_ - spec_.gpc_interval)) + spec_.l0_miss_delay;
  return found.line->here;
}

bool ConstantCaches::has(std::uint64_t tag) const {
  const auto begin = l1_.begin() + static_cast<std::ptrdiff_t>(tag % (l1_.size() / l1_ways_) * l1_ways_);
  return std::any_of(begin, begin + l1_ways_, [&](const Line& line) { return line.tag == tag; });
}

ConstantCaches::Place* ConstantCaches::free_place(Cycle now) {
  const auto place = std::ranges::find_if(places_, [&](const Place& each) { return each.free <= now; });
  return place != places_.end() ? &*place : nullptr;
}

ConstantCaches::Lookup ConstantCaches::load(std::uint64_t byte, Cycle now, bool again) {
  requests += again ? 0 : 1;
  const std::uint64_t tag = byte / spec_.l1_line_bytes;
  Place* const place = free_place(now);
  if (!places_.empty() && place == nullptr && !has(tag)) return {spec_.line_retry, false, true, true};
  const Found found = turns_.empty() ? look_up(l1_, l1_ways_, tag) : look_up_by_turns(tag);
  if (found.present && found.line->here <= now) {
    hits += again ? 0 : 1;
    return {spec_.l1_latency};
  }
  if (found.present && found.line->here != never) return {found.line->here - now + spec_.l1_latency, false, true};
  if (found.present) return {spec_.l15_latency, true, true};
  const Cycle own = std::max(now, fill_free_);
  fill_free_ = own + spec_.l1_miss_interval;
  Lookup lookup;
  lookup.missing = !l15_.touch(line_of(byte));
  lookup.waits = true;
  // All SMs of the cluster take turns at what it holds, also at one line (docs/h200.md, "Loads of constants by all SMs").
  // What comes from the L2 does so more slowly than that. Who has taken less than its share has its lines at once, as many
  // as may be on their way.
  Cycle turn = own;
  if (!lookup.missing) {
    const double ahead = interval_ * static_cast<double>(places_.empty() ? 0 : places_.size() - 1);
    // All SMs of the cluster begin a launch together: nobody is behind its share then.
    if (!std::exchange(begun_, true)) delivery_.block(static_cast<double>(own) + ahead);
    turn = std::max(own, static_cast<Cycle>(std::max(0.0, delivery_.occupy(static_cast<double>(own), interval_) - ahead)));
    asked_ = true;
  }
  lookup.latency = turn - now + spec_.l15_latency;
  if (!lookup.missing) found.line->here = now + lookup.latency - spec_.l1_latency;
  if (place != nullptr) *place = {lookup.missing ? never : turn + spec_.line_hold, line_of(byte)};
  return lookup;
}

void ConstantCaches::arrived(std::uint64_t line, Cycle now) {
  l15_.insert(line);
  for (Place& place : places_) {
    if (place.free == never && place.line == line) place.free = now;
  }
  if (!waiting_.empty()) {
    for (std::vector<Line>& l0 : l0_) {
      for (Line& each : l0) {
        if (each.here == never && behind(each.tag) == line) each.here = now + operand_after_;
      }
    }
    std::erase_if(waiting_, [&](const Waiting& each) {
      if (each.line == line) woken_.push_back({each.slot, now + operand_after_});
      return each.line == line;
    });
  }
  for (Line& l1 : l1_) {
    if (l1.here == never && line_of(l1.tag * spec_.l1_line_bytes) == line) l1.here = now;
  }
}

}  // namespace warpgauge::model
