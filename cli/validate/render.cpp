#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/failure.h"
#include "cli/validate/audit.h"
#include "cli/validate/validation.h"
#include "model/report/csv.h"

namespace warpgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string coefficient(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string summary_line(const std::string& title, const Summary& s) {
  return fmt::format(
      "{:<14} {:>4} cases  mean |error| {:>5.1f} %  median {:>5.1f} %  p90 {:>5.1f} %  worst {:>6.1f} %  "
      "bias {:>+6.1f} %  r {:>6}  r(log) {:>6}  rank {:>6}\n",
      title, s.cases, 100 * s.mean_absolute_error, 100 * s.median_absolute_error, 100 * s.percentile_90,
      100 * s.worst, 100 * s.mean_error, coefficient(s.pearson), coefficient(s.pearson_log),
      coefficient(s.rank_correlation));
}

const char* half_name(bool held_out) {
  return held_out ? "held_out" : "open";
}

Json optional(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Summary& s) {
  return {{"cases", s.cases},
          {"mean_absolute_error", s.mean_absolute_error},
          {"median_absolute_error", s.median_absolute_error},
          {"percentile_90", s.percentile_90},
          {"worst", s.worst},
          {"mean_error", s.mean_error},
          {"pearson", optional(s.pearson)},
          {"pearson_log", optional(s.pearson_log)},
          {"rank_correlation", optional(s.rank_correlation)}};
}

std::string optional_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.5f}", *value) : "";
}

}  // namespace

std::string to_text(const Validation& v) {
  std::string out = fmt::format("hardware: {}, driver {}, recorded {}, cold caches; calibration {}\n\n",
                                v.device, v.driver, v.recorded, v.calibration);
  out += fmt::format("{:<32} {:<14} {:<8} {:>10} {:>10} {:>8} {:>7}\n", "case", "family", "half", "predicted",
                     "measured", "error", "spread");
  for (const Comparison& c : v.comparisons) {
    out += fmt::format("{:<32} {:<14} {:<8} ", c.name, c.family, half_name(c.held_out));
    if (!c.failure.empty()) {
      out += fmt::format("failed: {}\n", c.failure);
      continue;
    }
    out += fmt::format("{:>10.0f} {:>10.0f} {:>+7.1f}% {:>6.1f}%{}\n", c.predicted, c.measured,
                       100 * c.error(), 100 * c.spread, c.unsteady() ? " unsteady" : "");
  }
  out += '\n';
  bool families = false;
  for (const Group& group : summarize_groups(v.comparisons)) {
    if (group.family == "all") {
      out += summary_line(group.half == "both" ? "all" : group.half, group.summary);
      continue;
    }
    if (!families) out += '\n';
    families = true;
    out += summary_line(group.half == "both" ? group.family : "  " + group.half, group.summary);
  }
  out += fmt::format("\n{:<72} {:>6} {:>12} {:>7} {:>7} {:>7}\n", "counter", "cases", "mean |error|",
                     "in 1 %", "in 3 %", "in 10 %");
  for (const auto& [metric, s] : summarize_counters(v.comparisons)) {
    out += fmt::format("{:<72} {:>6} {:>11.1f}% {:>6.0f}% {:>6.0f}% {:>6.0f}%\n", metric, s.cases,
                       100 * s.mean_absolute_error, 100 * s.within_1_percent, 100 * s.within_3_percent,
                       100 * s.within_10_percent);
  }
  return out + '\n' + audit_text(audit(v.comparisons));
}

std::string to_csv(const Validation& v) {
  std::string out = "case,family,half,metric,predicted,measured,error,spread,failure\n";
  for (const Comparison& c : v.comparisons) {
    const std::string head = fmt::format("{},{},{}", c.name, c.family, half_name(c.held_out));
    if (!c.failure.empty()) {
      out += fmt::format("{},gpc__cycles_elapsed.max,,{},,{:.5f},{}\n", head, c.measured, c.spread,
                         model::csv_quoted(c.failure));
      continue;
    }
    out += fmt::format("{},gpc__cycles_elapsed.max,{},{},{:.5f},{:.5f},\n", head, c.predicted, c.measured,
                       c.error(), c.spread);
    for (const auto& [metric, pair] : c.counters) {
      out += fmt::format("{},{},{},{},{},{},\n", head, metric, pair.predicted, pair.measured,
                         optional_text(pair.error()), optional_text(pair.spread));
    }
  }
  return out;
}

std::string to_markdown(const Validation& v) {
  constexpr std::size_t worst = 10;
  const std::vector<Group> groups = summarize_groups(v.comparisons);
  const auto title = [](const std::string& half) {
    return half == "both" ? "all" : half == "held_out" ? "held out" : half;
  };
  std::string out = fmt::format("{}, driver {}, recorded {}, cold caches; calibration `{}`.\n\n", v.device,
                                v.driver, v.recorded, v.calibration);
  out +=
      "| half | cases | mean error | median | 90th percentile | worst | bias | Pearson | Pearson (log) | "
      "rank |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Group& g : groups) {
    if (g.family != "all") continue;
    const Summary& s = g.summary;
    out += fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:+.1f} % | {} | {} | {} |\n",
                       title(g.half), s.cases, 100 * s.mean_absolute_error, 100 * s.median_absolute_error,
                       100 * s.percentile_90, 100 * s.worst, 100 * s.mean_error, coefficient(s.pearson),
                       coefficient(s.pearson_log), coefficient(s.rank_correlation));
  }
  out += "\n| case | half | predicted | measured | error |\n| --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < std::min(worst, v.comparisons.size()); ++i) {
    const Comparison& c = v.comparisons[i];
    out += c.failure.empty()
               ? fmt::format("| {} | {} | {:.0f} | {:.0f} | {:+.1f} % |\n", c.name,
                             title(half_name(c.held_out)), c.predicted, c.measured, 100 * c.error())
               : fmt::format("| {} | {} | failed | {:.0f} | |\n", c.name, title(half_name(c.held_out)),
                             c.measured);
  }
  out +=
      "\n| family | cases | mean error | open | held out | worst |\n| --- | --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& g = groups[i];
    if (g.family == "all" || g.half != "both") continue;
    std::string halves[2];
    for (std::size_t k = i + 1; k < groups.size() && groups[k].half != "both"; ++k) {
      halves[groups[k].half == "held_out"] =
          fmt::format("{:.1f} %", 100 * groups[k].summary.mean_absolute_error);
    }
    out += fmt::format("| {} | {} | {:.1f} % | {} | {} | {:.1f} % |\n", g.family, g.summary.cases,
                       100 * g.summary.mean_absolute_error, halves[0], halves[1], 100 * g.summary.worst);
  }
  return out + '\n' + audit_markdown(audit(v.comparisons));
}

std::string to_json(const Validation& v) {
  Json document{{"schema", "warpgauge-validation/2"},
                {"device", v.device},
                {"driver", v.driver},
                {"recorded", v.recorded},
                {"calibration", v.calibration}};
  document["groups"] = Json::array();
  for (const Group& group : summarize_groups(v.comparisons)) {
    Json entry{{"family", group.family}, {"half", group.half}};
    entry.update(to_json(group.summary));
    document["groups"].push_back(std::move(entry));
  }
  document["counters"] = Json::object();
  for (const auto& [metric, s] : summarize_counters(v.comparisons)) {
    document["counters"][metric] = {{"cases", s.cases},
                                    {"mean_absolute_error", s.mean_absolute_error},
                                    {"within_1_percent", s.within_1_percent},
                                    {"within_3_percent", s.within_3_percent},
                                    {"within_10_percent", s.within_10_percent}};
  }
  document["cases"] = Json::array();
  for (const Comparison& c : v.comparisons) {
    Json entry{{"name", c.name}, {"family", c.family}, {"half", half_name(c.held_out)}};
    if (!c.failure.empty()) {
      entry["measured"] = c.measured;
      entry["spread"] = c.spread;
      entry["failure"] = c.failure;
    } else {
      entry["predicted"] = c.predicted;
      entry["measured"] = c.measured;
      entry["error"] = c.error();
      entry["spread"] = c.spread;
      entry["counters"] = Json::object();
      for (const auto& [metric, pair] : c.counters) {
        entry["counters"][metric] = {{"predicted", pair.predicted},
                                     {"measured", pair.measured},
                                     {"error", optional(pair.error())},
                                     {"spread", optional(pair.spread)}};
      }
    }
    document["cases"].push_back(std::move(entry));
  }
  // A line a case: a whole suite has some ten thousand counters.
  const Json cases = std::move(document["cases"]);
  document.erase("cases");
  std::string text = document.dump(1, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the newline and the brace
  text += ",\n \"cases\": [";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    text += (i == 0 ? "\n  " : ",\n  ") + cases[i].dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + "\n ]\n}\n";
}

Validation read_validation(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be read", file.string()));
  Validation v;
  try {
    const Json document = Json::parse(in);
    if (document.at("schema") != "warpgauge-validation/2") {
      throw Failure(ExitCode::bad_file,
                    fmt::format("{}: \"schema\" is not \"warpgauge-validation/2\"", file.string()));
    }
    v.device = document.at("device").get<std::string>();
    v.driver = document.at("driver").get<std::string>();
    v.recorded = document.at("recorded").get<std::string>();
    v.calibration = document.at("calibration").get<std::string>();
    for (const Json& entry : document.at("cases")) {
      Comparison c;
      c.name = entry.at("name").get<std::string>();
      c.family = entry.at("family").get<std::string>();
      c.held_out = entry.at("half") == "held_out";
      c.measured = entry.at("measured").get<double>();
      c.spread = entry.at("spread").get<double>();
      c.failure = entry.value("failure", "");
      if (c.failure.empty()) {
        c.predicted = entry.at("predicted").get<double>();
        for (const auto& [metric, pair] : entry.at("counters").items()) {
          CounterPair& counter = c.counters[metric];
          counter.predicted = pair.at("predicted").get<double>();
          counter.measured = pair.at("measured").get<double>();
          if (!pair.at("spread").is_null()) counter.spread = pair.at("spread").get<double>();
        }
      }
      v.comparisons.push_back(std::move(c));
    }
  } catch (const Json::exception& error) {
    throw Failure(ExitCode::bad_file, fmt::format("{}: {}", file.string(), error.what()));
  }
  sort_worst_first(v.comparisons);
  return v;
}

}  // namespace warpgauge::cli
