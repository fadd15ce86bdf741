#include "cli/validate/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpgauge::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Validation validation(const std::vector<std::pair<std::string, double>>& errors) {
  Validation v;
  for (const auto& [name, error] : errors) {
    Comparison c;
    c.name = name;
    c.measured = 10000;
    c.predicted = 10000 * (1 + error);
    c.counters["smsp__inst_executed.sum"] = {500, 500, std::nullopt};
    v.comparisons.push_back(c);
  }
  return v;
}

TEST(Budget, AllowsWhatItWasMadeFromAndALittleMore) {
  const Budget budget = make_budget(validation({{"a", 0.1}, {"b", -0.2}}));
  EXPECT_THAT(over_budget(budget, validation({{"a", 0.1}, {"b", -0.2}})), IsEmpty());
  EXPECT_THAT(over_budget(budget, validation({{"a", 0.104}, {"b", -0.2}})), IsEmpty());
  EXPECT_THAT(over_budget(budget, validation({{"a", 0}, {"b", 0}})), IsEmpty());
}

TEST(Budget, NamesTheCaseWhoseErrorHasGrown) {
  const Budget budget = make_budget(validation({{"a", 0.1}, {"b", -0.2}, {"c", 0.3}}));
  // The mean has become better all the same.
  EXPECT_THAT(over_budget(budget, validation({{"a", -0.14}, {"b", 0}, {"c", 0.1}})),
              ElementsAre(HasSubstr("a: -14.00 %")));
}

TEST(Budget, SeesTheMeanGrowWhereNoCaseDoesByMuch) {
  const Budget budget = make_budget(validation({{"a", 0.1}, {"b", -0.1}}));
  EXPECT_THAT(over_budget(budget, validation({{"a", 0.11}, {"b", -0.11}})),
              ElementsAre(HasSubstr("mean error")));
}

TEST(Budget, SeesThe90thPercentileGrow) {
  std::vector<std::pair<std::string, double>> errors(20, {"", 0});
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = {std::to_string(i), 0.1};
  const Budget budget = make_budget(validation(errors));
  for (std::size_t i = 0; i < 4; ++i) errors[i].second = 0.12;
  for (std::size_t i = 4; i < 9; ++i) errors[i].second = 0.05;
  EXPECT_THAT(over_budget(budget, validation(errors)), ElementsAre(HasSubstr("90th percentile")));
}

TEST(Budget, CasesThatFailAreMissingOrNewAreSaid) {
  const Budget budget = make_budget(validation({{"a", 0.1}, {"b", 0.1}}));
  Validation now = validation({{"a", 0.1}, {"c", 0.1}});
  now.comparisons[0].failure = "cannot be read";
  EXPECT_THAT(over_budget(budget, now), ElementsAre("a: cannot be read", HasSubstr("b: in the budget"),
                                                    HasSubstr("c: not in the budget")));
}

TEST(Budget, CountsOfInstructionsAreHeldClosely) {
  const Budget budget = make_budget(validation({{"a", 0.1}}));
  Validation now = validation({{"a", 0.1}});
  now.comparisons[0].counters["smsp__inst_executed.sum"].predicted = 501;
  EXPECT_THAT(over_budget(budget, now), ElementsAre(HasSubstr("a, instructions")));
}

}  // namespace
}  // namespace warpgauge::cli
