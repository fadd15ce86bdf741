// Requests to a memory system of a few SMs, and its answers, for the tests beside this file.
#pragma once

#include <algorithm>
#include <vector>

#include "model/memory/memory_system.h"

namespace warpgauge::model::test {

inline MemorySpec small() {
  MemorySpec spec;
  spec.sms = 4;
  spec.crossbar.round_trip = 200;
  spec.crossbar.sm_request_bytes_per_cycle = 64;
  spec.crossbar.sm_reply_bytes_per_cycle = 64;
  spec.l2.size_bytes = 1 << 20;
  spec.l2.slices = 16;
  spec.l2.slice_bytes_per_cycle = 32;
  spec.dram.channels = 8;
  spec.dram.channel_bytes_per_cycle = 8;
  spec.dram.latency = 300;
  return spec;
}

// An L2 of so many slices in two partitions, lines dealt out as on an H200.
inline L2Spec two_rings(unsigned slices) {
  L2Spec spec;
  spec.slices = slices;
  spec.partitions = 2;
  spec.partition_interleave = 4096;
  spec.slice_interleave = {512, 256};
  return spec;
}

// A bus to the host's memory on which each kind of access takes its own time.
inline BusSpec small_bus() {
  BusSpec spec;
  spec.latency = 2000;
  spec.read_interval = 3;
  spec.read_sector = 1;
  spec.write_sector = 1;
  spec.partial_write = 2;
  spec.write_latency = 500;
  spec.write_buffer = 100;
  spec.writes_before_reads = 0.25;
  spec.atomic = 1500;
  spec.atomic_interval = 4;
  return spec;
}

inline MemoryRequest request(Cycle at, std::uint64_t line, RequestKind kind = RequestKind::load, unsigned sm = 0) {
  return {at, line, 0, static_cast<std::uint16_t>(sm), kind, 0xf, 32, 1};
}

inline std::vector<MemoryReply> serve(MemorySystem& memory, std::vector<MemoryRequest> requests) {
  std::uint32_t id = 0;
  for (MemoryRequest& r : requests) r.id = id++;
  memory.take(requests);
  std::vector<MemoryReply> replies;
  memory.run(~Cycle{0} - 1, replies);
  std::sort(replies.begin(), replies.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return replies;
}

inline Cycle last_of(const std::vector<MemoryReply>& replies) {
  Cycle last = 0;
  for (const MemoryReply& reply : replies) last = std::max(last, reply.at);
  return last;
}

// Two partitions, of which SM 0 and SM 2 lie in one and the others in the other.
inline MemorySpec two_partitions() {
  MemorySpec spec = small();
  spec.l2.partitions = 2;
  spec.l2.far_extra = 50;
  spec.l2.atomic_far_extra = 70;
  spec.l2.partition_interleave = 4096;
  spec.crossbar.gpc_of_sm = {0, 1, 0, 1};
  return spec;
}

}  // namespace warpgauge::model::test
