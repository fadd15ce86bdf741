// What the parts of an SM are built from. Every number comes from the calibration, in model/machine.cpp; the
// meaning and source of each is documented there and in calib/keys.h. Times are cycles of the SM clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/memory/sector_cache.h"
#include "model/sm/tag_banks.h"
#include "model/sm/types.h"

namespace warpgauge::model {

enum class PickPolicy : std::uint8_t { greedy_then_youngest, greedy_then_oldest, loose_round_robin };
enum class BlockPriority : std::uint8_t { oldest_first, youngest_first };

struct IssueSpec {
  PickPolicy policy = PickPolicy::greedy_then_youngest;
  BlockPriority block_priority = BlockPriority::oldest_first;
  unsigned branch_cost = 1;
  unsigned taken_branch_cost = 1;
  unsigned divergent_branch_extra = 0;
  unsigned reconverge_cost = 1;
  unsigned divergence_switch_cost = 0;
  unsigned indirect_branch_extra = 0;
  unsigned indirect_branch_interval = 0;   // of the unit of constants
  unsigned restored_reconverge_extra = 0;  // of a barrier that a BMOV has written
  unsigned break_cost = 1;
  unsigned reconverge_interval = 1;  // of the unit that all processing blocks share
  unsigned refetch = 0;              // the part of a taken branch in which the warp waits for its code
  unsigned barrier_latency = 1;
  double barrier_per_warp = 0;
  unsigned barrier_reduction_extra = 0;
  unsigned barrier_register_extra = 0;
  unsigned barrier_predicate_extra = 0;
  unsigned barrier_min_distance = 1;
  unsigned collective_cost = 0;  // of an ENDCOLLECTIVE, beyond its branch
  unsigned warp_sync_cost = 1;
  unsigned warp_sync_mask_cost = 1;  // of masks in registers: of one, and of each further one that its lanes name
  unsigned warp_sync_mask_extra = 0;
  double warp_sync_mask_interval = 0;  // of the processing block, the same
  double warp_sync_mask_interval_extra = 0;
  unsigned warp_sync_exclusive_cost = 1;  // of each mask
  unsigned convergence_move_cost = 1;
  unsigned yield_instruction_cost = 1;
  unsigned held_paths = 0;  // 0: all
  unsigned path_return_cost = 0;
  unsigned membar_cta = 0;
  unsigned membar_gpu = 0;
  unsigned membar_sys = 0;
  unsigned cga_error_barrier = 1;  // until what asks memory behind a CGAERRBAR
  double membar_interval = 0;  // of the unit that all processing blocks share
  unsigned drain_hold = 1;
  unsigned yield_cost = 1;
  unsigned yield_wait = 0;  // how long the flag counts, from issue on
  unsigned yield_turn = 1;  // instructions with it that a warp issues in its turn
  unsigned long_stall_without_yield = 1;
  unsigned guard_false_cost = 1;
  unsigned counter_visible_after = 2;
  unsigned depbar_cost = 1;
  unsigned exit_cost = 1;
  unsigned nanosleep_min = 1;
  unsigned nanosleep_wake = 0;  // from the tick that ends it on
  double nanosecond = 1;        // in cycles
  unsigned wide_multiply_extra = 0;
  unsigned wide_multiply_distance = 0;
  unsigned special_function_entry = 0;
};

struct FrontEndSpec {
  unsigned decode_stages = 1;
  unsigned buffer_entries = 3;  // decoded instructions held for each warp
  unsigned line_bytes = 128;
  unsigned l0_lines = 64;
  unsigned l0_ways = 4;
  bool l0_shared = false;       // by the processing blocks of the SM
  unsigned l0_sms = 1;          // SMs that have it in common
  unsigned prefetch_lines = 0;  // of a group; 0: no prefetch
  unsigned prefetch_delay = 0;  // from the first access to a group to the request for the next one
  unsigned l1_lines = 1024;
  unsigned l1_ways = 4;
  unsigned launch_prefetch_lines = 0;     // that a launch brings to the second level
  double launch_prefetch_interval = 0;    // between two of them
  unsigned l1_latency = 1;     // of a line, without prefetch_delay
  double l1_interval = 1;   // cycles between lines that the second level delivers to an SM
  double gpc_interval = 0;  // to all SMs of a cluster, which share it; 0: each SM has its own
  unsigned l2_latency = 1;  // total, L0 miss to line in the L0
  double l2_interval = 1;
  unsigned memory_latency = 1;  // total
  unsigned branch_line = 0;       // cycles of a processing block's fetch that the line behind a branch takes
  unsigned branch_fill = 0;       // from then on, in which other warps' first requests are refused
  unsigned branch_turn_wait = 0;  // until they come again; 0: branches do not wait for each other
  unsigned branch_next_line = 0;  // from the line behind a branch to the next one
  unsigned block_lines = 0;       // that a processing block has of its own before a shared L0
  unsigned block_latency = 0;     // of a branch's target that is in the shared L0 alone
  unsigned block_next_line = 0;   // from such a target to the line behind it
};

struct ConstantSpec {
  unsigned l0_line_bytes = 64;
  unsigned l0_lines = 8;
  unsigned l0_ways = 2;
  unsigned l0_miss_delay = 1;
  unsigned l1_line_bytes = 64;
  unsigned l1_lines = 32;
  unsigned l1_ways = 4;
  bool l1_by_turns = false;  // which line makes way: a tree of turns says, else the least recently used one
  unsigned l1_latency = 1;
  unsigned l15_line_bytes = 64;
  unsigned l15_lines = 1024;
  unsigned l15_ways = 4;
  unsigned l15_latency = 1;
  unsigned l2_latency = 1;
  unsigned cycles_per_address = 1;
  unsigned unit_interval = 1;     // of the unit that all processing blocks share: instructions
  bool unit_takes_barriers = false;  // and B2R; arrivals at barriers wait behind them
  unsigned address_interval = 1;  // and addresses
  unsigned loads_in_flight = 32;  // LDC and MATCH of a processing block that take their turns
  unsigned l1_miss_interval = 1;  // between two requests of the L1 to the level behind
  unsigned lines_in_flight = 0;  // that loads wait for; 0: any number
  unsigned line_hold = 0;        // cycles that a line from the level behind takes its place
  unsigned line_retry = 1;       // until a load asks again for which there was no place
  unsigned return_interval = 1;  // of the unit, for an address whose line has come
  double gpc_interval = 0;        // cycles between lines of operands that it gives a cluster's SMs
};

struct RegisterFileSpec {
  unsigned banks = 2;
  unsigned ports_per_bank = 1;
  unsigned reuse_slots = 3;
  bool reuse_per_bank = true;
  bool reuse_survives_warp_switch = true;
  unsigned read_window = 3;  // stages in which sources are read
  unsigned write_delay = 6;  // from the last of them until a result can be read from the file
  unsigned wide_read_window = 6;
  unsigned read_again = 0;         // cycles until a result that was missed on the way is read from the file; 0: none is missed
  unsigned factor_delay = 0;       // from when a result is in the file until a product of 64 bits can multiply it
  unsigned late_write = 0;  // by how much HFMA2.MMA's and FP64's results are written later than others'
  unsigned operand_first = 7;     // issue of an instruction of variable latency to the first register that is read
  unsigned operand_interval = 2;  // between two of them
  unsigned operand_cycles = 0;    // of its bank's port that each of them takes; 0: they are not known
};

// The units inside a processing block that take instructions at a rate of their own. Several kinds of
// instruction share one unit; the interval belongs to the kind.
enum class Unit : std::uint8_t {
  fma_heavy,
  fma_lite,
  alu,
  fp16,
  fp64,
  xu,
  tensor,
  uniform,
  branch,
  memory,  // the queue to the unit that all processing blocks share
  none,    // spends an issue slot only
  count
};
inline constexpr std::size_t unit_count = static_cast<std::size_t>(Unit::count);

// What decides the interval and the latency of an instruction.
enum class Kind : std::uint8_t {
  fp32,
  imad,
  imad_wide,
  alu,
  fp16,
  fp64,
  mufu,
  bits,
  conversion,
  conversion_wide,
  conversion_narrow,
  vote,
  clock,
  predicate,
  uniform,
  uniform_move,
  uniform_load,
  branch,
  matrix,
  redux,
  // through the memory queue
  shuffle,
  match,
  special_register,
  memory,
  texture,
  other_queued,
  nothing,
  count
};
inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::count);

struct KindSpec {
  unsigned interval = 1;  // cycles that one warp instruction occupies its unit
  unsigned sharing = 1;   // processing blocks that have one unit together
  unsigned queue = 0;     // instructions that wait before the unit
};

enum class Access : std::uint8_t {
  load_global_32,
  load_global_64,
  load_global_128,
  store_global_32,
  store_global_64,
  store_global_128,
  load_shared_32,
  load_shared_64,
  load_shared_128,
  store_shared_32,
  store_shared_64,
  store_shared_128,
  load_generic_32,
  load_local_32,
  store_local_32,
  load_constant_32,
  load_constant_64,
  copy_32,
  copy_64,
  copy_128,
  load_matrix_1,
  load_matrix_2,
  load_matrix_4,
  store_matrix_4,
  atomic_shared,
  atomic_global,
  reduce_global,
  texture,
  count
};
inline constexpr std::size_t access_count = static_cast<std::size_t>(Access::count);

struct AccessSpec {
  unsigned war = 1;
  unsigned raw = 1;
  unsigned war_uniform = 1;
  unsigned raw_uniform = 1;
};

// What a fetch takes to its result: texels by number, through the filter, weighted, and of a surface.
struct TextureSpec {
  unsigned texel_latency = 1;
  unsigned nearest_latency = 1;
  unsigned linear_latency = 1;
  unsigned surface_latency = 1;
  unsigned request_interval = 1;  // see calibration
  unsigned header_latency = 0;
  unsigned tag_banks = 4;         // of the texture units' own lookups: a line's number modulo these
  unsigned piece_banks = 8;       // of the data array, in 16-byte pieces
  unsigned pieces_per_cycle = 4;
};

struct MemoryUnitSpec {
  unsigned queue_entries = 5;  // of a processing block, the latch included
  unsigned slot_release = 11;  // start of service to the slot being free again; a cycle more for addresses of over two
  unsigned address_interval = 4;
  unsigned address_interval_uniform = 2;
  unsigned address_interval_shared_load = 4;
  unsigned address_interval_store_global = 4;
  unsigned address_interval_atomic_generic = 4;  // to shared memory
  unsigned match_value_latency = 0;
  unsigned match_value_interval = 1;
  unsigned store_hold = 0;       // that a store waits for one to join it
  double store_hold_line = 0;    // the same more for each line of it beyond the first
  unsigned stored_lines = 0;     // that can be joined, 0: none
  unsigned stored_narrow_lines = 0;  // the same of stores narrower than a word
  unsigned joined_pieces = 3;        // of a line that shared memory has apart, with which a copy is joined to others
  unsigned stored_open_rows = 1;     // of a line of each bank of the tags, that still take lines
  unsigned leaving_lines = 0;        // behind these, which leave: a store to one of them takes it from the L1
  unsigned leaving_cycles = 0;       // that a store's first line takes to leave, of the same kind as store_hold
  double leaving_interval = 0;       // more for each line of it that is before
  unsigned stores_in_line = 0;       // before the way to the L2, which no later store joins
  unsigned waiting_stores = 256;  // lines of stores that can wait for the way to the L2, up to WayOut::most_waiting
  unsigned outgoing_lines = 256;  // the same, where what the tags have passed on need not wait at the data array
  unsigned lines_of_a_bank = 256;  // of the tags, that a store may have for that
  unsigned crowded_lines = 0;      // fewer of outgoing_lines for each line beyond these
  double port_bytes_per_cycle = 32;  // of the way to the L2
  unsigned fence_turn = 0;  // cycles until a fence of the GPU stands behind the accesses that wait
  unsigned request_header = 32;      // bytes of a request without data
  unsigned store_global_interval = 1;  // of the unit that all processing blocks share
  unsigned shared_unit_interval = 1;
  unsigned data_queue =
      19;  // accesses to shared memory that may wait between the shared unit and the data stage
  unsigned loads_in_flight = 1024;
  // shared memory
  unsigned banks = 32;
  unsigned bank_bytes = 4;
  unsigned conflict_pass_cost = 1;     // of the data stage
  unsigned conflict_pass_latency = 1;  // that one more pass adds to the result's latency
  unsigned passes_64 = 2;
  unsigned passes_128 = 4;
  bool wide_loads_merge = false;
  bool bank_conflicts = true;
  bool one_data_stage_with_l1 = true;
  // atomics on shared memory: latency by number of lanes on one word
  std::vector<std::uint64_t> contention;
  std::vector<std::uint64_t> shared_atomic_latency;
  std::vector<std::uint64_t> global_atomic_latency;
  double shared_atomic_rate = 32;
};

struct L1Spec {
  unsigned line_bytes = 128;
  unsigned sector_bytes = 32;
  unsigned sets = 4;
  ParityHash set_hash;    // of a line's number, where there are tag_ways; without bits it is not known
  unsigned tag_ways = 0;  // lines of one set, of which the data holds fewer in all; 0: no such limit
  unsigned new_line_age = 0;  // hits of the set ago that a new line counts as hit
  unsigned evicted_at_once = 1;  // lines that make way together when the data is full
  unsigned size_bytes = 128 << 10;  // unified memory
  unsigned max_data_bytes = 128 << 10;
  std::vector<std::uint64_t> carveouts;   // sizes of the shared part, ascending
  std::vector<std::uint64_t> data_sizes;  // data cache left by each carve-out; may be empty
  unsigned hit_latency = 30;
  unsigned miss_latency = 10;  // start of service to the request leaving the SM
  TagBanks tag_banks;
  unsigned bytes_per_cycle = 128;
  unsigned banks = 32;
  unsigned bank_bytes = 4;
  unsigned misses_in_flight = 256;  // lines
  unsigned sectors_in_flight = 1024;
  // Cycles of the way back for each pass of an atomic's results over the banks, where it returns a word of each line, and several;
  // and for the result of each further lane on a word.
  double atomic_return_interval = 0;
  double atomic_return_interval_words = 0;
  double atomic_return_interval_turn = 0;
  unsigned fill_interval = 0;  // data-stage cycles of a sector's fill
  unsigned data_queue = 6;     // accesses that may wait between tags and data
  bool stores_allocate = false;
  Victim victim = Victim::oldest;
};

// Functions of the driver, in cycles of a warp of one lane, and what more lanes and characters add.
struct CallSpec {
  struct Cost {
    unsigned once = 0;
    unsigned lane = 0;         // more for each further one
    unsigned passed_lane = 0;  // that does not call, below the highest that does
    unsigned character = 0;
    unsigned string_character = 0;
    unsigned empty_argument = 0;
  };
  struct Function {
    Cost cycles;
    Cost instructions;
    Cost interval;       // cycles between two calls of the chip
    unsigned first = 0;  // more cycles for an SM's first call in a launch
  };
  Function print, allocate, release;
  unsigned print_arguments = 0;  // there is room for
  unsigned print_before_stores = 0;
  unsigned print_empty_argument_stores = 0;  // of each lane, to the host's memory
};

// Shared memory of other SMs, and barriers of clusters.
struct ClusterSpec {
  unsigned load_latency = 0;  // where blocks are of one TPC
  unsigned far_extra = 0;
  unsigned atomic_extra = 0;
  // Cycles of the way out of the SM that asks: of loads, lines and their sectors; of stores and atomics, packets of a sector; more
  // for each further sector of an atomic's line, and each lane of it that others precede at their bank.
  double load_line = 0;
  double load_sector = 0;
  double packet = 0;
  double atomic_sector = 0;
  double atomic_turn = 0;
  // Of the SM that is asked: a packet's way in, a sector's way out, and a packet's acknowledgement; passes of the data array that a
  // sector takes which is read.
  double arrival_packet = 0;
  double answer_sector = 0;
  double acknowledgement = 0;
  double sector_passes = 0;
  double window = 0;   // see ClusterPorts
  unsigned ahead = 0;  // what waits for the way does not hold up others for so long
  unsigned arrival = 0;  // at another block's barrier object
  unsigned between_blocks = 0;     // of a bulk copy, its bytes aside
  double between_blocks_byte = 0;  // cycles of it
  unsigned barrier_latency = 0;
  unsigned barrier_alone = 0;
  unsigned object_latency = 0;  // of a barrier object's answer
  unsigned object_wake = 0;     // from what ends a phase to the answer of the first warp that stands there
  unsigned object_wake_interval = 0;  // to those of others
  unsigned object_patience = 0;       // for which a warp stands there
};

// The tensor memory accelerator of an SM.
struct BulkSpec {
  unsigned issue = 0;  // to the first line that is asked for
  unsigned done = 0;   // from the last line to the end of the barrier object's phase
  unsigned map = 0;    // more for an SM's first copy by a tensor map
  double line = 0;     // cycles between two lines
  double row = 0;      // between two rows of a tile
  unsigned store = 0;  // to the first line that is read
  double store_byte = 0;
  double reduction_byte = 0;
};

// Warpgroup matrix instructions: a warp's part takes one processing block's tensor core.
struct GroupProductSpec {
  double column = 0;  // cycles
  double least = 0;
  double least_column = 0;
  unsigned latency = 0;  // from ARRIVE to the end of DEPBAR, columns aside
  double register_least = 0;     // where operand A comes from registers
  unsigned register_sooner = 0;  // its results
  unsigned arrive = 0;
  unsigned queue = 0;        // products that may have yet to begin when another issues, 0: any number
  unsigned queue_delay = 0;  // from when one begins to when another may issue for it
  unsigned write_period = 0;  // of so many cycles while one runs, in which others' results are written; 0: no matter when
  unsigned write_window = 0;  // its first ones, for one warp
  unsigned pipe_delay = 0;    // for which others keep the special function unit longer while one runs
  double xu_delay = 0;        // for which each instruction of other pipes puts off what that takes next
  double shared_latency = 0;  // of loads of shared memory, where products have half of the data array
};

struct SmSpec {
  unsigned subcores = 4;
  unsigned warps = 64;
  IssueSpec issue;
  FrontEndSpec front_end;
  ConstantSpec constant;
  RegisterFileSpec registers;
  std::array<KindSpec, kind_count> kinds{};
  KindSpec fma_lite;  // interval 0: no second FP32 half
  bool uniform_datapath = true;
  std::array<AccessSpec, access_count> access{};
  MemoryUnitSpec memory;
  TextureSpec texture;
  L1Spec l1;
  CallSpec calls;
  ClusterSpec cluster;
  BulkSpec bulk;
  GroupProductSpec group_product;
  // Issue to issue of a consumer, by sass::Opcode; 0 where none is known.
  std::vector<unsigned> opcode_latency;
  // Interval and latency of matrix instructions, indexed by Matrix.
  std::array<unsigned, 24> matrix_interval{};
  std::array<unsigned, 24> matrix_latency{};
};

// Order of SmSpec::matrix_*.
enum class Matrix : std::uint8_t {
  hmma_884_f16,
  hmma_884_f32,
  hmma_1688_f16,
  hmma_1688_f32,
  hmma_16816_f16,
  hmma_16816_f32,
  hmma_1684_tf32,
  hmma_1688_tf32,
  imma_8816,
  imma_16816,
  imma_16832,
  imma_8832,
  imma_16864,
  hmma_sp_16816_f16,
  hmma_sp_16816_f32,
  hmma_sp_16832_f16,
  hmma_sp_16832_f32,
  hmma_sp_1688_tf32,
  hmma_sp_16816_tf32,
  imma_sp_16832,
  imma_sp_16864,
  bmma_88128,
  dmma_884,
  movm,
};

}  // namespace warpgauge::model
