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

// Which reads the search may take as served by the reuse cache.
enum class ReuseView : std::uint8_t {
  nowhere,
  as_compiled,  // under the flags that the code has, as long as the entry survives
  wherever_legal,
  wherever_legal_without_yields,  // …when requests to give way are dropped for it
};

// What an assignment costs: for each fixed-latency instruction, the distinct webs that it reads through the
// ports. Whether the reuse cache serves a read depends on the assignment too: an entry survives the reads of
// the other bank.
class ConflictCost {
 public:
  // `weights` by instruction: how often a warp runs it. With `plant` the cost counts the cycles that an
  // instruction could still lose, so that the search plants conflicts.
  ConflictCost(const Analysis& analysis, const RegisterFile& file, ReuseView view,
               std::span<const double> weights, bool plant = false);

  struct Read {
    WebId web = no_web;
    bool may_hit = false;  // an earlier read of the same web in the same slot may leave it in the cache…
    std::uint32_t blockers = 0;  // …unless one of these webs lies in its bank: [blockers, blockers_end)
    std::uint32_t blockers_end = 0;
  };
  struct Site {
    double weight = 1;
    unsigned cycles = 1;  // that the pipe takes anyway
    std::uint32_t instruction = 0;
    std::vector<Read> reads;
  };

  [[nodiscard]] double cost(std::uint32_t site, const Assignment& assignment) const;
  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  // The webs that decide what a site costs: those it reads, then those that may free their entries.
  [[nodiscard]] std::span<const WebId> webs_of(std::uint32_t site) const {
    return {webs_of_.data() + webs_of_begin_[site], webs_of_begin_[site + 1] - webs_of_begin_[site]};
  }
  [[nodiscard]] std::span<const std::uint32_t> sites_of(WebId web) const {
    return {of_web_.data() + of_web_begin_[web], of_web_begin_[web + 1] - of_web_begin_[web]};
  }
  [[nodiscard]] unsigned bank(unsigned register_) const { return register_ % banks_; }

 private:
  void find_reuse(const Analysis& analysis, ReuseView view, std::uint32_t instruction, std::size_t access,
                  Read& read);
  void index(std::size_t webs);

  unsigned banks_;
  unsigned ports_;
  bool plant_;
  std::vector<Site> sites_;  // only those that can lose cycles
  std::vector<WebId> blockers_;
  std::vector<std::size_t> webs_of_begin_;
  std::vector<WebId> webs_of_;
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
