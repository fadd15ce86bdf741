// A new register for every web: the graph's constraints hold, and instructions lose few cycles at the ports.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/registers/analysis.h"
#include "model/registers/conflicts.h"

namespace warpgauge::registers {

// What an assignment costs: for each fixed-latency instruction, the distinct webs that it reads through the
// ports.
class ConflictCost {
 public:
  // `served` by instruction: slots (bit 0, 1, 2) whose registers the *next* instruction finds in the reuse
  // cache. `weights` by instruction.
  ConflictCost(const Analysis& analysis, const RegisterFile& file, std::span<const std::uint8_t> served,
               std::span<const double> weights);

  struct Site {
    double weight = 1;
    unsigned cycles = 1;  // that the pipe takes anyway
    std::uint32_t instruction = 0;
    std::vector<WebId> webs;
  };

  [[nodiscard]] double cost(std::uint32_t site, const Assignment& assignment) const;
  [[nodiscard]] double total(const Assignment& assignment) const;
  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] std::span<const std::uint32_t> sites_of(WebId web) const {
    return {of_web_.data() + of_web_begin_[web], of_web_begin_[web + 1] - of_web_begin_[web]};
  }
  [[nodiscard]] unsigned bank(unsigned register_) const { return register_ % banks_; }

 private:
  unsigned banks_;
  unsigned ports_;
  std::vector<Site> sites_;  // only those that can lose cycles
  std::vector<std::size_t> of_web_begin_;
  std::vector<std::uint32_t> of_web_;
};

struct SearchOptions {
  unsigned limit = register_count;  // registers R0…R(limit-1)
  std::uint64_t seed = 1;
  std::uint64_t evaluations = 200'000;    // moves that are tried: the budget that makes results repeatable
  std::chrono::milliseconds time{5'000};  // a stop for very large kernels
};

// Improves a valid assignment by moves, swaps along chains of two registers, and evictions. Never returns a
// worse or an invalid one. The same input gives the same result while the time does not run out.
Assignment improve(const Analysis& analysis, const ConflictCost& cost, Assignment start,
                   const SearchOptions& options);

// Builds an assignment within `limit` registers from nothing; empty when this heuristic finds none.
std::optional<Assignment> colour(const Analysis& analysis, const ConflictCost& cost, unsigned limit,
                                 std::uint64_t seed);

// The fewest registers for which colour() succeeds, and that assignment; the original one if nothing is
// lower.
struct LowestCount {
  unsigned registers = 0;
  Assignment assignment;
};
LowestCount lowest_register_count(const Analysis& analysis, const ConflictCost& cost, std::uint64_t seed);

}  // namespace warpgauge::registers
