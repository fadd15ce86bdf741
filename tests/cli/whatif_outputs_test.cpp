// Real kernels, executed before and after a change of their registers: the outputs must be the same bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "cli/prepared_launch.h"
#include "cli/validate/suite.h"
#include "cli/whatif/kernel_code.h"
#include "model/registers/checker.h"
#include "model/registers/recolour.h"
#include "model/registers/rewrite.h"

namespace warpgauge::cli {
namespace {

using registers::Recoloured;

std::vector<std::uint8_t> outputs(const cubin::Bytes& file, const launch::Description& description) {
  PreparedLaunch prepared(cubin::Image(file), "kernel", description);
  prepared.emulator().run();
  return prepared.buffer_contents();
}

// How many threads a case starts; the suite's smallest case of a kernel is the one with the fewest.
std::uint64_t threads(const SuiteCase& c) {
  return c.launch.grid.count() * c.launch.block.count();
}

// WARPGAUGE_ALL_OUTPUTS in the environment lifts the limit and takes every kernel of the suite.
std::uint64_t most_threads() {
  return std::getenv("WARPGAUGE_ALL_OUTPUTS") != nullptr ? ~std::uint64_t{0} : 4096;
}

class Outputs : public testing::TestWithParam<sass::Architecture> {};

TEST_P(Outputs, OfEveryKernelStayTheSame) {
  const Suite suite = read_suite(std::string(WARPGAUGE_SOURCE_DIR) + "/examples/validation/suite.json");
  std::map<std::string, const SuiteCase*> smallest;
  for (const SuiteCase& c : suite.cases) {
    if (c.minimum_architecture > static_cast<unsigned>(GetParam()) || threads(c) > most_threads()) continue;
    const SuiteCase*& best = smallest[c.launch.kernel];
    if (best == nullptr || threads(c) < threads(*best)) best = &c;
  }
  std::size_t compared = 0;
  std::size_t changed = 0;
  std::size_t refused = 0;
  for (const auto& [name, suite_case] : smallest) {
    const std::string path = suite.cubin(*suite_case, GetParam()).string();
    const cubin::Bytes file = cubin::read_bytes(path);
    const whatif::KernelCode kernel = whatif::kernel_code(cubin::Image(file), path, name);
    try {
      const registers::Analysis analysis = registers::analyse(kernel.code, 0, kernel.indirect);
      registers::RecolourOptions options;
      options.file = registers::register_file(2, 1, {.fp32 = 32, .integer = 32, .half = 32, .fp64 = 32});
      options.limit = kernel.registers;
      options.candidates = 1;
      options.yields = registers::Yields::drop;
      options.search.evaluations = 3000;
      const std::vector<std::uint8_t> expected = outputs(file, suite_case->launch);
      for (const bool lower : {false, true}) {
        options.lower = lower;
        Recoloured r = registers::recolour(analysis, options);
        registers::encode_changes(kernel.code, r.code);
        ASSERT_EQ(outputs(whatif::patched(file, kernel, r.code, 0), suite_case->launch), expected)
            << name << (lower ? " with fewer registers" : "");
        changed += r.webs_moved != 0 ? 1 : 0;
      }
      ++compared;
    } catch (const registers::Refusal&) {
      ++refused;
    } catch (const emulator::Fault&) {
      ++refused;  // the emulator's refusal of the original: nothing to compare
    }
  }
  fmt::print("{}: {} kernels compared, {} changes, {} refused\n", sass::name(GetParam()), compared, changed,
             refused);
  EXPECT_GE(compared, smallest.size() * 9 / 10);
  EXPECT_GT(changed, compared / 2);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Outputs,
                         testing::Values(sass::Architecture::sm70, sass::Architecture::sm75,
                                         sass::Architecture::sm90),
                         [](const auto& one) { return std::string(sass::name(one.param)); });

}  // namespace
}  // namespace warpgauge::cli
