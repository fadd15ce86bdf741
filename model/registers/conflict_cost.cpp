#include <algorithm>
#include <array>

#include "model/registers/colouring.h"

namespace warpgauge::registers {

ConflictCost::ConflictCost(const Analysis& analysis, const RegisterFile& file,
                           std::span<const std::uint8_t> served, std::span<const double> weights)
    : banks_(file.banks), ports_(file.ports_per_bank) {
  std::vector<std::size_t> uses(analysis.webs.webs.size() + 1, 0);
  for (std::uint32_t i = 0; i < analysis.code.size(); ++i) {
    if (analysis.flow.block_of[i] == no_block || !is_fixed_latency(analysis.code[i])) continue;
    const bool follows = i > 0 && analysis.flow.block_of[i - 1] == analysis.flow.block_of[i];
    const unsigned hit_slots = follows ? served[i - 1] : 0U;
    Site site;
    site.instruction = i;
    site.weight = weights[i];
    site.cycles = file.cycles(analysis.code[i].opcode);
    const auto list = analysis.accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].read) continue;
      if (list[k].slot != sass::SourceSlot::none &&
          (hit_slots >> (static_cast<unsigned>(list[k].slot) - 1) & 1) != 0)
        continue;
      const WebId web = analysis.web_of(i, k);
      if (std::find(site.webs.begin(), site.webs.end(), web) == site.webs.end()) site.webs.push_back(web);
    }
    if (site.webs.size() <= static_cast<std::size_t>(site.cycles) * ports_) continue;  // cannot lose a cycle
    for (const WebId w : site.webs) ++uses[w + 1];
    sites_.push_back(std::move(site));
  }
  of_web_begin_.assign(uses.size(), 0);
  for (std::size_t w = 1; w < uses.size(); ++w) of_web_begin_[w] = of_web_begin_[w - 1] + uses[w];
  of_web_.resize(of_web_begin_.back());
  std::vector<std::size_t> next(of_web_begin_.begin(), of_web_begin_.end() - 1);
  for (std::uint32_t s = 0; s < sites_.size(); ++s)
    for (const WebId w : sites_[s].webs) of_web_[next[w]++] = s;
}

double ConflictCost::cost(std::uint32_t site, const Assignment& assignment) const {
  std::array<unsigned, max_banks> reads{};
  unsigned busiest = 0;
  for (const WebId w : sites_[site].webs) busiest = std::max(busiest, ++reads[assignment[w] % banks_]);
  const unsigned port_cycles = (busiest + ports_ - 1) / ports_;
  return port_cycles <= sites_[site].cycles ? 0.0 : sites_[site].weight * (port_cycles - sites_[site].cycles);
}

double ConflictCost::total(const Assignment& assignment) const {
  double sum = 0;
  for (std::uint32_t s = 0; s < sites_.size(); ++s) sum += cost(s, assignment);
  return sum;
}

}  // namespace warpgauge::registers
