// `warpgauge predict` from outside: what is wrong ends with one line on stderr, nothing on stdout, and its
// exit code.
#include "tests/cli/run_binary.h"

namespace warpgauge::cli::test {
namespace {

class PredictCommand : public BinaryTest {
 protected:
  static std::string saxpy(const std::string& file) {
    return "predict " + repository("examples/saxpy/" + file);
  }
  static std::string launch_file() { return repository("examples/saxpy/launch.json"); }
  void refused(const std::string& arguments, ExitCode code) const { expect_refusal(saxpy(arguments), code); }
};

TEST_F(PredictCommand, EveryKindOfBadInputHasAnExitCodeOfItsOwn) {
  const std::string launch = "saxpy.sm_90.cubin --launch " + launch_file() + " ";
  const std::string shape = "--grid 1 --block 32 ";
  refused("saxpy.cu " + shape, ExitCode::bad_file);
  refused("no_such_file " + shape, ExitCode::bad_file);
  refused("saxpy.sm_90.cubin", ExitCode::usage);
  refused(launch + "--kernel nope", ExitCode::no_such_kernel);
  refused(launch + "--block 2048", ExitCode::launch_does_not_fit);
  refused(launch + "--shared 500000", ExitCode::launch_does_not_fit);
  refused("saxpy.sm_75.cubin --launch " + launch_file(), ExitCode::launch_does_not_fit);
  refused("saxpy.sm_90.cubin " + shape + "--arg i32:5", ExitCode::bad_arguments);
  refused("saxpy.sm_90.cubin " + shape + "--arg i32:1000 --arg f32:2 --arg buffer:64 --arg buffer:64",
          ExitCode::program_fault);
  refused(launch + "--gpu k80", ExitCode::bad_calibration);
  refused(launch + "--set l1.sizes=5", ExitCode::bad_calibration);
}

TEST_F(PredictCommand, TheSameInputGivesTheSameBytes) {
  const Outcome first = run(saxpy("saxpy.sm_90.cubin --launch " + launch_file() + " --json -"));
  const Outcome second = run(saxpy("saxpy.sm_90.cubin --launch " + launch_file() + " --json -"));
  EXPECT_EQ(first.code, 0) << first.error;
  EXPECT_GT(first.out.size(), 1000U);
  EXPECT_EQ(first.out, second.out);
}

}  // namespace
}  // namespace warpgauge::cli::test
