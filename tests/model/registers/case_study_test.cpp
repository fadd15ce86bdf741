// The Volta report's opening case on the model of a V100.
#include <gtest/gtest.h>

#include "model/registers/checker.h"
#include "model/registers/recolour.h"
#include "tests/model/fake_stream.h"
#include "tests/model/model_fixture.h"
#include "tests/model/registers/case_study.h"
#include "tests/model/registers/kit.h"

namespace warpgauge::registers {
namespace {

using model::test::FakeOp;

// Cycles of the loop's 64 FFMAs in the steady state: one warp on each scheduler, as with the paper's 128
// threads.
double cycles_of_step(const std::vector<sass::Instruction>& code, bool t = false) {
  std::vector<FakeOp> body;
  for (const sass::Instruction& i : code)
    if (i.opcode == sass::Opcode::FFMA) {
      body.push_back({});
      body.back().instruction = i;
      body.back().instruction.control.wait_mask = 0;
    }
  auto spec = model::test::one_sm("v100");
  if (t) { spec.sm.registers.read_window = 2; spec.sm.issue.yield_cost = 2; }
  return 64 * model::test::cycles_each(spec, body, 4);
}

Recoloured recoloured(const Analysis& analysis, Change change) {
  RecolourOptions options;
  options.file = kit::two_cycles();
  options.change = change;
  options.yields = change == Change::banks ? Yields::keep : Yields::drop;
  options.limit = registers_used(analysis);
  return recolour(analysis, options);
}

TEST(CaseStudy, TheToolFindsAnAssignmentWithoutConflictsByItself) {
  const auto code = kit::case_study("compiler");
  const Analysis analysis = kit::analyse(code);
  const Recoloured result = recoloured(analysis, Change::both);
  EXPECT_GT(result.before.conflicting, 0U);
  EXPECT_EQ(result.after.conflicting, 0U);
  CheckOptions check_options;
  check_options.limit = registers_used(analysis);
  EXPECT_TRUE(check(code, result.code, check_options).empty());
}

TEST(CaseStudy, PrintsTheFigures) {
  const auto code = kit::case_study("compiler");
  const Analysis analysis = kit::analyse(code);
  std::printf("w2 compiler %f improved %f banks %f both %f\n", cycles_of_step(code, true),
              cycles_of_step(kit::case_study("improved"), true),
              cycles_of_step(recoloured(analysis, Change::banks).code, true),
              cycles_of_step(recoloured(analysis, Change::both).code, true));
  std::printf("compiler %f improved %f banks %f both %f\n", cycles_of_step(code),
              cycles_of_step(kit::case_study("improved")),
              cycles_of_step(recoloured(analysis, Change::banks).code),
              cycles_of_step(recoloured(analysis, Change::both).code));
}

}  // namespace
}  // namespace warpgauge::registers
