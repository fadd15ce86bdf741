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

InstructionL1::InstructionL1(const FrontEndSpec& spec) : spec_(spec), tags_(spec.l1_lines, spec.l1_ways) {}

Cycle InstructionL1::request(std::uint64_t line, Cycle now, Cycle& leaves) {
  leaves = never;
  if (tags_.touch(line)) {
    ++hits;
    const double start = std::max(static_cast<double>(now), free_at_);
    free_at_ = start + spec_.l1_interval;
    return static_cast<Cycle>(start) + spec_.l1_latency;
  }
  if (!pending(line)) leaves = fetch(line, now);
  return never;
}

Cycle InstructionL1::prefetch(std::uint64_t line, Cycle now) {
  return tags_.contains(line) || pending(line) ? never : fetch(line, now);
}

// The L2 is asked for one line after the other.
Cycle InstructionL1::fetch(std::uint64_t line, Cycle now) {
  ++misses;
  const double at = std::max(static_cast<double>(now), l2_free_);
  l2_free_ = at + spec_.l2_interval;
  pending_.push_back(line);
  return static_cast<Cycle>(at);
}

bool InstructionL1::pending(std::uint64_t line) const {
  return std::find(pending_.begin(), pending_.end(), line) != pending_.end();
}

void InstructionL1::arrived(std::uint64_t line, Cycle) {
  pending_.erase(std::remove(pending_.begin(), pending_.end(), line), pending_.end());
  tags_.insert(line);
}

InstructionL0::InstructionL0(const FrontEndSpec& spec)
    : spec_(spec), group_(std::max(1U, spec.prefetch_lines)), tags_(spec.l0_lines, spec.l0_ways) {
  flights_.reserve(64);
}

InstructionL0::Flight* InstructionL0::in_flight(std::uint64_t line) {
  for (Flight& flight : flights_) {
    if (flight.line == line) return &flight;
  }
  return nullptr;
}

// Lines that have arrived by `now` move into the tags; those of the group ahead wait until it is entered.
void InstructionL0::settle(Cycle now) {
  for (std::size_t i = 0; i < flights_.size();) {
    if (flights_[i].ready <= now && !flights_[i].ahead) {
      tags_.insert(flights_[i].line);
      flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void InstructionL0::fetch_group(std::uint64_t first, Cycle at, bool ahead, InstructionL1& next,
                                std::vector<CodeRequest>& requests) {
  for (std::uint64_t line = first; line < first + group_; ++line) {
    if (tags_.contains(line) || in_flight(line) != nullptr) continue;
    Cycle leaves = never;
    const Cycle ready = next.request(line, at, leaves);
    if (leaves != never) requests.push_back({line, leaves});
    flights_.push_back({line, ready, ahead});
  }
}

void InstructionL0::prefetch_group(std::uint64_t first, Cycle at, InstructionL1& next,
                                   std::vector<CodeRequest>& requests) {
  for (std::uint64_t line = first; line < first + group_; ++line) {
    const Cycle leaves = next.prefetch(line, at);
    if (leaves != never) requests.push_back({line, leaves});
  }
}

InstructionL0::Lookup InstructionL0::lookup(std::uint64_t line, Cycle now, InstructionL1& next,
                                            std::vector<CodeRequest>& requests) {
  if (line == last_line_) {
    ++hits;
    return {now};
  }
  settle(now);
  if (tags_.touch(line)) {
    ++hits;
    last_line_ = line;
    return {now};
  }
  ++misses;
  last_line_ = ~std::uint64_t{0};
  const Flight* flight = in_flight(line);
  if (flight != nullptr && !flight->ahead) return {std::max(now, flight->ready)};
  Cycle ready = never;
  if (flight != nullptr) {
    ready = flight->ready;
    for (Flight& each : flights_) each.ahead = false;
  } else {
    // What the stream ran ahead for is given up.
    std::erase_if(flights_, [](const Flight& each) { return each.ahead; });
    fetch_group(line, now, false, next, requests);
    ready = in_flight(line)->ready;
    ahead_ = line;
  }
  const Cycle entered = ready == never ? now : std::max(now, ready);
  if (spec_.prefetch_lines != 0) {
    ahead_ += group_;
    fetch_group(ahead_, entered, true, next, requests);
    if (ready == never) {
      awaited_ = line;
    } else {
      prefetch_group(ahead_ + group_, entered, next, requests);
    }
  }
  return {ready == never ? never : entered};
}

void InstructionL0::arrived(std::uint64_t line, Cycle ready, InstructionL1& next,
                            std::vector<CodeRequest>& requests) {
  if (Flight* flight = in_flight(line)) flight->ready = ready;
  if (line != awaited_) return;
  awaited_ = ~std::uint64_t{0};
  prefetch_group(ahead_ + group_, ready, next, requests);
}

}  // namespace warpgauge::model
