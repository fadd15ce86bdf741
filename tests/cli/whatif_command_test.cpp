#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/run_binary.h"
#include "traces/cubin/cubin.h"

namespace warpgauge::cli {
namespace {

using test::Outcome;
using testing::HasSubstr;

class WhatIf : public test::BinaryTest {
 protected:
  WhatIf() : BinaryTest("whatif") {}

  static std::string example(const std::string& name) {
    return std::string(WARPGAUGE_SOURCE_DIR) + "/examples/" + name;
  }
};

// Two blocks of the example: small enough for a test, and the tile is the same.
const char* small_launch =
    " --kernel sgemm --grid 1,1 --block 16,16 --arg i32:64 --arg i32:64"
    " --arg buffer:16384:random_f32:1 --arg buffer:16384:random_f32:2 --arg buffer:16384";

TEST_F(WhatIf, RunWithoutALaunchOrAGpuIsOneLineAndAnExitCode) {
  const Outcome no_launch = run("registers " + example("sgemm/sgemm.sm_90.cubin") + " --change none --run");
  EXPECT_EQ(no_launch.code, 2);
  EXPECT_THAT(no_launch.error, HasSubstr("--run needs a launch"));
  if (std::filesystem::exists("/dev/nvidiactl")) return;  // a machine with a GPU measures
  const Outcome no_gpu =
      run("registers " + example("sgemm/sgemm.sm_90.cubin") + small_launch + " --change none --run 3");
  EXPECT_EQ(no_gpu.code, 10) << no_gpu.error;
  EXPECT_THAT(no_gpu.error, HasSubstr("--run: "));
}

TEST_F(WhatIf, RegistersWritesACubinThatLoadsAndLosesFewerCycles) {
  // With two more granules there are registers to go to.
  const Outcome o = run("registers " + example("sgemm/sgemm.sm_90.cubin") + " --candidates 1 --registers 64 -o " +
                        path("out.cubin") + " --json " + path("out.json") + " --svg " + path("map.svg"));
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.out, HasSubstr("the checker proves the same dependences"));
  const cubin::Image before = cubin::Image::read_file(example("sgemm/sgemm.sm_90.cubin"));
  const cubin::Image after = cubin::Image::read_file(path("out.cubin"));
  EXPECT_EQ(after.kernels()[0].registers, 64U);
  EXPECT_EQ(after.kernels()[0].code.size(), before.kernels()[0].code.size());
  EXPECT_NE(after.kernels()[0].code, before.kernels()[0].code);
  EXPECT_THAT(test::read_file(path("out.json")), HasSubstr("\"schema\": \"warpgauge-whatif-registers/1\""));
  EXPECT_THAT(test::read_file(path("map.svg")), HasSubstr("</svg>"));
}

TEST_F(WhatIf, RegistersPredictsBothAndComparesTheOutputs) {
  const Outcome o =
      run("registers " + example("sgemm/sgemm.sm_90.cubin") + small_launch + " --candidates 1 --see");
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.out, HasSubstr("predicted cycles"));
  EXPECT_THAT(o.out, HasSubstr("49152 bytes of output equal"));
  EXPECT_THAT(o.out, HasSubstr("after\n"));
}

TEST_F(WhatIf, TheSameSeedWritesTheSameBytes) {
  for (const char* name : {"a", "b"})
    ASSERT_EQ(
        run("registers " + example("sgemm/sgemm.sm_70.cubin") + " --gpu v100 --seed 7 -o " + path(name)).code,
        0);
  EXPECT_EQ(test::read_file(path("a")), test::read_file(path("b")));
}

TEST_F(WhatIf, FewerRegistersThanTheValuesNeedAreRefused) {
  const Outcome o =
      run("registers " + example("sgemm/sgemm.sm_90.cubin") + " --registers 16 -o " + path("out.cubin"));
  EXPECT_EQ(o.code, static_cast<int>(ExitCode::launch_does_not_fit));
  EXPECT_THAT(o.error, HasSubstr("without spilling, 16 were asked for"));
  EXPECT_FALSE(std::filesystem::exists(path("out.cubin")));
}

TEST_F(WhatIf, MoreRegistersCostOccupancy) {
  const Outcome o =
      run("sweep " + example("sgemm/sgemm.sm_90.cubin") + small_launch + " --vary registers=64,255 --csv");
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.out, HasSubstr("registers,cycles,ratio,warps_per_sm\n"));
  EXPECT_THAT(o.out, HasSubstr("255,"));
}

TEST_F(WhatIf, DiffSetsTwoMachinesSideBySide) {
  const Outcome o = run("diff " + example("sgemm/sgemm.sm_90.cubin") + small_launch +
                        " --other-set registers.read_ports_per_bank=2");
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.out, HasSubstr("cycles "));
  EXPECT_THAT(o.out, HasSubstr("registers_per_thread"));
}

TEST_F(WhatIf, WhatMakesNoSenseIsOneLineAndAnExitCode) {
  EXPECT_EQ(run("registers " + path("nothing.cubin")).code, static_cast<int>(ExitCode::bad_file));
  EXPECT_EQ(run("registers " + example("sgemm/sgemm.sm_90.cubin") + " --kernel no").code,
            static_cast<int>(ExitCode::no_such_kernel));
  const Outcome sweep =
      run("sweep " + example("sgemm/sgemm.sm_90.cubin") + small_launch + " --vary registers");
  EXPECT_EQ(sweep.code, static_cast<int>(ExitCode::usage));
  EXPECT_EQ(sweep.error, "warpgauge: --vary registers: not of the form KEY=VALUE,VALUE…\n");
}

}  // namespace
}  // namespace warpgauge::cli
