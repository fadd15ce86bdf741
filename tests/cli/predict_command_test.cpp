// `warpgauge predict` from outside: what is wrong ends with one line on stderr, nothing on stdout, and its exit code.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

struct Outcome {
  int code = 0;
  std::string output;
  std::string errors;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Outcome predict(const std::string& arguments) {
  const std::string base = ::testing::TempDir() + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string command = std::string("cd '") + WARPGAUGE_SOURCE_DIR + "/examples/saxpy' && '" + WARPGAUGE_BINARY +
                              "' predict " + arguments + " >'" + base + ".out' 2>'" + base + ".err'";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), read(base + ".out"), read(base + ".err")};
}

void expect_refusal(const std::string& arguments, int code) {
  const Outcome outcome = predict(arguments);
  EXPECT_EQ(outcome.code, code) << arguments << ": " << outcome.errors;
  EXPECT_EQ(outcome.output, "") << arguments;
  EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
}

TEST(PredictCommand, EveryKindOfBadInputHasAnExitCodeOfItsOwn) {
  const std::string launch = "saxpy.sm_90.cubin --launch launch.json ";
  const std::string shape = "--grid 1 --block 32 ";
  expect_refusal("saxpy.cu " + shape, 3);
  expect_refusal("no_such_file " + shape, 3);
  expect_refusal("saxpy.sm_90.cubin", 2);
  expect_refusal(launch + "--kernel nope", 4);
  expect_refusal(launch + "--block 2048", 5);
  expect_refusal(launch + "--shared 500000", 5);
  expect_refusal("saxpy.sm_75.cubin --launch launch.json", 5);
  expect_refusal("saxpy.sm_90.cubin " + shape + "--arg i32:5", 6);
  expect_refusal("saxpy.sm_90.cubin " + shape + "--arg i32:1000 --arg f32:2 --arg buffer:64 --arg buffer:64", 8);
  expect_refusal(launch + "--gpu k80", 9);
  expect_refusal(launch + "--set l1.sizes=5", 9);
}

TEST(PredictCommand, TheSameInputGivesTheSameBytes) {
  const Outcome first = predict("saxpy.sm_90.cubin --launch launch.json --json -");
  const Outcome second = predict("saxpy.sm_90.cubin --launch launch.json --json -");
  EXPECT_EQ(first.code, 0) << first.errors;
  EXPECT_GT(first.output.size(), 1000U);
  EXPECT_EQ(first.output, second.output);
}

}  // namespace
