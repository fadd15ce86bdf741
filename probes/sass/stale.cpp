#include "probes/sass/stale.h"

#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {
namespace {

// A memory instruction or one of the transcendental unit is done long before this.
constexpr int settle = 60;

}  // namespace

SassKernel stale_kernel(int sm, const StaleTest& test) {
  Program program(sm);
  program.begin();
  set_operands(program);
  program.start_clock();
  program.loop(2, [&] {
    for (int distance = 0; distance <= test.most; ++distance) {
      for (const std::string& text : test.before) {
        // Old values are put in place slowly; a store among them reads its registers when nothing changes them.
        program.op(stall(15), text);
        program.idle(15);
      }
      program.idle(settle);
      const int first = distance > 15 ? 15 : distance;
      if (distance > 0) {
        program.op(stall(first).writing(test.producer_counter), test.producer);
        program.idle(distance - first);
      }
      Control consumer = stall(15);
      if (test.consumer_counted) consumer = stall(4).writing(0);
      if (test.consumer_waits) consumer = consumer.waiting(1U << test.producer_counter);
      program.op(consumer, test.consumer);
      if (test.consumer_counted) program.op(stall(15).waiting(1), "NOP");
      program.idle(30);
      for (const std::string& text : test.after) {
        program.op(stall(15), text);
        program.idle(30);
      }
      program.store_result(20, distance);
    }
  });
  program.end_clock();
  program.finish();
  return program.kernel(test.name, 1024);
}

std::string stale_series(const std::string& test) { return "new value, " + test; }

void run_stale_tests(Bench& bench, Findings& findings, const std::vector<StaleTest>& tests) {
  if (bench.facts().never_stale) return;
  std::vector<SassKernel> kernels;
  kernels.reserve(tests.size());
  for (const StaleTest& test : tests) kernels.push_back(stale_kernel(bench.facts().sm, test));
  SassModule module(bench, kernels);
  for (const StaleTest& test : tests) {
    SassArguments arguments;
    arguments.results = static_cast<std::size_t>(test.most) + 1;
    const SassOutcome outcome = module.run(test.name, arguments);
    for (int distance = 0; distance <= test.most; ++distance) {
      const bool fresh = outcome.results[static_cast<std::size_t>(distance)] == outcome.results.back();
      findings.sample(stale_series(test.name), "cycles", "flag", distance, fresh ? 1 : 0);
    }
  }
}

std::optional<double> least_distance(const Findings& findings, const std::string& test) {
  const calib::Series* series = findings.find(stale_series(test));
  if (series == nullptr || series->x.empty()) return std::nullopt;
  double least = series->x.back();
  for (std::size_t i = series->x.size(); i-- > 0;) {
    if (series->y[i] == 0) break;
    least = series->x[i];
  }
  // Fresh even at distance 1: the hardware itself holds such a consumer back, so that the distance is not a latency.
  if (least == series->x.back() || least <= 1) return std::nullopt;
  return least;
}

void conclude_distances(Findings& findings, std::span<const std::pair<std::string, std::string>> keys) {
  bool any = false;
  for (const auto& [key, test] : keys) any = any || findings.find(stale_series(test)) != nullptr;
  if (!any) throw ProbeRefusal("no distance was tried: this target's results are never stale");
  for (const auto& [key, test] : keys) {
    if (const auto least = least_distance(findings, test)) {
      findings.figure(key, *least, calib::Unit::cycles, 0, findings.at(stale_series(test)).x.size(), stale_series(test));
    }
  }
}

std::string parameter_base_text(int sm) { return sm >= 90 ? "c[0x0][0x210]" : "c[0x0][0x160]"; }

}  // namespace warpgauge::probes
