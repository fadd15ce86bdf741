// What fences of the GPU ask the L2 for their warps, and fences of shared memory of the queue. Of the former one asks at a time: what
// wants to know of accesses that have left since asks together when that is back (docs/h200.md, fences).
#include <algorithm>
#include <utility>

#include "model/sm/memory_unit.h"

namespace warpgauge::model {

bool MemoryUnit::fence(unsigned warp, std::uint32_t generation, Cycle now) {
  const bool behind = std::ranges::any_of(accesses_.queues, [](const Queue& queue) { return queue.waiting != 0; });
  if (!behind && !unfenced_ && fence_ == none) return false;
  const std::uint32_t flight = new_flight();
  flights_[flight].warp = static_cast<std::uint8_t>(warp);
  flights_[flight].generation = generation;
  flights_[flight].acknowledged = true;
  calendar_.add(now + spec_.memory.fence_turn,
                {EventKind::fence, static_cast<std::uint8_t>(warp), sass::Control::no_barrier, SmEvent::no_group, flight});
  return true;
}

void MemoryUnit::drain(unsigned subcore, unsigned warp, const StaticOp& op, Cycle now) {
  const Queue& queue = accesses_.queues[subcore];
  const auto wait = [&](SmEvent event, unsigned after) {
    if (queue.waiting == 0)
      calendar_.add(std::max(now, passed_[subcore]) + after, event);
    else
      drains_.push_back({queue.pushed, static_cast<std::uint8_t>(subcore), event, after});
  };
  const auto slot = static_cast<std::uint8_t>(warp);
  if (op.read_counter < dependence_counters)
    wait({EventKind::release, slot, op.read_counter, SmEvent::no_group, 0}, op.release);
  wait({EventKind::done, slot, op.write_counter, SmEvent::no_group, op.results}, op.latency);
}

void MemoryUnit::end_drains(unsigned subcore, Cycle now) {
  std::erase_if(drains_, [&](const Drain& drain) {
    if (drain.subcore != subcore || !accesses_.queues[subcore].has_served(drain.behind)) return false;
    calendar_.add(std::max(now, passed_[subcore]) + drain.after, drain.event);
    return true;
  });
}

void MemoryUnit::line_up(std::uint32_t flight, Cycle now) {
  WaitingFence waiting;
  waiting.flight = flight;
  for (unsigned subcore = 0; subcore < spec_.subcores; ++subcore) waiting.behind[subcore] = accesses_.queues[subcore].pushed;
  fences_.push_back(waiting);
  ask_next(now);
}

bool MemoryUnit::has_turn(const WaitingFence& fence) const {
  for (unsigned subcore = 0; subcore < spec_.subcores; ++subcore)
    if (!accesses_.queues[subcore].has_served(fence.behind[subcore])) return false;
  return true;
}

void MemoryUnit::ask_next(Cycle now) {
  std::size_t asked = 0;
  for (; asked < fences_.size() && has_turn(fences_[asked]); ++asked) ask(fences_[asked].flight, now + 1);
  fences_.erase(fences_.begin(), fences_.begin() + static_cast<std::ptrdiff_t>(asked));
}

void MemoryUnit::ask(std::uint32_t flight, Cycle now) {
  if (!unfenced_) {
    if (fence_ != none) {
      wait_for(fence_, flight);
    } else {
      flights_[flight].remaining = 1;
      arrived(flight, now);
    }
    return;
  }
  if (fence_ == none) {
    fence_ = new_fence();
    const unsigned rest = spec_.l1.miss_latency - std::min(spec_.memory.fence_turn, spec_.l1.miss_latency);
    send_fence(flights_[flight].warp, std::max(now + rest, last_out_));
    wait_for(fence_, flight);
    return;
  }
  if (next_fence_ == none) {
    next_fence_ = new_fence();
    next_asks_ = flights_[flight].warp;
  }
  wait_for(next_fence_, flight);
}

std::uint32_t MemoryUnit::new_fence() {
  const std::uint32_t fence = new_fill();
  fills_[fence].load = false;
  fills_[fence].store = true;
  ++stores_in_flight_;
  return fence;
}

void MemoryUnit::send_fence(unsigned warp, Cycle at) {
  unfenced_ = false;
  ++counters_.requests;
  MemoryRequest out;
  out.at = at;
  out.id = fence_;
  out.sm = static_cast<std::uint16_t>(sm_);
  out.kind = RequestKind::barrier;
  out.launch = owners_[warp].launch;
  outbox_.push_back(out);
  way_out_.pass(out.at, spec_.memory.request_header / spec_.memory.port_bytes_per_cycle, 0);
}

void MemoryUnit::answered(Cycle now) {
  fence_ = std::exchange(next_fence_, none);
  if (fence_ != none) send_fence(next_asks_, std::max(now + spec_.l1.miss_latency, last_out_));
}

}  // namespace warpgauge::model
