// What the memory unit asks the L2 for, who waits for that, and what they do when it comes.
#include <algorithm>
#include <bit>
#include <utility>

#include "model/sm/memory_unit.h"

namespace warpgauge::model {
namespace {

using traces::MemoryAccess;
using traces::MemorySpace;

// Where the L2 has a line of local memory: nobody knows in which pages the driver keeps it. Pieces of 8 KiB
// are spread over 512 MiB, so that frames at equal distances do not meet in the same slices more often than
// others.
std::uint64_t beyond_l1(std::uint64_t line) {
  if (line < local_lines) return line;
  constexpr unsigned piece = 6, region = 22;  // bits of a line's number
  constexpr std::uint64_t within = (std::uint64_t{1} << region) - 1;
  const std::uint64_t place = (line & within) >> piece;
  return (line & ~within) | ((place * 0x9e3779b1U << piece) & within) | (line & ((1U << piece) - 1));
}

}  // namespace

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

std::uint32_t MemoryUnit::new_flight(const QueuedOp& op, unsigned after) {
  const std::uint32_t id = new_flight();
  Flight& flight = flights_[id];
  flight.warp = op.warp;
  flight.counter = op.write_counter;
  flight.group = op.group;
  flight.results = op.results;
  flight.after = static_cast<std::uint16_t>(after);
  flight.acknowledged = op.access == MemoryAccess::store || op.access == MemoryAccess::reduction;
  flight.generation = op.generation;
  flight.load = op.access == MemoryAccess::load || op.access == MemoryAccess::copy;
  if (!flight.acknowledged) {
    std::uint32_t& last = last_flights_[op.warp];
    (last == none ? first_flights_[op.warp] : flights_[last].behind) = id;
    last = id;
  }
  return id;
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
  out.alone = op.alone;
  const unsigned covered = fill.store ? written_bytes(op, line) : unsigned{line.lanes} * op.bytes;
  out.partial = covered < (fill.store ? sector_count : line.turns) * spec_.l1.sector_bytes;
  out.floating = op.floating;
  out.padded = (op.padded >> (&line - op.lines.data()) & 1U) != 0;
  out.system = op.system;
  out.whole_line = op.whole_line;
  out.prefetch = op.prefetch;
  if (op.prefetch) out.sectors = static_cast<std::uint8_t>((1U << spec_.l1.line_bytes / spec_.l1.sector_bytes) - 1);
  out.wide = op.bytes == 8;
  out.two_operands = op.two_operands;
  out.launch = owners_[op.warp].launch;
  if (fill.store) out.words = line.words;
  fill.launch = out.launch;
  out.deferred = fill.awaits_turn = op.ticket != traces::Issued::no_ticket;
  if (out.deferred) take_place_with(id, op.ticket);
  send(out, fill.load ? 0U : std::max(1U, unsigned{line.deepest}));
  return id;
}

void MemoryUnit::take_place_with(std::uint32_t id, std::uint32_t ticket) {
  Fill& fill = fills_[id];
  if (!fill.awaits_turn) {
    late_turns_.push_back({fill.launch, ticket, fill.line * spec_.l1.line_bytes});
    return;
  }
  const std::uint32_t which = tickets_.take();
  tickets_[which] = {ticket, none};
  std::uint32_t* last = &fill.tickets;
  while (*last != none) last = &tickets_[*last].next;
  *last = which;
}

void MemoryUnit::send(const MemoryRequest& request, unsigned kept) {
  last_out_ = std::max(last_out_, request.at);
  outbox_.push_back(request);
  turn_ = way_out_.pass(request.at,
                        bytes_out(request, spec_.memory.request_header, spec_.l1.sector_bytes) /
                            spec_.memory.port_bytes_per_cycle,
                        kept);
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
  calendar_.add(turn + flight.after,
                {EventKind::done, flight.warp, flight.counter, flight.group, flight.results});
  if (flight.load) --loads_in_flight_;
  flights_.give_back(which);
}

}  // namespace warpgauge::model
