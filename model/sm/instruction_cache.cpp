#include "model/sm/instruction_cache.h"

#include <algorithm>

namespace warpgauge::model {
TagCache::TagCache(unsigned lines, unsigned ways)
    : sets_(std::max(1U, lines / std::max(1U, std::min(ways, std::max(1U, lines))))),
      ways_(std::max(1U, std::min(ways, std::max(1U, lines)))),
      tags_(static_cast<std::size_t>(sets_) * ways_, 0) {}

bool TagCache::touch(std::uint64_t line) {
  const auto begin = tags_.begin() + static_cast<std::ptrdiff_t>(set_of(line));
  const auto end = begin + ways_;
  const auto found = std::find(begin, end, line + 1);
  if (found == end) return false;
  std::rotate(begin, found, found + 1);
  return true;
}

bool TagCache::contains(std::uint64_t line) const {
  const auto begin = tags_.begin() + static_cast<std::ptrdiff_t>(set_of(line));
  return std::find(begin, begin + ways_, line + 1) != begin + ways_;
}

void TagCache::insert(std::uint64_t line) {
  if (touch(line)) return;
  const auto begin = tags_.begin() + static_cast<std::ptrdiff_t>(set_of(line));
  std::copy_backward(begin, begin + ways_ - 1, begin + ways_);
  *begin = line + 1;
}

void TagCache::clear() {
  std::fill(tags_.begin(), tags_.end(), 0);
}

InstructionL1::InstructionL1(const FrontEndSpec& spec)
    : spec_(spec), tags_(spec.l1_lines, spec.l1_ways) {}

Cycle InstructionL1::request(std::uint64_t line, Cycle now, Cycle& leaves) {
  leaves = never;
  if (tags_.touch(line)) {
    ++hits;
    for (Delivery& delivery : deliveries_) {
      if (delivery.line != line || delivery.ready <= now) continue;
      ++delivery.wanted;
      return delivery.ready;
    }
    const Cycle here = brought(line, now);
    if (here > now) return here + spec_.l1_latency;
    const double turn = deliver_turn(line, now);
    const Cycle ready = static_cast<Cycle>(turn) + queue_ + spec_.l1_latency;
    deliveries_[next_delivery_] = {line, ready, 1, turn};
    next_delivery_ = (next_delivery_ + 1) % static_cast<unsigned>(deliveries_.size());
    return ready;
  }
  if (!pending(line)) leaves = fetch(line, now);
  return never;
}

double InstructionL1::deliver_turn(std::uint64_t line, Cycle now) {
  constexpr std::size_t remembered = 64;
  if (spec_.gpc_interval > 0) asked_.push_back(line);
  double start = static_cast<double>(std::max(now, begins_));
  std::size_t place = 0;
  for (; place < turns_.size() && turns_[place] < start + spec_.l1_interval; ++place)
    start = std::max(start, turns_[place] + spec_.l1_interval);
  turns_.insert(turns_.begin() + static_cast<std::ptrdiff_t>(place), start);
  if (turns_.size() > remembered) turns_.erase(turns_.begin());
  return start;
}

void InstructionL1::bring(std::uint64_t first, std::uint64_t end, Cycle at) {
  brought_ = {first, end, at};
}

Cycle InstructionL1::brought(std::uint64_t line, Cycle now) const {
  if (line < brought_.first || line >= brought_.end) return now;
  const Cycle here =
      brought_.at + static_cast<Cycle>(spec_.launch_prefetch_interval * static_cast<double>(line - brought_.first));
  return std::clamp<Cycle>(here, now, now + std::max(spec_.memory_latency, spec_.l1_latency) - spec_.l1_latency);
}

void InstructionL1::give_up(std::uint64_t line, Cycle now) {
  for (Delivery& delivery : deliveries_) {
    if (delivery.line != line || delivery.ready <= now + spec_.l1_latency) continue;
    if (--delivery.wanted == 0) {
      std::erase(turns_, delivery.turn);
      delivery = {};
      if (const auto asked = std::ranges::find(asked_, line); asked != asked_.end()) asked_.erase(asked);
    }
    return;
  }
}

Cycle InstructionL1::prefetch(std::uint64_t line, Cycle now) {
  return tags_.contains(line) || pending(line) ? never : fetch(line, now);
}

// The L2 is asked for one line after the other.
Cycle InstructionL1::fetch(std::uint64_t line, Cycle now) {
  ++misses;
  pending_.push_back(line);
  return static_cast<Cycle>(l2_.occupy(static_cast<double>(now), spec_.l2_interval));
}

Cycle InstructionL1::deliver(std::uint64_t line, Cycle now) {
  return spec_.gpc_interval > 0 ? static_cast<Cycle>(deliver_turn(line, now)) + queue_ : now;
}

bool InstructionL1::pending(std::uint64_t line) const {
  return std::find(pending_.begin(), pending_.end(), line) != pending_.end();
}

void InstructionL1::arrived(std::uint64_t line) {
  pending_.erase(std::remove(pending_.begin(), pending_.end(), line), pending_.end());
  tags_.insert(line);
}

InstructionL0::InstructionL0(const FrontEndSpec& spec, TagCache& lines)
    : spec_(spec), group_(std::max(1U, spec.prefetch_lines)), tags_(lines), own_(spec.block_lines, spec.block_lines) {
  flights_.reserve(64);
}

InstructionL0::Flight* InstructionL0::in_flight(std::uint64_t line) {
  for (Flight& flight : flights_) {
    if (flight.line == line) return &flight;
  }
  return nullptr;
}

void InstructionL0::settle_flights(Cycle now) {
  settles_at_ = never;
  for (std::size_t i = 0; i < flights_.size();) {
    const Flight& flight = flights_[i];
    if (flight.ready <= now) {
      tags_.insert(flight.line);
      flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      settles_at_ = std::min(settles_at_, flight.ready);
      ++i;
    }
  }
}

void InstructionL0::fetch_group(std::uint64_t first, unsigned warp, Cycle at, bool ahead, InstructionL1& next,
                                std::vector<CodeRequest>& requests) {
  for (std::uint64_t line = first; line < first + group_; ++line) {
    if (tags_.contains(line) || in_flight(line) != nullptr) continue;
    Cycle leaves = never;
    const Cycle ready = next.request(line, at, leaves);
    if (leaves != never) requests.push_back({line, leaves});
    flights_.push_back({line, at, ready, ahead, static_cast<std::uint8_t>(warp)});
    settles_at_ = std::min(settles_at_, ready);
  }
}

void InstructionL0::prefetch_group(std::uint64_t first, Cycle at, InstructionL1& next,
                                   std::vector<CodeRequest>& requests) {
  for (std::uint64_t line = first; line < first + group_; ++line) {
    const Cycle leaves = next.prefetch(line, at);
    if (leaves != never) requests.push_back({line, leaves});
  }
}

void InstructionL0::run_ahead(unsigned warp, Cycle at, InstructionL1& next, std::vector<CodeRequest>& requests) {
  Stream& stream = streams_[warp];
  stream.ahead += group_;
  fetch_group(stream.ahead, warp, at + spec_.prefetch_delay, true, next, requests);
}

InstructionL0::Lookup InstructionL0::lookup(std::uint64_t line, unsigned warp, Cycle now, InstructionL1& next,
                                            std::vector<CodeRequest>& requests) {
  if (line == streams_[warp].last_line) {
    ++hits;
    return {now};
  }
  settle(now);
  if (spec_.block_lines != 0) {
    if (holds(line)) return hit(line, warp, now, next, requests);
    own_.insert(line);
  }
  return find(line, warp, false, now, next, requests);
}

InstructionL0::Lookup InstructionL0::target(std::uint64_t line, unsigned warp, Cycle now, InstructionL1& next,
                                            std::vector<CodeRequest>& requests) {
  if (spec_.block_lines == 0) return lookup(line, warp, now, next, requests);
  settle(now);
  if (holds(line)) return hit(line, warp, now, next, requests);
  own_.insert(line);
  // A warp that goes back to the line that it is in may find that others have put it out meanwhile.
  const bool here = tags_.contains(line) || line == streams_[warp].last_line;
  Lookup found = find(line, warp, true, now, next, requests);
  if (here && found.ready == now) {
    found.ready = line == behind_target_ && behind_target_at_ < now + spec_.block_latency ? std::max(now, behind_target_at_)
                                                                                          : now + spec_.block_latency;
    behind_target_ = line + 1;
    behind_target_at_ = found.ready + spec_.block_next_line;
  }
  return found;
}

bool InstructionL0::holds(std::uint64_t line) {
  return in_flight(line) == nullptr && own_.touch(line);
}

InstructionL0::Lookup InstructionL0::hit(std::uint64_t line, unsigned warp, Cycle now, InstructionL1& next,
                                         std::vector<CodeRequest>& requests) {
  ++hits;
  Stream& stream = streams_[warp];
  stream.last_line = line;
  if (spec_.prefetch_lines != 0 && line >= stream.ahead && line < stream.ahead + group_) {
    for (Flight& each : flights_) {
      if (each.line >= stream.ahead && each.line < stream.ahead + group_) each.ahead = false;
    }
    run_ahead(warp, now, next, requests);
    prefetch_group(stream.ahead + group_, now, next, requests);
  }
  return {now};
}

void InstructionL0::pass(std::uint64_t line) {
  if (spec_.block_lines != 0 && tags_.contains(line)) own_.insert(line);
}

InstructionL0::Lookup InstructionL0::find(std::uint64_t line, unsigned warp, bool jump, Cycle now, InstructionL1& next,
                                          std::vector<CodeRequest>& requests) {
  if (tags_.touch(line)) return hit(line, warp, now, next, requests);
  ++misses;
  Stream& stream = streams_[warp];
  stream.last_line = ~std::uint64_t{0};
  const Flight* flight = in_flight(line);
  if (flight != nullptr && !flight->ahead) return {std::max(now, flight->ready)};
  Cycle ready = never;
  const bool begun = flight != nullptr && flight->asked <= now;
  if (begun) {
    // The group ahead is entered, by whatever warp gets there first.
    ready = flight->ready;
    const unsigned owner = flight->warp;
    stream.ahead = streams_[owner].ahead;
    for (Flight& each : flights_) each.ahead = each.ahead && each.warp != owner;
  } else {
    // What the stream would have run ahead for is given up, what has been asked for comes.
    std::erase_if(flights_, [&](Flight& each) {
      if (!each.ahead || (each.warp != warp && each.line != line)) return false;
      each.ahead = false;
      if (each.asked <= now) return false;
      if (each.ready != never) next.give_up(each.line, now);
      return true;
    });
    fetch_group(line, warp, jump ? now : now + spec_.prefetch_delay, false, next, requests);
    ready = in_flight(line)->ready;
    stream.ahead = line;
  }
  const Cycle entered = ready == never ? now : std::max(now, ready);
  // A branch to the last line of a group asks for the next one at once.
  const Cycle on = jump && begun && line + 1 == stream.ahead + group_ ? now : entered;
  if (spec_.prefetch_lines != 0) {
    run_ahead(warp, on, next, requests);
    if (ready == never) {
      stream.awaited = line;
    } else {
      prefetch_group(stream.ahead + group_, on, next, requests);
    }
  }
  return {ready == never ? never : entered};
}

void InstructionL0::arrived(std::uint64_t line, Cycle ready, InstructionL1& next,
                            std::vector<CodeRequest>& requests) {
  if (Flight* flight = in_flight(line)) {
    flight->ready = ready;
    settles_at_ = std::min(settles_at_, ready);
  }
  for (Stream& stream : streams_) {
    if (line != stream.awaited) continue;
    stream.awaited = ~std::uint64_t{0};
    prefetch_group(stream.ahead + group_, ready, next, requests);
  }
}

}  // namespace warpgauge::model
