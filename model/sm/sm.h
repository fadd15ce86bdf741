// A streaming multiprocessor: four processing blocks, the memory unit they share, and the warps.
//
// Time passes in windows that the chip hands out; inside one, the SM jumps from event to event. What it wants
// of the memory system leaves through outbox() with its time, and comes back through deliver() in a later
// window.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/large_pages.h"
#include "model/machine.h"
#include "model/memory/request.h"
#include "model/sm/calendar.h"
#include "model/sm/constant_cache.h"
#include "model/sm/counters.h"
#include "model/sm/decoded.h"
#include "model/sm/event.h"
#include "model/sm/fetch_turns.h"
#include "model/sm/instruction_cache.h"
#include "model/sm/memory_unit.h"
#include "model/sm/paths.h"
#include "model/sm/processing_block.h"
#include "model/sm/sink.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

// What one launch means for every SM.
struct Launch {
  traces::WarpStream* stream = nullptr;
  std::span<const StaticOp> ops;
  std::uint8_t number = 0;  // of those that run at the same time
  std::uint64_t code_address = 0;
  unsigned warps_per_block = 1;
  std::uint32_t entry = 0;  // where warps begin, in instructions
  struct Bytes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  } first_code;                       // device addresses that setting the launch up brings to every SM
  unsigned local_lines_per_warp = 0;  // lines of L1 size that a warp's local memory takes
  unsigned warp_interval = 0;         // between the first instructions of a block's warps
  Cycle first_code_latency = 0;       // from the SM's first block to the first code that it is given
  Cycle first_code_later = 0;         // beyond that, where the second level has not got it yet
  bool code_at_hand = false;          // nobody waits for first_code
  bool per_instruction = false;
};

// By static instruction: issues, threads, stalls by reason.
struct InstructionCounters {
  std::uint64_t issued = 0;
  std::uint64_t threads = 0;
  std::uint64_t conflict_cycles = 0;
  std::uint64_t reuse_hits = 0;
  std::array<std::uint64_t, stall_count> stalls{};
};

// The first and the last of some matrix instructions, where there are any.
struct Multiplied {
  bool any = false;
  Cycle first = 0;
  Cycle last = 0;
};

// What an SM knows of the chip, whatever runs on it.
struct SmPlace {
  unsigned id = 0;
  unsigned cpc = 0;               // of its GPC
  unsigned l1_data_bytes = 0;     // until set_l1_data_bytes()
  Cycle code_beyond_sm = 0;       // what an instruction fetch from the L2 takes beyond a data load's way
  Cycle constants_beyond_sm = 0;  // the same of an LDC
  int distance = 0;  // cycles to the second level of code and constants and back beyond the mean of all SMs
};

struct FinishedBlock {
  Cycle at = 0;  // its warps' slots are free
  traces::BlockHandle handle = 0;
  std::uint8_t launch = 0;  // its number
  ClusterState* cluster = nullptr;
};

struct FinishedWarp {
  Cycle at = 0;  // its slot is free
  std::uint8_t launch = 0;
  std::uint8_t subcore = 0;
};

template <class Sink>
class Sm final : public ClusterMember, public PhaseSource {
 public:
  Sm(const SmSpec& spec, const SmPlace& place, Sink& sink);
  Sm(const Sm&) = delete;
  Sm& operator=(const Sm&) = delete;
  static void* operator new(std::size_t bytes, std::align_val_t) { return take_large_pages(bytes); }
  static void operator delete(void* memory, std::size_t bytes, std::align_val_t) { give_back_large_pages(memory, bytes); }

  // A launch is set up, whose blocks may come from now on, and is forgotten with its counters.
  void begin_launch(const Launch& launch);
  void end_launch(std::uint8_t number) { kernels_[number].reset(); }
  using Slots = std::array<std::uint8_t, traces::max_warps_per_block>;  // by warp of a block
  // Takes slots for a block that starts next, for which there is room: for its first warp the lowest one of this processing
  // block, for the others of the next ones in turn.
  Slots take_slots(std::uint8_t launch, unsigned first);
  [[nodiscard]] unsigned resident_blocks() const { return resident_blocks_; }
  // `cluster`: that the block is of, with a place for it by `rank`; or null.
  void start_block(std::uint8_t launch, traces::BlockHandle handle, Cycle at, const Slots& slots,
                   ClusterState* cluster, unsigned rank);
  void open_cluster(std::uint8_t block, Cycle at) override;
  void not_before(const BarrierObjects::Place& object, Cycle at) override { memory_.objects().not_before(object, at); }
  void landed(const BarrierObjects::Place& object, std::uint32_t copy, Cycle at) override;
  void arrived(std::uint8_t block, Cycle at) override;
  ClusterPorts& ports() override { return memory_.ports(); }
  void read_by_others(Cycle at, double passes) override { memory_.read_by_others(at, passes); }
  bool phase_has_ended(std::uint8_t warp) override;
  void copy_landed(std::uint8_t block, std::uint32_t copy) override;
  // Of an SM without blocks.
  void set_l1_data_bytes(unsigned bytes) { memory_.set_data_bytes(bytes); }

  void share_constants(unsigned sms) {
    constants_.share(sms);
  }
  bool constants_asked() { return constants_.asked(); }
  // Code that the cluster's second level has been asked for, and how long it takes for it.
  void code_asked(std::vector<std::uint64_t>& lines) { code_.take_asked(lines); }
  void code_queue(Cycle cycles) { code_.queue(cycles); }

  // Runs up to `until`, exclusively.
  void run(Cycle until);
  [[nodiscard]] Cycle next_event() const { return next_; }

  void deliver(const MemoryReply& reply) {
    if (!starting_.empty()) begin_warps();
    calendar_.add(reply.at, {EventKind::reply, 0, 7, SmEvent::no_group, reply.id});
    if (reply.at < next_) next_ = reply.at;
  }
  [[nodiscard]] std::vector<MemoryRequest>& outbox() { return memory_.outbox(); }
  [[nodiscard]] std::vector<LateWords>& late_words() { return memory_.late_words(); }
  // A request has its turn, or no turn is to come for what goes with one: that takes place now, between windows.
  void give_turn(std::uint32_t request) {
    memory_.give_turn(request, [this](const MemoryUnit::LineTurn& turn) { take_place(turn); });
  }
  void give_late_turns() {
    for (const MemoryUnit::LineTurn& turn : memory_.late_turns()) take_place(turn);
    memory_.late_turns().clear();
  }
  // What has left through outbox() keeps the SM's port busy until `free`.
  void port_busy_until(Cycle free) { memory_.port_busy_until(free); }
  [[nodiscard]] std::vector<FinishedBlock>& finished() { return finished_; }
  [[nodiscard]] std::vector<FinishedWarp>& finished_warps() { return finished_warps_; }

  // What no launch has for itself: requests, replies, misses of code and constants.
  [[nodiscard]] const SmCounters& counters() const { return counters_; }
  // A launch's own.
  [[nodiscard]] const SmCounters& counters(std::uint8_t launch) const { return kernels_[launch]->counters; }
  // Its matrix instructions since this was last asked.
  [[nodiscard]] Multiplied multiplied() { return std::exchange(multiplied_, {}); }
  [[nodiscard]] const std::vector<InstructionCounters>& by_instruction(std::uint8_t launch) const {
    return kernels_[launch]->by_instruction;
  }
  [[nodiscard]] bool idle() const { return resident_blocks_ == 0 && memory_.idle(); }
  [[nodiscard]] std::string describe() const;
  // Adds up what is only known at the end.
  void finish();

 private:
  void take_place(const MemoryUnit::LineTurn& turn) {
    kernels_[turn.launch]->launch.stream->carry_out(id_, turn.ticket, turn.begin);
  }
  static constexpr std::uint32_t code_request = 0x80000000U;  // ids of instruction fetches
  static constexpr std::uint32_t call_request = 0x40000000U;  // and of functions of the driver, with their warps' slots
  static constexpr std::uint8_t no_counter = sass::Control::no_barrier;
  // Of Warp::counters, where each has a byte.
  static constexpr std::uint64_t one(unsigned counter) { return std::uint64_t{1} << (8 * counter); }

  // A launch as it is on this SM.
  struct Kernel {
    explicit Kernel(const Launch& l) : launch(l) {}
    Launch launch;
    SmCounters counters;
    std::vector<InstructionCounters> by_instruction;
    unsigned resident_warps = 0;
    Cycle active_since = 0;
    bool begun = false;      // its first block has come
    bool code_here = false;  // it runs again: the second level had its code when it was set up
    bool printed = false;    // by a warp on this SM
    bool used_heap = false;  // the same: malloc or free
  };

  // In the order in which they are asked for: the first line of the host's caches decides whether the warp may issue.
  struct alignas(64) Warp {
    const StaticOp* ops = nullptr;  // the kernel's
    Kernel* kernel = nullptr;
    std::uint64_t counters = 0;  // six bytes: the dependence counters, as the scheduler sees them
    std::uint64_t hidden = 0;    // increments that it does not see yet
    Cycle hidden_until = 0;
    Cycle fetch_ready = 0;
    std::uint32_t pc = 0;
    // Behind an instruction with a constant whose place a register says: its line, which the warp has yet to wait for.
    std::uint32_t awaited_constant = StaticOp::no_constant;
    bool present = false;
    bool exited = false;
    bool at_barrier = false;     // or in a function of the driver
    bool arriving = false;       // at a barrier, behind loads of constants
    bool constant_seen = false;  // the operand of the instruction at pc has been looked up
    Membar membar = Membar::none;
    Stall reason = Stall::wait;
    std::uint8_t long_counters = 0;

    // What is asked for when it does issue, in the second line.
    Cycle since = 0;
    std::uint64_t line = ~std::uint64_t{0};
    Cycle next_line_at = 0;  // what follows the line that it has branched to can issue no sooner
    Cycle opens = 0;  // the barrier that it has passed, for what waits there; never: it is not known yet
    std::uint32_t in_flight = 0;
    std::uint32_t unacknowledged = 0;  // stores and reductions that the L2 does not have yet
    MeetingPlaces places;
    traces::BlockHandle handle = 0;
    std::uint8_t index_in_block = 0;
    std::uint8_t block = 0;
    Cycle membar_until = 0;  // 0: it waits for what was in flight
  };
  static_assert(sizeof(Warp) == 2 * alignof(Warp));

  // A warp's groups of asynchronous copies, oldest to open, which LDGDEPBAR ends. As many may be under way as
  // DEPBAR.LE can name, 63; then a warp waits before it ends another. None is under way when a warp ends, so that a slot's
  // next warp goes on with what the last has left.
  struct CopyGroups {
    static constexpr unsigned slots = 64;  // one of them is for the open group
    std::uint16_t open = 0;
    std::uint16_t oldest = 0;
    std::array<std::uint16_t, slots> members{};
    std::array<std::uint8_t, slots> counter{};
    [[nodiscard]] bool full() const { return static_cast<std::uint16_t>(open - oldest) == slots - 1; }
  };

  // A warp's groups of warpgroup products: when each ends.
  struct ProductGroups {
    static constexpr unsigned kept = 8;  // as many as WARPGROUP.DEPBAR can name
    std::array<Cycle, kept> ends{};
    std::uint32_t ended = 0;  // groups
    Cycle open = 0;           // the last product's end
    [[nodiscard]] Cycle until(unsigned under_way) const {
      return ended <= under_way ? 0 : ends[(ended - 1 - under_way) % kept];
    }
  };

  // A processing block's tensor core, as warpgroup products go to it one after the other.
  struct ProductUnit {
    static constexpr unsigned kept = 16;
    Server core;
    std::array<Cycle, kept> begins{};  // of the last ones
    std::uint32_t issued = 0;
    std::array<std::uint8_t, kept> line{};  // warp slots that wait to issue one, in order
    unsigned waiting = 0;
    std::uint64_t begun = 0;  // slots whose group has begun and not ended
    // Those whose group has begun come before others (by hand, products_at_once).
    [[nodiscard]] std::uint8_t next() const {
      for (unsigned i = 0; i < waiting; ++i)
        if ((begun >> line[i] & 1U) != 0) return line[i];
      return line[0];
    }
    [[nodiscard]] Cycle room(unsigned queue, unsigned delay) const {
      return queue == 0 || issued < queue ? 0 : begins[(issued - queue) % kept] + delay;
    }
    void stand(std::uint8_t slot) {
      if (std::find(line.begin(), line.begin() + waiting, slot) == line.begin() + waiting && waiting < kept) line[waiting++] = slot;
    }
    void leave(std::uint8_t slot) {
      waiting = static_cast<unsigned>(std::remove(line.begin(), line.begin() + waiting, slot) - line.begin());
    }
  };

  struct Block {
    traces::BlockHandle handle = 0;
    unsigned remaining = 0;
    Cycle ended = 0;          // the last of the warps that have
    std::uint8_t launch = 0;  // its number
    bool present = false;
    ClusterState* cluster = nullptr;
    Slots slots{};
  };

  // A block whose warps have their slots, and which the SM has not looked at since it came.
  struct Start {
    std::uint8_t block = 0;       // in resident_
    std::uint64_t number = 0;     // of the SM's blocks
    Cycle at = 0;
    Cycle first_code = 0;
  };

  // Warp slots are numbered as the hardware does: processing block = slot modulo their number.
  [[nodiscard]] unsigned subcore_of(unsigned slot) const { return places_[slot].subcore; }
  [[nodiscard]] unsigned local_of(unsigned slot) const { return places_[slot].local; }
  [[nodiscard]] unsigned slot_of(unsigned subcore, unsigned local) const {
    return local * spec_.subcores + subcore;
  }

  // The warps of blocks that have come since the SM last ran. They are made when it runs, and not when the blocks come, since
  // all other SMs run between and would drive them out of the host's caches.
  void begin_warps();
  void prefetch(Cycle until);
  bool written_late(const SmEvent& event);
  void charge(Warp& warp, Cycle now);
  void set_reason(Warp& warp, Stall reason, Cycle now);
  void wake(unsigned slot, Cycle at);
  void handle(const SmEvent& event);
  [[nodiscard]] bool constant_is_here(unsigned slot, std::uint32_t line);
  void look(unsigned slot);
  void step(unsigned subcore);
  void issue(unsigned slot, unsigned subcore);
  // Whether the warp's MEMBAR waits for stores that the L2 has not acknowledged.
  [[nodiscard]] static bool is_unacknowledged(const Warp& warp) {
    return warp.membar != Membar::cta && warp.unacknowledged != 0;
  }
  void begin_membar(Warp& warp);
  void advance(unsigned slot, unsigned subcore, const StaticOp& op);
  void account(Warp& warp, Stall reason, unsigned cycles);
  Cycle resolve_branch(unsigned slot, const StaticOp& op);
  // `at`: when the fetch unit turns to the warp's next instruction; later than now after a taken branch.
  void fetch(unsigned slot, unsigned subcore, bool branched, Cycle at);
  void send_code_requests();
  void release_counter(unsigned slot, std::uint8_t counter);
  // Warps wait at a barrier until those of `released` and the one that let them go have arrived.
  struct Opening {
    std::uint8_t block = 0;
    std::uint32_t arriving = 0;  // warps of the block whose arrivals are still to come
    std::uint32_t released = 0;
    Cycle extra = 0;  // from the last arrival to the opening
  };
  struct Arrival {
    std::uint8_t slot = 0;
    std::uint8_t behind = 0;  // so many loads of constants
    std::uint32_t generation = 0;
  };

  // When the barrier unit takes an arrival that comes to it now.
  Cycle arrive_at_barrier();
  // A warp issues BAR: whether its arrival comes to the unit now; else it waits.
  bool arrives_now(unsigned slot, unsigned subcore);
  // A load of constants of this processing block has been served.
  void let_arrive(unsigned subcore);
  void open_barrier(unsigned block, std::uint32_t warps, Cycle at);
  Cycle meet_at_barrier(unsigned slot, unsigned subcore, const StaticOp& op, Cycle ready);
  // The warp has issued what concerns its cluster's barrier; when it may go on.
  Cycle meet_cluster(unsigned slot, Cycle ready);
  Cycle beside_products(const StaticOp& op, unsigned subcore);
  // When a WARPSYNC that issues now lets its warp go on.
  Cycle synchronize_masks(unsigned subcore);
  [[nodiscard]] std::uint32_t next_lanes(const Warp& warp) const;
  Cycle step_back(unsigned slot);
  // A turn of the unit that branches through registers take, from now on.
  Cycle indirect_turn();
  void leave_barrier(unsigned slot, Cycle at);
  // The warp has called a function of the driver: whether that takes time, for which it stands.
  bool begin_call(unsigned slot);
  void end_call(unsigned slot);
  void done_in_flight(unsigned slot, std::uint8_t group);
  void retire(unsigned slot, Cycle at);
  void schedule(Cycle at, const SmEvent& event);

  const SmSpec& spec_;
  unsigned id_;
  SmPlace place_;
  Sink& sink_;
  Cycle now_ = 0;
  Multiplied multiplied_;
  Cycle next_ = never;
  Calendar<SmEvent> calendar_;
  SmCounters counters_;
  ConstantCaches constants_;
  MemoryUnit memory_;
  InstructionL1 code_;
  LargeVector<ProcessingBlock> blocks_;
  LargeVector<TagCache> first_level_;  // of the first level: one a processing block, or one in all
  LargeVector<InstructionL0> l0_;
  std::vector<FetchTurns> turns_;  // one a processing block
  std::array<Cycle, unit_count> shared_free_{};
  std::array<WarpMask, max_subcores> waiting_{};  // warps that a counter, a fetch or a barrier holds back
  std::array<Warp, max_warps_per_sm> warps_{};
  struct Place {
    std::uint8_t subcore = 0;
    std::uint8_t local = 0;
  };
  std::array<Place, max_warps_per_sm> places_{};  // by slot
  std::uint64_t present_ = 0;  // bit n: a warp is in slot n
  std::uint64_t at_cluster_ = 0;  // and stands at the barrier of its cluster
  std::array<std::uint64_t, max_subcores> slots_of_{};  // of each processing block, the same bits
  std::array<CopyGroups, max_warps_per_sm> copies_{};  // by slot
  std::array<Paths, max_warps_per_sm> paths_{};        // of each slot's warp
  std::array<std::uint16_t, max_warps_per_sm> restored_{};  // of each slot's warp: convergence barriers that a BMOV has written
  std::array<std::uint32_t, max_warps_per_sm> generation_{};  // of each slot: warps that have left it
  std::array<Block, 32> resident_{};
  std::vector<Start> starting_;
  bool used_ = false;  // by some launch
  unsigned resident_blocks_ = 0;
  unsigned resident_warps_ = 0;
  std::uint64_t started_blocks_ = 0;
  std::vector<FinishedBlock> finished_;
  std::vector<FinishedWarp> finished_warps_;
  std::vector<std::uint32_t> answers_;  // of data, that come until the window ends
  Cycle reconverge_free_ = 0;  // when the SM takes the next BSYNC
  std::array<ProductUnit, max_subcores> product_units_;  // of each processing block
  std::array<ProductGroups, max_warps_per_sm> products_{};  // by slot
  std::array<Server, max_subcores> mask_units_;  // of each processing block: WARPSYNC with masks in registers
  Server barrier_unit_;        // takes one arrival after the other
  std::array<std::vector<Arrival>, max_subcores> arrivals_;  // that wait for loads of constants, in order
  std::vector<Opening> openings_;                            // of barriers whose last arrivals do
  Server membar_unit_;         // and one MEMBAR after the other
  std::vector<CodeRequest> code_requests_;
  std::vector<std::uint64_t> code_lines_;  // by id of the request
  std::vector<std::unique_ptr<Kernel>> kernels_;  // by number
  traces::Issued issued_;
};

// What both sources of the SM's members call for every instruction.

template <class Sink>
inline void Sm<Sink>::schedule(Cycle at, const SmEvent& event) {
  calendar_.add(at, event);
}

template <class Sink>
inline void Sm<Sink>::charge(Warp& warp, Cycle now) {
  if (now <= warp.since) return;
  const std::uint64_t cycles = now - warp.since;
  Kernel& kernel = *warp.kernel;
  kernel.counters.stalls[static_cast<std::size_t>(warp.reason)] += cycles;
  if (kernel.launch.per_instruction)
    kernel.by_instruction[warp.pc].stalls[static_cast<std::size_t>(warp.reason)] += cycles;
  warp.since = now;
}

template <class Sink>
inline void Sm<Sink>::set_reason(Warp& warp, Stall reason, Cycle now) {
  if (warp.reason == reason) return;
  charge(warp, now);
  warp.reason = reason;
}

template <class Sink>
inline void Sm<Sink>::wake(unsigned slot, Cycle at) {
  ProcessingBlock& block = blocks_[subcore_of(slot)];
  if (at < now_ + ProcessingBlock::horizon) {
    block.wake_at(local_of(slot), at);
  } else {
    schedule(at, {EventKind::wake, static_cast<std::uint8_t>(slot), no_counter, SmEvent::no_group, 0});
  }
}

// Books cycles that lie ahead of the warp under a reason of their own.
template <class Sink>
inline void Sm<Sink>::account(Warp& warp, Stall reason, unsigned cycles) {
  Kernel& kernel = *warp.kernel;
  kernel.counters.stalls[static_cast<std::size_t>(reason)] += cycles;
  if (kernel.launch.per_instruction)
    kernel.by_instruction[warp.pc].stalls[static_cast<std::size_t>(reason)] += cycles;
  warp.since += cycles;
}

extern template class Sm<NullSink>;
extern template class Sm<TimelineSink>;

}  // namespace warpgauge::model
