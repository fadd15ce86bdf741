#include "probes/run.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <thread>

#include "probes/bench.h"

namespace warpgauge::probes {
namespace {

using namespace std::chrono_literals;

// Reads the SM clock beside the probe, every 20 ms, until it is destroyed or asked.
class ClockWatch {
 public:
  explicit ClockWatch(Target& target) : target_(target) {
    if (target.read_clock().sm_mhz) thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }

  // Highest, lowest and median clock seen; nothing without a sensor.
  struct Seen {
    double lowest = 0, highest = 0, median = 0;
    std::vector<double> readings;
  };
  std::optional<Seen> finish() {
    if (!thread_.joinable()) return std::nullopt;
    thread_.request_stop();
    thread_.join();
    if (readings_.empty()) return std::nullopt;
    std::vector<double> sorted = readings_;
    std::sort(sorted.begin(), sorted.end());
    return Seen{sorted.front(), sorted.back(), sorted[sorted.size() / 2], readings_};
  }

 private:
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (const auto mhz = target_.read_clock().sm_mhz) readings_.push_back(*mhz);
      std::this_thread::sleep_for(20ms);
    }
  }

  Target& target_;
  std::vector<double> readings_;
  std::jthread thread_;
};

// Below this share of the median no clock counts as moved: the sensor's steps are of 15 MHz.
constexpr double tolerated_movement = 0.02;

// A card that was idle runs slowly at first: work until its clock is up. A target without a clock sensor has no such habit.
void wake(Bench& bench) {
  if (!bench.target().read_clock().sm_mhz || !bench.has_kernel("launch", "burn")) return;
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const Buffer out = bench.allocate(std::uint64_t{sms} * 40);
  const FunctionId burn = bench.kernel("launch", "burn");
  for (int i = 0; i < 3; ++i) {
    bench.run(burn, {sms}, {32}, Parameters().add(out.address()).add(std::uint64_t{40000000}).add(1.5F).add(0.25F));
  }
  bench.take_sass_hash();
}

}  // namespace

ProbeOutcome run_probe(Target& target, const Probe& probe, int attempts) {
  std::string movement;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Bench bench(target);
    Findings findings;
    findings.result.name = probe.name;
    findings.result.asks = probe.asks;
    findings.result.cites = probe.cites;
    if (target.facts().sm < probe.from_sm) {
      throw ProbeRefusal("needs sm_" + std::to_string(probe.from_sm) + ", this is sm_" + std::to_string(target.facts().sm));
    }
    wake(bench);
    ClockWatch watch(target);
    probe.measure(bench, findings);
    const auto seen = watch.finish();
    if (seen) {
      for (std::size_t i = 0; i < seen->readings.size(); ++i) {
        findings.sample("SM clock during the probe", "reading", "MHz", static_cast<double>(i), seen->readings[i]);
      }
    }
    findings.result.sass_hash = bench.take_sass_hash();
    findings.result.clock_mhz = seen ? seen->median : target.facts().clock_mhz;
    if (seen && seen->highest - seen->lowest > tolerated_movement * seen->median && probe.steady_clock) {
      movement = "the SM clock moved between " + std::to_string(static_cast<int>(seen->lowest)) + " and " +
                 std::to_string(static_cast<int>(seen->highest)) + " MHz in each of " + std::to_string(attempts) + " runs";
      if (attempt + 1 == attempts) return {findings.result, movement};
      continue;
    }
    std::string complaint;
    try {
      if (probe.conclude != nullptr) probe.conclude(target.facts(), findings);
    } catch (const std::exception& why) {
      complaint = why.what();
      findings.result.figures.clear();
    }
    return {findings.result, complaint};
  }
  throw ProbeRefusal("was not attempted");
}

void conclude_again(const TargetFacts& facts, const Probe& probe, calib::ProbeResult& result) {
  Findings findings{std::move(result)};
  findings.result.figures.clear();
  if (probe.conclude != nullptr) probe.conclude(facts, findings);
  result = std::move(findings.result);
}

std::vector<const Probe*> select_probes(const std::vector<std::string>& names) {
  std::vector<const Probe*> selected;
  std::vector<bool> used(names.size(), names.empty());
  for (const Probe* probe : all_probes()) {
    bool wanted = names.empty();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (probe->name == names[i] || probe->name.starts_with(names[i] + ".")) {
        wanted = true;
        used[i] = true;
      }
    }
    if (wanted) selected.push_back(probe);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!used[i]) throw TargetError("no probe is called " + names[i] + "; see `warpgauge probe --list`");
  }
  return selected;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

}  // namespace warpgauge::probes
