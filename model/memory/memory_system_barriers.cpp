// What an SM's fences and a launch's end ask of the L2's slices, and what a launch adds to the counters beside its requests.
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/memory/memory_system.h"
#include "model/memory/slice_distances.h"

namespace warpgauge::model {

void MemorySystem::ask_all(std::uint32_t index, Cycle now) {
  const L2Spec& l2 = spec_.l2;
  const unsigned sm = pending_[index].request.sm;
  const std::size_t each = slices_.size() / std::max(1U, l2.partitions);
  std::uint8_t* const unfenced = &unfenced_[sm * slices_.size()];
  const std::size_t first = partition_of_sm(sm) * each;
  const double message = l2.request_bytes / spec_.crossbar.sm_request_bytes_per_cycle;
  const auto begin = static_cast<double>(now);
  double sectors = fence_rest_;
  double leaves = begin;
  double last = begin;
  bool far = false;
  unsigned asked = 0;
  for (std::size_t slice = 0; slice < slices_.size(); ++slice) {
    if (std::exchange(unfenced[slice], std::uint8_t{0}) == 0) continue;
    const bool near = slice - first < each;
    const double lookups = near ? l2.fence_sectors : l2.fence_far_sectors;
    far = far || !near;
    sectors += lookups;
    ++asked;
    last = std::max(last, lookups_[slice].occupy(std::max(leaves, arrivals_[slice].free()), lookups * l2.request_interval));
    leaves += message;
  }
  sm_request_[sm].block(leaves);
  const auto whole = static_cast<std::uint64_t>(sectors);
  fence_rest_ = sectors - static_cast<double>(whole);
  counters_.l2_sectors += whole;
  counters_.l2_hit_sectors += whole;
  counters_.l2_requests += whole;
  const double farthest = asked != 0 ? SliceDistances::farthest(spec_.crossbar, asked) : 0;
  pending_[index].extra = static_cast<int>(farthest) + (far ? static_cast<int>(l2.far_extra) : 0);
  calendar_.add(up(last), {index, Stage::reply});
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
