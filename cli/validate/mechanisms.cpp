// The mechanisms that `validate --ablate` idealises, each as a change of the calibration.
#include <fmt/format.h>

#include <algorithm>

#include "calib/check.h"
#include "cli/failure.h"
#include "cli/validate/ablation.h"

namespace warpgauge::cli {
namespace {

using calib::Calibration;

// More than any kernel can use of it in a cycle.
constexpr double no_limit = 1e6;

// No instruction takes its unit for more than a cycle.
struct OneCycle {
  void operator()(const calib::Key& key, calib::Integer& value) const {
    const bool interval = key.path.ends_with(".issue_interval");
    if (interval && value > 1) value = 1;
  }
  template <class T>
  void operator()(const calib::Key&, T&) const {}
};

void flatten(calib::List& latencies) {
  if (!latencies.empty()) latencies.assign(latencies.size(), latencies.front());
}

}  // namespace

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all = {
      {"register_ports",
       "A register bank serves all that an instruction reads in one cycle: no bank conflicts.",
       [](Calibration& c) { c.registers.read_ports_per_bank = 8; }},
      {"reuse_cache", "Taken away: every operand is read from its bank.",
       [](Calibration& c) { c.registers.reuse_slots = 0; }},
      {"math_pipes", "Every pipe, matrix units among them, takes an instruction a cycle.",
       [](Calibration& c) { calib::visit(c, OneCycle{}); }},
      {"prefetch", "Taken away: no stream buffer runs ahead and no code is there before the kernel starts.",
       [](Calibration& c) {
         c.front_end.l0_prefetch_lines = 0;
         c.front_end.launch_prefetch_bytes = 0;
       }},
      {"instruction_caches", "All code is one cycle away from the L0, as much of it as one likes a cycle.",
       [](Calibration& c) {
         c.front_end.l1_bytes = calib::Bytes{1} << 20;
         c.front_end.launch_prefetch_bytes = calib::Bytes{1} << 20;
         c.front_end.launch_prefetch_interval = 0;
         c.front_end.l1_latency = 1;
         c.front_end.l0_prefetch_delay = 0;
         c.front_end.l1_lines_per_cycle = 0;
       }},
      {"constant_caches", "Constants are always in the nearest cache.",
       [](Calibration& c) {
         c.constant.l0_miss_delay = 0;
         c.constant.l15_latency = c.constant.l1_latency;
         c.constant.l2_latency = c.constant.l1_latency;
         c.constant.l1_miss_interval = 0;
         c.constant.lines_in_flight = 0;
         c.constant.return_interval = 0;
       }},
      {"constant_addresses", "A load of constants serves any number of different addresses at once.",
       [](Calibration& c) {
         c.constant.cycles_per_address = 0;
         c.constant.address_interval = 0;
         c.constant.unit_interval = 1;
       }},
      {"branches", "A branch costs one issue slot, diverging and coming together nothing.",
       [](Calibration& c) {
         c.issue.branch_cost = 1;
         c.issue.taken_branch_cost = 1;
         c.issue.divergent_branch_extra = 0;
         c.issue.reconverge_cost = 1;
         c.issue.divergence_switch_cost = 0;
         c.issue.indirect_branch_extra = 0;
       }},
      {"barriers", "The barrier unit takes all warps at once; the last to arrive goes on in the next cycle.",
       [](Calibration& c) {
         c.issue.barrier_latency = 1;
         c.issue.barrier_per_warp = 0;
         c.issue.barrier_min_distance = 1;
       }},
      {"late_reads", "What memory instructions and special functions read takes nothing of dispatch.",
       [](Calibration& c) { c.registers.operand_cycles = 0; }},
      {"memory_queue", "A processing block holds 15 memory instructions.",
       [](Calibration& c) { c.lsu.queue_entries = 15; }},
      {"address_units", "A processing block takes the addresses of a memory instruction in one cycle.",
       [](Calibration& c) {
         c.lsu.address_interval = 1;
         c.lsu.address_interval_uniform = 1;
         c.lsu.address_interval_shared_load = 1;
         c.lsu.address_interval_store_global = 1;
         c.lsu.store_global_interval = 1;
         c.lsu.shared_unit_interval = 1;
       }},
      {"matrix_clock", "Matrix instructions leave the SMs' clock as it is.", [](Calibration& c) { c.clocks.sm_matrix = c.clocks.sm; }},
      {"shared_conflicts", "Lanes on different words of one bank of shared memory do not take turns.",
       [](Calibration& c) { c.shared.bank_conflicts = false; }},
      {"l1_tags", "The L1's tags lie in 64 banks and so look up nearly any number of lines at once.",
       [](Calibration& c) {
         c.l1.tag_lines_per_cycle = 64;
         c.l1.tag_bank_masks.clear();
       }},
      {"l1_sets", "The L1 holds whatever lines its data has room for.",
       [](Calibration& c) {
         c.l1.sets = 4;
         c.l1.tag_ways = 0;
       }},
      {"l1_misses", "Any number of misses and loads can be under way.",
       [](Calibration& c) {
         c.l1.misses_in_flight = 1000000;
         c.l1.sectors_in_flight = 1000000;
         c.lsu.loads_in_flight_per_sm = 1000000;
       }},
      {"l1_stores", "A store that misses the L1 leaves nothing there.",
       [](Calibration& c) { c.l1.stores_allocate = false; }},
      {"crossbar", "The ports of SMs and clusters carry any number of bytes a cycle.",
       [](Calibration& c) {
         c.interconnect.sm_request_bytes_per_cycle = no_limit;
         c.interconnect.sm_reply_bytes_per_cycle = no_limit;
         c.interconnect.tpc_reply_bytes_per_cycle = 0;
         c.interconnect.gpc_request_bytes_per_cycle = 0;
         c.interconnect.gpc_reply_bytes_per_cycle = no_limit;
       }},
      {"l2_slices", "A slice of the L2 takes any number of requests and moves any number of bytes a cycle.",
       [](Calibration& c) {
         c.l2.slice_bytes_per_cycle = no_limit;
         c.l2.slice_write_bytes_per_cycle = no_limit;
         c.l2.slice_partial_write_extra = 0;
         c.l2.slice_request_interval = 0;
         c.l2.read_bandwidth = no_limit * no_limit;
       }},
      {"far_partition", "The L2 is one: no line is far, and none is there twice.",
       [](Calibration& c) {
         c.l2.partitions = 1;
         c.l2.far_extra = 0;
       }},
      {"tlb", "Every address is translated at once.",
       [](Calibration& c) {
         c.tlb.l1.miss_extra = 0;
         c.tlb.l2.miss_extra = 0;
         c.tlb.l3.miss_extra = 0;
       }},
      {"dram_latency", "DRAM answers as fast as the L2, at its own bandwidth.",
       [](Calibration& c) { c.dram.latency = c.l2.hit_latency + 1; }},
      {"dram_refresh", "No access meets a refresh.", [](Calibration& c) { c.dram.refresh_interval = 0; }},
      {"dram_rows", "Every access to DRAM finds its row open.",
       [](Calibration& c) {
         c.dram.row_cycle = 0;
         c.dram.row_interval = 0;
         c.dram.row_miss_extra = 0;
       }},
      {"dram_turnaround", "DRAM reaches its peak in reading, in writing and in both.",
       [](Calibration& c) {
         c.dram.read_efficiency = 100;
         c.dram.write_efficiency = 100;
         c.dram.mixed_efficiency = 100;
         c.dram.read_mix_efficiency = 100;
         c.dram.write_mix_efficiency = 100;
       }},
      {"atomics",
       "Atomics on one word cost what atomics on different words do, in shared memory and in the L2.",
       [](Calibration& c) {
         flatten(c.atomics.shared_latency);
         flatten(c.atomics.global_latency);
         c.atomics.shared_rate = 32;
         c.atomics.slice_same_word = no_limit;
         c.atomics.slice_same_word_float = no_limit;
         c.atomics.slice_same_line = no_limit;
       }},
      {"launch", "A kernel begins with its first block and ends with its last.",
       [](Calibration& c) {
         c.launch.begin_overhead = 0;
         c.launch.end_overhead = 0;
         c.launch.l2_barrier_interval = 0;
         c.launch.sm_spread = 0;
         c.launch.end_acknowledged = 0;
       }},
      {"block_launch", "Blocks start at once wherever there is room, and end all at once.",
       [](Calibration& c) {
         c.launch.block_interval = 0;
         c.launch.block_end_interval = 0;
         c.launch.sm_block_interval = 0;
         c.launch.sm_warp_interval = 0;
         c.launch.block_start_latency = 0;
         c.launch.warp_interval = 0;
         // The model's SMs learn of blocks that ended elsewhere no sooner.
         c.launch.block_replace_latency = 16;
       }},
  };
  return all;
}

std::vector<const Mechanism*> find_mechanisms(const std::string& names) {
  std::vector<const Mechanism*> found;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    begin = end + 1;
    std::string known;
    bool is_known = false;
    for (const Mechanism& m : mechanisms()) {
      if (name == "all" || name == m.name) {
        found.push_back(&m);
        is_known = true;
      }
      known += (known.empty() ? "" : ", ") + std::string(m.name);
    }
    if (!is_known) {
      throw Failure(ExitCode::usage, fmt::format("--ablate: no mechanism \"{}\"; there are {}", name, known));
    }
  }
  return found;
}

Calibration idealised(const Calibration& calibration, const Mechanism& mechanism,
                      std::vector<calib::Difference>& changes) {
  Calibration changed = calibration;
  mechanism.idealise(changed);
  changes = calib::diff(calibration, changed);
  calib::check(changed, mechanism.name);
  return changed;
}

}  // namespace warpgauge::cli
