#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "traces/launch_fill.h"

namespace warpgauge {
namespace {

using nlohmann::json;

const std::filesystem::path kFolder = std::filesystem::path(WARPGAUGE_SOURCE_DIR) / "examples" / "validation";

const json& suite() {
  static const json parsed = [] {
    std::ifstream file(kFolder / "suite.json");
    return json::parse(file);
  }();
  return parsed;
}

std::string cubin_text(const std::string& name) {
  static std::map<std::string, std::string> read;
  std::string& text = read[name];
  if (text.empty()) {
    std::ifstream file(kFolder / "cubins" / name, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

std::string cubin_name(const json& one, int architecture) {
  std::string name = one.at("cubin");
  const std::string placeholder = "{architecture}";
  return name.replace(name.find(placeholder), placeholder.size(), std::to_string(architecture));
}

launch::Fill fill_of(const json& buffer) {
  return {buffer.at("fill"), buffer.value("seed", std::uint64_t{0}), buffer.value("min", 0.0),
          buffer.value("max", 0.0), buffer.value("step", 1.0)};
}

TEST(ValidationSuite, HoldsAtLeastSixtyKernelsEachAtTwoOrMoreSizes) {
  std::map<std::string, int> sizes;
  for (const json& one : suite().at("cases")) {
    ++sizes[one.at("kernel")];
  }
  EXPECT_GE(sizes.size(), 60U);
  for (const auto& [kernel, count] : sizes) {
    EXPECT_GE(count, 2) << kernel;
  }
}

TEST(ValidationSuite, NamesAreUniqueAndMadeOfKernelAndSize) {
  std::set<std::string> names;
  for (const json& one : suite().at("cases")) {
    const std::string name = one.at("name");
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name, one.at("kernel").get<std::string>() + "/" + one.at("size").get<std::string>());
    EXPECT_EQ(one.at("launch").at("kernel"), one.at("kernel"));
    EXPECT_EQ(one.at("launch").at("schema"), "warpgauge-launch/1");
  }
}

TEST(ValidationSuite, TheSplitFollowsBit32OfTheKernelNamesHashAndIsAboutEven) {
  std::map<std::string, std::set<std::string>> halves;
  for (const json& one : suite().at("cases")) {
    const std::string kernel = one.at("kernel");
    const bool open = (launch::fnv1a(kernel.data(), kernel.size()) >> 32) % 2 == 0;
    EXPECT_EQ(one.at("half"), open ? "open" : "held_out") << kernel;
    halves[one.at("half")].insert(kernel);
  }
  const auto open = static_cast<double>(halves["open"].size());
  const auto held_out = static_cast<double>(halves["held_out"].size());
  EXPECT_NEAR(open / (open + held_out), 0.5, 0.1);
}

TEST(ValidationSuite, EveryKernelIsInTheCubinsOfEveryArchitectureThatCanRunIt) {
  for (const json& one : suite().at("cases")) {
    for (const int architecture : {70, 75, 90}) {
      if (architecture < one.at("minimum_architecture").get<int>()) {
        continue;
      }
      const std::string name = cubin_name(one, architecture);
      const std::string section = std::string(".text.") + one.at("kernel").get<std::string>();
      EXPECT_NE(cubin_text(name).find(section + '\0'), std::string::npos)
          << name << " lacks " << one.at("kernel");
    }
  }
}

TEST(ValidationSuite, LaunchesFitACard) {
  for (const json& one : suite().at("cases")) {
    const json& launched = one.at("launch");
    const auto block = launched.at("block").get<std::vector<int>>();
    const auto grid = launched.at("grid").get<std::vector<int>>();
    ASSERT_EQ(block.size(), 3U);
    ASSERT_EQ(grid.size(), 3U);
    EXPECT_LE(block[0] * block[1] * block[2], 1024) << one.at("name");
    EXPECT_GE(std::min({block[0], block[1], block[2], grid[0], grid[1], grid[2]}), 1) << one.at("name");
    EXPECT_LE(std::max(grid[1], grid[2]), 65535) << one.at("name");
    EXPECT_LE(launched.at("dynamic_shared_bytes").get<int>(), 48 * 1024) << one.at("name");
  }
}

TEST(ValidationSuite, EveryFillIsKnownAndTakesItsBounds) {
  std::vector<unsigned char> some(4096);
  for (const json& one : suite().at("cases")) {
    for (const json& argument : one.at("launch").at("arguments")) {
      if (argument.contains("buffer")) {
        const json& buffer = argument.at("buffer");
        EXPECT_GT(buffer.at("bytes").get<std::size_t>(), 0U) << one.at("name");
        EXPECT_NO_THROW(launch::fill_buffer(some.data(), some.size(), fill_of(buffer))) << one.at("name");
      }
    }
  }
}

// The kernels that take a CSR matrix read as many column numbers as the last row offset says.
TEST(ValidationSuite, ACsrMatrixHasAsManyColumnNumbersAsItsRowsSay) {
  int matrices = 0;
  for (const json& one : suite().at("cases")) {
    const json& arguments = one.at("launch").at("arguments");
    if (arguments.empty() || !arguments[0].contains("buffer")) {
      continue;
    }
    const json& rows = arguments[0].at("buffer");
    if (!rows.at("fill").get<std::string>().starts_with("csr_row")) {
      continue;
    }
    std::vector<std::uint32_t> offsets(rows.at("bytes").get<std::size_t>() / 4);
    launch::fill_buffer(offsets.data(), offsets.size() * 4, fill_of(rows));
    EXPECT_EQ(arguments[1].at("buffer").at("bytes").get<std::size_t>(), std::size_t{4} * offsets.back())
        << one.at("name");
    ++matrices;
  }
  EXPECT_GE(matrices, 10);
}

}  // namespace
}  // namespace warpgauge
