// What SMs know of each other where blocks of a cluster run on them: barriers of the cluster, barrier objects in shared memory
// that copies and other blocks arrive at, and the ways between them.
//
// Launches with clusters run their SMs one after the other (traces::WarpStream::concurrent), so that one may touch another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/sm/cluster_ports.h"
#include "model/sm/types.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

// Barrier objects of an SM's blocks: who stands there until a phase ends, and from when on others may be told that it has. The
// producer carries arrivals of other blocks out when they are issued, and learns of copies' bytes before they have been told.
class BarrierObjects {
 public:
  struct Place {
    std::uint8_t block = 0;      // of the SM
    std::uint32_t offset = 0;    // in its shared memory
    friend bool operator==(const Place&, const Place&) = default;
  };
  // A warp that stands there: a TRYWAIT that found the phase to last.
  struct Waiter {
    Place place;
    std::uint8_t warp = 0;
    std::uint8_t counter = 7;
    Cycle until = 0;  // when it has waited for long enough
  };

  void not_before(const Place& place, Cycle at) {
    Object& object = find_or_add(place);
    object.from = std::max(object.from, at);
  }
  // From when on it can say that its phase has ended.
  [[nodiscard]] Cycle ready(const Place& place) {
    const Object* const object = find(place);
    return object == nullptr ? 0 : object->from;
  }
  void wait(const Waiter& waiter) { waiters_.push_back(waiter); }
  // Something may have ended phases of the block's objects: those of its warps that stand there and are told so, `ended(warp)`, go
  // on, the one that came first before the others: `release(waiter, which)`.
  template <class Ended, class Release>
  void wake(std::uint8_t block, Ended ended, Release release) {
    unsigned woken = 0;
    std::erase_if(waiters_, [&](const Waiter& waiter) {
      if (waiter.place.block != block || !ended(waiter.warp)) return false;
      release(waiter, woken++);
      return true;
    });
  }
  // Whether the warp still stands there at the end of its time; then no longer.
  bool give_up(std::uint8_t warp, Cycle now) {
    return std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.warp == warp && waiter.until == now; }) != 0;
  }
  // The block has ended.
  void forget(std::uint8_t block) {
    std::erase_if(objects_, [block](const Object& object) { return object.place.block == block; });
    std::erase_if(waiters_, [block](const Waiter& waiter) { return waiter.place.block == block; });
  }

 private:
  struct Object {
    Place place;
    Cycle from = 0;
  };
  Object* find(const Place& place) {
    const auto found = std::ranges::find(objects_, place, &Object::place);
    return found == objects_.end() ? nullptr : &*found;
  }
  Object& find_or_add(const Place& place) {
    if (Object* const found = find(place)) return *found;
    return objects_.emplace_back(Object{place, 0});
  }

  std::vector<Object> objects_;
  std::vector<Waiter> waiters_;
};

// An SM, as others of its cluster see it.
class ClusterMember {
 public:
  virtual ~ClusterMember() = default;
  // The barrier of the cluster opens for a block's warps at `at`, or as soon after that as the SM has time left.
  virtual void open_cluster(std::uint8_t block, Cycle at) = 0;
  virtual void not_before(const BarrierObjects::Place& object, Cycle at) = 0;
  // A copy of that number is there: the object says so from `at` on, and who stands there is told.
  virtual void landed(const BarrierObjects::Place& object, std::uint32_t copy, Cycle at) = 0;
  // An arrival of which those who stand at the block's objects are told at `at`.
  virtual void arrived(std::uint8_t block, Cycle at) = 0;
  // Its way to others, which those who ask it take a part of.
  virtual ClusterPorts& ports() = 0;
  // What others have read of its shared memory at `at` has taken so many passes of it.
  virtual void read_by_others(Cycle at, double passes) = 0;
};

// Asks what has carried the instructions out, for an SM's memory unit.
class PhaseSource {
 public:
  virtual ~PhaseSource() = default;
  // Whether the phase has ended that the warp stands at; then its predicate says so.
  virtual bool phase_has_ended(std::uint8_t warp) = 0;
  virtual void copy_landed(std::uint8_t block, std::uint32_t copy) = 0;
};

// A cluster that runs.
struct ClusterState {
  struct Member {
    ClusterMember* sm = nullptr;
    std::uint8_t block = 0;  // of the SM
  };
  std::array<Member, traces::most_cluster_blocks> members{};  // by rank
  unsigned size = 0;
  unsigned left = 0;       // blocks that have not ended
  bool wide = false;       // of more SMs than a TPC has
  Cycle last_arrival = 0;  // of the phase
  Cycle opens = 0;         // when the last phase has ended
};

}  // namespace warpgauge::model
