#include "tests/model/fake_stream.h"

#include <algorithm>
#include <stdexcept>

namespace warpgauge::model::test {

using sass::Access;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;
using sass::SourceSlot;

namespace {

Operand reg(int index, Access access, SourceSlot slot) {
  Operand operand;
  operand.kind = OperandKind::register_;
  operand.access = access;
  operand.index = static_cast<std::uint16_t>(index);
  operand.registers = index == Operand::rz ? 0 : 1;
  operand.slot = slot;
  return operand;
}

void append(sass::Instruction& instruction, const Operand& operand) {
  instruction.operand_storage[instruction.operand_count++] = operand;
}

}  // namespace

FakeOp& FakeOp::reuse(unsigned mask) {
  instruction.control.reuse = static_cast<std::uint8_t>(mask);
  for (Operand& operand : instruction.operand_storage) {
    if (operand.slot == SourceSlot::none) continue;
    operand.reuse = ((mask >> (static_cast<unsigned>(operand.slot) - 1)) & 1) != 0;
  }
  return *this;
}

FakeOp op(Opcode opcode, int destination, std::initializer_list<int> sources) {
  FakeOp made;
  made.instruction.opcode = opcode;
  made.instruction.control.stall = 1;
  if (destination >= 0) append(made.instruction, reg(destination, Access::write, SourceSlot::none));
  unsigned slot = 1;
  for (const int source : sources) {
    append(made.instruction, reg(source, Access::read, static_cast<SourceSlot>(slot++)));
  }
  return made;
}

FakeOp ffma(int d, int a, int b, int c) {
  return op(Opcode::FFMA, d, {a, b, c});
}

FakeOp invalidation() {
  FakeOp made = op(Opcode::CCTL);
  constexpr unsigned all_lines = 4;  // IVALL
  return made.modifier(sass::Modifier::cctl_op, all_lines).stall(2);
}

FakeOp membar(unsigned scope) {
  return op(Opcode::MEMBAR).modifier(sass::Modifier::membar_kind, scope).stall(2);
}

FakeOp exit_op() {
  return op(Opcode::EXIT);
}

FakeOp barrier() {
  return op(Opcode::BAR);
}

FakeOp branch_to(std::uint32_t target, std::uint64_t trips) {
  FakeOp made = op(Opcode::BRA);
  made.loop_to = target;
  made.trips = trips;
  return made;
}

namespace {

FakeOp access(Opcode opcode, int address, unsigned bytes, AddressOf at) {
  FakeOp made;
  made.instruction.opcode = opcode;
  made.instruction.control.stall = 1;
  constexpr unsigned as_others = 1;
  made.modifier(sass::Modifier::cache_eviction, as_others);
  made.bytes = static_cast<std::uint8_t>(bytes);
  made.address = std::move(at);
  const bool shared = opcode == Opcode::LDS || opcode == Opcode::STS || opcode == Opcode::ATOMS;
  const bool local = opcode == Opcode::LDL || opcode == Opcode::STL;
  made.space = shared                  ? traces::MemorySpace::shared
               : local                 ? traces::MemorySpace::local
               : opcode == Opcode::LDC ? traces::MemorySpace::constant
                                       : traces::MemorySpace::global;
  Operand operand;
  operand.kind = OperandKind::address;
  operand.index = address < 0 ? Operand::no_base : static_cast<std::uint16_t>(address);
  operand.wide_base = made.space == traces::MemorySpace::global;
  made.instruction.operand_storage[made.instruction.operand_count++] = operand;
  return made;
}

}  // namespace

FakeOp load(Opcode opcode, int destination, int address, unsigned bytes, AddressOf at) {
  FakeOp made = access(opcode, address, bytes, std::move(at));
  made.access = traces::MemoryAccess::load;
  append(made.instruction, reg(destination, Access::write, SourceSlot::none));
  return made;
}

FakeOp store(Opcode opcode, int address, int data, unsigned bytes, AddressOf at) {
  FakeOp made = access(opcode, address, bytes, std::move(at));
  made.access = traces::MemoryAccess::store;
  append(made.instruction, reg(data, Access::read, SourceSlot::b));
  return made;
}

FakeOp async_copy(int address, unsigned bytes, AddressOf at) {
  FakeOp made = access(Opcode::LDGSTS, address, bytes, std::move(at));
  made.access = traces::MemoryAccess::copy;
  return made;
}

FakeStream::FakeStream(std::vector<FakeOp> program) : program_(std::move(program)) {
  shape_.kernel = "fake";
  shape_.block = {32, 1, 1};
  shape_.registers_per_thread = 32;
  shape_.code_address = 0x100000;
  for (const FakeOp& made : program_) code_.push_back(made.instruction);
}

traces::BlockHandle FakeStream::begin_block(std::uint64_t linear_block, const traces::Placement& placement) {
  placed_on.push_back(placement.sm);
  const auto slots = placement.warp_slots.begin();
  warps_placed_on.emplace_back(slots, slots + shape_.warps_per_block());
  Block block;
  block.linear = linear_block;
  block.warps.resize(shape_.warps_per_block());
  for (Warp& warp : block.warps) warp.taken.resize(program_.size(), 0);
  blocks_.push_back(std::move(block));
  return static_cast<traces::BlockHandle>(blocks_.size() - 1);
}

void FakeStream::end_block(traces::BlockHandle block) {
  for (const Warp& warp : blocks_.at(block).warps) {
    if (!warp.exited) throw std::logic_error("a block ended before its warps");
  }
  blocks_.at(block).warps.clear();
}

traces::NextInstruction FakeStream::next(traces::BlockHandle block, unsigned warp) const {
  const Warp& w = blocks_[block].warps[warp];
  const traces::WarpStatus status = w.exited    ? traces::WarpStatus::exited
                                    : w.waiting ? traces::WarpStatus::at_barrier
                                                : traces::WarpStatus::ready;
  return {status, w.pc, 0xffffffffU};
}

void FakeStream::issue(traces::BlockHandle block, unsigned warp, std::uint64_t, traces::Issued& issued) {
  Block& b = blocks_[block];
  Warp& w = b.warps[warp];
  if (w.exited) throw std::logic_error("issued a warp that cannot run");
  const std::uint32_t index = w.pc;
  const FakeOp& made = program_[index];
  ++executed;
  issued.active_mask = 0xffffffffU;
  issued.executed_mask = made.off ? 0 : 0xffffffffU;
  issued.measure = made.measure;
  issued.call = made.call;
  ++w.pc;
  if (made.address) {
    issued.space = made.space;
    issued.access = made.access;
    issued.bytes_per_lane = made.bytes;
    std::uint64_t iteration = 0;
    for (const std::uint64_t taken : w.taken) iteration = std::max(iteration, taken);
    for (unsigned lane = 0; lane < 32; ++lane)
      addresses_[lane] = made.address({b.linear, warp, lane, iteration});
    issued.addresses = addresses_.data();
    issued.shared_addresses = shared_addresses_.data();
  }
  if (made.loop_to && w.taken[index] < made.trips) {
    ++w.taken[index];
    w.pc = *made.loop_to;
    issued.branched = true;
  }
  if (made.instruction.opcode == Opcode::EXIT) {
    w.exited = true;
    issued.exited = true;
  }
  const bool stranded = strand_last_warp && warp + 1 == b.warps.size();
  if (made.instruction.opcode == Opcode::BAR && stranded) {
    w.exited = true;
    issued.exited = true;
  } else if (made.instruction.opcode == Opcode::BAR) {
    w.waiting = true;
    if (std::all_of(b.warps.begin(), b.warps.end(), [](const Warp& other) { return other.waiting; })) {
      for (unsigned i = 0; i < b.warps.size(); ++i) {
        b.warps[i].waiting = false;
        issued.released_warps |= 1U << i;
      }
    } else {
      issued.blocked = true;
      issued.goes_ahead = true;
    }
  }
  issued.next = w.pc;
}

}  // namespace warpgauge::model::test
