#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cubin/fixtures.h"
#include "traces/cubin/nv_info.h"

namespace warpgauge::cubin {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

ModuleSource source_of(const Image& image) {
  ModuleSource m;
  m.architecture = image.architecture();
  for (const Kernel& k : image.kernels()) {
    KernelSource s;
    s.name = k.name;
    s.code = k.code;
    s.registers = k.registers;
    s.shared_bytes = k.user_shared_bytes();
    s.frame_bytes = k.frame_bytes;
    s.barriers = k.barriers;
    s.max_threads = k.max_threads;
    s.parameters = k.parameters;
    if (const auto bank = k.constant_banks.find(2); bank != k.constant_banks.end())
      s.constant2 = bank->second;
    m.kernels.push_back(std::move(s));
  }
  if (const auto bank = image.constant_banks().find(3); bank != image.constant_banks().end())
    m.constant3 = bank->second;
  return m;
}

class WrittenModule : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Write, WrittenModule, testing::ValuesIn(modules), case_name);

TEST_P(WrittenModule, AKernelWrittenAnewReadsBackAsItWas) {
  const Image before = data_image(GetParam());
  const Image after(write_cubin(source_of(before)));
  EXPECT_EQ(after.architecture(), before.architecture());
  EXPECT_EQ(after.constant_banks().at(3), before.constant_banks().at(3));
  ASSERT_EQ(after.kernels().size(), before.kernels().size());
  for (const Kernel& k : before.kernels()) {
    const Kernel& n = after.kernel(k.name);
    EXPECT_EQ(n.code, k.code);
    EXPECT_EQ(n.registers, k.registers);
    EXPECT_EQ(n.user_shared_bytes(), k.user_shared_bytes());
    EXPECT_EQ(n.frame_bytes, k.frame_bytes);
    EXPECT_EQ(n.barriers, k.barriers);
    EXPECT_EQ(n.max_threads, k.max_threads);
    EXPECT_EQ(n.parameters, k.parameters);
    EXPECT_EQ(n.parameter_base, k.parameter_base);
    EXPECT_EQ(n.parameter_bytes, k.parameter_bytes);
    EXPECT_EQ(n.constant_banks, k.constant_banks);
    EXPECT_EQ(n.exit_offsets, k.exit_offsets);
  }
}

std::map<Attribute, Bytes> attributes(const Image& image, const std::string& section) {
  std::map<Attribute, Bytes> result;
  for (const AttributeRecord& r : read_attributes(image.elf().find_section(section)->bytes)) {
    Bytes& payload = result[r.attribute];
    payload.insert(payload.end(), r.payload.begin(), r.payload.end());
    append(payload, r.value);
  }
  return result;
}

TEST(Write, TheCompilersOwnAttributesAreFoundInTheCode) {
  const Image before = data_image("module.cuda11.sm_90.cubin");
  const Image after(write_cubin(source_of(before)));
  for (const Kernel& k : before.kernels()) {
    const auto expected = attributes(before, ".nv.info." + k.name);
    const auto written = attributes(after, ".nv.info." + k.name);
    for (const Attribute a : {Attribute::api_version, Attribute::parameter_info, Attribute::parameter_size,
                              Attribute::max_registers, Attribute::exit_offsets}) {
      EXPECT_EQ(written.at(a), expected.at(a)) << k.name << " attribute " << static_cast<int>(a);
    }
  }
  const Image old_card = data_image("module.cuda11.sm_70.cubin");
  const Image old_written(write_cubin(source_of(old_card)));
  EXPECT_TRUE(attributes(old_card, ".nv.info.frame").contains(Attribute::ctaid_z_used));
  EXPECT_TRUE(attributes(old_written, ".nv.info.frame").contains(Attribute::ctaid_z_used));
  EXPECT_FALSE(attributes(old_written, ".nv.info.gather").contains(Attribute::ctaid_z_used));
}

TEST(Write, EveryArchitectureHasItsMarksInTheHeader) {
  for (const sass::Architecture a : sass::all_architectures) {
    ModuleSource m;
    m.architecture = a;
    KernelSource k;
    k.name = "empty";
    k.code = Bytes(16);
    k.registers = 8;
    k.barriers = 1;
    m.kernels.push_back(k);
    const Image image(write_cubin(m));
    const auto sm = static_cast<std::uint32_t>(a);
    EXPECT_EQ(image.architecture(), a);
    EXPECT_EQ(image.elf().header().flags, sm | 0x500U | sm << 16U);
    EXPECT_EQ(image.elf().find_section(".text.empty")->info >> 24U, a == sass::Architecture::sm90 ? 0U : 8U);
    EXPECT_EQ(image.kernel("empty").static_shared_bytes, a == sass::Architecture::sm90 ? 0x400U : 0U);
    EXPECT_EQ(image.kernel("empty").code.size(), 128U);
    EXPECT_EQ(image.elf().extent(), image.elf().bytes().size());
  }
}

TEST(Write, ParametersAreLaidOutAsCDoes) {
  const std::uint32_t sizes[] = {8, 4, 24, 4, 1, 2, 16};
  const auto p = lay_out_parameters(sizes);
  std::vector<std::uint32_t> offsets;
  for (const Parameter& x : p) offsets.push_back(x.offset);
  EXPECT_THAT(offsets, testing::ElementsAre(0, 8, 16, 40, 44, 46, 48));
}

TEST(Write, WhatNoCardCouldRunIsRefused) {
  ModuleSource m;
  m.architecture = sass::Architecture::sm90;
  EXPECT_THAT([&] { write_cubin(m); }, ThrowsMessage<Error>(HasSubstr("needs a kernel")));
  KernelSource k;
  k.name = "k";
  k.code = Bytes(16);
  const auto refuses = [&](const KernelSource& broken, const char* why) {
    m.kernels = {broken};
    EXPECT_THAT([&] { write_cubin(m); }, ThrowsMessage<Error>(HasSubstr(why)));
  };
  KernelSource b = k;
  b.code.resize(15);
  refuses(b, "whole instructions");
  b = k;
  b.registers = 256;
  refuses(b, "256 registers");
  b = k;
  b.barriers = 17;
  refuses(b, "17 barriers");
  b = k;
  b.parameters = {{0, 0, 8}, {1, 4, 4}};
  refuses(b, "overlaps");
  b = k;
  b.parameters = {{0, 4092, 8}};
  refuses(b, "exceed 4096 bytes");
  m.kernels = {k, k};
  EXPECT_THAT([&] { write_cubin(m); }, ThrowsMessage<Error>(HasSubstr("two kernels are named k")));
}

}  // namespace
}  // namespace warpgauge::cubin
