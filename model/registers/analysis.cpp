#include "model/registers/analysis.h"

#include <algorithm>

namespace warpgauge::registers {

Analysis analyse(std::span<const sass::Instruction> code, std::uint32_t entry,
                 std::span<const BranchTargets> indirect) {
  ControlFlow flow = control_flow(code, entry, indirect);
  AccessTable accesses(code);
  Liveness live = liveness(code, flow, accesses);
  Webs webs = find_webs(code, flow, accesses, live);
  InterferenceGraph graph = interference(code, flow, accesses, live, webs);
  return {code, std::move(flow), std::move(accesses), std::move(live), std::move(webs), std::move(graph)};
}

unsigned registers_used(const Analysis& analysis) {
  unsigned used = 0;
  for (const Web& w : analysis.webs.webs)
    if (w.reads + w.writes != 0) used = std::max(used, w.register_ + 1U);
  return used;
}

Assignment original_assignment(const Analysis& analysis) {
  Assignment a;
  a.reserve(analysis.webs.webs.size());
  for (const Web& w : analysis.webs.webs) a.push_back(w.register_);
  return a;
}

bool is_valid(const Analysis& analysis, const Assignment& assignment, unsigned limit) {
  const auto& webs = analysis.webs.webs;
  if (assignment.size() != webs.size()) return false;
  for (WebId w = 0; w < webs.size(); ++w) {
    if (assignment[w] != webs[w].register_ && assignment[w] >= limit) return false;
    for (const WebId n : analysis.graph.neighbours(w))
      if (assignment[n] == assignment[w]) return false;
  }
  for (const Group& g : analysis.webs.groups) {
    const int shift = assignment[g.webs.front()] - webs[g.webs.front()].register_;
    if (shift % static_cast<int>(g.alignment) != 0 || (g.pinned && shift != 0)) return false;
    for (const WebId w : g.webs)
      if (assignment[w] - webs[w].register_ != shift) return false;
  }
  return true;
}

}  // namespace warpgauge::registers
