#include "probes/each_sm.h"

#include <algorithm>
#include <numeric>

namespace warpgauge::probes {

std::vector<std::uint32_t> sms_to_ask(const TargetFacts& facts) {
  if (facts.simulated) return {any_sm};
  std::vector<std::uint32_t> sms(static_cast<std::size_t>(facts.sm_count));
  std::iota(sms.begin(), sms.end(), 0U);
  return sms;
}

std::uint32_t shared_bytes_of_one_block_an_sm(const TargetFacts& facts) {
  return std::min(facts.shared_bytes_per_block_optin, facts.shared_bytes_per_sm * 3 / 4);
}

Placement placement_on(const TargetFacts& facts, std::uint32_t sm) {
  if (sm == any_sm) return {};
  return {static_cast<std::uint32_t>(facts.sm_count), shared_bytes_of_one_block_an_sm(facts)};
}

std::optional<double> step_on(Bench& bench, FunctionId kernel, Parameters parameters, const Buffer& out,
                              std::uint32_t sm) {
  const Placement placement = placement_on(bench.facts(), sm);
  out.fill(0);
  bench.run(kernel, {placement.blocks}, {}, parameters.add(sm), placement.shared_bytes);
  const auto words = out.read<std::uint64_t>(2);
  if (words[1] == 0) return std::nullopt;
  return static_cast<double>(words[0]) / static_cast<double>(words[1]);
}

void sample_each_sm(const TargetFacts& facts, Findings& findings, const std::string& label,
                    const std::string& y_unit,
                    const std::function<std::optional<double>(std::uint32_t sm)>& ask) {
  const std::vector<std::uint32_t> sms = sms_to_ask(facts);
  std::size_t silent = 0;
  for (const std::uint32_t sm : sms) {
    const auto answer = ask(sm);
    if (answer) {
      findings.sample(label, "SM", y_unit, sm == any_sm ? 0 : sm, *answer);
    } else {
      ++silent;
    }
  }
  if (silent * 10 > sms.size()) {
    throw ProbeRefusal(std::to_string(silent) + " of " + std::to_string(sms.size()) +
                       " SMs did not answer: " + label);
  }
}

double middle_mean(std::span<const double> values) {
  if (values.empty()) throw ProbeRefusal("no samples to take a mean of");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = sorted.size() / 10;
  const auto middle = std::span(sorted).subspan(cut, sorted.size() - 2 * cut);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

calib::Estimate over_sms(const Findings& findings, const std::string& label) {
  return calib::bootstrap(findings.at(label).y, middle_mean);
}

void report_over_sms(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label) {
  const calib::Estimate estimate = over_sms(findings, label);
  findings.figure(key, estimate.value, unit, estimate.half_width(), estimate.samples, label);
}

}  // namespace warpgauge::probes
