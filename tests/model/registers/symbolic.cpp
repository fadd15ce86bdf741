#include "tests/model/registers/symbolic.h"

#include <array>

#include "model/registers/effects.h"

namespace warpgauge::registers::kit {

using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15 + b + 0x7f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<std::uint64_t> symbolic_trace(std::span<const sass::Instruction> code, std::uint64_t seed,
                                          std::size_t steps) {
  std::array<std::uint64_t, 256> registers;
  registers.fill(0xdead);  // undefined, and therefore the same whichever register it is
  registers[255] = 0;
  std::array<bool, 8> predicates{};
  predicates[7] = true;
  std::vector<std::uint64_t> trace;
  std::uint64_t memory = seed;  // changes with every store, so that the order of stores matters
  std::size_t at = 0;
  while (trace.size() < steps && at < code.size()) {
    const sass::Instruction& i = code[at];
    if (predicates[i.guard.predicate] == i.guard.negate) {
      trace.push_back(mix(at, 1));
      ++at;
      continue;
    }
    std::uint64_t inputs = mix(at, 2);
    for (const Operand& o : i.operands()) {
      const OperandRegisters r = operand_registers(i, o);
      if (r.read)
        for (unsigned k = 0; k < r.count; ++k) inputs = mix(inputs, registers[r.first + k]);
    }
    trace.push_back(inputs);
    if (i.opcode == Opcode::EXIT) break;
    const std::uint64_t result = mix(inputs, memory);
    if (i.opcode == Opcode::STG || i.opcode == Opcode::STS) memory = mix(memory, inputs);
    std::uint64_t part = 0;
    std::size_t next = at + 1;
    for (const Operand& o : i.operands()) {
      const OperandRegisters r = operand_registers(i, o);
      if (r.write)
        for (unsigned k = 0; k < r.count; ++k) registers[r.first + k] = mix(result, ++part);
      if (o.kind == OperandKind::predicate && o.access == sass::Access::write && o.index != Operand::pt)
        predicates[o.index] = (mix(result, 77) & 1) != 0;
      if (o.kind == OperandKind::target && i.opcode == Opcode::BRA)
        next = static_cast<std::size_t>(o.value) / 16;
    }
    at = next;
  }
  return trace;
}

}  // namespace warpgauge::registers::kit
