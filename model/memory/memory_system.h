// Everything beyond the SMs: crossbar ports, L2 slices, DRAM channels, address translation.
//
// Ports, slices and channels are servers: what arrives while one is busy waits its turn. Requests pass them
// in the order of time. Latencies without load do not pass here but are added at the end, so that a request
// is at all stages at the cycle in which it left its SM plus what it has waited; a stage may then be worked
// off up to the end of a window as soon as the SMs have run through it.
//
// An L2 of two partitions has a home for every line in one of them. SMs ask the slice of their own partition
// first; what has its home in the other is fetched from there, and reads leave a copy: a set that all SMs
// read takes room in both. Lookups of both slices count, as they do on the hardware.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/memory/request.h"
#include "model/memory/sector_cache.h"
#include "model/memory/spec.h"
#include "model/sm/calendar.h"
#include "model/sm/instruction_cache.h"

namespace warpgauge::model {

// Serves one after the other at a rate.
class Server {
 public:
  explicit Server(double units_per_cycle = 0)
      : cycles_per_unit_(units_per_cycle > 0 ? 1 / units_per_cycle : 0) {}
  // When what arrives at `at` and takes `units` gets its turn.
  double serve(double at, double units) { return occupy(at, units * cycles_per_unit_); }
  double occupy(double at, double cycles) {
    const double start = at > free_ ? at : free_;
    free_ = start + cycles;
    busy_ += cycles;
    return start;
  }
  [[nodiscard]] double busy() const { return busy_; }

 private:
  double cycles_per_unit_;
  double free_ = 0;
  double busy_ = 0;
};

struct MemoryCounters {
  std::uint64_t l2_sectors = 0;  // looked up by SMs
  std::uint64_t l2_hit_sectors = 0;
  std::uint64_t l2_read_sectors = 0;
  std::uint64_t l2_read_hit_sectors = 0;
  std::uint64_t l2_write_sectors = 0;
  std::uint64_t l2_atomic_sectors = 0;
  std::uint64_t l2_reduction_sectors = 0;
  std::uint64_t l2_requests = 0;
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;
  std::uint64_t tlb_l1_misses = 0;
  std::uint64_t tlb_l2_misses = 0;
  std::uint64_t requests = 0;
  std::uint64_t replies = 0;
};

class Dram {
 public:
  explicit Dram(const DramSpec& spec);
  // The start of the transfer of `bytes` that are wanted at `at`.
  double access(std::uint64_t byte, unsigned bytes, bool write, double at);
  [[nodiscard]] double busy() const;

 private:
  // When an access that could begin at `at` does, should its bank be in refresh.
  [[nodiscard]] double after_refresh(std::uint64_t byte, double at) const;
  struct Channel {
    Server server;
    double write_share = 0;  // of late, by bytes
  };
  DramSpec spec_;
  std::vector<Channel> channels_;
};

// Spreads addresses over slices and channels, whatever their stride.
std::uint64_t spread(std::uint64_t block);

class MemorySystem {
 public:
  explicit MemorySystem(const MemorySpec& spec);

  // The launch has read this line through both partitions.
  void hold(std::uint64_t line);
  // Takes in requests; none lies before the end of the last window.
  void take(std::span<const MemoryRequest> requests);
  // Works off everything up to `until`, exclusively; the replies lie at or after `until` if a window is no
  // longer than min_latency().
  void run(Cycle until, std::vector<MemoryReply>& replies);
  [[nodiscard]] Cycle next_event() const { return calendar_.next(last_); }
  [[nodiscard]] unsigned min_latency() const { return spec_.crossbar.round_trip; }
  [[nodiscard]] bool idle() const { return calendar_.empty(); }
  [[nodiscard]] const MemoryCounters& counters() const { return counters_; }
  [[nodiscard]] double dram_busy() const { return dram_.busy(); }
  [[nodiscard]] std::string describe() const;

 private:
  enum class Stage : std::uint8_t { leave, cluster, slice, home, reply };
  struct Event {
    std::uint32_t request = 0;
    Stage stage = Stage::leave;
  };
  struct Pending {
    MemoryRequest request;
    unsigned extra = 0;  // latency beyond the round trip
    bool translated = false;
    std::uint32_t copy_entry = 0;  // of the asking slice, where a read leaves its copy
    std::uint32_t next = 0;        // in the free list, or of those who wait for the same line
  };
  // A line of code or constants that one SM of a cluster fetches for all of them.
  struct ClusterFetch {
    unsigned gpc = 0;
    std::uint32_t leader = 0;
  };

  void leave(std::uint32_t index, Cycle now);
  // Code and constants: whether another SM of the cluster has asked for the line, which is then on its way or
  // here.
  bool join_cluster(std::uint32_t index, Cycle now);
  void answer_cluster(std::uint32_t index, Cycle now);
  void cluster(std::uint32_t index, Cycle now);
  void slice(std::uint32_t index, Cycle now);
  void home(std::uint32_t index, Cycle now);
  void reply(std::uint32_t index, Cycle now, std::vector<MemoryReply>& replies);
  // Pages are mapped before a kernel runs, and the launch before it has left their entries: an entry that is
  // made for the first time costs nothing, one that has been replaced is walked for again.
  [[nodiscard]] unsigned translate(const MemoryRequest& request);
  [[nodiscard]] unsigned partition_of_line(std::uint64_t line) const;
  // The slice of `partition` that serves a line.
  [[nodiscard]] unsigned slice_of_line(std::uint64_t line, unsigned partition) const;
  // What a request takes of the ports on its way out.
  [[nodiscard]] double request_bytes(const MemoryRequest& request) const;
  double occupy_slice(unsigned slice, const MemoryRequest& request, bool at_home, Cycle now);
  // The line's entry in a slice, made if need be; a dirty line that makes way goes to DRAM at `at`.
  std::uint32_t entry_of(unsigned slice, std::uint64_t line, double at);
  [[nodiscard]] unsigned partition_of_sm(unsigned sm) const;
  void finish(std::uint32_t index, double at);

  MemorySpec spec_;
  Calendar<Event> calendar_;
  Cycle last_ = 0;
  std::vector<Pending> pending_;
  std::uint32_t free_ = none;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<Server> sm_request_;
  std::vector<Server> sm_reply_;
  std::vector<Server> tpc_reply_;
  std::vector<Server> gpc_request_;
  std::vector<Server> gpc_reply_;
  std::vector<Server> lookups_;             // by slice: its tags
  std::vector<Server> slices_;              // and its data
  std::vector<SectorCache> tags_;           // by slice
  std::vector<std::vector<double>> fills_;  // by slice and entry: when its latest sectors arrive
  Dram dram_;
  std::vector<TagCache> l1_tlb_;
  std::vector<std::uint64_t> last_page_;
  std::vector<unsigned> l1_tlb_used_;  // entries filled so far
  unsigned l2_tlb_used_ = 0;
  TagCache l2_tlb_;
  std::vector<TagCache> cluster_code_;  // by cluster; none where SMs have second levels of their own
  std::vector<ClusterFetch> cluster_fetches_;
  MemoryCounters counters_;
};

}  // namespace warpgauge::model
