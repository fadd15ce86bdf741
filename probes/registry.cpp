#include <array>

#include "probes/probe.h"

namespace warpgauge::probes {

extern const Probe launch_empty, launch_placement, issue_schedulers, issue_barrier, issue_fences, instruction_chains, matrix_shapes,
    constant_chase, fetch_straight, shared_patterns, l1_widths, l1_patterns, l1_carveouts, l1_in_flight, l1_stores, memory_footprints,
    memory_first_touch, l2_map, l2_bandwidth, dram_bandwidth, memory_loaded, tlb_pages, atomics_patterns, clocks_load, clocks_matrix, issue_codes, counter_rules, control_steps, issue_policy, instruction_distances,
    predicate_distances, uniform_distances, instruction_intervals, instruction_tracked, register_banks, case_study, memory_access, memory_queue, memory_backlog, memory_streams, matrix_distances, fetch_timeline, constant_operands, constant_divergent, barrier_release, random_blocks, loop_branches,
    constant_misses, fetch_spread, l1_sets, l2_sets, constant_sets, fetch_sets, memory_load_curve, l1_scattered, memory_random, l2_atomics, memory_refresh, memory_two_addresses, links_host, links_peer, texture_latency, spin_rate,
    spin_seen, async_copies, saxpy_widths, ptx_latency, gemm_throughput, matrix_layout, match_values, branch_paths, branch_rates, constant_rows, register_warps, register_streams, register_timelines, register_pipes, load_writes, register_sequences, issue_turns, issue_yields, stored_sectors, issue_waits, issue_pairs, branch_stall_counts, fetch_sharing, pipe_sharing, issue_mixes, l1_replacement,
    constant_replacement, constant_lines, constant_ways, fetch_lines, pipe_queues, launch_warps, launch_clusters, l2_slices, l2_replacement, atomics_types, issue_holds, issue_blocks, issue_block_queues, issue_guards, issue_deferred, issue_nested;

std::span<const Probe* const> all_probes() {
  static constexpr std::array probes = {
      &issue_codes, &counter_rules, &control_steps, &issue_policy, &instruction_distances, &predicate_distances, &uniform_distances,
      &instruction_intervals, &instruction_tracked, &register_banks, &case_study, &memory_access, &memory_queue, &memory_backlog, &memory_streams, &fetch_timeline, &constant_operands, &constant_divergent, &barrier_release, &random_blocks, &loop_branches,
      &launch_empty,    &launch_placement, &issue_schedulers,  &issue_barrier,      &issue_fences, &instruction_chains,
      &matrix_shapes, &matrix_distances,   &constant_chase,   &fetch_straight,    &shared_patterns,    &l1_widths,    &l1_patterns,
      &l1_carveouts,    &l1_in_flight,     &l1_stores,         &memory_footprints,  &memory_first_touch, &l2_map,
      &l2_bandwidth,    &dram_bandwidth,   &memory_loaded,     &tlb_pages,          &atomics_patterns,   &constant_misses, &fetch_spread, &l1_sets, &l2_sets, &constant_sets,
      &fetch_sets, &memory_load_curve, &l1_scattered, &memory_random, &l2_atomics, &memory_refresh, &memory_two_addresses, &spin_rate, &spin_seen, &async_copies, &saxpy_widths, &texture_latency, &ptx_latency, &gemm_throughput, &matrix_layout, &match_values, &branch_paths, &branch_rates, &constant_rows, &register_warps, &register_streams, &register_timelines, &register_pipes, &load_writes, &register_sequences, &issue_turns, &issue_yields, &stored_sectors, &issue_waits, &issue_pairs, &branch_stall_counts, &fetch_sharing, &pipe_sharing, &issue_mixes, &l1_replacement, &constant_replacement, &constant_lines, &constant_ways, &fetch_lines, &pipe_queues, &launch_warps, &launch_clusters, &l2_slices, &l2_replacement, &atomics_types, &issue_holds, &issue_blocks, &issue_block_queues, &issue_guards, &issue_deferred, &issue_nested, &links_host, &links_peer, &clocks_load, &clocks_matrix};
  return probes;
}

}  // namespace warpgauge::probes
