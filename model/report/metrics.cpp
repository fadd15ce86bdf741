#include "model/report/metrics.h"

#include <array>
#include <bit>
#include <string>

namespace warpgauge::model {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100 * ratio(part, whole);
}

}  // namespace

const char* name(Stall stall) {
  static constexpr std::array<const char*, stall_count> names{"selected",
                                                              "not_selected",
                                                              "wait",
                                                              "long_scoreboard",
                                                              "short_scoreboard",
                                                              "math_pipe_throttle",
                                                              "gmma",
                                                              "mio_throttle",
                                                              "lg_throttle",
                                                              "tex_throttle",
                                                              "dispatch_stall",
                                                              "imc_miss",
                                                              "no_instruction",
                                                              "branch_resolving",
                                                              "barrier",
                                                              "membar",
                                                              "sleeping",
                                                              "drain",
                                                              "misc"};
  return names[static_cast<std::size_t>(stall)];
}

// SmCounters is nothing but 64-bit sums.
void add(SmCounters& sum, const SmCounters& other) {
  static_assert(sizeof(SmCounters) % sizeof(std::uint64_t) == 0);
  constexpr std::size_t count = sizeof(SmCounters) / sizeof(std::uint64_t);
  using Flat = std::array<std::uint64_t, count>;
  auto a = std::bit_cast<Flat>(sum);
  const auto b = std::bit_cast<Flat>(other);
  for (std::size_t i = 0; i < count; ++i) a[i] += b[i];
  sum = std::bit_cast<SmCounters>(a);
}

void fill_metrics(KernelReport& report, const MachineSpec& spec, const SmCounters& sm,
                  const MemoryCounters& memory) {
  auto& m = report.metrics;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double sms = spec.occupancy.sms;
  const double cycles = number(report.cycles);

  m["gpc__cycles_elapsed.max"] = cycles;
  m["gpu__time_duration.sum"] = report.time_us * 1000;
  m["sm__cycles_active.avg"] = number(sm.active_cycles) / sms;
  m["smsp__inst_executed.sum"] = number(sm.issued);
  m["smsp__thread_inst_executed_pred_on.sum"] = number(sm.thread_instructions);
  m["sm__inst_executed.avg.per_cycle_active"] = ratio(sm.issued, sm.active_cycles);
  m["sm__inst_executed.avg.per_cycle_elapsed"] = cycles == 0 ? 0 : number(sm.issued) / sms / cycles;
  m["smsp__issue_active.avg.pct_of_peak_sustained_active"] =
      percent(sm.issued, sm.active_cycles * spec.sm.subcores);
  m["sm__warps_active.avg.pct_of_peak_sustained_active"] =
      percent(sm.warp_cycles, sm.active_cycles * spec.occupancy.max_warps);
  m["sm__maximum_warps_per_active_cycle_pct"] =
      percent(report.occupancy.warps_per_sm, report.occupancy.max_warps_per_sm);
  m["launch__block_count"] = number(sm.blocks);
  m["launch__waves_per_multiprocessor"] = number(sm.blocks) / (sms * report.occupancy.blocks_per_sm);
  m["launch__registers_per_thread"] = report.registers_per_thread;

  static constexpr std::array<std::pair<Unit, const char*>, 9> pipes{{
      {Unit::fma_heavy, "fma"},
      {Unit::alu, "alu"},
      {Unit::fp16, "fp16"},
      {Unit::fp64, "fp64"},
      {Unit::xu, "xu"},
      {Unit::tensor, "tensor"},
      {Unit::uniform, "uniform"},
      {Unit::branch, "cbu"},
      {Unit::memory, "lsu"},
  }};
  for (const auto& [unit, pipe] : pipes) {
    m[std::string("sm__inst_executed_pipe_") + pipe + ".sum"] =
        number(sm.unit_instructions[static_cast<std::size_t>(unit)]);
  }
  m["smsp__sass_branch_targets.sum"] = number(sm.branches);
  m["smsp__sass_branch_targets_threads_divergent.sum"] = number(sm.divergent_branches);

  m["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = number(sm.global_loads);
  m["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] = number(sm.global_stores);
  m["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = number(sm.global_load_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] = number(sm.global_load_hit_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] = number(sm.global_store_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum"] = number(sm.global_store_hit_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum"] = number(sm.local_load_hit_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum"] = number(sm.local_store_hit_sectors);
  m["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"] = number(sm.global_atomics);
  m["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"] = number(sm.global_reductions);
  m["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"] = number(sm.local_loads);
  m["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"] = number(sm.local_stores);
  m["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"] = number(sm.global_atomic_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"] = number(sm.global_reduction_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"] = number(sm.local_load_sectors);
  m["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"] = number(sm.local_store_sectors);
  const std::uint64_t l1_sectors = sm.global_load_sectors + sm.global_store_sectors +
                                   sm.global_atomic_sectors + sm.global_reduction_sectors +
                                   sm.local_load_sectors + sm.local_store_sectors + sm.texture_sectors;
  m["l1tex__t_sectors.sum"] = number(l1_sectors);
  m["l1tex__t_sector_hit_rate.pct"] = percent(sm.global_load_hit_sectors + sm.local_load_hit_sectors +
                                                  sm.global_store_hit_sectors + sm.local_store_hit_sectors +
                                                  sm.texture_hit_sectors,
                                              l1_sectors);
  if (sm.texture_loads != 0) {
    m["l1tex__t_requests_pipe_tex.sum"] = number(sm.texture_requests);
    m["l1tex__t_sectors_pipe_tex.sum"] = number(sm.texture_sectors);
    m["l1tex__t_sectors_pipe_tex_lookup_hit.sum"] = number(sm.texture_hit_sectors);
  }
  m["l1tex__data_pipe_lsu_wavefronts.sum"] = number(sm.data_stage_cycles);
  m["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] =
      number(sm.shared_load_conflicts + sm.shared_store_conflicts);
  m["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = number(sm.shared_load_conflicts);
  m["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"] = number(sm.shared_store_conflicts);
  m["smsp__inst_executed_op_shared_ld.sum"] = number(sm.shared_loads);
  m["smsp__inst_executed_op_shared_st.sum"] = number(sm.shared_stores);

  m["idc__requests.sum"] = number(sm.constant_loads);
  m["idc__requests_lookup_hit.sum"] = number(sm.constant_load_hits);
  m["lts__t_requests.sum"] = number(memory.l2_requests);
  m["lts__t_sectors.sum"] = number(memory.l2_sectors);
  m["lts__t_sectors_op_read.sum"] = number(memory.l2_read_sectors);
  m["lts__t_sectors_op_write.sum"] = number(memory.l2_write_sectors);
  m["lts__t_sectors_op_atom.sum"] = number(memory.l2_atomic_sectors);
  m["lts__t_sectors_op_red.sum"] = number(memory.l2_reduction_sectors);
  m["lts__t_sectors_srcunit_tex.sum"] = number(memory.l1_sectors);
  m["lts__t_requests_srcunit_tex_op_write.sum"] = number(memory.l1_write_requests);
  m["lts__t_sectors_srcunit_tex_op_write.sum"] = number(memory.l1_write_sectors);
  m["lts__t_sector_hit_rate.pct"] = percent(memory.l2_hit_sectors, memory.l2_sectors);
  m["lts__t_sector_op_read_hit_rate.pct"] = percent(memory.l2_read_hit_sectors, memory.l2_read_sectors);
  m["dram__bytes_read.sum"] = number(memory.dram_read_bytes);
  m["dram__bytes_write.sum"] = number(memory.dram_write_bytes);
  const double peak = spec.dram_peak_bytes_per_cycle * cycles;
  m["dram__throughput.avg.pct_of_peak_sustained_elapsed"] =
      peak == 0 ? 0 : 100 * number(memory.dram_read_bytes + memory.dram_write_bytes) / peak;

  for (std::size_t s = 0; s < stall_count; ++s) {
    const char* reason = name(static_cast<Stall>(s));
    m[std::string("smsp__average_warps_issue_stalled_") + reason + "_per_issue_active.ratio"] =
        ratio(sm.stalls[s], sm.issued);
  }
}

void drop_shared_metrics(KernelReport& report) {
  std::erase_if(report.metrics, [](const auto& metric) {
    return metric.first.starts_with("lts__") || metric.first.starts_with("dram__") || metric.first.starts_with("idc__");
  });
}

}  // namespace warpgauge::model
