// Hopper's bulk copies and asynchronous stores. Where operands stand is what compilers make of PTX for
// sm_90a.
#include "traces/emulator/bulk_copy.h"

#include "traces/emulator/lower/lowering.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

constexpr unsigned shared_word = 1;
constexpr unsigned barrier_word = 1;
constexpr unsigned global_words = 2;

// So many uniform registers from the one between brackets on.
Row uniform_words(Lowering& l, const Operand* address, unsigned words) {
  if (address == nullptr || address->uniform_index == Operand::no_base)
    Lowering::illegal("a bulk copy without an address");
  Operand first = *address;
  first.kind = OperandKind::uniform_register;
  first.index = address->uniform_index;
  return l.source_row(first, words);
}

void size_and_blocks(Lowering& l) {
  l.require(1);
  l.op.c = l.source_row(*l.sources[0], 1);
}

AtomicFunction function_of(const Lowering& l) {
  return static_cast<AtomicFunction>(l.modifier(Modifier::atomic_op));
}

void reduces(Lowering& l, AtomicType type) {
  l.op.extra |= bulk_reduces;
  l.op.mode = static_cast<std::uint8_t>(function_of(l));
  l.op.mode2 = static_cast<std::uint8_t>(type);
}

AtomicType bulk_type(const Lowering& l) {
  switch (l.modifier(Modifier::atomic_type)) {
    case 0:
      return AtomicType::u32;
    case 1:
      return AtomicType::s32;
    case 2:
      return AtomicType::u64;
    case 3:
      return AtomicType::s64;
    case 4:
      return AtomicType::f16x2;
    case 5:
      return AtomicType::f32;
    case 7:
      return AtomicType::f64;
    case 8:
      return AtomicType::bf16x2;
    default:
      Lowering::illegal("a reduction of no known type");
  }
}

// From the second brackets' memory to the first's.
void lower_bulk(Lowering& l) {
  const bool reduction = l.instruction.opcode == Opcode::UBLKRED;
  const bool to_shared = l.has(Modifier::other_0);
  const bool from_shared = reduction || l.has(Modifier::other_1);
  if (!to_shared && !from_shared) Lowering::illegal("a bulk copy within device memory");
  if (!reduction && l.has(Modifier::other_3)) Lowering::refuse("a sequenced bulk copy");
  if (!reduction && l.has(Modifier::other_2)) l.op.extra |= bulk_multicast;
  l.op.a = uniform_words(l, l.address, to_shared ? shared_word + barrier_word : global_words);
  l.op.b = uniform_words(l, l.second_address, from_shared ? shared_word : global_words);
  size_and_blocks(l);
  if (reduction) reduces(l, bulk_type(l));
  l.execute(!to_shared ? scalar::bulk_store : from_shared ? scalar::bulk_between_blocks : scalar::bulk_load);
}

void lower_tensor(Lowering& l, ExecuteFunction function, unsigned words_before) {
  const unsigned rank = l.modifier(Modifier::other_0) + 1;
  constexpr unsigned most_dimensions = 5;
  if (rank > most_dimensions) Lowering::illegal("a tensor of more than five dimensions");
  l.op.bytes = static_cast<std::uint8_t>(rank);
  if (l.has(Modifier::other_1)) l.op.extra |= bulk_columns;
  l.op.a = uniform_words(l, l.address, words_before + rank);
  l.op.b = uniform_words(l, l.second_address, global_words);
  if (!l.sources.empty()) l.op.c = l.source_row(*l.sources[0], 1);
  l.execute(function);
}

void lower_async_store(Lowering& l) {
  if (l.address == nullptr || l.address->index == Operand::no_base)
    Lowering::illegal("a store without an address");
  l.require(1);
  Operand base = *l.address;
  base.kind = OperandKind::register_;
  l.op.a = l.source_row(base, shared_word + barrier_word);
  l.op.immediate = l.address->value;
  unsigned bytes = 4;
  if (l.instruction.opcode == Opcode::REDAS) {
    constexpr AtomicType types[] = {AtomicType::u32, AtomicType::s32, AtomicType::u64};
    const unsigned type = l.modifier(Modifier::atomic_type);
    if (type > 2) Lowering::illegal("a reduction of no known type");
    reduces(l, types[type]);
    if (type == 2) bytes = 8;
  } else {
    bytes = cell_bytes(cell_of(l));
    if (bytes < 4) Lowering::illegal("an asynchronous store of less than a word");
  }
  l.op.bytes = static_cast<std::uint8_t>(bytes);
  l.op.d = l.source_row(*l.sources[0], bytes / 4);
  l.op.memory = true;
  l.execute(scalar::store_async);
}

}  // namespace

bool lower_bulk_copy(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::UBLKCP:
    case Opcode::UBLKRED:
      lower_bulk(l);
      return true;
    case Opcode::UBLKPF:
      // The only brackets are the second ones of the others.
      l.op.b = uniform_words(l, l.address, global_words);
      size_and_blocks(l);
      l.execute(scalar::bulk_prefetch);
      return true;
    case Opcode::UTMALDG:
      if (l.has(Modifier::other_2)) l.op.extra |= bulk_multicast;
      lower_tensor(l, scalar::tensor_load, shared_word + barrier_word);
      return true;
    case Opcode::UTMASTG:
      lower_tensor(l, scalar::tensor_store, shared_word);
      return true;
    case Opcode::UTMAREDG:
      reduces(l, AtomicType::u32);  // the map says the type
      lower_tensor(l, scalar::tensor_store, shared_word);
      return true;
    case Opcode::UTMAPF:
      lower_tensor(l, scalar::tensor_prefetch, 0);
      return true;
    case Opcode::STAS:
    case Opcode::REDAS:
      lower_async_store(l);
      return true;
    // Maps are read when they are used, and copies have been made when what waits for them is issued.
    case Opcode::UTMACCTL:
    case Opcode::UTMACMDFLUSH:
      l.execute(scalar::no_operation);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
