// Accesses of global and local memory and of textures, line by line: what the L1's tags have of them, what
// goes on to the L2 from there, and what stores leave behind.
#include <algorithm>
#include <bit>
#include <numeric>

#include "model/memory/words.h"
#include "model/sm/memory_unit.h"

namespace warpgauge::model {
namespace {

// Cycles of the data array in which what a store sends is read once more (docs/h200.md, "Stores of many
// lines").
constexpr unsigned line_out = 1;

constexpr std::uint32_t headers_of_a_line = 8;  // of textures, 32 bytes each

using traces::MemoryAccess;
using traces::MemorySpace;

StoredLines::Store stored_part(const QueuedOp& op, const LineAccess& access, unsigned before) {
  return {access.line,  access.sectors, op.bytes < 4, written_bytes(op, access),
          access.words, op.line_count,  before};
}

bool goes_first(Keep keep) {
  return keep == Keep::first_to_go || keep == Keep::last_use || keep == Keep::not_at_all;
}

// The part that some of a load's lines have of its passes over the data array, when they are not read
// together.
unsigned passes_of(const QueuedOp& op, unsigned lines) {
  return std::max(1U, (op.turn_passes * lines + op.line_count - 1) / std::max<unsigned>(op.line_count, 1));
}

}  // namespace

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
  for (std::uint32_t& fill = lines_[entry].fills; fill != none; fill = fills_[fill].next)
    fills_[fill].entry = SectorCache::none;
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

// Probe l1.stored: a load finds the words that were stored, and misses for others of their sector. A byte
// alone is no word.
void MemoryUnit::keep_stored(std::uint32_t entry, const QueuedOp& op, const LineAccess& access) {
  SectorCache::Line& line = tags_.at(entry);
  if ((access.sectors & ~line.valid) == 0) return;
  if (op.bytes >= 4 ||
      unsigned{access.lanes} * op.bytes == 4U * static_cast<unsigned>(std::popcount(access.words)))
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
  const bool load = op.access == MemoryAccess::load || op.access == MemoryAccess::copy;
  const bool texture = op.space == MemorySpace::texture;
  const Cycle headed = op.texture != 0
                           ? header(op.texture / headers_of_a_line + 1, taken, spec_.texture.header_latency)
                           : taken;
  const Cycle start = texture ? std::max(headed, texture_free_)
                      : load  ? data_.tags(taken, op.tag_passes)
                              : data_.store_tags(op.warp, headed, op.tag_passes);
  if (texture) texture_free_ = start + op.passes;
  if (!load) store_at_tags_ = start;
  // The sources of a store or an atomic are read on its way to the tags: what waits there keeps them.
  release((load ? taken : start) + op.war, op, op.read_counter, false);
  if (load) {
    load_lines(op, start);
  } else {
    store_lines(op, taken, start);
  }
}

void MemoryUnit::load_lines(const QueuedOp& op, Cycle start) {
  SmCounters& counters = *owners_[op.warp].counters;
  const bool texture = op.space == MemorySpace::texture;
  const auto beyond = [&](unsigned passes) {
    return passes > op.floor_passes ? passes - op.floor_passes : 0U;
  };
  // The data follow when the tags are through: of one warp every second pass.
  const unsigned extra = op.tag_passes - 1 + beyond(op.data_passes) * data_.share();
  std::uint32_t flight = none;
  const auto in_flight = [&](unsigned from_line) {
    if (flight == none) flight = new_flight(op, from_line);
    return flight;
  };
  const Cycle leaves = std::max(start + spec_.l1.miss_latency, behind_stores_);
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
    if (missing == 0) {
      if (op.ticket != traces::Issued::no_ticket)
        loads_now_.push_back({owners_[op.warp].launch, op.ticket, access.line * spec_.l1.line_bytes});
      continue;
    }
    const std::uint32_t id = request(op, access, missing, RequestKind::load, leave + missing_lines);
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
    if (!op.prefetch) wait_for(id, in_flight(after));
  }
  if (texture) {
    const unsigned missing = op.sector_count - std::min<unsigned>(hit_sectors, op.sector_count);
    ++counters.texture_loads;
    counters.texture_requests += op.texture_requests;
    counters.texture_sectors += op.texture_sectors;
    counters.texture_hit_sectors += op.texture_sectors - std::min<unsigned>(missing, op.texture_sectors);
  } else if (op.space == MemorySpace::local) {
    counters.local_loads += op.floor_passes;  // a request for each word of a lane
    counters.local_load_sectors += op.sector_count;
    counters.local_load_hit_sectors += hit_sectors;
  } else {
    ++counters.global_loads;
    counters.global_load_requests += op.line_count - op.split_lines;
    counters.global_load_sectors += op.sector_count;
    counters.global_load_hit_sectors += hit_sectors;
  }
  // The tags take their turn at once; data that is not here is read when it comes. A copy past the L1 is no
  // wavefront.
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
    // What is here is read at once. The lines that have come are read when the last of them is here, by one
    // warp as by many; neither together, but as they passed the tags.
    if (waiting_lines < op.line_count) {
      data_.tagged(op.warp, start, passes_of(op, op.line_count - waiting_lines));
    } else {
      data_.missed(start);
    }
    const bool past = op.copy_cycles != 0;
    const unsigned passes =
        past ? op.data_passes : std::max(passes_of(op, waiting_lines), line_passes(waiting_lines));
    const unsigned later = beyond(past ? op.tag_passes : passes);
    flights_[flight].passes = static_cast<std::uint16_t>(passes);
    flights_[flight].copy_cycles = op.copy_cycles;
    flights_[flight].after = static_cast<std::uint16_t>(flights_[flight].after + later);
    ++loads_in_flight_;
  } else {
    const Cycle turn = data_.tagged(op.warp, start, op.data_passes);
    release(turn + op.raw + extra, op, op.write_counter, true);
  }
}

MemoryUnit::LineOrder MemoryUnit::by_turns(const QueuedOp& op) const {
  LineOrder order;
  if (op.line_count <= 2 || op.access != MemoryAccess::store) {
    std::iota(order.begin(), order.begin() + op.line_count, std::uint8_t{0});
    return order;
  }
  std::array<std::uint8_t, max_lines_per_access> turn;
  const unsigned turns = turns_of(op.lines, op.line_count, spec_.l1.tag_banks, turn);
  std::array<std::uint8_t, max_lines_per_access + 1> first{};  // place of each turn
  for (unsigned i = 0; i < op.line_count; ++i) ++first[turn[i] + 1U];
  for (unsigned t = 1; t < turns; ++t) first[t] = static_cast<std::uint8_t>(first[t] + first[t - 1]);
  for (unsigned i = 0; i < op.line_count; ++i) order[first[turn[i]]++] = static_cast<std::uint8_t>(i);
  return order;
}

void MemoryUnit::store_lines(const QueuedOp& op, Cycle taken, Cycle start) {
  SmCounters& counters = *owners_[op.warp].counters;
  const bool local = op.space == MemorySpace::local;
  std::uint32_t flight = none;
  const auto in_flight = [&](unsigned from_line) {
    if (flight == none) flight = new_flight(op, from_line);
    return flight;
  };
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
  const LineOrder order = by_turns(op);
  for (unsigned n = 0; n < op.line_count; ++n) {
    const LineAccess& access = op.lines[order[n]];
    const StoredLines::Store part = store ? stored_part(op, access, n) : StoredLines::Store{};
    std::uint32_t entry = find(op, access.line);
    if (store) {
      const unsigned sectors = static_cast<unsigned>(std::popcount(access.sectors));
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
        const bool is_deferred = op.ticket != traces::Issued::no_ticket;
        if (joined.place < outbox_.size() && outbox_[joined.place].id == joined.id) {
          MemoryRequest& held = outbox_[joined.place];
          if (is_deferred) {
            held.deferred = fills_[joined.id].awaits_turn = true;
            take_place_with(joined.id, op.ticket);
          }
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
          if (is_deferred) take_place_with(joined.id, op.ticket);
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
      stored_.leave(part, id, static_cast<std::uint32_t>(outbox_.size() - 1), idle,
                    {way_out_.passed_alone(), way_out_.turn_before(spec_.memory.stores_in_line)});
    }
    const unsigned after =
        kind == RequestKind::atomic ? op.raw - std::min<unsigned>(op.raw, spec_.l1.miss_latency) : 0;
    wait_for(id, in_flight(after));
  }
  // Each register of data beyond the first takes a cycle more (probe issue.mixes: STG.64 and STG.128; by
  // hand, wavefronts_of_atomics: REDs of two and four words).
  const unsigned more_registers = op.bytes > 4 ? op.bytes / 4U - 1 : 0;
  if (!local && (store || more_registers != 0))
    accesses_.free =
        std::max<Cycle>(accesses_.free, taken + spec_.memory.store_global_interval + more_registers);
  if (store) {
    put_off_misses(op, data, sent);
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
  // What leaves counts a wavefront more; what an atomic returns goes over the array as it went out, turn by
  // turn (by hand, wavefronts_of_atomics).
  const unsigned passes = std::max(op.tag_passes, op.turn_passes);
  if (kind == RequestKind::atomic && flight != none)
    flights_[flight].passes = static_cast<std::uint16_t>(passes);
  counters.data_stage_cycles += passes + (kind == RequestKind::atomic ? passes
                                          : store && sent == 0        ? 0U
                                                                      : line_out);
}

// Loads that miss take the way out behind the stores that have come before them, which are held there first
// (docs/h200.md, loads that miss behind stores). The lines of one that has joined another leave with it.
void MemoryUnit::put_off_misses(const QueuedOp& op, Cycle data, unsigned sent) {
  const MemoryUnitSpec& memory = spec_.memory;
  if (memory.stored_lines == 0 || op.line_count <= memory.outgoing_lines) return;
  const Cycle written = data + spec_.l1.miss_latency;
  const double held = memory.store_hold + memory.store_hold_line * (op.line_count - 1U) +
                      memory.leaving_interval * op.line_count;
  const Cycle left = std::max(written + static_cast<Cycle>(held), sent != 0 ? way_out_.at(turn_) : 0);
  behind_stores_ = std::max(behind_stores_, left);
}

// When lines are few enough before the way out for the array to serve what comes behind a store of which one
// of the tags' banks has so many: the more of them crowd there, the more have to leave (docs/h200.md, stores
// of many lines).
Cycle MemoryUnit::room_behind(unsigned lines_of_a_bank) const {
  const MemoryUnitSpec& memory = spec_.memory;
  const unsigned crowd =
      lines_of_a_bank > memory.lines_of_a_bank ? lines_of_a_bank - memory.lines_of_a_bank : 0;
  const unsigned fewer = crowd * memory.crowded_lines;
  if (fewer < memory.outgoing_lines) return way_out_.room(memory.outgoing_lines - fewer);
  // So many more would have had to leave, each with a header and a sector.
  const double bytes = (fewer - memory.outgoing_lines + 1) * (memory.request_header + spec_.l1.sector_bytes);
  return way_out_.room(1) + static_cast<Cycle>(bytes / memory.port_bytes_per_cycle);
}

}  // namespace warpgauge::model
