#include "model/sm/decoded.h"

#include <algorithm>
#include <string>

#include "model/sm/constant_cache.h"
#include "model/sm/write_slots.h"
#include "traces/sass/print.h"

namespace warpgauge::model {
namespace {

constexpr unsigned invalidate_all = 4;  // CCTL.IVALL

using sass::Modifier;
using sass::Opcode;
using sass::OperandKind;

struct Class {
  Kind kind = Kind::nothing;
  Unit unit = Unit::none;
};

bool is_atomic(Opcode opcode) {
  return opcode == Opcode::ATOM || opcode == Opcode::ATOMG || opcode == Opcode::ATOMS ||
         opcode == Opcode::RED || opcode == Opcode::REDG;
}

// Pipe membership: sm-facts of Huerta et al. (MICRO 2025) and the scheduling tables of sm_90.
Class classify(Opcode opcode) {
  if (sass::loads_or_stores(opcode)) return {Kind::memory, Unit::memory};
  if (sass::is_warpgroup_product(opcode)) return {Kind::nothing, Unit::none};
  switch (opcode) {
    case Opcode::FADD:
    case Opcode::FMUL:
    case Opcode::FFMA:
    case Opcode::FSWZADD:
      return {Kind::fp32, Unit::fma_heavy};
    case Opcode::IMAD:
    case Opcode::IDP:
    case Opcode::VIADD:
      return {Kind::imad, Unit::fma_heavy};
    case Opcode::IMAD_WIDE:
    case Opcode::IMAD_HI:
      return {Kind::imad_wide, Unit::fma_heavy};
    case Opcode::HADD2:
    case Opcode::HADD2_32I:
    case Opcode::HMUL2:
    case Opcode::HFMA2:
    case Opcode::HFMA2_MMA:
    case Opcode::HSET2:
    case Opcode::HSETP2:
    case Opcode::HMNMX2:
    case Opcode::VHMNMX:
      return {Kind::fp16, Unit::fp16};
    case Opcode::DADD:
    case Opcode::DMUL:
    case Opcode::DFMA:
    case Opcode::DSETP:
    case Opcode::DMNMX:
      return {Kind::fp64, Unit::fp64};
    case Opcode::MUFU:
    case Opcode::FCHK:
      return {Kind::mufu, Unit::xu};
    case Opcode::POPC:
    case Opcode::FLO:
    case Opcode::BREV:
      return {Kind::bits, Unit::xu};
    case Opcode::F2F:
    case Opcode::F2I:
    case Opcode::I2F:
    case Opcode::FRND:
    case Opcode::I2I:
      return {Kind::conversion, Unit::xu};
    case Opcode::VOTE:
    case Opcode::VOTEU:
      return {Kind::vote, Unit::alu};
    case Opcode::PLOP3:
    case Opcode::P2R:
    case Opcode::R2P:
      return {Kind::predicate, Unit::alu};
    case Opcode::CS2R:
      return {Kind::clock, Unit::alu};
    case Opcode::REDUX:
      return {Kind::redux, Unit::memory};
    // Between any two others of the uniform pipe, and of each other, an issue slot each (probe registers.pipes).
    case Opcode::UMOV:
      return {Kind::uniform, Unit::none};
    case Opcode::UIADD3:
    case Opcode::UIADD3_64:
    case Opcode::UIMAD:
    case Opcode::UIMAD_WIDE:
    case Opcode::UIMAD_HI:
    case Opcode::ULOP3:
    case Opcode::ULEA:
    case Opcode::USHF:
    case Opcode::USEL:
    case Opcode::UISETP:
    case Opcode::UPLOP3:
    case Opcode::UPRMT:
    case Opcode::UFLO:
    case Opcode::UBREV:
    case Opcode::UPOPC:
    case Opcode::USGXT:
    case Opcode::UBMSK:
    case Opcode::UP2UR:
    case Opcode::UR2UP:
    case Opcode::UPSETP:
    case Opcode::ULEPC:
      return {Kind::uniform, Unit::uniform};
    case Opcode::ULDC:
      return {Kind::uniform_load, Unit::uniform};
    case Opcode::R2UR:
      return {Kind::uniform_move, Unit::alu};
    case Opcode::BRA:
    case Opcode::BRX:
    case Opcode::BRXU:
    case Opcode::JMP:
    case Opcode::JMX:
    case Opcode::JMXU:
    case Opcode::BSSY:
    case Opcode::BSYNC:
    case Opcode::BREAK:
    case Opcode::BMOV:
    case Opcode::CALL:
    case Opcode::RET:
    case Opcode::EXIT:
    case Opcode::KILL:
    case Opcode::WARPSYNC:
    case Opcode::ENDCOLLECTIVE:
    case Opcode::YIELD:
    case Opcode::RPCMOV:
    case Opcode::RPCMOV_64:
      return {Kind::branch, Unit::branch};
    case Opcode::HMMA:
    case Opcode::IMMA:
    case Opcode::BMMA:
    case Opcode::DMMA:
    case Opcode::MOVM:
      return {Kind::matrix, Unit::tensor};
    case Opcode::SHFL:
      return {Kind::shuffle, Unit::memory};
    case Opcode::MATCH:
      return {Kind::match, Unit::memory};
    case Opcode::S2R:
    case Opcode::S2UR:
    case Opcode::B2R:
    case Opcode::S2T:
      return {Kind::special_register, Unit::memory};
    case Opcode::TEX:
    case Opcode::TLD:
    case Opcode::TLD4:
    case Opcode::TMML:
    case Opcode::TXD:
    case Opcode::TXQ:
    case Opcode::SULD:
    case Opcode::SUST:
    case Opcode::SUATOM:
    case Opcode::SURED:
      return {Kind::texture, Unit::memory};
    case Opcode::QSPC:
    case Opcode::CCTL:
    case Opcode::CCTLL:
    case Opcode::CCTLT:
    case Opcode::AL2P:
    case Opcode::SYNCS:
    case Opcode::ARRIVES:
    case Opcode::LDGDEPBAR:
    case Opcode::STAS:
    case Opcode::REDAS:
    case Opcode::UBLKCP:
    case Opcode::UBLKRED:
    case Opcode::UBLKPF:
    case Opcode::UTMALDG:
    case Opcode::UTMASTG:
    case Opcode::UTMAREDG:
    case Opcode::UTMAPF:
    case Opcode::UTMACCTL:
    case Opcode::UTMACMDFLUSH:
      return {Kind::other_queued, Unit::memory};
    case Opcode::NOP:
    case Opcode::BAR:
    case Opcode::DEPBAR:
    case Opcode::MEMBAR:
    case Opcode::ERRBAR:
    case Opcode::CGAERRBAR:
    case Opcode::FENCE:
    case Opcode::NANOSLEEP:
    case Opcode::PMTRIG:
    case Opcode::BPT:
    case Opcode::WARPGROUP:
    case Opcode::PREEXIT:
    case Opcode::ACQBULK:
    case Opcode::ACQSHMINIT:
    case Opcode::DEPBAR_ALL:
    case Opcode::UCGABAR_ARV:
    case Opcode::UCGABAR_WAIT:
    case Opcode::USETMAXREG:
    case Opcode::WARPGROUPSET:
    case Opcode::unknown:
      return {Kind::nothing, Unit::none};
    default:
      return {Kind::alu, Unit::alu};
  }
}

unsigned matrix_index(const sass::Instruction& i) {
  const bool wide_accumulator = i.has(Modifier::accumulate_f32) || i.modifier(Modifier::output_type) != 0;
  const auto pick = [&](Matrix f16, Matrix f32) {
    return static_cast<unsigned>(wide_accumulator ? f32 : f16);
  };
  switch (i.opcode) {
    case Opcode::HMMA: {
      if (i.architecture == sass::Architecture::sm70) return pick(Matrix::hmma_884_f16, Matrix::hmma_884_f32);
      // Bits 78 and 75 of the word: 0 is 1688, 75 is 16816, 78 is 1684 (table 3.8 of the encoding notes).
      const bool bit75 = i.word.bits(75, 1) != 0;
      const bool bit78 = i.word.bits(78, 1) != 0;
      if (i.word.bits(82, 2) == 2) {
        return static_cast<unsigned>(bit78 ? Matrix::hmma_1684_tf32 : Matrix::hmma_1688_tf32);
      }
      return bit75 ? pick(Matrix::hmma_16816_f16, Matrix::hmma_16816_f32)
                   : pick(Matrix::hmma_1688_f16, Matrix::hmma_1688_f32);
    }
    case Opcode::IMMA: {
      const bool narrow = i.word.bits(83, 1) != 0;
      const bool deep = i.word.bits(75, 1) != 0;
      if (narrow) return static_cast<unsigned>(deep ? Matrix::imma_16864 : Matrix::imma_8832);
      const unsigned sources = i.operand_count > 1 ? i.operand(1).registers : 1;
      if (sources <= 1) return static_cast<unsigned>(Matrix::imma_8816);
      return static_cast<unsigned>(sources >= 4 ? Matrix::imma_16832 : Matrix::imma_16816);
    }
    case Opcode::BMMA:
      return static_cast<unsigned>(Matrix::bmma_88128);
    case Opcode::DMMA:
      return static_cast<unsigned>(Matrix::dmma_884);
    case Opcode::MOVM:
      return static_cast<unsigned>(Matrix::movm);
    default:
      return static_cast<unsigned>(Matrix::hmma_16816_f32);
  }
}

bool fetches_whole_lines(const sass::Instruction& i) {
  constexpr unsigned ltc_128 = 2;
  return (i.opcode == Opcode::LDG || i.opcode == Opcode::LDGSTS) && i.modifier(Modifier::prefetch_size) >= ltc_128;
}

Keep keep_in_l1(const sass::Instruction& i) {
  switch (i.opcode) {
    case Opcode::LD:
    case Opcode::LDG:
    case Opcode::LDL:
    case Opcode::ST:
    case Opcode::STG:
    case Opcode::STL:
      break;
    default:
      return Keep::as_others;
  }
  constexpr Keep kinds[] = {Keep::first_to_go, Keep::as_others, Keep::longer,    Keep::last_use,
                            Keep::unchanged,   Keep::not_at_all, Keep::as_others, Keep::as_others};
  return kinds[i.modifier(Modifier::cache_eviction) & 7U];
}

// Loads that see what other SMs wrote: ld.volatile, ld.cg, ld.relaxed and ld.acquire beyond the block, copies
// to shared memory that bypass (probes memory.footprints, spin.rate, memory.async).
bool goes_past_l1(const sass::Instruction& i) {
  if (i.opcode == Opcode::LDGSTS) {
    constexpr unsigned bypass = 0;
    return i.modifier(Modifier::bypass) == bypass;
  }
  if (i.opcode != Opcode::LDG && i.opcode != Opcode::LD) return false;
  if (i.architecture < sass::Architecture::sm80) {
    constexpr unsigned strong = 2;
    constexpr unsigned gpu = 2;
    return i.modifier(Modifier::order_kind) >= strong && i.modifier(Modifier::scope) >= gpu;
  }
  switch (i.modifier(Modifier::ordering)) {
    case 6:   // STRONG.GPU.PRIVATE
    case 7:   // STRONG.GPU
    case 8:   // MMIO.GPU
    case 10:  // STRONG.SYS
    case 12:  // MMIO.SYS
      return true;
    default:
      return false;
  }
}

bool reads_l0_constants(const StaticOp& op) {
  return op.unit != Unit::memory && op.unit != Unit::xu;
}

// Registers of an instruction of variable latency that take the ports' time: those of an address but the first, or data and then
// all of its address (probes issue.mixes and registers.pipes).
LaterReads later_reads(const sass::Instruction& i) {
  LaterReads reads;
  const auto is_read = [](const sass::Operand& o) { return o.index != sass::Operand::rz && o.access != sass::Access::write; };
  for (const sass::Operand& o : i.operands())
    if (o.kind == OperandKind::register_ && is_read(o)) reads.add(o.index, std::max<unsigned>(o.registers, 1));
  const unsigned first = reads.count != 0 ? 0 : 1;
  for (const sass::Operand& o : i.operands())
    if (o.kind == OperandKind::address && is_read(o) && o.index != sass::Operand::no_base) {
      const unsigned count = o.wide_base ? 2 : 1;
      reads.add(o.index + first, count - std::min(count, first));
    }
  return reads;
}

void add_reads(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  if (op.unit == Unit::memory || op.unit == Unit::xu || op.unit == Unit::none || op.unit == Unit::branch)
    return;
  unsigned next_slot = 0;
  unsigned sources = 0;
  const bool wide = op.kind == Kind::imad_wide && spec.issue.wide_multiply_distance != 0;
  for (const sass::Operand& operand : i.operands()) {
    const bool factor = wide && operand.access != sass::Access::write && sources++ < 2;
    if (operand.kind != OperandKind::register_) continue;
    if (operand.access != sass::Access::read && operand.access != sass::Access::read_write) continue;
    if (operand.index == sass::Operand::rz) {
      ++next_slot;
      continue;
    }
    const unsigned slot = operand.slot == sass::SourceSlot::none ? std::min(next_slot, 2U)
                                                                 : static_cast<unsigned>(operand.slot) - 1;
    ++next_slot;
    const unsigned count = std::max<unsigned>(operand.registers, 1);
    for (unsigned r = 0; r < count && op.read_count < StaticOp::max_reads; ++r) {
      SourceRead read;
      read.reg = static_cast<std::uint8_t>(operand.index + r);
      read.bank = static_cast<std::uint8_t>(read.reg % spec.registers.banks);
      read.slot = static_cast<std::uint8_t>(slot);
      read.reuse = operand.reuse || ((i.control.reuse >> slot) & 1) != 0;
      read.factor = factor;
      read.late = wide && !factor && r == 1;
      op.add_read(read);
    }
  }
}

void add_writes(StaticOp& op, const sass::Instruction& i) {
  for (const sass::Operand& operand : i.operands()) {
    if (operand.kind != OperandKind::register_ || operand.index == sass::Operand::rz) continue;
    if (operand.access == sass::Access::read) continue;
    op.written = static_cast<std::uint8_t>(operand.index);
    op.written_count = static_cast<std::uint8_t>(std::max<unsigned>(operand.registers, 1));
    op.written_banks = static_cast<std::uint8_t>(op.written_count > 1 ? 3 : 1 << operand.index % 2);
    return;
  }
}

bool is_arithmetic(Unit unit) {
  return unit == Unit::fma_heavy || unit == Unit::fma_lite || unit == Unit::alu || unit == Unit::fp16 || unit == Unit::fp64;
}

// How a pipe reads and writes beside the others (probe registers.pipes): half precision takes both FP32 halves, HFMA2.MMA has
// latches of its own, it and FP64 write later, and products of 64 bits keep their latches for as long as they take longer.
void decode_result(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  const bool half_matrix = i.opcode == Opcode::HFMA2_MMA;
  const bool wide = op.kind == Kind::imad_wide;
  op.both_halves = spec.fma_lite.interval != 0 && op.unit == Unit::fma_heavy && op.kind == Kind::fp16;
  if (op.both_halves) op.other_interval = static_cast<std::uint8_t>(spec.fma_lite.interval);
  if (wide) {
    // Other warps wait as well (probe issue.mixes).
    op.late = static_cast<std::uint8_t>(spec.issue.wide_multiply_extra);
    op.allocate_cycles = static_cast<std::uint8_t>(1 + spec.issue.wide_multiply_extra);
    op.latch_cycles = static_cast<std::uint8_t>(spec.issue.wide_multiply_extra);
    op.high_late = op.latch_cycles;
  }
  op.own_latches = half_matrix && spec.registers.late_write != 0;
  if (half_matrix || op.unit == Unit::fp64) op.result_late = static_cast<std::uint8_t>(spec.registers.late_write);
  if (!op.writes_on_time) return;
  op.path = half_matrix                                                 ? ResultPath::half_matrix
            : op.kind == Kind::fp16                                     ? ResultPath::half
            : op.kind == Kind::fp32 || op.kind == Kind::imad || wide    ? ResultPath::fp32
            : op.unit == Unit::alu                                      ? ResultPath::alu
                                                                        : ResultPath::other;
}

// What comes back in registers and looks for a cycle in which they are not written.
std::uint32_t load_results(const StaticOp& op, const sass::Instruction& i) {
  LoadResults results;
  results.special_function = op.unit == Unit::xu;
  if (!results.special_function && op.queued != QueuedKind::shuffle && op.queued != QueuedKind::data && op.queued != QueuedKind::matrix_load) return 0;
  for (const sass::Operand& operand : i.operands()) {
    if (operand.kind != OperandKind::register_ || operand.index == sass::Operand::rz) continue;
    if (operand.access == sass::Access::read) continue;
    const unsigned count = std::max<unsigned>(operand.registers, 1);
    const bool pairs = count > 1 && i.opcode == Opcode::LDS;
    if (pairs) results.pairs = static_cast<std::uint8_t>(count / 2);
    for (unsigned r = 0; r < count && !pairs; ++r) ++((operand.index + r) % 2 == 0 ? results.even : results.odd);
  }
  return results.packed();
}

bool writes_predicate(const sass::Operand& o) {
  return o.kind == OperandKind::predicate && o.access == sass::Access::write && o.index != sass::Operand::pt;
}

void decode_barrier(StaticOp& op, const sass::Instruction& i, const IssueSpec& spec) {
  const auto mode = static_cast<sass::BarrierMode>(i.modifier(Modifier::barrier_mode));
  const bool reduces = mode == sass::BarrierMode::reduce;
  op.barrier = true;
  op.defers = i.has(Modifier::defer_blocking) && (mode == sass::BarrierMode::sync || reduces);
  const bool by_register = std::ranges::any_of(i.operands(), [](const sass::Operand& o) { return o.kind == OperandKind::register_ && o.index != sass::Operand::rz; });
  op.extra_hold = static_cast<std::uint16_t>((reduces ? spec.barrier_reduction_extra : 0) + (by_register ? spec.barrier_register_extra : 0));
}

// The bit of the convergence barrier that a BSSY or BSYNC names, or that a BMOV writes.
std::uint16_t convergence_barrier(const sass::Instruction& i) {
  constexpr unsigned barriers = 16;  // a BMOV numbers them with other states of the warp, before those
  const auto bit = [](unsigned number) { return number < barriers ? static_cast<std::uint16_t>(1U << number) : std::uint16_t{0}; };
  const auto operands = i.operands();
  if (!operands.empty() && operands[0].kind == OperandKind::state) return bit(operands[0].index);
  const auto named = std::ranges::find(operands, OperandKind::convergence, &sass::Operand::kind);
  return named != operands.end() ? bit(named->index) : std::uint16_t{0};
}

// A mask in a register is another thing than one that the instruction names (docs/h200.md, collectives).
void decode_warp_sync(StaticOp& op, const sass::Instruction& i, const IssueSpec& spec) {
  const auto has = [&](auto is) { return std::ranges::any_of(i.operands(), is); };
  op.meets = has([](const sass::Operand& o) { return o.kind == OperandKind::target; });
  const bool in_register =
      has([](const sass::Operand& o) { return o.kind == OperandKind::register_ && o.index != sass::Operand::rz; });
  const bool exclusive = in_register && !op.meets && i.modifier(Modifier::other_0) != 0;
  op.names_masks = in_register && !op.meets && !exclusive;
  if (!op.names_masks)
    op.branch_hold = static_cast<std::uint16_t>(exclusive ? spec.warp_sync_exclusive_cost : spec.warp_sync_cost);
}

constexpr std::uint64_t phase_check = 0x1a7;  // SYNCS.PHASECHK

// A warpgroup product and those who wait for it: it goes to the tensor core by itself, and its registers are the program's to
// keep until its group is done.
void decode_group_product(StaticOp& op, const sass::Instruction& i, const GroupProductSpec& spec) {
  unsigned columns = 0;
  for (const sass::Operand& operand : i.operands())
    if (operand.kind == OperandKind::register_ && operand.access == sass::Access::write) columns = operand.registers;
  // m64nN: 4 rows of N columns a lane, of 32 or 16 bits.
  const bool half = i.opcode != Opcode::IGMMA && i.opcode != Opcode::BGMMA && i.modifier(Modifier::output_type) == 0;
  columns *= half ? 4U : 2U;
  const bool in_registers = i.word.bits(9, 3) == 6;  // operand A
  const double n = columns;
  const double least = in_registers ? spec.register_least : spec.least + n * spec.least_column;
  op.product_interval = static_cast<std::uint16_t>(std::max({1.0, n * spec.column, least}));
  // What takes the tensor cores at least is what the operands take of shared memory.
  op.product_reads = static_cast<std::uint16_t>(n * spec.least_column + (in_registers ? 0 : spec.least));
  const double all = spec.latency + n * spec.column - (in_registers ? spec.register_sooner : 0U);
  op.product_latency = static_cast<std::uint16_t>(std::max(1.0, all));
  // A number behind the operands names the group that it ends; compilers leave 7 where it ends none.
  constexpr unsigned none = 7;
  op.ends_products = i.word.bits(84, 3) != none;
}

}  // namespace

IssueCode issue_code(const sass::Control& control, const IssueSpec& spec) {
  const unsigned stall = control.stall;
  if (control.yield) {
    if (stall == 0) return {static_cast<std::uint8_t>(spec.drain_hold), true};
    return {static_cast<std::uint8_t>(std::max(stall, 1 + spec.yield_cost)), false};
  }
  if (stall > 11) return {static_cast<std::uint8_t>(spec.long_stall_without_yield), false};
  return {static_cast<std::uint8_t>(std::max(stall, 1U)), false};
}

std::vector<StaticOp> predecode(std::span<const sass::Instruction> code, const SmSpec& spec) {
  std::vector<StaticOp> ops;
  ops.reserve(code.size());
  for (const sass::Instruction& i : code) {
    StaticOp op;
    const Class c = classify(i.opcode);
    op.kind = c.kind;
    op.unit = c.unit;
    const KindSpec& kind = spec.kinds[static_cast<std::size_t>(op.kind)];
    op.interval = static_cast<std::uint8_t>(std::clamp(kind.interval, 1U, 255U));
    op.unit_queue = static_cast<std::uint8_t>(kind.queue);
    op.unit_shared = kind.sharing > 1;
    // Where FP32 has two halves, half precision goes to both, and the heavy one stands for them; .MMA to a pipe of its own.
    if (op.kind == Kind::fp16 && spec.fma_lite.interval != 0 && i.opcode != Opcode::HFMA2_MMA)
      op.unit = Unit::fma_heavy;
    if (op.kind == Kind::conversion) {
      const auto pair = std::find_if(i.operands().begin(), i.operands().end(), [](const sass::Operand& o) {
        return o.kind == OperandKind::register_ && o.registers == 2;
      });
      if (pair != i.operands().end()) {
        op.kind = pair->access == sass::Access::read ? Kind::conversion_narrow : Kind::conversion_wide;
        const KindSpec& wide_spec = spec.kinds[static_cast<std::size_t>(op.kind)];
        op.interval = static_cast<std::uint8_t>(std::clamp(wide_spec.interval, 1U, 255U));
        op.unit_shared = wide_spec.sharing > 1;
        op.unit_queue = static_cast<std::uint8_t>(wide_spec.queue);
      }
    }
    if (op.kind == Kind::fp32 && spec.fma_lite.interval != 0) {
      op.other_unit = Unit::fma_lite;
      op.other_interval = static_cast<std::uint8_t>(spec.fma_lite.interval);
    }
    const unsigned opcode_latency = static_cast<std::size_t>(i.opcode) < spec.opcode_latency.size()
                                        ? spec.opcode_latency[static_cast<std::size_t>(i.opcode)]
                                        : 0;
    op.latency = static_cast<std::uint16_t>(std::max(opcode_latency, 1U));
    if (op.kind == Kind::matrix) {
      const unsigned shape = matrix_index(i);
      op.interval = static_cast<std::uint8_t>(std::clamp(spec.matrix_interval[shape], 1U, 255U));
      op.latency = static_cast<std::uint16_t>(std::max(spec.matrix_latency[shape], 1U));
    }

    const IssueCode issue = issue_code(i.control, spec.issue);
    op.hold = issue.hold;
    op.yields = i.control.yield;
    op.wait_mask = i.control.wait_mask;
    op.write_counter = i.control.write_barrier;
    op.read_counter = i.control.read_barrier;
    op.variable = op.unit == Unit::memory || op.write_counter != sass::Control::no_barrier ||
                  op.read_counter != sass::Control::no_barrier;
    const unsigned reads = spec.issue.counter_visible_after + spec.registers.read_window;
    // The special-function unit reads its source over as many cycles as it works on it; a shuffle sends its
    // source as a store does.
    op.release = static_cast<std::uint16_t>(
        op.unit == Unit::xu        ? reads + op.interval
        : op.kind == Kind::shuffle ? spec.access[static_cast<std::size_t>(Access::store_shared_32)].war
                                   : reads);
    const RegisterFileSpec& file = spec.registers;
    const bool wide = op.kind == Kind::matrix;
    op.read_window = static_cast<std::uint8_t>(wide ? file.wide_read_window : file.read_window);
    const bool product = sass::is_warpgroup_product(i.opcode);
    if (product) decode_group_product(op, i, spec.group_product);
    op.matrix = product || i.opcode == Opcode::HMMA || i.opcode == Opcode::IMMA || i.opcode == Opcode::BMMA;
    if (!product) add_reads(op, i, spec);
    if (!op.variable && !product) add_writes(op, i);
    op.writes_on_time = op.written_count != 0 && is_arithmetic(op.unit);
    decode_result(op, i, spec);
    if ((op.unit == Unit::memory || op.unit == Unit::xu) && spec.registers.operand_cycles != 0) op.later = later_reads(i);

    for (const sass::Operand& operand : i.operands()) {
      if (operand.kind == OperandKind::constant) {
        op.constant_bank = static_cast<std::uint8_t>(operand.bank);
        const bool no_register =
            operand.index == sass::Operand::no_base || operand.index == sass::Operand::rz;
        if (i.opcode == Opcode::LDC && no_register) op.uniform_address = true;
        if (reads_l0_constants(op)) {
          op.indexed_constant =
              operand.uniform_index != sass::Operand::no_base && operand.uniform_index != sass::Operand::urz;
          const std::uint64_t byte = constant_byte(operand.bank, static_cast<std::uint64_t>(operand.value));
          if (!op.indexed_constant) op.constant_line = static_cast<std::uint32_t>(byte / spec.constant.l0_line_bytes);
        }
      }
      if (operand.kind == OperandKind::address && operand.index == sass::Operand::no_base)
        op.uniform_address = true;
      if (operand.kind == OperandKind::address && operand.index == sass::Operand::rz)
        op.uniform_address = true;
    }
    // LDS.U of Volta and Turing: the compiler knows that all lanes name one address.
    if (i.opcode == Opcode::LDS && i.modifier(Modifier::address_mode) == 1) op.uniform_address = true;

    op.past_l1 = goes_past_l1(i);
    op.keep = keep_in_l1(i);
    op.whole_line = fetches_whole_lines(i);
    switch (i.opcode) {
      case Opcode::LDC:
        op.queued = QueuedKind::constant;
        break;
      case Opcode::MATCH:
        op.queued = QueuedKind::constant;
        op.matches_all = !i.has(Modifier::match_any);
        break;
      case Opcode::REDUX:
      case Opcode::S2UR:
        op.queued = QueuedKind::constant;
        break;
      case Opcode::B2R:
        if (spec.constant.unit_takes_barriers) op.queued = QueuedKind::constant;
        if (std::any_of(i.operands().begin(), i.operands().end(), writes_predicate))
          op.latency = static_cast<std::uint16_t>(op.latency + spec.issue.barrier_predicate_extra);
        break;
      case Opcode::S2R:
        if (kind.sharing >= spec.subcores) op.unit_interval = op.interval;
        break;
      case Opcode::LD:
      case Opcode::ST:
      case Opcode::ATOM:
        op.generic = true;
        break;
      case Opcode::LDSM:
        op.queued = QueuedKind::matrix_load;
        op.matrices = static_cast<std::uint8_t>(1U << i.modifier(Modifier::matrix_count));
        break;
      case Opcode::STSM:
        op.queued = QueuedKind::matrix_store;
        op.matrices = static_cast<std::uint8_t>(1U << i.modifier(Modifier::matrix_count));
        break;
      case Opcode::SHFL:
        op.queued = QueuedKind::shuffle;
        break;
      case Opcode::LDGDEPBAR:
        op.queued = QueuedKind::simple;
        op.group_end = true;
        break;
      case Opcode::DEPBAR:
        for (const sass::Operand& operand : i.operands()) {
          if (operand.kind == OperandKind::dependence)
            op.depbar_counter = static_cast<std::uint8_t>(operand.index);
          if (operand.kind == OperandKind::immediate)
            op.depbar_count = static_cast<std::uint8_t>(operand.value);
          if (operand.kind == OperandKind::bitset)
            op.wait_mask |= static_cast<std::uint8_t>(operand.value & 0x3f);
        }
        op.hold = static_cast<std::uint8_t>(std::max<unsigned>(op.hold, spec.issue.depbar_cost));
        break;
      case Opcode::BAR:
        decode_barrier(op, i, spec.issue);
        break;
      case Opcode::EXIT:
      case Opcode::KILL:
        op.exit = true;
        op.branch_hold = static_cast<std::uint16_t>(spec.issue.exit_cost);  // of lanes that stay
        break;
      case Opcode::BSSY:
        op.begins_region = convergence_barrier(i);
        break;
      case Opcode::BSYNC:
        op.reconverge = true;
        op.meets_at = convergence_barrier(i);
        break;
      case Opcode::WARPSYNC:
        decode_warp_sync(op, i, spec.issue);
        break;
      case Opcode::ENDCOLLECTIVE:
        op.ends_collective = true;
        op.extra_hold = static_cast<std::uint16_t>(spec.issue.collective_cost);
        break;
      case Opcode::BMOV:
        op.branch_hold = static_cast<std::uint16_t>(spec.issue.convergence_move_cost);
        op.restores_barrier = convergence_barrier(i);
        break;
      case Opcode::YIELD:
        op.branch_hold = static_cast<std::uint16_t>(spec.issue.yield_instruction_cost);
        break;
      case Opcode::BRX:
      case Opcode::BRXU:
      case Opcode::JMX:
      case Opcode::JMXU:
      case Opcode::RET:
        op.branch = true;
        op.indirect = true;
        break;
      case Opcode::CALL:
        op.branch = true;
        op.indirect = std::any_of(i.operands().begin(), i.operands().end(), [](const sass::Operand& o) {
          return o.kind == OperandKind::register_ && o.index != sass::Operand::rz;
        });
        break;
      case Opcode::BREAK:
        op.branch = true;
        op.breaks = true;
        break;
      case Opcode::BRA:
      case Opcode::JMP:
        op.branch = true;
        break;
      case Opcode::CCTL:
        if (i.modifier(Modifier::cctl_op) == invalidate_all) {
          op.empties_l1 = true;
          op.latency = 1;
        }
        break;
      case Opcode::MEMBAR: {
        // The scope field: 0 CTA, 1 SM, 2 GPU, 3 SYS (nvdisasm's printing order).
        const unsigned scope =
            i.has(Modifier::scope) ? i.modifier(Modifier::scope) : i.modifier(Modifier::membar_kind);
        op.membar = scope == 3 ? Membar::sys : scope == 2 ? Membar::gpu : Membar::cta;
        op.drains_queue = op.membar == Membar::cta;
        break;
      }
      case Opcode::FENCE: {
        // Of shared memory (bit 72 clear) and of global memory, which waits for nothing.
        op.drains_queue = i.word.bits(72, 1) == 0;
        break;
      }
      case Opcode::CGAERRBAR:
        // What asks no memory need not wait, but compilers have an invalidation or an access behind it.
        op.fence_hold = static_cast<std::uint16_t>(spec.issue.cga_error_barrier);
        break;
      case Opcode::NANOSLEEP:
        op.sleeps = true;
        break;
      case Opcode::WARPGROUP:
        for (const sass::Operand& operand : i.operands())
          if (operand.kind == OperandKind::immediate)
            op.awaits_products = static_cast<std::uint8_t>(operand.value + 1);
        if (op.awaits_products == 0)
          op.hold = static_cast<std::uint8_t>(std::max<unsigned>(op.hold, spec.group_product.arrive));
        break;
      case Opcode::UTMACMDFLUSH:
        op.flushes_bulk = true;
        break;
      default:
        break;
    }
    if (op.unit == Unit::memory && op.queued == QueuedKind::none) {
      const bool asks_tags = op.kind == Kind::memory || op.kind == Kind::texture;
      op.queued = asks_tags ? QueuedKind::data : QueuedKind::simple;
    }
    if (op.variable) op.results = load_results(op, i);
    if (is_atomic(i.opcode)) {
      const std::string text = sass::print(i);
      const auto says = [&text](const char* what) { return text.find(what) != std::string::npos; };
      op.atomic_swap = says(".CAS");
      op.atomic_float = says(".F32") || says(".F64") || says(".F16") || says(".BF16");
      op.atomic_spin = says(".CAST.SPIN");
      op.atomic_aggregated = says(".POPC.INC");
    }
    switch (i.opcode) {
      case Opcode::LD:
      case Opcode::LDG:
      case Opcode::LDL:
      case Opcode::ST:
      case Opcode::STG:
      case Opcode::STL:
      case Opcode::ATOM:
      case Opcode::ATOMG:
      case Opcode::RED:
      case Opcode::REDG:
      case Opcode::LDGSTS:
      case Opcode::LDGDEPBAR:
      case Opcode::TEX:
      case Opcode::TLD:
      case Opcode::TLD4:
      case Opcode::SULD:
      case Opcode::SUST:
        op.long_counter = true;
        break;
      case Opcode::SYNCS:
        op.long_counter = i.word.bits(0, 9) == phase_check;
        break;
      case Opcode::MEMBAR:
      case Opcode::FENCE:
        op.long_counter = op.drains_queue;
        break;
      default:
        break;
    }
    // What waits there (probe issue.deferred; so do samples by instruction behind 300 barriers of kernels): accesses to
    // memory, whatever their guard says, loads of constants (ULDC, too), S2R, MUFU, UMOV, NOP, branches, BSSY and EXIT; no
    // other arithmetic, nor R2UR.
    op.passes_barriers = i.opcode == Opcode::R2UR ||
                         (!op.variable && op.unit != Unit::none && op.unit != Unit::branch && op.unit != Unit::xu &&
                          op.unit != Unit::memory && i.opcode != Opcode::ULDC && i.opcode != Opcode::UMOV);
    ops.push_back(op);
  }
  // Where nothing is read for the last time, a profiler's earlier passes have left the frames in the L1.
  const auto last = [](const StaticOp& op) { return op.keep == Keep::last_use; };
  if (std::none_of(ops.begin(), ops.end(), last))
    for (StaticOp& op : ops) op.frame_stays = true;
  return ops;
}

}  // namespace warpgauge::model
