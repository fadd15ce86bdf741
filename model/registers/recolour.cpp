#include "model/registers/recolour.h"

#include <algorithm>
#include <bit>

#include "model/registers/rewrite.h"

namespace warpgauge::registers {

using sass::Instruction;

namespace {

ReuseFlags join(ReuseFlags a, std::span<const std::uint8_t> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(a[i] | b[i]);
  return a;
}

unsigned highest(const Analysis& analysis, const Assignment& assignment) {
  unsigned used = 0;
  for (WebId w = 0; w < assignment.size(); ++w)
    if (analysis.webs.webs[w].reads + analysis.webs.webs[w].writes != 0)
      used = std::max(used, assignment[w] + 1U);
  return used;
}

RegisterFile one_cycle_pipes(RegisterFile file) {
  file.issue_cycles.fill(1);
  return file;
}

class Planner {
 public:
  Planner(const Analysis& analysis, const RecolourOptions& options)
      : analysis_(analysis),
        options_(options),
        weights_(options.weights.empty() ? weights_by_loop_depth(analysis.flow) : options.weights),
        judge_(options.change == Change::plant ? Judge{} : options.judge),
        view_(options.change == Change::plant   ? ReuseView::nowhere
              : options.change == Change::banks ? ReuseView::as_compiled
              : options.yields == Yields::keep  ? ReuseView::wherever_legal
                                                : ReuseView::wherever_legal_without_yields),
        cost_(analysis, options.file, view_, weights_, options.change == Change::plant),
        strict_cost_(analysis, one_cycle_pipes(options.file), view_, weights_) {}

  Recoloured plan() {
    Recoloured best;
    best.assignment = original_assignment(analysis_);
    best.code.assign(analysis_.code.begin(), analysis_.code.end());
    best.registers_before = registers_used(analysis_);
    best.before = measure(best.code);
    best.after = best.before;
    if (judge_) best.judged_before = best.judged_after = judge_(best.code);

    Assignment start = best.assignment;
    unsigned limit = std::max(options_.limit, best.registers_before);
    bool must_take = false;
    if (options_.lower) {
      LowestCount lowest = lowest_register_count(analysis_, cost_, options_.search.seed);
      must_take = lowest.registers < best.registers_before;
      limit = lowest.registers;
      start = std::move(lowest.assignment);
    }
    const auto started = std::chrono::steady_clock::now();
    const unsigned rounds = options_.change == Change::reuse ? 1 : std::max(1U, options_.candidates);
    for (unsigned k = 0; k < rounds; ++k) {
      Recoloured candidate = best;
      candidate.assignment = start;
      if (options_.change != Change::reuse) {
        SearchOptions search = options_.search;
        search.limit = limit;
        search.seed += k;
        search.evaluations /= rounds;
        search.time /= rounds;
        // Every other candidate also parts registers that the pipe would hide: it leaves ports to other
        // warps.
        const bool strict = judge_ && k % 2 == 1;
        candidate.assignment = improve(analysis_, cost_, start, search);
        if (strict) candidate.assignment = improve(analysis_, strict_cost_, candidate.assignment, search);
      }
      finish(candidate, options_.yields);
      if (must_take || better(candidate, best)) {
        best = std::move(candidate);
        must_take = false;
      }
      if (!judge_ && options_.change != Change::plant && best.after.lost_cycles == 0) break;
      if (std::chrono::steady_clock::now() - started > options_.judge_time) break;
    }
    if (judge_ && options_.yields != Yields::keep) try_other_yields(best);
    count_changes(best);
    return best;
  }

 private:
  ConflictReport measure(std::span<const Instruction> code) const {
    const AccessTable accesses(code);
    return conflicts(code, analysis_.flow, accesses, options_.file, weights_);
  }

  // The judge's word on the hints to the scheduler, with the registers settled.
  void try_other_yields(Recoloured& best) const {
    for (const Yields yields : {Yields::keep, Yields::drop_for_reuse, Yields::drop}) {
      if (yields == options_.yields || yields > options_.yields) continue;
      Recoloured candidate = best;
      finish(candidate, yields);
      if (better(candidate, best)) best = std::move(candidate);
    }
  }

  void finish(Recoloured& r, Yields yields) const {
    r.code = with_assignment(analysis_, r.assignment);
    if (yields != Yields::keep) clear_yields(r.code, analysis_.flow);
    const AccessTable accesses(r.code);
    const unsigned banks = options_.file.banks;
    // The compiler's flags stay where they still serve a read; new ones must pay.
    ReuseFlags flags(r.code.size(), 0);
    if (options_.change != Change::plant) flags = kept_reuse(r.code, analysis_.flow, accesses, banks);
    if (options_.change == Change::reuse || options_.change == Change::both) {
      const ReuseFlags all = join(legal_reuse(r.code, analysis_.flow, accesses, banks), flags);
      flags = join(paying_reuse(r.code, analysis_.flow, accesses, banks, all), flags);
    }
    set_reuse(r.code, analysis_.flow, flags);
    if (yields == Yields::drop_for_reuse)
      restore_idle_yields(r.code, analysis_.code, analysis_.flow, accesses, banks);
    r.after = measure(r.code);
    if (judge_) r.judged_after = judge_(r.code);
  }

  bool better(const Recoloured& a, const Recoloured& b) const {
    if (judge_ && a.judged_after != b.judged_after) return a.judged_after < b.judged_after;
    return options_.change == Change::plant ? a.after.lost_cycles > b.after.lost_cycles
                                            : a.after.lost_cycles < b.after.lost_cycles;
  }

  void count_changes(Recoloured& r) const {
    r.registers_after = highest(analysis_, r.assignment);
    for (WebId w = 0; w < r.assignment.size(); ++w)
      if (r.assignment[w] != analysis_.webs.webs[w].register_) ++r.webs_moved;
    for (std::size_t i = 0; i < r.code.size(); ++i) {
      const unsigned was = analysis_.code[i].control.reuse;
      const unsigned is = r.code[i].control.reuse;
      r.flags_set += static_cast<std::size_t>(std::popcount(is & ~was));
      if (analysis_.code[i].control.yield && !r.code[i].control.yield) ++r.yields_dropped;
      r.flags_cleared += static_cast<std::size_t>(std::popcount(was & ~is));
    }
  }

  const Analysis& analysis_;
  const RecolourOptions& options_;
  std::vector<double> weights_;
  Judge judge_;
  ReuseView view_;
  ConflictCost cost_;
  ConflictCost strict_cost_;
};

}  // namespace

Recoloured recolour(const Analysis& analysis, const RecolourOptions& options) {
  return Planner(analysis, options).plan();
}

}  // namespace warpgauge::registers
