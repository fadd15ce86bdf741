// The program suite and the validation suite on the emulator: against the card's own results where they are
// recorded, against the same source compiled for other architectures, and on every set of host instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/emulator/launch_file.h"

namespace warpgauge::emulator::testing {
namespace {

using nlohmann::json;

std::string cubin_of(const Suite& suite, const SuiteCase& one, const std::string& sm) {
  std::string cubin = one.cubin;
  cubin.replace(cubin.find("{architecture}"), 14, sm);
  return suite.folder + "/" + cubin;
}

// Case name -> the hash of each buffer.
std::map<std::string, std::vector<std::uint64_t>> recorded(const std::string& path) {
  std::map<std::string, std::vector<std::uint64_t>> hashes;
  std::ifstream file(repository_file(path));
  if (!file) return hashes;
  const json document = json::parse(file);
  for (const json& one : document.at("cases")) {
    std::vector<std::uint64_t> buffers;
    if (!one.contains("buffer_hashes")) continue;
    for (std::size_t i = 0; i < one["buffer_hashes"].size(); ++i)
      buffers.push_back(std::stoull(one["buffer_hashes"][std::to_string(i)].get<std::string>(), nullptr, 16));
    hashes.emplace(one.at("name").get<std::string>(), std::move(buffers));
  }
  return hashes;
}

class Programs : public ::testing::TestWithParam<std::string> {
 protected:
  static const Suite& suite() {
    static const Suite suite = read_suite("tests/programs/suite.json");
    return suite;
  }
  template <class F>
  void each(F f) {
    unsigned cases = 0;
    for (const SuiteCase& one : suite().cases) {
      if (one.cubin.rfind(GetParam() + ".", 0) != 0) continue;
      ++cases;
      f(one);
    }
    EXPECT_GT(cases, 0U);
  }
};

INSTANTIATE_TEST_SUITE_P(Families, Programs,
                         ::testing::Values("algorithms", "ampere", "atomic", "control", "convert", "float32",
                                           "float64", "half", "half80", "integer", "matrix75", "memory",
                                           "special", "warp"),
                         [](const auto& test) { return test.param; });

// Tensor cores of each architecture add in a way of their own.
bool depends_on_architecture(const SuiteCase& one) {
  return one.kernel.find("mma_") != std::string::npos && one.kernel.find("_s") == std::string::npos &&
         one.kernel.find("_u8") == std::string::npos && one.kernel != "mma_b1" && one.kernel != "mma_f64_k4";
}

TEST_P(Programs, GiveTheSameBitsFromEveryArchitecturesCode) {
  each([](const SuiteCase& one) {
    std::map<std::string, std::vector<std::uint64_t>> by_architecture;
    for (const std::string sm : {"75", "80", "90"})
      if (one.minimum_architecture <= std::stoul(sm))
        by_architecture[sm] = run_launch(cubin_of(suite(), one, sm), one.launch).hashes;
    if (depends_on_architecture(one)) return;
    for (const auto& [sm, hashes] : by_architecture)
      EXPECT_EQ(hashes, by_architecture["90"]) << one.name << " of sm_" << sm;
  });
}

TEST_P(Programs, GiveTheSameBitsOnEveryHost) {
  each([](const SuiteCase& one) {
    const std::string cubin = cubin_of(suite(), one, "90");
    const LaunchResult expected = run_launch(cubin, one.launch, Mode::functional, HostLevel::baseline);
    for (const HostLevel level : {HostLevel::avx2, HostLevel::avx512})
      if (host_has(level)) {
        EXPECT_EQ(run_launch(cubin, one.launch, Mode::functional, level).hashes, expected.hashes) << one.name;
      }
  });
}

TEST_P(Programs, GiveTheSameBitsIssuedOneByOne) {
  each([](const SuiteCase& one) {
    const std::string cubin = cubin_of(suite(), one, "90");
    const LaunchResult expected = run_launch(cubin, one.launch);
    EXPECT_EQ(run_launch(cubin, one.launch, Mode::issued).hashes, expected.hashes) << one.name;
  });
}

TEST_P(Programs, GiveTheBitsOfTheCard) {
  const auto hardware = recorded("tests/programs/hardware/h200.json");
  each([&](const SuiteCase& one) {
    const auto found = hardware.find(one.name);
    const LaunchResult result = run_launch(cubin_of(suite(), one, "90"), one.launch);
    EXPECT_FALSE(result.hashes.empty());
    ASSERT_NE(found, hardware.end()) << one.name;
    if (one.result != "exact" && one.result != "tables") return;
    EXPECT_EQ(result.hashes, found->second) << one.name;
  });
}

// The smallest case of each kernel, since this must be quick.
std::vector<SuiteCase> smallest(const Suite& suite) {
  std::map<std::string, std::pair<std::uint64_t, SuiteCase>> best;
  for (const SuiteCase& one : suite.cases) {
    const json launch = json::parse(one.launch);
    std::uint64_t cost = 1000 * launch["grid"][0].get<std::uint64_t>() *
                         launch["grid"][1].get<std::uint64_t>() * launch["grid"][2].get<std::uint64_t>();
    for (const json& argument : launch["arguments"])
      if (argument.contains("buffer")) cost += argument["buffer"]["bytes"].get<std::uint64_t>();
    const auto found = best.find(one.kernel);
    if (found == best.end() || cost < found->second.first) best[one.kernel] = {cost, one};
  }
  std::vector<SuiteCase> cases;
  for (const auto& [kernel, entry] : best) cases.push_back(entry.second);
  return cases;
}

class Validation : public ::testing::TestWithParam<unsigned> {};
// Slices, so that they can run side by side.
INSTANTIATE_TEST_SUITE_P(Slices, Validation, ::testing::Range(0U, 8U));

TEST_P(Validation, ResultsAreTheCards) {
  const Suite suite = read_suite("examples/validation/suite.json");
  const auto hardware = recorded("examples/validation/hardware/h200.json");
  const std::vector<SuiteCase> cases = smallest(suite);
  ASSERT_GT(cases.size(), 100U);
  unsigned compared = 0;
  for (std::size_t i = GetParam(); i < cases.size(); i += 8) {
    const SuiteCase& one = cases[i];
    const LaunchResult result = run_launch(cubin_of(suite, one, "90"), one.launch);
    const auto found = hardware.find(one.name);
    if (found == hardware.end() || (one.result != "exact" && one.result != "tables")) continue;
    ++compared;
    EXPECT_EQ(result.hashes, found->second) << one.name;
  }
  EXPECT_GT(compared, 5U);
}

// Name of a case and by what part its number of warp instructions may differ from the card's.
struct Counted {
  const char* name;
  double tolerance;
};
class InstructionCounts : public ::testing::TestWithParam<Counted> {};
INSTANTIATE_TEST_SUITE_P(Divergence, InstructionCounts,
                         ::testing::Values(Counted{"collatz/under", 0}, Counted{"mandelbrot/under", 0},
                                           Counted{"table_probe/l1", 0}, Counted{"argmax_f32/l1", 0},
                                           Counted{"argmax_f32/l2", 0}, Counted{"pagerank_push/l2", 0},
                                           Counted{"recursive_fibonacci/under", 0},
                                           Counted{"recursive_fibonacci/more", 0},
                                           Counted{"recursive_tree/under", 0.011},
                                           Counted{"recursive_tree/more", 0.002}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

// How lanes part and meet shows in how many warp instructions the card executes.
TEST_P(InstructionCounts, AreTheCards) {
  const Suite suite = read_suite("examples/validation/suite.json");
  const auto one = std::find_if(suite.cases.begin(), suite.cases.end(),
                                [](const SuiteCase& c) { return c.name == GetParam().name; });
  ASSERT_NE(one, suite.cases.end());
  double on_card = 0;
  const json document = json::parse(std::ifstream(repository_file("examples/validation/hardware/h200.json")));
  for (const json& c : document.at("cases"))
    if (c.at("name") == GetParam().name)
      on_card = c.at("cold_counters").at("smsp__inst_executed.sum").get<double>();
  const LaunchResult result = run_launch(cubin_of(suite, *one, "90"), one->launch);
  EXPECT_NEAR(static_cast<double>(result.warp_instructions), on_card, GetParam().tolerance * on_card);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
