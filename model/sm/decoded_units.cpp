// Which pipe each opcode goes to, and what it takes there.
#include <algorithm>

#include "model/sm/decoded_parts.h"

namespace warpgauge::model {
namespace {

using sass::Modifier;
using sass::Opcode;
using sass::OperandKind;

struct Class {
  Kind kind = Kind::nothing;
  Unit unit = Unit::none;
};

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
    // Between any two others of the uniform pipe, and of each other, an issue slot each (probe
    // registers.pipes).
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

// Of a sparse product, told by how many registers A spans, as two types of one width are alike.
unsigned sparse_matrix_index(const sass::Instruction& i) {
  const bool deep = i.operand_count > 1 && i.operand(1).registers >= 4;
  const auto pick = [deep](Matrix narrow, Matrix wide) { return static_cast<unsigned>(deep ? wide : narrow); };
  if (i.opcode == Opcode::IMMA) return pick(Matrix::imma_sp_16832, Matrix::imma_sp_16864);
  if (i.word.bits(82, 2) == 2) return pick(Matrix::hmma_sp_1688_tf32, Matrix::hmma_sp_16816_tf32);
  return i.modifier(Modifier::output_type) != 0 ? pick(Matrix::hmma_sp_16816_f32, Matrix::hmma_sp_16832_f32)
                                                : pick(Matrix::hmma_sp_16816_f16, Matrix::hmma_sp_16832_f16);
}

unsigned matrix_index(const sass::Instruction& i) {
  if (i.has(Modifier::sparse)) return sparse_matrix_index(i);
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

// A warpgroup product and those who wait for it: it goes to the tensor core by itself, and its registers are
// the program's to keep until its group is done.
void decode_group_product(StaticOp& op, const sass::Instruction& i, const GroupProductSpec& spec) {
  unsigned columns = 0;
  for (const sass::Operand& operand : i.operands())
    if (operand.kind == OperandKind::register_ && operand.access == sass::Access::write)
      columns = operand.registers;
  // m64nN: 4 rows of N columns a lane, of 32 or 16 bits.
  const bool half =
      i.opcode != Opcode::IGMMA && i.opcode != Opcode::BGMMA && i.modifier(Modifier::output_type) == 0;
  columns *= half ? 4U : 2U;
  const bool in_registers = i.word.bits(9, 3) == 6;  // operand A
  const double n = columns;
  // A sparse A has half of its k, and the product takes as long as a dense one of that; but B has all of it.
  const double of_b = n * spec.least_column * (i.word.bits(73, 1) != 0 ? 2 : 1);
  const double least = in_registers ? spec.register_least : spec.least + of_b;
  op.product_interval = static_cast<std::uint16_t>(std::max({1.0, n * spec.column, least}));
  // What takes the tensor cores at least is what the operands take of shared memory.
  op.product_reads = static_cast<std::uint16_t>(of_b + (in_registers ? 0 : spec.least));
  const double all = spec.latency + n * spec.column - (in_registers ? spec.register_sooner : 0U);
  op.product_latency = static_cast<std::uint16_t>(std::max(1.0, all));
  // A number behind the operands names the group that it ends; compilers leave 7 where it ends none.
  constexpr unsigned none = 7;
  op.ends_products = i.word.bits(84, 3) != none;
}

}  // namespace

void decode_unit(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  op.prefetch = sass::prefetches(i);
  const Class c = op.prefetch ? Class{Kind::memory, Unit::memory} : classify(i.opcode);
  op.kind = c.kind;
  op.unit = c.unit;
  const KindSpec& kind = spec.kinds[static_cast<std::size_t>(op.kind)];
  op.interval = static_cast<std::uint8_t>(std::clamp(kind.interval, 1U, 255U));
  op.unit_queue = static_cast<std::uint8_t>(kind.queue);
  op.unit_shared = kind.sharing > 1;
  // Where FP32 has two halves, half precision goes to both, and the heavy one stands for them; .MMA to a pipe
  // of its own.
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
  const bool product = sass::is_warpgroup_product(i.opcode);
  if (product) decode_group_product(op, i, spec.group_product);
  op.matrix = product || i.opcode == Opcode::HMMA || i.opcode == Opcode::IMMA || i.opcode == Opcode::BMMA;
}

}  // namespace warpgauge::model
