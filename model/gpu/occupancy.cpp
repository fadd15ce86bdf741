#include "model/gpu/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/machine.h"

namespace warpgauge::model {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return unit <= 1 ? value : (value + unit - 1) / unit * unit;
}

[[noreturn]] void refuse(const traces::LaunchShape& shape, const std::string& why) {
  throw MachineError(fmt::format("kernel {}: {}", shape.kernel, why));
}

}  // namespace

Fit occupancy(const OccupancySpec& spec, const traces::LaunchShape& shape) {
  const unsigned threads = shape.threads_per_block();
  if (shape.grid.count() == 0 || threads == 0) refuse(shape, "the launch has an empty grid or block");
  if (threads > spec.max_threads_per_block) {
    refuse(shape,
           fmt::format("a block of {} threads; the device holds {}", threads, spec.max_threads_per_block));
  }
  if (shape.registers_per_thread > spec.max_registers_per_thread) {
    refuse(shape, fmt::format("{} registers a thread; the device has {}", shape.registers_per_thread,
                              spec.max_registers_per_thread));
  }
  const unsigned warps = shape.warps_per_block();
  const std::uint64_t registers_per_warp = round_up(
      std::uint64_t{std::max(1U, shape.registers_per_thread)} * traces::warp_size, spec.register_unit);
  const std::uint64_t block_registers = registers_per_warp * round_up(warps, spec.warp_granularity);
  if (block_registers > spec.registers_per_block) {
    refuse(shape, fmt::format("a block needs {} registers; the device gives {}", block_registers,
                              spec.registers_per_block));
  }
  const std::uint64_t asked = std::uint64_t{shape.static_shared_bytes} + shape.dynamic_shared_bytes;
  if (asked > spec.max_shared_per_block) {
    refuse(shape, fmt::format("a block of {} bytes of shared memory; the device gives {}", asked,
                              spec.max_shared_per_block));
  }

  if (shape.barriers > spec.barriers_per_block) {
    refuse(shape, fmt::format("{} named barriers; a block has {}", shape.barriers, spec.barriers_per_block));
  }

  Fit fit;
  fit.shared_per_block = round_up(asked + spec.shared_reserved, spec.shared_unit);
  // Registers are divided among the processing blocks, and a warp takes them of one; blocks of fewer warps than
  // there are processing blocks share them.
  const std::uint64_t warps_by_registers =
      spec.registers / spec.subcores / registers_per_warp * spec.subcores;
  const auto carveout_of = [&](std::uint64_t bytes) {
    const auto found = std::find_if(spec.carveouts.begin(), spec.carveouts.end(),
                                    [&](std::uint64_t size) { return size >= bytes; });
    return found == spec.carveouts.end() ? spec.max_shared_per_sm : *found;
  };
  const bool wishes = shape.carveout_percent.has_value();
  std::uint64_t wished = spec.max_shared_per_sm;
  if (wishes) {
    const std::uint64_t bytes = spec.max_shared_per_sm * *shape.carveout_percent / 100;
    const std::uint64_t with_reserved = asked == 0 ? bytes : bytes * (asked + spec.shared_reserved) / asked;
    wished = carveout_of(std::max(with_reserved, fit.shared_per_block));
  }
  const std::array<std::pair<std::uint64_t, const char*>, 4> limits{{
      {spec.max_warps / warps, "warps"},
      {spec.max_blocks, "blocks"},
      {warps_by_registers / warps, "registers"},
      {fit.shared_per_block == 0 ? ~std::uint64_t{0} : wished / fit.shared_per_block, "shared_memory"},
  }};
  const auto least = std::min_element(limits.begin(), limits.end(),
                                      [](const auto& a, const auto& b) { return a.first < b.first; });
  fit.occupancy.blocks_per_sm = static_cast<unsigned>(least->first);
  fit.occupancy.limiter = least->second;
  if (fit.occupancy.blocks_per_sm == 0)
    refuse(shape, fmt::format("an SM holds no block of it: {}", least->second));
  const std::uint64_t share = (shape.grid.count() + spec.sms - 1) / spec.sms;
  if (share < fit.occupancy.blocks_per_sm) {
    fit.occupancy.limiter = "grid";
  }
  fit.occupancy.warps_per_sm = fit.occupancy.blocks_per_sm * warps;
  fit.occupancy.max_warps_per_sm = spec.max_warps;

  fit.exact_carveout = wishes;
  fit.most_blocks = static_cast<unsigned>(std::min<std::uint64_t>(spec.max_blocks, limits[3].first));
  fit.block_warps = warps;
  fit.cluster_blocks = static_cast<unsigned>(shape.cluster.count());
  fit.in_clusters = shape.in_clusters;
  fit.warp_registers = registers_per_warp;
  const std::uint64_t needed = fit.shared_per_block * fit.occupancy.blocks_per_sm;
  fit.carveout = wishes ? wished : carveout_of(needed);
  fit.division = fit.carveout;
  if (asked == 0) {
    const std::uint64_t most = fit.shared_per_block * spec.max_blocks;
    fit.division = std::max(fit.carveout, carveout_of(std::min(4 * needed, most)));
  } else if (!wishes && fit.occupancy.blocks_per_sm > 2) {
    // Twice as much, up to half of the memory.
    fit.division = std::max(fit.carveout, carveout_of(std::min(2 * needed, spec.unified / 2)));
  }
  fit.occupancy.shared_config_bytes = fit.division;
  return fit;
}

}  // namespace warpgauge::model
