// Runs the built `warpgauge` as a user would.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/exit_code.h"

namespace warpgauge::cli::test {

struct Outcome {
  int code = 0;
  std::string out;
  std::string error;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A test with a folder of its own, which is removed at the end.
class BinaryTest : public ::testing::Test {
 protected:
  // `command` comes before the arguments of every run: "sass".
  explicit BinaryTest(std::string command = "") : command_(std::move(command)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~BinaryTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string repository(const std::string& name) {
    return std::string(WARPGAUGE_SOURCE_DIR) + "/" + name;
  }

  [[nodiscard]] Outcome run(const std::string& arguments) const {
    Outcome outcome;
    const std::string errors = path("stderr");
    const std::string command =
        std::string(WARPGAUGE_BINARY) + " " + command_ + " " + arguments + " 2>" + errors;
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      outcome.out.append(buffer.data(), n);
    outcome.code = WEXITSTATUS(pclose(pipe));
    outcome.error = read_file(errors);
    return outcome;
  }

  // One line on stderr, with that in it, and nothing on stdout.
  void expect_refusal(const std::string& arguments, ExitCode code, const std::string& message = "") const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, static_cast<int>(code)) << arguments << ": " << outcome.error;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.error.find(message), std::string::npos) << outcome.error;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  }

 private:
  std::string command_;
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      (std::string("warpgauge_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
       std::to_string(getpid()));
};

}  // namespace warpgauge::cli::test
