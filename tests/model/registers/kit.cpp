#include "tests/model/registers/kit.h"

#include <stdexcept>

namespace warpgauge::registers::kit {

namespace {

constexpr std::uint64_t pt = 7;

std::uint64_t low(unsigned opcode, unsigned d, unsigned a, unsigned b) {
  return opcode | pt << 12 | std::uint64_t{d} << 16 | std::uint64_t{a} << 24 | std::uint64_t{b} << 32;
}

// Bits of the upper half, by their number in the whole word.
constexpr std::uint64_t at(std::uint64_t value, unsigned bit) {
  return value << (bit - 64);
}

std::uint64_t width(unsigned registers) {
  return at(registers == 4 ? 6 : registers == 2 ? 5 : 4, 73);
}

}  // namespace

sass::Word Line::word(std::uint32_t index) const {
  sass::Word w{low_, high_};
  if (branches_) {
    const std::int64_t bytes =
        (static_cast<std::int64_t>(target_) - static_cast<std::int64_t>(index) - 1) * 16;
    const auto field = static_cast<std::uint64_t>(bytes / 4) & 0xffffffffffff;
    w.low |= field << 34;
    w.high |= field >> 30;
  }
  w.high |= at(stall_, 105) | at(yield_ ? 0 : 1, 109) | at(write_, 110) | at(read_, 113) | at(wait_, 116) |
            at(reuse_, 122);
  return w;
}

Line ffma(unsigned d, unsigned a, unsigned b, unsigned c) {
  return {low(0x223, d, a, b), c};
}
Line fadd(unsigned d, unsigned a, unsigned b) {
  return {low(0x221, d, a, b), 0};
}
Line iadd3(unsigned d, unsigned a, unsigned b, unsigned c) {
  return {low(0x210, d, a, b), c | at(15, 77) | at(7, 81) | at(7, 84) | at(15, 87)};
}
Line imad_wide(unsigned d, unsigned a, unsigned b, unsigned c) {
  return {low(0x225, d, a, b), c | at(1, 73) | at(7, 81) | at(15, 87)};
}
Line dfma(unsigned d, unsigned a, unsigned b, unsigned c) {
  return {low(0x22b, d, a, b), c};
}
Line mov(unsigned d, std::uint32_t immediate) {
  return {low(0x802, d, 0, 0) | std::uint64_t{immediate} << 32, at(15, 72)};
}
Line mov_register(unsigned d, unsigned b) {
  return {low(0x202, d, 0, b), at(15, 72)};
}
Line mov_stack_pointer() {
  return {low(0xa02, 1, 0, 0) | std::uint64_t{0x28 / 4} << 40, at(15, 72)};
}
Line isetp(unsigned p, unsigned a, unsigned b) {
  return {low(0x20c, 0, a, b), at(7, 68) | at(1, 73) | at(1, 76) | at(p, 81) | at(7, 84) | at(7, 87)};
}
Line ldg(unsigned d, unsigned address, unsigned registers) {
  return {low(0x381, d, address, 0),
          at(7, 64) * 0 + at(1, 72) + width(registers) + at(7, 77) + at(7, 81) + at(1, 84)};
}
Line stg(unsigned address, unsigned data, unsigned registers) {
  return {low(0x386, 0, address, data), at(1, 72) + width(registers) + at(7, 77) + at(1, 84)};
}
Line lds(unsigned d, unsigned address, unsigned registers) {
  return {low(0x984, d, address, 0), width(registers)};
}
Line sts(unsigned address, unsigned data, unsigned registers) {
  return {low(0x388, 0, address, data), width(registers)};
}
Line mufu(unsigned d, unsigned b) {
  return {low(0x308, d, 0, b), at(4, 74)};
}
Line hmma(unsigned d, unsigned a, unsigned b, unsigned c) {
  return {low(0x23c, d, a, b), c | at(1, 76)};
}
Line bra(std::uint32_t target) {
  return Line(low(0x947, 0, 0, 0), at(7, 87)).to(target);
}
Line bssy(std::uint32_t target) {
  Line line(low(0x945, 0, 0, 0), at(7, 87));
  return line.to(target);
}
Line bsync() {
  return {low(0x941, 0, 0, 0), at(7, 87)};
}
Line brx(unsigned address) {
  return {low(0x949, 0, address, 0), at(7, 87)};
}
Line call(std::uint32_t target) {
  return Line(low(0x944, 0, 0, 0), at(7, 87) | at(1, 86)).to(target);
}
Line call_register(unsigned address) {
  return {low(0x343, 0, address, 0), at(7, 87) | at(1, 86)};
}
// RET.REL.NODEC: the displacement brings the base to the start of the section.
Line ret(unsigned address) {
  return Line(low(0x950, 0, address, 0), at(7, 87) | at(1, 86)).to(0);
}
Line exit() {
  return {low(0x94d, 0, 0, 0), at(7, 87)};
}
Line unknown() {
  return {low(0x7ff, 0, 0, 0), 0};
}

std::vector<sass::Instruction> assemble(const std::vector<Line>& lines) {
  std::vector<sass::Instruction> code;
  for (std::uint32_t i = 0; i < lines.size(); ++i)
    code.push_back(sass::decode(lines[i].word(i), sass::Architecture::sm75, i * sass::instruction_bytes));
  return code;
}

Analysis analyse(const std::vector<sass::Instruction>& code) {
  return registers::analyse(code);
}

RegisterFile one_cycle() {
  return register_file(2, 1, {.fp32 = 32, .integer = 32, .half = 32, .fp64 = 32});
}
RegisterFile two_cycles() {
  return register_file(2, 1, {.fp32 = 16, .integer = 16, .half = 16, .fp64 = 16});
}

}  // namespace warpgauge::registers::kit
