#include "model/memory/memory_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "model/memory/words.h"

namespace warpgauge::model {
namespace {

Cycle up(double at) {
  return static_cast<Cycle>(std::ceil(at));
}

// Atomics are carried out where the line has its home, whether their results are wanted or not.
bool is_atomic(RequestKind kind) {
  return kind == RequestKind::atomic || kind == RequestKind::reduction;
}

// What it brings is for its line's home.
bool has_operands(RequestKind kind) { return is_atomic(kind) || kind == RequestKind::store; }

// That take what it brings to the other partition: operands of one lane each have one of their own, those of several come behind a
// header, sector by sector.
unsigned link_messages(const MemoryRequest& request) {
  if (request.kind == RequestKind::store) return static_cast<unsigned>(std::popcount(request.sectors));
  const unsigned messages = request.lanes == request.turns ? request.turns : request.deepest + unsigned{request.turns};
  return two_messages(request) ? 2 * messages : messages;
}

// A slice takes two cycles over several lanes' compare and swap, and over sums of more than two doubles of a sector, whether
// they cover it or not.
bool two_turns(const MemoryRequest& request) {
  return two_messages(request) || (request.floating && request.wide && request.lanes > 2U * request.turns);
}

unsigned clusters(const MemorySpec& spec) {
  const std::vector<unsigned>& gpcs = spec.crossbar.gpc_of_sm;
  return gpcs.empty() ? 1 : 1 + *std::max_element(gpcs.begin(), gpcs.end());
}

unsigned tlb_ways(const TlbSpec& spec) {
  // A large level without sets is looked up by hash; 16 ways behave like all of them for pages in use at
  // random.
  constexpr unsigned searched = 64;
  if (spec.ways != 0) return spec.ways;
  return spec.entries <= searched ? std::max(1U, spec.entries) : 16;
}

}  // namespace

MemorySystem::MemorySystem(const MemorySpec& spec, PageHistory* pages)
    : spec_(spec),
      joiner_(clusters(spec), spec.crossbar.join_most, spec.crossbar.join_window, spec.crossbar.join_window_most),
      map_(spec.l2),
      dram_(spec.dram),
      pages_(spec.first_touch_latency != 0 ? pages : nullptr),
      l2_tlb_(std::max(1U, spec.l2_tlb.entries), tlb_ways(spec.l2_tlb)) {
  line_sectors_ = spec.l2.line_bytes / spec.l2.sector_bytes;
  granule_sectors_ =
      std::max(1U, std::max(spec.l2.fetch_bytes, spec.dram.access_bytes) / spec.l2.sector_bytes);
  const CrossbarSpec& crossbar = spec_.crossbar;
  sm_request_.assign(spec.sms, Server(crossbar.sm_request_bytes_per_cycle));
  sm_reply_.assign(spec.sms, Server(crossbar.sm_reply_bytes_per_cycle));
  port_queues_.assign(spec.sms, PortQueue{});
  tpc_reply_.assign((spec.sms + crossbar.sms_per_tpc - 1) / crossbar.sms_per_tpc,
                    Server(crossbar.tpc_reply_bytes_per_cycle));
  spec_.crossbar.gpc_of_sm.resize(spec.sms, 0);
  const unsigned gpcs = clusters(spec);
  gpc_request_.assign(gpcs, Server(crossbar.gpc_request_bytes_per_cycle));
  gpc_reply_.assign(gpcs, Server(crossbar.gpc_reply_bytes_per_cycle));

  const unsigned slices = std::max(1U, spec.l2.slices);
  slices_.assign(slices, Server());
  additions_.assign(slices, Additions());
  lookups_.assign(slices, Server());
  writes_.assign(slices, Server(spec.l2.slice_write_bytes_per_cycle));
  arrivals_.assign(slices, Server(spec.l2.slice_write_bytes_per_cycle));
  queues_.assign(slices, SliceQueue(spec.l2.slice_places, std::make_shared<const CrossbarTree>(
                                                              spec_.crossbar.gpc_of_sm, crossbar.sms_per_tpc, crossbar.cpcs_per_gpc)));
  asked_.assign(slices, never);
  addressed_.assign(std::size_t{spec.sms} * slices, false);
  unfenced_.assign(addressed_.size(), 0);
  const std::uint64_t lines = spec.l2.size_bytes / spec.l2.line_bytes / slices;
  const unsigned ways = std::max(1U, spec.l2.ways);
  tags_.assign(slices, SectorCache(std::max<unsigned>(1, static_cast<unsigned>(lines / ways)), ways));
  entries_of_slice_ = static_cast<std::size_t>(tags_[0].sets()) * ways;
  entries_ = Zeroes<Entry>(entries_of_slice_ * slices);
  // As many groups as sets: those of the tags are dealt out by a hash, in which a buffer has more lines in some than in others.
  const auto most = [ways](double share) { return share < 1 ? std::max(1U, static_cast<unsigned>(ways * share)) : 0; };
  for (unsigned slice = 0; slice < slices; ++slice) {
    written_.emplace_back(entries_of_slice_, tags_[0].sets(), most(spec.l2.written_share));
    in_part_.emplace_back(entries_of_slice_, tags_[0].sets(), most(spec.l2.written_in_part_share));
  }

  if (spec.cluster_code_lines != 0)
    cluster_code_.assign(gpcs, TagCache(spec.cluster_code_lines, spec.cluster_code_ways));

  l1_tlb_.assign(spec.sms, TagCache(std::max(1U, spec.l1_tlb.entries), tlb_ways(spec.l1_tlb)));
  last_page_.assign(spec.sms, ~std::uint64_t{0});
  l1_tlb_used_.assign(spec.sms, 0);
}

void MemorySystem::hold(std::uint64_t line) {
  for (unsigned partition = 0; partition < std::max(1U, spec_.l2.partitions); ++partition) {
    const unsigned slice = map_.slice_of(line, partition);
    double at = 0;
    tags_[slice].at(entry_of(slice, line, at)).valid = 0xff;
  }
}

void MemorySystem::bring_code(std::uint64_t begin, std::uint64_t end, std::uint64_t last) {
  const L2Spec& l2 = spec_.l2;
  for (std::uint64_t line = begin / l2.line_bytes; line * l2.line_bytes < end; ++line) hold(line);
  code_sectors_ = (end - begin + l2.sector_bytes - 1) / l2.sector_bytes;
  code_last_ = (last + l2.line_bytes - 1) / l2.line_bytes;
}

void MemorySystem::take(std::span<const MemoryRequest> requests) {
  for (const MemoryRequest& request : requests) {
    const std::uint32_t index = pending_.take();
    const unsigned near = partition_of_sm(request.sm);
    const unsigned home = map_.partition_of(request.line);
    const unsigned home_slice = map_.slice_of(request.line, home);
    const unsigned slice = near == home ? home_slice : map_.slice_of(request.line, near);
    pending_[index] = {request,
                       request.farther,
                       static_cast<std::uint16_t>(slice),
                       static_cast<std::uint16_t>(home_slice),
                       request.sectors,
                       false,
                       SectorCache::none,
                       none,
                       none};
    tags_[slice].prefetch(request.line);
    if (slice != home_slice) tags_[home_slice].prefetch(request.line);
    ++counters_.requests;
    if (request.kind == RequestKind::barrier) {
      pending_[index].translated = true;
    } else if (request.kind != RequestKind::code) {
      unfenced_[request.sm * slices_.size() + home_slice] = 1;
    }
    calendar_.add(request.at, {index, Stage::leave});
  }
}

void MemorySystem::run(Cycle until, std::vector<MemoryReply>& replies) {
  until_ = until;
  for (Cycle now = calendar_.next(last_); now < until; now = calendar_.next(last_)) {
    last_ = now;
    calendar_.take(now, [&](const Event& event) {
      switch (event.stage) {
        case Stage::leave:
          leave(event.request, now);
          break;
        case Stage::cluster:
          cluster(event.request, now);
          break;
        case Stage::slice:
          slice(event.request, now);
          break;
        case Stage::admit:
          admit(event.request, now);
          break;
        case Stage::copy:
          await_copy(event.request, now);
          break;
        case Stage::link:
          pass_on(event.request, now);
          break;
        case Stage::home:
          home(event.request, now);
          break;
        case Stage::reply:
          reply(event.request, now, replies);
          break;
      }
    });
  }
}

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

unsigned MemorySystem::partition_of_sm(unsigned sm) const {
  return spec_.crossbar.gpc_of_sm[sm] % std::max(1U, spec_.l2.partitions);
}

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
  const Cycle at = up(port.serve(static_cast<double>(now), bytes));
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

double MemorySystem::turn_cycles(const MemoryRequest& request) const {
  const L2Spec& l2 = spec_.l2;
  const double whole = two_turns(request) ? 2 / l2.atomic_sector_rate : 1 / l2.atomic_sector_rate;
  return request.partial ? std::max(whole, 1 / l2.atomic_word_rate) : whole;
}

double MemorySystem::occupy_slice(unsigned slice, Pending& pending, bool at_home, Cycle now) {
  const MemoryRequest& request = pending.request;
  const L2Spec& l2 = spec_.l2;
  const unsigned sectors = static_cast<unsigned>(std::popcount(pending.asked));
  const bool first = !at_home || pending.slice == pending.home;
  double incoming = l2.request_bytes;  // bytes from an SM
  double cycles = 0;                   // of the data
  counters_.l2_requests += request.joined ? 0 : 1;
  const std::uint64_t sectors_before = counters_.l2_sectors;
  switch (request.kind) {
    case RequestKind::atomic:
    case RequestKind::reduction: {
      const double operands =
          request.turns * static_cast<double>(l2.sector_bytes) * (two_messages(request) ? 2 : 1);
      counters_.l2_sectors += request.turns;
      (request.kind == RequestKind::atomic ? counters_.l2_atomic_sectors : counters_.l2_reduction_sectors) +=
          request.turns;
      // A header and a sector come one after the other; further sectors of a request hide the header.
      incoming = std::max(operands, std::min<double>(request_bytes(request),
                                                     spec_.crossbar.request_header + l2.sector_bytes));
      if (at_home) cycles = request.turns * turn_cycles(request);
      break;
    }
    case RequestKind::store:
      counters_.l2_sectors += sectors;
      counters_.l2_write_sectors += sectors;
      if (first) {
        counters_.l1_write_requests += request.joined ? 0 : 1;
        counters_.l1_write_sectors += sectors;
      }
      incoming = sectors * static_cast<double>(l2.sector_bytes) +
                 (request.partial ? l2.partial_write_extra * l2.slice_write_bytes_per_cycle : 0);
      break;
    case RequestKind::barrier:
      break;  // comes to no slice
    case RequestKind::load:
    case RequestKind::code:
      counters_.l2_sectors += sectors;
      counters_.l2_read_sectors += sectors;
      cycles = sectors * static_cast<double>(l2.sector_bytes) / l2.slice_bytes_per_cycle;
      break;
  }
  if (first && request.kind != RequestKind::code) {
    counters_.l1_sectors += counters_.l2_sectors - sectors_before;
    address(pending);
  }
  // Arrivals, lookups and data are stages of their own; what comes from the other partition has a way of its
  // own.
  double start = static_cast<double>(now);
  if (first) {
    start = arrivals_[slice].serve(start, incoming);
    // An atomic keeps its places until it is known how long it waits at its home, a store for the other partition until it is passed on.
    pending.taken = start;
    if (!is_atomic(request.kind) && (at_home || request.kind != RequestKind::store)) free_places(slice, messages(request), start);
  }
  start = lookups_[slice].occupy(start, l2.request_interval);
  if (!at_home && has_operands(request.kind)) return start;
  if (request.kind == RequestKind::store) return writes_[slice].serve(start, incoming);
  return cycles <= 0 ? start : slices_[slice].occupy(start, cycles);
}

void MemorySystem::pass_on(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  const unsigned from = partition_of_sm(request.sm);
  // What an atomic returns takes the way back.
  if (request.kind == RequestKind::atomic) {
    const unsigned results = std::max<unsigned>(std::popcount(request.sectors), (request.lanes + 7U) / 8U);
    links_[from ^ 1U].lengthen(results * spec_.l2.link_interval);
  }
  const double passes = links_[from].occupy(static_cast<double>(now), link_messages(request) * spec_.l2.link_interval);
  pending.taken = std::max(pending.taken, passes);
  if (request.kind == RequestKind::store) free_places(pending.slice, messages(request), passes);
  const Cycle at = up(passes);
  if (at > now) {
    calendar_.add(at, {index, Stage::home});
  } else {
    home(index, now);
  }
}

void MemorySystem::drop_copy(std::uint64_t line, unsigned home) {
  const unsigned other = map_.slice_of(line, home ^ 1U);
  const std::uint32_t entry = tags_[other].peek(line);
  if (entry != SectorCache::none) tags_[other].at(entry).valid = 0;
}

void MemorySystem::keep_stored(unsigned slice, const MemoryRequest& request, double at) {
  SectorCache& tags = tags_[slice];
  std::uint32_t entry = tags.peek(request.line);
  if (entry == SectorCache::none) {
    entry = entry_of(slice, request.line, at);
    tags.let_go_first(entry);
  }
  tags.at(entry).valid |= request.sectors;
}

void MemorySystem::share(const Pending& pending, Entry& line, double at) {
  const double lookup = spec_.l2.request_interval;
  if (at < line.back) lookups_[pending.home].lengthen(lookup);  // looked up once more when the line is back
  if (pending.slice != pending.home) {
    line.lent = true;
    return;
  }
  if (!line.lent) return;
  const std::uint64_t number = pending.request.line;
  const unsigned home = map_.partition_of(number);
  drop_copy(number, home);
  if (at < line.back) return;
  lookups_[map_.slice_of(number, home ^ 1U)].lengthen(lookup);
  ++counters_.l2_sectors;
  ++counters_.l2_hit_sectors;
  line.back = at + spec_.l2.far_extra;
  line.lent = false;
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
  if (entry.leader != RequestJoiner::none) {
    Pending& leader = pending_[entry.leader];
    pending.next = leader.next;
    leader.next = index;
  } else {
    const Cycle ready = up(entry.ready);
    // The answer that it gets is under way already, and has passed the cluster's port.
    pending.answered = true;
    if (ready < now) pending.extra -= static_cast<int>(std::min<Cycle>(now - ready, spec_.crossbar.round_trip - min_latency()));
    calendar_.add(std::max(now, ready), {index, Stage::reply});
  }
  return true;
}

void MemorySystem::slice(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  if (request.kind == RequestKind::code && request.line - code_last_ < code_ahead) {
    calendar_.add(now, {index, Stage::reply});
    return;
  }
  if (request.kind == RequestKind::load && joiner_.enabled() && join_neighbour(index, now)) {
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

void MemorySystem::enter(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  if (pending.slice == pending.home) {
    home(index, now);
    return;
  }
  const unsigned which = pending.slice;
  const unsigned sectors = static_cast<unsigned>(std::popcount(request.sectors));
  double start = occupy_slice(which, pending, false, now);
  if (request.kind == RequestKind::load || request.kind == RequestKind::code) {
    const std::uint32_t entry = entry_of(which, request.line, start);
    SectorCache::Line& line = tags_[which].at(entry);
    const unsigned hits =
        static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(line.valid & request.sectors)));
    counters_.l2_hit_sectors += hits;
    counters_.l2_read_hit_sectors += hits;
    if (hits == sectors) {
      pending.copy_entry = entry;
      await_copy(index, std::max(now, up(start)));
      return;
    }
    // The other partition is asked for whole granules too, or for the line.
    const std::uint8_t wanted = request.whole_line ? whole_line() : whole_granules(request.sectors);
    pending.asked = static_cast<std::uint8_t>(wanted & ~line.valid) | request.sectors;
    line.valid |= pending.asked;
    pending.copy_entry = entry;
    double& filled = known(which, entry).filled;
    if (filled <= static_cast<double>(now)) filled = -static_cast<double>(up(start));
  } else if (request.kind == RequestKind::store) {
    counters_.l2_hit_sectors += sectors;
    if (!request.partial) keep_stored(which, request, start);
  } else {
    counters_.l2_hit_sectors += request.turns;
  }
  pending.extra += is_atomic(request.kind) ? spec_.l2.atomic_far_extra : spec_.l2.far_extra;
  calendar_.add(up(start), {index, has_operands(request.kind) ? Stage::link : Stage::home});
}

void MemorySystem::await_copy(std::uint32_t index, Cycle now) {
  const Pending& pending = pending_[index];
  const double filled = known(pending.slice, pending.copy_entry).filled;
  if (filled < 0) {
    calendar_.add(std::max(now + 1, static_cast<Cycle>(-filled)), {index, Stage::copy});
  } else {
    finish(index, std::max(static_cast<double>(now), filled));
  }
}

double MemorySystem::float_cycles(const MemoryRequest& request) const {
  return 1 / spec_.l2.atomic_float_word_rate + (two_turns(request) ? 1 / spec_.l2.atomic_sector_rate : 0);
}

double MemorySystem::add_floats(Pending& pending, double start) {
  const MemoryRequest& request = pending.request;
  Additions& additions = additions_[pending.home];
  if (const double end = additions.end_of(request.line, request.sectors); end > start) {
    slices_[pending.home].lengthen(end - start);
    start = end;
    pending.taken = std::max(pending.taken, start);
  }
  additions.add(request.line, request.sectors, start + request.deepest * float_cycles(request));
  return start;
}

void MemorySystem::home(std::uint32_t index, Cycle now) {
  Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  const L2Spec& l2 = spec_.l2;
  const unsigned which = pending.home;
  const unsigned sectors = static_cast<unsigned>(std::popcount(pending.asked));
  const bool atomic = is_atomic(request.kind);
  if (atomic) pending.extra += l2.atomic_latency;
  double start = occupy_slice(which, pending, true, now);
  if (atomic && request.floating) start = add_floats(pending, start);
  const std::uint32_t entry = entry_of(which, request.line, start);
  SectorCache::Line& line = tags_[which].at(entry);
  Entry& here = known(which, entry);
  double& filled = here.filled;
  // What changes a line waits for what a load of it has asked memory for, and what has come behind it by the same way waits, too.
  if ((atomic || request.kind == RequestKind::store) && here.loading > start) arrivals_[pending.slice].block(here.loading);
  const unsigned hits =
      static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(line.valid & pending.asked)));
  double ready = start;
  if (request.kind == RequestKind::store) {
    counters_.l2_hit_sectors += sectors;  // a store needs nothing of what was there
    if (l2.partitions == 2) share(pending, here, static_cast<double>(now));
    dirty(which, entry, request.sectors, start);
    write_words(which, entry, request.joined ? request.words : request.words & words_of(request.sectors), start);
    ready = start;
  } else {
    // Only the first turn of an atomic can miss.
    const unsigned again = atomic && request.turns > sectors ? request.turns - sectors : 0;
    counters_.l2_hit_sectors += hits + again;
    if (!atomic) counters_.l2_read_hit_sectors += hits;
    const std::uint8_t missing = static_cast<std::uint8_t>(pending.asked & ~line.valid);
    if (missing != 0) {
      // Memory gives whole granules: the neighbours of a missing sector come along, but for an atomic from the other partition.
      const bool granules = !atomic || pending.slice == pending.home;
      const auto wanted = request.whole_line ? whole_line() : granules ? whole_granules(missing) : missing;
      const auto fetch = static_cast<std::uint8_t>(wanted & ~line.valid);
      const unsigned bytes = static_cast<unsigned>(std::popcount(fetch)) * l2.sector_bytes;
      // What comes takes the slice's way in for writes; none is asked for before there is room for it.
      const double asked = writes_[which].serve(start, bytes);
      const double at = dram_.access(request.line * l2.line_bytes, bytes, false, asked);
      counters_.dram_read_bytes += bytes;
      filled = std::max(filled, at + spec_.dram.latency);
      if (!atomic) here.loading = filled;
      bring(which, entry, fetch);
    }
    // A reduction is done with when its slice has it, whatever it waits for there.
    const double filling = std::max(ready, filled);
    if (request.kind != RequestKind::reduction) ready = filling;
    if (atomic) {
      if (std::exchange(here.lent, false)) drop_copy(request.line, map_.partition_of(request.line));
      // What waits for memory, or for its word, keeps its places.
      free_places(pending.slice, request.turns, filling > start ? std::max(filling, pending.taken) : pending.taken);
      dirty(which, entry, request.sectors, start);
      // Operations on one word wait for each other; floats have done so in the slice, but for memory.
      if (!request.floating) {
        filled = filling + request.deepest * turn_cycles(request);
      } else if (filling > start) {
        filled = filling + request.deepest * float_cycles(request);
      }
    }
  }
  if (pending.copy_entry != SectorCache::none) {
    here.lent = true;
    double& copied = known(pending.slice, pending.copy_entry).filled;
    copied = std::max(copied, ready + l2.far_extra);
  }
  finish(index, ready);
}

std::uint8_t MemorySystem::whole_granules(std::uint8_t sectors) const {
  std::uint8_t whole = 0;
  for (unsigned first = 0; first < line_sectors_; first += granule_sectors_) {
    const auto mask =
        static_cast<std::uint8_t>(((1U << std::min(granule_sectors_, line_sectors_)) - 1) << first);
    if ((sectors & mask) != 0) whole |= mask;
  }
  return whole;
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
  return request.kind == RequestKind::load || request.kind == RequestKind::code || request.kind == RequestKind::atomic;
}

double MemorySystem::reply_bytes(const MemoryRequest& request) const {
  return std::popcount(request.sectors) * static_cast<double>(spec_.l2.sector_bytes);
}

// What an SM asked for is at its cluster's port.
void MemorySystem::deliver(std::uint32_t index, double at, std::vector<MemoryReply>& replies) {
  const Pending& pending = pending_[index];
  const MemoryRequest& request = pending.request;
  const CrossbarSpec& crossbar = spec_.crossbar;
  if (has_data(request)) {
    const double bytes = reply_bytes(request);
    if (crossbar.tpc_reply_bytes_per_cycle > 0)
      at = tpc_reply_[request.sm / crossbar.sms_per_tpc].serve(at, bytes);
    at = sm_reply_[request.sm].serve(at, bytes);
  }
  // No answer comes sooner than a window is long.
  const int extra = std::max(pending.extra, -static_cast<int>(crossbar.round_trip - min_latency()));
  replies.push_back({up(at) + crossbar.round_trip + extra, request.id, request.sm,
                     request.kind == RequestKind::code, request.launch});
  ++counters_.replies;
  pending_.give_back(index);
}

std::string MemorySystem::describe() const {
  if (calendar_.empty()) return {};
  return fmt::format("memory system: {} requests under way\n", counters_.requests - counters_.replies);
}

}  // namespace warpgauge::model
