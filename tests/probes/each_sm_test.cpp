// Probes that ask every SM: only the block of the SM that is asked works, and what the SMs answer becomes one
// figure.
#include "probes/each_sm.h"

#include <gtest/gtest.h>

#include "calib/loader.h"
#include "probes/bench.h"
#include "probes/model/model_target.h"
#include "probes/run.h"
#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {
namespace {

std::unique_ptr<Target> model_of(const std::string& device) {
  return open_model(
      calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/" + device + "/calibration.json"));
}

const Probe& probe(std::string_view name) {
  for (const Probe* each : all_probes()) {
    if (each->name == name) return *each;
  }
  throw std::runtime_error("no probe " + std::string(name));
}

// Leaves the SM that it ran on.
SassKernel where_am_i(int sm) {
  Program program(sm);
  program.begin();
  program.only_on_sm();
  program.start_clock();
  program.op(stall(2).writing(0), "S2R R20, SR_VIRTUALSMID");
  program.op(stall(5).waiting(1), "NOP");
  program.end_clock();
  program.store_result(20, 0);
  program.finish();
  return program.kernel("where_am_i");
}

TEST(OfAGridOnAllSms, OnlyTheBlockOfTheSmThatIsAskedWorks) {
  for (const char* device : {"v100", "t4", "h200"}) {
    const auto target = model_of(device);
    Bench bench(*target);
    SassModule module(bench, {where_am_i(target->facts().sm)});
    for (const std::uint32_t sm : {0U, 1U, 17U, static_cast<std::uint32_t>(target->facts().sm_count) - 1}) {
      SassArguments arguments;
      arguments.sm = sm;
      arguments.results = 1;
      const SassOutcome outcome = module.run("where_am_i", arguments);
      EXPECT_TRUE(outcome.answered()) << device;
      EXPECT_EQ(outcome.results[0], sm) << device;
    }
  }
}

TEST(OfAGridOnAllSms, NoneAnswersForAnSmThatIsNotThere) {
  const auto target = model_of("t4");
  Bench bench(*target);
  SassModule module(bench, {where_am_i(75)});
  SassArguments arguments;
  arguments.sm = 40;  // a T4 has SMs 0 to 39
  EXPECT_FALSE(module.run("where_am_i", arguments).answered());
}

TEST(OfAGridOnAllSms, CompiledKernelsWaitToo) {
  const auto target = model_of("h200");
  Bench bench(*target);
  const Buffer out = bench.allocate(64);
  const Placement placement = placement_on(target->facts(), 5);
  EXPECT_EQ(placement.blocks, 132u);
  const auto chase = [&](std::uint32_t sm) {
    out.fill(0);
    bench.run(bench.kernel("chase", "chase_constant_on"), {placement.blocks}, {},
              Parameters().add(out.address()).add(0U).add(1U).add(1U).add(sm), placement.shared_bytes);
    return out.read<std::uint64_t>(2)[1];
  };
  EXPECT_EQ(chase(5), 32u);
  EXPECT_EQ(chase(132), 0u);
}

TEST(SamplesOfEachSm, AreOneForEverySmOfACardAndOneOfASimulatedDevice) {
  TargetFacts card, simulated;
  card.sm_count = simulated.sm_count = 20;
  simulated.simulated = true;
  Findings of_card, of_simulated;
  const auto number = [](std::uint32_t sm) {
    return std::optional<double>(sm == any_sm ? -1.0 : static_cast<double>(sm));
  };
  sample_each_sm(card, of_card, "latency, by SM", "cycles", number);
  sample_each_sm(simulated, of_simulated, "latency, by SM", "cycles", number);
  ASSERT_EQ(of_card.at("latency, by SM").y.size(), 20u);
  EXPECT_EQ(of_card.at("latency, by SM").y[7], 7);
  EXPECT_EQ(of_simulated.at("latency, by SM").y, (std::vector<double>{-1}));
}

TEST(SamplesOfEachSm, MayLackAFewSmsAndNotMany) {
  TargetFacts card;
  card.sm_count = 20;
  const auto all_from = [](std::uint32_t first) {
    return [first](std::uint32_t sm) { return sm < first ? std::nullopt : std::optional<double>(1); };
  };
  Findings few, many;
  sample_each_sm(card, few, "latency, by SM", "cycles", all_from(2));
  EXPECT_EQ(few.at("latency, by SM").y.size(), 18u);
  EXPECT_THROW(sample_each_sm(card, many, "latency, by SM", "cycles", all_from(3)), ProbeRefusal);
}

TEST(MiddleMean, LeavesOutATenthOnEitherSide) {
  EXPECT_EQ(middle_mean(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 1000}), 4.5);
  EXPECT_EQ(middle_mean(std::vector<double>{3}), 3);
  EXPECT_THROW(middle_mean({}), ProbeRefusal);
}

// SMs at three distances from the second level; one more or less at any of them moves the figure by little.
TEST(ConstantChase, TakesTheMiddleOfTheSms) {
  const auto latency = [](int near, int middle, int far) {
    Findings findings;
    for (double bytes = 256; bytes <= 65536; bytes += bytes < 8192 ? 128 : 1024)
      findings.sample("LDC latency against footprint, stride 64", "bytes", "cycles", bytes,
                      bytes <= 2048 ? 28 : 98);
    for (double addresses = 1; addresses <= 32; ++addresses)
      findings.sample("LDC latency against distinct addresses", "addresses", "cycles", addresses,
                      20 + 11 * addresses);
    for (const auto& [count, cycles] : {std::pair{near, 90.0}, {middle, 94.0}, {far, 98.0}}) {
      for (int sm = 0; sm < count; ++sm)
        findings.sample("LDC latency out of the second level, by SM", "SM", "cycles", sm, cycles);
    }
    probe("constant.chase").conclude({}, findings);
    for (const calib::Figure& figure : findings.result.figures) {
      if (figure.key == "constant.l15_latency") return std::get<double>(figure.value);
    }
    return 0.0;
  };
  EXPECT_EQ(latency(20, 20, 20), 94);
  EXPECT_NEAR(latency(21, 20, 19), 94, 0.2);
  EXPECT_NEAR(latency(31, 0, 29), 94, 0.3);
}

}  // namespace
}  // namespace warpgauge::probes
