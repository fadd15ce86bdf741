#include "probes/sass/program.h"

#include <gtest/gtest.h>

#include <sstream>

#include "probes/sass/instruction_list.h"
#include "probes/sass/stale.h"
#include "traces/sass/assemble.h"

namespace warpgauge::probes {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Cycles from the issue of line `from` to that of line `to`, when nothing but stall counts holds the warp.
int distance(const std::vector<std::string>& lines, std::size_t from, std::size_t to) {
  int cycles = 0;
  for (std::size_t i = from; i < to; ++i) {
    const std::size_t at = lines[i].find(":S");
    if (lines[i].front() == '[') cycles += std::max(1, std::stoi(lines[i].substr(at + 2, 2)));
  }
  return cycles;
}

std::size_t line_with(const std::vector<std::string>& lines, const std::string& what, std::size_t from = 0) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (lines[i].find(what) != std::string::npos) return i;
  }
  ADD_FAILURE() << "no line with " << what;
  return lines.size();
}

TEST(ControlText, NamesEveryFieldInItsPlace) {
  Control control;
  control.stall = 4;
  EXPECT_EQ(control_text(control), "[B------:R-:W-:-:S04]");
  control = stall(15).writing(1).reading(5).waiting(0b100001);
  EXPECT_EQ(control_text(control), "[B0----5:R5:W1:Y:S15]");
}

TEST(ControlText, StallsThatNeedTheYieldBitHaveIt) {
  EXPECT_FALSE(stall(11).yield);
  EXPECT_TRUE(stall(12).yield);
}

TEST(Program, IdlesForAsManyCyclesAsItIsAsked) {
  for (int cycles = 1; cycles < 100; ++cycles) {
    Program program(90);
    program.idle(cycles);
    const auto lines = lines_of(program.text());
    EXPECT_EQ(distance(lines, 0, lines.size()), cycles);
  }
}

TEST(Program, FindsParametersWhereTheArchitecturePutsThem) {
  EXPECT_EQ(Program(90).parameter(Parameter::out), "c[0x0][0x210]");
  EXPECT_EQ(Program(90).parameter(Parameter::in, 1), "c[0x0][0x21c]");
  EXPECT_EQ(Program(70).parameter(Parameter::a), "c[0x0][0x170]");
  EXPECT_EQ(Program(75).parameter(Parameter::d), "c[0x0][0x17c]");
}

TEST(Program, WritesTheArchitecturesOwnFormOfALoad) {
  EXPECT_EQ(Program(90).load_global(128, 20, 8, 16), "LDG.E.128 R20, desc[UR4][R8.64+0x10]");
  EXPECT_EQ(Program(75).load_global(32, 20, 8), "LDG.E.SYS R20, [R8]");
}

TEST(StaleKernel, PutsProducerAndConsumerAtEveryDistanceInTurn) {
  StaleTest test;
  test.name = "t";
  test.before = {"MOV R10, RZ"};
  test.producer = "FFMA R10, R12, R13, R12";
  test.consumer = "IMAD R20, R10, R13, RZ";
  test.most = 20;
  const auto lines = lines_of(stale_kernel(90, test).text);
  std::size_t at = 0;
  for (int cycles = 1; cycles <= test.most; ++cycles) {
    const std::size_t producer = line_with(lines, test.producer, at);
    const std::size_t consumer = line_with(lines, test.consumer, producer);
    EXPECT_EQ(distance(lines, producer, consumer), cycles);
    at = consumer + 1;
  }
}

TEST(StaleKernel, WaitsForTheOldValueBeforeTheProducerIssues) {
  StaleTest test;
  test.name = "t";
  test.before = {"MOV R10, RZ"};
  test.producer = "FFMA R10, R12, R13, R12";
  test.consumer = "IMAD R20, R10, R13, RZ";
  const auto lines = lines_of(stale_kernel(90, test).text);
  const std::size_t old = line_with(lines, "MOV R10, RZ");
  EXPECT_GE(distance(lines, old, line_with(lines, test.producer, old)), 60);
}

class EveryArchitecture : public ::testing::TestWithParam<int> {};

TEST_P(EveryArchitecture, TheAssemblerReadsEveryInstructionOfTheLists) {
  const auto architecture = *sass::architecture_from_number(static_cast<unsigned>(GetParam()));
  for (const FixedInstruction& each : fixed_instructions()) {
    if (exists(each.from_sm, each.to_sm, GetParam())) {
      EXPECT_NO_THROW(sass::assemble(std::string(each.text) + " ;\n", architecture)) << each.text;
    }
  }
  for (const VariableInstruction& each : variable_instructions()) {
    if (exists(each.from_sm, each.to_sm, GetParam())) {
      EXPECT_NO_THROW(sass::assemble(std::string(each.text) + " ;\n", architecture)) << each.text;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Sm, EveryArchitecture, ::testing::Values(70, 75, 90));

}  // namespace
}  // namespace warpgauge::probes
