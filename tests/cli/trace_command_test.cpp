// `warpgauge trace` and `warpgauge predict` of a trace, from outside.
#include <gmock/gmock.h>

#include "tests/cli/run_binary.h"

namespace warpgauge::cli::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TraceCommand : public BinaryTest {
 protected:
  // A small launch of saxpy on that architecture.
  static std::string launch(const std::string& architecture, int blocks = 8) {
    return repository("examples/saxpy/saxpy." + architecture + ".cubin") + " --kernel saxpy --grid " +
           std::to_string(blocks) +
           " --block 256 --arg i32:2000 --arg f32:2 --arg buffer:8192:random_f32:1 --arg "
           "buffer:8192";
  }
  std::string record(const std::string& name, const std::string& architecture = "sm_90", int blocks = 8) {
    const Outcome outcome = run("trace record --cubin " + launch(architecture, blocks) + " -o " + path(name));
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    return path(name);
  }
};

TEST_F(TraceCommand, APredictionFromATraceIsThatOfTheExecution) {
  const struct {
    const char* gpu;
    const char* architecture;
  } devices[] = {{"v100", "sm_70"}, {"t4", "sm_75"}, {"h200", "sm_90"}};
  for (const auto& device : devices) {
    const std::string options = std::string(" --gpu ") + device.gpu + " --json -";
    const Outcome executed = run("predict " + launch(device.architecture) + options);
    const Outcome replayed = run("predict " + record("a.wgt", device.architecture) + options);
    EXPECT_EQ(executed.code, 0) << executed.error;
    EXPECT_EQ(replayed.code, 0) << replayed.error;
    EXPECT_THAT(executed.out, HasSubstr("\"cycles\""));
    EXPECT_EQ(executed.out, replayed.out);
  }
}

TEST_F(TraceCommand, RecordsEveryLaunchOfAProgram) {
  const std::string program = std::string(WARPGAUGE_LAUNCHES_PROGRAM) + " " +
                              repository("examples/saxpy/saxpy.sm_90.cubin") + " 3 17";
  const Outcome recorded = run("trace record -o " + path("run.wgt") + " -- " + program);
  EXPECT_EQ(recorded.code, 17);  // the program's own
  EXPECT_EQ(recorded.out, "launched 3\n");
  const Outcome info = run("trace info " + path("run.wgt"));
  EXPECT_THAT(info.out, AllOf(HasSubstr("launch 0"), HasSubstr("launch 2"), HasSubstr("FFMA")));
  // With timing it is the same stream, and the program's report besides.
  const Outcome timed = run("trace record --timing -o " + path("timed.wgt") + " -- " + program);
  EXPECT_THAT(timed.out, HasSubstr("Elapsed Cycles"));
  EXPECT_EQ(run("trace diff " + path("run.wgt") + " " + path("timed.wgt")).out, "the same: 3 kernels\n");
  // Launches can be chosen.
  const Outcome one =
      run("trace record --launch-skip 1 --launch-count 1 -o " + path("one.wgt") + " -- " + program);
  EXPECT_EQ(one.code, 17);
  EXPECT_THAT(run("trace info " + path("one.wgt")).out, HasSubstr("(2, 1, 1)x(32, 1, 1), launch 1"));
}

TEST_F(TraceCommand, InfoCountsWhatTheKernelDoes) {
  const Outcome info = run("trace info " + record("a.wgt") + " --json -");
  EXPECT_EQ(info.code, 0) << info.error;
  EXPECT_THAT(info.out, AllOf(HasSubstr("\"schema\": \"warpgauge-trace-info/1\""), HasSubstr("\"FFMA\": 63"),
                              HasSubstr("\"lines\": 126"), HasSubstr("\"control_words\": true")));
}

TEST_F(TraceCommand, ConvertsToAccelSimsFilesAndBack) {
  const std::string trace = record("a.wgt", "sm_70");
  EXPECT_EQ(run("trace convert " + trace + " " + path("folder")).code, 0);
  EXPECT_EQ(read_file(path("folder/kernelslist.g")), "kernel-1.traceg\n");
  const std::string list = path("folder/kernelslist.g");
  const Outcome with = run("trace convert " + list + " " + path("with.wgt") + " --cubin " +
                           repository("examples/saxpy/saxpy.sm_70.cubin"));
  EXPECT_EQ(with.out, "1 kernels\n") << with.error;
  EXPECT_EQ(run("trace diff " + trace + " " + path("with.wgt")).out, "the same: 1 kernels\n");
  const std::string predict = " --gpu v100 --csv";
  EXPECT_EQ(run("predict " + path("with.wgt") + predict).out, run("predict " + trace + predict).out);
  // Without the cubin its control words are made up, and the report says so.
  const Outcome without = run("trace convert " + list + " " + path("without.wgt"));
  EXPECT_THAT(without.out, HasSubstr("1 without machine code")) << without.error;
  const Outcome guessed = run("predict " + path("without.wgt") + " --gpu v100");
  EXPECT_EQ(guessed.code, 0) << guessed.error;
  EXPECT_THAT(guessed.out, HasSubstr("a scoreboard on registers"));
}

TEST_F(TraceCommand, DiffNamesTheFirstDifference) {
  const std::string first = record("a.wgt");
  const std::string second = record("b.wgt", "sm_90", 9);
  const Outcome outcome = run("trace diff " + first + " " + second);
  EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::difference));
  EXPECT_EQ(outcome.error, "warpgauge: kernel 0 (saxpy): grid: (8, 1, 1) and (9, 1, 1)\n");
  EXPECT_EQ(outcome.out, "");
}

TEST_F(TraceCommand, SaysWhatIsWrong) {
  const std::string trace = record("a.wgt");
  const std::string whole = read_file(trace);
  std::ofstream(path("short.wgt"), std::ios::binary) << whole.substr(0, whole.size() / 2);
  expect_refusal("trace info " + path("short.wgt"), ExitCode::bad_file);
  expect_refusal("predict " + path("short.wgt"), ExitCode::bad_file);
  expect_refusal("trace info " + path("nothing.wgt"), ExitCode::bad_file);
  expect_refusal("trace info " + trace + " --kernel other", ExitCode::no_such_kernel);
  expect_refusal("predict " + trace + " --kernel other", ExitCode::no_such_kernel);
  expect_refusal("predict " + trace + " --grid 4 --block 32", ExitCode::usage);
  expect_refusal("predict " + trace + " --gpu v100", ExitCode::launch_does_not_fit);
  expect_refusal("trace record -o " + path("x.wgt"), ExitCode::usage);
  expect_refusal("trace record -o " + path("no/folder/x.wgt") + " --cubin " + launch("sm_90"),
                 ExitCode::bad_file);
  // The text was printed; the file is what fails.
  const Outcome unwritten = run("trace info " + trace + " --json " + path("no/folder/x.json"));
  EXPECT_EQ(unwritten.code, static_cast<int>(ExitCode::bad_file));
  EXPECT_THAT(unwritten.error, HasSubstr("no/folder/x.json: cannot be written"));
  expect_refusal("trace convert " + trace + " " + path("folder") + " --cubin " +
                     repository("examples/saxpy/saxpy.sm_90.cubin"),
                 ExitCode::usage);
  std::ofstream(path("list.g")) << "MemcpyHtoD,0x7f0000000000,16\n";
  expect_refusal("trace convert " + path("list.g") + " " + path("bad.wgt"), ExitCode::bad_file);
  std::ofstream(path("list.g")) << "kernel-1.zip\n";
  expect_refusal("trace convert " + path("list.g") + " " + path("bad.wgt"), ExitCode::bad_file);
  std::ofstream(path("bad.traceg")) << "-kernel name = k\nnonsense\n";
  expect_refusal("trace convert " + path("bad.traceg") + " " + path("bad.wgt"), ExitCode::bad_file);
  EXPECT_FALSE(std::filesystem::exists(path("bad.wgt")));
  const std::string fault =
      repository("examples/saxpy/saxpy.sm_90.cubin") +
      " --kernel saxpy --grid 1 --block 32 --arg i32:1000 --arg f32:2 --arg buffer:64 --arg "
      "buffer:64";
  expect_refusal("trace record -o " + path("fault.wgt") + " --cubin " + fault, ExitCode::program_fault);
  EXPECT_FALSE(std::filesystem::exists(path("fault.wgt")));
}

}  // namespace
}  // namespace warpgauge::cli::test
