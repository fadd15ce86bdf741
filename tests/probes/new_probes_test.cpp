// Probes of sets, textures, links, fragments and flags: their conclusions on made-up samples, and their
// answers of the model.
#include <algorithm>
#include <gtest/gtest.h>

#include <set>

#include "calib/loader.h"
#include "probes/bench.h"
#include "probes/model/model_target.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

const Probe& probe(std::string_view name) {
  for (const Probe* each : all_probes()) {
    if (each->name == name) return *each;
  }
  throw std::runtime_error("no probe " + std::string(name));
}

std::unique_ptr<Target> model_of(const std::string& device) {
  return open_model(
      calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/" + device + "/calibration.json"));
}

const calib::Series& series(const calib::ProbeResult& result, const std::string& label) {
  for (const calib::Series& each : result.samples) {
    if (each.label == label) return each;
  }
  throw std::runtime_error("no series " + label);
}

// Lines of one distance hit until there are more than `room`.
void sweep(Findings& findings, const std::string& cache, std::uint64_t distance, double room) {
  for (double lines = 1; lines <= 2048; lines *= 2) {
    findings.sample(cache + " latency against lines, " + std::to_string(distance) + " bytes apart", "lines",
                    "cycles", lines, lines <= room ? 30 : 200);
  }
}

TEST(SetsOfTheL1, AreWhereLinesOfADistanceNoLongerCrowdEachOtherOutSooner) {
  Findings findings;
  for (std::uint64_t distance = 128; distance <= 65536; distance *= 2)
    sweep(findings, "L1", distance, std::max(256.0, 1024.0 * 128 / static_cast<double>(distance)));
  probe("l1.sets").conclude({}, findings);
  EXPECT_EQ(std::get<double>(findings.result.figures.at(0).value), 4);
}

TEST(SetsOfTheL1, AreNotGivenWhereTheIndexMixesTheAddress) {
  Findings findings;
  for (std::uint64_t distance = 128; distance <= 65536; distance *= 2) sweep(findings, "L1", distance, 4096);
  EXPECT_THROW(probe("l1.sets").conclude({}, findings), ProbeRefusal);
}

TEST(WaysOfTheConstantCache, AreTheLinesOfOneSetThatStay) {
  Findings findings;
  sweep(findings, "LDC", 8192, 4);
  probe("constant.sets").conclude({}, findings);
  EXPECT_EQ(findings.result.figures.at(0).key, "constant.l1_ways");
  EXPECT_EQ(std::get<double>(findings.result.figures.at(0).value), 4);
}

TEST(Texture, HitIsAMedianAndMissTheMiddleOfTheSms) {
  Findings findings;
  for (const double cycles : {87.0, 90.0, 91.0})
    findings.sample("texture latency against footprint", "bytes", "cycles", 4096, cycles);
  for (const double cycles : {700.0, 740.0, 760.0})
    findings.sample("texture latency of lines in memory, by SM", "SM", "cycles", 0, cycles);
  probe("texture.latency").conclude({}, findings);
  EXPECT_EQ(std::get<double>(findings.result.figures.at(0).value), 90);
  EXPECT_NEAR(std::get<double>(findings.result.figures.at(1).value), 733.3, 0.1);
}

// Code that is slow after constants lies where they lie; an aggressor of the victim's own block must slow it.
TEST(CachesOfCode, AreSharedWithWhoSlowsThem) {
  const auto conclude = [](double by_same, double by_other, double after_constants) {
    Findings findings;
    for (const double bytes : {1024.0, 98304.0}) {
      const bool large = bytes > 1024;
      findings.sample("cycles of a jump after code of a warp of the same processing block", "bytes", "cycles", bytes,
                      large ? by_same : 10);
      findings.sample("cycles of a jump after code of a warp of another processing block", "bytes", "cycles", bytes,
                      large ? by_other : 10);
      findings.sample("cycles an instruction of code after 0 KiB of constants", "bytes", "cycles", bytes, 2);
      findings.sample("cycles an instruction of code after 64 KiB of constants", "bytes", "cycles", bytes,
                      large ? after_constants : 2);
    }
    probe("fetch.sharing").conclude({}, findings);
    EXPECT_EQ(findings.result.figures.at(0).key, "constant.l15_is_instruction_cache");
    return std::get<bool>(findings.result.figures.at(0).value);
  };
  EXPECT_TRUE(conclude(60, 10, 5));
  EXPECT_FALSE(conclude(60, 58, 2));
  EXPECT_THROW(conclude(11, 10, 2), ProbeRefusal);
}

// What another processing block runs puts a victim's code out of the caches that they share: the SM's 32 KiB on an H200, behind
// which a block finds some lines that it holds itself; what is behind the L0s on a T4, 46 KiB.
TEST(CachesOfCode, AreOneForAllBlocksOfAnH200AndOneOfEachOfAT4) {
  constexpr double kib = 1024;
  for (const auto& [device, from] : {std::pair("h200", 12.0), {"t4", 24.0}, {"v100", 96.0}}) {
    const auto target = model_of(device);
    const calib::ProbeResult result = run_probe(*target, probe("fetch.sharing")).result;
    const calib::Series& jumps = series(result, "cycles of a jump after code of a warp of another processing block");
    for (std::size_t i = 0; i < jumps.x.size(); ++i) {
      if (jumps.x[i] < from * kib) {
        EXPECT_LT(jumps.y[i], 1.1 * jumps.y.front()) << device << ' ' << jumps.x[i] / kib << " KiB";
      }
    }
    const double slowest = *std::max_element(jumps.y.begin(), jumps.y.end());
    EXPECT_EQ(slowest > 1.25 * jumps.y.front(), from < 96) << device;
  }
}

TEST(WhatTheModelHasNot, IsRefusedInOneSentence) {
  const auto target = model_of("t4");
  for (const char* name : {"links.host", "links.peer"}) {
    try {
      run_probe(*target, probe(name));
      ADD_FAILURE() << name;
    } catch (const ProbeRefusal& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("T4"), std::string::npos) << refusal.what();
    }
  }
}

// Probe texture.latency on the H200: 88.2 cycles up to 192 KiB, more behind.
TEST(TextureChasesOnTheModel, HitAsOnTheCardUntilTheL1IsFull) {
  const auto target = model_of("h200");
  const calib::ProbeResult result = run_probe(*target, probe("texture.latency")).result;
  const calib::Series& latency = series(result, "texture latency against footprint");
  ASSERT_EQ(latency.x.size(), latency.y.size());
  for (std::size_t i = 0; i < latency.x.size(); ++i) {
    if (latency.x[i] <= 192 * 1024) {
      EXPECT_NEAR(latency.y[i], 88.24, 0.5) << latency.x[i];
    } else {
      EXPECT_GT(latency.y[i], 150) << latency.x[i];
    }
  }
}

// Lanes that hold each place of a 16 by 16 matrix in memory.
std::vector<std::set<int>> holders(const calib::ProbeResult& result, const std::string& fragment) {
  const calib::Series& places = series(result, "place in memory of lane and element, fragment " + fragment);
  const std::size_t elements = places.y.size() / 32;
  std::vector<std::set<int>> lanes(256);
  for (std::size_t i = 0; i < places.y.size(); ++i)
    lanes.at(static_cast<std::size_t>(places.y[i])).insert(static_cast<int>(i / elements));
  return lanes;
}

TEST(FragmentsOfTheV100, AreThoseOfJia2018Figures42To47) {
  const auto target = model_of("v100");
  const calib::ProbeResult result = run_probe(*target, probe("matrix.layout")).result;
  const auto a = holders(result, "a_column"), b = holders(result, "b_column"),
             c = holders(result, "c_column");
  for (int place = 0; place < 256; ++place) {
    const int row = place % 16, column = place / 16;  // column after column
    const auto at = static_cast<std::size_t>(place);
    const int of_a = column % 4 + 16 * (row / 4 % 2) + 4 * (row / 8);
    EXPECT_EQ(a[at], (std::set<int>{of_a, of_a + 8})) << place;
    const int of_b = column % 4 + 16 * (column / 4 % 2) + 8 * (column / 8);
    EXPECT_EQ(b[at], (std::set<int>{of_b, of_b + 4})) << place;
    const int of_c = row % 2 + 16 * (row / 4 % 2) + 4 * (row / 8) + 2 * (column / 2 % 2) + 8 * (column / 8);
    EXPECT_EQ(c[at], std::set<int>{of_c}) << place;
  }
}

// PTX ISA, matrix fragments of mma.m16n8k16 with 16-bit elements: place i of lane l lies in row l / 4, or
// eight rows below, and D's element of that row and of column 0 is element 0 or 2 of the first lane of four.
TEST(FragmentsOfTheH200, AreThoseThatPtxDocuments) {
  const auto target = model_of("h200");
  const calib::ProbeResult result = run_probe(*target, probe("matrix.layout")).result;
  const calib::Series& touched = series(result, "first element of D that A's place touches, HMMA 16816");
  ASSERT_EQ(touched.y.size(), 256u);
  for (std::size_t i = 0; i < touched.y.size(); ++i) {
    const std::size_t lane = i / 8, place = i % 8;
    EXPECT_EQ(touched.y[i], static_cast<double>(lane / 4 * 4 * 8 + 2 * (place / 2 % 2))) << i;
  }
}

TEST(SingleInstructions, TakeFourCyclesOptimisedAndFifteenNot) {
  for (const char* device : {"v100", "t4"}) {
    const auto target = model_of(device);
    const calib::ProbeResult result = run_probe(*target, probe("ptx.latency")).result;
    // Arafa2019 table II, Volta and Turing.
    EXPECT_EQ(series(result, "latency at -O3 of add").y.at(0), 4) << device;
    EXPECT_EQ(series(result, "latency at -O0 of add").y.at(0), 15) << device;
    EXPECT_EQ(series(result, "latency at -O3 of f32 fma").y.at(0), 4) << device;
    EXPECT_EQ(series(result, "latency at -O0 of popc").y.at(0),
              series(result, "latency at -O0 of popc").y.at(2))
        << device;
  }
}

TEST(ConstantReadsThatHit, TakeTwoCyclesAnAddressOfTheUnit) {
  const auto target = model_of("h200");
  const calib::ProbeResult result = run_probe(*target, probe("constant.misses")).result;
  const calib::Series& hits = series(result, "cycles a read, LDC, immediate address, over 1024 bytes");
  EXPECT_NEAR(hits.y.back(), 2, 0.1);  // constant.address_interval
  const calib::Series& serial =
      series(result, "cycles a read, LDC, address in a register, over 1024 bytes, 8 addresses");
  EXPECT_NEAR(serial.y.back(), 16, 0.5);
}

}  // namespace
}  // namespace warpgauge::probes
