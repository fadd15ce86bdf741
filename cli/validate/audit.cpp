#include "cli/validate/audit.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace warpgauge::cli {
namespace {

struct Audited {
  const char* name;
  bool points;
  double limit;
  double slack;                      // absolute, that is within in any case
  std::vector<const char*> metrics;  // that add up to it
};

const std::vector<Audited>& audited() {
  static const std::vector<Audited> list = {
      {"L1 sectors",
       false,
       0.01,
       0,
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}},
      {"L1 hit rate", true, 3, 0, {"l1tex__t_sector_hit_rate.pct"}},
      {"L2 sectors", false, 0.03, 0, {"lts__t_sectors.sum"}},
      {"L2 hit rate", true, 3, 0, {"lts__t_sector_hit_rate.pct"}},
      {"DRAM bytes", false, 0.1, 65536, {"dram__bytes_read.sum", "dram__bytes_write.sum"}},
  };
  return list;
}

std::optional<CounterPair> total(const Comparison& comparison, const Audited& what) {
  CounterPair sum;
  for (const char* metric : what.metrics) {
    const auto found = comparison.counters.find(metric);
    if (found == comparison.counters.end()) return std::nullopt;
    sum.predicted += found->second.predicted;
    sum.measured += found->second.measured;
  }
  return sum;
}

std::string amount(const AuditRow& row, double value) {
  return row.points ? fmt::format("{:.1f} points", value) : fmt::format("{:.1f} %", 100 * value);
}

}  // namespace

std::vector<AuditRow> audit(const std::vector<Comparison>& comparisons) {
  std::vector<AuditRow> rows;
  for (const Audited& what : audited()) {
    AuditRow row{what.name, what.points, what.limit, 0, 0, "", 0};
    for (const Comparison& comparison : comparisons) {
      if (!comparison.failure.empty()) continue;
      const std::optional<CounterPair> sum = total(comparison, what);
      if (!sum || (what.points && sum->measured > 100)) continue;
      ++row.cases;
      const double difference = sum->predicted - sum->measured;
      double deviation = difference;
      if (!what.points && difference != 0)
        deviation = sum->measured != 0 ? difference / sum->measured : HUGE_VAL;
      if (std::abs(deviation) <= what.limit || std::abs(difference) <= what.slack) {
        ++row.within;
      } else if (row.worst.empty() || std::abs(deviation) > std::abs(row.deviation)) {
        row.worst = comparison.name;
        row.deviation = deviation;
      }
    }
    if (row.cases != 0) rows.push_back(row);
  }
  return rows;
}

std::string audit_text(const std::vector<AuditRow>& rows) {
  std::string out =
      fmt::format("{:<14} {:>12} {:>7} {:>7}  {}\n", "audit", "limit", "cases", "within", "worst");
  for (const AuditRow& row : rows) {
    out +=
        fmt::format("{:<14} {:>12} {:>7} {:>7}", row.counter, amount(row, row.limit), row.cases, row.within);
    if (!row.worst.empty()) out += fmt::format("  {} {}", row.worst, amount(row, row.deviation));
    out += '\n';
  }
  return out;
}

std::string audit_markdown(const std::vector<AuditRow>& rows) {
  std::string out = "| counter | limit | cases | within | worst |\n| --- | --- | --- | --- | --- |\n";
  for (const AuditRow& row : rows) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", row.counter, amount(row, row.limit), row.cases,
                       row.within, row.worst.empty() ? "" : row.worst + " " + amount(row, row.deviation));
  }
  return out;
}

}  // namespace warpgauge::cli
