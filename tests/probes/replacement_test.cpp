// Replacement policies by name: what a policy did comes back as its name, from made-up accesses and from the
// model.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "calib/loader.h"
#include "probes/bench.h"
#include "probes/memory/policies.h"
#include "probes/model/model_target.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

std::vector<std::uint32_t> drawn(std::uint32_t lines, std::size_t count) {
  std::vector<std::uint32_t> result;
  std::uint64_t state = 7;
  while (result.size() < count) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    result.push_back(static_cast<std::uint32_t>((state >> 33) % lines));
  }
  return result;
}

TEST(Policies, AreToldApartByWhatHits) {
  // Of 16 ways new lines' age no longer tells: accesses to one line more differ from LRU's once in a thousand.
  for (const unsigned ways : {4U, 8U}) {
    const auto lines = drawn(ways + 1, 2048);
    for (const Policy policy : all_policies) {
      const auto found = explanation(matches(ways, lines, hits_of(policy, ways, lines, 99)));
      ASSERT_TRUE(found) << ways << " ways, " << name_of(policy);
      EXPECT_EQ(name_of(*found), name_of(policy)) << ways << " ways";
    }
  }
}

TEST(Policies, AreNotNamedWhereNoneExplainsWhatHits) {
  const auto lines = drawn(5, 1024);
  std::vector<bool> hits = hits_of(Policy::lru, 4, lines);
  for (std::size_t i = 0; i < hits.size(); i += 8) hits[i] = !hits[i];
  EXPECT_FALSE(explanation(matches(4, lines, hits)));
  // Everything hits: there was no set.
  EXPECT_FALSE(explanation(matches(4, lines, std::vector<bool>(lines.size(), true))));
}

// A line that is used again stays in LRU and not in FIFO.
TEST(Policies, DoWhatTheirNamesSay) {
  const std::vector<std::uint32_t> touched = {0, 1, 2, 3, 0, 4, 0};
  EXPECT_TRUE(hits_of(Policy::lru, 4, touched).back());
  EXPECT_FALSE(hits_of(Policy::fifo, 4, touched).back());
  // The tree points away from 0 and its neighbour, then at the other half: 2 makes way, not 1, the oldest.
  const std::vector<std::uint32_t> tree = {0, 1, 2, 3, 0, 4, 1};
  EXPECT_TRUE(hits_of(Policy::tree, 4, tree).back());
  EXPECT_FALSE(hits_of(Policy::lru, 4, tree).back());
}

const Probe& probe(std::string_view name) {
  for (const Probe* each : all_probes()) {
    if (each->name == name) return *each;
  }
  throw std::runtime_error("no probe " + std::string(name));
}

std::map<std::string, std::string> answers_of(calib::Calibration calibration, std::string_view name) {
  const auto target = open_model(std::move(calibration));
  const ProbeOutcome outcome = run_probe(*target, probe(name));
  std::map<std::string, std::string> answers;
  for (const calib::Figure& figure : outcome.result.figures) {
    if (const auto* choice = std::get_if<std::string>(&figure.value)) answers[figure.key] = *choice;
    if (const auto* number = std::get_if<double>(&figure.value))
      answers[figure.key] = std::to_string(static_cast<int>(*number));
  }
  if (answers.empty()) answers["complaint"] = outcome.complaint;
  return answers;
}

// Two hits of 0 lie between 1's coming and 2's: 2 is no older than 0, and 3 drives out the oldest, 1.
TEST(Policies, GiveNewLinesAnAge) {
  const std::vector<std::uint32_t> lines = {0, 0, 1, 2, 1, 0};
  EXPECT_EQ(hits_of(Policy::aged, 2, lines, 1, 2),
            (std::vector<bool>{false, true, false, false, false, true}));
  EXPECT_EQ(hits_of(Policy::lru, 2, lines), (std::vector<bool>{false, true, false, false, true, false}));
  const auto many = drawn(5, 2048);
  for (const unsigned age : {1U, 2U, 3U}) {
    const auto found = matches(4, many, hits_of(Policy::aged, 4, many, 1, age));
    EXPECT_EQ(found.front().policy, Policy::aged);
    EXPECT_EQ(found.front().age, age);
  }
}

calib::Calibration h200() {
  return calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/calibration.json");
}

// What goes in comes back: the policy of the tags, and their age.
TEST(ReplacementProbe, FindsThePolicyOfTheModelsTags) {
  for (const unsigned age : {0U, 2U, 3U}) {
    calib::Calibration calibration = h200();
    calibration.l1.new_line_age = age;
    const auto found = answers_of(calibration, "l1.replacement");
    EXPECT_EQ(found.at("l1.replacement"), age == 0 ? "lru" : "not_lru") << age;
    EXPECT_EQ(found.at("l1.new_line_age"), std::to_string(age));
  }
}

// Sets without tags of their own: the policy of the data.
TEST(ReplacementProbe, FindsThePolicyOfTheModelsSets) {
  for (const auto& [policy, name] :
       {std::pair(calib::Replacement::lru, "lru"), {calib::Replacement::not_lru, "not_lru"}}) {
    calib::Calibration calibration = h200();
    calibration.l1.replacement = policy;
    calibration.l1.tag_ways = 0;
    calibration.l1.sets = 256;
    EXPECT_EQ(answers_of(calibration, "l1.replacement").at("l1.replacement"), name);
  }
}

TEST(ReplacementProbe, FindsThePolicyOfTheModelsConstantCache) {
  EXPECT_EQ(answers_of(h200(), "constant.replacement").at("constant.l1_replacement"), "not_lru");
  calib::Calibration by_age = h200();
  by_age.constant.l1_replacement = calib::Replacement::lru;
  EXPECT_EQ(answers_of(by_age, "constant.replacement").at("constant.l1_replacement"), "lru");
}

}  // namespace
}  // namespace warpgauge::probes
