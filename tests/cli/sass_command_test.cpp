#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/run_binary.h"
#include "traces/cubin/cubin.h"

namespace warpgauge::cli {
namespace {

using test::Outcome;
using testing::HasSubstr;

class SassCommand : public test::BinaryTest {
 protected:
  SassCommand() : BinaryTest("sass") {}

  static std::string data(const std::string& name) {
    return std::string(WARPGAUGE_SOURCE_DIR) + "/tests/cubin/data/" + name;
  }
};

TEST_F(SassCommand, ListShowsEveryKernelOfEveryArchitectureInAFatBinary) {
  const Outcome o = run("list " + data("zstd.cuda13.fatbin"));
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.out, HasSubstr("zstd cubin for sm_75, ABI 8, 2 kernels"));
  EXPECT_THAT(o.out, HasSubstr("zstd cubin for sm_90, ABI 8, 2 kernels"));
  EXPECT_THAT(o.out, HasSubstr("ptx for compute_90"));
  EXPECT_THAT(o.out, HasSubstr("void toggle<3>(int*)"));
  EXPECT_THAT(run("list --architecture sm_90 " + data("zstd.cuda13.fatbin")).out,
              testing::Not(HasSubstr("sm_75")));
}

TEST_F(SassCommand, ListAsJsonHasTheKernelsFacts) {
  const Outcome o = run("list --json " + data("module.cuda13.sm_90.cubin"));
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.out, HasSubstr("\"schema\": \"warpgauge-cubins/1\""));
  EXPECT_THAT(o.out, HasSubstr("\"shared_bytes\": 256"));
  EXPECT_THAT(o.out, HasSubstr("\"parameter_base\": 528"));
}

TEST_F(SassCommand, DisassemblePrintsKernelsOfCubinsFatBinariesAndRawCode) {
  const Outcome whole =
      run("disassemble --kernel-name twice --architecture sm_90 " + data("zstd.cuda13.fatbin"));
  EXPECT_EQ(whole.code, 0);
  EXPECT_THAT(whole.out, testing::StartsWith(".architecture sm_90\n.kernel twice\n"));
  EXPECT_THAT(whole.out, testing::Not(HasSubstr(".kernel _Z6toggle")));
  EXPECT_THAT(whole.out, HasSubstr("EXIT ;"));
  const cubin::Image image = cubin::Image::read_file(data("module.cuda11.sm_70.cubin"));
  cubin::write_bytes(path("code.bin"), image.kernel("frame").code);
  const Outcome raw =
      run("disassemble --raw --architecture sm_70 --no-control --no-offsets " + path("code.bin"));
  EXPECT_THAT(raw.out, testing::StartsWith("    IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;\n"));
  const Outcome file = run("disassemble -o " + path("text.sass") + " " + data("module.cuda11.sm_70.cubin"));
  EXPECT_EQ(file.out, "");
  EXPECT_EQ(std::filesystem::file_size(path("text.sass")),
            run("disassemble " + data("module.cuda11.sm_70.cubin")).out.size());
  expect_refusal("disassemble --raw " + path("code.bin"), ExitCode::usage, "needs --architecture");
  expect_refusal("disassemble --kernel-name no " + data("module.cuda11.sm_70.cubin"),
                 ExitCode::no_such_kernel, "no kernel is named no");
}

TEST_F(SassCommand, AKernelIsFoundInWhicheverCubinHasIt) {
  std::vector<std::uint8_t> archive;
  const auto put = [&](const std::string& text) { archive.insert(archive.end(), text.begin(), text.end()); };
  put("!<arch>\n");
  for (const char* name : {"module.cuda13.sm_90.cubin", "launch.cuda13.sm_90.cubin"}) {
    const std::vector<std::uint8_t> bytes = cubin::read_bytes(data(name));
    put(fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "member/", 0, 0, 0, 644, bytes.size()));
    archive.insert(archive.end(), bytes.begin(), bytes.end());
    if (bytes.size() % 2 != 0) archive.push_back('\n');
  }
  cubin::write_bytes(path("two.a"), archive);
  for (const char* kernel : {"gather", "clustered"}) {
    const Outcome o = run(fmt::format("disassemble --kernel-name {} {}", kernel, path("two.a")));
    EXPECT_EQ(o.code, 0) << kernel;
    EXPECT_THAT(o.out, testing::StartsWith(fmt::format(".architecture sm_90\n.kernel {}\n", kernel)));
  }
  expect_refusal("disassemble --kernel-name no " + path("two.a"), ExitCode::no_such_kernel, "no kernel is named no");
}

TEST_F(SassCommand, WhatIsDisassembledAssemblesToAnEqualKernel) {
  const std::string cubin = data("module.cuda13.sm_90.cubin");
  EXPECT_EQ(run("disassemble -o " + path("text.sass") + " " + cubin).code, 0);
  const Outcome o = run("assemble -o " + path("again.cubin") + " " + path("text.sass"));
  EXPECT_EQ(o.code, 0) << o.error;
  EXPECT_EQ(run("disassemble " + path("again.cubin")).out, run("disassemble " + cubin).out);
}

TEST_F(SassCommand, AssemblyErrorsNameFileLineAndColumn) {
  std::ofstream(path("bad.sass")) << ".architecture sm_90\n.kernel k\n.registers 8\n    NOSUCH R1 ;\n";
  expect_refusal("assemble -o " + path("x") + " " + path("bad.sass"), ExitCode::bad_file,
                 "bad.sass: line 4, column 5");
}

TEST_F(SassCommand, AnInstructionIsPatchedAsText) {
  const std::string file = path("patched.cubin");
  const Outcome o =
      run("patch --kernel-name gather --instruction '0x20=[B0-----:R-:W-:-:S07] FADD R5, R6, R7 ;' -o " +
          file + " " + data("module.cuda13.sm_90.cubin"));
  EXPECT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(run("disassemble --kernel-name gather " + file).out,
              HasSubstr("/*0020*/ [B0-----:R-:W-:-:S07] FADD R5, R6, R7 ;"));
}

TEST_F(SassCommand, WhatIsExtractedIsTheCubinItself) {
  const Outcome o =
      run("extract --architecture 90 --output-folder " + path("out") + " " + data("lz4.cuda13.fatbin"));
  EXPECT_EQ(o.code, 0) << o.error;
  const std::string file = path("out/lz4.cuda13.fatbin.1.sm_90.cubin");
  EXPECT_EQ(o.out, file + "\n");
  EXPECT_EQ(cubin::Image::read_file(file).kernels().size(), 2U);
}

TEST_F(SassCommand, APatchedCubinReadsBackChanged) {
  const std::string file = path("patched.cubin");
  const Outcome o =
      run("patch --kernel-name gather --registers 99 --barriers 4 --shared-bytes 2048 --max-threads 64 1 1 "
          "--word 0x20=0x7918,0x000fc00000000000 -o " +
          file + " " + data("module.cuda13.sm_90.cubin"));
  EXPECT_EQ(o.code, 0) << o.error;
  const cubin::Image image = cubin::Image::read_file(file);
  const cubin::Kernel& k = image.kernel("gather");
  EXPECT_EQ(k.registers, 99U);
  EXPECT_EQ(k.barriers, 4U);
  EXPECT_EQ(k.user_shared_bytes(), 2048U);
  EXPECT_EQ(k.max_threads[0], 64U);
  EXPECT_EQ(cubin::read_at<std::uint64_t>(k.code, 0x20, "code"), 0x7918U);
}

TEST_F(SassCommand, EachFailureIsOneLineWithItsOwnCode) {
  expect_refusal("list " + data("module.cu"), ExitCode::bad_file, "neither a cubin nor a file with GPU code");
  expect_refusal("list /nowhere", ExitCode::bad_file, "/nowhere: cannot be opened");
  std::filesystem::copy_file(data("module.cuda13.sm_90.cubin"), path("broken"));
  std::filesystem::resize_file(path("broken"), 5000);
  for (const std::string command : {"list ", "disassemble "})
    expect_refusal(command + path("broken"), ExitCode::bad_file,
                   path("broken") + ": the section table reaches");
  expect_refusal("list", ExitCode::usage, "FILE is required");
  expect_refusal("", ExitCode::usage, "subcommand is required");
  expect_refusal("extract --architecture sm_80 " + data("plain.cuda13.fatbin"), ExitCode::bad_file,
                 "no cubin fits");
  const std::string patch = "patch -o " + path("x") + " " + data("module.cuda13.sm_90.cubin");
  expect_refusal(patch + " --registers 10", ExitCode::usage, "3 kernels; name one");
  expect_refusal(patch + " --kernel-name no --registers 10", ExitCode::no_such_kernel, "there are: ");
  expect_refusal(patch + " --kernel-name gather --registers 300", ExitCode::bad_file, "300 registers");
  expect_refusal(patch + " --kernel-name gather --word 16=1", ExitCode::usage, "is not OFFSET=LOW,HIGH");
  expect_refusal(patch + " --kernel-name gather --instruction '16=NOSUCH R1'", ExitCode::usage, "NOSUCH");
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(SassCommand, UnsupportedSaysWhatWouldStopAKernel) {
  const Outcome fine = run("unsupported " + data("module.cuda13.sm_90.cubin"));
  EXPECT_EQ(fine.code, 0);
  EXPECT_THAT(fine.out, HasSubstr(" instructions, 0 not supported\n"));
  // An encoding that no instruction has, in a kernel that was fine.
  const cubin::Image image = cubin::Image::read_file(data("module.cuda13.sm_90.cubin"));
  const std::string& kernel = image.kernels()[0].name;
  const Outcome patched = run("patch -o " + path("patched.cubin") + " --kernel-name " + kernel +
                              " --word 0x10=0xfff,0x000fe20000000000 " + data("module.cuda13.sm_90.cubin"));
  ASSERT_EQ(patched.code, 0);
  const Outcome broken = run("unsupported " + path("patched.cubin"));
  EXPECT_EQ(broken.code, 7);
  EXPECT_THAT(broken.out,
              HasSubstr("/*0010*/ 0x0000000000000fff 0x000fe20000000000 ;  // no instruction has this"));
  EXPECT_THAT(broken.out, HasSubstr(" 1 not supported\n"));
  EXPECT_EQ(run("unsupported --architecture sm_75 " + path("patched.cubin")).code, 4);
}

}  // namespace
}  // namespace warpgauge::cli
