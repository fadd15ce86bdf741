// One thread block while it is on an SM, and what all blocks of a launch share.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "traces/emulator/arena.h"
#include "traces/emulator/fault.h"
#include "traces/emulator/memory.h"
#include "traces/emulator/micro_op.h"
#include "traces/emulator/warp.h"
#include "traces/stream_observer.h"
#include "traces/warp_stream.h"

namespace warpgauge::emulator {

// Generic addresses inside these windows mean shared and local memory. Compilers rely on the shared window
// beginning at a multiple of 2^32, whose upper half SR_SWINHI gives.
inline constexpr std::uint64_t shared_window = 0x7f2e'0000'0000;
inline constexpr std::uint64_t shared_window_bytes = std::uint64_t{1} << 24;
// As many of them as a cluster may have blocks lie there, by rank.
inline constexpr std::uint64_t shared_windows_bytes = traces::most_cluster_blocks * shared_window_bytes;
inline constexpr std::uint64_t local_window = 0x7f2f'0000'0000;
inline constexpr std::uint64_t local_window_bytes = std::uint64_t{1} << 24;

class SystemCalls;
class WriteLog;
struct Cluster;
struct MemoryKernels;
struct Refusal;

// What a launch's blocks share; nothing in it changes while they run, except device memory's content.
struct LaunchContext {
  traces::LaunchShape shape;
  DeviceMemory* memory = nullptr;
  std::vector<std::vector<std::uint8_t>> constants;  // bank -> bytes, as large as the program may read
  std::span<const MicroOp> ops;                      // one an instruction, then one that catches a run-away
  std::span<const sass::Instruction> code;
  const std::uint32_t* pool = nullptr;
  const MemoryKernels* kernels = nullptr;
  std::uint32_t rows = 0;               // a warp's rows
  std::uint32_t shared_bytes = 0;       // the shared window, with what the architecture reserves
  std::uint32_t shared_end = 0;         // where an access faults: what is asked for is given in whole units
  std::uint32_t local_bytes = 0;        // a lane's, multiple of 16
  std::uint32_t barriers = 0;
  bool cooperative = false;
  bool clustered = false;  // blocks form clusters, be it of one
  traces::WarpStream::Timer timer;
  std::span<const Refusal> refusals;  // why an instruction is refused
  SystemCalls* system_calls = nullptr;
  std::map<std::uint64_t, std::string> externals;  // code address -> function that the module only declares
};

struct BlockBarrier {
  std::uint32_t expected_warps = 0;  // 0: all of the block
  std::uint32_t arrived_warps = 0;   // how often a warp has arrived
  std::uint32_t arrived_mask = 0;    // which
  std::uint32_t waiting_mask = 0;    // warps with lanes that wait
  // Of BAR.RED: over the lanes that have arrived.
  std::uint32_t count = 0;
  bool all = true;
  bool any = false;
};

// The memory access of the instruction that has just executed.
struct AccessRecord {
  traces::MemorySpace space = traces::MemorySpace::none;
  traces::MemoryAccess access = traces::MemoryAccess::none;
  std::uint8_t bytes = 0;
  traces::LanePlaces places;
  std::uint32_t mask = 0;  // lanes that accessed memory
  alignas(64) std::uint64_t addresses[lanes];
  alignas(64) std::uint64_t shared_addresses[lanes];
  traces::TexelAccess texels;
};

// What the instruction that has just executed did at the block's barriers: see traces::Issued.
struct BarrierRecord {
  std::uint8_t barrier = traces::Issued::no_barrier;
  std::uint8_t warps = 0;
  bool waits = false;
  std::uint16_t arrived = 0;
};

// What it did at the cluster's barrier: see traces::Issued.
struct ClusterRecord {
  bool arrives = false;
  bool waits = false;
  bool opens = false;
};

// What it did at a barrier object: see traces::Issued.
struct ObjectRecord {
  traces::Issued::Object object = traces::Issued::Object::none;
  std::uint32_t address = 0;
};

// What a bulk copy brings to a block, and the block's barrier object that counts it: see Block::coming.
struct ComingBytes {
  std::uint32_t copy = 0;     // its number
  std::uint32_t barrier = 0;  // offset
  std::uint32_t bytes = 0;    // that the barrier object learns of
  std::byte* to = nullptr;
  std::vector<std::byte> data;
};

struct AllocationHint {
  DeviceAddress begin = 1;
  DeviceAddress end = 0;
};

struct Block {
  const LaunchContext* context = nullptr;
  std::uint64_t linear = 0;
  traces::Dim3 coordinates;
  traces::Placement placement;
  Cluster* cluster = nullptr;  // null where a block is a cluster of its own
  std::uint32_t rank = 0;      // in the cluster
  std::uint64_t cluster_number = 0;
  std::uint64_t cycle = 0;  // what the clock registers read
  WriteLog* log = nullptr;  // where a model shares memory window by window
  std::uint32_t ticket = traces::Issued::no_ticket;  // of what the instruction that has just executed has deferred there
  bool functional = true;   // no model says the cycle: executed instructions are counted instead

  std::span<Warp> warps;
  std::uint8_t* shared = nullptr;
  std::uint32_t* local = nullptr;  // word w of lane l of warp v at ((v * words) + w) * 32 + l
  BlockBarrier barriers[named_barriers];
  std::uint32_t exited_warps = 0;
  std::uint32_t all_warps = 0;
  std::uint32_t released_warps = 0;  // by the instruction that has just executed
  std::uint32_t gave_way = 0;        // how often a warp stopped to let others run
  std::uint32_t idle_turns = 0;      // see end_turn()
  bool listened = false;             // shared memory was read since the last turn's end
  traces::BlockObserver* observer = nullptr;
  traces::DriverCall call;  // of the instruction that has just executed, if it is one

  AccessRecord access;
  traces::BulkCopy* bulk = nullptr;  // storage, kept from block to block
  bool bulk_copied = false;          // the instruction that has just executed filled it
  std::uint32_t copies = 0;          // that it has asked for
  // What copies bring. It is there once a model says so; without one, once each warp has had its turn: a copy takes longer than
  // what a warp does meanwhile, and programs rely on that.
  std::vector<ComingBytes>* coming = nullptr;
  BarrierRecord barrier_record;
  ClusterRecord cluster_record;
  ObjectRecord object_record;
  std::uint8_t measure = 0;  // of the MATCH, WARPSYNC or NANOSLEEP that has just executed, as Issued has it
  // Where an instruction's last access was: true until something is released.
  std::array<AllocationHint, 64> hints;
  std::uint64_t hints_of = 0;  // releases of memory before them

  // Storage that is kept from block to block.
  std::uint32_t* rows = nullptr;  // of all warps
  LanesApart* apart = nullptr;    // of each warp
  bool begun = false;             // since it was placed
  bool used = false;              // memory may hold what an earlier block left
  bool strayed = false;           // an access beyond an allocation passed, and was said

  // What it takes of `state` is written by all blocks, what of `stacks`, by few.
  void prepare(const LaunchContext& launch, Arena& state, Arena& stacks);
  // Which block of the grid it is from now on, and where. begin() makes it ready to run.
  void place(std::uint64_t linear_block, const traces::Placement& where);
  void begin(std::uint32_t entry);
  [[nodiscard]] bool finished() const { return exited_warps == all_warps; }
};

// Where the model has the warp on its SM.
inline unsigned warp_slot(const Block& block, const Warp& warp) { return block.placement.warp_slots[warp.index]; }

// Thrown by executors, who know the lane but not the instruction; step's caller turns it into a Fault.
struct LaneFault {
  FaultKind kind;
  std::string what;
  unsigned lane;
};

// The warp lets the others run.
inline void give_way(Block& block, Warp& warp) {
  warp.polls = 0;
  warp.wants_switch = true;
  ++block.gave_way;
}

// An access that may be part of a loop which waits for another warp or block: after some of them the warp
// lets the others run.
inline void poll(Block& block, Warp& warp) {
  constexpr std::uint32_t polls_in_a_turn = 64;
  if (++warp.polls >= polls_in_a_turn) give_way(block, warp);
}

// The block did what may let others go on: a store, an atomic that changes something, a barrier that opens,
// lanes that exit. Reading the clock counts too: a wait that looks at it ends by itself.
inline void make_progress(Block& block) {
  block.idle_turns = 0;
}

// From so many idle turns on it is looked at whether atomics change anything.
inline constexpr std::uint32_t suspicious_turns = 64;

// A warp's turn ends. One in which it looked at memory again and again and nothing came of it is idle: 64
// polls or 1,024 rounds of a loop that reads shared memory. `polled`: it has given way.
inline void end_turn(Block& block, bool polled) {
  if (polled || block.listened)
    ++block.idle_turns;
  else
    make_progress(block);
  block.listened = false;
}

// Executes the next instruction of the warp's running group; `warp.active` is not 0.
inline void step(Block& block, Warp& warp, const MicroOp* ops) {
  const MicroOp& op = ops[warp.pc];
  ++warp.pc;
  ++warp.executed;
  const std::uint32_t mask = warp.active & (warp.predicates[op.guard] ^ op.guard_flip);
  if (mask != 0) op.execute(block, warp, op, mask);
}

// A fault with its site, from what an executor threw at warp.pc - 1.
Fault locate(const Block& block, const Warp& warp, const LaneFault& fault);

}  // namespace warpgauge::emulator
