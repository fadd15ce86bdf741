#include <gmock/gmock.h>

#include "calib/check.h"
#include "calib/loader.h"
#include "tests/calib/support.h"

namespace warpgauge::calib {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Set, ChangesOneValueAndSaysThatTheUserDid) {
  Calibration c = sound();
  set(c, "l1.line=64");
  EXPECT_EQ(c.l1.line, 64U);
  EXPECT_EQ(c.provenance.at("l1.line").source, Source::assumed);
  EXPECT_EQ(c.provenance.at("l1.line").reference, "set by the user");
  const std::vector<Difference> changed = diff(sound(), c);
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed[0].key, "l1.line");
}

TEST(Set, OfTheL1sSizeMovesTheDataCacheAndLeavesSharedMemory) {
  Calibration c = sound();
  set(c, "l1.size_kib=384");
  EXPECT_NO_THROW(check(c, "here"));
  EXPECT_EQ(c.l1.max_data_bytes, sound().l1.max_data_bytes + 256 * 1024);
  for (std::size_t i = 0; i < c.l1.detected_sizes.size(); ++i)
    EXPECT_EQ(c.l1.detected_sizes[i], sound().l1.detected_sizes[i] + 256 * 1024);
  EXPECT_EQ(c.chip.shared_carveouts, sound().chip.shared_carveouts);
  EXPECT_THAT(c.provenance.at("l1.detected_sizes").reference, HasSubstr("follows l1.size"));
  set(c, "l1.size_kib=1");
  EXPECT_EQ(c.l1.detected_sizes.back(), 0U);
  set(c, "l1.size_kib=128");
  EXPECT_EQ(c.l1.size, sound().l1.size);
}

TEST(Set, OfTheL2sSizeKeepsTheShareThatOneSmSees) {
  Calibration c = sound();
  set(c, "l2.size_mib=3");
  EXPECT_NO_THROW(check(c, "here"));
  EXPECT_EQ(c.l2.effective_size * 2, sound().l2.effective_size);
}

TEST(Set, OfTheNumberOfSmsDealsThemOutToTheClusters) {
  Calibration c = sound();
  set(c, "chip.sm_count=67");
  EXPECT_NO_THROW(check(c, "here"));
  EXPECT_EQ(c.chip.gpc_sms, (List{11, 11, 11, 11, 11, 12}));
}

TEST(Set, TakesUnitsByTheirSuffix) {
  Calibration c = sound();
  set(c, "l1.size_kib=64");
  EXPECT_EQ(c.l1.size, 64U * 1024);
  set(c, "l2.size_mib=5");
  EXPECT_EQ(c.l2.size, 5U * 1024 * 1024);
  set(c, "dram.size_gib=32");
  EXPECT_EQ(c.dram.size, std::uint64_t{32} << 30);
  set(c, "l1.size_kib=0.5");
  EXPECT_EQ(c.l1.size, 512U);
  set(c, "clocks.sm_ghz=1.5");
  EXPECT_EQ(c.clocks.sm, 1500);
  set(c, "launch.host_launch_us=3");
  EXPECT_EQ(c.launch.host_launch, 3000);
  set(c, "dram.peak_bandwidth_tb_per_s=4.8");
  EXPECT_EQ(c.dram.peak_bandwidth, 4800);
  set(c, "chip.shared_carveouts_kib=0,8,228");
  EXPECT_EQ(c.chip.shared_carveouts, (List{0, 8192, 228 * 1024}));
}

TEST(Set, TakesFlagsChoicesAndLists) {
  Calibration c = sound();
  set(c, "issue.policy=greedy_then_oldest");
  EXPECT_EQ(c.issue.policy, IssuePolicy::greedy_then_oldest);
  set(c, "front_end.flushed_at_launch=false");
  EXPECT_FALSE(c.front_end.flushed_at_launch);
  set(c, "chip.gpc_sms=100,32");
  EXPECT_EQ(c.chip.gpc_sms, (List{100, 32}));
  set(c, "issue.barrier_per_warp=1.25");
  EXPECT_EQ(c.issue.barrier_per_warp, 1.25);
}

TEST(SetRefuses, WhatIsNotAnAssignment) {
  Calibration c = sound();
  EXPECT_THAT(refusal([&] { set(c, "l1.size"); }), HasSubstr("expected KEY=VALUE"));
  EXPECT_THAT(refusal([&] { set(c, "=5"); }), HasSubstr("expected KEY=VALUE"));
  EXPECT_EQ(c, sound());
}

TEST(SetRefuses, AnUnknownKeyAndNamesTheNearest) {
  Calibration c = sound();
  EXPECT_THAT(refusal([&] { set(c, "l1.sise=5"); }), AllOf(HasSubstr("l1.sise"), HasSubstr("l1.size")));
  EXPECT_EQ(c, sound());
}

TEST(SetRefuses, ASuffixOfAnotherUnit) {
  Calibration c = sound();
  EXPECT_THAT(refusal([&] { set(c, "l1.hit_latency_kib=5"); }), HasSubstr("unknown key"));
  EXPECT_THAT(refusal([&] { set(c, "l1.size_ghz=5"); }), HasSubstr("unknown key"));
}

TEST(SetRefuses, AValueOfTheWrongTypeAndNamesTheKey) {
  Calibration c = sound();
  EXPECT_THAT(refusal([&] { set(c, "l1.hit_latency=fast"); }),
              AllOf(HasSubstr("l1.hit_latency"), HasSubstr("fast")));
  EXPECT_THAT(refusal([&] { set(c, "l1.hit_latency=-3"); }), HasSubstr("whole number"));
  EXPECT_THAT(refusal([&] { set(c, "l1.hit_latency=3.5"); }), HasSubstr("whole number"));
  EXPECT_THAT(refusal([&] { set(c, "l1.hit_latency=99999999999"); }), HasSubstr("too large"));
  EXPECT_THAT(refusal([&] { set(c, "l1.hit_latency="); }), HasSubstr("whole number"));
  EXPECT_THAT(refusal([&] { set(c, "clocks.sm=inf"); }), HasSubstr("finite"));
  EXPECT_THAT(refusal([&] { set(c, "issue.policy=random"); }), HasSubstr("greedy_then_youngest"));
  EXPECT_THAT(refusal([&] { set(c, "uniform.present=yes"); }), HasSubstr("true or false"));
  EXPECT_THAT(refusal([&] { set(c, "chip.gpc_sms=1,,2"); }), HasSubstr("whole number"));
  EXPECT_THAT(refusal([&] { set(c, "chip.gpc_sms=1,"); }), HasSubstr("comma"));
  EXPECT_THAT(refusal([&] { set(c, "l1.size_kib=-1"); }), HasSubstr("l1.size_kib"));
  EXPECT_EQ(c, sound());
}

TEST(Get, GivesWhatSetTakes) {
  EXPECT_EQ(get(sound(), "issue.policy"), "greedy_then_youngest");
  EXPECT_EQ(get(sound(), "constant.l15_is_instruction_cache"), "true");
  EXPECT_EQ(get(sound(), "atomics.contention"), "1,2,4,8,16,32");
  EXPECT_THAT(refusal([] { (void)get(sound(), "l1.colour"); }), HasSubstr("unknown key l1.colour"));
}

TEST(Diff, IsEmptyForACalibrationAndItself) {
  EXPECT_TRUE(diff(sound(), sound()).empty());
}

TEST(Diff, GivesBothValuesAndTheirRatioInTheOrderOfTheKeys) {
  Calibration c = sound();
  set(c, "dram.latency=1360");
  set(c, "chip.max_warps_per_sm=32");
  set(c, "issue.policy=greedy_then_oldest");
  const std::vector<Difference> changed = diff(sound(), c);
  ASSERT_EQ(changed.size(), 3U);
  EXPECT_EQ(changed[0].key, "chip.max_warps_per_sm");
  EXPECT_EQ(changed[0].left, "64");
  EXPECT_EQ(changed[0].right, "32");
  EXPECT_DOUBLE_EQ(changed[0].ratio, 0.5);
  EXPECT_EQ(changed[1].key, "issue.policy");
  EXPECT_EQ(changed[1].ratio, 0);
  EXPECT_EQ(changed[2].key, "dram.latency");
}

TEST(Hash, ChangesWithEveryKeyAndWithNothingElse) {
  const std::string before = hash(sound());
  EXPECT_EQ(before.size(), 16U);
  Calibration c = sound();
  c.provenance.at("l1.size").reference = "another paper";
  EXPECT_EQ(hash(c), before);
  set(c, "latency.opcode.VOTEU=3");
  EXPECT_NE(hash(c), before);
  Calibration renamed = sound();
  renamed.id += "x";
  EXPECT_NE(hash(renamed), before);
}

TEST(NearestKey, ForgivesASlip) {
  EXPECT_EQ(nearest_key("l1.hitlatency"), "l1.hit_latency");
  EXPECT_EQ(nearest_key("dram.chanels"), "dram.channels");
}

}  // namespace
}  // namespace warpgauge::calib
