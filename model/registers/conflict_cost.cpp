#include <algorithm>
#include <array>

#include "model/registers/colouring.h"
#include "model/registers/reuse.h"
#include "model/registers/reuse_cache.h"

namespace warpgauge::registers {

namespace {

// How far back the search looks for an earlier read; the compiler's own flags rarely reach further.
constexpr std::uint32_t reuse_window = 8;

}  // namespace

ConflictCost::ConflictCost(const Analysis& analysis, const RegisterFile& file, ReuseView view,
                           std::span<const double> weights, bool plant)
    : banks_(file.banks), ports_(file.ports_per_bank), plant_(plant) {
  for (std::uint32_t i = 0; i < analysis.code.size(); ++i) {
    if (analysis.flow.block_of[i] == no_block || !is_fixed_latency(analysis.code[i])) continue;
    Site site;
    site.instruction = i;
    site.weight = weights[i];
    site.cycles = file.cycles(analysis.code[i].opcode);
    const auto list = analysis.accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].read) site.reads.push_back({analysis.web_of(i, k), false, 0, 0});
    if (site.reads.size() <= static_cast<std::size_t>(site.cycles) * ports_) continue;  // cannot lose a cycle
    std::size_t n = 0;
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].read) find_reuse(analysis, view, i, k, site.reads[n++]);
    sites_.push_back(std::move(site));
  }
  index(analysis.webs.webs.size());
}

void ConflictCost::find_reuse(const Analysis& analysis, ReuseView view, std::uint32_t instruction,
                              std::size_t access, Read& read) {
  const bool drops_yields = view == ReuseView::wherever_legal_without_yields;
  const RegisterAccess& wanted = analysis.accesses.of(instruction)[access];
  if (view == ReuseView::nowhere || wanted.slot == sass::SourceSlot::none) return;
  read.blockers = read.blockers_end = static_cast<std::uint32_t>(blockers_.size());
  const auto give_up = [&] { blockers_.resize(read.blockers); };
  for (std::uint32_t back = 1; back <= reuse_window && back <= instruction; ++back) {
    const std::uint32_t i = instruction - back;
    if (analysis.flow.block_of[i] != analysis.flow.block_of[instruction]) break;
    if (analysis.code[i].control.yield && !(drops_yields && may_clear_yield(analysis.code, analysis.flow, i)))
      break;
    const auto list = analysis.accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].write && analysis.web_of(i, k) == read.web) return give_up();
    if (!share_reuse_cache(analysis.code[i], analysis.code[instruction])) continue;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].read || list[k].slot != wanted.slot) continue;
      const WebId web = analysis.web_of(i, k);
      if (web != read.web) {
        if (view != ReuseView::as_compiled && is_guarded(analysis.code[i])) return give_up();
        blockers_.push_back(web);
        continue;
      }
      const bool flagged = view == ReuseView::as_compiled
                               ? analysis.code[i].operand(list[k].operand).reuse
                               : (may_carry_reuse(analysis.code[i]) || analysis.code[i].control.yield) &&
                                     !is_guarded(analysis.code[i]) && !is_guarded(analysis.code[instruction]);
      if (!flagged) return give_up();
      read.may_hit = true;
      read.blockers_end = static_cast<std::uint32_t>(blockers_.size());
      return;
    }
  }
  give_up();
}

void ConflictCost::index(std::size_t webs) {
  std::vector<std::size_t> uses(webs + 1, 0);
  webs_of_begin_.push_back(0);
  for (const Site& site : sites_) {
    const std::size_t first = webs_of_.size();
    const auto add = [&](WebId web) {
      if (std::find(webs_of_.begin() + static_cast<std::ptrdiff_t>(first), webs_of_.end(), web) ==
          webs_of_.end())
        webs_of_.push_back(web);
    };
    for (const Read& r : site.reads) add(r.web);
    for (const Read& r : site.reads)
      for (std::uint32_t b = r.blockers; b < r.blockers_end; ++b) add(blockers_[b]);
    for (std::size_t k = first; k < webs_of_.size(); ++k) ++uses[webs_of_[k] + 1];
    webs_of_begin_.push_back(webs_of_.size());
  }
  of_web_begin_.assign(uses.size(), 0);
  for (std::size_t w = 1; w < uses.size(); ++w) of_web_begin_[w] = of_web_begin_[w - 1] + uses[w];
  of_web_.resize(of_web_begin_.back());
  std::vector<std::size_t> next(of_web_begin_.begin(), of_web_begin_.end() - 1);
  for (std::uint32_t s = 0; s < sites_.size(); ++s)
    for (const WebId w : webs_of(s)) of_web_[next[w]++] = s;
}

double ConflictCost::cost(std::uint32_t site, const Assignment& assignment) const {
  std::array<unsigned, max_banks> reads{};
  std::array<WebId, 16> seen{};
  std::size_t distinct = 0;
  unsigned busiest = 0;
  for (const Read& r : sites_[site].reads) {
    const unsigned bank = assignment[r.web] % banks_;
    if (r.may_hit) {
      bool freed = false;
      for (std::uint32_t b = r.blockers; b < r.blockers_end; ++b)
        freed |= assignment[blockers_[b]] % banks_ == bank;
      if (!freed) continue;
    }
    if (std::find(seen.begin(), seen.begin() + distinct, r.web) != seen.begin() + distinct) continue;
    if (distinct < seen.size()) seen[distinct++] = r.web;
    busiest = std::max(busiest, ++reads[bank]);
  }
  const auto cycles_for = [&](std::size_t reads_of_a_bank) {
    return (reads_of_a_bank + ports_ - 1) / ports_;
  };
  const std::size_t free = sites_[site].cycles;
  const std::size_t now = std::max(cycles_for(busiest), free);
  const std::size_t lost = plant_ ? std::max(cycles_for(distinct), free) - now : now - free;
  return sites_[site].weight * static_cast<double>(lost);
}

}  // namespace warpgauge::registers
