// A recorded launch gives the model what the emulator gives it: every instruction of every program of the
// emulator's suite, compared field by field under the same order of issue.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>

#include "tests/emulator/launch_file.h"
#include "tests/traces/native/support.h"
#include "traces/native/record.h"
#include "traces/native/replay.h"

namespace warpgauge::native::test {
namespace {

using emulator::testing::PreparedCase;
using emulator::testing::Suite;
using emulator::testing::SuiteCase;

// Drives two streams of the same launch in step; fails at the first difference.
void expect_same(traces::WarpStream& a, traces::WarpStream& b, unsigned resident) {
  const std::uint64_t total = a.shape().grid.count();
  EXPECT_EQ(a.shape().kernel_bytes, b.shape().kernel_bytes);
  struct Pair {
    traces::BlockHandle a = 0;
    traces::BlockHandle b = 0;
    std::uint64_t linear = 0;
  };
  std::vector<Pair> blocks;
  std::uint64_t begun = 0;
  std::uint64_t cycle = 0;
  traces::Issued one;
  traces::Issued other;
  while (begun < total || !blocks.empty()) {
    for (; begun < total && blocks.size() < resident; ++begun)
      blocks.push_back({a.begin_block(begun, {}), b.begin_block(begun, {}), begun});
    bool moved = false;
    for (std::size_t i = 0; i < blocks.size();) {
      bool finished = true;
      for (unsigned w = 0; w < a.shape().warps_per_block(); ++w) {
        const traces::NextInstruction next = a.next(blocks[i].a, w);
        const traces::NextInstruction replayed = b.next(blocks[i].b, w);
        const std::string place = "block " + std::to_string(blocks[i].linear) + " warp " + std::to_string(w) +
                                  " instruction " + std::to_string(next.index);
        ASSERT_EQ(next.status, replayed.status) << place;
        if (next.status == traces::WarpStatus::exited) continue;
        finished = false;
        ASSERT_EQ(next.index, replayed.index) << place;
        ASSERT_EQ(next.active_mask, replayed.active_mask) << place;
        if (next.status != traces::WarpStatus::ready) continue;
        a.issue(blocks[i].a, w, cycle, one);
        b.issue(blocks[i].b, w, cycle++, other);
        const std::string difference = compare_issued(one, other);
        ASSERT_EQ(difference, "") << place;
        moved = true;
      }
      if (finished) {
        a.end_block(blocks[i].a);
        b.end_block(blocks[i].b);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
        moved = true;
      } else {
        ++i;
      }
    }
    ASSERT_TRUE(moved);
  }
}

class ReplayOfPrograms : public ::testing::TestWithParam<std::string> {};

const std::set<std::string> families{"algorithms", "ampere",  "atomic",  "control", "convert",
                                     "float32",    "float64", "half",    "half80",  "integer",
                                     "matrix75",   "memory",  "special", "warp"};
INSTANTIATE_TEST_SUITE_P(Families, ReplayOfPrograms, ::testing::ValuesIn(families),
                         [](const auto& test) { return test.param; });

TEST(ReplayOfAllPrograms, LeavesNoFamilyOut) {
  for (const SuiteCase& one : emulator::testing::read_suite("tests/programs/suite.json").cases)
    EXPECT_TRUE(families.contains(one.cubin.substr(0, one.cubin.find('.')))) << one.name;
}

// Programs whose instructions depend on the order in which warps run: loops that retry, locks.
const std::set<std::string>& programs_that_depend_on_order() {
  static const std::set<std::string> programs{"atomics_64",      "atomics_shared",
                                              "blocks_in_chain", "compare_and_swap_loops",
                                              "lane_locks",      "warps_in_turn"};
  return programs;
}

enum class Recording { alone, driven };

// Records the case and compares its replay with the emulator, three blocks resident.
void check_replay(const std::string& cubin, const std::string& launch, Recording recording) {
  const TemporaryFile file;
  {
    PreparedCase recorded(cubin, launch);
    Writer writer(file.path());
    if (recording == Recording::alone) {
      record(writer, recorded.launch(), recorded.emulator(), 3);
    } else {
      record(writer, recorded.launch(), recorded.emulator(), 3,
             [](traces::WarpStream& stream) { emulator::testing::drive(stream, 3); });
    }
    writer.finish();
  }
  PreparedCase fresh(cubin, launch);
  const Reader reader(file.path());
  ASSERT_EQ(reader.kernels(), 1U);
  const auto trace = reader.kernel(0);
  EXPECT_EQ(trace->info().launch_index, 3U);
  EXPECT_EQ(trace->info().parameters, fresh.launch().parameters);
  ReplayStream replay(*trace);
  EXPECT_EQ(replay.entry(), fresh.emulator().entry());
  ASSERT_EQ(replay.code().size(), fresh.emulator().code().size());
  for (std::size_t i = 0; i < replay.code().size(); ++i)
    ASSERT_EQ(replay.code()[i].word, fresh.emulator().code()[i].word) << i;
  expect_same(fresh.emulator(), replay, 3);
  EXPECT_EQ(trace->info().warp_instructions, fresh.emulator().warp_instructions());
}

TEST_P(ReplayOfPrograms, IsWhatTheEmulatorDoes) {
  const Suite suite = emulator::testing::read_suite("tests/programs/suite.json");
  unsigned cases = 0;
  for (const SuiteCase& one : suite.cases) {
    if (one.cubin.rfind(GetParam() + ".", 0) != 0) continue;
    SCOPED_TRACE(one.name);
    const bool by_order = programs_that_depend_on_order().contains(one.name);
    check_replay(cubin_of(suite, one, "90"), one.launch, by_order ? Recording::driven : Recording::alone);
    ++cases;
  }
  EXPECT_GT(cases, 0U);
}

TEST_P(ReplayOfPrograms, RecordedUnderTheSameOrderIsWhatTheEmulatorDoes) {
  const Suite suite = emulator::testing::read_suite("tests/programs/suite.json");
  for (const SuiteCase& one : suite.cases) {
    if (one.cubin.rfind(GetParam() + ".", 0) != 0 || one.minimum_architecture > 75) continue;
    SCOPED_TRACE(one.name);
    check_replay(cubin_of(suite, one, "75"), one.launch, Recording::driven);
  }
}

}  // namespace
}  // namespace warpgauge::native::test
