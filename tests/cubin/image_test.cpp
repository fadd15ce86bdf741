#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cubin/fixtures.h"

namespace warpgauge::cubin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ReadModule : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Image, ReadModule, testing::ValuesIn(modules), case_name);

TEST_P(ReadModule, KernelsHaveTheParametersOfTheirDeclarations) {
  const Image image = data_image(GetParam());
  const Kernel& gather = image.kernel("gather");
  EXPECT_THAT(gather.parameters,
              ElementsAre(Parameter{0, 0, 8}, Parameter{1, 8, 4}, Parameter{2, 16, 24}, Parameter{3, 40, 4}));
  EXPECT_EQ(gather.parameter_bytes, 44U);
  EXPECT_EQ(gather.parameter_base, image.architecture() == sass::Architecture::sm90 ? 0x210U : 0x160U);
  EXPECT_EQ(gather.constant_banks.at(0).size(), gather.parameter_base + 44);
  EXPECT_THAT(image.kernel("frame").parameters, ElementsAre(Parameter{0, 0, 8}, Parameter{1, 8, 4}));
}

TEST_P(ReadModule, SharedMemoryBarriersBoundsAndFramesAreThoseOfTheSource) {
  const Image image = data_image(GetParam());
  const Kernel& gather = image.kernel("gather");
  EXPECT_EQ(gather.user_shared_bytes(), 256U);
  EXPECT_EQ(gather.reserved_shared_bytes, image.architecture() == sass::Architecture::sm90 ? 0x400U : 0U);
  EXPECT_EQ(gather.dynamic_shared_offset(), gather.reserved_shared_bytes + 256);
  EXPECT_EQ(image.kernel("frame").dynamic_shared_offset(), gather.reserved_shared_bytes);
  EXPECT_EQ(gather.barriers, 1U);
  EXPECT_THAT(gather.max_threads, ElementsAre(128, 1, 1));
  EXPECT_EQ(image.kernel("frame").local_bytes(), 64U);
  EXPECT_EQ(image.kernel("frame").barriers, 0U);
  EXPECT_EQ(image.kernel("frame").user_shared_bytes(), 0U);
}

TEST_P(ReadModule, EveryExitOffsetPointsAtAnExitInstruction) {
  const Image image = data_image(GetParam());
  for (const Kernel& k : image.kernels()) {
    ASSERT_FALSE(k.exit_offsets.empty());
    for (const std::uint32_t at : k.exit_offsets) {
      const auto word = read_at<std::uint16_t>(k.code, at, "code");
      EXPECT_EQ(word & 0xfffU, 0x94dU) << k.name << " at " << at;
    }
  }
}

TEST_P(ReadModule, JumpTablesNameTheirBranchAndItsTargets) {
  const Image image = data_image(GetParam());
  const Kernel& k = image.kernel("dispatch");
  ASSERT_FALSE(k.indirect_branches.empty());
  for (const IndirectBranch& b : k.indirect_branches) {
    EXPECT_EQ(read_at<std::uint16_t>(k.code, b.offset, "code") & 0xfffU, 0x949U);  // BRX
    for (const std::uint32_t target : b.targets) {
      EXPECT_EQ(target % 16, 0U);
      EXPECT_LT(target, k.code.size());
    }
  }
}

TEST_P(ReadModule, RegistersAreAtLeastThoseThatTheHeaderOfOlderArchitecturesRepeats) {
  const Image image = data_image(GetParam());
  for (const Kernel& k : image.kernels()) {
    EXPECT_GE(k.registers, 10U);
    EXPECT_LE(k.registers, 255U);
    const Section* text = image.elf().find_section(".text." + k.name);
    if (image.architecture() != sass::Architecture::sm90) {
      EXPECT_EQ(text->info >> 24U, k.registers);
    }
  }
}

TEST_P(ReadModule, VariablesHaveTheSizesOfTheSource) {
  std::map<std::string, std::uint64_t> sizes;
  const Image image = data_image(GetParam());
  for (const Variable& v : image.variables()) sizes[v.name] = v.size;
  EXPECT_EQ(sizes.at("counter"), 16U);
  EXPECT_EQ(sizes.at("pointer"), 8U);
  EXPECT_EQ(sizes.at("where"), 8U);
  EXPECT_EQ(sizes.at("weights"), 64U);
  EXPECT_EQ(sizes.at("choice"), 16U);
}

TEST_P(ReadModule, CallsOutOfTheModuleAreListed) {
  EXPECT_THAT(data_image(GetParam()).external_functions(), testing::Contains("vprintf"));
}

TEST(Image, ClustersAndParametersBeyondFourKilobytesAreRead) {
  const Image image = data_image("launch.cuda13.sm_90.cubin");
  EXPECT_THAT(image.kernel("clustered").cluster, ElementsAre(2, 1, 1));
  EXPECT_THAT(image.kernel("large").cluster, ElementsAre(0, 0, 0));
  EXPECT_THAT(image.kernel("large").parameters, ElementsAre(Parameter{0, 0, 5000}, Parameter{1, 5000, 8}));
  EXPECT_EQ(image.kernel("large").parameter_bytes, 5008U);
}

TEST(Image, BothLayoutsSayTheirArchitecture) {
  const Image old_layout = data_image("module.cuda11.sm_70.cubin");
  EXPECT_EQ(old_layout.abi_version(), 7U);
  EXPECT_EQ(old_layout.architecture(), sass::Architecture::sm70);
  const Image new_layout = data_image("module.cuda13.sm_75.cubin");
  EXPECT_EQ(new_layout.abi_version(), 8U);
  EXPECT_EQ(new_layout.architecture(), sass::Architecture::sm75);
}

TEST(Image, ADeviceFunctionInsideAKernelIsASymbolOfIt) {
  const Image image = data_image("module.cuda13.sm_90.cubin");
  const Kernel& k = image.kernel("gather");
  ASSERT_EQ(k.functions.size(), 1U);
  EXPECT_EQ(k.functions[0].name, "$gather$_Z5weighfi");
  EXPECT_EQ(k.functions[0].offset + k.functions[0].size, k.code.size());
}

TEST(Image, ALinkedDeviceFunctionHasASectionOfItsOwn) {
  EXPECT_EQ(data_image("linked.cuda13.sm_90.cubin").functions().size(), 3U);
}

TEST(Image, AKernelIsFoundByMangledAndByDemangledName) {
  const Image image = data_image("module.cuda13.sm_90.cubin");
  const Kernel& k = image.kernel("_Z8dispatchIfEvPT_ii");
  EXPECT_EQ(k.demangled_name(), "void dispatch<float>(float*, int, int)");
  EXPECT_EQ(&image.kernel("void dispatch<float>(float*, int, int)"), &k);
  EXPECT_EQ(&image.kernel("dispatch<float>"), &k);
  EXPECT_EQ(&image.kernel("dispatch"), &k);
}

TEST(Image, AMissingKernelIsReportedWithThoseThatAreThere) {
  const Image image = data_image("module.cuda13.sm_90.cubin");
  EXPECT_THAT([&] { (void)image.kernel("nothing"); },
              ThrowsMessage<KernelNotFound>(
                  HasSubstr("no kernel is named nothing; there are: _Z8dispatchIfEvPT_ii, gather, frame")));
}

TEST(Image, FilesThatAreNoCubinsAreRefusedWithTheReason) {
  EXPECT_THAT([] { Image(Bytes{}); }, ThrowsMessage<Error>(HasSubstr("not an ELF file")));
  EXPECT_THAT(
      [] {
        Image(Bytes{'h', 'e', 'l', 'l', 'o'});
      },
      ThrowsMessage<Error>(HasSubstr("not an ELF file")));
  EXPECT_THAT([] { Image::read_file("/proc/self/exe"); },
              ThrowsMessage<Error>(HasSubstr("not a cubin: an ELF file for machine")));
  EXPECT_THAT([] { Image::read_file("/nowhere/at/all"); },
              ThrowsMessage<Error>(HasSubstr("/nowhere/at/all: cannot be opened")));
  EXPECT_THAT([] { Image::read_file("/"); }, ThrowsMessage<Error>(HasSubstr("cannot be opened")));
}

TEST(Image, AnUnknownArchitectureIsNamed) {
  Bytes file = data_bytes("module.cuda13.sm_90.cubin");
  file[49] = 100;
  EXPECT_THAT([&] { Image{file}; },
              ThrowsMessage<Error>(HasSubstr("a cubin for sm_100, which is not supported")));
}

TEST(Image, ACubinCutOffAnywhereIsRefusedAndNeverCrashes) {
  for (const char* name : {"module.cuda11.sm_70.cubin", "module.cuda13.sm_90.cubin"}) {
    const Bytes file = data_bytes(name);
    for (std::size_t size = 0; size < file.size(); size += size < 128 ? 1 : 7) {
      EXPECT_THROW(Image(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))), Error)
          << size;
    }
  }
}

TEST(Image, DamagedBytesEndInAnErrorOrAnImageButNeverInACrash) {
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (const char* name : modules) {
    const Bytes file = data_bytes(name);
    Random random(7);
    for (int round = 0; round < 300; ++round) {
      Bytes damaged = file;
      for (int i = 0; i < 8; ++i) {
        // Headers and symbols are small beside the code; damage them more often.
        const std::uint64_t at =
            random.below(2) != 0 ? random.below(file.size()) : file.size() - 1 - random.below(2600);
        damaged[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random.next());
      }
      try {
        load(Image(damaged));
        ++accepted;
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(accepted, 100U);
}

}  // namespace
}  // namespace warpgauge::cubin
