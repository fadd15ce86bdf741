// What an SM's fences and a launch's end ask of the L2's slices, and what a launch adds to the counters beside its requests.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/memory/memory_system.h"

namespace warpgauge::model {

int MemorySystem::ask_all(unsigned sm) {
  const unsigned partitions = std::max(1U, spec_.l2.partitions);
  const std::size_t each = slices_.size() / partitions;
  std::uint8_t* const unfenced = &unfenced_[sm * slices_.size()];
  const std::size_t first = partition_of_sm(sm) * each;
  const auto all = std::accumulate(unfenced, unfenced + slices_.size(), 0U);
  const auto near = std::accumulate(unfenced + first, unfenced + first + each, 0U);
  std::fill_n(unfenced, slices_.size(), std::uint8_t{0});
  const double sectors = near * spec_.l2.fence_sectors + (all - near) * spec_.l2.fence_far_sectors + fence_rest_;
  const auto whole = static_cast<std::uint64_t>(sectors);
  fence_rest_ = sectors - static_cast<double>(whole);
  counters_.l2_sectors += whole;
  counters_.l2_hit_sectors += whole;
  counters_.l2_requests += whole;
  return all != near ? static_cast<int>(spec_.l2.far_extra) : 0;
}

std::uint64_t MemorySystem::barriers() const {
  const auto addressed = static_cast<std::uint64_t>(std::count(addressed_.begin(), addressed_.end(), true));
  return spec_.launch_barriers * slices_.size() + spec_.launch_sm_barriers * addressed;
}

Cycle MemorySystem::barrier_cycles() const {
  return static_cast<Cycle>(
      std::lround(static_cast<double>(barriers()) / static_cast<double>(slices_.size()) * spec_.launch_barrier_interval));
}

MemoryCounters MemorySystem::launch_counters(Cycle cycles) {
  MemoryCounters sum = counters_;
  sum.dram_write_bytes += dram_.written_late(static_cast<double>(cycles));
  std::uint64_t barriers = this->barriers();
  std::uint64_t written = 0;
  for (const MemorySpec::Late& late : spec_.late) {
    if (cycles < late.at) continue;
    barriers += late.barriers * slices_.size();
    written += late.write_sectors;
  }
  sum.l2_sectors += spec_.launch_read_sectors + barriers + written;
  sum.l2_hit_sectors += spec_.launch_read_sectors + barriers + written + spec_.launch_hits;
  sum.l2_write_sectors += written;
  sum.l2_read_sectors += spec_.launch_read_sectors;
  sum.l2_read_hit_sectors += spec_.launch_read_sectors;
  sum.l2_requests += spec_.launch_read_sectors / 4 + barriers;
  // A cluster of each partition asks the other one for what has its home there; the first one's code comes from memory, and
  // misses in both.
  const std::uint64_t code = cluster_code_.empty() ? 0 : code_sectors_ * (cluster_code_.size() + spec_.l2.partitions - 1);
  sum.l2_sectors += code;
  sum.l2_read_sectors += code;
  sum.l2_requests += code / line_sectors_;
  if (code != 0) {
    const std::uint64_t missed = code_sectors_ * spec_.l2.partitions;
    sum.l2_hit_sectors += code - missed;
    sum.l2_read_hit_sectors += code - missed;
    sum.dram_read_bytes += code_sectors_ * spec_.l2.sector_bytes;
  }
  return sum;
}

}  // namespace warpgauge::model
