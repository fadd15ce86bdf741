#include "model/sm/write_slots.h"

#include <bit>

namespace warpgauge::model {

bool WriteSlots::serve(Cycle at) {
  const std::uint64_t bit = std::uint64_t{1} << (at % 64);
  bool any = false;
  unsigned kept = 0;
  for (unsigned i = 0; i < waiting_; ++i) {
    LoadResults& r = queue_[i].results;
    if (at >= queue_[i].since) {
      if (r.pairs != 0 && ((taken_[0] | taken_[1]) & bit) == 0) {
        --r.pairs;
        taken_[0] |= bit;
        taken_[1] |= bit;
        any = true;
      }
      if (r.even != 0 && (taken_[0] & bit) == 0) {
        --r.even;
        taken_[0] |= bit;
        any = true;
      }
      if (r.odd != 0 && (taken_[1] & bit) == 0) {
        --r.odd;
        taken_[1] |= bit;
        any = true;
      }
    }
    if (!r.none()) queue_[kept++] = queue_[i];
  }
  waiting_ = kept;
  // Who is first now has not waited before.
  if (any && waiting_ != 0) queue_[0].since = std::max(queue_[0].since, at + 1);
  return any;
}

void WriteSlots::arrive(const LoadResults& results, Cycle now) {
  // More than ever wait at once: the rest is not told apart.
  if (results.none() || waiting_ == most_waiting) return;
  const Cycle begin = now - std::min(now, written_before);
  if (waiting_ == 0) pass_to(std::max(begin, passed_));
  queue_[waiting_++] = {results, begin};
  for (Cycle at = begin; at < passed_ && waiting_ != 0; ++at) serve(at);
}

unsigned WriteSlots::issue_beside(std::uint8_t banks, Cycle now) {
  unsigned stopped = 0;
  for (Cycle at = passed_; at <= now && waiting_ != 0; ++at) {
    mark(at, at == now ? banks : std::uint8_t{0});
    passed_ = at + 1;
    const bool special = queue_[0].results.special_function;
    const unsigned patient = special ? special_function_patience : patience;
    const unsigned most = special ? special_function_stop : stop;
    const Cycle waited = at + 1 - std::min(at + 1, queue_[0].since);
    if (serve(at)) {
      // A cycle that comes when dispatch is about to be stopped shortens that.
      if (waited > patient && waited < patient + most) stopped = static_cast<unsigned>(waited) - patient;
    } else if (waited + 1 >= patient + most) {
      stopped = most;
      queue_[0].since = at + 1;
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
