#include "traces/accelsim/warp_import.h"

#include <fmt/format.h>

#include <bit>

namespace warpgauge::accelsim {
namespace {

using sass::Opcode;
using traces::MemoryAccess;
using traces::MemorySpace;

}  // namespace

void WarpImport::run(WarpLines& lines, unsigned warp, std::uint32_t initial,
                     traces::BlockObserver& observer) {
  active_ = initial;
  alive_ = initial;
  arrived_ = {};
  waiting_ = 0;
  run_count_ = 0;
  TraceLine line;
  bool any = false;
  std::uint32_t expected = 0;
  while (lines.next(line)) {
    if (line.pc % sass::instruction_bytes != 0 || line.pc / sass::instruction_bytes >= code_.map.size())
      lines.fail(fmt::format("an instruction at {:#x}, outside the code of {:#x} bytes", line.pc,
                             code_.map.size() * sass::instruction_bytes));
    const auto index = static_cast<std::uint32_t>(line.pc / sass::instruction_bytes);
    if (!code_.opcodes.empty()) {
      const std::string_view name = line.opcode.substr(0, line.opcode.find('.'));
      if (name != code_.opcodes[index])
        lines.fail(fmt::format("{} at {:#x}, where the cubin has {}", name, line.pc, code_.opcodes[index]));
    }
    if (any) {
      const bool controlled = (code_.map.classes[run_[run_count_ - 1].index] & native::class_control) != 0;
      if (!controlled && index != expected)
        lines.fail(fmt::format("the warp goes from {:#x} to {:#x}, where nothing branches",
                               (expected - 1) * sass::instruction_bytes, line.pc));
      if (controlled) settle(index, false, lines, warp, observer);
    }
    any = true;
    expected = index + 1;
    if (run_count_ == run_.size()) run_.emplace_back();
    Step& step = run_[run_count_++];
    step.index = index;
    step.mask = line.mask;
    step.has_addresses = line.width != 0;
    if (step.has_addresses) step.addresses = line.addresses;
  }
  if (!any) lines.fail(fmt::format("warp {} has no instructions", warp));
  settle(0, true, lines, warp, observer);
}

// A run of instructions ends with one that controls the flow. Which lanes are active follows from one that
// has no guard; a run without one is expected to have the lanes that the last branch left.
void WarpImport::settle(std::uint32_t next_index, bool last, WarpLines& lines, unsigned warp,
                        traces::BlockObserver& observer) {
  std::uint32_t joined = 0;
  std::uint32_t exact = 0;
  for (std::size_t i = 0; i < run_count_; ++i) {
    const Step& step = run_[i];
    joined |= step.mask;
    // A copy's lanes may be fewer, by a predicate of its own.
    if ((code_.map.classes[step.index] & (native::class_guarded | native::class_copy)) == 0 && step.mask != 0)
      exact = step.mask;
  }
  const std::uint32_t lanes = exact != 0                                 ? exact | joined
                              : (joined & ~active_) != 0 || active_ == 0 ? joined
                                                                         : active_;
  if (lanes == 0) lines.fail("instructions that no lane is at");
  active_ = lanes;
  waiting_ &= ~lanes;
  for (std::size_t i = 0; i < run_count_; ++i)
    emit(run_[i], last && i + 1 == run_count_, lines, warp, observer);
  if (last) return;
  const Step& end = run_[run_count_ - 1];
  const Opcode opcode = code_.code[end.index].opcode;
  const std::uint32_t others = lanes & ~end.mask;
  if (opcode == Opcode::EXIT || opcode == Opcode::KILL) {
    active_ = others;
  } else if (opcode == Opcode::BRA && others != 0 && end.mask != 0) {
    active_ = next_index == code_.map.targets[end.index] ? end.mask : others;
  }
  run_count_ = 0;
}

void WarpImport::emit(const Step& step, bool last, WarpLines& lines, unsigned warp,
                      traces::BlockObserver& observer) {
  traces::Issued issued;
  issued.active_mask = active_;
  issued.executed_mask = step.mask;
  issued.next = step.index + 1;
  fill_access(step, issued);
  const Opcode opcode = code_.code[step.index].opcode;
  if (opcode == Opcode::BAR && step.mask != 0) {
    fill_barrier(step, issued);
  } else if (opcode == Opcode::EXIT || opcode == Opcode::KILL) {
    alive_ &= ~step.mask;
    for (unsigned id = 0; alive_ != 0 && id < arrived_.size(); ++id) arrive(id, issued);
  }
  issued.blocked = alive_ != 0 && waiting_ != 0 && (alive_ & ~waiting_) == 0;
  if (last) {
    if ((code_.map.classes[step.index] & native::class_control) == 0 || opcode == Opcode::BAR ||
        issued.blocked)
      lines.fail(fmt::format("warp {} ends without having exited", warp));
    issued.exited = true;
    issued.blocked = false;
  }
  observer.issued(warp, step.index, issued);
}

void WarpImport::fill_access(const Step& step, traces::Issued& issued) {
  const StaticAccess& access = code_.accesses[step.index];
  if (access.access == MemoryAccess::none) return;
  if (step.mask == 0 && access.access != MemoryAccess::copy) return;
  issued.space = access.space;
  issued.access = access.access;
  issued.bytes_per_lane = access.bytes;
  issued.addresses = addresses_.data();
  if (access.uniform) issued.executed_mask = 0xffffffff;
  if (access.fixed || !step.has_addresses) {
    addresses_.fill(access.address);
    return;
  }
  addresses_ = step.addresses;
  if (access.access == MemoryAccess::copy) {
    // The format drops where a copy stores to.
    shared_.fill(0);
    issued.shared_addresses = shared_.data();
  }
  if (!access.generic || code_.shared_base == 0 || code_.local_base == 0) return;
  const auto inside = [](std::uint64_t address, std::uint64_t base) {
    constexpr std::uint64_t window_bytes = std::uint64_t{1} << 24;
    return address - base < window_bytes;
  };
  const auto lane = static_cast<std::size_t>(std::countr_zero(step.mask));
  std::uint64_t base = 0;
  if (inside(addresses_[lane], code_.shared_base)) {
    issued.space = MemorySpace::shared;
    base = code_.shared_base;
  } else if (inside(addresses_[lane], code_.local_base)) {
    issued.space = MemorySpace::local;
    base = code_.local_base;
  }
  for (std::uint64_t& address : addresses_) address -= base;
}

// A warp arrives once all of its lanes that are left have.
void WarpImport::arrive(unsigned barrier, traces::Issued& issued) {
  if (arrived_[barrier] == 0 || (alive_ & ~arrived_[barrier]) != 0) return;
  arrived_[barrier] = 0;
  issued.arrived_barriers = static_cast<std::uint16_t>(issued.arrived_barriers | 1U << barrier);
}

void WarpImport::fill_barrier(const Step& step, traces::Issued& issued) {
  const StaticBarrier& barrier = code_.barriers[step.index];
  issued.barrier = barrier.number;
  issued.barrier_warps = barrier.warps;
  issued.barrier_waits = barrier.waits;
  arrived_[barrier.number] |= step.mask;
  if (barrier.waits) waiting_ |= step.mask;
  arrive(barrier.number, issued);
}

}  // namespace warpgauge::accelsim
