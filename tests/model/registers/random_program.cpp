#include "tests/model/registers/random_program.h"

#include "model/registers/random.h"
#include "tests/model/registers/kit.h"

namespace warpgauge::registers::kit {

namespace {

class Generator {
 public:
  Generator(std::uint64_t seed, const ProgramShape& shape) : random_(seed), shape_(shape) {}

  std::vector<sass::Instruction> run() {
    for (std::uint32_t i = 0; i + 1 < shape_.instructions; ++i) lines_.push_back(decorate(one(i)));
    lines_.push_back(exit());
    return assemble(lines_);
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_.below(n)); }
  unsigned single() { return below(shape_.registers); }
  unsigned aligned(unsigned n) { return below(shape_.registers / n) * n; }
  unsigned source() { return below(12) == 0 ? rz : single(); }

  Line one(std::uint32_t at) {
    switch (below(shape_.branches ? 16 : 14)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return ffma(single(), source(), source(), source());
      case 4:
        return iadd3(single(), source(), source(), source());
      case 5:
        return imad_wide(aligned(2), source(), source(), aligned(2));
      case 6:
        return dfma(aligned(2), aligned(2), aligned(2), aligned(2));
      case 7:
        return mov(single(), below(1000));
      case 8:
        return mov_register(single(), single());
      case 9:
        return isetp(below(4), source(), source());
      case 10: {
        const unsigned n = 1U << below(3);
        return memory(ldg(aligned(n), aligned(2), n), true);
      }
      case 11: {
        const unsigned n = 1U << below(3);
        return memory(stg(aligned(2), aligned(n), n), false);
      }
      case 12: {
        const unsigned n = 1U << below(3);
        return memory(lds(aligned(n), single(), n), true);
      }
      case 13:
        return below(2) == 0 ? memory(mufu(single(), single()), true)
                             : hmma(aligned(4), aligned(2), single(), aligned(4));
      case 14:
        return bra(below(shape_.instructions)).guard(below(4), below(2) != 0);
      default:
        return bra(at + 1 + below(shape_.instructions - at - 1)).guard(below(4), below(2) != 0);
    }
  }

  Line memory(Line line, bool writes) {
    if (writes && below(8) != 0) line.sets(below(6));
    if (below(3) != 0) line.frees(below(6));
    return line;
  }

  Line decorate(Line line) {
    line.stall(1 + below(6));
    if (below(6) == 0) line.yield();
    if (below(3) == 0) line.waits(below(6));
    if (below(10) == 0) line.guard(below(4), below(2) != 0);
    return line;
  }

  Random random_;
  ProgramShape shape_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<sass::Instruction> random_program(std::uint64_t seed, const ProgramShape& shape) {
  return Generator(seed, shape).run();
}

}  // namespace warpgauge::registers::kit
