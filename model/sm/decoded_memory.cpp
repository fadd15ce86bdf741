// How an instruction takes its turns at the memory queue and at the caches: loads, stores and atomics,
// constants, fences, and what else goes that way.
#include <algorithm>
#include <string>

#include "model/sm/constant_cache.h"
#include "model/sm/decoded_parts.h"
#include "model/sm/write_slots.h"
#include "traces/sass/print.h"

namespace warpgauge::model {
namespace {

constexpr unsigned invalidate_all = 4;  // CCTL.IVALL

constexpr std::uint64_t phase_check = 0x1a7;  // SYNCS.PHASECHK

using sass::Modifier;
using sass::Opcode;
using sass::OperandKind;

bool is_atomic(Opcode opcode) {
  return opcode == Opcode::ATOM || opcode == Opcode::ATOMG || opcode == Opcode::ATOMS ||
         opcode == Opcode::RED || opcode == Opcode::REDG;
}

bool fetches_whole_lines(const sass::Instruction& i) {
  constexpr unsigned ltc_128 = 2;
  return (i.opcode == Opcode::LDG || i.opcode == Opcode::LDGSTS) &&
         i.modifier(Modifier::prefetch_size) >= ltc_128;
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
  constexpr Keep kinds[] = {Keep::first_to_go, Keep::as_others,  Keep::longer,    Keep::last_use,
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

// Of loads past the L1, those that see what the host and other GPUs wrote: ld.volatile, ld.cv, ld.relaxed.sys and ld.acquire.sys.
bool asks_system(const sass::Instruction& i) {
  if (i.opcode == Opcode::LDGSTS) return false;
  constexpr unsigned scope_system = 3, strong_system = 10, mmio_system = 12;
  if (i.architecture < sass::Architecture::sm80) return i.modifier(Modifier::scope) == scope_system;
  const unsigned ordering = i.modifier(Modifier::ordering);
  return ordering == strong_system || ordering == mmio_system;
}

bool reads_l0_constants(const StaticOp& op) {
  return op.unit != Unit::memory && op.unit != Unit::xu;
}

// What comes back in registers and looks for a cycle in which they are not written.
std::uint32_t load_results(const StaticOp& op, const sass::Instruction& i) {
  LoadResults results;
  results.special_function = op.unit == Unit::xu;
  if (!results.special_function && op.queued != QueuedKind::shuffle && op.queued != QueuedKind::data &&
      op.queued != QueuedKind::matrix_load)
    return 0;
  for (const sass::Operand& operand : i.operands()) {
    if (operand.kind != OperandKind::register_ || operand.index == sass::Operand::rz) continue;
    if (operand.access == sass::Access::read) continue;
    const unsigned count = std::max<unsigned>(operand.registers, 1);
    const bool pairs = count > 1 && i.opcode == Opcode::LDS;
    if (pairs) results.pairs = static_cast<std::uint8_t>(count / 2);
    for (unsigned r = 0; r < count && !pairs; ++r)
      ++((operand.index + r) % 2 == 0 ? results.even : results.odd);
  }
  return results.packed();
}

bool writes_predicate(const sass::Operand& o) {
  return o.kind == OperandKind::predicate && o.access == sass::Access::write && o.index != sass::Operand::pt;
}

// Where its constants and its addresses are, as far as the instruction says.
void decode_places(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  for (const sass::Operand& operand : i.operands()) {
    if (operand.kind == OperandKind::constant) {
      op.constant_bank = static_cast<std::uint8_t>(operand.bank);
      const bool no_register = operand.index == sass::Operand::no_base || operand.index == sass::Operand::rz;
      if (i.opcode == Opcode::LDC && no_register) op.uniform_address = true;
      if (reads_l0_constants(op)) {
        op.indexed_constant =
            operand.uniform_index != sass::Operand::no_base && operand.uniform_index != sass::Operand::urz;
        const std::uint64_t byte = constant_byte(operand.bank, sass::constant_place(operand));
        if (!op.indexed_constant)
          op.constant_line = static_cast<std::uint32_t>(byte / spec.constant.l0_line_bytes);
      }
    }
    if (operand.kind == OperandKind::address && operand.index == sass::Operand::no_base)
      op.uniform_address = true;
    if (operand.kind == OperandKind::address && operand.index == sass::Operand::rz) op.uniform_address = true;
  }
  // LDS.U of Volta and Turing: the compiler knows that all lanes name one address.
  if (i.opcode == Opcode::LDS && i.modifier(Modifier::address_mode) == 1) op.uniform_address = true;
}

void decode_atomic(StaticOp& op, const sass::Instruction& i) {
  const std::string text = sass::print(i);
  const auto says = [&text](const char* what) { return text.find(what) != std::string::npos; };
  op.atomic_swap = says(".CAS");
  op.atomic_float = says(".F32") || says(".F64") || says(".F16") || says(".BF16");
  op.atomic_spin = says(".CAST.SPIN");
  op.atomic_aggregated = says(".POPC.INC");
}

// Whether those who wait for its counters do so as long_scoreboard.
bool has_long_counter(const StaticOp& op, const sass::Instruction& i) {
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
      return true;
    case Opcode::SYNCS:
      return i.word.bits(0, 9) == phase_check;
    case Opcode::MEMBAR:
    case Opcode::FENCE:
      return op.drains_queue;
    default:
      return false;
  }
}

// What the instruction is to the queue.
void decode_queued(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
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
      if (spec.kinds[static_cast<std::size_t>(op.kind)].sharing >= spec.subcores)
        op.unit_interval = op.interval;
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
}

}  // namespace

void decode_memory(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  decode_places(op, i, spec);
  op.past_l1 = goes_past_l1(i);
  op.system = op.past_l1 && asks_system(i);
  op.keep = keep_in_l1(i);
  if (op.prefetch) op.keep = Keep::not_at_all;
  op.whole_line = fetches_whole_lines(i);
  decode_queued(op, i, spec);
  if (op.variable) op.results = load_results(op, i);
  if (is_atomic(i.opcode)) decode_atomic(op, i);
  op.long_counter = has_long_counter(op, i);
}

}  // namespace warpgauge::model
