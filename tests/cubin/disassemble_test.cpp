#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cubin/fixtures.h"

namespace warpgauge::cubin {
namespace {

using testing::HasSubstr;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

class DisassembledModule : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Disassemble, DisassembledModule, testing::ValuesIn(modules), case_name);

TEST_P(DisassembledModule, EveryInstructionHasALineAndEveryLabelOneDefinition) {
  const Image image = data_image(GetParam());
  for (const Kernel& k : image.kernels()) {
    std::size_t instructions = 0;
    std::map<std::string, int> defined;
    std::vector<std::string> used;
    for (const std::string& line : lines(disassemble(k.code, k.architecture))) {
      if (line.starts_with(".L_")) {
        ++defined[line.substr(0, line.size() - 1)];
        continue;
      }
      ++instructions;
      if (const auto at = line.find(" .L_"); at != std::string::npos) {
        used.push_back(line.substr(at + 1, line.find(" ;", at + 1) - at - 1));
      }
    }
    EXPECT_EQ(instructions, k.code.size() / 16);
    EXPECT_FALSE(used.empty());
    for (const auto& [name, count] : defined) EXPECT_EQ(count, 1) << name;
    for (const std::string& name : used) EXPECT_TRUE(defined.contains(name)) << name;
  }
}

TEST(Disassemble, TheKernelsFactsStandInFront) {
  const Image image = data_image("module.cuda13.sm_90.cubin");
  const std::string text = disassemble(image.kernel("gather"));
  EXPECT_THAT(text, testing::StartsWith(
                        ".architecture sm_90\n.kernel gather\n.registers 20\n.shared 256\n.barriers 1\n"
                        ".max_threads 128 1 1\n.parameter 8\n.parameter 4\n.parameter 24\n.parameter 4\n"));
  EXPECT_THAT(disassemble(image.kernel("frame")), HasSubstr(".frame 64\n"));
}

TEST(Disassemble, OptionsLeavePartsOut) {
  const Image image = data_image("module.cuda13.sm_90.cubin");
  const Bytes& code = image.kernel("gather").code;
  DisassembleOptions bare;
  bare.control = bare.offsets = bare.labels = false;
  const std::string text = disassemble(code, sass::Architecture::sm90, bare);
  EXPECT_THAT(lines(text)[0], testing::MatchesRegex(R"(    LDC R1, c\[0x0\]\[0x28\] ;)"));
  EXPECT_THAT(text, testing::Not(HasSubstr(".L_")));
  DisassembleOptions all;
  all.labels = false;
  all.words = true;
  const auto low = read_at<std::uint64_t>(code, 0, "code");
  const auto high = read_at<std::uint64_t>(code, 8, "code");
  EXPECT_THAT(lines(disassemble(code, sass::Architecture::sm90, all))[0],
              HasSubstr(fmt::format("/* {:016x} {:016x} */", low, high)));
}

}  // namespace
}  // namespace warpgauge::cubin
