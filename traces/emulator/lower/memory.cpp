// Loads, stores, atomics and asynchronous copies.
#include "traces/emulator/lower/lowering.h"
#include "traces/emulator/memory_access.h"
#include "traces/emulator/shared_barrier.h"

namespace warpgauge::emulator {

Cell cell_of(const Lowering& l) {
  const unsigned width = l.modifier(sass::Modifier::width);
  if (width > static_cast<unsigned>(Cell::b128)) Lowering::illegal("an access of no known width");
  return static_cast<Cell>(width);
}

namespace {

using sass::Modifier;
using sass::Opcode;
using sass::Operand;

// A base register with what is added to it.
void address_parts(Lowering& l, const Operand& address, bool global) {
  l.op.a = Row::zero();
  l.op.wide_a = Row::zero();
  const bool has_base = address.index != Operand::no_base && address.index != Operand::rz;
  if (has_base) {
    Operand base = address;
    base.kind = sass::OperandKind::register_;
    l.op.a = l.source_row(base, address.wide_base ? 2 : 1);
    if (address.wide_base) l.op.wide_a = Row{l.op.a.bits + lanes};
  }
  l.op.b = Row::zero();
  if (address.uniform_index != Operand::no_base && address.uniform_index != Operand::urz) {
    Operand uniform = address;
    uniform.kind = sass::OperandKind::uniform_register;
    uniform.index = address.uniform_index;
    l.op.b = l.source_row(uniform, global ? 2 : 1);
  }
  l.op.immediate = address.value;
  l.op.extra2 = address.scale;
}

void address_of(Lowering& l, bool global) {
  if (l.address == nullptr) Lowering::illegal("an access without an address");
  address_parts(l, *l.address, global);
  l.op.memory = true;
}

// Operands that compilers leave at their defaults.
void no_extra_predicates(Lowering& l) {
  for (const Operand* const p : l.predicates_in)
    if (!p->hidden) Lowering::refuse("a load with a predicate operand");
  for (const Operand* const p : l.predicates_out)
    if (!p->hidden && p->index != Operand::pt) Lowering::refuse("a load with a predicate result");
}

bool strong(const Lowering& l) {
  // Volta and Turing: 1 is weak, 0 constant. Later: 0 is weak, 4 constant; a private access has 3.
  const unsigned kind = l.modifier(Modifier::order_kind);
  const unsigned order = l.modifier(Modifier::ordering);
  return kind >= 2 || order >= 5;
}

void load(Lowering& l, ExecuteFunction function, bool global) {
  l.require(0, 1);
  no_extra_predicates(l);
  address_of(l, global);
  const Cell cell = cell_of(l);
  l.op.mode = static_cast<std::uint8_t>(cell);
  l.op.mode2 = strong(l) ? access_strong : 0;
  l.op.poll = strong(l);
  l.destination(cell_words(cell));
  l.execute(function);
}

// CCTL: of its kinds those that fetch a line ahead.
void cache_control(Lowering& l) {
  if (!sass::prefetches(l.instruction)) {
    l.execute(scalar::no_operation);
    return;
  }
  address_of(l, true);
  l.execute(scalar::prefetch_global);
}

void store(Lowering& l, ExecuteFunction function, bool global) {
  l.require(1);
  address_of(l, global);
  const Cell cell = cell_of(l);
  l.op.mode = static_cast<std::uint8_t>(cell);
  l.op.mode2 = strong(l) ? access_strong : 0;
  l.op.d = l.source_row(*l.sources[0], cell_words(cell));
  l.execute(function);
}

void lower_load_constant(Lowering& l, bool uniform) {
  l.require(1, 1);
  const Operand& operand = *l.sources[0];
  if (l.modifier(Modifier::address_mode) != 0) Lowering::refuse("an indexed constant segment");
  const Cell cell = cell_of(l);
  const unsigned words = cell_words(cell);
  l.op.memory = true;
  l.op.mode = static_cast<std::uint8_t>(cell);
  l.op.extra = operand.bank;
  l.op.extra2 = 1;
  l.destination(words);
  const bool indexed = !uniform && operand.index != Operand::no_base && operand.index != Operand::rz;
  const bool by_uniform = operand.kind == sass::OperandKind::constant &&
                          operand.uniform_index != Operand::no_base && operand.uniform_index != Operand::urz;
  const bool alone = !indexed && !by_uniform && operand.kind == sass::OperandKind::constant;
  l.op.immediate = alone ? static_cast<std::int64_t>(sass::constant_place(operand)) : operand.value;
  if (indexed) {
    Operand index = operand;
    index.kind = sass::OperandKind::register_;
    l.op.a = l.source_row(index, 1);
  }
  if (by_uniform) {
    Operand index = operand;
    index.kind = sass::OperandKind::uniform_register;
    index.index = operand.uniform_index;
    l.op.b = l.source_row(index, 1);
  }
  if (operand.kind == sass::OperandKind::bindless_constant) {
    Operand handle = operand;
    handle.kind = sass::OperandKind::uniform_register;
    handle.index = operand.uniform_index;
    l.op.d = l.source_row(handle, 2);
    l.execute(scalar::load_bindless_constant);
    return;
  }
  const bool flat = !indexed && !by_uniform && cell_bytes(cell) >= 4;
  if (flat) {
    Operand plain = operand;
    plain.index = Operand::no_base;
    l.op.c = l.source_row(plain, words);
    l.op.mode3 = 1;
  }
  if (uniform)
    l.execute_uniform(scalar::load_constant);
  else
    l.execute(scalar::load_constant);
}

// The type field has one meaning up to sm_89, another from sm_90 on, a third for Hopper's opcodes of floats.
struct Element {
  AtomicType type = AtomicType::u32;
  std::uint8_t words = 1;  // 32-bit words that a lane gives
};

Element float_element(unsigned type) {
  switch (type) {
    case 0:
      return {AtomicType::f16x2, 1};
    case 1:
      return {AtomicType::f16x2, 2};
    case 2:
      return {AtomicType::f16x2, 4};
    case 3:
      return {AtomicType::bf16x2, 1};
    case 4:
      return {AtomicType::bf16x2, 2};
    case 5:
      return {AtomicType::bf16x2, 4};
    case 9:
      return {AtomicType::f32_ftz, 1};
    case 10:
      return {AtomicType::f32_ftz, 2};
    case 11:
      return {AtomicType::f32_ftz, 4};
    case 12:
      return {AtomicType::f32, 1};
    case 13:
      return {AtomicType::f32, 2};
    case 14:
      return {AtomicType::f32, 4};
    case 15:
      return {AtomicType::f64, 2};
    default:
      Lowering::illegal("an atomic of no known type");
  }
}

Element element_of(const Lowering& l) {
  const unsigned type = l.modifier(Modifier::atomic_type);
  const std::uint64_t base = l.instruction.word.bits(0, 9);
  if (base == 0x1a6 || base == 0x1a3 || base == 0x1a2) return float_element(type);
  if (l.instruction.opcode == Opcode::ATOMS) {
    constexpr AtomicType types[] = {AtomicType::u32, AtomicType::s32, AtomicType::u64};
    if (type > 2) Lowering::illegal("an atomic of no known type");
    return {types[type], type == 2 ? std::uint8_t{2} : std::uint8_t{1}};
  }
  if (l.instruction.architecture == sass::Architecture::sm90) {
    constexpr AtomicType types[] = {AtomicType::u32, AtomicType::s32, AtomicType::u64, AtomicType::s64,
                                    AtomicType::b128};
    if (type > 4) Lowering::illegal("an atomic of no known type");
    return {types[type], static_cast<std::uint8_t>(type == 4 ? 4 : type >= 2 ? 2 : 1)};
  }
  constexpr AtomicType types[] = {AtomicType::u32,   AtomicType::s32, AtomicType::u64, AtomicType::f32_ftz,
                                  AtomicType::f16x2, AtomicType::s64, AtomicType::f64};
  if (type > 6) Lowering::illegal("an atomic of no known type");
  return {types[type], static_cast<std::uint8_t>(type == 2 || type >= 5 ? 2 : 1)};
}

AtomicFunction function_of(const Lowering& l) {
  constexpr AtomicFunction functions[] = {
      AtomicFunction::add, AtomicFunction::min,  AtomicFunction::max,
      AtomicFunction::inc, AtomicFunction::dec,  AtomicFunction::and_,
      AtomicFunction::or_, AtomicFunction::xor_, AtomicFunction::exchange};
  const unsigned op = l.modifier(Modifier::atomic_op);
  if (op > 8) Lowering::refuse("an atomic operation of this kind");
  return functions[op];
}

void atomic(Lowering& l, ExecuteFunction function, bool global) {
  address_of(l, global);
  l.predicate_results();
  const Element element = element_of(l);
  l.require(1);
  l.op.mode2 = static_cast<std::uint8_t>(element.type);
  l.op.mode3 = element.words;
  l.op.d = l.source_row(*l.sources[0], element.words);
  l.op.poll = true;
  // ATOM answers, whether or not anyone wants to know: an exchange whose value is not used is no RED.
  const bool wanted = !l.destinations.empty() && l.destinations[0]->index != Operand::rz;
  const bool answers = l.instruction.opcode == Opcode::ATOM || l.instruction.opcode == Opcode::ATOMG;
  if (wanted || answers) l.op.extra = atomic_returns;
  const bool compares = l.sources.size() > 1;
  // CAST in place of CAS: the result says whether the swap took place.
  const bool cast = compares && (l.modifier(Modifier::other_0) & 1U) != 0;
  l.destination(element.words);
  l.op.mode = static_cast<std::uint8_t>(compares ? AtomicFunction::compare_and_swap : function_of(l));
  if (compares) l.op.c = l.source_row(*l.sources[1], element.words);
  if (cast) l.op.extra |= atomic_success;
  if (cast && !global && (l.modifier(Modifier::other_0) & 2U) != 0) l.op.extra |= atomic_spin;
  l.execute(function);
}

void lower_copy(Lowering& l) {
  if (l.address == nullptr || l.second_address == nullptr) Lowering::illegal("an access without an address");
  address_parts(l, *l.second_address, true);
  Operand base = *l.address;
  if (base.index != Operand::no_base && base.index != Operand::rz) {
    base.kind = sass::OperandKind::register_;
    l.op.c = l.source_row(base, 1);
  }
  l.op.extra = static_cast<std::uint32_t>(l.address->value);
  l.op.memory = true;
  l.op.mode = static_cast<std::uint8_t>(cell_of(l));
  l.op.p = l.predicate_at(0, true);
  l.execute(scalar::copy_to_shared);
}

void arrive(Lowering& l, Arrivals arrivals, Transactions transactions, unsigned flags) {
  l.op.mode = static_cast<std::uint8_t>(arrivals);
  l.op.mode2 = static_cast<std::uint8_t>(transactions);
  if (l.instruction.architecture != sass::Architecture::sm90) flags |= arrival_counts_up;
  l.op.mode3 = static_cast<std::uint8_t>(flags);
  l.execute(scalar::arrive_at_state);
}

// ATOMS without a value: .POPC.INC, or .ARRIVE of a barrier object.
void lower_shared_count(Lowering& l) {
  address_of(l, false);
  constexpr unsigned arrive_bit = 74;
  if (l.instruction.word.bits(arrive_bit, 1) != 0) {
    l.destination(2);
    arrive(l, Arrivals::one, Transactions::none, 0);
    return;
  }
  l.destination();
  l.op.poll = true;
  l.op.extra = atomic_returns;
  l.execute(scalar::atomic_aggregated);
}

// ARRIVES: once the lane's copies are done, which they are.
void lower_arrive_for_copies(Lowering& l) {
  address_of(l, false);
  l.op.memory = false;
  constexpr unsigned ends_transaction = 2;
  if (l.modifier(Modifier::other_0) == ends_transaction)
    arrive(l, Arrivals::none, Transactions::minus_one, 0);
  else
    arrive(l, Arrivals::one, Transactions::none, 0);
}

void lower_barrier_object(Lowering& l) {
  enum : std::uint64_t { phase_check = 0x1a7, exchange = 0x1b2, cache_control = 0x1b1 };
  if (l.instruction.word.bits(0, 9) == cache_control) {
    l.execute(scalar::no_operation);
    return;
  }
  address_of(l, false);
  l.op.memory = false;
  if (l.instruction.word.bits(0, 9) == exchange) {
    l.op.mode = l.sources.empty() ? 0 : 1;
    if (!l.sources.empty()) l.op.d = l.source_row(*l.sources[0], 2);
    l.destination(2);
    l.execute_uniform(scalar::exchange_state);
    return;
  }
  l.require(1);
  l.op.d = l.source_row(*l.sources[0], 1);
  if (l.destinations.empty()) {
    l.predicate_results();
    l.op.poll = true;
    l.op.mode = l.modifier(Modifier::other_0) == 1 ? 1 : 0;  // TRYWAIT
    l.execute(scalar::check_phase);
    return;
  }
  l.destination(2);
  constexpr unsigned masked = 1;
  constexpr unsigned drops = 4;
  constexpr unsigned masked_drops = 5;
  const unsigned how = l.modifier(Modifier::other_0);
  unsigned flags = 0;
  if (how == masked || how == masked_drops) flags |= arrival_masked;
  if (how == drops || how == masked_drops) flags |= arrival_drops;
  switch (l.modifier(Modifier::other_1)) {
    case 0:
      return arrive(l, Arrivals::one, Transactions::given, flags);
    case 1:  // A1T0
      return arrive(l, Arrivals::one, Transactions::none, flags);
    case 2:  // A0T1
      return arrive(l, Arrivals::none, Transactions::one, flags);
    case 3:  // A0TR
      return arrive(l, Arrivals::none, Transactions::given, flags);
    case 4:  // A0TX
      return arrive(l, Arrivals::none, Transactions::minus_given, flags);
    case 5:  // ART0
      return arrive(l, Arrivals::given, Transactions::none, flags);
    default:
      Lowering::illegal("an arrival of no known kind");
  }
}

void matrix_rows(Lowering& l, bool stores) {
  address_of(l, false);
  const unsigned mode = l.modifier(Modifier::matrix_mode);
  if (mode > 1) Lowering::refuse("a matrix of 4- or 8-bit elements");
  l.op.mode2 = static_cast<std::uint8_t>(mode);
  const unsigned matrices = 1U << l.modifier(Modifier::matrix_count);
  if (matrices > 4) Lowering::illegal("a count of matrices");
  l.op.mode3 = static_cast<std::uint8_t>(matrices);
  if (stores) {
    l.require(1);
    l.op.d = l.source_row(*l.sources[0], matrices);
  } else {
    l.require(0, 1);
    l.destination(matrices);
  }
  l.execute(stores ? scalar::store_matrix : scalar::load_matrix);
}

}  // namespace

bool lower_memory(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::LDG:
      load(l, scalar::load_global, true);
      return true;
    case Opcode::LD:
      load(l, scalar::load_generic, true);
      return true;
    case Opcode::CCTL:
      cache_control(l);
      return true;
    case Opcode::LDS:
      load(l, scalar::load_shared, false);
      return true;
    case Opcode::LDL:
      load(l, scalar::load_local, false);
      return true;
    case Opcode::STG:
      store(l, scalar::store_global, true);
      return true;
    case Opcode::ST:
      store(l, scalar::store_generic, true);
      return true;
    case Opcode::STS:
      store(l, scalar::store_shared, false);
      return true;
    case Opcode::STL:
      store(l, scalar::store_local, false);
      return true;
    case Opcode::LDC:
      lower_load_constant(l, false);
      return true;
    case Opcode::ULDC:
      lower_load_constant(l, true);
      return true;
    case Opcode::ATOMG:
    case Opcode::RED:
    case Opcode::REDG:
      atomic(l, scalar::atomic_global, true);
      return true;
    case Opcode::ATOM:
      atomic(l, scalar::atomic_generic, true);
      return true;
    case Opcode::ATOMS:
      if (l.sources.empty())
        lower_shared_count(l);
      else
        atomic(l, scalar::atomic_shared, false);
      return true;
    case Opcode::SYNCS:
      lower_barrier_object(l);
      return true;
    case Opcode::ARRIVES:
      lower_arrive_for_copies(l);
      return true;
    case Opcode::LDGSTS:
      lower_copy(l);
      return true;
    case Opcode::LDSM:
      matrix_rows(l, false);
      return true;
    case Opcode::STSM:
      matrix_rows(l, true);
      return true;
    case Opcode::QSPC: {
      address_of(l, true);
      l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::other_0));
      l.op.memory = false;
      l.predicate_results();
      l.destination();
      l.execute(scalar::query_space);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
