// The one seam between what executes and how long it takes.
//
// The model asks which instruction a warp is at, decides when it issues, and says so; the producer then
// executes it and tells what it did: lanes, addresses, the next instruction. Producers are the emulator,
// which executes when the model issues (so that atomics, spin locks and grid barriers see the model's order),
// and the reader of a recorded trace.
//
// Threads: where the producer says so (concurrent()), next(), prefetch() and issue() for blocks on different
// SMs come from different threads at the same time; all else, and everything for one SM, comes from one at a
// time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::traces {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned max_warps_per_block = 32;

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

// Blocks of a cluster, at most; and from which bit on an address in shared memory has a block's rank in its cluster.
inline constexpr unsigned most_cluster_blocks = 16;
inline constexpr unsigned shared_rank_bit = 24;

// Which block comes `number`-th when clusters are handed out one after the other, x first, as are the blocks in each.
inline std::uint64_t block_of_clusters(const Dim3& grid, const Dim3& cluster, std::uint64_t number) {
  const std::uint64_t size = cluster.count();
  if (size == 1) return number;
  const std::uint64_t which = number / size;
  const std::uint64_t rank = number % size;
  const std::uint64_t across = grid.x / cluster.x;
  const std::uint64_t down = grid.y / cluster.y;
  const std::uint64_t x = which % across * cluster.x + rank % cluster.x;
  const std::uint64_t y = which / across % down * cluster.y + rank / cluster.x % cluster.y;
  const std::uint64_t z = which / across / down * cluster.z + rank / cluster.x / cluster.y;
  return (z * grid.y + y) * grid.x + x;
}

// Addresses from `begin` on, before `end`.
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

// What a launch asks of the machine, whatever its instructions do.
struct LaunchShape {
  std::string kernel;     // symbol name
  std::string demangled;  // for reports
  sass::Architecture architecture = sass::Architecture::sm90;
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;  // of blocks, whose SMs are of one GPC; it divides the grid
  bool in_clusters = false;  // the launch or the kernel names clusters, be they of one block: GPCs get them in turn
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;   // as the kernel declares them, without what the architecture reserves
  std::uint32_t dynamic_shared_bytes = 0;
  std::optional<std::uint8_t> carveout_percent;  // the launch's wish, of the most that shared memory can have; unset: the driver's choice
  std::uint32_t local_bytes_per_thread = 0;
  std::uint32_t barriers = 0;
  std::uint64_t code_address = 0;  // device address of code()[0], for the instruction caches
  std::uint64_t kernel_bytes = 0;  // of the kernel itself, from entry() on, without functions of other sections; 0: not known
  std::vector<AddressRange> host_memory;  // device addresses whose memory is the host's, apart and in order

  [[nodiscard]] std::uint32_t threads_per_block() const { return static_cast<std::uint32_t>(block.count()); }
  [[nodiscard]] std::uint32_t warps_per_block() const { return (threads_per_block() + warp_size - 1) / warp_size; }
};

enum class MemorySpace : std::uint8_t {
  none,
  global,
  shared,
  local,
  constant,
  texture,
  cluster,  // shared memory of other blocks of the cluster
};

enum class MemoryAccess : std::uint8_t {
  none,
  load,
  store,
  atomic,     // returns a value
  reduction,  // does not
  copy,       // LDGSTS: loads global `addresses`, stores to `shared_addresses`
};

// How the addresses of an access lie, where its producer happens to know; neither says nothing.
struct LanePlaces {
  bool same = false;         // all at one address
  bool consecutive = false;  // all 32 lanes, each where the one before it ends
};

// A function that the driver brings, which a CALL has run for the warp's lanes: what its time hangs on.
struct DriverCall {
  enum class Function : std::uint8_t { none, print, allocate, release };
  Function function = Function::none;
  std::uint8_t lanes = 0;    // that call it ...
  std::uint8_t passed = 0;   // ... and those below the highest of them that do not
  std::uint8_t arguments = 0;           // of a lane's printf, at most
  std::uint16_t characters = 0;         // of the longest format that a lane prints
  std::uint16_t string_characters = 0;  // of the strings among its arguments, the longest lane's
  friend bool operator==(const DriverCall&, const DriverCall&) = default;
};

// What a texture fetch or a surface load reads; of a surface's store the handle alone. Its lanes go to the texture units in requests, of four or eight lanes side by
// side, each of which asks for the 16-byte pieces of memory that its lanes' texels lie in.
struct TexelAccess {
  static constexpr unsigned most_requests = 8;
  static constexpr unsigned most_pieces = 256;
  static constexpr unsigned piece_bytes = 16;
  enum class Way : std::uint8_t { texel, nearest, linear, surface };
  Way way = Way::texel;
  std::uint32_t handle = 0;         // of the texture or surface, whose header the SM must have; 0: not known
  std::uint8_t requests = 0;        // that have lanes
  std::uint8_t filter_cycles = 1;   // of the filter for a request
  std::uint8_t return_cycles = 1;   // of the way back for a request
  std::array<std::uint16_t, most_requests> ends{};  // of each request's pieces, behind those of the request before
  std::array<std::uint64_t, most_pieces> pieces;    // device addresses, a request's all different
  [[nodiscard]] unsigned piece_count() const { return requests == 0 ? 0U : ends[requests - 1U]; }
};

// A bulk copy of the tensor memory accelerator, which one lane asks for: pieces of memory that lie in a row, between device
// memory and shared memory.
struct BulkCopy {
  enum class Kind : std::uint8_t {
    load,            // from device memory to shared memory
    store,           // from shared memory to device memory
    reduction,       // the same, where the L2 combines it with what is there
    prefetch,        // from device memory into the L2
    between_blocks,  // from shared memory to that of another block of the cluster
  };
  struct Row {
    std::uint64_t address = 0;  // in device memory; between blocks not used
    std::uint32_t bytes = 0;
  };
  Kind kind = Kind::load;
  std::uint32_t number = 0;    // which, of all that blocks of a cluster have asked for and that have yet to land
  std::uint64_t map = 0;       // the tensor map's device address; 0: none
  bool promotes = false;       // the map asks the L2 for 256 bytes where it wants some of them
  std::uint32_t barrier = 0;   // load, between_blocks: where the barrier object lies that counts its bytes, in each block that gets it
  std::uint32_t shared = 0;    // the first byte in the shared window
  std::uint32_t bytes = 0;     // of shared memory that it fills or reads in each block, what no row brings (zeros) included
  std::uint16_t blocks = 0;    // bit r: the cluster's block of rank r gets it; 0: the block that asks
  std::vector<Row> rows;       // in the order of shared memory, without what lies outside of a tensor
};

// What one warp instruction did. Filled by WarpStream::issue; pointers stay valid until the next issue() for the
// same block.
struct Issued {
  std::uint32_t active_mask = 0;    // lanes that are converged at this instruction
  std::uint32_t executed_mask = 0;  // those whose guard held
  std::uint32_t next = 0;           // index in code() of what the warp runs next; meaningless once exited
  bool branched = false;            // `next` is not the following instruction
  bool diverged = false;            // the active lanes took different ways
  bool exited = false;              // no lane of the warp is left
  bool blocked = false;             // the warp waits at a block barrier that its arrival did not complete ...
  bool goes_ahead = false;          // ... all of its lanes from here on, so that what follows may be issued meanwhile
  std::uint32_t released_warps = 0; // bit w: warp w of this block left a block barrier because of this instruction

  MemorySpace space = MemorySpace::none;  // after generic addresses have been resolved
  MemoryAccess access = MemoryAccess::none;
  std::uint8_t bytes_per_lane = 0;  // 1, 2, 4, 8 or 16
  LanePlaces places;
  // Byte addresses of the lanes in executed_mask: device addresses for global, offsets in the block's shared
  // window, in the lane's local memory, or in the constant bank. For local memory the model lays lanes out itself. For
  // other blocks' shared memory the offset, and from bit 24 on the block's rank in the cluster.
  const std::uint64_t* addresses = nullptr;
  const std::uint64_t* shared_addresses = nullptr;  // copy only
  const TexelAccess* texels = nullptr;              // space `texture` only
  const BulkCopy* bulk = nullptr;                   // of an instruction that asks for one

  // An access to global memory that takes place, line by line, when the model says so (WarpStream::carry_out): an atomic, or a load
  // or store that other blocks may wait for. Its number among those of the SM that have lanes left.
  static constexpr std::uint32_t no_ticket = ~std::uint32_t{0};
  std::uint32_t ticket = no_ticket;

  // What else its time hangs on. MATCH: how many values its lanes hold; WARPSYNC: how many masks they name in registers;
  // NANOSLEEP: how many bits its longest lane's nanoseconds have. 0 where the producer does not know.
  std::uint8_t measure = 0;

  DriverCall call;

  bool cluster_arrives = false;  // the warp arrives at its cluster's barrier (UCGABAR_ARV, or by leaving)
  bool cluster_waits = false;    // it waits there (UCGABAR_WAIT); `blocked` where the barrier has not opened yet
  bool cluster_opens = false;    // with this instruction it opens for the warps of all blocks of the cluster

  // What it did at a barrier object in shared memory: found that its phase has ended, or that it lasts and (TRYWAIT) stands there,
  // or that it lasts and goes on; or arrived at it, be it of its own block, of others of the cluster or of both. The address is that
  // of the first lane, or of the first that arrives elsewhere: an offset with the block's rank from bit 24 on.
  enum class Object : std::uint8_t { none, phase_ended, phase_lasts, phase_asked, arrives, arrives_elsewhere, arrives_everywhere };
  Object object = Object::none;
  std::uint32_t object_address = 0;

  // What it did at the block's named barriers, for who records it; `blocked` and `released_warps` say the rest.
  static constexpr std::uint8_t no_barrier = 0xff;
  std::uint8_t barrier = no_barrier;   // that the instruction names
  std::uint8_t barrier_warps = 0;      // how many warps it says arrive there; 0: all of the block
  bool barrier_waits = false;          // some of the warp's lanes wait there
  std::uint16_t arrived_barriers = 0;  // bit b: with this instruction the warp has arrived at barrier b
};

using BlockHandle = std::uint32_t;

enum class WarpStatus : std::uint8_t { ready, at_barrier, exited };

struct NextInstruction {
  WarpStatus status = WarpStatus::ready;
  std::uint32_t index = 0;        // in code()
  std::uint32_t active_mask = 0;  // lanes that would issue it
};

// Where a block has been placed; special registers (SR_VIRTUALSMID, SR_VIRTID) show it to the program.
struct Placement {
  std::uint32_t sm = 0;
  std::array<std::uint8_t, max_warps_per_block> warp_slots = in_a_row();

 private:
  static constexpr std::array<std::uint8_t, max_warps_per_block> in_a_row() {
    std::array<std::uint8_t, max_warps_per_block> slots{};
    for (std::size_t warp = 0; warp < slots.size(); ++warp) slots[warp] = static_cast<std::uint8_t>(warp);
    return slots;
  }
};

class WarpStream {
 public:
  virtual ~WarpStream() = default;

  [[nodiscard]] virtual const LaunchShape& shape() const = 0;

  // All code that the launch may reach, one section; the kernel starts at entry().
  [[nodiscard]] virtual std::span<const sass::Instruction> code() const = 0;
  [[nodiscard]] virtual std::uint32_t entry() const = 0;

  // The model runs all SMs through a window of time, then through the next. From here on an SM may see what
  // others do to global memory only once the window has ended; then the outcome is the same whatever SM goes
  // first, and they may go side by side. Asked before the first block.
  virtual void begin_windows(unsigned sms) { static_cast<void>(sms); }
  virtual void end_window() {}
  // What an access that has a ticket (Issued) does in the line of 128 bytes at `begin` takes place now, between windows; for each
  // of its lines once, before whoever waits for it goes on. What its warp has issued to the line before comes first.
  virtual void carry_out(unsigned sm, std::uint32_t ticket, std::uint64_t begin) {
    static_cast<void>(sm), static_cast<void>(ticket), static_cast<void>(begin);
  }
  // The same of a load, which sees what the SM does; called for the SM as issue() is.
  virtual void carry_out_load(unsigned sm, std::uint32_t ticket, std::uint64_t begin) {
    static_cast<void>(sm), static_cast<void>(ticket), static_cast<void>(begin);
  }
  // What the device's timer of nanoseconds says from now on: so many a cycle of the SMs' full clock, of which
  // some have gone by beside those that issue() tells.
  struct Timer {
    double nanoseconds = 0.5;
    std::uint64_t beside = 0;
  };
  virtual void set_timer(const Timer& timer) { static_cast<void>(timer); }
  [[nodiscard]] virtual bool concurrent() const { return false; }

  // A block comes to an SM, or leaves it after all its warps have exited. Handles may be reused afterwards.
  virtual BlockHandle begin_block(std::uint64_t linear_block, const Placement& placement) = 0;
  virtual void end_block(BlockHandle block) = 0;

  [[nodiscard]] virtual NextInstruction next(BlockHandle block, unsigned warp) const = 0;

  // The model will soon issue from the block's warps: what they ask for each time may be brought into the
  // host's caches.
  virtual void prefetch(BlockHandle block) const { static_cast<void>(block); }

  // Executes the warp's next instruction, which the model issues at `cycle` of its SM clock (what the clock
  // registers read). Faults of the program are exceptions of the producer. A warp that waits at a barrier and went
  // there with `goes_ahead` may be given instructions that read and write nothing but its registers; it goes on waiting.
  virtual void issue(BlockHandle block, unsigned warp, std::uint64_t cycle, Issued& issued) = 0;

  // A bulk copy (BulkCopy: load, between_blocks; its number) has come to one of the blocks that get it. Neither its bytes nor what
  // its barrier object says of them are there sooner.
  virtual void landed(BlockHandle block, std::uint32_t copy) { static_cast<void>(block), static_cast<void>(copy); }
  // The warp's last check of a barrier object found that its phase lasts (Issued::Object::phase_lasts), and nothing has read its
  // predicate since: has it ended by now? Then the predicate says so.
  virtual bool phase_has_ended(BlockHandle block, unsigned warp) {
    static_cast<void>(block), static_cast<void>(warp);
    return true;
  }
};

}  // namespace warpgauge::traces
