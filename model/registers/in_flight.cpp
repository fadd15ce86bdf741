#include "model/registers/in_flight.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <vector>

namespace warpgauge::registers {

using sass::Control;
using sass::Instruction;

namespace {

using Bits = std::vector<std::uint64_t>;

constexpr unsigned counters = 6;

class Tracker {
 public:
  Tracker(std::span<const Instruction> code, const ControlFlow& flow, const AccessTable& accesses,
          const InFlightVisitor& visit, const InFlightBounds& bounds)
      : code_(code), flow_(flow), accesses_(accesses), visit_(visit), bounds_(bounds) {}

  void run() {
    number_tokens();
    if (!token_instruction_.empty()) {
      solve();
      report_counted();
    }
    report_timed();
  }

 private:
  [[nodiscard]] bool writes_registers(std::uint32_t i) const {
    for (const RegisterAccess& a : accesses_.of(i))
      if (a.write) return true;
    return false;
  }

  // A token stands for the pending reads, or the pending writes, of one variable-latency instruction.
  void number_tokens() {
    token_of_.assign(code_.size(), {none, none});
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (flow_.block_of[i] == no_block || is_fixed_latency(code_[i]) || is_matrix(code_[i].opcode)) continue;
      bool reads = false;
      bool writes = false;
      for (const RegisterAccess& a : accesses_.of(i)) {
        reads |= a.read;
        writes |= a.write;
      }
      const Control& c = code_[i].control;
      if (reads) token_of_[i][0] = add_token(i, false, {c.read_barrier, c.write_barrier});
      if (writes) token_of_[i][1] = add_token(i, true, {c.write_barrier, Control::no_barrier});
    }
    words_ = (token_instruction_.size() + 63) / 64;
    for (Bits& b : cleared_by_) b.resize(words_, 0);
  }

  std::uint32_t add_token(std::uint32_t i, bool is_write, std::array<std::uint8_t, 2> barriers) {
    const auto token = static_cast<std::uint32_t>(token_instruction_.size());
    token_instruction_.push_back(i);
    token_is_write_.push_back(is_write);
    for (const std::uint8_t b : barriers) {
      if (b >= counters) continue;
      if (cleared_by_[b].size() <= token / 64) cleared_by_[b].resize(token / 64 + 1, 0);
      cleared_by_[b][token / 64] |= std::uint64_t{1} << (token & 63);
    }
    return token;
  }

  void wait(std::uint32_t i, Bits& pending) const {
    for (unsigned b = 0; b < counters; ++b)
      if ((code_[i].control.wait_mask >> b & 1) != 0)
        for (std::size_t w = 0; w < words_; ++w) pending[w] &= ~cleared_by_[b][w];
  }

  void issue(std::uint32_t i, Bits& pending) const {
    for (const std::uint32_t token : token_of_[i])
      if (token != none) pending[token / 64] |= std::uint64_t{1} << (token & 63);
  }

  void solve() {
    in_.assign(flow_.blocks.size(), Bits(words_, 0));
    std::vector<char> queued(flow_.blocks.size(), 1);
    std::vector<std::uint32_t> work;
    for (std::uint32_t b = static_cast<std::uint32_t>(flow_.blocks.size()); b-- > 0;) work.push_back(b);
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      queued[b] = 0;
      Bits pending = in_[b];
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        wait(i, pending);
        issue(i, pending);
      }
      for (const std::uint32_t s : flow_.blocks[b].successors) {
        bool grew = false;
        for (std::size_t w = 0; w < words_; ++w) {
          const std::uint64_t joined = in_[s][w] | pending[w];
          grew |= joined != in_[s][w];
          in_[s][w] = joined;
        }
        if (grew && queued[s] == 0) {
          queued[s] = 1;
          work.push_back(s);
        }
      }
    }
  }

  void report_counted() {
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      Bits pending = in_[b];
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        wait(i, pending);
        if (writes_registers(i))
          for (std::size_t w = 0; w < words_; ++w)
            for (std::uint64_t bits = pending[w]; bits != 0; bits &= bits - 1)
              report(i, token_instruction_[w * 64 + static_cast<unsigned>(std::countr_zero(bits))],
                     token_is_write_[w * 64 + static_cast<unsigned>(std::countr_zero(bits))]);
        issue(i, pending);
      }
    }
  }

  void report(std::uint32_t writer, std::uint32_t in_flight, bool is_write) {
    const auto list = accesses_.of(in_flight);
    for (std::size_t k = 0; k < list.size(); ++k)
      if (is_write ? list[k].write : list[k].read) visit_(writer, in_flight, accesses_.first(in_flight) + k);
  }

  void report_timed() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (flow_.block_of[i] == no_block) continue;
      if (is_matrix(code_[i].opcode)) {
        walk(i, bounds_.matrix_read, false);
        walk(i, bounds_.matrix_write, true);
      } else if (is_fixed_latency(code_[i]) && writes_registers(i)) {
        walk(i, bounds_.arithmetic_write, true);
      }
    }
  }

  // Every writer that may issue within `cycles` after instruction `from`, on any way. A result stops being
  // pending where it is read: the reader was scheduled behind it. `unread` has a bit for each register that
  // was written and not overwritten since; a read of it is a read of this result.
  void walk(std::uint32_t from, unsigned cycles, bool is_write) {
    struct Place {
      std::uint32_t instruction;
      std::uint32_t unread;
      unsigned elapsed;
    };
    std::unordered_map<std::uint64_t, unsigned> best;  // earliest known arrival
    std::vector<Place> work;
    const auto leave = [&](std::uint32_t i, std::uint32_t unread, unsigned elapsed) {
      elapsed += std::max<unsigned>(1, code_[i].control.stall);
      if (elapsed >= cycles) return;
      const auto go = [&](std::uint32_t to) {
        const auto [found, fresh] = best.try_emplace(std::uint64_t{to} << 32 | unread, elapsed);
        if (!fresh && found->second <= elapsed) return;
        found->second = elapsed;
        work.push_back({to, unread, elapsed});
      };
      const Block& block = flow_.blocks[flow_.block_of[i]];
      if (i + 1 < block.end) {
        go(i + 1);
      } else {
        for (const std::uint32_t s : block.successors) go(flow_.blocks[s].first);
      }
    };
    leave(from, is_write ? ~std::uint32_t{0} : 0, 0);
    while (!work.empty()) {
      Place at = work.back();
      work.pop_back();
      if (at.instruction == from) continue;
      if (is_write && touches_result(at.instruction, from, at.unread, false) != 0) continue;
      if (writes_registers(at.instruction)) {
        report(at.instruction, from, is_write);
        if (!is_guarded(code_[at.instruction]))
          at.unread &= ~touches_result(at.instruction, from, at.unread, true);
      }
      leave(at.instruction, at.unread, at.elapsed);
    }
  }

  // Which of the result's registers (bits in the order of its accesses, among `mask`) an instruction reads or
  // writes.
  [[nodiscard]] std::uint32_t touches_result(std::uint32_t instruction, std::uint32_t result,
                                             std::uint32_t mask, bool write) const {
    std::uint32_t touched = 0;
    std::uint32_t bit = 1;
    for (const RegisterAccess& w : accesses_.of(result)) {
      if (!w.write) continue;
      for (const RegisterAccess& a : accesses_.of(instruction))
        if ((write ? a.write : a.read) && a.register_ == w.register_) touched |= bit & mask;
      bit <<= 1;
    }
    return touched;
  }

  static constexpr std::uint32_t none = 0xffffffff;
  std::span<const Instruction> code_;
  const ControlFlow& flow_;
  const AccessTable& accesses_;
  const InFlightVisitor& visit_;
  InFlightBounds bounds_;
  std::vector<std::array<std::uint32_t, 2>> token_of_;
  std::vector<std::uint32_t> token_instruction_;
  std::vector<bool> token_is_write_;
  std::array<Bits, counters> cleared_by_;
  std::size_t words_ = 0;
  std::vector<Bits> in_;
};

}  // namespace

void for_each_write_in_flight(std::span<const Instruction> code, const ControlFlow& flow,
                              const AccessTable& accesses, const InFlightVisitor& f,
                              const InFlightBounds& bounds) {
  Tracker(code, flow, accesses, f, bounds).run();
}

}  // namespace warpgauge::registers
