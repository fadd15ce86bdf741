// What SMs know of each other where blocks of a cluster run on them: barriers of the cluster, and barrier objects in shared
// memory that copies and other blocks arrive at.
//
// Launches with clusters run their SMs one after the other (traces::WarpStream::concurrent), so that one may touch another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/sm/types.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

// Barrier objects of an SM's blocks which wait for what the producer has carried out already: copies that are still under way,
// and arrivals of other blocks. Until these are there nobody is told that a phase has ended.
class BarrierObjects {
 public:
  struct Place {
    std::uint8_t block = 0;      // of the SM
    std::uint32_t offset = 0;    // in its shared memory
    friend bool operator==(const Place&, const Place&) = default;
  };
  // Who asks whether a phase has ended.
  struct Waiter {
    Place place;
    std::uint8_t warp = 0;
    std::uint8_t counter = 7;
    std::uint16_t after = 1;  // from the answer to the release of its counter
  };

  // A copy begins whose bytes the object counts.
  void expect(const Place& place) { ++find_or_add(place).coming; }
  void not_before(const Place& place, Cycle at) {
    Object& object = find_or_add(place);
    object.from = std::max(object.from, at);
  }
  // The copy's bytes are there at `at`: calls `release(waiter)` for those who have waited for the last of them.
  template <class Release>
  void landed(const Place& place, Cycle at, Release release) {
    Object* const object = find(place);
    if (object == nullptr) return;
    object->from = std::max(object->from, at);
    if (--object->coming != 0) return;
    for (const Waiter& waiter : waiters_)
      if (waiter.place == place) release(waiter, object->from);
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.place == place; });
  }
  // From when on it can say that its phase has ended; `never` while copies are under way.
  [[nodiscard]] Cycle ready(const Place& place) {
    const Object* const object = find(place);
    if (object == nullptr) return 0;
    return object->coming != 0 ? never : object->from;
  }
  void wait(const Waiter& waiter) { waiters_.push_back(waiter); }
  // The block has ended.
  void forget(std::uint8_t block) {
    std::erase_if(objects_, [block](const Object& object) { return object.place.block == block; });
    std::erase_if(waiters_, [block](const Waiter& waiter) { return waiter.place.block == block; });
  }

 private:
  struct Object {
    Place place;
    std::uint32_t coming = 0;
    Cycle from = 0;
  };
  Object* find(const Place& place) {
    const auto found = std::ranges::find(objects_, place, &Object::place);
    return found == objects_.end() ? nullptr : &*found;
  }
  Object& find_or_add(const Place& place) {
    if (Object* const found = find(place)) return *found;
    return objects_.emplace_back(Object{place, 0, 0});
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
  virtual void expect(const BarrierObjects::Place& object) = 0;
  virtual void not_before(const BarrierObjects::Place& object, Cycle at) = 0;
  virtual void landed(const BarrierObjects::Place& object, Cycle at) = 0;
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
