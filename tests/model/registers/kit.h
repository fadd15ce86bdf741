// Hand-made machine code for the tests: Turing words, built field by field and read back by the decoder.
#pragma once

#include <cstdint>
#include <vector>

#include "model/registers/analysis.h"
#include "model/registers/conflicts.h"
#include "traces/sass/decode.h"

namespace warpgauge::registers::kit {

inline constexpr unsigned rz = 255;

// One word in the making. Control: stall 1, no switch, no barriers, until told otherwise.
class Line {
 public:
  Line(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

  Line& guard(unsigned predicate, bool negate = false) {
    low_ = (low_ & ~(std::uint64_t{15} << 12)) | std::uint64_t{predicate} << 12 | std::uint64_t{negate} << 15;
    return *this;
  }
  Line& stall(unsigned cycles) {
    stall_ = cycles;
    return *this;
  }
  Line& yield() {
    yield_ = true;
    return *this;
  }
  Line& sets(unsigned barrier) {
    write_ = barrier;
    return *this;
  }  // released when the result is written
  Line& frees(unsigned barrier) {
    read_ = barrier;
    return *this;
  }  // released when the sources are read
  Line& waits(unsigned barrier) {
    wait_ |= 1U << barrier;
    return *this;
  }
  Line& reuse(unsigned slots) {
    reuse_ = slots;
    return *this;
  }  // bit 0, 1, 2: A, B, C
  Line& to(std::uint32_t index) {
    target_ = index;
    branches_ = true;
    return *this;
  }

  [[nodiscard]] sass::Word word(std::uint32_t at) const;

 private:
  std::uint64_t low_;
  std::uint64_t high_;
  unsigned stall_ = 1;
  bool yield_ = false;
  unsigned write_ = 7;
  unsigned read_ = 7;
  unsigned wait_ = 0;
  unsigned reuse_ = 0;
  std::uint32_t target_ = 0;
  bool branches_ = false;
};

Line ffma(unsigned d, unsigned a, unsigned b, unsigned c);
Line fadd(unsigned d, unsigned a, unsigned b);
Line iadd3(unsigned d, unsigned a, unsigned b, unsigned c);
Line imad_wide(unsigned d, unsigned a, unsigned b, unsigned c);  // d and c are pairs
Line dfma(unsigned d, unsigned a, unsigned b, unsigned c);       // pairs
Line mov(unsigned d, std::uint32_t immediate);
Line mov_register(unsigned d, unsigned b);
Line mov_stack_pointer();  // MOV R1, c[0x0][0x28]
Line isetp(unsigned p, unsigned a, unsigned b);
Line ldg(unsigned d, unsigned address, unsigned registers = 1);  // address is a pair
Line stg(unsigned address, unsigned data, unsigned registers = 1);
Line lds(unsigned d, unsigned address, unsigned registers = 1);
Line sts(unsigned address, unsigned data, unsigned registers = 1);
Line mufu(unsigned d, unsigned b);
Line hmma(unsigned d, unsigned a, unsigned b, unsigned c);  // 1688: quad, pair, one, quad
Line bra(std::uint32_t target);
Line bssy(std::uint32_t target);
Line bsync();
Line brx(unsigned address);
Line call(std::uint32_t target);
Line call_register(unsigned address);
Line ret(unsigned address);
Line exit();
Line unknown();

std::vector<sass::Instruction> assemble(const std::vector<Line>& lines);

// Analysis of code that the caller keeps.
Analysis analyse(const std::vector<sass::Instruction>& code);

// As measured on the H200: an FFMA a cycle; and on Volta, where it takes two.
RegisterFile one_cycle();
RegisterFile two_cycles();

}  // namespace warpgauge::registers::kit
