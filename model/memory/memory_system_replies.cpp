// Loads, and fetches of code, that one answer serves; and the way of answers to the SMs.
#include <algorithm>
#include <bit>

#include "model/memory/memory_system.h"

namespace warpgauge::model {

bool MemorySystem::join_cluster(std::uint32_t index, Cycle now) {
  const MemoryRequest& request = pending_[index].request;
  const unsigned gpc = spec_.crossbar.gpc_of_sm[request.sm];
  if (cluster_code_[gpc].touch(request.line)) {
    calendar_.add(now, {index, Stage::reply});
    return true;
  }
  for (const ClusterFetch& fetch : cluster_fetches_) {
    Pending& leader = pending_[fetch.leader];
    if (fetch.gpc != gpc || leader.request.line != request.line) continue;
    pending_[index].next = leader.next;
    leader.next = index;
    return true;
  }
  cluster_fetches_.push_back({gpc, index});
  return false;
}

void MemorySystem::answer_cluster(std::uint32_t index, Cycle now) {
  const auto fetch = std::find_if(cluster_fetches_.begin(), cluster_fetches_.end(),
                                  [&](const ClusterFetch& each) { return each.leader == index; });
  if (fetch == cluster_fetches_.end()) return;
  cluster_code_[fetch->gpc].insert(pending_[index].request.line);
  *fetch = cluster_fetches_.back();
  cluster_fetches_.pop_back();
  for (std::uint32_t other = pending_[index].next; other != none;) {
    const std::uint32_t after = pending_[other].next;
    pending_[other].next = none;
    pending_[other].extra = pending_[index].extra;
    calendar_.add(now, {other, Stage::reply});
    other = after;
  }
}

RequestJoiner::Entry& MemorySystem::joined(const MemoryRequest& request) {
  return joiner_.at(spec_.crossbar.gpc_of_sm[request.sm], request.line, request.copy ? request.sectors : 0);
}

bool MemorySystem::join_neighbour(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  RequestJoiner::Entry& entry = joined(request);
  if (!joiner_.answers(entry, request.line, request.sectors, spec_.crossbar.gpc_of_sm[request.sm], static_cast<double>(now))) {
    joiner_.ask(entry, request.line, request.sectors, spec_.crossbar.gpc_of_sm[request.sm], index, static_cast<double>(now));
    return false;
  }
  ++entry.loads;
  give_turn(pending);
  // An answer takes the slice as long for so many SMs; of loads that ask the whole system, for each.
  if (request.system || (entry.loads - 1) % spec_.crossbar.joined_per_lookup == 0) lookups_[pending.slice].lengthen(spec_.l2.request_interval);
  if (entry.leader != RequestJoiner::none) {
    Pending& leader = pending_[entry.leader];
    pending.next = leader.next;
    leader.next = index;
  } else {
    const Cycle ready = up(entry.ready);
    // The answer that it gets is under way already, and has passed the cluster's port; how far the slice is, it has behind it.
    pending.answered = true;
    pending.extra = ready < now ? -static_cast<int>(std::min<Cycle>(now - ready, spec_.crossbar.round_trip - min_latency())) : 0;
    calendar_.add(std::max(now, ready), {index, Stage::reply});
  }
  return true;
}

void MemorySystem::finish(std::uint32_t index, double at) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  if (request.kind == RequestKind::load && joiner_.enabled()) {
    RequestJoiner::Entry& entry = joined(request);
    if (entry.leader == index) {
      entry.leader = RequestJoiner::none;
      entry.ready = at + pending.extra;
    }
  }
  calendar_.add(up(at), {index, Stage::reply});
}

void MemorySystem::reply(std::uint32_t index, Cycle now, std::vector<MemoryReply>& replies) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  if (request.kind == RequestKind::code && !cluster_fetches_.empty()) answer_cluster(index, now);
  const CrossbarSpec& crossbar = spec_.crossbar;
  double at = static_cast<double>(now);
  if (has_data(request) && crossbar.gpc_reply_bytes_per_cycle > 0 && !pending.answered)
    at = gpc_reply_[crossbar.gpc_of_sm[request.sm]].serve(at, reply_bytes(request));
  // One answer for all loads that are joined passes the cluster's port, and goes to each of their SMs from there.
  if (request.kind == RequestKind::load && joiner_.enabled()) {
    for (std::uint32_t other = pending.next; other != none;) {
      pending_[other].extra = pending.extra;
      const std::uint32_t after = pending_[other].next;
      deliver(other, at, replies);
      other = after;
    }
  }
  deliver(index, at, replies);
}

bool MemorySystem::has_data(const MemoryRequest& request) {
  return (request.kind == RequestKind::load && !request.prefetch) || request.kind == RequestKind::code || request.kind == RequestKind::atomic;
}

double MemorySystem::reply_bytes(const MemoryRequest& request) const {
  return std::popcount(request.sectors) * static_cast<double>(spec_.l2.sector_bytes);
}

// What an SM asked for is at its cluster's port.
void MemorySystem::deliver(std::uint32_t index, double at, std::vector<MemoryReply>& replies) {
  Pending& pending = pending_[index];
  give_turn(pending);
  const MemoryRequest& request = pending.request;
  const CrossbarSpec& crossbar = spec_.crossbar;
  if (has_data(request)) {
    const double bytes = reply_bytes(request);
    if (crossbar.tpc_reply_bytes_per_cycle > 0)
      at = tpc_reply_[request.sm / crossbar.sms_per_tpc].serve(at, bytes);
    at = sm_reply_[request.sm].serve(at, bytes);
  }
  // No answer comes sooner than a window is long.
  const int extra =
      std::max(pending.extra + crossbar.distances[request.sm], -static_cast<int>(crossbar.round_trip - min_latency()));
  replies.push_back({up(at) + crossbar.round_trip + extra, request.id, request.sm,
                     request.kind == RequestKind::code, request.launch, request.prefetch});
  ++counters_.replies;
  pending_.give_back(index);
}

}  // namespace warpgauge::model
