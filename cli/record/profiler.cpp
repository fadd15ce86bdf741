#include "cli/record/profiler.h"

#include <algorithm>
#include <charconv>
#include <regex>

namespace warpgauge::cli::record {
namespace {

// Fields of one line of comma-separated values, quotes taken off.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        found.back() += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      found.emplace_back();
    } else if (c != '\r') {
      found.back() += c;
    }
  }
  return found;
}

// "1,234.5" without the commas of thousands.
std::optional<double> number(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::vector<unsigned> whole_numbers(const std::string& text) {
  std::vector<unsigned> found;
  bool inside = false;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      inside = false;
      continue;
    }
    if (!inside) found.push_back(0);
    inside = true;
    found.back() = found.back() * 10 + static_cast<unsigned>(c - '0');
  }
  return found;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> all_counters() {
  std::vector<std::string> all = cycle_metrics();
  for (const char* what : {"launch__registers_per_thread", "launch__shared_mem_per_block_static",
                           "launch__shared_mem_per_block_dynamic", "launch__shared_mem_config_size",
                           "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem",
                           "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks",
                           "launch__occupancy_per_block_size", "launch__waves_per_multiprocessor"}) {
    all.emplace_back(what);
  }
  all.insert(all.end(), memory_metrics().begin() + static_cast<std::ptrdiff_t>(cycle_metrics().size()),
             memory_metrics().end());
  for (const char* what : {"smsp__inst_executed.sum",
                           "smsp__inst_issued.sum",
                           "smsp__thread_inst_executed.sum",
                           "smsp__issue_active.sum",
                           "smsp__cycles_active.sum",
                           "smsp__cycles_active.max",
                           "sm__cycles_active.max",
                           "sm__cycles_active.min",
                           "smsp__warps_launched.sum",
                           "sm__ctas_launched.sum",
                           "smsp__warps_active.avg",
                           "sm__warps_active.avg.pct_of_peak_sustained_active",
                           "smsp__warps_eligible.avg.per_cycle_active",
                           "sm__cycles_elapsed.avg.per_second",
                           "dram__cycles_elapsed.avg.per_second",
                           "lts__cycles_elapsed.avg.per_second",
                           "sm__maximum_warps_per_active_cycle_pct",
                           "l1tex__data_bank_conflicts_pipe_lsu.sum",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
                           "l1tex__data_bank_reads.sum",
                           "l1tex__data_bank_writes.sum",
                           "l1tex__data_pipe_lsu_wavefronts.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
                           "l1tex__lsuin_requests.sum",
                           "l1tex__lsu_writeback_active.sum",
                           "l1tex__m_xbar2l1tex_read_sectors.sum",
                           "l1tex__m_l1tex2xbar_write_sectors.sum",
                           "idc__requests.sum",
                           "idc__requests_lookup_hit.sum",
                           "sm__icc_requests.sum",
                           "sm__icc_requests_lookup_hit.sum",
                           "gcc__requests.sum"}) {
    all.emplace_back(what);
  }
  return all;
}

std::string base_name(const std::string& metric) {
  return metric.substr(0, metric.find('.'));
}

}  // namespace

const std::vector<std::string>& cycle_metrics() {
  static const std::vector<std::string> metrics = {"gpc__cycles_elapsed.max", "sm__cycles_active.avg",
                                                   "gpu__time_duration.sum"};
  return metrics;
}

const std::vector<std::string>& memory_metrics() {
  static const std::vector<std::string> metrics = [] {
    std::vector<std::string> all = cycle_metrics();
    for (const std::string what : {"sectors", "requests"}) {
      for (const std::string space : {"global", "local"}) {
        for (const std::string op : {"ld", "st", "red", "atom"})
          all.push_back("l1tex__t_" + what + "_pipe_lsu_mem_" + space + "_op_" + op + ".sum");
      }
      all.push_back("l1tex__t_" + what + "_pipe_lsu_mem_global_op_ldgsts.sum");
    }
    for (const std::string space : {"global", "local"}) {
      for (const std::string op : {"ld", "st"}) {
        for (const std::string result : {"hit", "miss"})
          all.push_back("l1tex__t_sectors_pipe_lsu_mem_" + space + "_op_" + op + "_lookup_" + result +
                        ".sum");
      }
    }
    for (const char* what :
         {"l1tex__t_sector_hit_rate.pct", "lts__t_sectors.sum", "lts__t_requests.sum",
          "lts__t_tag_requests.sum", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
          "lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum", "lts__t_sectors_op_read_lookup_hit.sum",
          "lts__t_sectors_op_read_lookup_miss.sum", "lts__t_sectors_srcunit_tex.sum",
          "lts__t_requests_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_lookup_hit.sum",
          "lts__t_sectors_srcunit_tex_lookup_miss.sum", "lts__t_sectors_srcunit_ltcfabric.sum",
          "lts__t_sector_hit_rate.pct", "dram__bytes_read.sum", "dram__bytes_write.sum"}) {
      all.emplace_back(what);
    }
    return all;
  }();
  return metrics;
}

std::optional<std::set<std::string>> offered_metrics(const std::string& answer) {
  static const std::regex name("^\\s*([a-z0-9]+__\\w+)");
  std::set<std::string> found;
  for (const std::string& line : lines_of(answer)) {
    std::smatch match;
    if (std::regex_search(line, match, name)) found.insert(match[1]);
  }
  // A card offers some thousands; a handful is an error message.
  if (found.size() <= 100) return std::nullopt;
  return found;
}

Wanted wanted_metrics(const std::optional<std::set<std::string>>& offered) {
  std::vector<std::string> asked = all_counters();
  const auto stall = [](const std::string& reason) {
    return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
  };
  static const std::regex stall_name("smsp__average_warps_issue_stalled_\\w+_per_issue_active");
  static const std::regex pipe_name("smsp__inst_executed_pipe_\\w+");
  bool stalls = false;
  if (offered) {
    for (const std::string& name : *offered) {
      if (std::regex_match(name, stall_name)) {
        asked.push_back(name + ".ratio");
        stalls = true;
      } else if (std::regex_match(name, pipe_name)) {
        asked.push_back(name + ".sum");
      }
    }
  } else {
    for (const char* pipe : {"alu", "fma", "fmaheavy", "fmalite", "fp16", "fp64", "lsu", "adu", "cbu",
                             "uniform", "xu", "tensor_op_hmma", "tensor_op_imma", "tensor_op_dmma"})
      asked.push_back(std::string("smsp__inst_executed_pipe_") + pipe + ".sum");
  }
  Wanted wanted;
  for (const std::string& metric : asked) {
    // Figures of the launch are not in the list, and are told all the same.
    const bool known = !offered || metric.starts_with("launch__") ||
                       metric == "sm__maximum_warps_per_active_cycle_pct" ||
                       offered->contains(base_name(metric));
    (known ? wanted.metrics : wanted.not_offered).push_back(metric);
  }
  if (!stalls) {
    // Not all versions list them; all answer to them.
    for (const char* reason :
         {"barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle",
          "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction",
          "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait"})
      wanted.metrics.push_back(stall(reason));
  }
  return wanted;
}

std::vector<std::string> unknown_metrics(const std::string& output, const std::vector<std::string>& asked) {
  static const std::regex complaint("[Ff]ailed to find metric[s]?:? ?'?([\\w.]+)");
  std::vector<std::string> unknown;
  for (std::sregex_iterator at(output.begin(), output.end(), complaint), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (std::find(asked.begin(), asked.end(), name) != asked.end()) unknown.push_back(name);
  }
  return unknown;
}

std::vector<ProfilerRow> read_rows(const std::string& text) {
  std::vector<ProfilerRow> rows;
  std::vector<std::string> head;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with('"')) continue;
    std::vector<std::string> row = fields(line);
    if (row.front() == "ID") {
      head = std::move(row);
      continue;
    }
    // Below the head stands a row of units, without a number.
    if (head.empty() || row.size() != head.size() || !number(row.front())) continue;
    ProfilerRow found;
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (head[i] == "Kernel Name") found.kernel = row[i].substr(0, row[i].find('('));
      if (head[i] == "Grid Size") found.grid = whole_numbers(row[i]);
      if (head[i] == "Block Size") found.block = whole_numbers(row[i]);
      if (head[i].find("__") == std::string::npos) continue;
      if (const std::optional<double> value = number(row[i])) found.metrics[head[i]] = *value;
    }
    rows.push_back(std::move(found));
  }
  return rows;
}

}  // namespace warpgauge::cli::record
