#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cubin/fixtures.h"
#include "traces/sass/assemble.h"

namespace warpgauge::cubin {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

void expect_same_kernel(const Kernel& a, const Kernel& b) {
  EXPECT_EQ(a.code, b.code) << a.name;
  EXPECT_EQ(a.registers, b.registers);
  EXPECT_EQ(a.user_shared_bytes(), b.user_shared_bytes());
  EXPECT_EQ(a.local_bytes(), b.local_bytes());
  EXPECT_EQ(a.barriers, b.barriers);
  EXPECT_EQ(a.max_threads, b.max_threads);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.constant_banks, b.constant_banks);
  EXPECT_EQ(a.exit_offsets, b.exit_offsets);
}

class AssembledModule : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Assemble, AssembledModule, testing::ValuesIn(modules), case_name);

TEST_P(AssembledModule, DisassembledTextAssemblesToTheSameKernels) {
  const Image before = data_image(GetParam());
  std::string text;
  for (const Kernel& k : before.kernels()) text += disassemble(k) + "\n";
  const Image after(assemble_cubin(text));
  EXPECT_EQ(after.architecture(), before.architecture());
  ASSERT_EQ(after.kernels().size(), before.kernels().size());
  for (const Kernel& k : before.kernels()) expect_same_kernel(after.kernel(k.name), k);
}

TEST(Assemble, TheExamplesSurviveTextAndBack) {
  for (const char* name : {"saxpy", "reduction", "sgemm"}) {
    for (const char* architecture : {"sm_70", "sm_75", "sm_90"}) {
      const Image before = Image::read_file(std::string(WARPGAUGE_SOURCE_DIR) + "/examples/" + name + "/" +
                                            name + "." + architecture + ".cubin");
      const Image after(assemble_cubin(disassemble(before.kernel(name))));
      expect_same_kernel(after.kernel(name), before.kernel(name));
    }
  }
}

// Where a CUDA toolkit is installed, one of its libraries is read besides.
TEST(Assemble, TheKernelsOfAnInstalledLibrarySurviveTextAndBack) {
  const std::string path = "/usr/local/cuda/lib64/libcurand.so";
  const bool installed = std::filesystem::exists(path);
  std::size_t kernels = 0;
  if (installed) {
    const MappedFile file(path);
    for (const FatbinEntry& e : find_fatbin_entries(file.bytes())) {
      if (e.kind != FatbinKind::cubin || e.sm != 90) continue;
      const Image before(extract(file.bytes(), e));
      for (const Kernel& k : before.kernels()) {
        const Image after(assemble_cubin(disassemble(k)));
        expect_same_kernel(after.kernel(k.name), k);
        ++kernels;
      }
    }
  }
  EXPECT_EQ(kernels > 100, installed);
}

constexpr const char* small_kernel = R"(
// Writes 7 where its parameter points.
.architecture sm_75
.kernel seven
.registers 8
.shared 64
.barriers 1
.frame 16
.max_threads 32 1 1
.parameter 4
.parameter 8
.constant2 0001feff
    [B------:R-:W-:-:S02] MOV R2, c[0x0][0x168] ;
    [B------:R-:W-:-:S02] MOV R3, c[0x0][0x16c] ;
    [B------:R-:W-:-:S04] MOV R4, 0x7 ;
    [B------:R-:W-:-:S01] STG.E.SYS [R2], R4 ;
end:
    [B------:R-:W-:-:S05] EXIT ;
)";

TEST(Assemble, AHandWrittenFileHasItsHeaderAndCodeInTheCubin) {
  const Image image(assemble_cubin(small_kernel));
  EXPECT_EQ(image.architecture(), sass::Architecture::sm75);
  const Kernel& k = image.kernel("seven");
  EXPECT_EQ(k.registers, 8U);
  EXPECT_EQ(k.static_shared_bytes, 64U);
  EXPECT_EQ(k.barriers, 1U);
  EXPECT_EQ(k.frame_bytes, 16U);
  EXPECT_EQ(k.max_threads[0], 32U);
  EXPECT_THAT(k.parameters, testing::ElementsAre(Parameter{0, 0, 4}, Parameter{1, 8, 8}));
  EXPECT_EQ(k.constant_banks.at(2), (Bytes{0x00, 0x01, 0xfe, 0xff}));
  EXPECT_THAT(k.exit_offsets, testing::ElementsAre(64));
  EXPECT_EQ(k.code.size() % 128, 0U);
}

TEST(Assemble, ErrorsNameTheLineAndColumnOfTheWholeText) {
  const std::string broken =
      std::string(small_kernel) + ".architecture sm_75\n.kernel other\n.registers 8\n    NOSUCH R1 ;\n";
  EXPECT_THAT([&] { assemble_cubin(broken); },
              ThrowsMessage<sass::AssemblyError>(HasSubstr("line 22, column 5")));
  EXPECT_THAT([] { assemble_cubin(""); }, testing::Throws<sass::AssemblyError>());
  EXPECT_THAT([] { assemble_cubin(".architecture sm_75\n.kernel k\n.registers 8\n.constant2 0g\nEXIT ;\n"); },
              ThrowsMessage<sass::AssemblyError>(HasSubstr("line 4")));
}

TEST(Assemble, KernelsOfTwoArchitecturesDoNotShareAFile) {
  std::string other = small_kernel;
  other.replace(other.find("sm_75"), 5, "sm_70");
  other.replace(other.find("seven"), 5, "eight");
  EXPECT_THAT([&] { assemble_cubin(small_kernel + other); },
              ThrowsMessage<Error>(HasSubstr("eight is for sm_70, the kernels before it for sm_75")));
}

}  // namespace
}  // namespace warpgauge::cubin
