#include "cli/validate/budget.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/failure.h"

namespace warpgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "warpgauge-budget/1";

// Where the card's own count is missing, nothing can be wrong.
double instructions_error(const Comparison& c) {
  const auto found = c.counters.find("smsp__inst_executed.sum");
  return found == c.counters.end() ? 0 : found->second.error().value_or(1);
}

// Four digits are what a budget needs, and its changes are to be read.
double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

}  // namespace

Budget make_budget(const Validation& v) {
  const Summary summary = summarize(v.comparisons);
  Budget budget{v.calibration, rounded(summary.mean_absolute_error), rounded(summary.percentile_90), {}};
  for (const Comparison& c : v.comparisons) {
    if (c.failure.empty()) budget.cases[c.name] = {rounded(c.error()), rounded(instructions_error(c))};
  }
  return budget;
}

std::vector<std::string> over_budget(const Budget& budget, const Validation& v) {
  std::vector<std::string> found;
  const auto check = [&](const std::string& what, double now, double then, double margin) {
    if (std::abs(now) <= std::abs(then) + margin) return;
    found.push_back(fmt::format("{}: {:.2f} %, in the budget {:.2f} % and {:.2f} more", what, 100 * now,
                                100 * then, 100 * margin));
  };
  std::map<std::string, const Comparison*> now;
  for (const Comparison& c : v.comparisons) now[c.name] = &c;
  for (const auto& [name, then] : budget.cases) {
    const auto c = now.find(name);
    if (c == now.end()) {
      found.push_back(fmt::format("{}: in the budget, and not among the cases", name));
    } else if (!c->second->failure.empty()) {
      found.push_back(fmt::format("{}: {}", name, c->second->failure));
    } else {
      check(name, c->second->error(), then.error, budget_case_margin);
      check(name + ", instructions", instructions_error(*c->second), then.instructions_error,
            budget_instructions_margin);
    }
  }
  for (const Comparison& c : v.comparisons) {
    if (!budget.cases.contains(c.name)) found.push_back(fmt::format("{}: not in the budget", c.name));
  }
  const Summary summary = summarize(v.comparisons);
  check("mean error", summary.mean_absolute_error, budget.mean_absolute_error, budget_mean_margin);
  check("90th percentile", summary.percentile_90, budget.percentile_90, budget_percentile_margin);
  return found;
}

std::string to_json(const Budget& budget) {
  Json document{{"schema", schema},
                {"calibration", budget.calibration},
                {"mean_absolute_error", budget.mean_absolute_error},
                {"percentile_90", budget.percentile_90}};
  document["cases"] = Json::object();
  for (const auto& [name, c] : budget.cases) {
    document["cases"][name] = {{"error", c.error}, {"instructions_error", c.instructions_error}};
  }
  return document.dump(1) + '\n';
}

Budget read_budget(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be read", file.string()));
  try {
    const Json document = Json::parse(in);
    if (document.at("schema") != schema) {
      throw Failure(ExitCode::bad_file, fmt::format("{}: \"schema\" is not \"{}\"", file.string(), schema));
    }
    Budget budget{document.at("calibration").get<std::string>(),
                  document.at("mean_absolute_error").get<double>(),
                  document.at("percentile_90").get<double>(),
                  {}};
    for (const auto& [name, c] : document.at("cases").items()) {
      budget.cases[name] = {c.at("error").get<double>(), c.at("instructions_error").get<double>()};
    }
    return budget;
  } catch (const Json::exception& error) {
    throw Failure(ExitCode::bad_file, fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace warpgauge::cli
