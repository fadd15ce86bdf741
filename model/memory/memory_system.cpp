#include "model/memory/memory_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgauge::model {
namespace {

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
      joiner_(clusters(spec), spec.crossbar.join_most, spec.crossbar.join_window, spec.crossbar.join_window_most, spec.crossbar.join_alike),
      map_(spec.l2),
      distances_(spec.crossbar, clusters(spec), std::max(1U, spec.l2.slices), std::max(1U, spec.l2.partitions)),
      dram_(spec.dram, spec.l2),
      bus_(spec.bus),
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
  spec_.crossbar.distances.resize(spec.sms, 0);
  nearest_ = static_cast<unsigned>(std::max(0, -std::ranges::min(spec_.crossbar.distances)));
  cpc_ways_ = CpcWays(spec_.crossbar);
  const unsigned gpcs = clusters(spec);
  gpc_request_.assign(gpcs, Server(crossbar.gpc_request_bytes_per_cycle));
  gpc_reply_.assign(gpcs, Server(crossbar.gpc_reply_bytes_per_cycle));

  const std::vector<unsigned>& near = crossbar.gpc_partitions;
  for (const unsigned gpc : crossbar.gpc_of_sm) {
    near_.push_back((near.empty() ? gpc : near[gpc % near.size()]) % std::max(1U, spec.l2.partitions));
  }

  const unsigned slices = std::max(1U, spec.l2.slices);
  slices_.assign(slices, Server());
  results_.assign(slices, Server());
  additions_.assign(slices, Additions());
  held_.assign(slices, HeldReads(spec.l2.reads_past_miss));
  lookups_.assign(slices, Server());
  writes_.assign(slices, WritePort(spec.l2.slice_write_bytes_per_cycle));
  if (spec.l2.store_again_within != 0) stored_.assign(slices, StoredAgain(spec.l2.store_again_within));
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
    if (request.kind == RequestKind::call) {
      pending_[index] = {};
      pending_[index].request = request;
      ++counters_.requests;
      calendar_.add(request.at, {index, Stage::call});
      continue;
    }
    const unsigned near = partition_of_sm(request.sm);
    const unsigned home = map_.partition_of(request.line);
    const unsigned home_slice = map_.slice_of(request.line, home);
    const unsigned slice = near == home ? home_slice : map_.slice_of(request.line, near);
    pending_[index] = {request,
                       request.kind == RequestKind::load ? distances_.of(spec_.crossbar.gpc_of_sm[request.sm], slice, near != home) : 0,
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
        case Stage::answered:
          answered(event.request, now);
          break;
        case Stage::call:
          call(event.request, now);
          break;
        case Stage::reply:
          reply(event.request, now, replies);
          break;
      }
    });
  }
}

std::string MemorySystem::describe() const {
  if (calendar_.empty()) return {};
  return fmt::format("memory system: {} requests under way\n", counters_.requests - counters_.replies);
}

}  // namespace warpgauge::model
