// A foreign trace that is cut off, at whichever byte, is refused with its place, and leaves no trace behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/traces/native/container.h"
#include "tests/traces/native/support.h"
#include "traces/accelsim/import.h"
#include "traces/accelsim/tracez.h"

namespace warpgauge::accelsim {
namespace {

using native::test::fuzz_input;
using native::test::TemporaryFile;

// What the import of one kernel says; empty when it succeeds. Only then a file is left.
std::string outcome(const OpenKernel& open, const ImportOptions& options) {
  const TemporaryFile file;
  std::string message;
  try {
    native::Writer writer(file.path());
    ImportSummary summary;
    import_kernel(open, 0, options, writer, summary);
    writer.finish();
  } catch (const Error& error) {
    message = error.what();
  } catch (const native::Error& error) {
    message = error.what();
  }
  EXPECT_EQ(std::filesystem::exists(file.path()), message.empty());
  return message;
}

class CutOff : public ::testing::TestWithParam<bool> {
 protected:
  CutOff() {
    if (GetParam()) options_.cubins.push_back(std::make_shared<cubin::Image>(native::test::small_cubin()));
  }
  // Tries every length below `needed`, and `needed` itself, which must be enough.
  template <class F>
  void check(const std::string& whole, std::size_t needed, F open) {
    for (std::size_t size = 0; size < needed; ++size)
      ASSERT_THAT(outcome([&] { return open(whole.substr(0, size)); }, options_),
                  ::testing::HasSubstr("at byte"))
          << size;
    EXPECT_EQ(outcome([&] { return open(whole.substr(0, needed)); }, options_), "");
  }
  ImportOptions options_;
};
INSTANTIATE_TEST_SUITE_P(Code, CutOff, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "OfACubin" : "MadeUp"; });

TEST_P(CutOff, TracegAnywhere) {
  const std::string whole = fuzz_input("traceg_reader/with_code");
  const std::string end = "#END_TB\n";
  check(whole, whole.rfind(end) + end.size(),
        [](std::string text) { return read_traceg(text_in_memory(std::move(text))); });
}

TEST_P(CutOff, XzAnywhere) {
  const std::string whole = fuzz_input("traceg_reader/xz");
  check(whole, whole.size(), [](std::string text) { return read_traceg(xz_in_memory(std::move(text))); });
}

TEST_P(CutOff, TracezAnywhere) {
  const std::string whole = fuzz_input("traceg_reader/tracez");
  check(whole, whole.size(), [](const std::string& text) {
    return read_tracez(native::from_memory({text.begin(), text.end()}), "trace");
  });
}

TEST(Lists, CutOffInACommandAreRefused) {
  const std::string whole = fuzz_input("traceg_reader/list");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string text = whole.substr(0, size);
    if (text.empty() || text.ends_with('\n')) continue;
    EXPECT_THAT([&] { parse_list(*text_in_memory(text)); },
                ::testing::ThrowsMessage<Error>(::testing::HasSubstr("at byte")))
        << size;
  }
}

}  // namespace
}  // namespace warpgauge::accelsim
