// All SMs, the memory system and the block scheduler, window by window, for one launch or several.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/gpu/block_scheduler.h"
#include "model/gpu/code_turns.h"
#include "model/gpu/crew.h"
#include "model/gpu/matrix_clock.h"
#include "model/gpu/occupancy.h"
#include "model/machine.h"
#include "model/machine_spec.h"
#include "model/memory/memory_system.h"
#include "model/sm/sm.h"

namespace warpgauge::model {

// Sink is NullSink or TimelineSink.
template <class Sink>
class Chip {
 public:
  // Caches are empty at first and keep what they have from launch to launch.
  Chip(const MachineSpec& spec, PageHistory* pages, unsigned threads);

  // Sets a launch up and returns the number that it has until forget(). Its first instructions issue at `first` or
  // later; no launch that has begun had a later one. The stream lives until forget(). Throws MachineError for a launch
  // that the device cannot hold.
  std::uint8_t begin(traces::WarpStream& stream, const RunOptions& options, int priority, Cycle first);

  // Runs through one window, which ends at `limit` at the latest. False when there is nothing to do before that.
  bool step(Cycle limit = never);
  // Up to here time has passed.
  [[nodiscard]] Cycle now() const { return now_; }
  // Nothing happens before `at`.
  void wait_until(Cycle at) { now_ = std::max(now_, at); }

  struct End {
    std::uint8_t launch = 0;
    Cycle at = 0;  // when whoever waits for the launch may go on
  };
  // Launches that have ended since the list was cleared.
  [[nodiscard]] std::vector<End>& ended() { return ended_launches_; }

  // Of a launch that has ended, had it begun at `begun`. Counters that the chip has for all launches in common
  // (code, constants, L2, DRAM) are in it only where `alone`.
  [[nodiscard]] KernelReport report(std::uint8_t launch, Cycle begun, bool alone);
  void forget(std::uint8_t launch);

  // Throws MachineError unless all that has begun has ended and every request has been answered.
  void check();
  [[nodiscard]] std::vector<Sink>& sinks() { return sinks_; }

 private:
  struct Running {
    traces::WarpStream* stream = nullptr;
    RunOptions options;
    Fit fit;
    std::vector<StaticOp> ops;
    Cycle first = 0;
    std::uint64_t blocks_left = 0;  // that have not ended
    std::uint64_t under_way = 0;    // requests for data
    Cycle last_end = 0;
    Cycle last_reply = 0;
    Cycle end = 0;
    bool ended = false;
    bool clustered = false;  // its blocks may meet others of their cluster, be it of one
    bool multiplies = false;  // it has matrix instructions
    // Cycles that the SMs' clock had lost when it began, and each GPC's; then what it lost until the launch's
    // end, and how many more cycles the GPC has had which lost the least.
    double lost_before = 0;
    std::vector<double> gpcs_lost_before;
    double lost = 0;
    double ahead = 0;
  };
  struct Ended {
    Cycle at = 0;
    unsigned sm = 0;
    std::uint8_t launch = 0;
  };

  void make_sms(unsigned l1_data_bytes);
  void run_sms();
  void place(Cycle earliest);
  // The cluster that the `number`-th block of a launch is of; null where each is its own.
  ClusterState* cluster_of(const BlockScheduler::Placed& placed, unsigned size);
  void end_blocks();
  void end_launches();
  // What streams read of the device's timer from then on.
  [[nodiscard]] traces::WarpStream::Timer timer(Cycle at) const;
  // Whether a launch that has not ended has matrix instructions.
  [[nodiscard]] bool may_multiply() const;
  // Whether no SM's outcome in a window depends on which of them have run before.
  [[nodiscard]] bool in_any_order() const;
  [[nodiscard]] SmCounters counters(std::uint8_t launch, bool alone) const;
  [[nodiscard]] Cycle end_of_launch(std::uint8_t launch) const;
  [[nodiscard]] unsigned l1_data_bytes(std::uint64_t carveout) const;
  void share_constants();
  void queue_code();
  [[nodiscard]] Launch::Bytes kernel_code(const Running& running) const;
  [[nodiscard]] Launch::Bytes first_code(const Launch::Bytes& code) const;
  [[nodiscard]] std::vector<Cycle> first_code_later(const Launch::Bytes& code) const;
  void hold(const Launch::Bytes& code, std::uint64_t kernel_end);
  [[nodiscard]] std::string kernels() const;
  [[noreturn]] void fail(const std::string& what);

  const MachineSpec& spec_;
  PageHistory* pages_;
  unsigned threads_;
  MemorySystem memory_;
  MatrixClock clock_;  // the SMs'; the memory system's beside it
  BlockScheduler scheduler_;
  std::vector<Sink> sinks_;
  std::vector<std::unique_ptr<Sm<Sink>>> sms_;
  std::vector<std::unique_ptr<Running>> running_;  // by number
  std::vector<std::uint8_t> order_;                // numbers, as the launches have begun
  std::vector<End> ended_launches_;
  Cycle now_ = 0;
  Cycle until_ = 0;
  std::optional<CodeTurns> code_turns_;
  std::vector<std::uint64_t> code_asked_;  // lines, by an SM
  Cycle code_given_ = 0;
  // Who has taken no line of constants for so long leaves its turns to the cluster's others.
  static constexpr Cycle constants_forgotten = 2000;
  std::vector<Cycle> constants_wanted_;     // until when an SM takes turns
  std::vector<unsigned> constant_takers_;  // by cluster, of which there are no more than SMs
  std::vector<std::unique_ptr<ClusterState>> clusters_;
  std::vector<ClusterState*> spare_clusters_;
  std::array<ClusterState*, max_running_launches> filling_{};  // the cluster that a launch's next block is of
  std::vector<MemoryReply> replies_;
  std::vector<Ended> ended_;                  // blocks of this window
  std::vector<unsigned> runnable_;            // SMs that do something in this window
  bool backwards_ = false;                    // they run from the last one on
  std::vector<std::exception_ptr> failures_;  // by SM
  std::optional<Crew> crew_;
};

// Runs a kernel to its end.
template <class Sink>
KernelReport run_kernel(const MachineSpec& spec, traces::WarpStream& stream, const RunOptions& options,
                        Sink& sink);

extern template class Chip<NullSink>;
extern template class Chip<TimelineSink>;

}  // namespace warpgauge::model
