#include "model/sm/memory_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpgauge::model {
namespace {

using traces::MemoryAccess;
using traces::MemorySpace;

SectorCache data_cache(const L1Spec& l1, unsigned data_bytes) {
  const unsigned lines = data_bytes / l1.line_bytes;
  if (l1.tag_ways != 0) {
    const ParityHash* const hash = l1.set_hash.bits() != 0 ? &l1.set_hash : nullptr;
    return {1, lines, l1.victim, {l1.sets, l1.tag_ways, l1.new_line_age, l1.evicted_at_once, hash}};
  }
  return {l1.sets, std::max(l1.sets, lines) / l1.sets, l1.victim};
}

// Whether it goes to lines of the L1.
bool asks_tags(const QueuedOp& op) {
  return op.kind == QueuedKind::data && op.space != MemorySpace::shared && op.space != MemorySpace::cluster;
}

}  // namespace

MemoryUnit::MemoryUnit(const SmSpec& spec, unsigned sm, unsigned cpc, unsigned data_bytes,
                       Cycle constants_beyond, Calendar<SmEvent>& calendar, ConstantCaches& constants,
                       SmCounters& counters)
    : spec_(spec),
      sm_(sm),
      calendar_(calendar),
      constants_(constants),
      counters_(counters),
      data_bytes_(data_bytes),
      tags_(data_cache(spec.l1, data_bytes)),
      lines_(static_cast<std::size_t>(tags_.sets()) * tags_.ways()),
      data_(spec.memory.conflict_pass_latency / std::max(1U, spec.memory.conflict_pass_cost),
            spec.memory.data_queue, spec.l1.data_queue),
      ports_(cpc),
      constants_beyond_(constants_beyond),
      slot_release_(spec.memory.slot_release),
      stored_(spec.memory, spec.l1.sector_bytes, spec.l1.tag_banks) {
  ops_.reserve(2 * std::size_t{spec.subcores} * spec.memory.queue_entries);
  last_walks_.fill(none);
  first_flights_.fill(none);
  last_flights_.fill(none);
  fences_.reserve(max_warps_per_sm);
  drains_.reserve(std::size_t{4} *
                  max_warps_per_sm);  // two counters each of a MEMBAR and the FENCE behind it
}

void MemoryUnit::begin_launch() {
  tags_.invalidate_all();
  forget_words();
}

void MemoryUnit::forget_words() {
  for (LineState& line : lines_) line.words = 0;
}

void MemoryUnit::set_data_bytes(unsigned data_bytes) {
  // What is still on its way has its place in the old tags.
  if (data_bytes == data_bytes_ || lines_in_flight_ != 0) return;
  data_bytes_ = data_bytes;
  tags_ = data_cache(spec_.l1, data_bytes);
  lines_.assign(static_cast<std::size_t>(tags_.sets()) * tags_.ways(), {});
}

void MemoryUnit::push(unsigned subcore, const StaticOp& op, const traces::Issued& issued,
                      const Issuer& issuer, Cycle now) {
  Way& way = way_of(op.queued == QueuedKind::constant);
  Queue& queue = way.queues[subcore];
  const std::uint32_t place = ops_.take();
  QueuedOp& entry = ops_[place];
  queue.ops[(queue.head + queue.waiting) % queue_size] = static_cast<std::uint8_t>(place);
  ++queue.used;
  ++queue.waiting;
  make_queued(entry, spec_, op, issued, issuer);
  if (issued.bulk != nullptr) {
    entry.bulk = bulks_.take();
    bulks_[entry.bulk].copy = *issued.bulk;
  }
  entry.ready = std::max(now, queue.address_free);
  ++queue.pushed;
  if (asks_tags(entry)) {
    for (unsigned i = 0; i < entry.line_count; ++i) tags_.prefetch(entry.lines[i].line);
  }
  if (queue.waiting != 1) return;
  queue.ready = entry.ready;
  if (!way.blocked) schedule(way, std::max(ready_of(queue), free_from(way)));
}

void MemoryUnit::skip(unsigned subcore, unsigned warp, const StaticOp& op, Cycle now) {
  Queue& queue = accesses_.queues[subcore];
  accesses_.watched = true;
  const Cycle ready = std::max(now, queue.address_free);
  const unsigned interval =
      op.uniform_address ? spec_.memory.address_interval_uniform : spec_.memory.address_interval;
  queue.address_free = ready + interval;
  ++queue.used;
  calendar_.add(ready + 1, {EventKind::skipped, static_cast<std::uint8_t>(warp), op.write_counter,
                            SmEvent::no_group, interval << 8 | op.read_counter});
}

void MemoryUnit::pass(const SmEvent& skipped, Cycle now) {
  const Cycle start = data_.direct(skipped.warp, now, 1, false);
  ++owners_[skipped.warp].counters->data_stage_cycles;
  calendar_.add(
      std::max(now - 1 + (skipped.value >> 8), start),
      {EventKind::slot, static_cast<std::uint8_t>(subcore_of(skipped.warp)), 7, SmEvent::no_group, 0});
  // From its turn, a cycle ago, it comes back like a load of shared memory, a cycle sooner, wherever it would
  // have gone (probe issue.guards).
  const AccessSpec& load = spec_.access[static_cast<std::size_t>(Access::load_shared_32)];
  const auto read_counter = static_cast<std::uint8_t>(skipped.value);
  if (read_counter != sass::Control::no_barrier)
    calendar_.add(start - 1 + load.war,
                  {EventKind::release, skipped.warp, read_counter, SmEvent::no_group, 0});
  calendar_.add(start - 1 + load.raw - 1,
                {EventKind::done, skipped.warp, skipped.counter, SmEvent::no_group, 0});
}

bool MemoryUnit::has_room(const QueuedOp& op) const {
  if (!asks_tags(op) || op.access == MemoryAccess::store || lines_in_flight_ == 0) return true;
  if (lines_in_flight_ + op.line_count > spec_.l1.misses_in_flight ||
      sectors_in_flight_ + op.sector_count > spec_.l1.sectors_in_flight ||
      loads_in_flight_ >= spec_.memory.loads_in_flight)
    return false;
  // Each keeps a place of the L1's data from when it is asked for (docs/h200.md, "Requests of many lines").
  return op.past_l1 || lines_coming_ + op.line_count <= data_lines() ||
         lines_coming_ + misses(op) <= data_lines();
}

unsigned MemoryUnit::misses(const QueuedOp& op) const {
  unsigned lines = 0;
  for (unsigned i = 0; i < op.line_count; ++i) {
    const LineAccess& access = op.lines[i];
    const std::uint32_t entry = tags_.peek(access.line);
    if (entry == SectorCache::none ||
        (lines_[entry].fills == none && (access.sectors & ~tags_.at(entry).valid) != 0))
      ++lines;
  }
  return lines;
}

const QueuedOp* MemoryUnit::serve_next(Way& way, Cycle now) {
  way.tick_at = never;
  way.watched = false;
  if (way.blocked) return nullptr;
  const bool constants = &way == &constant_loads_;
  const Cycle free = free_from(way);
  Cycle soonest = never;
  unsigned subcore = way.turn;
  for (unsigned i = 0; i < spec_.subcores; ++i, subcore = subcore + 1 == spec_.subcores ? 0 : subcore + 1) {
    Queue& queue = way.queues[subcore];
    if (queue.waiting == 0) continue;
    const Cycle start = std::max(ready_of(queue), free);
    if (start > now) {
      soonest = std::min(soonest, start);
      continue;
    }
    const std::uint32_t place = queue.ops[queue.head];
    QueuedOp& op = ops_[place];
    if (constants && walks_under_way_[subcore] >= spec_.constant.loads_in_flight) {
      walk_wanted_ = true;
      continue;
    }
    if (!has_room(op)) {
      way.blocked = true;  // everything behind it waits as well: the unit is in order
      return nullptr;
    }
    // While there is no room before the way out, one store or atomic at a time waits for the tags.
    if (asks_tags(op) && op.access != MemoryAccess::load && op.access != MemoryAccess::copy &&
        store_at_tags_ > now && way_out_.room(spec_.memory.waiting_stores) > now) {
      schedule(way, store_at_tags_);
      way.watched = true;
      return nullptr;
    }
    // While the L2 holds up the way out nobody knows when the next will leave: all wait here until there is
    // room.
    if (asks_tags(op) && way_out_.held_up(now)) {
      if (const Cycle room = way_out_.room(spec_.memory.waiting_stores); room > now) {
        schedule(way, room);
        way.watched = true;
        return nullptr;
      }
    }
    way.free = now + op.unit_interval;
    queue.address_free = now + op.interval;
    calendar_.add(now + slot_release_ + (op.interval > 2 ? 1 : 0),
                  {constants ? EventKind::constants_slot : EventKind::slot,
                   static_cast<std::uint8_t>(subcore), 7, SmEvent::no_group, 0});
    serve(op, now);
    ops_.give_back(place);
    queue.head = (queue.head + 1) % queue_size;
    if (--queue.waiting != 0) queue.ready = ops_[queue.ops[queue.head]].ready;
    way.turn = subcore + 1 == spec_.subcores ? 0 : subcore + 1;
    Cycle next = never;
    for (unsigned s = 0; s < spec_.subcores; ++s)
      next = std::min(next, way.queues[s].waiting != 0 ? ready_of(way.queues[s]) : never);
    if (next != never) schedule(way, std::max(next, free_from(way)));
    if (!fences_.empty()) ask_next(now);
    if (!drains_.empty()) end_drains(subcore, now);
    return &op;
  }
  if (soonest != never) schedule(way, soonest);
  return nullptr;
}

void MemoryUnit::release(Cycle at, const QueuedOp& op, std::uint8_t counter, bool last) {
  if (counter == sass::Control::no_barrier && !last) return;
  if (last) {
    calendar_.add(at, {EventKind::done, op.warp, counter, op.group, op.results});
  } else {
    calendar_.add(at, {EventKind::release, op.warp, counter, SmEvent::no_group, 0});
  }
}

void MemoryUnit::serve(const QueuedOp& op, Cycle start) {
  switch (op.kind) {
    case QueuedKind::none:
      break;
    case QueuedKind::shuffle: {
      const Cycle turn = data_.direct(op.warp, start, 1, false);
      ++owners_[op.warp].counters->data_stage_cycles;
      release(start + op.war, op, op.read_counter, false);
      release(turn + op.raw, op, op.write_counter, true);
      break;
    }
    case QueuedKind::simple:
      if (op.bulk != QueuedOp::no_bulk) begin_bulk(op, start);
      if (op.object != traces::Issued::Object::none) {
        serve_object(op, start);
        break;
      }
      if (op.flushes_bulk) {
        const Cycle read = std::max(start, static_cast<Cycle>(bulk_store_free_));
        release(read + op.war, op, op.read_counter, false);
        release(read + op.raw, op, op.write_counter, true);
        break;
      }
      if (op.empties_l1) {
        tags_.invalidate_all(
            local_lines);  // no other SM writes those of local memory (docs/h200.md, sets of the L1)
        forget_words();
      }
      release(start + op.war, op, op.read_counter, false);
      release(start + op.raw, op, op.write_counter, true);
      break;
    case QueuedKind::constant:
      serve_constants(op, start);
      break;
    case QueuedKind::matrix_load:
    case QueuedKind::matrix_store:
      serve_shared(op, start);
      break;
    case QueuedKind::data:
      if (op.space == MemorySpace::shared) {
        serve_shared(op, start);
      } else if (op.space == MemorySpace::cluster) {
        serve_cluster(op, start);
      } else {
        serve_lines(op, start);
      }
      break;
  }
}

void MemoryUnit::serve_shared(const QueuedOp& op, Cycle start) {
  SmCounters& counters = *owners_[op.warp].counters;
  const unsigned passes =
      spec_.memory.bank_conflicts ? op.passes : std::min<unsigned>(op.passes, op.floor_passes);
  const unsigned busy = passes * spec_.memory.conflict_pass_cost;
  const unsigned extra =
      passes > op.floor_passes ? (passes - op.floor_passes) * spec_.memory.conflict_pass_cost : 0;
  const Cycle turn = data_.direct(op.warp, start, busy, op.access == MemoryAccess::store);
  passed_[subcore_of(op.warp)] = turn + busy;
  counters.data_stage_cycles += busy;
  if (op.access == MemoryAccess::load) {
    ++counters.shared_loads;
    counters.shared_load_passes += passes;
    counters.shared_load_conflicts += extra;
  } else {
    ++(op.access == MemoryAccess::store ? counters.shared_stores : counters.shared_atomics);
    counters.shared_store_passes += passes;
    counters.shared_store_conflicts += extra;
  }
  // The sources leave the registers on the way to the data stage.
  release(start + op.war, op, op.read_counter, false);
  const bool returns = op.access != MemoryAccess::store && op.access != MemoryAccess::reduction;
  // The latency is that of lanes without conflicts; of a load whose lanes share words it has this in it
  // already.
  const bool sharing = op.access == MemoryAccess::load && passes < op.floor_passes;
  const int more_passes = sharing ? 0 : static_cast<int>(passes) - static_cast<int>(op.floor_passes);
  const int behind_products =
      returns ? static_cast<int>(std::lround(spec_.group_product.shared_latency * data_.product_odds(turn)))
              : 0;
  const int after = (returns ? op.raw : op.war) + behind_products +
                    more_passes * static_cast<int>(spec_.memory.conflict_pass_latency);
  release(turn + static_cast<Cycle>(std::max(after, 1)), op, op.write_counter, true);
}

bool MemoryUnit::idle() const {
  if (lines_in_flight_ != 0 || stores_in_flight_ != 0 || bulk_in_flight_ != 0) return false;
  const auto unused = [](const Queue& queue) { return queue.used == 0; };
  return std::ranges::all_of(accesses_.queues, unused) && std::ranges::all_of(constant_loads_.queues, unused);
}

std::string MemoryUnit::describe() const {
  std::string text;
  const auto add = [&](const Way& way, const char* name) {
    for (unsigned s = 0; s < spec_.subcores; ++s) {
      const Queue& queue = way.queues[s];
      if (queue.used != 0)
        text += fmt::format("  {} queue {}: {} taken, {} waiting\n", name, s, queue.used, queue.waiting);
    }
  };
  add(accesses_, "memory");
  add(constant_loads_, "constant");
  if (lines_in_flight_ != 0)
    text +=
        fmt::format("  {} lines in flight{}\n", lines_in_flight_, accesses_.blocked ? ", unit blocked" : "");
  return text;
}

}  // namespace warpgauge::model
