// Sparse products of a warp: all shapes, types and selectors, with random metadata, against A written out as
// the PTX ISA says ("Sparse matrix storage" of mma.sp, and the fragments and metadata of each shape); sums of
// many magnitudes against the dense product of the rows of B that the metadata chooses.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/emulator/device_fixture.h"
#include "traces/emulator/vector/kernels.h"

namespace warpgauge::emulator::testing {
namespace {

constexpr unsigned words_in = 13;  // a lane: four of A, of B and of C, and the metadata
constexpr unsigned tiles = 16;

enum class Type { f16, bf16, tf32, s8, u8, s4, u4 };

struct Form {
  const char* mnemonic;
  unsigned k;
  Type a, b;
  unsigned selectors;
  bool half = false;  // sums in binary16
  bool saturates = false;
  sass::Architecture architecture = sass::Architecture::sm90;
};
constexpr auto sm80 = sass::Architecture::sm80;
constexpr Form forms[] = {{"HMMA.SP.16816.F32", 16, Type::f16, Type::f16, 4},
                          {"HMMA.SP.16832.F32", 32, Type::f16, Type::f16, 2},
                          {"HMMA.SP.16816.F16", 16, Type::f16, Type::f16, 4, true},
                          {"HMMA.SP.16832.F16", 32, Type::f16, Type::f16, 2, true},
                          {"HMMA.SP.16816.F32.BF16", 16, Type::bf16, Type::bf16, 4},
                          {"HMMA.SP.16832.F32.BF16", 32, Type::bf16, Type::bf16, 2},
                          {"HMMA.SP.1688.F32.TF32", 8, Type::tf32, Type::tf32, 4},
                          {"HMMA.SP.16816.F32.TF32", 16, Type::tf32, Type::tf32, 2},
                          {"HMMA.SP.16832.F32", 32, Type::f16, Type::f16, 2, false, false, sm80},
                          {"HMMA.SP.16816.F32.TF32", 16, Type::tf32, Type::tf32, 2, false, false, sm80},
                          {"IMMA.SP.16832.S8.S8", 32, Type::s8, Type::s8, 2},
                          {"IMMA.SP.16832.S8.U8", 32, Type::s8, Type::u8, 2},
                          {"IMMA.SP.16832.U8.S8.SAT", 32, Type::u8, Type::s8, 2, false, true},
                          {"IMMA.SP.16864.U8.U8", 64, Type::u8, Type::u8, 1},
                          {"IMMA.SP.16864.S8.S8.SAT", 64, Type::s8, Type::s8, 1, false, true},
                          {"IMMA.SP.16864.S4.S4", 64, Type::s4, Type::s4, 2, false, false, sm80},
                          {"IMMA.SP.16864.U4.S4.SAT", 64, Type::u4, Type::s4, 2, false, true, sm80},
                          {"IMMA.SP.168128.S4.U4", 128, Type::s4, Type::u4, 1, false, false, sm80},
                          {"IMMA.SP.168128.U4.U4", 128, Type::u4, Type::u4, 1, false, false, sm80}};

unsigned bits_of(Type type) {
  return type == Type::tf32 ? 32 : type <= Type::bf16 ? 16 : type <= Type::u8 ? 8 : 4;
}
bool is_float(Type type) {
  return type <= Type::tf32;
}

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

std::uint32_t half_bits(float value) {  // whole numbers of few bits
  if (value == 0) return 0;
  const std::uint32_t b = bits(value);
  return (b >> 16 & 0x8000U) | ((b >> 23 & 0xffU) - 112) << 10 | (b >> 13 & 0x3ffU);
}

double number(std::uint32_t word, unsigned part, Type type) {
  const unsigned width = bits_of(type);
  const std::uint32_t field = width == 32 ? word : word >> width * part & ((1U << width) - 1);
  if (type == Type::tf32) return std::bit_cast<float>(field & 0xffffe000U);
  if (type == Type::bf16) return std::bit_cast<float>(field << 16);
  if (type == Type::f16) {
    const double magnitude =
        std::ldexp(static_cast<double>((field & 0x3ffU) | ((field & 0x7c00U) != 0 ? 0x400U : 0U)),
                   std::max<int>(static_cast<int>(field >> 10 & 31U), 1) - 25);
    return (field & 0x8000U) != 0 ? -magnitude : magnitude;
  }
  const bool negative = (type == Type::s8 || type == Type::s4) && (field >> (width - 1)) != 0;
  return static_cast<double>(field) - (negative ? static_cast<double>(1U << width) : 0);
}

using Words = std::vector<std::uint32_t>;  // by word and lane

// Whole numbers small enough that every sum is exact, whole bytes of integers; metadata whose numbers go up.
struct Operands {
  std::mt19937 random{3};
  std::uint32_t element(Type type) {
    const auto value = static_cast<float>(static_cast<int>(random() % 15) - 7);
    return type == Type::f16 ? half_bits(value) : type == Type::bf16 ? bits(value) >> 16 : bits(value);
  }
  std::uint32_t word(Type type) {
    if (!is_float(type)) return static_cast<std::uint32_t>(random());
    std::uint32_t made = element(type);
    if (bits_of(type) == 16) made |= element(type) << 16;
    return made;
  }
  std::uint32_t metadata(Type type) {
    std::uint32_t made = 0;
    for (unsigned n = 0; n < 8; ++n) {
      constexpr std::uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
      made |= (type == Type::tf32 ? pairs[random() % 2 * 5] : pairs[random() % 6]) << 4 * n;
    }
    return made;
  }
  std::uint32_t accumulator(const Form& form) {
    if (is_float(form.a))
      return form.half ? element(Type::f16) | element(Type::f16) << 16 : element(Type::tf32);
    const auto near = static_cast<std::uint32_t>(random() % 1000);
    return random() % 3 == 0 ? 0x7fffffffU - near : random() % 2 == 0 ? 0x80000000U + near : near;
  }
  Words tile(const Form& form) {
    Words made;
    for (unsigned word = 0; word < words_in; ++word)
      for (unsigned lane = 0; lane < lanes; ++lane)
        made.push_back(word < 4    ? this->word(form.a)
                       : word < 8  ? this->word(form.b)
                       : word < 12 ? accumulator(form)
                                   : metadata(form.a));
    return made;
  }
};

// Lanes bring their words, each 128 bytes behind the one before, and store four.
std::string program(const Form& form, const std::string& product) {
  const bool old = form.architecture == sm80;
  const std::string parameters = old ? "0x16" : "0x21";
  std::string text = "S2R R0, SR_TID.X ;\nS2R R1, SR_CTAID.X ;\n";
  text += "MOV R2, c[0x0][" + parameters + "0] ;\nMOV R3, c[0x0][" + parameters + "4] ;\n";
  text += "MOV R4, c[0x0][" + parameters + "8] ;\nMOV R5, c[0x0][" + parameters + "c] ;\n";
  text += "IMAD.WIDE.U32 R2, R1, 0x680, R2 ;\nIMAD.WIDE.U32 R2, R0, 0x4, R2 ;\n";
  text += "IMAD.WIDE.U32 R4, R1, 0x200, R4 ;\nIMAD.WIDE.U32 R4, R0, 0x10, R4 ;\n";
  constexpr const char* offsets[words_in] = {"",       "+0x80",  "+0x100", "+0x180", "+0x200",
                                             "+0x280", "+0x300", "+0x380", "+0x400", "+0x480",
                                             "+0x500", "+0x580", "+0x600"};
  for (unsigned word = 0; word < words_in; ++word)
    text += "LDG.E R" + std::to_string(8 + word) + ", desc[UR4][R2.64" + offsets[word] + "] ;\n";
  return text + product + " ;\nSTG.E.128 desc[UR4][R4.64], R16 ;\nEXIT ;\n";
}

std::string sparse(const Form& form, unsigned selector) {
  const bool whole = !is_float(form.a);
  return std::string(form.mnemonic) + " R16, R8" + (whole ? ".ROW" : "") + ", R12" + (whole ? ".COL" : "") +
         ", R16, R20, " + std::to_string(selector);
}

// What each tile's lanes store, four words each.
Words results(const Form& form, const std::string& product, const std::vector<Words>& inputs,
              HostLevel level = host_level()) {
  Device device;
  cubin::KernelSource kernel = cubin::testing::kernel_of(program(form, product), form.architecture);
  kernel.registers = 32;
  kernel.parameters = cubin::lay_out_parameters(std::vector<std::uint32_t>{8, 8});
  const auto module = std::make_shared<Module>(
      device.memory, cubin::Image(cubin::write_cubin({form.architecture, {kernel}, {}})), level);
  Words all;
  for (const Words& input : inputs) all.insert(all.end(), input.begin(), input.end());
  const auto blocks = static_cast<std::uint32_t>(inputs.size());
  const DeviceAddress input = device.upload(all);
  const DeviceAddress output = device.upload(Words(std::size_t{blocks} * lanes * 4));
  run(make_launch(module, "k", {blocks}, {lanes}, input, output));
  return device.download<std::uint32_t>(output, std::size_t{blocks} * lanes * 4);
}

// The definition. A has 16 rows of k columns, B eight columns.
Words by_definition(const Form& form, unsigned selector, const Words& in) {
  const unsigned k = form.k;
  const unsigned per_word = 32 / bits_of(form.a);
  const unsigned chunk = form.a == Type::tf32 ? 2 : bits_of(form.a) == 4 ? 8 : 4;
  const unsigned chunks = k / chunk;
  const auto word = [&](unsigned number, unsigned lane) { return in[number * lanes + lane]; };
  std::vector<double> a(16 * k), b(k * 8);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned group = lane / 4, in_group = lane % 4;
    for (unsigned i = 0; i < k / 4; ++i)
      b[(i / per_word * 4 * per_word + in_group * per_word + i % per_word) * 8 + group] =
          number(word(4 + i / per_word, lane), i % per_word, form.b);
    for (unsigned i = 0; i < k / 4; ++i) {
      const unsigned reg = i / per_word, part = i % per_word, upper = reg % 2;
      const unsigned first = in_group * 2 * per_word + reg / 2 * 8 * per_word;  // of 2 * per_word columns
      const unsigned n = (first + part * 2 / chunk * chunk) / chunk;
      // Of 16 bits and more, four chunks of both rows; else eight chunks of one.
      std::uint32_t choice = 0;
      if (bits_of(form.a) >= 16)
        choice =
            word(12, 4 * group + (chunks == 4 ? selector : 2 * selector + n / 4)) >> (16 * upper + n % 4 * 4);
      else
        choice = word(12, 4 * group + (chunks == 8 ? 2 * selector : n / 8 * 2) + upper) >> n % 8 * 4;
      const unsigned low = choice & 3U, high = choice >> 2 & 3U;
      unsigned column = part % 2 == 0 ? low : high;
      if (form.a == Type::tf32) column = high / 2;
      if (chunk == 8) column = 2 * (part % 4 < 2 ? low : high) + part % 2;
      a[(group + 8 * upper) * k + n * chunk + column] = number(word(reg, lane), part, form.a);
    }
  }
  Words out(lanes * 4);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned element = 0; element < 4; ++element) {
      double sum = 0;
      for (unsigned i = 0; i < k; ++i)
        sum += a[(lane / 4 + 8 * (element / 2)) * k + i] * b[i * 8 + lane % 4 * 2 + element % 2];
      std::uint32_t& to = out[lane * 4 + element];
      if (!is_float(form.a)) {
        const std::int64_t whole =
            static_cast<std::int64_t>(sum) + static_cast<std::int32_t>(word(8 + element, lane));
        to = static_cast<std::uint32_t>(form.saturates ? std::clamp<std::int64_t>(whole, INT32_MIN, INT32_MAX)
                                                       : whole);
      } else if (form.half) {
        sum += number(word(8 + element / 2, lane), element % 2, Type::f16);
        out[lane * 4 + element / 2] |= half_bits(static_cast<float>(sum)) << 16 * (element % 2);
      } else {
        to = bits(static_cast<float>(sum + std::bit_cast<float>(word(8 + element, lane))));
      }
    }
    if (form.half)
      for (unsigned element = 2; element < 4; ++element) out[lane * 4 + element] = word(8 + element, lane);
  }
  return out;
}

class SparseProducts : public ::testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, SparseProducts, ::testing::ValuesIn(forms), [](const auto& test) {
  std::string name = test.param.mnemonic;
  std::replace(name.begin(), name.end(), '.', '_');
  return name + (test.param.architecture == sm80 ? "_sm_80" : "");
});

TEST_P(SparseProducts, AreThoseOfTheElementsThatTheMetadataNames) {
  const Form& form = GetParam();
  Operands operands;
  for (unsigned selector = 0; selector < form.selectors; ++selector) {
    std::vector<Words> inputs;
    Words expected;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      inputs.push_back(operands.tile(form));
      const Words one = by_definition(form, selector, inputs.back());
      expected.insert(expected.end(), one.begin(), one.end());
    }
    for (const HostLevel level : {HostLevel::baseline, HostLevel::avx2, HostLevel::avx512}) {
      if (!host_has(level)) continue;
      EXPECT_EQ(results(form, sparse(form, selector), inputs, level), expected) << selector;
    }
  }
}

// A dense product of as many registers of A, of half the columns, whose B has the rows that the metadata
// chooses: the same ones for all rows of A.
class SparseSums : public ::testing::TestWithParam<std::pair<Form, const char*>> {};
constexpr std::pair<Form, const char*> with_dense[] = {
    {forms[0], "HMMA.1688.F32"},  {forms[1], "HMMA.16816.F32"},      {forms[2], "HMMA.1688.F16"},
    {forms[3], "HMMA.16816.F16"}, {forms[5], "HMMA.16816.F32.BF16"}, {forms[7], "HMMA.1688.F32.TF32"},
    {forms[8], "HMMA.16816.F32"}, {forms[9], "HMMA.1688.F32.TF32"}};
INSTANTIATE_TEST_SUITE_P(Forms, SparseSums, ::testing::ValuesIn(with_dense), [](const auto& test) {
  std::string name = test.param.first.mnemonic;
  std::replace(name.begin(), name.end(), '.', '_');
  return name + (test.param.first.architecture == sm80 ? "_sm_80" : "");
});

TEST_P(SparseSums, AreFormedAsThoseOfTheDenseProductOfHalfTheColumns) {
  const auto& [form, dense] = GetParam();
  const unsigned per_word = 32 / bits_of(form.a);
  std::mt19937 generator(5);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  // 2^-8 to 2^8 with any fraction; now and then an infinity.
  const auto element = [&](Type type, bool any) {
    const std::uint32_t exponent = any && random() % 97 == 0 ? 255 : 119 + random() % 17;
    const std::uint32_t made =
        (random() & 1U) << 31 | exponent << 23 | (exponent == 255 ? 0 : random() & 0x7fffffU);
    if (type != Type::f16) return type == Type::bf16 ? made >> 16 : made;
    return (made >> 16 & 0x8000U) | (exponent == 255 ? 31 : exponent - 112) << 10 | (made >> 13 & 0x3ffU);
  };
  std::vector<Words> inputs, chosen;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const bool any = tile % 4 == 3;
    Words in(std::size_t{words_in} * lanes);
    for (unsigned word = 0; word < 12; ++word) {
      const Type type = word < 8 ? form.a : form.half ? Type::f16 : Type::tf32;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        std::uint32_t& to = in[word * lanes + lane];
        to = element(type, any && word >= 4);
        if (bits_of(type) == 16) to |= element(type, any && word >= 4) << 16;
      }
    }
    // The first stored element of each chunk is its column 0 or 1, the second its last.
    std::uint32_t metadata = 0;
    for (unsigned n = 0; n < 4; ++n)
      metadata |=
          (form.a == Type::tf32 ? (random() % 2 != 0 ? 0xeU : 0x4U) : 0xcU | (random() & 1U)) * 0x10001U
          << 4 * n;
    for (unsigned lane = 0; lane < lanes; ++lane) in[12 * lanes + lane] = metadata;
    Words other = in;
    for (unsigned stored = 0; stored < form.k / 2; ++stored) {
      const unsigned n = form.a == Type::tf32 ? stored : stored / 2;
      const std::uint32_t choice = metadata >> n % 4 * 4;
      const unsigned column =
          form.a == Type::tf32 ? 2 * n + (choice >> 3 & 1U) : 4 * n + (choice >> 2 * (stored % 2) & 3U);
      const std::uint32_t field = per_word == 1 ? ~0U : 0xffffU;
      for (unsigned group = 0; group < 8; ++group) {
        const auto at = [&](unsigned k) {
          return (4 + k / (4 * per_word)) * lanes + 4 * group + k / per_word % 4;
        };
        const auto shift = [&](unsigned k) { return 32 / per_word * (k % per_word) % 32; };
        const std::uint32_t value = in[at(column)] >> shift(column) & field;
        std::uint32_t& to = other[at(stored)];
        to = (to & ~(field << shift(stored))) | value << shift(stored);
      }
    }
    inputs.push_back(in);
    chosen.push_back(other);
  }
  const Words expected = results(form, std::string(dense) + " R16, R8, R12, R16", chosen);
  for (const HostLevel level : {HostLevel::baseline, HostLevel::avx2, HostLevel::avx512}) {
    if (!host_has(level)) continue;
    EXPECT_EQ(results(form, sparse(form, 0), inputs, level), expected);
  }
}

}  // namespace
}  // namespace warpgauge::emulator::testing
