// What an SM counts; the metrics of a report are sums of these.
#pragma once

#include <array>
#include <cstdint>

#include "model/report/report.h"

namespace warpgauge::model {

struct SmCounters {
  std::uint64_t issued = 0;
  std::uint64_t thread_instructions = 0;  // lanes whose guard held
  std::uint64_t active_cycles = 0;        // with at least one warp
  std::uint64_t warp_cycles = 0;          // resident
  std::uint64_t blocks = 0;
  std::uint64_t warps = 0;
  std::uint64_t retired = 0;  // instructions that are done
  std::array<std::uint64_t, stall_count> stalls{};

  std::uint64_t register_conflict_cycles = 0;
  std::uint64_t reuse_hits = 0;
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::array<std::uint64_t, 16> unit_instructions{};  // by Unit

  std::uint64_t global_loads = 0;  // warp instructions
  std::uint64_t global_stores = 0;
  std::uint64_t global_atomics = 0;
  std::uint64_t global_reductions = 0;
  std::uint64_t local_loads = 0;
  std::uint64_t local_stores = 0;
  std::uint64_t shared_loads = 0;
  std::uint64_t shared_stores = 0;
  std::uint64_t shared_atomics = 0;
  std::uint64_t global_load_sectors = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t global_atomic_sectors = 0;
  std::uint64_t global_reduction_sectors = 0;
  std::uint64_t local_load_sectors = 0;
  std::uint64_t local_store_sectors = 0;
  std::uint64_t global_load_hit_sectors = 0;
  std::uint64_t local_load_hit_sectors = 0;
  std::uint64_t global_store_hit_sectors = 0;
  std::uint64_t local_store_hit_sectors = 0;
  std::uint64_t global_load_requests = 0;  // tag lookups: distinct lines
  std::uint64_t global_store_requests = 0;
  std::uint64_t texture_loads = 0;  // fetches and loads of surfaces; their requests, of four or eight lanes
  std::uint64_t texture_requests = 0;
  std::uint64_t texture_sectors = 0;  // of each request
  std::uint64_t texture_hit_sectors = 0;
  std::uint64_t shared_load_passes = 0;
  std::uint64_t shared_store_passes = 0;
  std::uint64_t shared_load_conflicts = 0;
  std::uint64_t shared_store_conflicts = 0;
  std::uint64_t data_stage_cycles = 0;

  std::uint64_t code_l0_misses = 0;
  std::uint64_t code_l1_misses = 0;
  std::uint64_t constant_misses = 0;
  std::uint64_t constant_loads = 0;  // addresses of LDC, and those that hit
  std::uint64_t constant_load_hits = 0;

  std::uint64_t requests = 0;  // to the memory system, and its answers
  std::uint64_t replies = 0;
};

}  // namespace warpgauge::model
