// Probes from launch to figure: on a target that a script answers for, and what happens when there is no card.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "fake_target.h"
#include "probes/driver/cuda_driver.h"
#include "probes/driver/gpu_target.h"
#include "probes/run.h"
#include "probes/session.h"
#include "probes/sha256.h"

namespace warpgauge::probes {
namespace {

using testing::FakeTarget;

const Probe& probe(std::string_view name) {
  for (const Probe* each : all_probes()) {
    if (each->name == name) return *each;
  }
  throw std::runtime_error("no probe " + std::string(name));
}

double value(const calib::ProbeResult& result, const std::string& key) {
  for (const calib::Figure& figure : result.figures) {
    if (figure.key == key) return std::get<double>(figure.value);
  }
  ADD_FAILURE() << "no figure " << key;
  return -1;
}

std::string hash_of(const std::string& text) {
  Sha256 hash;
  hash.add(std::as_bytes(std::span(text)));
  return hash.hex();
}

TEST(Sha256, GivesTheStandardsOwnExamples) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of(std::string(56, 'a')).size(), 64u);
}

TEST(Driver, ThatIsMissingIsNamedInOneSentence) {
  try {
    driver::Driver::load("libcuda-that-is-not-there.so.1");
    FAIL() << "loaded";
  } catch (const TargetError& error) {
    EXPECT_NE(std::string(error.what()).find("no NVIDIA driver"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(Parameters, LieAtTheirNaturalAlignment) {
  Parameters parameters;
  parameters.add(std::uint32_t{1}).add(std::uint64_t{2}).add(1.5F);
  ASSERT_EQ(parameters.bytes().size(), 20u);
  std::uint64_t second = 0;
  std::memcpy(&second, parameters.bytes().data() + 8, 8);
  EXPECT_EQ(second, 2u);
}

// A machine whose consumer reads the new value from distance `latency` on, whatever the instruction.
TEST(DistanceProbes, FindTheLatencyOfASimpleMachine) {
  for (const int latency : {2, 4, 13}) {
    FakeTarget target([&](const FakeTarget::Call& call) {
      const auto out = call.parameter<std::uint64_t>(0);
      for (std::uint32_t distance = 0; distance <= 24; ++distance) {
        call.store(out + 0x1000 + 128 * distance, std::uint32_t{distance >= static_cast<std::uint32_t>(latency) ? 7U : 3U});
      }
      return 1e-6;
    });
    const ProbeOutcome outcome = run_probe(target, probe("instructions.distances"));
    EXPECT_EQ(outcome.complaint, "");
    EXPECT_DOUBLE_EQ(value(outcome.result, "latency.opcode.FFMA"), latency);
    EXPECT_DOUBLE_EQ(value(outcome.result, "distance.alu.to_fp64"), latency);
    EXPECT_EQ(outcome.result.sass_hash.size(), 64u);
  }
}

// A machine where n copies of an instruction take 6 + 2 n cycles on one warp, and twice that for two.
TEST(IntervalProbe, DividesTheSlopeByTheWarps) {
  FakeTarget target([&](const FakeTarget::Call& call) {
    const auto out = call.parameter<std::uint64_t>(0);
    const std::string copies = call.kernel.substr(call.kernel.rfind('x') + 1);
    const auto mask = call.parameter<std::uint32_t>(16);
    const int warps = mask == 0x1 ? 1 : mask == 0x11 ? 2 : mask == 0x1111 ? 4 : 1;
    for (std::uint64_t warp = 0; warp < 13; ++warp) {
      call.record_warp(out, warp, 100, 100 + 6 + static_cast<std::uint64_t>(2 * warps * std::stoi(copies)));
    }
    return 1e-6;
  });
  const ProbeOutcome outcome = run_probe(target, probe("instructions.intervals"));
  EXPECT_DOUBLE_EQ(value(outcome.result, "pipes.alu.issue_interval"), 2);
  EXPECT_DOUBLE_EQ(value(outcome.result, "pipes.xu.issue_interval"), 2);
}

TEST(TrackedProbe, SubtractsTheKnownStallsFromTheClocks) {
  FakeTarget target([&](const FakeTarget::Call& call) {
    call.record_warp(call.parameter<std::uint64_t>(0), 0, 1000, 1000 + 4 + 17 + 4);
    return 1e-6;
  });
  const ProbeOutcome outcome = run_probe(target, probe("instructions.tracked"));
  EXPECT_DOUBLE_EQ(value(outcome.result, "latency.opcode.MUFU"), 17);
  EXPECT_DOUBLE_EQ(value(outcome.result, "latency.opcode.SHFL"), 17);
}

TEST(RunProbe, VoidsFiguresWhenTheClockMoved) {
  double mhz = 1000;
  FakeTarget target([&](const FakeTarget::Call& call) {
    call.record_warp(call.parameter<std::uint64_t>(0), 0, 0, 25);
    mhz += 100;  // always onwards, so that no two readings agree whenever they are taken
    call.target->clock.sm_mhz = mhz;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 1e-6;
  });
  target.clock.sm_mhz = 1000;
  const ProbeOutcome outcome = run_probe(target, probe("instructions.tracked"), 2);
  EXPECT_NE(outcome.complaint.find("clock moved"), std::string::npos);
  EXPECT_TRUE(outcome.result.figures.empty());
  EXPECT_FALSE(outcome.result.samples.empty());
}

TEST(RunProbe, RefusesAnArchitectureThatLacksWhatItAsksFor) {
  FakeTarget target([](const FakeTarget::Call&) { return 0.0; });
  target.change_facts().sm = 70;
  EXPECT_THROW(run_probe(target, probe("uniform.distances")), ProbeRefusal);
}

TEST(SelectProbes, TakesNamesAndGroups) {
  EXPECT_EQ(select_probes({}).size(), all_probes().size());
  EXPECT_EQ(select_probes({"l2.map"}).size(), 1u);
  EXPECT_GT(select_probes({"l1"}).size(), 2u);
  EXPECT_THROW(select_probes({"no.such.probe"}), TargetError);
}

TEST(Probes, HaveNamesOfTheirOwnAndSayWhatTheyAsk) {
  std::set<std::string_view> names;
  for (const Probe* each : all_probes()) {
    EXPECT_TRUE(names.insert(each->name).second) << each->name;
    EXPECT_FALSE(each->asks.empty()) << each->name;
    EXPECT_FALSE(each->cites.empty()) << each->name;
    EXPECT_NE(each->measure, nullptr) << each->name;
  }
}

TEST(Session, GoesOnAfterAProbeThatFailsAndOneThatHangs) {
  const auto open = [] {
    return std::make_unique<FakeTarget>([](const FakeTarget::Call& call) -> double {
      if (call.kernel.starts_with("stall_")) throw TargetError("the card fell over");
      if (call.kernel.starts_with("counter_")) std::this_thread::sleep_for(std::chrono::seconds(60));
      call.record_warp(call.parameter<std::uint64_t>(0), 0, 0, 25);
      return 1e-6;
    });
  };
  SessionOptions options;
  options.probe_limit = std::chrono::seconds(15);
  const calib::Measurements measurements =
      run_session(open, {&probe("issue.codes"), &probe("issue.counters"), &probe("instructions.tracked")}, options);
  ASSERT_EQ(measurements.probes.size(), 1u);
  EXPECT_EQ(measurements.probes[0].name, "instructions.tracked");
  ASSERT_EQ(measurements.missing.size(), 2u);
  EXPECT_EQ(measurements.missing[0].reason, "the card fell over");
  EXPECT_EQ(measurements.missing[1].reason, "did not finish within 15 s");
  EXPECT_EQ(calib::parse_measurements(calib::to_json(measurements), "test"), measurements);
}

TEST(Session, SaysWhyItsTargetDoesNotOpen) {
  const auto open = []() -> std::unique_ptr<Target> { throw TargetError("no card here"); };
  EXPECT_THROW(run_session(open, {&probe("issue.codes")}, {}), TargetError);
}

}  // namespace
}  // namespace warpgauge::probes
