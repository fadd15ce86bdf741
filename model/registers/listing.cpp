#include <fmt/format.h>

#include "model/registers/see.h"
#include "traces/sass/print.h"

namespace warpgauge::registers {

std::string listing(std::span<const sass::Instruction> code, const Analysis& analysis,
                    const ConflictReport& report, const RegisterFile& file, const Executions& executions) {
  const std::vector<double> weights = weights_by_loop_depth(analysis.flow);
  // Liveness belongs to the code as it is here, renamed or not.
  const AccessTable accesses(code);
  const Liveness live = liveness(code, analysis.flow, accesses);
  const std::vector<RegisterSet> after = live_after_each(code, analysis.flow, accesses, live);
  std::string banks;
  for (unsigned b = 0; b < file.banks; ++b) banks += fmt::format(" {:>2}", fmt::format("b{}", b));
  const bool ran = !executions.issued.empty();
  std::string out =
      fmt::format("   {:>6} {:>9} {:>4}{} {:>4} {:>4} {}{}\n", "addr", ran ? "issued" : "weight", "live",
                  banks, "hits", "lost", ran ? "    model " : "", "instruction");
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (analysis.flow.block_of[i] == no_block) continue;
    if (i > 0 && analysis.flow.block_of[i - 1] != analysis.flow.block_of[i]) out += '\n';
    const PortUse& use = report.instructions[i];
    std::string reads;
    for (unsigned b = 0; b < file.banks; ++b)
      reads += use.reads[b] == 0 ? "  ." : fmt::format(" {:>2}", use.reads[b]);
    out += fmt::format("{}  0x{:04x} {:>9} {:>4}{} {:>4} {:>4} ", use.lost_cycles != 0 ? '!' : ' ',
                       i * sass::instruction_bytes,
                       ran ? fmt::format("{}", executions.issued[i]) : fmt::format("{:.0f}", weights[i]),
                       after[i].count(), reads, use.hits == 0 ? "." : fmt::format("{}", use.hits),
                       use.lost_cycles == 0 ? "." : fmt::format("{}", use.lost_cycles));
    if (ran)
      out += executions.conflict_cycles[i] == 0 ? fmt::format("{:>9} ", ".")
                                                : fmt::format("{:>9} ", executions.conflict_cycles[i]);
    out += sass::print(code[i]) + '\n';
  }
  return out;
}

}  // namespace warpgauge::registers
