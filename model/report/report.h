// What leaves the model: plain data, versioned, from which text, JSON, HTML and traces are rendered.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::model {

// Why a warp did not issue in a cycle, by Nsight Compute's names; `selected` is the cycle in which it did.
enum class Stall : std::uint8_t {
  selected,
  not_selected,
  wait,              // fixed stall count of the control word
  long_scoreboard,   // global, local, texture memory
  short_scoreboard,  // shared memory, MUFU and other variable-latency results
  math_pipe_throttle,
  gmma,  // of warpgroup products, what is neither a barrier (WARPGROUP.DEPBAR) nor mio_throttle (their queue): the model has none
  mio_throttle,
  lg_throttle,
  tex_throttle,
  dispatch_stall,
  imc_miss,        // immediate constant cache miss
  no_instruction,  // instruction cache miss or empty instruction buffer
  branch_resolving,
  barrier,
  membar,
  sleeping,
  drain,
  misc,
  count
};

inline constexpr std::size_t stall_count = static_cast<std::size_t>(Stall::count);

// "long_scoreboard" …
const char* name(Stall stall);

struct Occupancy {
  unsigned blocks_per_sm = 0;
  unsigned warps_per_sm = 0;
  unsigned max_warps_per_sm = 0;
  std::uint64_t shared_config_bytes = 0;  // of the L1 and shared memory, what an SM is divided to for shared memory
  std::string limiter;  // "registers", "shared_memory", "warps", "blocks" or "grid"
};

struct InstructionReport {
  std::uint32_t index = 0;
  std::string text;
  std::uint64_t issued = 0;  // warp instructions
  std::uint64_t thread_instructions = 0;
  std::array<std::uint64_t, stall_count> stalls{};  // warp-cycles spent before this instruction, by reason
  std::uint64_t bank_conflict_cycles = 0;
  std::uint64_t reuse_hits = 0;
};

// Where a launch lies on the time line of a run of several; cycles from the beginning of the run.
struct TimeLineSpan {
  std::string stream;  // "default", or its number as the program has made them
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

struct KernelReport {
  std::string name;  // demangled
  std::string symbol;
  std::uint32_t launch_index = 0;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;

  std::uint64_t cycles = 0;  // gpc__cycles_elapsed.max
  double time_us = 0;        // at the calibrated SM clock
  Occupancy occupancy;

  // Nsight Compute's metric names, in its units.
  std::map<std::string, double> metrics;
  // Warp-cycles by reason over all warps; their sum is the resident warp-cycles.
  std::array<std::uint64_t, stall_count> stalls{};
  std::vector<InstructionReport> instructions;
  std::vector<std::string> notes;  // what the prediction does not cover for this kernel
  std::optional<TimeLineSpan> span;  // of a launch beside others: then counters that all have in common are missing
};

struct Report {
  static constexpr const char* schema = "warpgauge-report/1";
  std::string device;
  std::string calibration_id;
  std::string calibration_hash;
  std::vector<KernelReport> kernels;
};

}  // namespace warpgauge::model
