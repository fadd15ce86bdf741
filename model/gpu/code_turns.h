// How long a cluster's second level of code is behind with what its SMs have asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/sm/instruction_cache.h"

namespace warpgauge::model {

// What one of the SMs with a first level in common has asked for is there for the others, too, and counts once. Only that is
// looked up here, each SM has tags of its own else: what the others bring makes no code come sooner (by hand on an H200,
// code_of_neighbours).
class CodeTurns {
 public:
  CodeTurns(const FrontEndSpec& spec, const std::vector<unsigned>& gpc_of_sm)
      : interval_(spec.gpc_interval),
        together_(spec.l0_sms),
        gpcs_(gpc_of_sm),
        queues_(gpc_of_sm.size()),
        first_levels_(together_ == 1 ? 0 : (gpc_of_sm.size() + together_ - 1) / together_,
                      TagCache(spec.l0_lines, spec.l0_ways)) {}

  void ask(unsigned sm, const std::vector<std::uint64_t>& lines) {
    for (const std::uint64_t line : lines) {
      if (!first_levels_.empty()) {
        TagCache& first_level = first_levels_[sm / together_];
        if (first_level.touch(line)) continue;
        first_level.insert(line);
      }
      queues_[gpcs_[sm]] += interval_;
    }
  }
  void pass(Cycle cycles) {
    for (double& queue : queues_) queue = std::max(0.0, queue - static_cast<double>(cycles));
  }
  // Cycles until a line that the SM asks for now gets its turn.
  [[nodiscard]] Cycle queue(unsigned sm) const { return static_cast<Cycle>(queues_[gpcs_[sm]]); }

 private:
  double interval_;
  unsigned together_;
  std::vector<unsigned> gpcs_;
  std::vector<double> queues_;  // cycles, by cluster, of which there are no more than SMs
  std::vector<TagCache> first_levels_;  // none where each SM has one of its own
};

}  // namespace warpgauge::model
