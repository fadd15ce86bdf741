// The packed cubins of the probes' kernels: of these sources, for every architecture, and whole.
#include "probes/kernels/embedded.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "probes/sha256.h"
#include "traces/cubin/elf.h"

namespace warpgauge::probes {
namespace {

namespace fs = std::filesystem;

fs::path kernels() {
  return fs::path(WARPGAUGE_SOURCE_DIR) / "probes" / "kernels";
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_TRUE(stream.good()) << file;
  return text.str();
}

// "HASH  NAME.cubin.zst" of every cubin that kernels/compile makes of the sources as they are.
std::set<std::string> rows_of_the_sources() {
  std::set<std::string> rows;
  for (const auto& entry : fs::directory_iterator(kernels())) {
    if (entry.path().extension() != ".cu") continue;
    Sha256 hash;
    for (const fs::path& part : {kernels() / "common.cuh", entry.path()}) {
      const std::string text = text_of(part);
      hash.add(std::as_bytes(std::span(text.data(), text.size())));
    }
    const std::string name = entry.path().stem().string(), digits = hash.hex();
    for (const std::string& made :
         name == "ptx" ? std::set<std::string>{"ptx_o0", "ptx_o3"} : std::set<std::string>{name})
      rows.insert(digits + "  " + made + ".cubin.zst");
  }
  return rows;
}

class PackedKernels : public ::testing::TestWithParam<int> {};

// Fails when a source was changed and kernels/compile was not run.
TEST_P(PackedKernels, AreOfTheSourcesAsTheyAre) {
  const fs::path folder = kernels() / ("sm_" + std::to_string(GetParam()));
  std::ifstream stream(folder / "sources.sha256");
  std::set<std::string> rows;
  for (std::string row; std::getline(stream, row);) {
    rows.insert(row);
    EXPECT_TRUE(fs::exists(folder / row.substr(66))) << row;
  }
  EXPECT_EQ(rows, rows_of_the_sources());
}

TEST_P(PackedKernels, UnpackToCubinsOfTheirArchitecture) {
  for (const std::string& row : rows_of_the_sources()) {
    const std::string name = row.substr(66, row.size() - 66 - std::string(".cubin.zst").size());
    ASSERT_TRUE(has_embedded_cubin(name, GetParam())) << name;
    const std::vector<std::byte> bytes = embedded_cubin(name, GetParam());
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const cubin::ElfFile elf(cubin::Bytes(first, first + bytes.size()));
    bool has_code = false;
    for (const cubin::Section& section : elf.sections()) has_code |= section.name.starts_with(".text.");
    EXPECT_EQ(has_code, name != "async" || GetParam() >= 80) << name;
  }
}
INSTANTIATE_TEST_SUITE_P(Architectures, PackedKernels, ::testing::Values(70, 75, 90));

TEST(EmbeddedCubins, AreNoneOfWhatNobodyCompiled) {
  EXPECT_FALSE(has_embedded_cubin("chase", 52));
  EXPECT_TRUE(embedded_cubin("chase", 52).empty());
  EXPECT_FALSE(has_embedded_cubin("no such kernels", 90));
}

}  // namespace
}  // namespace warpgauge::probes
