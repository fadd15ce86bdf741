#include "probes/sass/run_kernel.h"

#include <algorithm>

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t results_at = 0x1000;
constexpr std::uint64_t out_bytes = 1 << 20;
constexpr std::size_t lanes = 32;

}  // namespace

SassModule::SassModule(Bench& bench, const std::vector<SassKernel>& kernels,
                       const std::vector<std::uint32_t>& constants)
    : bench_(bench), out_(bench.allocate(out_bytes)) {
  const std::vector<std::byte> cubin = assemble_cubin(bench.facts().sm, kernels, constants);
  const ModuleId module = bench.load_made(cubin);
  for (const SassKernel& kernel : kernels) {
    functions_.emplace(kernel.name, std::pair(bench.target().function(module, kernel.name), kernel.shared_bytes));
  }
}

SassOutcome SassModule::run(const std::string& kernel, const SassArguments& arguments) {
  const auto found = functions_.find(kernel);
  if (found == functions_.end()) throw ProbeRefusal("no kernel " + kernel);
  Placement placement{arguments.blocks, arguments.shared_bytes};
  if (arguments.sm != any_sm) {
    placement = placement_on(bench_.facts(), arguments.sm);
    placement.shared_bytes -= found->second.second;
    const std::vector<std::byte> unanswered(16 * arguments.warps);
    bench_.target().write(out_.address(), unanswered);
  }
  bench_.run(found->second.first, {placement.blocks}, {arguments.warps * 32},
             Parameters()
                 .add(out_.address())
                 .add(arguments.in)
                 .add(arguments.a)
                 .add(arguments.b)
                 .add(arguments.c)
                 .add(arguments.d)
                 .add(arguments.sm),
             placement.shared_bytes, arguments.carveout);
  SassOutcome outcome;
  const std::size_t bytes = results_at + arguments.results * lanes * 4;
  const auto words = out_.read<std::uint32_t>(std::max<std::size_t>(bytes, arguments.warps * 16) / 4);
  for (std::size_t warp = 0; warp < arguments.warps; ++warp) {
    const auto word = [&](std::size_t i) {
      return words[4 * warp + 2 * i] | static_cast<std::uint64_t>(words[4 * warp + 2 * i + 1]) << 32;
    };
    outcome.warps.push_back({word(0), word(1)});
  }
  for (std::size_t slot = 0; slot < arguments.results; ++slot) {
    outcome.results.push_back(words[results_at / 4 + slot * lanes]);
  }
  outcome.lanes.assign(words.begin() + results_at / 4,
                       words.begin() + static_cast<std::ptrdiff_t>(results_at / 4 + arguments.results * lanes));
  return outcome;
}

}  // namespace warpgauge::probes
