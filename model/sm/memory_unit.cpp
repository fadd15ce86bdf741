#include "model/sm/memory_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "model/memory/words.h"

namespace warpgauge::model {
namespace {

// Cycles of the data array in which what a store sends is read once more (docs/h200.md, "Stores of many lines").
constexpr unsigned line_out = 1;

constexpr std::uint32_t headers_of_a_line = 8;  // of textures, 32 bytes each

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

// Bytes of a line that a store writes: lanes on one word write it once. Of local memory a lane has whole words of a line, or part of one.
unsigned written_bytes(const QueuedOp& op, const LineAccess& access) {
  const unsigned words = 4U * static_cast<unsigned>(std::popcount(access.words));
  return op.space == MemorySpace::local && op.bytes >= 4 ? words : std::min(unsigned{access.lanes} * op.bytes, words);
}

StoredLines::Store stored_part(const QueuedOp& op, const LineAccess& access) {
  const auto before = static_cast<unsigned>(&access - op.lines.data());
  return {access.line, access.sectors, op.bytes < 4, written_bytes(op, access), access.words, op.line_count, before};
}

// Where the L2 has a line of local memory: nobody knows in which pages the driver keeps it. Pieces of 8 KiB are spread over 512 MiB, so that
// frames at equal distances do not meet in the same slices more often than others.
std::uint64_t beyond_l1(std::uint64_t line) {
  if (line < local_lines) return line;
  constexpr unsigned piece = 6, region = 22;  // bits of a line's number
  constexpr std::uint64_t within = (std::uint64_t{1} << region) - 1;
  const std::uint64_t place = (line & within) >> piece;
  return (line & ~within) | ((place * 0x9e3779b1U << piece) & within) | (line & ((1U << piece) - 1));
}

bool goes_first(Keep keep) {
  return keep == Keep::first_to_go || keep == Keep::last_use || keep == Keep::not_at_all;
}

// The part that some of a load's lines have of its passes over the data array, when they are not read together.
unsigned passes_of(const QueuedOp& op, unsigned lines) {
  return std::max(1U, (op.turn_passes * lines + op.line_count - 1) / std::max<unsigned>(op.line_count, 1));
}

}  // namespace

MemoryUnit::MemoryUnit(const SmSpec& spec, unsigned sm, unsigned cpc, unsigned data_bytes, Cycle constants_beyond,
                       Calendar<SmEvent>& calendar, ConstantCaches& constants, SmCounters& counters)
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
      stored_(spec.memory, spec.l1.sector_bytes),
      distances_(spec.memory.slice_spread) {
  ops_.reserve(2 * std::size_t{spec.subcores} * spec.memory.queue_entries);
  last_walks_.fill(none);
  first_flights_.fill(none);
  last_flights_.fill(none);
  fences_.reserve(max_warps_per_sm);
  drains_.reserve(std::size_t{4} * max_warps_per_sm);  // two counters each of a MEMBAR and the FENCE behind it
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

void MemoryUnit::push(unsigned subcore, const StaticOp& op, const traces::Issued& issued, const Issuer& issuer,
                      Cycle now) {
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
  const unsigned interval = op.uniform_address ? spec_.memory.address_interval_uniform : spec_.memory.address_interval;
  queue.address_free = ready + interval;
  ++queue.used;
  calendar_.add(ready + 1, {EventKind::skipped, static_cast<std::uint8_t>(warp), op.write_counter, SmEvent::no_group,
                            interval << 8 | op.read_counter});
}

void MemoryUnit::pass(const SmEvent& skipped, Cycle now) {
  const Cycle start = data_.direct(skipped.warp, now, 1, false);
  ++owners_[skipped.warp].counters->data_stage_cycles;
  calendar_.add(std::max(now - 1 + (skipped.value >> 8), start),
                {EventKind::slot, static_cast<std::uint8_t>(subcore_of(skipped.warp)), 7, SmEvent::no_group, 0});
  // From its turn, a cycle ago, it comes back like a load of shared memory, a cycle sooner, wherever it would have gone (probe issue.guards).
  const AccessSpec& load = spec_.access[static_cast<std::size_t>(Access::load_shared_32)];
  const auto read_counter = static_cast<std::uint8_t>(skipped.value);
  if (read_counter != sass::Control::no_barrier)
    calendar_.add(start - 1 + load.war, {EventKind::release, skipped.warp, read_counter, SmEvent::no_group, 0});
  calendar_.add(start - 1 + load.raw - 1, {EventKind::done, skipped.warp, skipped.counter, SmEvent::no_group, 0});
}

bool MemoryUnit::has_room(const QueuedOp& op) const {
  if (!asks_tags(op) || op.access == MemoryAccess::store || lines_in_flight_ == 0) return true;
  if (lines_in_flight_ + op.line_count > spec_.l1.misses_in_flight ||
      sectors_in_flight_ + op.sector_count > spec_.l1.sectors_in_flight ||
      loads_in_flight_ >= spec_.memory.loads_in_flight)
    return false;
  // Each keeps a place of the L1's data from when it is asked for (docs/h200.md, "Requests of many lines").
  return op.past_l1 || lines_coming_ + op.line_count <= data_lines() || lines_coming_ + misses(op) <= data_lines();
}

unsigned MemoryUnit::misses(const QueuedOp& op) const {
  unsigned lines = 0;
  for (unsigned i = 0; i < op.line_count; ++i) {
    const LineAccess& access = op.lines[i];
    const std::uint32_t entry = tags_.peek(access.line);
    if (entry == SectorCache::none || (lines_[entry].fills == none && (access.sectors & ~tags_.at(entry).valid) != 0))
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
    if (asks_tags(op) && op.access != MemoryAccess::load && op.access != MemoryAccess::copy && store_at_tags_ > now &&
        way_out_.room(spec_.memory.waiting_stores) > now) {
      schedule(way, store_at_tags_);
      way.watched = true;
      return nullptr;
    }
    // While the L2 holds up the way out nobody knows when the next will leave: all wait here until there is room.
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
        tags_.invalidate_all(local_lines);  // no other SM writes those of local memory (docs/h200.md, sets of the L1)
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
  // The latency is that of lanes without conflicts; of a load whose lanes share words it has this in it already.
  const bool sharing = op.access == MemoryAccess::load && passes < op.floor_passes;
  const int more_passes = sharing ? 0 : static_cast<int>(passes) - static_cast<int>(op.floor_passes);
  const int behind_products =
      returns ? static_cast<int>(std::lround(spec_.group_product.shared_latency * data_.product_odds(turn))) : 0;
  const int after =
      (returns ? op.raw : op.war) + behind_products + more_passes * static_cast<int>(spec_.memory.conflict_pass_latency);
  release(turn + static_cast<Cycle>(std::max(after, 1)), op, op.write_counter, true);
}

std::uint32_t MemoryUnit::new_fill() {
  const std::uint32_t fill = fills_.take();
  fills_[fill] = {};
  return fill;
}

std::uint32_t MemoryUnit::new_flight() {
  const std::uint32_t flight = flights_.take();
  flights_[flight] = {};
  return flight;
}

void MemoryUnit::wait_for(std::uint32_t fill, std::uint32_t flight) {
  ++flights_[flight].remaining;
  if (fills_[fill].flight == none) {
    fills_[fill].flight = flight;
    return;
  }
  const std::uint32_t waiter = waiters_.take();
  Fill& waited = fills_[fill];
  if (waited.constant) {
    waiters_[waiter] = {flight, std::exchange(waited.waiters, waiter)};
    return;
  }
  waiters_[waiter] = {flight, none};
  (waited.waiters == none ? waited.waiters : waiters_[waited.last_waiter].next) = waiter;
  waited.last_waiter = waiter;
}

std::uint32_t MemoryUnit::request(const QueuedOp& op, const LineAccess& line, std::uint8_t sectors,
                                  RequestKind kind, Cycle at) {
  const std::uint32_t id = new_fill();
  Fill& fill = fills_[id];
  fill.line = line.line;
  fill.sectors = sectors;
  fill.load = kind == RequestKind::load;
  fill.store = kind == RequestKind::store;
  fill.return_cycles = kind == RequestKind::atomic ? op.line_return_cycles : 0;
  const unsigned sector_count = static_cast<unsigned>(std::popcount(sectors));
  if (fill.store) {
    ++stores_in_flight_;
  } else {
    ++lines_in_flight_;
    sectors_in_flight_ += sector_count;
  }
  ++counters_.requests;
  // What local memory writes stays with the SM.
  unfenced_ = unfenced_ || op.space != MemorySpace::local;
  MemoryRequest out;
  out.at = at;
  out.line = beyond_l1(line.line);
  out.id = id;
  out.sm = static_cast<std::uint16_t>(sm_);
  out.kind = kind;
  out.sectors = sectors;
  out.lanes = line.lanes;
  out.turns = line.turns;
  out.deepest = line.deepest;
  out.copy = op.copy_cycles != 0;
  const unsigned covered = fill.store ? written_bytes(op, line) : unsigned{line.lanes} * op.bytes;
  out.partial = covered < (fill.store ? sector_count : line.turns) * spec_.l1.sector_bytes;
  out.floating = op.floating;
  out.padded = (op.padded >> (&line - op.lines.data()) & 1U) != 0;
  out.whole_line = op.whole_line;
  out.wide = op.bytes == 8;
  out.two_operands = op.two_operands;
  out.launch = owners_[op.warp].launch;
  if (fill.store) out.words = line.words;
  send(out, fill.load ? 0U : std::max(1U, unsigned{line.deepest}));
  return id;
}

void MemoryUnit::send(const MemoryRequest& request, unsigned kept) {
  last_out_ = std::max(last_out_, request.at);
  outbox_.push_back(request);
  turn_ = way_out_.pass(request.at, bytes_out(request, spec_.memory.request_header, spec_.l1.sector_bytes) /
                                        spec_.memory.port_bytes_per_cycle, kept);
}

std::uint32_t MemoryUnit::find(const QueuedOp& op, std::uint64_t line) {
  return op.keep == Keep::unchanged || op.past_l1 ? tags_.peek(line) : tags_.find(line);
}

// What is on its way comes, and keeps its place until then.
void MemoryUnit::drop(std::uint32_t entry) {
  if (entry == SectorCache::none) return;
  tags_.invalidate(entry);
  lines_[entry].words = 0;
  if (tags_.at(entry).pending == 0) tags_.give_back(entry);
}

void MemoryUnit::abandon(std::uint32_t entry) {
  lines_[entry].words = 0;
  for (std::uint32_t& fill = lines_[entry].fills; fill != none; fill = fills_[fill].next) fills_[fill].entry = SectorCache::none;
}

std::uint32_t MemoryUnit::allocate(std::uint64_t line) {
  const std::uint32_t entry = tags_.allocate_over_pending(line);
  abandon(entry);
  return entry;
}

void MemoryUnit::begin_again(std::uint32_t entry) {
  abandon(entry);
  tags_.invalidate(entry);
  tags_.at(entry).pending = 0;
}

// Probe l1.stored: a load finds the words that were stored, and misses for others of their sector. A byte alone is no word.
void MemoryUnit::keep_stored(std::uint32_t entry, const QueuedOp& op, const LineAccess& access) {
  SectorCache::Line& line = tags_.at(entry);
  if ((access.sectors & ~line.valid) == 0) return;
  if (op.bytes >= 4 || unsigned{access.lanes} * op.bytes == 4U * static_cast<unsigned>(std::popcount(access.words)))
    lines_[entry].words |= access.words;
  line.valid |= whole_sectors(lines_[entry].words);
}

std::uint8_t MemoryUnit::found(std::uint32_t entry, const LineAccess& access) {
  const std::uint8_t valid = access.sectors & tags_.at(entry).valid;
  const std::uint32_t stored = lines_[entry].words;
  if (stored == 0 || valid == access.sectors) return valid;
  return static_cast<std::uint8_t>(valid | (access.sectors & whole_sectors(stored | ~access.words)));
}

bool MemoryUnit::stored_in_part(std::uint32_t entry, const LineAccess& access) {
  if (lines_[entry].words == 0) return false;
  const SectorCache::Line& line = tags_.at(entry);
  const auto missing = static_cast<std::uint8_t>(access.sectors & ~(found(entry, access) | line.pending));
  return (lines_[entry].words & words_of(missing)) != 0;
}

Cycle MemoryUnit::header(std::uint32_t line, Cycle at, Cycle latency) {
  for (const Header& header : headers_)
    if (header.line == line) return std::max(at, header.here);
  Header& fresh = headers_[next_header_++ % headers_.size()];
  fresh = {line, at + latency};
  return fresh.here;
}

void MemoryUnit::serve_lines(const QueuedOp& op, Cycle taken) {
  SmCounters& counters = *owners_[op.warp].counters;
  const bool load = op.access == MemoryAccess::load || op.access == MemoryAccess::copy;
  const bool texture = op.space == MemorySpace::texture;
  const Cycle headed = op.texture != 0 ? header(op.texture / headers_of_a_line + 1, taken, spec_.texture.header_latency) : taken;
  const Cycle start = texture ? std::max(headed, texture_free_)
                      : load  ? data_.tags(taken, op.tag_passes)
                              : data_.store_tags(op.warp, headed, op.tag_passes);
  if (texture) texture_free_ = start + op.passes;
  const bool local = op.space == MemorySpace::local;
  const auto beyond = [&](unsigned passes) {
    return passes > op.floor_passes ? passes - op.floor_passes : 0U;
  };
  // The data follow when the tags are through: of one warp every second pass.
  const unsigned extra = op.tag_passes - 1 + beyond(op.data_passes) * data_.share();
  if (!load) store_at_tags_ = start;
  // The sources of a store or an atomic are read on its way to the tags: what waits there keeps them.
  release((load ? taken : start) + op.war, op, op.read_counter, false);

  std::uint32_t flight = none;
  const auto in_flight = [&](unsigned from_line) {
    if (flight == none) {
      flight = new_flight();
      Flight& f = flights_[flight];
      f.warp = op.warp;
      f.counter = op.write_counter;
      f.group = op.group;
      f.results = op.results;
      f.after = static_cast<std::uint16_t>(from_line);
      f.acknowledged = op.access == MemoryAccess::store || op.access == MemoryAccess::reduction;
      f.generation = op.generation;
      f.load = load;
      if (!f.acknowledged) {
        std::uint32_t& last = last_flights_[op.warp];
        (last == none ? first_flights_[op.warp] : flights_[last].behind) = flight;
        last = flight;
      }
    }
    return flight;
  };
  if (load) {
    const Cycle leaves = start + spec_.l1.miss_latency;
    const unsigned after = op.raw - std::min<unsigned>(op.raw, spec_.l1.miss_latency);
    unsigned hit_sectors = 0;
    unsigned missing_lines = 0;
    unsigned waiting_lines = 0;  // those and the ones on their way
    // Requests leave in the order of the loads, line by line.
    const Cycle leave = std::max(leaves, misses_free_);
    for (unsigned i = 0; i < op.line_count; ++i) {
      const LineAccess& access = op.lines[i];
      std::uint32_t entry = find(op, access.line);
      if (op.past_l1) {
        if (op.access == MemoryAccess::load) drop(entry);
        entry = SectorCache::none;
      } else if (entry == SectorCache::none && op.keep != Keep::not_at_all && op.keep != Keep::last_use) {
        entry = allocate(access.line);
        if (op.keep == Keep::longer) tags_.use(entry);
        if (op.keep == Keep::unchanged) tags_.let_go_next(entry);
      }
      std::uint8_t missing = access.sectors;
      if (entry != SectorCache::none) {
        SectorCache::Line& line = tags_.at(entry);
        if (stored_in_part(entry, access)) begin_again(entry);
        const std::uint8_t here = found(entry, access);
        const std::uint8_t coming = static_cast<std::uint8_t>(access.sectors & line.pending & ~here);
        hit_sectors +=
            static_cast<unsigned>(std::popcount(here)) + static_cast<unsigned>(std::popcount(coming));
        missing = static_cast<std::uint8_t>(access.sectors & ~(here | coming));
        if ((coming | missing) != 0) ++waiting_lines;
        if (coming != 0) {
          for (std::uint32_t fill = lines_[entry].fills; fill != none; fill = fills_[fill].next) {
            if ((fills_[fill].sectors & coming) != 0) wait_for(fill, in_flight(after));
          }
        }
        line.pending |= missing;
        if (goes_first(op.keep)) tags_.let_go_next(entry);
      } else {
        ++waiting_lines;
      }
      if (missing == 0) continue;
      const std::uint32_t id = request(op, access, missing, RequestKind::load, leave + missing_lines);
      outbox_.back().farther = distances_.of(op.line_count, i);
      ++missing_lines;
      misses_free_ = leave + missing_lines;
      if (entry != SectorCache::none) {
        fills_[id].entry = entry;
        if (lines_[entry].fills == none) {
          ++lines_coming_;
          fills_[id].has_place = true;
        }
        fills_[id].next = lines_[entry].fills;
        lines_[entry].fills = id;
      }
      wait_for(id, in_flight(after));
    }
    if (texture) {
      const unsigned missing = op.sector_count - std::min<unsigned>(hit_sectors, op.sector_count);
      ++counters.texture_loads;
      counters.texture_requests += op.texture_requests;
      counters.texture_sectors += op.texture_sectors;
      counters.texture_hit_sectors += op.texture_sectors - std::min<unsigned>(missing, op.texture_sectors);
    } else if (local) {
      counters.local_loads += op.floor_passes;  // a request for each word of a lane
      counters.local_load_sectors += op.sector_count;
      counters.local_load_hit_sectors += hit_sectors;
    } else {
      ++counters.global_loads;
      counters.global_load_requests += op.line_count - op.split_lines;
      counters.global_load_sectors += op.sector_count;
      counters.global_load_hit_sectors += hit_sectors;
    }
    // The tags take their turn at once; data that is not here is read when it comes. A copy past the L1 is no wavefront.
    if (texture) {
      if (flight == none) {
        release(start + op.raw, op, op.write_counter, true);
        return;
      }
      flights_[flight].passes = 1;
      ++loads_in_flight_;
      return;
    }
    if (op.copy_cycles == 0) counters.data_stage_cycles += flight != none ? op.turn_passes : op.data_passes;
    if (flight != none) {
      // What is here is read at once. The lines that have come are read when the last of them is here, by one warp as by many;
      // neither together, but as they passed the tags.
      if (waiting_lines < op.line_count) {
        data_.tagged(op.warp, start, passes_of(op, op.line_count - waiting_lines));
      } else {
        data_.missed(start);
      }
      const bool past = op.copy_cycles != 0;
      const unsigned passes = past ? op.data_passes : std::max(passes_of(op, waiting_lines), line_passes(waiting_lines));
      const unsigned later = beyond(past ? op.tag_passes : passes);
      flights_[flight].passes = static_cast<std::uint16_t>(passes);
      flights_[flight].copy_cycles = op.copy_cycles;
      flights_[flight].after = static_cast<std::uint16_t>(flights_[flight].after + later);
      ++loads_in_flight_;
    } else {
      const Cycle turn = data_.tagged(op.warp, start, op.data_passes);
      release(turn + op.raw + extra, op, op.write_counter, true);
    }
    return;
  }

  // Stores and atomics go on to the L2; a line that the L1 holds takes the new data, atomics drop all of it.
  const bool store = op.access == MemoryAccess::store;
  const RequestKind kind = store                               ? RequestKind::store
                           : op.access == MemoryAccess::atomic ? RequestKind::atomic
                                                               : RequestKind::reduction;
  const Cycle idle = data_.idle(start);  // the data of a store leave while nothing takes the array
  // Lines leave once the data have their turn at the array.
  const Cycle data = data_.store_tagged(start, op.turn_passes, way_out_.room(spec_.memory.waiting_stores));
  const Cycle leaves = data + spec_.l1.miss_latency;
  unsigned sent = 0;
  for (unsigned i = 0; i < op.line_count; ++i) {
    const LineAccess& access = op.lines[i];
    std::uint32_t entry = find(op, access.line);
    if (store) {
      const unsigned sectors = static_cast<unsigned>(std::popcount(access.sectors));
      const StoredLines::Store part = stored_part(op, access);
      const StoredLines::Joined joined = stored_.join(part, idle, {leaves, way_out_.own(leaves)});
      const bool coming = entry != SectorCache::none && tags_.at(entry).pending != 0;
      const bool lost = coming || (joined.id == none && stored_.leaving(part, idle));
      if (lost && entry != SectorCache::none) begin_again(entry);
      if (!lost && (entry != SectorCache::none || (local ? op.frame_stays : stored_.under_way(access.line))))
        (local ? counters.local_store_hit_sectors : counters.global_store_hit_sectors) += sectors;
      if (entry == SectorCache::none && (local || spec_.l1.stores_allocate) && op.keep != Keep::not_at_all)
        entry = allocate(access.line);
      if (entry != SectorCache::none) {
        keep_stored(entry, op, access);
        if (goes_first(op.keep)) tags_.let_go_next(entry);
      }
      if (joined.id != none) {
        wait_for(joined.id, in_flight(0));
        if (joined.place < outbox_.size() && outbox_[joined.place].id == joined.id) {
          MemoryRequest& held = outbox_[joined.place];
          held.sectors = joined.sectors;
          held.partial = !joined.full;
          held.words |= access.words;
          way_out_.lengthen(static_cast<unsigned>(std::popcount(joined.more)) * spec_.l1.sector_bytes /
                            spec_.memory.port_bytes_per_cycle);
        } else if (joined.more != 0) {
          // It waits for its turn where the memory system keeps it: what it has not goes after it.
          const std::uint32_t id = request(op, access, joined.more, kind, leaves + sent++);
          outbox_.back().joined = true;
          wait_for(id, in_flight(0));
        } else {
          stored_.tell_later(part);
        }
        continue;
      }
    } else {
      drop(entry);
      stored_.close(access.line);
    }
    const std::uint32_t id = request(op, access, access.sectors, kind, leaves + sent++);
    if (store) {
      outbox_.back().words |= stored_.untold(access.line);
      stored_.leave(stored_part(op, access), id, static_cast<std::uint32_t>(outbox_.size() - 1), idle,
                    {way_out_.passed_alone(), way_out_.turn_before(spec_.memory.stores_in_line)});
    }
    const unsigned after =
        kind == RequestKind::atomic ? op.raw - std::min<unsigned>(op.raw, spec_.l1.miss_latency) : 0;
    wait_for(id, in_flight(after));
  }
  if (store) {
    if (!local) {
      // Each register of data beyond the first takes a cycle more (probe issue.mixes: STG.64 and STG.128).
      const unsigned more_registers = op.bytes > 4 ? op.bytes / 4U - 1 : 0;
      accesses_.free = std::max<Cycle>(accesses_.free, taken + spec_.memory.store_global_interval + more_registers);
    }
    if (local) {
      counters.local_stores += op.floor_passes;
      counters.local_store_sectors += op.sector_count;
    } else {
      ++counters.global_stores;
      counters.global_store_requests += op.line_count;
      counters.global_store_sectors += op.sector_count;
    }
  } else if (kind == RequestKind::atomic) {
    ++counters.global_atomics;
    counters.global_atomic_sectors += op.sector_count;
  } else {
    ++counters.global_reductions;
    counters.global_reduction_sectors += op.sector_count;
  }
  // Whoever does not wait for a value is done once it has left the SM.
  if (kind != RequestKind::atomic) {
    const Cycle left = sent != 0 ? std::max(leaves + sent, way_out_.at(turn_)) : leaves;
    release(left, op, op.write_counter, true);
  }
  if (sent != 0) {
    data_.line_out(data + op.turn_passes, line_out);
    // What the tags have passed on waits for them at the array, which is so much ahead of the way out.
    const Cycle room = room_behind(store ? op.tag_passes : 0);
    data_.hold_lines(room - std::min<Cycle>(room, spec_.l1.miss_latency));
  }
  // What leaves counts a wavefront more.
  counters.data_stage_cycles += std::max(op.tag_passes, op.turn_passes) + (store && sent == 0 ? 0U : line_out);
}

// When lines are few enough before the way out for the array to serve what comes behind a store of which one of the tags' banks has so
// many: the more of them crowd there, the more have to leave (docs/h200.md, stores of many lines).
Cycle MemoryUnit::room_behind(unsigned lines_of_a_bank) const {
  const MemoryUnitSpec& memory = spec_.memory;
  const unsigned crowd = lines_of_a_bank > memory.lines_of_a_bank ? lines_of_a_bank - memory.lines_of_a_bank : 0;
  const unsigned fewer = crowd * memory.crowded_lines;
  if (fewer < memory.outgoing_lines) return way_out_.room(memory.outgoing_lines - fewer);
  // So many more would have had to leave, each with a header and a sector.
  const double bytes = (fewer - memory.outgoing_lines + 1) * (memory.request_header + spec_.l1.sector_bytes);
  return way_out_.room(1) + static_cast<Cycle>(bytes / memory.port_bytes_per_cycle);
}

void MemoryUnit::reply(std::uint32_t id, Cycle now) {
  ++counters_.replies;
  Fill& fill = fills_[id];
  if (fill.bulk != none) {
    Bulk& bulk = bulks_[fill.bulk];
    --bulk_in_flight_;
    if (--bulk.coming == 0 && bulk.asked) end_bulk(fill.bulk, now);
    fills_.give_back(id);
    return;
  }
  const unsigned sectors = static_cast<unsigned>(std::popcount(fill.sectors));
  if (fill.store) {
    --stores_in_flight_;
  } else {
    --lines_in_flight_;
    sectors_in_flight_ -= sectors;
  }
  if (fill.store) {
    const std::uint32_t words = stored_.arrived(fill.line, id);
    if (words != 0) late_words_.push_back({beyond_l1(fill.line), words});
  }
  if (id == fence_) answered(now);
  if (fill.constant) {
    constants_.arrived(fill.line, now);
    std::erase(constant_fills_, id);
  }
  if (fill.load && spec_.l1.fill_interval != 0) {
    data_.hold(now, spec_.l1.fill_interval * sectors);
  }
  if (fill.entry != SectorCache::none) {
    SectorCache::Line& line = tags_.at(fill.entry);
    line.valid |= fill.sectors;
    line.pending &= static_cast<std::uint8_t>(~fill.sectors);
    std::uint32_t* link = &lines_[fill.entry].fills;
    while (*link != id) link = &fills_[*link].next;
    *link = fill.next;
    if (fill.has_place && lines_[fill.entry].fills != none) {
      fills_[lines_[fill.entry].fills].has_place = true;
      fill.has_place = false;
    }
  }
  if (fill.has_place) --lines_coming_;
  if (fill.return_cycles != 0) {
    const double turn = std::max(static_cast<double>(now), results_free_);
    results_free_ = turn + fill.return_cycles;
    now = static_cast<Cycle>(turn);
  }
  // Who asked first has what came first; of constants, whose rates have been read off so, the last.
  if (fill.flight != none && !fill.constant) arrived(fill.flight, now);
  for (std::uint32_t waiter = fill.waiters; waiter != none;) {
    const std::uint32_t next = waiters_[waiter].next;
    arrived(waiters_[waiter].flight, now);
    waiters_.give_back(waiter);
    waiter = next;
  }
  if (fill.flight != none && fill.constant) arrived(fill.flight, now);
  fills_.give_back(id);
  if (accesses_.blocked) {
    accesses_.blocked = false;
    schedule(accesses_, now);
  }
}

void MemoryUnit::arrived(std::uint32_t which, Cycle now) {
  Flight& flight = flights_[which];
  if (--flight.remaining != 0) return;
  if (flight.acknowledged) {
    calendar_.add(
        now, {EventKind::ack, flight.warp, sass::Control::no_barrier, SmEvent::no_group, flight.generation});
  } else if (flight.walk != none) {
    come_again(flight.walk, now + flight.after);
  } else {
    come_in_turn(which, now);
    return;
  }
  flights_.give_back(which);
}

void MemoryUnit::come_in_turn(std::uint32_t which, Cycle now) {
  Flight& flight = flights_[which];
  flight.here = true;
  std::uint32_t& first = first_flights_[flight.warp];
  if (first != which) return;
  while (first != none && flights_[first].here) {
    const std::uint32_t brought = first;
    first = flights_[brought].behind;
    if (first == none) last_flights_[flights_[brought].warp] = none;
    bring(brought, now);
  }
}

void MemoryUnit::bring(std::uint32_t which, Cycle now) {
  Flight& flight = flights_[which];
  // All of the load passes the data stage when its last line is here.
  Cycle turn = flight.passes != 0 ? data_.returned(now, flight.passes) : now;
  if (flight.copy_cycles != 0) turn = std::max(turn, data_.copied(now, flight.copy_cycles));
  calendar_.add(turn + flight.after, {EventKind::done, flight.warp, flight.counter, flight.group, flight.results});
  if (flight.load) --loads_in_flight_;
  flights_.give_back(which);
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
    text += fmt::format("  {} lines in flight{}\n", lines_in_flight_, accesses_.blocked ? ", unit blocked" : "");
  return text;
}

}  // namespace warpgauge::model
