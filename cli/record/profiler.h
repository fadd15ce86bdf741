// Nsight Compute: what to ask it for, and reading its tables.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warpgauge::cli::record {

// gpc__cycles_elapsed.max and what else tells how long a launch took: one pass.
const std::vector<std::string>& cycle_metrics();
// Traffic and hit rates, cycles too.
const std::vector<std::string>& memory_metrics();

// The base names in `ncu --query-metrics`' answer; nothing where it is not such an answer.
std::optional<std::set<std::string>> offered_metrics(const std::string& answer);

struct Wanted {
  std::vector<std::string> metrics;      // every counter, of those that are offered
  std::vector<std::string> not_offered;  // and those that are not
};
// Without a list of what is offered, all of them.
Wanted wanted_metrics(const std::optional<std::set<std::string>>& offered);

// The metrics, of those asked for, that it says it does not know.
std::vector<std::string> unknown_metrics(const std::string& output, const std::vector<std::string>& asked);

// One launch as Nsight Compute tells it.
struct ProfilerRow {
  std::string kernel;
  std::vector<unsigned> grid;
  std::vector<unsigned> block;
  std::map<std::string, double> metrics;
};
// The rows of `--csv --page raw`, whatever stands before the table.
std::vector<ProfilerRow> read_rows(const std::string& text);

}  // namespace warpgauge::cli::record
