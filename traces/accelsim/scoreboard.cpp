#include "traces/accelsim/scoreboard.h"

#include <algorithm>
#include <array>

#include "traces/sass/decode.h"

namespace warpgauge::accelsim {
namespace {

using sass::Access;
using sass::Control;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

constexpr unsigned counters = 6;
constexpr unsigned registers = 255;
// The longest stall that does not end the warp's turn in another way.
constexpr unsigned most_stall = 11;

bool varies(Opcode opcode) {
  if (sass::loads_or_stores(opcode)) return true;
  switch (opcode) {
    case Opcode::LDGDEPBAR:
    case Opcode::SHFL:
    case Opcode::MATCH:
    case Opcode::S2R:
    case Opcode::S2UR:
    case Opcode::B2R:
    case Opcode::MUFU:
    case Opcode::FCHK:
    case Opcode::POPC:
    case Opcode::FLO:
    case Opcode::BREV:
    case Opcode::F2F:
    case Opcode::F2I:
    case Opcode::I2F:
    case Opcode::FRND:
    case Opcode::REDUX:
    case Opcode::TEX:
    case Opcode::TLD:
    case Opcode::TLD4:
    case Opcode::TXD:
    case Opcode::TXQ:
    case Opcode::SULD:
    case Opcode::SUST:
    case Opcode::QSPC:
      return true;
    default:
      return false;
  }
}

// Calls `f(register)` for those that the instruction reads, or writes.
template <class F>
void each_register(const sass::Instruction& i, bool writes, F f) {
  for (const Operand& operand : i.operands()) {
    if (operand.kind == OperandKind::register_ && operand.index != Operand::rz) {
      const bool written = operand.access == Access::write || operand.access == Access::read_write;
      const bool read = operand.access == Access::read || operand.access == Access::read_write;
      if (!(writes ? written : read)) continue;
      const unsigned count = std::max<unsigned>(operand.registers, 1);
      for (unsigned r = operand.index; r < std::min(operand.index + count, registers); ++r) f(r);
    } else if (operand.kind == OperandKind::address && !writes && operand.index != Operand::no_base &&
               operand.index < registers) {
      f(operand.index);
      if (operand.wide_base && operand.index + 1U < registers) f(operand.index + 1U);
    }
  }
}

}  // namespace

std::vector<sass::Instruction> with_scoreboard(
    std::span<const sass::Instruction> code,
    const std::function<unsigned(const sass::Instruction&)>& latency) {
  std::vector<sass::Instruction> result(code.begin(), code.end());
  // Which counters stand for results that come into a register, and for sources that are still read from one:
  // over all of the code, whatever the way that leads to an instruction.
  std::array<std::uint8_t, registers> results{};
  std::array<std::uint8_t, registers> sources{};
  unsigned next = 0;
  for (sass::Instruction& i : result) {
    i.control = Control{};
    i.control.stall = 1;
    if (!varies(i.opcode)) continue;
    bool writes = false;
    bool reads = false;
    each_register(i, true, [&](unsigned) { writes = true; });
    each_register(i, false, [&](unsigned) { reads = true; });
    if (writes || i.opcode == Opcode::LDGDEPBAR) {
      i.control.write_barrier = static_cast<std::uint8_t>(next++ % counters);
      each_register(i, true, [&](unsigned r) {
        results[r] = static_cast<std::uint8_t>(results[r] | 1U << i.control.write_barrier);
      });
    }
    if (reads) {
      i.control.read_barrier = static_cast<std::uint8_t>(next++ % counters);
      each_register(i, false, [&](unsigned r) {
        sources[r] = static_cast<std::uint8_t>(sources[r] | 1U << i.control.read_barrier);
      });
    }
  }
  std::array<std::uint64_t, registers> ready{};  // when a fixed-latency result can be read
  std::uint64_t now = 0;
  for (std::size_t n = 0; n < result.size(); ++n) {
    sass::Instruction& i = result[n];
    unsigned wait = 0;
    std::uint64_t earliest = now;
    each_register(i, false, [&](unsigned r) {
      wait |= results[r];
      earliest = std::max(earliest, ready[r]);
    });
    each_register(i, true, [&](unsigned r) {
      wait |= results[r] | sources[r];
      earliest = std::max(earliest, ready[r]);
    });
    i.control.wait_mask = static_cast<std::uint8_t>(wait);
    // The instruction before it takes the wait upon itself; what one cannot take, those before it do.
    for (std::size_t back = n; back > 0 && earliest > now; --back) {
      Control& control = result[back - 1].control;
      const auto more =
          static_cast<unsigned>(std::min<std::uint64_t>(earliest - now, most_stall - control.stall));
      control.stall = static_cast<std::uint8_t>(control.stall + more);
      now += more;
    }
    if (!varies(i.opcode)) {
      const unsigned cycles = latency(i);
      each_register(i, true, [&](unsigned r) { ready[r] = now + cycles; });
    }
    ++now;
  }
  for (std::size_t n = 0; n < result.size(); ++n) {
    const std::uint64_t offset = n * sass::instruction_bytes;
    result[n].word = sass::encode(result[n], offset);
  }
  return result;
}

}  // namespace warpgauge::accelsim
