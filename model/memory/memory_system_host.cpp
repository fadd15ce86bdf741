// The host's memory, which SMs reach through the L2 and over the bus, and functions of the driver that use it.
#include <algorithm>
#include <bit>

#include "model/memory/memory_system.h"

namespace warpgauge::model {

void MemorySystem::map_host(std::span<const traces::AddressRange> ranges) {
  host_.clear();
  if (spec_.bus.latency <= 0) return;
  const unsigned line = spec_.l2.line_bytes;
  for (const traces::AddressRange& range : ranges) host_.push_back({range.begin / line, (range.end + line - 1) / line});
}

bool MemorySystem::on_host(const MemoryRequest& request) const {
  if (host_.empty() || request.kind == RequestKind::code || request.line < host_.front().begin || request.line >= host_.back().end) return false;
  const auto next = std::ranges::upper_bound(host_, request.line, {}, &traces::AddressRange::begin);
  return request.line < std::prev(next)->end;
}

// The L2 looks it up and keeps nothing: loads always miss, stores and atomics always hit, as Nsight Compute counts them.
void MemorySystem::cross(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  const bool far = pending.slice != pending.home;
  if (far) pending.extra += is_atomic(request.kind) ? spec_.l2.atomic_far_extra : spec_.l2.far_extra;
  const auto sectors = static_cast<unsigned>(std::popcount(request.sectors));
  const unsigned lookups = is_atomic(request.kind) ? request.turns : sectors;
  const unsigned counted = far ? 2 * lookups : lookups;  // in both partitions
  counters_.l2_requests += request.joined ? 0 : 1;
  counters_.l1_sectors += lookups;
  counters_.l2_sectors += counted;
  address(pending);
  auto at = static_cast<double>(now);
  switch (request.kind) {
    case RequestKind::load:
      counters_.l2_read_sectors += counted;
      at = bus_.read(at, sectors);
      break;
    case RequestKind::store:
      counters_.l2_write_sectors += counted;
      counters_.l2_hit_sectors += counted;
      counters_.l1_write_requests += request.joined ? 0 : 1;
      counters_.l1_write_sectors += lookups;
      at = bus_.write(at, lookups, request.partial);
      break;
    case RequestKind::atomic:
    case RequestKind::reduction: {
      counters_.l2_hit_sectors += counted;
      (request.kind == RequestKind::atomic ? counters_.l2_atomic_sectors : counters_.l2_reduction_sectors) += lookups;
      const double back = bus_.atomic(at, request.line, lookups, request.deepest);
      if (request.kind == RequestKind::atomic) at = back;
      break;
    }
    case RequestKind::code:
    case RequestKind::barrier:
    case RequestKind::call:
      break;
  }
  finish(index, at);
}

void MemorySystem::call(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  const auto at = static_cast<double>(now);
  if (request.turns == 0) {
    const auto interval = static_cast<double>(request.line);
    calendar_.add(up(calls_.occupy(at, interval) + interval) + request.words, {index, Stage::reply});
    return;
  }
  // Begin, stores, end: the first and the last of its atomics stand at its begin and at its end.
  switch (pending.asked++) {
    case 0:
      calendar_.add(up(bus_.atomic(at, printing, 1, 1)) + request.before_stores, {index, Stage::call});
      return;
    case 1: {
      bus_.write(at, request.line, true);
      const Cycle rest = request.words - std::min(request.words, request.before_stores);
      calendar_.add(std::max(now + rest, up(bus_.written())), {index, Stage::call});
      return;
    }
    default:
      calendar_.add(up(bus_.atomic(at, printing, 1, 1)), {index, Stage::reply});
  }
}

Cycle MemorySystem::bus_drained() const { return up(bus_.drained()); }

}  // namespace warpgauge::model
