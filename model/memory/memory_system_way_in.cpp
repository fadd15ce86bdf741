// Between an SM and the slice that it asks first: translation, the ports of the SM and of its cluster, and places before the slice.
#include <algorithm>
#include <bit>
#include <utility>

#include "model/memory/memory_system.h"

namespace warpgauge::model {

Cycle MemorySystem::first_walk(std::uint64_t page, Cycle now) {
  const auto known = first_walks_.find(page);
  if (known != first_walks_.end()) return known->second - std::min(known->second, now);
  if (!pages_->touch(page)) return 0;
  const Cycle begin = std::max(now, walk_free_);
  walk_free_ = begin + spec_.first_touch_interval;
  const Cycle end = begin + spec_.first_touch_latency;
  first_walks_.emplace(page, end);
  walks_end_ = std::max(walks_end_, end);
  return end - now;
}

Cycle MemorySystem::translate(const MemoryRequest& request, Cycle now) {
  if (spec_.l1_tlb.entries == 0) return 0;
  const std::uint64_t byte = request.line * spec_.l2.line_bytes;
  const std::uint64_t page = byte / spec_.l1_tlb.page_bytes;
  if (pages_ != nullptr && request.kind != RequestKind::code && (now < walks_end_ || page != last_page_[request.sm])) {
    const Cycle wait = first_walk(page, now);
    // Nobody waits for a store to a new page.
    if (wait != 0 && request.kind != RequestKind::store) return wait;
  }
  if (page == last_page_[request.sm]) return 0;
  last_page_[request.sm] = page;
  if (l1_tlb_[request.sm].touch(page)) return 0;
  l1_tlb_[request.sm].insert(page);
  Cycle extra = 0;
  if (l1_tlb_used_[request.sm] < spec_.l1_tlb.entries) {
    ++l1_tlb_used_[request.sm];
  } else {
    ++counters_.tlb_l1_misses;
    extra = spec_.l1_tlb.miss_extra;
  }
  if (spec_.l2_tlb.entries == 0) return extra;
  const std::uint64_t second = byte / spec_.l2_tlb.page_bytes;
  if (l2_tlb_.touch(second)) return extra;
  l2_tlb_.insert(second);
  if (l2_tlb_used_ < spec_.l2_tlb.entries) {
    ++l2_tlb_used_;
    return extra;
  }
  ++counters_.tlb_l2_misses;
  return extra + spec_.l2_tlb.miss_extra;
}

void MemorySystem::prefetch(unsigned slice, std::uint64_t line) {
  const std::uint32_t entry = tags_[slice].likely_entry(line);
  if (entry == SectorCache::none) return;
  tags_[slice].prefetch_entry(entry);
  __builtin_prefetch(&known(slice, entry));
}

void MemorySystem::leave(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  if (request.kind == RequestKind::code && !cluster_code_.empty() && !pending.translated &&
      join_cluster(index, now))
    return;
  if (!pending.translated) {
    pending.translated = true;
    prefetch(pending.slice, request.line);
    if (pending.slice != pending.home) prefetch(pending.home, request.line);
    if (request.kind == RequestKind::load && joiner_.enabled()) __builtin_prefetch(&joined(request), 1);
    const Cycle extra = translate(request, now);
    if (extra != 0) {
      calendar_.add(now + extra, {index, Stage::leave});
      return;
    }
  }
  // It is the cluster's cache that asks for code and constants: they do not wait behind their SM's accesses.
  if (request.kind == RequestKind::code && !cluster_code_.empty()) {
    cluster(index, now);
    return;
  }
  // Requests wait in the SM, in order, until its port is free: a full slice may hold it up meanwhile.
  PortQueue& queue = port_queues_[request.sm];
  Server& port = sm_request_[request.sm];
  const double bytes = request_bytes(request);
  if (queue.first != none && queue.first != index) {
    pending_[queue.last].behind = index;
    queue.last = index;
    queue.bytes += bytes;
    return;
  }
  if (held_up(queue)) {
    if (queue.first == none) queue.bytes += bytes;
    queue.first = index;
    if (queue.last == none) queue.last = index;
    queue.stands = true;
    return;
  }
  const auto free = static_cast<Cycle>(port.free());
  if (free > now) {
    if (queue.first == none) queue.bytes += bytes;
    queue.first = index;
    if (queue.last == none) queue.last = index;
    calendar_.add(free, {index, Stage::leave});
    return;
  }
  const double turn = cpc_ways_.pass(request, bytes, static_cast<double>(now));
  const Cycle at = up(std::max(port.serve(static_cast<double>(now), bytes), turn));
  // What has to wait for a way of its CPC stands in the port until its first message has passed.
  if (turn > static_cast<double>(now)) port.block(turn + spec_.crossbar.request_header / spec_.crossbar.sm_request_bytes_per_cycle);
  if (queue.first == index) {
    queue.bytes -= bytes;
    queue.first = std::exchange(pending.behind, none);
    if (queue.first == none) {
      queue.last = none;
    } else {
      calendar_.add(std::max(now, static_cast<Cycle>(port.free())), {queue.first, Stage::leave});
    }
  }
  if (request.kind == RequestKind::barrier) {
    ask_all(index, at);
  } else if (spec_.crossbar.gpc_request_bytes_per_cycle <= 0) {
    calendar_.add(at, {index, Stage::slice});
  } else if (at > now) {
    // Others of the cluster may go first.
    calendar_.add(at, {index, Stage::cluster});
  } else {
    cluster(index, now);
  }
}

void MemorySystem::cluster(std::uint32_t index, Cycle now) {
  const MemoryRequest& request = pending_[index].request;
  Server& port = gpc_request_[spec_.crossbar.gpc_of_sm[request.sm]];
  calendar_.add(up(port.serve(static_cast<double>(now), request_bytes(request))), {index, Stage::slice});
}

double MemorySystem::request_bytes(const MemoryRequest& request) const {
  return bytes_out(request, spec_.crossbar.request_header, spec_.l2.sector_bytes);
}

Cycle MemorySystem::port_busy_until(unsigned sm) const {
  // Nobody knows how long full slices hold it up.
  const double now = held_up(port_queues_[sm]) ? static_cast<double>(until_) : 0;
  return static_cast<Cycle>(std::max(sm_request_[sm].free(), now) + port_queues_[sm].bytes / spec_.crossbar.sm_request_bytes_per_cycle);
}

void MemorySystem::slice(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  if (request.kind == RequestKind::code && request.line - code_last_ < code_ahead) {
    calendar_.add(now, {index, Stage::reply});
    return;
  }
  if (on_host(request)) {
    cross(index, now);
    return;
  }
  if (request.kind == RequestKind::load && !request.alone && joiner_.enabled() && join_neighbour(index, now)) {
    address(pending);
    return;
  }
  if (queues_[pending.slice].enter(request.sm, index, messages(request), static_cast<double>(now))) {
    enter(index, now);
    return;
  }
  // It waits in its SM. Code is asked for by the cluster's cache.
  if (request.kind != RequestKind::code) port_queues_[request.sm].waiting += messages(request);
  ask_for_room(pending.slice, queues_[pending.slice].next_free(), now);
}

unsigned MemorySystem::messages(const MemoryRequest& request) {
  if (is_atomic(request.kind)) return request.turns;
  return request.kind == RequestKind::store ? static_cast<unsigned>(std::popcount(request.sectors)) : 1;
}

void MemorySystem::free_places(unsigned slice, unsigned messages, double at) {
  queues_[slice].free(messages, at);
  if (queues_[slice].someone_waits()) ask_for_room(slice, at, last_);
}

void MemorySystem::ask_for_room(unsigned slice, double at, Cycle now) {
  // Perhaps nobody knows yet.
  const Cycle when = at < static_cast<double>(never) ? std::max(now, up(at)) : never;
  if (when >= asked_[slice]) return;
  asked_[slice] = when;
  calendar_.add(when, {slice, Stage::admit});
}

void MemorySystem::admit(unsigned slice, Cycle now) {
  if (asked_[slice] != now) return;  // they have been looked at sooner
  asked_[slice] = never;
  SliceQueue& queue = queues_[slice];
  for (SliceQueue::Admitted next = queue.admit(static_cast<double>(now)); next.any; next = queue.admit(static_cast<double>(now))) {
    const MemoryRequest& request = pending_[next.request].request;
    if (request.kind != RequestKind::code) let_go(request, now);
    enter(next.request, now);
  }
  if (queue.someone_waits()) ask_for_room(slice, queue.next_free(), now);
}

bool MemorySystem::held_up(const PortQueue& queue) const { return queue.waiting > spec_.crossbar.sm_waiting_messages; }

void MemorySystem::let_go(const MemoryRequest& request, Cycle now) {
  PortQueue& queue = port_queues_[request.sm];
  const bool was_held_up = held_up(queue);
  queue.waiting -= messages(request);
  if (!was_held_up || held_up(queue)) return;
  Server& port = sm_request_[request.sm];
  port.block(static_cast<double>(now));
  if (std::exchange(queue.stands, false)) calendar_.add(std::max(now, static_cast<Cycle>(port.free())), {queue.first, Stage::leave});
}

}  // namespace warpgauge::model
