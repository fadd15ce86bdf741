// Which block goes to which SM, and when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/gpu/occupancy.h"
#include "model/gpu/sm_room.h"
#include "model/sm/types.h"

namespace warpgauge::model {

enum class PlacementOrder : std::uint8_t { linear, tpc_first, gpc_interleaved, most_room };

struct LaunchSpec {
  unsigned begin_overhead = 0;
  unsigned end_overhead = 0;        // from the last EXIT to the end, the L2's barriers aside
  double sm_spread = 0;             // times the logarithm of the number of SMs that a launch is on
  unsigned end_acknowledged = 0;    // from the last store's acknowledgement to the end, at least
  unsigned first_code_latency = 0;  // from an SM's first block to the first code that the first cluster is given
  unsigned first_code_spread = 0;   // from there to the last cluster's
  double first_code_spread_line = 0;  // the same for each line of the kernel
  double block_interval = 0;        // between two blocks that leave the chip's scheduler
  double block_end_interval = 0;    // between two ends of blocks that it takes note of
  double sm_block_interval = 0;     // between two that one SM takes, if the others of its TPC take some too
  double sm_warp_interval = 0;      // the same for each warp of a block, if that is more
  unsigned block_start_latency = 0;
  unsigned warp_interval = 0;
  unsigned block_replace_latency = 0;
  unsigned launch_interval = 0;  // between the first instructions of two launches that do not wait for each other
  unsigned graph_edge = 0;       // from a graph's node's end to the first instruction of one that waits for it
  unsigned max_running = max_running_launches;
  PlacementOrder order = PlacementOrder::linear;
  unsigned sms_per_tpc = 2;
  std::vector<unsigned> gpc_sms;
  unsigned loose_sms = 0;  // the first, which get blocks before all others where the order is most_room
  // So many other clusters have their turns between the loose SMs' first and second one, and between all later ones, until
  // those have as many blocks as every SM will have; 0: they have no turns of their own.
  unsigned loose_first = 0;
  unsigned loose_every = 0;
};

// The SMs in the order in which the first wave is dealt to them.
std::vector<unsigned> placement_order(const LaunchSpec& spec, unsigned sms);

// The SMs, in ascending order, that get one of `blocks` blocks when there are fewer than SMs and the order is most_room:
// the loose SMs are filled, then the clusters take turns, one TPC at a time; no TPC gets a second block before each has
// one (kernels of 1 to 400 blocks on an H200, docs/h200.md).
std::vector<unsigned> spread(const LaunchSpec& spec, unsigned sms, std::uint64_t blocks);
// All SMs as spread() takes them, one after the other.
std::vector<unsigned> spread_order(const LaunchSpec& spec, unsigned sms);

// Deals the blocks of the launches that have begun, one launch after the other: those of higher priority first, of one
// priority as they have begun. The next one's blocks go out when the last block of the one before has, even where there is
// room that only the later one fits into (H200: docs/h200.md, "Several kernels at once"). A block goes to the SM with the
// fewest warps.
class BlockScheduler {
 public:
  BlockScheduler(const LaunchSpec& spec, const OccupancySpec& sm);

  struct Placed {
    std::uint8_t launch = 0;
    std::uint64_t block = 0;
    unsigned sm = 0;
    Cycle at = 0;          // first instruction
    unsigned first = 0;    // processing block of its first warp
    bool divides = false;  // the SM was empty: its L1 has what the launch's blocks do not need from now on
  };

  // From `first` on the launch's first instructions may be issued. Not before a launch that has begun already has.
  // Higher numbers of `priority` go first. `launch`: below max_running_launches, and not one that has blocks.
  void begin(std::uint8_t launch, const Fit& fit, std::uint64_t blocks, int priority, Cycle first);

  // A warp of an SM's processing block has ended at `at`. The scheduler learns of it by the end of a block of that SM or of
  // another of its TPC, not before (docs/h200.md, "Where warps go").
  void left(std::uint8_t launch, unsigned sm, unsigned subcore, Cycle at);
  // A block of a launch and an SM has ended at `at`, not before any that ended earlier has been told and its warps have left.
  // Returns when the scheduler has taken note of it, one after the other: from then on its room is free, and a kernel ends no
  // sooner than its last block is noted.
  Cycle freed(std::uint8_t launch, unsigned sm, Cycle at);

  // Hands out all blocks for which there is room; none starts before `earliest`.
  void place(Cycle earliest, const std::function<void(const Placed&)>& start);

  // No launch has blocks that wait.
  [[nodiscard]] bool done() const { return waiting_.empty(); }

 private:
  struct Waiting {
    std::uint8_t launch = 0;
    int priority = 0;
    std::uint64_t blocks = 0;
    std::uint64_t next = 0;
    double sm_interval = 0;  // between two blocks that an SM takes
  };
  struct Change {
    static constexpr unsigned everywhere = ~0U;
    Cycle at = 0;
    std::uint64_t order = 0;
    unsigned sm = everywhere;  // has room, of a block of `launch`; or that launch begins
    std::uint8_t launch = 0;
    Cycle ended = 0;  // when that block did
  };
  struct Left {
    Cycle at = 0;
    std::uint8_t launch = 0;
    std::uint8_t subcore = 0;
  };
  void change(const Change& change);
  [[nodiscard]] unsigned tpc_of(unsigned sm) const { return sm / std::max(1U, spec_.sms_per_tpc); }
  // The SMs of the TPC in which a block has ended tell what warps have left until then.
  void learn(const Change& change);
  // The SM itself or another of its TPC that has room; if none has, `everywhere`.
  [[nodiscard]] unsigned room_in_tpc(unsigned sm, const Waiting& waiting) const;
  // The SMs that get one of the launch's next blocks each: of those with room the ones with the fewest warps.
  [[nodiscard]] std::vector<unsigned> next_sms(const Waiting& waiting) const;
  // All SMs are empty, and clusters take turns, a block for each of their SMs.
  [[nodiscard]] bool takes_turns() const;
  // Deals as many rounds as every SM will have a block in, or has room for. The loose SMs are ahead of the others
  // (probe launch.placement: 264 to 4,224 blocks).
  void deal_turns(Waiting& waiting, const Change& change, Cycle earliest, const std::function<void(const Placed&)>& start);
  // The SMs of one GPC, most room first, that hold the launch's next cluster together; none if there is no room.
  [[nodiscard]] std::vector<unsigned> room_for_cluster(const Waiting& waiting, unsigned first, unsigned size) const;
  // Sends clusters while there is room: where a block has ended in that GPC, else in all of them in turn.
  void send_clusters(Waiting& waiting, const Change& change, Cycle earliest, const std::function<void(const Placed&)>& start);
  // When a block that goes to an SM now starts there.
  Cycle sent(const Waiting& waiting, const Change& change, unsigned sm, Cycle earliest);
  void send(Waiting& waiting, const Change& change, unsigned sm, Cycle earliest,
            const std::function<void(const Placed&)>& start);

  LaunchSpec spec_;
  std::vector<unsigned> order_;   // of the SMs
  std::vector<unsigned> spread_;  // in which they come if there are fewer blocks than SMs
  std::vector<SmRoom> rooms_;    // by SM
  std::vector<Fit> fits_;        // by launch
  std::vector<Waiting> waiting_;  // by priority, then as they have begun
  std::vector<Change> changes_;   // heap, earliest first
  std::vector<std::vector<Left>> left_;  // by SM: warps of which the scheduler has not learnt
  std::uint64_t sequence_ = 0;
  double free_ = 0;             // when the scheduler sends its next block
  double note_free_ = 0;        // when it takes note of the next end
  std::vector<Cycle> sm_free_;   // when an SM takes its next block
  std::vector<Cycle> tpc_free_;  // the same for a TPC, whose SMs take turns
};

}  // namespace warpgauge::model
