// To Accel-Sim's format and back: the same instructions, lanes and addresses, for the emulator's programs.
#include <gtest/gtest.h>

#include <set>

#include "tests/traces/native/support.h"
#include "traces/accelsim/export.h"
#include "traces/accelsim/import.h"
#include "traces/native/record.h"
#include "traces/native/replay.h"

namespace warpgauge::native::test {
namespace {

using emulator::testing::PreparedCase;
using emulator::testing::SuiteCase;

std::uint64_t compare_streams(const KernelTrace& a, const KernelTrace& b, std::string& difference) {
  BlockStreams one;
  BlockStreams other;
  traces::Issued x;
  traces::Issued y;
  std::uint64_t instructions = 0;
  const auto step = [](BlockStreams& streams, unsigned warp, traces::Issued& issued) {
    streams.step(warp, issued);
    if (streams.warp(warp).blocked()) streams.warp(warp).release();
  };
  for (std::uint64_t block = 0; block < a.blocks(); ++block) {
    one.begin(a, block);
    other.begin(b, block);
    for (unsigned w = 0; w < one.warps(); ++w) {
      while (!one.warp(w).exited() && !other.warp(w).exited()) {
        const std::uint32_t index = one.warp(w).index();
        difference = index == other.warp(w).index() ? "" : "instruction";
        step(one, w, x);
        step(other, w, y);
        if (difference.empty()) difference = compare(x, y);
        ++instructions;
        if (difference.empty()) continue;
        difference += " of block " + std::to_string(block) + " warp " + std::to_string(w) + " instruction " +
                      std::to_string(index) + ", after " + std::to_string(instructions);
        return instructions;
      }
      if (one.warp(w).exited() != other.warp(w).exited()) difference = "length";
    }
  }
  return instructions;
}

class RoundTrip : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Architectures, RoundTrip, ::testing::Values("75", "90"),
                         [](const auto& test) { return "sm_" + test.param; });

TEST_P(RoundTrip, GivesTheSameStream) {
  const emulator::testing::Suite suite = emulator::testing::read_suite("tests/programs/suite.json");
  unsigned programs = 0;
  for (const SuiteCase& one : suite.cases) {
    if (one.minimum_architecture > std::stoul(GetParam())) continue;
    const std::string cubin = cubin_of(suite, one, GetParam());
    const TemporaryFile recorded;
    const TemporaryFile folder("");
    const TemporaryFile imported;
    try {
      {
        PreparedCase prepared(cubin, one.launch);
        Writer writer(recorded.path());
        record(writer, prepared.launch(), prepared.emulator(), 0);
        writer.finish();
      }
      const Reader first(recorded.path());
      accelsim::export_run(first, folder.path());
      accelsim::ImportOptions options;
      options.cubins.push_back(
          std::make_shared<cubin::Image>(cubin::Image::read_file(emulator::testing::repository_file(cubin))));
      {
        Writer writer(imported.path());
        const auto summary = accelsim::import_run(folder.path() + "/kernelslist.g", options, writer);
        EXPECT_EQ(summary.without_code, 0U);
        writer.finish();
      }
      const Reader second(imported.path());
      std::string difference;
      const auto a = first.kernel(0);
      const auto b = second.kernel(0);
      const std::uint64_t instructions = compare_streams(*a, *b, difference);
      EXPECT_EQ(difference, "") << one.name;
      if (difference.empty()) {
        EXPECT_EQ(instructions, a->info().warp_instructions) << one.name;
      }
      ++programs;
    } catch (const std::exception& e) {
      ADD_FAILURE() << one.name << ": " << e.what();
    }
  }
  EXPECT_GE(programs, 80U);
}

}  // namespace
}  // namespace warpgauge::native::test
