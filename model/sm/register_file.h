// The read stages of a processing block's register file and its reuse cache.
//
// Two banks (register number modulo 2) with one port each: an instruction needs as many cycles as the busier
// bank has distinct registers to read that the reuse cache does not hold. A fixed-latency instruction reads in the stages
// behind the allocate stage, in each cycle the oldest that lacks a source of a bank. What is read waits in the latch of its slot
// and bank until the instruction leaves the last stage; while the one in the last stage lacks a source, all stages, issue and
// the stall counts of all warps stand still. A result that is not yet in the file is had on the way, in the last stage
// (probes registers.timelines and registers.sequences); of several for one bank most are missed and read from the file.
// HFMA2.MMA and FP64 write later than the rest, and one instruction writes a cycle. Instructions of variable latency read
// their registers one by one later on, and go first at the ports (probe registers.pipes).
//
// Everything is known when an instruction issues, since no younger one changes what it meets. Cycles here are those of issue: what
// the stages do comes a fixed time later.
//
// The reuse cache has one entry for each operand slot and bank. An entry is made by a read whose reuse flag
// is set, hits for the same warp, register and slot, and is dropped by the next read of that slot and bank,
// hit or miss, unless that read renews it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "model/sm/decoded.h"
#include "model/sm/spec.h"
#include "model/sm/standstills.h"

namespace warpgauge::model {

class RegisterFile {
 public:
  explicit RegisterFile(const RegisterFileSpec& spec)
      : spec_(spec), ports_(std::clamp(spec.ports_per_bank, 1U, max_ports)) {
    entries_.fill(empty);
  }

  // In words: written one by one and read two at a time, halves of them would keep the host waiting.
  struct Outcome {
    Cycle extra_cycles = 0;  // reads of the busier bank beyond the first
    Cycle reuse_hits = 0;
    // Cycles by which it leaves the allocate stage later than it could, for its own and other fixed-latency instructions'
    // reads; its unit is taken for as many more.
    Cycle late = 0;
  };

  // The first cycle from `now` on in which an instruction may issue: the control stage is free, nothing stands still.
  [[nodiscard]] Cycle free_from(Cycle now) const { return standstills_.behind(std::max(now, control_free_)); }

  // Stall counts run on a clock of their own: `now`, less the cycles in which the allocate stage was held.
  [[nodiscard]] Cycle stall_clock(Cycle now) const { return standstills_.clock(now); }
  [[nodiscard]] bool stands_still(Cycle now) const { return standstills_.holds(now); }
  // When that clock, as far as is known, goes on from `stall_clock`.
  [[nodiscard]] Cycle when(Cycle stall_clock) const { return standstills_.when(stall_clock); }

  // The sources of an instruction of variable latency, which has left its queue at `now`, are read one by one, and have the ports of
  // their banks before what issues from now on.
  void read_later(Cycle now, const LaterReads& reads) {
    if (reads.count == 0) return;
    advance(std::max(base_, now));
    for (unsigned i = 0; i < reads.count; ++i)
      take_port((reads.banks >> i) & 1U, std::max(base_, now + spec_.operand_first + Cycle{i} * spec_.operand_interval));
  }

  // Nothing issues for `cycles` from `from` on, or behind what stands still then, and all stall counts stand still.
  void stop(Cycle from, unsigned cycles, Cycle now) { standstills_.add(from, cycles, now); }

  // Takes the instruction that issues at `now` (free_from(now) == now) through control and allocate.
  Outcome issue(const StaticOp& op, unsigned warp, Cycle now);

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};
  static constexpr unsigned max_slots = 4;
  static constexpr unsigned max_banks = 4;
  static constexpr unsigned max_ports = 8;

  // An instruction is in control in the cycle after its issue and in allocate one cycle later.
  static constexpr Cycle issue_to_allocate = 2;

  static constexpr unsigned writes_kept = 8;

  std::uint32_t& entry(unsigned slot, unsigned bank) {
    return entries_[slot * max_banks + (spec_.reuse_per_bank ? bank : 0)];
  }
  // Nobody asks for cycles before `begin` any more.
  void advance(Cycle begin);
  // Takes a bank's first free cycle from `from` on.
  Cycle take_port(unsigned bank, Cycle from);
  [[nodiscard]] bool is_free(unsigned bank, Cycle at) const {
    if (at - base_ >= 64) return true;
    return std::any_of(taken_[bank].begin(), taken_[bank].begin() + ports_,
                       [&](std::uint64_t port) { return ((port >> (at - base_)) & 1) == 0; });
  }
  // The first cycle in which a slot's latch of a bank can take what is read.
  Cycle& latch(unsigned slot, unsigned bank) { return latches_[slot * max_banks + bank]; }
  // By how long the instruction `distance` places ahead in the read stages held them up.
  [[nodiscard]] Cycle stalled_behind(Cycle tick, Cycle distance) const;

  RegisterFileSpec spec_;
  std::array<std::uint32_t, max_slots * max_banks> entries_{};  // warp << 8 | register
  // Cycles in which a port has a read: bit n of a bank's and port's mask is cycle base_ + n.
  std::array<std::array<std::uint64_t, max_ports>, max_banks> taken_{};
  Cycle base_ = 0;
  std::array<Cycle, max_slots * max_banks> latches_{};
  // The last two instructions that read registers: when they were allocated by a clock that stops while the read stages
  // do, and for how long they stopped them.
  struct Entry {
    Cycle tick = 0;
    Cycle stall = 0;
  };
  std::array<Entry, 2> behind_{};
  // What the last instructions write, and when it may be read.
  struct Write {
    std::uint32_t first = empty;  // warp << 8 | register
    std::uint32_t count = 0;
    Cycle from = 0;
    Cycle high_from = 0;  // of its last register
    ResultPath path = ResultPath::none;
  };
  // A source that is a result on its way, due in its reader's last stage. Nothing is set here: the hot loop has room for many.
  struct Arriving {
    Cycle from;  // that it can be read from the file
    std::uint8_t bank;
    std::uint8_t turn;
    bool factor;
    bool stays;  // can be had a cycle later as well
  };
  static constexpr std::uint8_t last_turn = 3;
  // Whose result is in the file so many cycles after the reader's last stage.
  static std::uint8_t turn_of(Cycle in_file, bool own_pipe) {
    return in_file >= 2 ? (own_pipe ? 0 : last_turn) : in_file == 1 ? 1 : 2;
  }
  Cycle take_arriving(std::span<Arriving> all, Cycle last_stage);
  // Reads an instruction's sources; for how long it keeps the read stages from going on.
  Cycle read_sources(const StaticOp& op, unsigned warp, Cycle enters, Outcome& outcome);
  void remember(const StaticOp& op, unsigned warp, Cycle complete);
  // The last result of a register, if it is among those that are kept.
  struct Newest {
    Cycle from = 0;
    ResultPath path = ResultPath::none;
  };
  [[nodiscard]] Newest newest(std::uint32_t reg) const;
  [[nodiscard]] bool writes_late(Cycle at) const { return at == late_writes_[0] || at == late_writes_[1]; }
  std::array<Write, writes_kept> writes_{};
  // A sieve before the list, since few instructions read what has just been written: a register of a warp has one of 64
  // places, neighbours have places side by side, and those of a write's are set.
  static unsigned place_of(unsigned warp, unsigned reg) { return (13 * warp + reg) % 64; }
  static std::uint64_t places_of(unsigned warp, unsigned first, unsigned count) {
    const std::uint64_t places = count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
    return std::rotl(places, static_cast<int>(place_of(warp, first)));
  }
  [[nodiscard]] std::uint64_t recently_written() const {
    std::uint64_t places = 0;
    for (const std::uint64_t write : written_) places |= write;
    return places;
  }
  std::array<std::uint64_t, writes_kept> written_{};  // by write
  unsigned next_write_ = 0;
  std::array<Cycle, 2> late_writes_{};  // when who writes together with the last late ones leaves the allocate stage
  Cycle stalled_ = 0;  // cycles for which the read stages have been stopped
  unsigned ports_ = 1;
  Standstills standstills_;
  Cycle allocate_free_ = 0;  // first cycle in which the allocate stage can take an instruction
  Cycle control_free_ = 0;   // first cycle in which an instruction may issue
  unsigned last_warp_ = ~0U;
};

}  // namespace warpgauge::model
