#include "cli/validate/page.h"

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>

#include "cli/validate/page_parts.h"

namespace warpgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// What the page's script reads: metrics are named once, a case's counters stand in their order as
// [predicted, measured, spread or null], null where the case has no such counter.
Json page_data(const Validation& v) {
  std::set<std::string> metrics;
  for (const Comparison& c : v.comparisons) {
    for (const auto& [metric, pair] : c.counters) metrics.insert(metric);
  }
  Json data{{"device", v.device},
            {"driver", v.driver},
            {"recorded", v.recorded},
            {"calibration", v.calibration},
            {"metrics", metrics}};
  data["groups"] = Json::array();
  for (const Group& group : summarize_groups(v.comparisons)) {
    const Summary& s = group.summary;
    data["groups"].push_back({{"family", group.family},
                              {"half", group.half},
                              {"cases", s.cases},
                              {"mean", s.mean_absolute_error},
                              {"median", s.median_absolute_error},
                              {"p90", s.percentile_90},
                              {"worst", s.worst},
                              {"bias", s.mean_error},
                              {"pearson", optional(s.pearson)},
                              {"pearson_log", optional(s.pearson_log)},
                              {"rank", optional(s.rank_correlation)}});
  }
  data["counters"] = Json::array();
  for (const auto& [metric, s] : summarize_counters(v.comparisons)) {
    data["counters"].push_back({{"metric", metric},
                                {"cases", s.cases},
                                {"mean", s.mean_absolute_error},
                                {"within1", s.within_1_percent},
                                {"within3", s.within_3_percent},
                                {"within10", s.within_10_percent}});
  }
  data["cases"] = Json::array();
  for (const Comparison& c : v.comparisons) {
    Json entry{{"name", c.name},         {"family", c.family}, {"half", c.held_out ? "held out" : "open"},
               {"measured", c.measured}, {"spread", c.spread}, {"unsteady", c.unsteady()}};
    if (!c.failure.empty()) {
      entry["failure"] = c.failure;
    } else {
      entry["predicted"] = c.predicted;
      entry["error"] = c.error();
      entry["counters"] = Json::array();
      for (const std::string& metric : metrics) {
        const auto found = c.counters.find(metric);
        if (found == c.counters.end()) {
          entry["counters"].push_back(nullptr);
          continue;
        }
        const CounterPair& pair = found->second;
        entry["counters"].push_back({pair.predicted, pair.measured, optional(pair.spread)});
      }
    }
    data["cases"].push_back(std::move(entry));
  }
  return data;
}

// Inside a script element no "<" may begin an end tag or a comment; JSON's strings can spell it.
std::string as_script_data(const Json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string to_html(const Validation& validation) {
  const std::string data = as_script_data(page_data(validation));
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"/*chart style*/", page::chart_style()},
      {"/*style*/", page::style()},
      {"/*chart script*/", page::chart_script()},
      {"/*licence*/", page::chart_licence()},
      {"/*script*/", page::script()},
      {"/*data*/", data},
  };
  std::string out;
  std::string_view rest = page::frame();
  for (std::size_t at = 0; (at = rest.find("/*")) != std::string_view::npos;) {
    out += rest.substr(0, at);
    rest = rest.substr(at);
    const auto* part = std::begin(parts);
    while (part != std::end(parts) && !rest.starts_with(part->first)) ++part;
    const std::size_t length = part == std::end(parts) ? 2 : part->first.size();
    out += part == std::end(parts) ? rest.substr(0, length) : part->second;
    rest = rest.substr(length);
  }
  out += rest;
  return out;
}

}  // namespace warpgauge::cli
