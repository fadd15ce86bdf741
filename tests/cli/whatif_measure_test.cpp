// Two versions of a kernel measured in turn, on the model as the target.
#include <gtest/gtest.h>

#include <algorithm>

#include "calib/calibration.h"
#include "cli/failure.h"
#include "cli/shipped.h"
#include "cli/whatif/kernel_code.h"
#include "cli/whatif/measure.h"
#include "probes/model/model_target.h"
#include "traces/cubin/cubin.h"

namespace warpgauge::cli::whatif {
namespace {

launch::Description small_sgemm() {
  launch::Description d;
  d.kernel = "sgemm";
  d.grid = {1, 1, 1};
  d.block = {16, 16, 1};
  for (const char* text : {"i32:64", "i32:64", "buffer:16384:random_f32:1", "buffer:16384:random_f32:2", "buffer:16384"}) {
    d.arguments.push_back(launch::parse_argument(text));
  }
  return d;
}

class Measure : public ::testing::Test {
 protected:
  std::unique_ptr<probes::Target> target_ = probes::open_model(read_calibration("h200", {}));
  cubin::Bytes sgemm_ = cubin::read_bytes(std::string(WARPGAUGE_SOURCE_DIR) + "/examples/sgemm/sgemm.sm_90.cubin");
};

TEST_F(Measure, TwoEqualVersionsTakeTheSameTimeAndLeaveTheSameBytes) {
  const Measurement m = measure(*target_, sgemm_, sgemm_, small_sgemm(), 3);
  EXPECT_GT(m.before_us, 0);
  EXPECT_DOUBLE_EQ(m.before_us, m.after_us);
  EXPECT_EQ(m.before_hash, m.after_hash);
  EXPECT_DOUBLE_EQ(m.change_percent(), 0);
  EXPECT_DOUBLE_EQ(m.before_spread, 0);
}

TEST_F(Measure, AVersionThatComputesSomethingElseLeavesOtherBytes) {
  const cubin::Image image(sgemm_);
  const KernelCode kernel = kernel_code(image, "sgemm", "sgemm");
  std::vector<sass::Instruction> changed = kernel.code;
  // No FFMA is left but the first: products are lost.
  const auto is_ffma = [](const sass::Instruction& each) { return each.opcode == sass::Opcode::FFMA; };
  const auto first = std::find_if(kernel.code.begin(), kernel.code.end(), is_ffma);
  ASSERT_NE(first, kernel.code.end());
  for (sass::Instruction& each : changed) {
    if (is_ffma(each)) each.word = first->word;
  }
  const Measurement m = measure(*target_, sgemm_, patched(sgemm_, kernel, changed, 0), small_sgemm(), 2);
  EXPECT_NE(m.before_hash, m.after_hash);
}

TEST_F(Measure, ALaunchWithTooFewArgumentsIsRefused) {
  launch::Description few = small_sgemm();
  few.arguments.pop_back();
  EXPECT_THROW(measure(*target_, sgemm_, sgemm_, few, 1), Failure);
}

}  // namespace
}  // namespace warpgauge::cli::whatif
