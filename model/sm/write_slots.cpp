#include "model/sm/write_slots.h"

#include <bit>

namespace warpgauge::model {

bool WriteSlots::serve(Cycle at) {
  const std::uint64_t bit = std::uint64_t{1} << (at % 64);
  bool any = false;
  unsigned kept = 0;
  for (unsigned i = 0; i < waiting_; ++i) {
    LoadResults& r = queue_[i].results;
    if (at >= queue_[i].from) {
      if (r.pairs != 0 && ((taken_[0] | taken_[1]) & bit) == 0) {
        --r.pairs;
        taken_[0] |= bit;
        taken_[1] |= bit;
        any = true;
      }
      const bool even_turn = !r.in_turn || r.even >= r.odd;
      const bool odd_turn = !r.in_turn || !even_turn;
      if (even_turn && r.even != 0 && (taken_[0] & bit) == 0) {
        --r.even;
        taken_[0] |= bit;
        any = true;
      }
      if (odd_turn && r.odd != 0 && (taken_[1] & bit) == 0) {
        --r.odd;
        taken_[1] |= bit;
        any = true;
      }
    }
    if (!r.none()) {
      queue_[kept++] = queue_[i];
    } else {
      late_[queue_[i].ticket % late_.size()] = static_cast<unsigned>(at - std::min(at, queue_[i].expected));
    }
  }
  waiting_ = kept;
  // Who is first now has not waited before.
  if (const unsigned first = first_due(at + 1); any && first < waiting_)
    queue_[first].since = std::max(queue_[first].since, at + 1);
  return any;
}

void WriteSlots::idle_to(Cycle now) {
  for (Cycle at = passed_; at < now && waiting_ != 0; ++at) {
    mark(at, 0);
    passed_ = at + 1;
    serve(at);
  }
}

unsigned WriteSlots::arrive(const LoadResults& results, Cycle now) {
  // More than ever wait at once: the rest is not told apart.
  if (results.none() || waiting_ == most_waiting) return 0;
  const unsigned cycles = results.pairs != 0 ? results.pairs
                          : results.in_turn  ? unsigned{results.even} + results.odd
                                             : std::max(results.even, results.odd);
  // Of what shared memory gives the last is written in time for the first that may read it.
  const Cycle before = written_before + (results.pairs != 0 || results.in_turn ? cycles - 1 : 0);
  const Cycle begin = now - std::min(now, before);
  if (waiting_ == 0) pass_to(std::max(begin, passed_));
  queue_[waiting_++] = {results, begin, now - std::min(now, written_before), begin + cycles - 1, ++ticket_};
  for (Cycle at = begin; at < passed_ && waiting_ != 0; ++at) serve(at);
  return late_by(ticket_, now);
}

std::uint16_t WriteSlots::expect(const LoadResults& results, Cycle from, Cycle now) {
  if (results.none() || waiting_ == most_waiting) return 0;
  if (waiting_ == 0) pass_to(std::max(now, passed_));
  if (++ticket_ == 0) ++ticket_;
  const unsigned cycles = std::max(results.even, results.odd);
  queue_[waiting_++] = {results, from, from, from + cycles - 1, ticket_};
  return ticket_;
}

unsigned WriteSlots::late_by(std::uint16_t ticket, Cycle now) {
  idle_to(now);
  for (unsigned i = 0; i < waiting_; ++i)
    if (queue_[i].ticket == ticket) return unknown;
  return late_[ticket % late_.size()];
}

unsigned WriteSlots::issue_beside(std::uint8_t banks, Cycle now) {
  unsigned stopped = 0;
  for (Cycle at = passed_; at <= now && waiting_ != 0; ++at) {
    mark(at, at == now ? banks : std::uint8_t{0});
    passed_ = at + 1;
    const unsigned first = first_due(at);
    if (first == waiting_) continue;
    const bool special = queue_[first].results.special_function;
    const unsigned patient = special ? special_function_patience : patience;
    const unsigned most = special ? special_function_stop : stop;
    const Cycle waited = at + 1 - std::min(at + 1, queue_[first].since);
    if (serve(at)) {
      // A cycle that comes when dispatch is about to be stopped shortens that.
      if (waited > patient && waited < patient + most) stopped = static_cast<unsigned>(waited) - patient;
    } else if (waited + 1 >= patient + most) {
      stopped = most;
      queue_[first].since = at + 1;
    }
  }
  if (passed_ <= now) {
    pass_to(now);
    mark(now, banks);
    passed_ = now + 1;
  }
  return stopped;
}

}  // namespace warpgauge::model
