#include "cli/validate/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace warpgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t few_cases = 40;  // up to here, a text names every case

const Comparison* find(const std::vector<Comparison>& comparisons, const std::string& name) {
  const auto found = std::find_if(comparisons.begin(), comparisons.end(),
                                  [&](const Comparison& c) { return c.name == name; });
  return found == comparisons.end() || !found->failure.empty() ? nullptr : &*found;
}

std::vector<Comparison> of_half(const std::vector<Comparison>& all, bool held_out) {
  std::vector<Comparison> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const Comparison& c) { return c.held_out == held_out; });
  return some;
}

double total_change(const std::vector<Comparison>& as_it_is, const Ablation& ablation) {
  double sum = 0;
  std::size_t n = 0;
  for (const FamilyChange& f : family_changes(as_it_is, ablation)) {
    sum += static_cast<double>(f.cases) * std::log1p(f.cycles);
    n += f.cases;
  }
  return n == 0 ? 0 : std::expm1(sum / static_cast<double>(n));
}

std::string change_text(const std::vector<calib::Difference>& changes) {
  if (changes.empty()) return "nothing: the device has no such thing";
  if (changes.size() > 8)
    return fmt::format("{} keys, {} to {}", changes.size(), changes.front().key, changes.back().key);
  std::string out;
  for (const calib::Difference& d : changes) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", d.key, d.right);
  }
  return out;
}

}  // namespace

std::vector<FamilyChange> family_changes(const std::vector<Comparison>& as_it_is, const Ablation& ablation) {
  struct Sum {
    std::size_t cases = 0;
    double logs = 0;
    double errors = 0;
  };
  std::map<std::string, Sum> sums;
  for (const Comparison& c : ablation.comparisons) {
    const Comparison* before = find(as_it_is, c.name);
    if (before == nullptr || !c.failure.empty()) continue;
    Sum& sum = sums[c.family];
    ++sum.cases;
    sum.logs += std::log(c.predicted / before->predicted);
    sum.errors += std::abs(c.error());
  }
  std::vector<FamilyChange> changes;
  for (const auto& [family, sum] : sums) {
    const auto n = static_cast<double>(sum.cases);
    changes.push_back({family, sum.cases, std::expm1(sum.logs / n), sum.errors / n});
  }
  return changes;
}

std::string ablation_text(const std::vector<Comparison>& as_it_is, const std::vector<Ablation>& ablations) {
  const Summary all = summarize(as_it_is);
  const Summary open = summarize(of_half(as_it_is, false));
  const Summary held_out = summarize(of_half(as_it_is, true));
  std::string out = fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9}  {}\n", "idealised", "cycles", "error",
                                "open", "held out", "families whose cycles change by 1 % or more");
  const auto error = [](const Summary& s) {
    return s.cases == 0 ? std::string("-") : fmt::format("{:.2f} %", 100 * s.mean_absolute_error);
  };
  out += fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9}\n", "nothing", "", error(all), error(open),
                     error(held_out));
  for (const Ablation& a : ablations) {
    out += fmt::format("{:<20} {:>+7.2f}% {:>9} {:>9} {:>9} ", a.mechanism->name,
                       100 * total_change(as_it_is, a), error(summarize(a.comparisons)),
                       error(summarize(of_half(a.comparisons, false))),
                       error(summarize(of_half(a.comparisons, true))));
    std::vector<FamilyChange> changes = family_changes(as_it_is, a);
    std::erase_if(changes, [](const FamilyChange& f) { return std::abs(f.cycles) < 0.01; });
    std::stable_sort(changes.begin(), changes.end(), [](const FamilyChange& x, const FamilyChange& y) {
      return std::abs(x.cycles) > std::abs(y.cycles);
    });
    for (const FamilyChange& f : changes) out += fmt::format(" {} {:+.1f}%", f.family, 100 * f.cycles);
    if (a.changes.empty()) out += " (the device has no such thing)";
    out += '\n';
  }
  if (as_it_is.size() <= few_cases) {
    for (const Comparison& c : as_it_is) {
      if (!c.failure.empty()) continue;
      out += fmt::format("\n{}: measured {:.0f}, predicted {:.0f} ({:+.1f}%)\n", c.name, c.measured,
                         c.predicted, 100 * c.error());
      for (const Ablation& a : ablations) {
        const Comparison* after = find(a.comparisons, c.name);
        if (after == nullptr) continue;
        const double change = after->predicted / c.predicted - 1;
        if (std::abs(change) < 0.001) continue;
        out += fmt::format("  {:<20} {:>10.0f} {:>+7.1f}%  error {:>+7.1f}%\n", a.mechanism->name,
                           after->predicted, 100 * change, 100 * after->error());
      }
    }
  }
  return out;
}

std::string ablation_csv(const std::vector<Comparison>& as_it_is, const std::vector<Ablation>& ablations) {
  std::string out = "mechanism,case,family,half,measured,predicted,idealised\n";
  for (const Ablation& a : ablations) {
    for (const Comparison& c : a.comparisons) {
      const Comparison* before = find(as_it_is, c.name);
      if (before == nullptr || !c.failure.empty()) continue;
      out += fmt::format("{},{},{},{},{},{},{}\n", a.mechanism->name, c.name, c.family,
                         c.held_out ? "held_out" : "open", c.measured, before->predicted, c.predicted);
    }
  }
  return out;
}

std::string ablation_json(const std::vector<Comparison>& as_it_is, const std::vector<Ablation>& ablations) {
  const auto errors = [](const std::vector<Comparison>& comparisons) {
    Json json = Json::object();
    for (const Group& group : summarize_groups(comparisons)) {
      if (group.family == "all") json[group.half] = group.summary.mean_absolute_error;
    }
    return json;
  };
  Json document{{"schema", "warpgauge-ablation/1"}, {"mean_absolute_error", errors(as_it_is)}};
  document["mechanisms"] = Json::array();
  for (const Ablation& a : ablations) {
    Json entry{{"name", a.mechanism->name}, {"idealised", a.mechanism->idealised}};
    entry["changes"] = Json::object();
    for (const calib::Difference& d : a.changes) entry["changes"][d.key] = {d.left, d.right};
    entry["cycles"] = total_change(as_it_is, a);
    entry["mean_absolute_error"] = errors(a.comparisons);
    entry["families"] = Json::array();
    for (const FamilyChange& f : family_changes(as_it_is, a)) {
      entry["families"].push_back({{"family", f.family},
                                   {"cases", f.cases},
                                   {"cycles", f.cycles},
                                   {"mean_absolute_error", f.mean_absolute_error}});
    }
    entry["cases"] = Json::array();
    for (const Comparison& c : a.comparisons) {
      const Comparison* before = find(as_it_is, c.name);
      if (before == nullptr || !c.failure.empty()) continue;
      entry["cases"].push_back({{"name", c.name},
                                {"measured", c.measured},
                                {"predicted", before->predicted},
                                {"idealised", c.predicted}});
    }
    document["mechanisms"].push_back(std::move(entry));
  }
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string mechanism_text(const calib::Calibration& calibration) {
  std::string out;
  for (const Mechanism& m : mechanisms()) {
    std::vector<calib::Difference> changes;
    (void)idealised(calibration, m, changes);
    out += fmt::format("{:<20} {}\n{:<20} {}\n", m.name, m.idealised, "", change_text(changes));
  }
  return out;
}

}  // namespace warpgauge::cli
