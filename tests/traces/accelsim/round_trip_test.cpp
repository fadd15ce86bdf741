// To Accel-Sim's format and back: the same instructions, lanes and addresses, for the emulator's programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/traces/native/support.h"
#include "traces/accelsim/export.h"
#include "traces/accelsim/import.h"
#include "traces/native/record.h"

namespace warpgauge::accelsim {
namespace {

using emulator::testing::PreparedCase;
using emulator::testing::SuiteCase;
using native::test::TemporaryFile;

// What the format does not hold: where a copy to shared memory stores, and which lanes are active where all
// that runs between two branches is guarded.
const std::map<std::string, std::string>& losses() {
  static const std::map<std::string, std::string> programs{{"async_copies", "shared address"},
                                                           {"lane_locks", "active lanes"}};
  return programs;
}

std::optional<std::string> round_trip(const std::string& cubin, const std::string& launch) {
  const TemporaryFile recorded;
  const TemporaryFile folder("");
  const TemporaryFile imported;
  {
    PreparedCase prepared(cubin, launch);
    native::Writer writer(recorded.path());
    native::record(writer, prepared.launch(), prepared.emulator(), 0);
    writer.finish();
  }
  const native::Reader first(recorded.path());
  export_run(first, folder.path());
  ImportOptions options;
  options.cubins.push_back(
      std::make_shared<cubin::Image>(cubin::Image::read_file(emulator::testing::repository_file(cubin))));
  {
    native::Writer writer(imported.path());
    const ImportSummary summary = import_run(folder.path() + "/kernelslist.g", options, writer);
    EXPECT_EQ(summary.kernels, 1U);
    EXPECT_EQ(summary.without_code, 0U);
    writer.finish();
  }
  const native::Reader second(imported.path());
  const auto a = first.kernel(0);
  const auto b = second.kernel(0);
  EXPECT_GT(a->info().warp_instructions, 0U);
  EXPECT_EQ(a->info().warp_instructions, b->info().warp_instructions);
  return native::first_difference(*a, *b);
}

class RoundTrip : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Architectures, RoundTrip, ::testing::Values("75", "90"),
                         [](const auto& test) { return "sm_" + test.param; });

TEST_P(RoundTrip, GivesTheSameStream) {
  const emulator::testing::Suite suite = emulator::testing::read_suite("tests/programs/suite.json");
  unsigned same = 0;
  for (const SuiteCase& one : suite.cases) {
    if (one.minimum_architecture > std::stoul(GetParam())) continue;
    SCOPED_TRACE(one.name);
    const auto difference = round_trip(native::test::cubin_of(suite, one, GetParam()), one.launch);
    const auto loss = losses().find(one.name);
    if (loss != losses().end()) {
      EXPECT_THAT(difference.value_or("the same: take it off the list"), ::testing::HasSubstr(loss->second));
    } else {
      EXPECT_EQ(difference.value_or("the same"), "the same");
      ++same;
    }
  }
  EXPECT_GE(same, 130U);
}

}  // namespace
}  // namespace warpgauge::accelsim
