#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cubin/fixtures.h"
#include "traces/cubin/relocation.h"

namespace warpgauge::cubin {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::uint64_t word_at(const Bytes& bytes, std::uint64_t at) {
  return read_at<std::uint64_t>(bytes, at, "test");
}

const DataSegment& segment(const LoadedModule& m, const std::string& section) {
  for (const DataSegment& s : m.segments) {
    if (s.section == section) return s;
  }
  throw Error("no segment " + section);
}

class LoadedModuleOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Load, LoadedModuleOf, testing::ValuesIn(modules), case_name);

TEST_P(LoadedModuleOf, APointerInInitialisedDataHoldsTheAddressOfItsVariable) {
  const LoadedModule m = load(data_image(GetParam()));
  const LoadedVariable* pointer = m.find_variable("pointer");
  const LoadedVariable* counter = m.find_variable("counter");
  const DataSegment& data = segment(m, ".nv.global.init");
  EXPECT_EQ(word_at(data.bytes, pointer->address - data.address), counter->address + 4);
  EXPECT_EQ(read_at<std::uint32_t>(data.bytes, counter->address - data.address + 8, "test"), 3U);
}

TEST_P(LoadedModuleOf, ConstantVariablesHaveAPlaceInTheirBankAndAnAddress) {
  const LoadedModule m = load(data_image(GetParam()));
  const LoadedVariable* weights = m.find_variable("weights");
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(weights->constant_bank, 3U);
  EXPECT_EQ(read_at<std::uint32_t>(m.constant_banks.at(3), weights->bank_offset + 4, "test"),
            0x40000000U);  // 2.0f
  EXPECT_EQ(weights->address, segment(m, ".nv.constant3").address + weights->bank_offset);
}

TEST_P(LoadedModuleOf, AllCodeSharesOneImageAndKernelsBeginWhereTheySay) {
  const Image image = data_image(GetParam());
  const LoadedModule m = load(image);
  std::uint64_t end = 0;
  for (const LoadedFunction& f : m.functions) {
    EXPECT_GE(f.offset, end);
    EXPECT_EQ(f.offset % 128, 0U);
    EXPECT_GE(f.registers, 4U);
    end = f.offset + f.size;
  }
  EXPECT_LE(end, m.code.size());
  for (const Kernel& k : m.kernels) {
    EXPECT_TRUE(std::equal(k.code.begin(), k.code.end(),
                           m.code.begin() + static_cast<std::ptrdiff_t>(k.code_offset)));
    EXPECT_EQ(k.code.size(), image.kernel(k.name).code.size());
  }
}

TEST_P(LoadedModuleOf, TheCallerChoosesWhereVariablesLie) {
  std::uint64_t next = 0x7000000000;
  LoadOptions options;
  std::uint64_t asked = 0;
  options.allocate = [&](std::uint64_t size, std::uint64_t alignment) {
    next = (next + alignment - 1) / alignment * alignment;
    const std::uint64_t address = next;
    next += size;
    asked += size;
    return address;
  };
  const LoadedModule m = load(data_image(GetParam()), options);
  for (const LoadedVariable& v : m.variables) {
    EXPECT_GE(v.address, 0x7000000000U);
    EXPECT_LE(v.address + v.size, next);
  }
  EXPECT_GE(asked, 44U + 8U + 80U);
}

TEST_P(LoadedModuleOf, MovingTheDataMovesEveryAddressByAsMuch) {
  // Loads that differ only in the base differ only in fields that relocations fill.
  const Image image = data_image(GetParam());
  LoadOptions here;
  LoadOptions there;
  there.data_base = here.data_base + 0x123000;
  there.code_base = here.code_base + 0x40000;
  const LoadedModule a = load(image, here);
  const LoadedModule b = load(image, there);
  ASSERT_EQ(a.variables.size(), b.variables.size());
  for (std::size_t i = 0; i < a.variables.size(); ++i)
    EXPECT_EQ(b.variables[i].address - a.variables[i].address, 0x123000U);
  ASSERT_EQ(a.externals.size(), b.externals.size());
  for (std::size_t i = 0; i < a.externals.size(); ++i)
    EXPECT_EQ(b.externals[i].address - a.externals[i].address, 0x40000U);
  std::size_t words_that_differ = 0;
  for (std::size_t at = 0; at < a.code.size(); at += 16) {
    if (!std::equal(a.code.begin() + static_cast<std::ptrdiff_t>(at),
                    a.code.begin() + static_cast<std::ptrdiff_t>(at) + 16,
                    b.code.begin() + static_cast<std::ptrdiff_t>(at))) {
      ++words_that_differ;
    }
  }
  std::size_t relocations = 0;
  for (const Section& s : image.elf().sections()) {
    const bool of_code = s.name.starts_with(".rela.text") || s.name.starts_with(".rel.text");
    if (of_code) relocations += image.elf().relocations(s).size();
  }
  EXPECT_LE(words_that_differ, relocations);
  EXPECT_EQ(words_that_differ == 0, relocations == 0);
}

TEST(Load, BankFourHoldsTheAddressesThatTheCodeReads) {
  const LoadedModule m = load(data_image("module.cuda13.sm_90.cubin"));
  const Bytes& bank = m.constant_banks.at(4);
  std::vector<std::uint64_t> slots;
  for (std::size_t at = 0; at < bank.size(); at += 8) slots.push_back(word_at(bank, at));
  EXPECT_THAT(slots, testing::UnorderedElementsAre(
                         m.externals.at(0).address, m.find_variable("counter")->address,
                         m.find_variable("pointer")->address, m.find_variable("where")->address,
                         m.find_variable("functions")->address, m.find_variable("$str")->address));
}

TEST(Load, AnExternalFunctionIsFoundByItsAddress) {
  const LoadedModule m = load(data_image("module.cuda13.sm_90.cubin"));
  ASSERT_EQ(m.externals.size(), 1U);
  EXPECT_GE(m.externals[0].address, m.code_base + m.code.size());
  EXPECT_EQ(m.external_at(m.externals[0].address)->name, "vprintf");
  EXPECT_EQ(m.external_at(m.code_base), nullptr);
}

TEST(Load, ALinkedTableOfFunctionsHoldsAddressesInTheCodeImage) {
  for (const char* name : {"linked.cuda11.sm_80.cubin", "linked.cuda13.sm_90.cubin"}) {
    const LoadedModule m = load(data_image(name));
    const DataSegment& data = segment(m, ".nv.global.init");
    const std::uint64_t at = m.find_variable("functions")->address - data.address;
    std::map<std::string, std::uint64_t> offsets;
    for (const LoadedFunction& f : m.functions) offsets[f.name] = f.offset;
    EXPECT_EQ(word_at(data.bytes, at), m.code_base + offsets.at("_Z5halvef"));
    EXPECT_EQ(word_at(data.bytes, at + 8), m.code_base + offsets.at("_Z6squaref"));
  }
}

// CALL.ABS holds address / 4: from bit 34 up to sm_89; on sm_90 the low eight bits at 16 and the rest
// from 34.
std::uint64_t call_target(const Bytes& code, std::size_t at, bool sm90) {
  const std::uint64_t low = word_at(code, at);
  const std::uint64_t high = word_at(code, at + 8);
  const std::uint64_t upper = (low >> 34U) | (high & 0x1ffffU) << 30U;
  return sm90 ? ((low >> 16U & 0xffU) | upper << 8U) * 4 : upper * 4;
}

TEST(Load, ACallBetweenSectionsGoesToTheFunctionsAddress) {
  for (const char* name : {"linked.cuda11.sm_80.cubin", "linked.cuda13.sm_90.cubin"}) {
    const LoadedModule m = load(data_image(name));
    const Kernel& k = m.kernel("gather");
    std::uint64_t weigh = 0;
    for (const LoadedFunction& f : m.functions) {
      if (f.name == "_Z5weighfi") weigh = m.code_base + f.offset;
    }
    std::size_t calls = 0;
    for (std::size_t at = 0; at < k.code.size(); at += 16) {
      if ((word_at(k.code, at) & 0xfffU) != 0x943) continue;  // CALL.ABS
      ++calls;
      EXPECT_EQ(call_target(k.code, at, k.architecture == sass::Architecture::sm90), weigh) << name;
    }
    EXPECT_EQ(calls, 1U) << name;
  }
}

TEST(Load, AnUnlinkedObjectIsRefused) {
  const Image image = data_image("unlinked.cuda13.sm_90.cubin");
  EXPECT_TRUE(image.relocatable());
  EXPECT_THAT([&] { load(image); }, ThrowsMessage<Error>(HasSubstr("unlinked object")));
}

TEST(Relocation, WhatIsWrittenIsReadBackAndNothingElseChanges) {
  Random random(3);
  std::size_t known = 0;
  for (std::uint32_t type = 1; type < 0x80; ++type) {
    const auto rule = relocation_rule(type);
    if (!rule || rule->clears) continue;
    ++known;
    std::uint64_t mask = 0;
    for (const RelocationField& f : rule->fields) {
      for (unsigned i = 0; i < f.width; ++i) mask |= std::uint64_t{1} << (f.from + i);
    }
    for (int round = 0; round < 20; ++round) {
      Bytes place(rule->bytes);
      for (std::uint8_t& b : place) b = static_cast<std::uint8_t>(random.next());
      const Bytes before = place;
      const std::uint64_t value = random.next();
      write_field(place, *rule, value);
      EXPECT_EQ(read_field(place, *rule), value & mask) << type;
      write_field(place, *rule, read_field(before, *rule));
      EXPECT_EQ(place, before) << type;
    }
  }
  EXPECT_GE(known, 50U);
}

}  // namespace
}  // namespace warpgauge::cubin
