// What the SM needs to know of a static instruction, worked out once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/sm/spec.h"
#include "traces/sass/instruction.h"

namespace warpgauge::model {

// How the memory queue treats an instruction; what is only known when it executes (generic addresses) comes
// from traces::Issued.
enum class QueuedKind : std::uint8_t {
  none,
  data,      // load, store, atomic: see traces::Issued
  constant,  // LDC, MATCH: turn by turn
  matrix_load,
  matrix_store,
  shuffle,
  simple,  // a result after a fixed time: S2R …
};

enum class Membar : std::uint8_t { none, cta, gpu, sys };

// The scheduling code, stall count and yield flag together, as the scheduler obeys it.
struct IssueCode {
  std::uint8_t hold = 1;  // cycles until the warp may issue again
  bool drain = false;
};

// The five bits [105:110) of the word: 0 drains, 1…15 wait and end the group, 17…27 wait 1…11 and go on.
IssueCode issue_code(const sass::Control& control, const IssueSpec& spec);

struct SourceRead {
  std::uint8_t reg = 0;
  std::uint8_t bank = 0;
  std::uint8_t slot = 0;
  bool reuse = false;
  bool factor = false;  // of a product of 64 bits, which of results on their way multiplies only another pipe's newest
  bool late = false;    // read in the last stage at the soonest: the high word that such a product is added to
};

// Registers that are read one by one when an instruction has left the queue: data, then the address.
struct LaterReads {
  std::uint8_t count = 0;
  std::uint16_t banks = 0;  // bit n: of the nth
  void add(unsigned reg, unsigned registers) {
    for (unsigned r = 0; r < registers && count < 16; ++r, ++count) banks = static_cast<std::uint16_t>(banks | ((reg + r) & 1U) << count);
  }
};

// By which way a fixed-latency result comes to those who cannot wait until it is in the file.
enum class ResultPath : std::uint8_t { none, fp32, alu, half, half_matrix, other };

struct StaticOp {
  static constexpr unsigned max_reads = 12;

  Unit unit = Unit::none;
  Unit other_unit = Unit::none;  // FP32 may go to either half
  Kind kind = Kind::nothing;
  QueuedKind queued = QueuedKind::none;
  std::uint8_t interval = 1;
  std::uint8_t other_interval = 1;
  std::uint8_t unit_queue = 0;
  LaterReads later;                  // of an instruction of variable latency
  std::uint8_t allocate_cycles = 1;  // in the allocate stage
  std::uint8_t unit_interval = 0;  // of the unit behind all blocks' memory queues; 0: as long as others
  bool unit_shared = false;

  std::uint8_t hold = 1;
  bool yields = false;
  std::uint8_t late = 0;  // cycles for which dispatch holds the next instruction back, the stall count aside
  std::uint8_t wait_mask = 0;
  std::uint8_t write_counter = sass::Control::no_barrier;
  std::uint8_t read_counter = sass::Control::no_barrier;
  bool long_counter = false;                                // its counters are waited for as long_scoreboard
  std::uint8_t depbar_counter = sass::Control::no_barrier;  // DEPBAR.LE SBn, k
  std::uint8_t depbar_count = 0;

  std::uint16_t latency = 1;  // issue to issue of a consumer, variable-latency units
  std::uint16_t release = 1;  // issue to release of the sources

  std::uint8_t read_count = 0;
  std::uint8_t written = 255;       // the first register that a fixed-latency instruction writes
  std::uint8_t written_count = 0;
  bool writes_on_time = false;      // whether such a one of a pipe for arithmetic writes registers
  std::uint8_t written_banks = 0;   // bit n: bank n, of a fixed-latency instruction
  std::uint32_t results = 0;        // LoadResults of one of variable latency
  std::array<SourceRead, max_reads> reads{};
  bool repeats = false;            // some of them are of one register
  std::uint8_t read_window = 3;  // stages behind the allocate stage in which it reads
  std::uint8_t latch_cycles = 0;  // for which it keeps its latches when it has left them
  bool own_latches = false;       // reads past those of the other pipes
  std::uint8_t result_late = 0;   // cycles by which its result is written later than others'
  bool both_halves = false;       // takes both of the FP32 pipe's
  std::uint8_t high_late = 0;     // the same of the high word of a product of 64 bits
  ResultPath path = ResultPath::none;
  // While there is room for it.
  void add_read(const SourceRead& read) {
    for (unsigned before = 0; before < read_count; ++before) repeats = repeats || reads[before].reg == read.reg;
    reads[read_count++] = read;
  }

  std::uint32_t constant_line = no_constant;  // of a c[][] operand that is looked up at issue
  bool indexed_constant = false;  // of one whose place a register says: known when it has issued
  static constexpr std::uint32_t no_constant = ~std::uint32_t{0};
  std::uint8_t constant_bank = 0;  // of an LDC

  bool variable = false;  // reports by dependence counters, not by the stall count
  bool branch = false;
  bool indirect = false;
  bool breaks = false;       // BREAK
  bool matches_all = false;  // MATCH.ALL: one turn, whatever the values
  bool reconverge = false;
  bool barrier = false;
  bool defers = false;           // BAR.SYNC and BAR.RED.DEFER_BLOCKING: instructions that pass do not wait for it
  bool passes_barriers = false;  // of a pipe with a fixed latency, which reads and writes registers only
  bool exit = false;
  std::uint16_t begins_region = 0;     // BSSY: the bit of its convergence barrier
  std::uint16_t restores_barrier = 0;  // BMOV into one
  std::uint16_t meets_at = 0;          // BSYNC
  bool group_end = false;  // LDGDEPBAR: its counter falls when the copies before it are done
  bool uniform_address = false;
  bool generic = false;  // LD, ST, ATOM: the space is known only when it executes
  bool system = false;   // a load of what the whole system has written
  bool past_l1 = false;  // a load that asks the L2, whatever the L1 has
  Keep keep = Keep::as_others;
  bool frame_stays = false;  // stores to local memory that the L1 has not are counted as hits
  bool prefetch = false;     // a load of whole lines to the L2, for which nobody waits and which nothing comes back for
  bool whole_line = false;  // what it misses in the L2 is fetched with all of its line: L2::128B and L2::256B of PTX
  bool atomic_float = false;
  bool atomic_swap = false;        // compare and swap: two operands a lane
  bool atomic_spin = false;        // ATOMS.CAST.SPIN: tries one lane of each bank
  bool atomic_aggregated = false;  // ATOMS.POPC.INC: lanes on one word count as one
  std::uint8_t matrices = 1;       // LDSM, STSM: of eight rows each
  bool empties_l1 = false;         // CCTL.IVALL
  Membar membar = Membar::none;
  bool meets = false;              // WARPSYNC.COLLECTIVE
  bool ends_collective = false;
  bool steps_back = false;         // YIELD
  bool names_masks = false;        // WARPSYNC with its mask in a register, neither .COLLECTIVE nor .EXCLUSIVE
  bool sleeps = false;            // NANOSLEEP
  bool matrix = false;            // for the matrix units, FP64's aside: its GPC's clock is slower then
  bool drains_queue = false;      // MEMBAR of a block, FENCE.VIEW.ASYNC.S: done when what waits in the memory queue has been served
  bool flushes_bulk = false;      // UTMACMDFLUSH: done when what the copies before it store has been read
  std::uint16_t product_interval = 0;  // of a warpgroup product, of its tensor core; 0: it is none
  std::uint16_t product_latency = 0;   // from there to its results
  std::uint16_t product_reads = 0;     // of shared memory, by the whole warpgroup: passes over the data array
  bool ends_products = false;          // the group of products ends with it
  std::uint8_t awaits_products = 0;    // WARPGROUP.DEPBAR: one more than the groups that may be under way
  std::uint16_t fence_hold = 0;   // CGAERRBAR: until the warp's next instruction, at least
  std::uint16_t branch_hold = 0;  // until the warp's next instruction, at least: WARPSYNC, BMOV
  std::uint16_t extra_hold = 0;   // beyond what its branch takes, or its barrier
};

std::vector<StaticOp> predecode(std::span<const sass::Instruction> code, const SmSpec& spec);

}  // namespace warpgauge::model
