// From samples to figures, on samples that were made up: every probe that concludes something is asked about a curve whose
// answer is known.
#include <gtest/gtest.h>

#include <algorithm>

#include "probes/run.h"
#include "probes/sass/stale.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

const Probe& probe(std::string_view name) {
  for (const Probe* each : all_probes()) {
    if (each->name == name) return *each;
  }
  throw std::runtime_error("no probe " + std::string(name));
}

double value(const Findings& findings, const std::string& key) {
  for (const calib::Figure& figure : findings.result.figures) {
    if (figure.key == key) return std::get<double>(figure.value);
  }
  ADD_FAILURE() << "no figure " << key;
  return -1;
}

bool has(const Findings& findings, const std::string& key) {
  for (const calib::Figure& figure : findings.result.figures) {
    if (figure.key == key) return true;
  }
  return false;
}

TargetFacts h200() {
  TargetFacts facts;
  facts.sm = 90;
  facts.sm_count = 4;
  facts.l2_bytes = 50 << 20;
  facts.clock_mhz = 1980;
  facts.memory_clock_mhz = 3200;
  facts.attributes["cu_device_attribute_37"] = 6144;
  return facts;
}

TEST(Series, ASlopeIsTheChangeBetweenTheEnds) {
  Findings findings;
  for (const double x : {16.0, 48.0}) findings.sample("s", "n", "cycles", x, 10 + 2 * x);
  EXPECT_DOUBLE_EQ(slope(findings.at("s")), 2);
}

TEST(Series, ASampleThatIsNoNumberIsRefused) {
  Findings findings;
  EXPECT_THROW(findings.sample("s", "n", "cycles", 1, 0.0 / 0.0), ProbeRefusal);
}

TEST(LeastDistance, IsWhereTheNewValueIsReadForGood) {
  Findings findings;
  for (int d = 0; d <= 24; ++d) findings.sample(stale_series("t"), "cycles", "flag", d, d >= 5 || d == 2 ? 1 : 0);
  EXPECT_EQ(least_distance(findings, "t"), 5);
}

TEST(LeastDistance, OfOneIsNoLatencySinceTheHardwareHeldTheConsumerBack) {
  Findings one, two;
  for (int d = 0; d <= 24; ++d) one.sample(stale_series("t"), "cycles", "flag", d, d >= 1 ? 1 : 0);
  for (int d = 0; d <= 24; ++d) two.sample(stale_series("t"), "cycles", "flag", d, d >= 2 ? 1 : 0);
  EXPECT_FALSE(least_distance(one, "t"));
  EXPECT_EQ(least_distance(two, "t"), 2);
}

TEST(LeastDistance, IsUnknownWhenTheConsumerCannotTell) {
  Findings always, never;
  for (int d = 0; d <= 24; ++d) always.sample(stale_series("t"), "cycles", "flag", d, 1);
  for (int d = 0; d <= 24; ++d) never.sample(stale_series("t"), "cycles", "flag", d, d == 24 ? 1 : 0);
  EXPECT_FALSE(least_distance(always, "t"));
  EXPECT_FALSE(least_distance(never, "t"));
}

TEST(FootprintProbe, FindsTheEndOfTheL2AndTheLatencyBehindIt) {
  Findings findings;
  for (double bytes = 2048; bytes <= 2.2e9; bytes *= 1.25) {
    const double cycles = bytes <= 30e6 ? 260 : 600;
    if (bytes <= 64 << 20) findings.sample("latency past L1 against footprint", "bytes", "cycles", bytes, cycles);
    findings.sample("latency against footprint", "bytes", "cycles", bytes, bytes < 200e3 ? 33 : cycles);
  }
  for (int sm = 0; sm < 4; ++sm) findings.sample("latency of lines in memory, by SM", "SM", "cycles", sm, 600);
  // The first sets overflow at 28 MiB, the last at 36: 32 lies between.
  for (double size = 22; size <= 60; ++size)
    findings.sample("latency past L1 where the L2 ends", "bytes", "cycles", size * 1048576,
                    260 + 240 * std::clamp((size - 28) / 8, 0.0, 1.0));
  probe("memory.footprints").conclude(h200(), findings);
  EXPECT_NEAR(value(findings, "l2.effective_size"), 32 * 1048576, static_cast<double>(h200().l2_bytes) / 60);
  EXPECT_DOUBLE_EQ(value(findings, "dram.latency"), 600);
}

TEST(MapProbe, TellsNearFromFar) {
  Findings findings;
  for (int line = 0; line < 16; ++line) {
    findings.sample("L2 latency of the nearer SMs, by line", "line", "cycles", line, 250 + line % 2);
    findings.sample("L2 latency of the farther SMs, by line", "line", "cycles", line, 290 + line % 2);
  }
  probe("l2.map").conclude(h200(), findings);
  EXPECT_NEAR(value(findings, "l2.hit_latency"), 250, 1);
  EXPECT_NEAR(value(findings, "l2.far_extra"), 40, 1);
}

TEST(TlbProbe, ReadsCoverageAndCostFromTheSteps) {
  Findings findings;
  for (int pages = 1; pages <= 4096; pages *= 2) {
    for (const int part : {4, 5, 6, 7}) {
      const double n = pages * part / 4.0;
      findings.sample("latency against pages of 2 MiB", "pages", "cycles", n, n <= 16 ? 300 : n <= 1024 ? 420 : 900);
    }
  }
  probe("tlb.pages").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "tlb.l1.coverage"), 16.0 * (2 << 20));
  EXPECT_DOUBLE_EQ(value(findings, "tlb.l1.miss_extra"), 120);
  EXPECT_DOUBLE_EQ(value(findings, "tlb.l2.miss_extra"), 480);
}

// 2,048 entries of 32 MiB: what lies 32 MiB apart misses beyond 64 GiB, what lies nearer finds its neighbours' entries.
TEST(TlbProbe, ReadsTheLastLevelFromWhatLiesBeyondIt) {
  Findings findings;
  for (int pages = 1; pages <= 3072; pages *= 2) {
    for (const int part : {4, 5, 6, 7}) {
      const double n = pages * part / 4.0;
      findings.sample("latency against pages of 2 MiB", "pages", "cycles", n * 16, 290);
      if (n <= 3072) findings.sample("latency against pages of 32 MiB", "pages", "cycles", n, n <= 2048 ? 291 : 385);
    }
  }
  for (const int distance : {2, 4, 8, 16, 32}) {
    findings.sample("latency beyond the last level of the TLB, by distance", "MiB", "cycles", distance, distance == 32 ? 385 : 324 + distance);
    findings.sample("latency within it, by distance", "MiB", "cycles", distance, 291);
  }
  probe("tlb.pages").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "tlb.l1.coverage"), 64.0 * (1ULL << 30));
  EXPECT_DOUBLE_EQ(value(findings, "tlb.l1.page"), 32 << 20);
  EXPECT_DOUBLE_EQ(value(findings, "tlb.l1.miss_extra"), 94);
  EXPECT_DOUBLE_EQ(value(findings, "tlb.l2.coverage"), 96.0 * (1ULL << 30));
}

// Each SM's own cost of a miss, where a card was asked SM by SM, and not the one block's anywhere.
TEST(TlbProbe, TakesTheMiddleOfTheSmsForAMissOfTheLastLevel) {
  Findings findings;
  for (int pages = 1; pages <= 3072; pages *= 2) {
    findings.sample("latency against pages of 2 MiB", "pages", "cycles", pages * 16, 290);
    findings.sample("latency against pages of 32 MiB", "pages", "cycles", pages, pages <= 2048 ? 291 : 385);
  }
  for (const int distance : {2, 32}) {
    findings.sample("latency beyond the last level of the TLB, by distance", "MiB", "cycles", distance, distance == 32 ? 385 : 326);
    findings.sample("latency within it, by distance", "MiB", "cycles", distance, 291);
  }
  for (int sm = 0; sm < 20; ++sm) findings.sample("cycles that a miss of the last level of the TLB adds, by SM", "SM", "cycles", sm, sm == 3 ? 500 : 95 + sm % 2);
  probe("tlb.pages").conclude(h200(), findings);
  EXPECT_NEAR(value(findings, "tlb.l1.miss_extra"), 95.5, 0.2);
}

// Every second SM gets six lines a wait; what it waits for beyond three is not a wait of three.
TEST(TimelineProbe, LeavesOutSmsThatGetMoreLinesAWait) {
  const auto latency = [](int more_lines_every) {
    Findings findings;
    double at = 0;
    for (int stamp = -1; stamp < 60; ++stamp) {
      findings.sample("each 128 bytes, first launch", "stamp", "cycles", stamp, at);
      at += stamp % 3 == 0 ? 36 : 8;
    }
    for (int sm = 0; sm < 40; ++sm) {
      const bool more = sm % more_lines_every == more_lines_every - 1;
      findings.sample("lines from one wait of straight code to the next, by SM", "SM", "lines", sm, more ? 5.96 : 3);
      findings.sample("cycles of a wait of straight code and the lines that it brings, by SM", "SM", "cycles", sm, more ? 56.8 : 55.2);
    }
    for (const int lines : {2, 4}) {
      for (int stamp = -1; stamp < lines; ++stamp)
        findings.sample(std::to_string(lines) + " of every 64th, third pass", "stamp", "cycles", stamp, 20 * stamp);
    }
    for (const int lines : {8, 12, 16, 24, 32, 48}) {
      for (int stamp = -1; stamp < lines; ++stamp)
        findings.sample(std::to_string(lines) + " of every 64th, third pass", "stamp", "cycles", stamp, 60 * stamp);
    }
    for (int stamp = -1; stamp < 160; ++stamp)
      findings.sample("every 33rd 128 bytes, second launch", "stamp", "cycles", stamp, 20 * stamp);
    probe("fetch.timeline").conclude(h200(), findings);
    return value(findings, "front_end.l1_latency");
  };
  EXPECT_EQ(latency(2), 55);
  EXPECT_EQ(latency(1), 57);  // no SM gets three
}

TEST(QueueProbe, CountsWhatIssuesBeforeThePipeTakesItsTime) {
  Findings findings;
  constexpr double mufu[] = {4, 5, 6, 18, 26, 34, 42, 50, 58};  // as an H200 answers
  constexpr const char* pipes[] = {"imad", "imad_wide", "alu", "fp16", "fp64", "xu", "bits", "conversion", "conversion_wide", "conversion_narrow", "vote",
                                   "clock", "predicate", "uniform", "uniform_move", "matrix_half", "matrix_int", "matrix_double"};
  for (const char* pipe : pipes) {
    for (int n = 0; n <= 8; ++n) {
      findings.sample(std::string("issue of a row on ") + pipe, "instructions", "cycles", n, std::string(pipe) == "xu" ? mufu[n] : 4 + 2 * n);
    }
  }
  probe("pipes.queues").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "pipes.xu.queue_entries"), 1);
  EXPECT_DOUBLE_EQ(value(findings, "pipes.alu.queue_entries"), 0);
}

TEST(LinesProbe, FindsWhereLinesOfCodeBeginAndWhetherALaunchKeepsThem) {
  Findings findings;
  for (int place = 0; place < 640; place += 16) {
    findings.sample("to code and to the instruction before it", "bytes", "cycles", place, place % 128 == 0 ? 154 : place == 48 ? 56 : 115);
    findings.sample("to code and to the instruction before it, second launch", "bytes", "cycles", place, 62);
  }
  probe("fetch.lines").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "front_end.l0_line"), 128);
}

TEST(LinesProbe, FindsWhatALoadOfConstantsBrings) {
  Findings findings;
  for (int distance = 16; distance <= 1024; distance += 16) {
    findings.sample("latency of a first load of constants", "bytes", "cycles", distance, 310 + distance % 7);
    findings.sample("latency of a second load of constants, by its distance", "bytes", "cycles", distance, distance < 64 ? 28 : distance < 256 ? 100 : 305);
  }
  probe("constant.lines").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "constant.l1_line"), 64);
  EXPECT_DOUBLE_EQ(value(findings, "constant.l15_line"), 256);
  // A card's SMs are asked one by one: their middle is the figure.
  for (int sm = 0; sm < 20; ++sm) findings.sample("latency of a first load of constants, by SM", "SM", "cycles", sm, 310 + sm);
  findings.result.figures.clear();
  probe("constant.lines").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "constant.l2_latency"), 319.5);
}

TEST(DramProbe, GivesSharesOfThePeakOfBlocksThatAreDealtOut) {
  Findings findings;
  const std::string label = "DRAM by the share of reads, blocks dealt out, by events";
  for (const auto& [reads, rate] : {std::pair{0.0, 4250.0}, {0.125, 3600.0}, {0.5, 3900.0}, {0.875, 4100.0}, {0.96875, 4050.0}, {1.0, 4300.0}}) {
    findings.sample(label, "share", "GB/s", reads, rate);
  }
  // Blocks that share the work evenly reach less: the first is not the last.
  findings.sample("DRAM against the share of reads, by the timer", "share", "GB/s", 1, 4100);
  probe("dram.bandwidth").conclude(h200(), findings);
  const double peak = 3200 * 2 * 6144 / 8.0 / 1000;
  EXPECT_DOUBLE_EQ(value(findings, "dram.peak_bandwidth"), peak);
  EXPECT_DOUBLE_EQ(value(findings, "dram.measured_bandwidth"), 4300);
  EXPECT_NEAR(value(findings, "dram.read_efficiency"), 100 * 4300 / peak, 1e-9);
  EXPECT_NEAR(value(findings, "dram.read_mix_efficiency"), 100 * 4100 / peak, 1e-9);
  EXPECT_NEAR(value(findings, "dram.mixed_efficiency"), 100 * 3900 / peak, 1e-9);
  EXPECT_NEAR(value(findings, "dram.write_mix_efficiency"), 100 * 3600 / peak, 1e-9);
  EXPECT_NEAR(value(findings, "dram.write_efficiency"), 100 * 4250 / peak, 1e-9);
}

TEST(ConstantProbe, ReadsThreeLevels) {
  Findings findings;
  for (double bytes = 256; bytes <= 65536; bytes += 256) {
    findings.sample("LDC latency against footprint, stride 64", "bytes", "cycles", bytes, bytes <= 2048 ? 27 : bytes <= 40960 ? 89 : 245);
  }
  for (int sm = 0; sm < 4; ++sm) findings.sample("LDC latency out of the second level, by SM", "SM", "cycles", sm, 89);
  for (int n = 1; n <= 32; ++n) findings.sample("LDC latency against distinct addresses", "addresses", "cycles", n, 27 + 2 * (n - 1));
  probe("constant.chase").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "constant.l1_latency"), 27);
  EXPECT_DOUBLE_EQ(value(findings, "constant.l1_bytes"), 2048);
  EXPECT_DOUBLE_EQ(value(findings, "constant.l15_latency"), 89);
  EXPECT_DOUBLE_EQ(value(findings, "constant.l2_latency"), 245);
  EXPECT_DOUBLE_EQ(value(findings, "constant.cycles_per_address"), 2);
}

TEST(SchedulerProbe, CountsSchedulersByTheWarpThatSharesOne) {
  Findings findings;
  for (int warp = 1; warp < 16; ++warp) {
    findings.sample("cycles an FFMA of two warps, one of them warp 0", "other warp", "cycles", warp, warp % 4 == 0 ? 2 : 1);
  }
  probe("issue.schedulers").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "chip.schedulers_per_sm"), 4);
}

TEST(RegisterProbe, SeesTwoBanksOfOnePortAndThreeReuseSlots) {
  Findings findings;
  const auto add = [&](const std::string& sources, int reuse, int stall, int warps, double cycles) {
    const std::string label = "FFMA " + sources + ", reuse " + std::to_string(reuse) + ", stall " + std::to_string(stall) + ", warps " +
                              std::to_string(warps);
    for (const double n : {32.0, 96.0}) findings.sample(label, "instructions", "cycles", n, 5 + n * cycles);
  };
  add("eee", 0, 1, 1, 3);
  add("ooo", 0, 1, 1, 3);
  add("same", 0, 1, 1, 1);
  for (const int flag : {1, 2, 4}) add("eee", flag, 1, 1, 2);
  add("eee", 7, 1, 1, 1);
  probe("registers.banks").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "registers.banks"), 2);
  EXPECT_DOUBLE_EQ(value(findings, "registers.read_ports_per_bank"), 1);
  EXPECT_DOUBLE_EQ(value(findings, "registers.reuse_slots"), 3);
}

TEST(RegisterProbe, SeesWhetherAReuseEntryOutlastsAnotherWarp) {
  const std::string label = "cycles of 96 FFMAs, stall 2, three kept beside the other three kept, warps 2";
  for (const double cycles : {194.0, 289.0}) {
    Findings findings;
    for (const double warp : {0.0, 1.0}) findings.sample(label, "warp", "cycles", warp, cycles);
    probe("registers.warps").conclude(h200(), findings);
    EXPECT_EQ(std::get<bool>(findings.result.figures.back().value), cycles < 200) << cycles;
  }
}

TEST(QueueProbe, ReadsDepthAndRatesFromTheIssueCycles) {
  // Huerta et al. 2025, table 1: five issue at once, then one in four cycles alone, one in eight of four blocks.
  Findings findings;
  const auto row = [&](const std::string& what, int blocks, double interval) {
    const std::string label = "issue of " + what + " in a row, processing blocks: " + std::to_string(blocks) + ", block 0";
    for (int n = 0; n <= 24; ++n) findings.sample(label, "instructions", "cycles", n, n <= 5 ? 2 + n : 13 + (n - 6) * interval);
  };
  row("LDG", 1, 4);
  row("LDS, uniform address", 1, 2);
  row("LDS", 4, 8);
  probe("lsu.queue").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "lsu.queue_entries"), 4);
  EXPECT_DOUBLE_EQ(value(findings, "lsu.address_interval"), 4);
  EXPECT_DOUBLE_EQ(value(findings, "lsu.address_interval_uniform"), 2);
  EXPECT_DOUBLE_EQ(value(findings, "lsu.shared_unit_interval"), 2);
}

TEST(PolicyProbe, NamesGreedyThenYoungest) {
  Findings findings;
  for (const int warp : {0, 4, 8, 12}) {
    for (int i = 0; i < 12; ++i) {
      findings.sample("issue cycles of warp " + std::to_string(warp) + ", policy_1", "instruction", "cycles", i, (12 - warp) * 3 + i);
    }
  }
  probe("issue.policy").conclude(h200(), findings);
  EXPECT_EQ(std::get<std::string>(findings.result.figures.at(0).value), "greedy_then_youngest");
}

TEST(DistanceProbe, ReportsOnlyWhatItKnows) {
  Findings findings;
  for (int d = 0; d <= 24; ++d) findings.sample(stale_series("ffma_to_fma"), "cycles", "flag", d, d >= 4 ? 1 : 0);
  for (int d = 0; d <= 24; ++d) findings.sample(stale_series("ffma_to_alu"), "cycles", "flag", d, d >= 5 ? 1 : 0);
  probe("instructions.distances").conclude(h200(), findings);
  EXPECT_DOUBLE_EQ(value(findings, "latency.opcode.FFMA"), 4);
  EXPECT_DOUBLE_EQ(value(findings, "distance.fma.to_fma"), 4);
  EXPECT_DOUBLE_EQ(value(findings, "distance.fma.to_alu"), 5);
  EXPECT_FALSE(has(findings, "latency.opcode.FADD"));
}

}  // namespace
}  // namespace warpgauge::probes
