// How far SMs are from what their cluster has in common, by the place of their TPC.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

#include "model/memory/tpc_distances.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

const std::vector<std::uint64_t> as_on_an_h200{0, 5, 9, 1, 5, 9, 10, 14, 18};

ClusterShape of_clusters(std::vector<unsigned> sms) { return {std::move(sms), 2, 3, 0}; }

// Of each TPC of one cluster beyond the nearest.
std::vector<int> by_tpc(const std::vector<int>& sms) {
  std::vector<int> tpcs;
  for (std::size_t sm = 0; sm < sms.size(); sm += 2) tpcs.push_back(sms[sm] - std::ranges::min(sms));
  return tpcs;
}

TEST(TpcDistances, TheFirstTpcOfEachCpcIsTheFarthest) {
  EXPECT_EQ(by_tpc(tpc_distances(of_clusters({16}), as_on_an_h200)), (std::vector<int>{9, 9, 14, 5, 5, 10, 0, 1}));
  EXPECT_EQ(by_tpc(tpc_distances(of_clusters({18}), as_on_an_h200)), (std::vector<int>{9, 9, 18, 5, 5, 14, 0, 1, 10}));
}

TEST(TpcDistances, LooseSmsAreOfTheLastTpcsOfTheFirstCluster) {
  ClusterShape shape = of_clusters({16});
  shape.loose_sms = 8;
  EXPECT_EQ(by_tpc(tpc_distances(shape, as_on_an_h200)), (std::vector<int>{5, 10, 0, 1, 9, 9, 14, 5}));
}

TEST(TpcDistances, BothSmsOfATpcAreAsFarAndTheMeanOfAllIsNothing) {
  const std::vector<int> sms = tpc_distances(of_clusters({16, 16, 18}), as_on_an_h200);
  ASSERT_EQ(sms.size(), 50U);
  for (std::size_t sm = 0; sm < sms.size(); sm += 2) EXPECT_EQ(sms[sm], sms[sm + 1]) << sm;
  EXPECT_NEAR(std::accumulate(sms.begin(), sms.end(), 0.0) / 50, 0, 0.5);
}

TEST(TpcDistances, WithoutDistancesAllAreAlike) {
  EXPECT_EQ(tpc_distances(of_clusters({16, 18}), {}), std::vector<int>(34, 0));
}

TEST(TpcDistances, ATpcBeyondTheKnownOnesIsAsFarAsTheLast) {
  const std::vector<int> sms = tpc_distances(of_clusters({24}), as_on_an_h200);
  EXPECT_EQ(by_tpc(sms), (std::vector<int>{9, 9, 18, 9, 9, 18, 5, 5, 14, 0, 1, 10}));
}

// Groups of three lines of straight code, by TPC, on two cards.
TEST(TpcDistances, AreThoseOfMostClustersOfTwoH200s) {
  const nlohmann::json rows = by_hand("distances_of_tpcs")["rows"];
  const std::vector<int> model = device_spec("h200").memory.crossbar.distances;
  std::map<std::pair<int, int>, std::vector<double>> clusters;  // of a card, each TPC's in the order of their turns
  for (const auto& row : rows) {
    std::vector<double>& turns = clusters[{row[0], row[1]}];
    turns.resize(std::max<std::size_t>(turns.size(), row[2].get<std::size_t>() + 1));
    turns[row[2].get<std::size_t>()] = row[4];
  }
  ASSERT_EQ(clusters.size(), 16U);
  unsigned alike = 0;
  double sum = 0;
  for (const auto& [cluster, turns] : clusters) {
    const auto tpcs = static_cast<unsigned>(turns.size());
    const std::vector<int> expected = by_tpc(tpc_distances(of_clusters({2 * tpcs}), as_on_an_h200));
    bool same = true;
    for (unsigned tpc = 0; tpc < tpcs; ++tpc) {
      const double beyond = turns[tpc] - 48.06;  // the nearest of all
      same = same && beyond == expected[tpc];
      sum += std::abs(beyond - expected[tpc]);
    }
    alike += same ? 1 : 0;
  }
  EXPECT_GE(alike, 13U);
  EXPECT_LT(sum / 132, 0.4) << "cycles, in the mean of all TPCs";
  EXPECT_EQ(std::ranges::max(model) - std::ranges::min(model), 18);
}

}  // namespace
}  // namespace warpgauge::model::test
