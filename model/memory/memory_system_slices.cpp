// What slices do for requests: lookups and data, the way to the other partition and its copies, atomics, and what comes from memory.
#include <algorithm>
#include <bit>
#include <utility>

#include "model/memory/memory_system.h"
#include "model/memory/words.h"

namespace warpgauge::model {
namespace {

// A slice takes two cycles over several lanes' compare and swap, and over sums of more than two doubles of a
// sector, whether they cover it or not.
unsigned slice_turns(const MemoryRequest& request) {
  if (two_messages(request)) return 2;
  return request.floating && request.wide && request.lanes > 2U * request.turns ? 2 : 1;
}

// Turns of an atomic beyond the first of each sector: lanes on words that others name as well. Others have none.
unsigned further_turns(const MemoryRequest& request, unsigned sectors) {
  return is_atomic(request.kind) && request.turns > sectors ? request.turns - sectors : 0;
}

}  // namespace

double MemorySystem::turn_cycles(const MemoryRequest& request) const {
  const L2Spec& l2 = spec_.l2;
  const double whole = slice_turns(request) / l2.atomic_sector_rate;
  return request.partial ? std::max(whole, 1 / l2.atomic_word_rate) : whole;
}

double MemorySystem::answer_cycles(const MemoryRequest& request) const {
  // Several lanes' compare and swap takes a cycle of the slice more (by hand, tries_at_locks, accesses_by_sectors).
  const double turn = spec_.l2.atomic_answer + (two_messages(request) ? spec_.l2.request_interval : 0);
  return request.turns * turn + request.lanes * spec_.l2.atomic_answer_word;
}

double MemorySystem::occupy_slice(unsigned slice, Pending& pending, bool at_home, Cycle now) {
  const MemoryRequest& request = pending.request;
  const L2Spec& l2 = spec_.l2;
  const unsigned sectors = static_cast<unsigned>(std::popcount(pending.asked));
  const bool first = !at_home || pending.slice == pending.home;
  double incoming = l2.request_bytes;  // bytes from an SM
  double cycles = 0;                   // of the data
  counters_.l2_requests += request.joined ? 0 : 1;
  const std::uint64_t sectors_before = counters_.l2_sectors;
  switch (request.kind) {
    case RequestKind::atomic:
    case RequestKind::reduction: {
      const double operands =
          request.turns * static_cast<double>(l2.sector_bytes) * (two_messages(request) ? 2 : 1);
      counters_.l2_sectors += request.turns;
      (request.kind == RequestKind::atomic ? counters_.l2_atomic_sectors : counters_.l2_reduction_sectors) +=
          request.turns;
      // A header comes before the sectors of each turn of a word's lanes; whole ones, and what compares and swaps, hide it behind the first.
      const bool hidden = !request.partial || two_messages(request);
      incoming = request_bytes(request);
      if (hidden) incoming = std::min(incoming, std::max<double>(spec_.crossbar.request_header + l2.sector_bytes, operands));
      if (at_home) cycles = request.turns * turn_cycles(request);
      break;
    }
    case RequestKind::store:
      counters_.l2_sectors += sectors;
      counters_.l2_write_sectors += sectors;
      if (first) {
        counters_.l1_write_requests += request.joined ? 0 : 1;
        counters_.l1_write_sectors += sectors;
      }
      incoming = sectors * static_cast<double>(l2.sector_bytes) +
                 (request.partial ? l2.partial_write_extra * l2.slice_write_bytes_per_cycle : 0);
      if (at_home && l2.store_again_within != 0 && stored_[slice].store(request.line, now))
        incoming = std::max(incoming, l2.store_again * l2.slice_write_bytes_per_cycle);
      break;
    case RequestKind::barrier:
    case RequestKind::call:
      break;  // come to no slice
    case RequestKind::load:
    case RequestKind::code: {
      // By hand, copies_that_sms_share: five sectors for each four of a tile whose map asks for 256 bytes. What they cost is not known.
      const unsigned lookups = sectors + (request.promotes && first ? 1 : 0);
      counters_.l2_sectors += lookups;
      if (!request.prefetch) counters_.l2_read_sectors += lookups;
      cycles = sectors * static_cast<double>(l2.sector_bytes) / l2.slice_bytes_per_cycle;
      break;
    }
  }
  if (first && request.kind != RequestKind::code) {
    counters_.l1_sectors += counters_.l2_sectors - sectors_before;
    address(pending);
  }
  // Arrivals, lookups and data are stages of their own; what comes from the other partition has a way of its
  // own.
  double start = static_cast<double>(now);
  if (first) {
    start = arrivals_[slice].serve(start, incoming);
    // An atomic keeps its places until it is known how long it waits at its home, a store for the other partition until it is passed on.
    pending.taken = start;
    if (!is_atomic(request.kind) && (at_home || request.kind != RequestKind::store)) free_places(slice, messages(request), start);
  }
  // Lanes on words that others name as well are requests of their own.
  start = lookups_[slice].occupy(start, (1 + further_turns(request, sectors)) * l2.request_interval);
  if (!at_home && has_operands(request.kind)) return start;
  if (request.kind == RequestKind::store) return writes_[slice].store(start, incoming);
  return cycles <= 0 ? start : slices_[slice].occupy(start, cycles);
}

unsigned MemorySystem::link_messages(const MemoryRequest& request) {
  if (request.kind == RequestKind::store || lanes_alone(request)) return messages(request);
  return 1U + (two_messages(request) ? 2U : 1U) * messages(request);
}

void MemorySystem::pass_on(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  const unsigned from = partition_of_sm(request.sm);
  const double passes = links_[from].occupy(static_cast<double>(now), link_messages(request) * spec_.l2.link_interval);
  pending.taken = std::max(pending.taken, passes);
  if (request.kind == RequestKind::store) free_places(pending.slice, messages(request), passes);
  const Cycle at = up(passes);
  if (at > now) {
    calendar_.add(at, {index, Stage::home});
  } else {
    home(index, now);
  }
}

double MemorySystem::pass_back(const Pending& pending, Cycle now) {
  const auto sectors = static_cast<unsigned>(std::popcount(pending.asked));
  return links_[partition_of_sm(pending.request.sm) ^ 1U].occupy(static_cast<double>(now), sectors * spec_.l2.link_interval);
}

double MemorySystem::answer(const MemoryRequest& request, Cycle now) {
  const unsigned brings = std::max<unsigned>(static_cast<unsigned>(std::popcount(request.sectors)), (request.lanes + 7U) / 8U);
  return answers_[partition_of_sm(request.sm)].occupy(static_cast<double>(now), brings * spec_.l2.link_interval);
}

void MemorySystem::drop_copy(std::uint64_t line, unsigned home) {
  const unsigned other = map_.slice_of(line, home ^ 1U);
  const std::uint32_t entry = tags_[other].peek(line);
  if (entry != SectorCache::none) tags_[other].at(entry).valid = 0;
}

void MemorySystem::keep_stored(unsigned slice, const MemoryRequest& request, double at) {
  SectorCache& tags = tags_[slice];
  std::uint32_t entry = tags.peek(request.line);
  if (entry == SectorCache::none) {
    entry = entry_of(slice, request.line, at);
    tags.let_go_first(entry);
  }
  tags.at(entry).valid |= request.sectors;
}

void MemorySystem::share(Pending& pending, Entry& line, double at) {
  const L2Spec& l2 = spec_.l2;
  const bool coming = at < line.back;
  if (coming) lookups_[pending.home].lengthen(l2.request_interval);  // looked up once more when the line is back
  if (pending.slice != pending.home) {
    line.lent = true;
    return;
  }
  if (line.lent) {
    const std::uint64_t number = pending.request.line;
    const unsigned home = map_.partition_of(number);
    drop_copy(number, home);
    if (!coming) {
      lookups_[map_.slice_of(number, home ^ 1U)].lengthen(l2.request_interval);
      ++counters_.l2_sectors;
      ++counters_.l2_hit_sectors;
      line.back = at + l2.far_extra;
      line.lent = false;
    }
  }
  // The message there and the answer that the copy is gone; others in that time are done with it, too.
  if (at < line.back)
    pending.extra += std::max(0, static_cast<int>(line.back - at) - static_cast<int>(l2.far_extra) + static_cast<int>(l2.store_take_back_extra));
}

void MemorySystem::load_behind_store(unsigned slice, const Entry& line, double at) {
  if (at - static_cast<double>(line.stored) < spec_.l2.store_again_within) lookups_[slice].lengthen(spec_.l2.load_behind_store);
}

void MemorySystem::enter(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  if (pending.slice == pending.home) {
    home(index, now);
    return;
  }
  const unsigned which = pending.slice;
  const unsigned sectors = static_cast<unsigned>(std::popcount(request.sectors));
  double start = occupy_slice(which, pending, false, now);
  if (request.kind == RequestKind::load || request.kind == RequestKind::code) {
    // Found with loads: if what code and constants read took part, `constant_wide/wave` would take 6 % longer than it does.
    const bool load = request.kind == RequestKind::load;
    if (load) held_[which].come(now, [this](std::uint32_t other, Cycle at) { await_copy(other, at); });
    const std::uint32_t entry = entry_of(which, request.line, start);
    SectorCache::Line& line = tags_[which].at(entry);
    const unsigned hits =
        static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(line.valid & request.sectors)));
    counters_.l2_hit_sectors += hits;
    counters_.l2_read_hit_sectors += hits;
    if (load) load_behind_store(which, known(which, entry), start);
    if (hits == sectors) {
      give_turn(pending);
      pending.copy_entry = entry;
      const Cycle ready = std::max(now, up(start));
      if (load && held_[which].waits(ready)) {
        const Cycle until = held_[which].hold(index, ready);
        if (until != never) calendar_.add(until, {which, Stage::answered});
      } else {
        await_copy(index, ready);
      }
      return;
    }
    // The other partition is asked for whole granules too, or for the line.
    const std::uint8_t wanted = request.whole_line ? whole_line() : whole_granules(request.sectors);
    pending.asked = static_cast<std::uint8_t>(wanted & ~line.valid) | request.sectors;
    line.valid |= pending.asked;
    pending.copy_entry = entry;
    if (load) pending.sent = held_[which].send();
    double& filled = known(which, entry).filled;
    if (filled <= static_cast<double>(now)) filled = -static_cast<double>(up(start));
  } else if (request.kind == RequestKind::store) {
    counters_.l2_hit_sectors += sectors;
    if (!request.partial) keep_stored(which, request, start);
    const std::uint32_t entry = request.partial ? tags_[which].peek(request.line) : SectorCache::none;
    if (entry != SectorCache::none) known(which, entry).stored = static_cast<float>(start);
  } else {
    counters_.l2_hit_sectors += request.turns;
  }
  pending.extra += is_atomic(request.kind) ? spec_.l2.atomic_far_extra : spec_.l2.far_extra;
  calendar_.add(up(start), {index, has_operands(request.kind) ? Stage::link : Stage::home});
}

void MemorySystem::answered(unsigned slice, Cycle now) {
  held_[slice].answered(now, [this](std::uint32_t index, Cycle at) { await_copy(index, at); });
}

void MemorySystem::await_copy(std::uint32_t index, Cycle now) {
  const Pending& pending = pending_[index];
  const double filled = known(pending.slice, pending.copy_entry).filled;
  if (filled < 0) {
    calendar_.add(std::max(now + 1, static_cast<Cycle>(-filled)), {index, Stage::copy});
  } else {
    finish(index, std::max(static_cast<double>(now), filled));
  }
}

double MemorySystem::float_cycles(const MemoryRequest& request) const {
  return 1 / spec_.l2.atomic_float_word_rate + (slice_turns(request) > 1 ? 1 / spec_.l2.atomic_sector_rate : 0);
}

double MemorySystem::add_floats(Pending& pending, double start) {
  const MemoryRequest& request = pending.request;
  Additions& additions = additions_[pending.home];
  if (const double end = additions.end_of(request.line, request.sectors); end > start) {
    slices_[pending.home].lengthen(end - start);
    start = end;
    pending.taken = std::max(pending.taken, start);
  }
  additions.add(request.line, request.sectors, start + request.deepest * float_cycles(request));
  return start;
}

void MemorySystem::home(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  const L2Spec& l2 = spec_.l2;
  const unsigned which = pending.home;
  const unsigned sectors = static_cast<unsigned>(std::popcount(pending.asked));
  const bool atomic = is_atomic(request.kind);
  give_turn(pending);
  if (atomic) pending.extra += l2.atomic_latency;
  double start = occupy_slice(which, pending, true, now);
  const bool same_sum = atomic && request.floating && additions_[which].last_of(request.line, request.sectors);
  if (atomic && request.floating) start = add_floats(pending, start);
  const bool far_store = request.kind == RequestKind::store && pending.slice != pending.home;
  const bool new_here = far_store && tags_[which].peek(request.line) == SectorCache::none;
  const std::uint32_t entry = entry_of(which, request.line, start);
  SectorCache::Line& line = tags_[which].at(entry);
  Entry& here = known(which, entry);
  double& filled = here.filled;
  // What changes a line waits for what a load of it has asked memory for, and what has come behind it by the same way waits, too.
  if ((atomic || request.kind == RequestKind::store) && here.loading > start) arrivals_[pending.slice].block(here.loading);
  // So does a store that comes while other sectors of its line are completed.
  if (request.kind == RequestKind::store && behind_others(here, request.sectors, start)) arrivals_[pending.slice].block(here.completing);
  const unsigned hits =
      static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(line.valid & pending.asked)));
  double ready = start;
  if (request.kind == RequestKind::store) {
    counters_.l2_hit_sectors += sectors;  // a store needs nothing of what was there
    if (l2.partitions == 2) share(pending, here, static_cast<double>(now));
    dirty(which, entry, request.sectors, start);
    if (!far_store && request.partial) here.stored = static_cast<float>(start);
    const bool in_part = here.words != 0;
    write_words(which, entry, request.joined ? request.words : request.words & words_of(request.sectors), start);
    if (far_store) {
      const int begun = (new_here && request.sectors != whole_line() ? 1 : 0) + (!in_part && here.words != 0 ? 1 : 0);
      lookups_[which].lengthen(begun * l2.far_store_extra);
    }
    ready = start;
  } else {
    // Only the first turn of an atomic can miss.
    const unsigned again = further_turns(request, sectors);
    counters_.l2_hit_sectors += hits + again;
    if (!atomic) counters_.l2_read_hit_sectors += hits;
    if (request.kind == RequestKind::load && pending.slice == pending.home) load_behind_store(which, here, start);
    const std::uint8_t missing = static_cast<std::uint8_t>(pending.asked & ~line.valid);
    if (missing != 0) {
      // Memory gives whole granules: the neighbours of a missing sector come along, but for an atomic from the other partition.
      const bool granules = !atomic || pending.slice == pending.home;
      const auto wanted = request.whole_line ? whole_line() : granules ? whole_granules(missing) : missing;
      const auto fetch = static_cast<std::uint8_t>(wanted & ~line.valid);
      const unsigned bytes = static_cast<unsigned>(std::popcount(fetch)) * l2.sector_bytes;
      const double asked = writes_[which].ask(start, bytes);
      const double sent = dram_.access(request.line * l2.line_bytes, bytes, false, asked);
      const unsigned latency = spec_.dram.latency + (request.kind == RequestKind::code ? spec_.dram.code_extra : 0);
      const double comes = writes_[which].bring(start, sent + latency, bytes);
      counters_.dram_read_bytes += bytes;
      filled = std::max(filled, comes);
      if (!atomic) here.loading = filled;
      bring(which, entry, fetch);
    }
    if (atomic && std::exchange(here.lent, false)) {
      drop_copy(request.line, map_.partition_of(request.line));
      // From nearby it waits until the other partition has given the line back, and so does whatever asks for it meanwhile.
      if (pending.slice == pending.home) filled = std::max(filled, start + l2.far_extra);
    }
    // A reduction is done with when its slice has it, whatever it waits for there.
    const double filling = std::max(ready, filled);
    if (request.kind != RequestKind::reduction) ready = filling;
    // What comes back passes the slice that the SM has asked, turn by turn, by a way of its own.
    if (request.kind == RequestKind::atomic)
      ready = std::max(ready, results_[pending.slice].occupy(static_cast<double>(now), answer_cycles(request)));
    if (atomic) {
      // What waits for memory, or for its word, keeps its places.
      free_places(pending.slice, request.turns, filling > start ? std::max(filling, pending.taken) : pending.taken);
      dirty(which, entry, request.sectors, start);
      // Operations on one word wait for each other; floats have done so in the slice, but for memory.
      if (!request.floating) {
        filled = filling + request.deepest * turn_cycles(request);
      } else if (filling > start) {
        filled = filling + (same_sum ? request.deepest * float_cycles(request) : request.turns * turn_cycles(request));
      }
    }
  }
  if (pending.copy_entry != SectorCache::none) {
    here.lent = true;
    ready = std::max(ready, pass_back(pending, now));
    double& copied = known(pending.slice, pending.copy_entry).filled;
    const double back = ready + l2.far_extra;
    copied = std::max(copied, back);
    if (held_[pending.slice].answer(pending.sent, up(back))) calendar_.add(up(back), {pending.slice, Stage::answered});
  } else if (request.kind == RequestKind::atomic && pending.slice != pending.home) {
    ready = std::max(ready, answer(request, now));
  }
  finish(index, ready);
}

std::uint8_t MemorySystem::whole_granules(std::uint8_t sectors) const {
  std::uint8_t whole = 0;
  for (unsigned first = 0; first < line_sectors_; first += granule_sectors_) {
    const auto mask =
        static_cast<std::uint8_t>(((1U << std::min(granule_sectors_, line_sectors_)) - 1) << first);
    if ((sectors & mask) != 0) whole |= mask;
  }
  return whole;
}

}  // namespace warpgauge::model
