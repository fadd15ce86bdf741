// The places before a slice of the L2, each for a message of a sector, and the requests that wait in their SMs until there is one.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "model/memory/crossbar_tree.h"

namespace warpgauge::model {

// Who takes some keeps them until a time that may be told later.
class Places {
 public:
  // None: there is always room.
  explicit Places(unsigned count = 0) : count_(count), leave_(count) {}
  // Takes so many if they are free at `now`.
  bool take(unsigned messages, double now);
  // So many that have been taken are free at `at`.
  void free(unsigned messages, double at);
  // When the next ones are free, for all that is known.
  [[nodiscard]] double next_free() const {
    return known_ == 0 ? std::numeric_limits<double>::infinity() : leave_[first_].at;
  }

 private:
  struct Leave {
    double at = 0;
    unsigned messages = 0;
  };

  unsigned count_;
  unsigned taken_ = 0;
  unsigned known_ = 0;  // of those who have taken some, how many it is known of when they leave
  unsigned first_ = 0;
  std::vector<Leave> leave_;  // a ring, in order of time
};

// Those of an SM have their turns in order, SMs and what they are joined to by the crossbar's tree: of each joint's branches in
// which someone waits the one that was served least recently.
class SliceQueue {
 public:
  SliceQueue(unsigned places, std::shared_ptr<const CrossbarTree> tree);

  // Whether the request has its places at `now`; otherwise it waits.
  bool enter(unsigned sm, std::uint32_t request, unsigned messages, double now);
  struct Admitted {
    bool any = false;
    std::uint32_t request = 0;
  };
  // The next one, if there is room for it at `now`.
  Admitted admit(double now);
  void free(unsigned messages, double at) { places_.free(messages, at); }
  [[nodiscard]] bool someone_waits() const { return waiting_[CrossbarTree::root] != 0; }
  // When to ask again whether there is room, for all that is known.
  [[nodiscard]] double next_free() const { return places_.next_free(); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct One {
    std::uint32_t request = 0;
    std::uint32_t messages = 0;
    std::uint32_t behind = none;
  };
  struct Line {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  // Moves on from whom the tree serves to an SM.
  void choose();

  Places places_;
  std::shared_ptr<const CrossbarTree> tree_;
  std::vector<std::uint32_t> waiting_;  // by node: how many
  std::vector<std::uint32_t> served_;   // by node: the number of its last turn
  std::uint32_t turns_ = 0;
  unsigned next_ = 0;  // the SM whose turn it is
  std::vector<Line> lines_;  // by SM
  std::vector<One> ones_;
  std::uint32_t unused_ = none;
};

}  // namespace warpgauge::model
