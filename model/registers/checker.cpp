#include "model/registers/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/registers/effects.h"
#include "model/registers/in_flight.h"
#include "model/registers/register_set.h"

namespace warpgauge::registers {

using sass::Instruction;
using sass::instruction_bytes;
using sass::Operand;
using sass::SourceSlot;

namespace {

// same[r] holds n when register n of the new code has the value of register r of the old code.
class Relation {
 public:
  static Relation anything() {
    Relation relation;
    relation.same_.fill(RegisterSet::all());
    return relation;
  }
  static Relation identity() {
    Relation relation;
    for (unsigned r = 0; r < register_count; ++r) relation.same_[r].set(r);
    return relation;
  }
  // Values at a kernel's start are undefined and equal to any; the ABI's stack pointer alone is not.
  static Relation kernel_start() {
    Relation relation = anything();
    relation.same_[1] = {};
    relation.same_[1].set(1);
    return relation;
  }

  [[nodiscard]] bool holds(unsigned old_register, unsigned new_register) const {
    return same_[old_register].test(new_register);
  }

  // Old r and new n receive one and the same new value, in all threads or only where a guard holds.
  void write(unsigned r, unsigned n, bool guarded) {
    const bool kept = !guarded || same_[r].test(n);
    for (unsigned other = 0; other < register_count; ++other) same_[other].reset(n);
    same_[r] = {};
    if (kept) same_[r].set(n);
  }

  bool narrow(const Relation& other) {
    bool changed = false;
    for (unsigned r = 0; r < register_count; ++r) {
      const RegisterSet before = same_[r];
      same_[r] &= other.same_[r];
      changed |= !(before == same_[r]);
    }
    return changed;
  }

 private:
  std::array<RegisterSet, register_count> same_{};
};

class Checker {
 public:
  Checker(std::span<const Instruction> original, std::span<const Instruction> rewritten,
          const CheckOptions& options)
      : old_(original), new_(rewritten), options_(options) {}

  std::vector<Fault> run() {
    if (old_.size() != new_.size()) {
      fault(0, fmt::format("{} instructions became {}", old_.size(), new_.size()));
      return std::move(faults_);
    }
    flow_ = control_flow(old_, options_.entry, options_.indirect);
    for (std::uint32_t i = 0; i < old_.size(); ++i) compare(i);
    if (!faults_.empty()) return std::move(faults_);  // the walk needs equal shapes
    const AccessTable old_accesses(old_);
    const AccessTable new_accesses(new_);
    walk(old_accesses, new_accesses);
    check_in_flight(old_accesses, new_accesses);
    check_reuse(old_accesses, new_accesses);
    std::stable_sort(faults_.begin(), faults_.end(),
                     [](const Fault& a, const Fault& b) { return a.address < b.address; });
    return std::move(faults_);
  }

 private:
  void fault(std::uint32_t i, std::string what) {
    if (faults_.size() < options_.most_faults) faults_.push_back({i * instruction_bytes, std::move(what)});
  }

  // Everything but register numbers and reuse flags is the same.
  void compare(std::uint32_t i) {
    const Instruction& a = old_[i];
    const Instruction& b = new_[i];
    sass::Control control = b.control;
    control.reuse = a.control.reuse;
    if (may_give_up_yield(i)) control.yield = true;
    const bool reachable = flow_.block_of[i] != no_block;
    if (a.opcode != b.opcode || a.row != b.row || a.architecture != b.architecture || a.guard != b.guard ||
        a.modifiers != b.modifiers || a.operand_count != b.operand_count || a.control != control ||
        (!reachable && a.control != b.control)) {
      fault(i, fmt::format("{} is no longer the same instruction", sass::mnemonic(a.opcode)));
      return;
    }
    for (std::size_t o = 0; o < a.operand_count; ++o) {
      Operand expected = a.operand(o);
      const Operand& found = b.operand(o);
      const OperandRegisters registers = operand_registers(a, expected);
      if (reachable && registers.count != 0) {
        expected.index = found.index;
        if (found.index + found.registers > Operand::rz ||
            operand_registers(b, found).count != registers.count) {
          fault(i, fmt::format("operand {} names other registers than a thread has", o));
          continue;
        }
        if (found.index + registers.count > options_.limit && found.index != a.operand(o).index)
          fault(i, fmt::format("R{} is beyond the {} registers of the thread",
                               found.index + registers.count - 1, options_.limit));
        if (found.index % required_alignment(registers.first, registers.count) != 0)
          fault(i, fmt::format("R{} is not aligned for {} registers", found.index, registers.count));
      }
      if (reachable) expected.reuse = found.reuse;
      if (!(expected == found)) fault(i, fmt::format("operand {} changed in more than its register", o));
    }
  }

  // Dropping the request to give way changes no result; it is allowed where the control word has a code for
  // it and the warp goes on with an instruction of the same kind.
  [[nodiscard]] bool may_give_up_yield(std::uint32_t i) const {
    const Instruction& a = old_[i];
    return a.control.yield && a.control.stall >= 1 && a.control.stall <= 11 && is_fixed_latency(a) &&
           i + 1 < old_.size() && flow_.block_of[i] != no_block &&
           flow_.block_of[i + 1] == flow_.block_of[i] && is_fixed_latency(old_[i + 1]);
  }

  void walk(const AccessTable& old_accesses, const AccessTable& new_accesses) {
    const std::size_t n = flow_.blocks.size();
    std::vector<Relation> in(n, Relation::anything());
    std::vector<char> queued(n, 0);
    std::vector<std::uint32_t> work;
    for (std::uint32_t b = 0; b < n; ++b)
      if (flow_.blocks[b].entry) {
        in[b] = flow_.blocks[b].opaque_entry ? Relation::identity() : Relation::kernel_start();
      }
    for (std::uint32_t b = static_cast<std::uint32_t>(n); b-- > 0;) {
      work.push_back(b);
      queued[b] = 1;
    }
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      queued[b] = 0;
      Relation now = in[b];
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i)
        step(i, old_accesses, new_accesses, now);
      for (const std::uint32_t s : flow_.blocks[b].successors)
        if (in[s].narrow(now) && queued[s] == 0) {
          queued[s] = 1;
          work.push_back(s);
        }
    }
    for (std::uint32_t b = 0; b < n; ++b) {
      Relation now = in[b];
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        check_reads(i, old_accesses, new_accesses, now);
        step(i, old_accesses, new_accesses, now);
      }
    }
  }

  void step(std::uint32_t i, const AccessTable& old_accesses, const AccessTable& new_accesses,
            Relation& now) const {
    if (flow_.boundary[i] == Boundary::call) now = Relation::identity();
    const auto from = old_accesses.of(i);
    const auto to = new_accesses.of(i);
    for (std::size_t k = 0; k < from.size(); ++k)
      if (from[k].write) now.write(from[k].register_, to[k].register_, is_guarded(old_[i]));
  }

  void check_reads(std::uint32_t i, const AccessTable& old_accesses, const AccessTable& new_accesses,
                   const Relation& now) {
    const auto from = old_accesses.of(i);
    const auto to = new_accesses.of(i);
    for (std::size_t k = 0; k < from.size(); ++k)
      if (from[k].read && !now.holds(from[k].register_, to[k].register_))
        fault(i, fmt::format("R{} does not hold on every way what R{} held in the original", to[k].register_,
                             from[k].register_));
    for (std::size_t k = 0; k < to.size(); ++k)
      for (std::size_t m = 0; m < k; ++m)
        if (to[k].write && to[m].write && to[k].register_ == to[m].register_ &&
            from[k].register_ != from[m].register_)
          fault(i, fmt::format("R{} is written twice", to[k].register_));
    if (flow_.boundary[i] != Boundary::none)
      for (unsigned r = 0; r < register_count; ++r)
        if (!now.holds(r, r)) {
          fault(i, fmt::format("R{} changed its meaning across a call that cannot be followed", r));
          break;
        }
  }

  // No writer may meet a pending register that it did not already meet in the original.
  void check_in_flight(const AccessTable& old_accesses, const AccessTable& new_accesses) {
    for_each_write_in_flight(
        new_, flow_, new_accesses, [&](std::uint32_t writer, std::uint32_t in_flight, std::size_t access) {
          const RegisterAccess& pending = new_accesses.all()[access];
          const RegisterAccess& pending_before = old_accesses.all()[access];
          const auto to = new_accesses.of(writer);
          const auto from = old_accesses.of(writer);
          for (std::size_t k = 0; k < to.size(); ++k)
            if (to[k].write && to[k].register_ == pending.register_ &&
                from[k].register_ != pending_before.register_)
              fault(writer, fmt::format("R{} is written while the {} at 0x{:04x} may still {} it",
                                        pending.register_, sass::mnemonic(new_[in_flight].opcode),
                                        in_flight * instruction_bytes, pending.write ? "write" : "read"));
        });
    for (std::uint32_t i = 0; i < new_.size(); ++i) {
      if (flow_.block_of[i] == no_block || is_fixed_latency(new_[i])) continue;
      const auto to = new_accesses.of(i);
      const auto from = old_accesses.of(i);
      for (std::size_t w = 0; w < to.size(); ++w)
        for (std::size_t r = 0; r < to.size(); ++r)
          if (to[w].write && to[r].read && to[w].register_ == to[r].register_ &&
              from[w].register_ != from[r].register_)
            fault(i,
                  fmt::format("R{} is overwritten by the instruction that still reads it", to[w].register_));
    }
  }

  // One entry of the reuse cache while a block is walked.
  struct Entry {
    unsigned register_ = 255;  // 255: empty
    bool stale = false;        // written since
    bool guarded = false;      // left by a guarded instruction
    std::uint32_t setter = 0;
    std::uint8_t slot = 0;
  };

  // Walks the block with a reuse cache of one entry a slot and bank, and one a slot and part for matrix
  // instructions. `served[i]` receives the slots whose flag at instruction i served a later read. Faults are
  // noted for the new code only.
  void simulate_reuse(const Block& block, std::span<const Instruction> code, const AccessTable& accesses,
                      std::vector<std::uint8_t>& served, bool note_faults) {
    std::array<std::array<Entry, 8>, 4> plain{};
    std::array<std::array<Entry, 8>, 4> matrix{};
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Instruction& now = code[i];
      const bool is_matrix_now = is_matrix(now.opcode);
      const auto list = accesses.of(i);
      if (is_matrix_now || is_fixed_latency(now)) {
        auto& cache = is_matrix_now ? matrix : plain;
        const auto entry_of = [&](const RegisterAccess& a) -> Entry& {
          return cache[static_cast<unsigned>(a.slot)]
                      [is_matrix_now ? a.part & 7 : a.register_ % options_.banks];
        };
        for (const RegisterAccess& a : list) {
          if (!a.read || a.slot == SourceSlot::none) continue;
          Entry& entry = entry_of(a);
          if (entry.register_ == a.register_) take(i, now, entry, served, note_faults);
          entry = {};
        }
        for (const RegisterAccess& a : list)
          if (a.read && a.slot != SourceSlot::none && now.operand(a.operand).reuse)
            entry_of(a) = {a.register_, false, is_guarded(now), i, static_cast<std::uint8_t>(a.slot)};
      }
      for (const RegisterAccess& a : list)
        if (a.write)
          for (auto* cache : {&plain, &matrix})
            for (auto& slot : *cache)
              for (Entry& entry : slot)
                if (entry.register_ == a.register_) entry.stale = true;
      if (now.control.yield) plain = matrix = {};
    }
  }

  void take(std::uint32_t i, const Instruction& reader, const Entry& entry, std::vector<std::uint8_t>& served,
            bool note_faults) {
    const auto bit = static_cast<std::uint8_t>(1U << (entry.slot - 1));
    served[entry.setter] = static_cast<std::uint8_t>(served[entry.setter] | bit);
    if (!note_faults) return;
    if (entry.stale)
      fault(entry.setter, fmt::format("R{}.reuse: the register changes before 0x{:04x} takes the old value",
                                      entry.register_, i * instruction_bytes));
    const bool had_flag = (old_[entry.setter].control.reuse & bit) != 0;
    if (!had_flag && (entry.guarded || is_guarded(reader)))
      fault(entry.setter, fmt::format("R{}.reuse: a guarded instruction", entry.register_));
  }

  // Flags must serve a read, unless the original has the same idle flag; and must stand where they may.
  void check_reuse(const AccessTable& old_accesses, const AccessTable& new_accesses) {
    std::vector<std::uint8_t> old_served(old_.size(), 0);
    std::vector<std::uint8_t> new_served(new_.size(), 0);
    for (const Block& block : flow_.blocks) {
      simulate_reuse(block, old_, old_accesses, old_served, false);
      simulate_reuse(block, new_, new_accesses, new_served, true);
    }
    for (std::uint32_t i = 0; i < new_.size(); ++i) {
      if (flow_.block_of[i] == no_block) continue;
      const Instruction& now = new_[i];
      std::uint8_t bits = 0;
      for (const Operand& operand : now.operands())
        if (operand.reuse)
          bits = static_cast<std::uint8_t>(bits | 1U << (static_cast<unsigned>(operand.slot) - 1));
      if (bits != now.control.reuse)
        fault(i, fmt::format("the reuse bits {:#x} of the control word are not those of the operands",
                             now.control.reuse));
      const auto idle = static_cast<std::uint8_t>(now.control.reuse & ~new_served[i]);
      const auto idle_before = static_cast<std::uint8_t>(old_[i].control.reuse & ~old_served[i]);
      if ((idle & ~idle_before) != 0) fault(i, "a reuse flag that no later read is sure to find");
      const auto added = static_cast<std::uint8_t>(now.control.reuse & ~old_[i].control.reuse);
      if (added == 0) continue;
      if (now.control.yield)
        fault(i, "a reuse flag where the instruction asks for a switch of warps");
      else if (!is_fixed_latency(now))
        fault(i, "a reuse flag on an instruction that does not go through the cache");
      else if (now.control.stall == 0 || now.control.stall > 11)
        fault(i, "a reuse flag under a stall that drops it");
    }
  }

  std::span<const Instruction> old_;
  std::span<const Instruction> new_;
  const CheckOptions& options_;
  ControlFlow flow_;
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> check(std::span<const Instruction> original, std::span<const Instruction> rewritten,
                         const CheckOptions& options) {
  return Checker(original, rewritten, options).run();
}

}  // namespace warpgauge::registers
