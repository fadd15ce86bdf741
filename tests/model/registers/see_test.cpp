#include "model/registers/see.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/registers/recolour.h"
#include "tests/model/registers/case_study.h"
#include "tests/model/registers/kit.h"

namespace warpgauge::registers {
namespace {

using namespace kit;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(See, TheListingMarksWhatLosesCycles) {
  const auto code = assemble({mov(0, 1), ffma(6, 0, 2, 4), ffma(6, 0, 2, 5), stg(rz, 6), exit()});
  const Analysis a = analyse(code);
  const RegisterFile file = two_cycles();
  const std::string text = listing(code, a, conflicts(code, a.flow, a.accesses, file), file);
  EXPECT_EQ(count(text, "\n!"), 1U) << text;
  EXPECT_THAT(text, HasSubstr("!  0x0010         1    3  3  .    .    1 FFMA R6, R0, R2, R4\n"));
}

TEST(See, TheListingShowsWhatTheModelSaw) {
  const auto code = assemble({ffma(6, 0, 2, 4), exit()});
  const Analysis a = analyse(code);
  const RegisterFile file = two_cycles();
  const Executions ran{{1234, 99}, {77, 0}};
  const std::string text = listing(code, a, conflicts(code, a.flow, a.accesses, file), file, ran);
  EXPECT_THAT(text, HasSubstr("1234"));
  EXPECT_THAT(text, HasSubstr("       77 FFMA"));
}

TEST(See, TheTileOfTheCaseStudyIsTheTableOfFigure11) {
  const auto code = case_study("compiler");
  const Analysis a = analyse(code);
  const RegisterFile file = two_cycles();
  const ConflictReport before = conflicts(code, a.flow, a.accesses, file);
  RecolourOptions options;
  options.file = file;
  options.change = Change::banks;
  options.limit = registers_used(a);
  const Recoloured r = recolour(a, options);
  const TitledCode codes[] = {{"compiler", code, &before}, {"recoloured", r.code, &r.after}};
  const std::string svg = tile_svg(codes, a, file);
  EXPECT_THAT(svg, StartsWith("<svg"));
  EXPECT_EQ(count(svg, "text-anchor=\"middle\""), 2U * (8 + 8 + 64));
  EXPECT_EQ(count(svg, "stroke-width=\"4\""), 8U) << "the compiler's conflicts; afterwards none";
  EXPECT_THAT(svg, HasSubstr(">80</text>"));
}

TEST(See, CodeWithoutAnOuterProductHasNoTile) {
  const auto code = assemble({ffma(6, 0, 2, 4), exit()});
  const Analysis a = analyse(code);
  const ConflictReport report = conflicts(code, a.flow, a.accesses, two_cycles());
  const TitledCode codes[] = {{"", code, &report}};
  EXPECT_EQ(tile_svg(codes, a, two_cycles()), "");
}

TEST(See, TheRegisterMapHasAColumnForEachInstructionOfTheHottestBlock) {
  const auto code = case_study("compiler");
  const Analysis a = analyse(code);
  const RegisterFile file = two_cycles();
  const ConflictReport report = conflicts(code, a.flow, a.accesses, file);
  const Range range = hottest_range(a, report);
  EXPECT_EQ(range.end - range.first, 69U);
  const std::string svg = register_map_svg(code, a, report, file, range, "a < b");
  EXPECT_EQ(count(svg, "<title>"), 69U);
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
  EXPECT_THAT(svg, Not(HasSubstr("a < b")));
}

}  // namespace
}  // namespace warpgauge::registers
