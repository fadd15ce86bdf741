// LDC and MATCH in the memory unit: address by address, or value by value, each in its turn.
#include <algorithm>

#include "model/sm/memory_unit.h"

namespace warpgauge::model {

void MemoryUnit::serve_constants(const QueuedOp& op, Cycle start) {
  const std::uint32_t id = walks_.take();
  ++walks_under_way_[subcore_of(op.warp)];
  Walk& walk = walks_[id];
  walk.warp = op.warp;
  walk.read_counter = op.read_counter;
  walk.write_counter = op.write_counter;
  walk.group = op.group;
  walk.match = op.space != traces::MemorySpace::constant;
  walk.war = op.war;
  walk.raw = op.raw;
  walk.count = op.line_count;
  walk.at = 0;
  if (!walk.match) {
    for (unsigned i = 0; i < op.line_count; ++i) walk.addresses[i] = op.lines[i].line;
  }
  walk.again = walk.here = walk.ready = false;
  walk.behind = none;
  std::uint32_t& last = last_walks_[op.warp];
  walk.first = last == none;
  if (!walk.first) walks_[last].behind = id;
  last = id;
  this->walk(id, start);
}

void MemoryUnit::walk(std::uint32_t id, Cycle now) {
  Walk& walk = walks_[id];
  if (walk.at == walk.count) {
    end_walk(id, now);
    return;
  }
  if (walk.here) {
    walk.here = false;
    end_turn(id, take_constant_turn(now, spec_.constant.return_interval), now);
    return;
  }
  Cycle turn = take_constant_turn(now, walk.match ? spec_.memory.match_value_interval : spec_.constant.address_interval);
  if (!walk.match) {
    const ConstantCaches::Lookup lookup = constants_.load(walk.addresses[walk.at], turn, walk.again);
    walk.again = lookup.refused;
    if (lookup.refused) {
      walk_at(id, turn + lookup.latency);
      return;
    }
    if (lookup.missing) {
      const std::uint32_t flight = new_flight();
      flights_[flight].walk = id;
      flights_[flight].after = static_cast<std::uint16_t>(constants_beyond_);
      wait_for(constant_fill(constants_.line_of(walk.addresses[walk.at]), turn), flight);
      return;
    }
    turn += lookup.latency - std::min<Cycle>(lookup.latency, spec_.constant.l1_latency);
    if (lookup.waits) {
      come_again(id, turn);
      return;
    }
  }
  end_turn(id, turn, now);
}

void MemoryUnit::walk_at(std::uint32_t id, Cycle at) {
  calendar_.add(at, {EventKind::walk, 0, 7, SmEvent::no_group, id});
}

void MemoryUnit::come_again(std::uint32_t id, Cycle here) {
  walks_[id].here = true;
  walk_at(id, here);
}

void MemoryUnit::end_turn(std::uint32_t id, Cycle turn, Cycle now) {
  Walk& walk = walks_[id];
  if (++walk.at < walk.count) {
    const unsigned after = walk.match ? spec_.memory.match_value_latency : spec_.constant.cycles_per_address;
    walk_at(id, turn + after);
    return;
  }
  walk.turn = turn;
  walk.ready = true;
  if (walk.first) leave(id, now);
}

// A warp's loads end in their order, those of other warps do not wait for them (docs/h200.md, "Loads of constants behind a
// miss").
void MemoryUnit::leave(std::uint32_t id, Cycle now) {
  while (id != none && walks_[id].ready) {
    Walk& walk = walks_[id];
    Cycle& results = constant_results_[walk.warp];
    const Cycle turn = std::max(walk.turn, results);
    results = turn + spec_.constant.address_interval;
    const auto done = [&](Cycle at, std::uint8_t counter, bool last) {
      calendar_.add(at, {last ? EventKind::done : EventKind::release, walk.warp, counter,
                         last ? walk.group : SmEvent::no_group, 0});
    };
    if (walk.read_counter != sass::Control::no_barrier) done(turn + walk.war, walk.read_counter, false);
    done(turn + walk.raw, walk.write_counter, true);
    const std::uint32_t behind = walk.behind;
    if (behind != none) {
      walks_[behind].first = true;
    } else {
      last_walks_[walk.warp] = none;
    }
    if (turn > now) {
      walk_at(id, turn);
    } else {
      end_walk(id, now);
    }
    id = behind;
  }
}

void MemoryUnit::end_walk(std::uint32_t id, Cycle now) {
  --walks_under_way_[subcore_of(walks_[id].warp)];
  walks_.give_back(id);
  if (walk_wanted_) {
    walk_wanted_ = false;
    schedule(constant_loads_, now);
  }
}

void MemoryUnit::fetch_constants(std::uint64_t line, Cycle at) {
  static_cast<void>(constant_fill(line, at));
}

std::uint32_t MemoryUnit::constant_fill(std::uint64_t line, Cycle at) {
  for (const std::uint32_t fill : constant_fills_) {
    if (fills_[fill].line == line) return fill;
  }
  // The level behind takes lines of its own size; the first part of one that comes says that it is here.
  const unsigned line_bytes = spec_.constant.l15_line_bytes;
  const std::uint64_t begin = constant_window + line * line_bytes;
  std::uint32_t first = none;
  for (std::uint64_t byte = begin; byte < begin + line_bytes; byte += spec_.l1.line_bytes) {
    const std::uint32_t id = new_fill();
    fills_[id].line = line;
    fills_[id].load = false;
    fills_[id].constant = first == none;
    ++lines_in_flight_;
    ++counters_.requests;
    MemoryRequest out;
    out.at = at;
    out.line = byte / spec_.l1.line_bytes;
    out.id = id;
    out.sm = static_cast<std::uint16_t>(sm_);
    out.kind = RequestKind::code;
    out.sectors = 0xf;
    outbox_.push_back(out);
    if (first == none) first = id;
  }
  constant_fills_.push_back(first);
  return first;
}

}  // namespace warpgauge::model
