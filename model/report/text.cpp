#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/report/csv.h"
#include "model/report/render.h"

namespace warpgauge::model {
namespace {

double metric(const KernelReport& kernel, const char* name) {
  const auto found = kernel.metrics.find(name);
  return found == kernel.metrics.end() ? 0 : found->second;
}

// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string grouped(double value) {
  return grouped(static_cast<std::uint64_t>(value + 0.5));
}

std::string bytes(double value) {
  static constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  unsigned unit = 0;
  while (value >= 1000 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", value) : fmt::format("{:.2f} {}", value, units[unit]);
}

class Section {
 public:
  Section(std::string& out, const char* title) : out_(out) { out_ += fmt::format("  Section: {}\n", title); }
  void row(const char* label, const std::string& value, const char* unit = "") {
    out_ += fmt::format("    {:<40}{:>22}{}{}\n", label, value, *unit == 0 ? "" : " ", unit);
  }

 private:
  std::string& out_;
};

void stall_section(std::string& out, const KernelReport& kernel) {
  const std::uint64_t issued = kernel.stalls[static_cast<std::size_t>(Stall::selected)];
  std::uint64_t total = 0;
  for (const std::uint64_t cycles : kernel.stalls) total += cycles;
  if (issued == 0 || total == 0) return;
  out += "  Section: Warp State Statistics\n";
  out += fmt::format("    {:<40}{:>22.2f} cycles\n", "Warp Cycles Per Issued Instruction",
                     static_cast<double>(total) / static_cast<double>(issued));
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < stall_count; ++s) {
    if (kernel.stalls[s] != 0) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return kernel.stalls[a] > kernel.stalls[b]; });
  for (const std::size_t s : order) {
    const double share = static_cast<double>(kernel.stalls[s]) / static_cast<double>(total);
    out += fmt::format("    {:<22}{:>10.2f}  {:>5.1f} %  {}\n", name(static_cast<Stall>(s)),
                       static_cast<double>(kernel.stalls[s]) / static_cast<double>(issued), 100 * share,
                       std::string(static_cast<std::size_t>(share * 40 + 0.5), '#'));
  }
}

void kernel_text(std::string& out, const KernelReport& kernel, const Report& report) {
  out += fmt::format("{} ({}, {}, {})x({}, {}, {}), {}\n", kernel.name, kernel.grid[0], kernel.grid[1],
                     kernel.grid[2], kernel.block[0], kernel.block[1], kernel.block[2], report.device);
  if (kernel.span) {
    Section s(out, "Time Line");
    s.row("Stream", kernel.span->stream);
    s.row("Start", grouped(kernel.span->start), "cycles");
    s.row("End", grouped(kernel.span->end), "cycles");
  }
  {
    Section s(out, "Speed");
    s.row("Elapsed Cycles", grouped(kernel.cycles), "cycles");
    s.row("Duration", fmt::format("{:.2f}", kernel.time_us), "us");
    s.row("SM Active Cycles", grouped(metric(kernel, "sm__cycles_active.avg")), "cycles");
    s.row("Executed Instructions", grouped(metric(kernel, "smsp__inst_executed.sum")), "warp instructions");
    s.row("Executed Ipc Active",
          fmt::format("{:.2f}", metric(kernel, "sm__inst_executed.avg.per_cycle_active")),
          "instructions/cycle");
    s.row("Executed Ipc Elapsed",
          fmt::format("{:.2f}", metric(kernel, "sm__inst_executed.avg.per_cycle_elapsed")),
          "instructions/cycle");
    s.row("Issue Slots Busy",
          fmt::format("{:.1f}", metric(kernel, "smsp__issue_active.avg.pct_of_peak_sustained_active")), "%");
  }
  {
    Section s(out, "Occupancy");
    s.row("Registers Per Thread", std::to_string(kernel.registers_per_thread));
    s.row("Shared Memory Per Block", bytes(kernel.static_shared_bytes + kernel.dynamic_shared_bytes));
    s.row("Blocks Per SM", std::to_string(kernel.occupancy.blocks_per_sm));
    s.row("Limited By", kernel.occupancy.limiter);
    s.row("Theoretical Occupancy",
          fmt::format("{:.1f}", metric(kernel, "sm__maximum_warps_per_active_cycle_pct")), "%");
    s.row("Achieved Occupancy",
          fmt::format("{:.1f}", metric(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active")), "%");
    s.row("Waves Per SM", fmt::format("{:.2f}", metric(kernel, "launch__waves_per_multiprocessor")));
  }
  {
    Section s(out, "Memory");
    s.row("L1 Sectors", grouped(metric(kernel, "l1tex__t_sectors.sum")), "sectors");
    s.row("L1 Hit Rate", fmt::format("{:.1f}", metric(kernel, "l1tex__t_sector_hit_rate.pct")), "%");
    // Launches beside each other have these in common.
    if (!kernel.span) {
      s.row("L2 Sectors", grouped(metric(kernel, "lts__t_sectors.sum")), "sectors");
      s.row("L2 Hit Rate", fmt::format("{:.1f}", metric(kernel, "lts__t_sector_hit_rate.pct")), "%");
      s.row("DRAM Read", bytes(metric(kernel, "dram__bytes_read.sum")));
      s.row("DRAM Written", bytes(metric(kernel, "dram__bytes_write.sum")));
      s.row("DRAM Throughput",
            fmt::format("{:.1f}", metric(kernel, "dram__throughput.avg.pct_of_peak_sustained_elapsed")),
            "% of peak");
    }
    s.row("Shared Memory Bank Conflicts",
          grouped(metric(kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")), "passes");
  }
  stall_section(out, kernel);
  for (const std::string& note : kernel.notes) out += fmt::format("  Note: {}\n", note);
  out += '\n';
}

// One line a launch, and a bar from its start to its end.
void time_line_text(std::string& out, const Report& report) {
  constexpr std::size_t width = 48;
  std::uint64_t end = 0;
  for (const KernelReport& kernel : report.kernels) end = std::max(end, kernel.span ? kernel.span->end : 0);
  if (end == 0) return;
  const auto column = [&](std::uint64_t at) { return static_cast<std::size_t>(at * width / end); };
  out += fmt::format("Time line, in cycles\n{:>6} {:>12} {:>12} {:>10}  {:<{}}  kernel\n", "launch", "start", "end",
                     "stream", "", width);
  for (const KernelReport& kernel : report.kernels) {
    if (!kernel.span) continue;
    const std::size_t first = std::min(column(kernel.span->start), width - 1);
    const std::size_t last = std::max(column(kernel.span->end), first + 1);
    const std::string bar = std::string(first, ' ') + std::string(last - first, '#');
    out += fmt::format("{:>6} {:>12} {:>12} {:>10}  {:<{}}  {}\n", kernel.launch_index, grouped(kernel.span->start),
                       grouped(kernel.span->end), kernel.span->stream, bar, width, kernel.name);
  }
  out += '\n';
}

void source_text(std::string& out, const KernelReport& kernel) {
  if (kernel.instructions.empty()) return;
  std::uint64_t total = 0;
  for (const InstructionReport& i : kernel.instructions) {
    for (const std::uint64_t cycles : i.stalls) total += cycles;
  }
  out += fmt::format("{}\n", kernel.name);
  out += fmt::format("{:>6} {:>12} {:>7} {:>9} {:>9}  {:<52} {}\n", "index", "issued", "cycles%", "conflicts",
                     "reuse", "instruction", "waited for");
  for (const InstructionReport& i : kernel.instructions) {
    std::uint64_t cycles = 0;
    for (const std::uint64_t c : i.stalls) cycles += c;
    std::vector<std::size_t> order;
    for (std::size_t s = 1; s < stall_count; ++s) {
      if (i.stalls[s] != 0) order.push_back(s);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return i.stalls[a] > i.stalls[b]; });
    std::string reasons;
    for (std::size_t s = 0; s < std::min<std::size_t>(3, order.size()); ++s) {
      reasons += fmt::format(
          "{}{} {:.1f}", s == 0 ? "" : ", ", name(static_cast<Stall>(order[s])),
          i.issued == 0 ? 0.0 : static_cast<double>(i.stalls[order[s]]) / static_cast<double>(i.issued));
    }
    out += fmt::format("{:>6} {:>12} {:>7.2f} {:>9} {:>9}  {:<52} {}\n", i.index, i.issued,
                       total == 0 ? 0.0 : 100 * static_cast<double>(cycles) / static_cast<double>(total),
                       i.bank_conflict_cycles, i.reuse_hits, i.text, reasons);
  }
  out += '\n';
}

}  // namespace

std::string to_text(const Report& report) {
  std::string out;
  for (const KernelReport& kernel : report.kernels) kernel_text(out, kernel, report);
  time_line_text(out, report);
  return out;
}

std::string to_source_text(const Report& report) {
  std::string out;
  for (const KernelReport& kernel : report.kernels) source_text(out, kernel);
  return out;
}

std::string to_csv(const Report& report) {
  std::string out =
      "\"ID\",\"Kernel Name\",\"Grid Size\",\"Block Size\",\"Device\",\"Metric Name\",\"Metric Value\"\n";
  for (const KernelReport& kernel : report.kernels) {
    const std::string head =
        fmt::format("\"{}\",{},\"({}, {}, {})\",\"({}, {}, {})\",{}", kernel.launch_index,
                    csv_quoted(kernel.name), kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0],
                    kernel.block[1], kernel.block[2], csv_quoted(report.device));
    for (const auto& [metric_name, value] : kernel.metrics) {
      out += fmt::format("{},\"{}\",\"{}\"\n", head, metric_name, value);
    }
  }
  return out;
}

}  // namespace warpgauge::model
