// Everything beyond the SMs: crossbar ports, L2 slices, DRAM channels, address translation.
//
// Ports, slices and channels are servers: what arrives while one is busy waits its turn. Requests pass them
// in the order of time. Latencies without load do not pass here but are added at the end, so that a request
// is at all stages at the cycle in which it left its SM plus what it has waited; a stage may then be worked
// off up to the end of a window as soon as the SMs have run through it.
//
// An L2 of two partitions has a home for every line in one of them. SMs ask the slice of their own partition
// first; what has its home in the other is fetched from there, and reads leave a copy, as stores do of sectors
// that they cover: a set that all SMs read takes room in both. A store at home and every atomic take the whole line
// from the other partition. Lookups of both slices count, as they do on the hardware (docs/h200.md, partitions_and_stores).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/memory/bus.h"
#include "model/memory/cpc_ways.h"
#include "model/memory/dram.h"
#include "model/memory/held_reads.h"
#include "model/memory/page_history.h"
#include "model/memory/request.h"
#include "model/memory/request_joiner.h"
#include "model/memory/sector_cache.h"
#include "model/memory/servers.h"
#include "model/memory/slice_distances.h"
#include "model/memory/slice_map.h"
#include "model/memory/slice_queue.h"
#include "model/memory/spec.h"
#include "model/memory/stored_again.h"
#include "model/memory/write_port.h"
#include "model/memory/written_lines.h"
#include "model/pool.h"
#include "model/sm/calendar.h"
#include "model/sm/instruction_cache.h"
#include "model/zeroes.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

struct MemoryCounters {
  std::uint64_t l2_sectors = 0;  // looked up by SMs
  std::uint64_t l2_hit_sectors = 0;
  std::uint64_t l2_read_sectors = 0;
  std::uint64_t l2_read_hit_sectors = 0;
  std::uint64_t l2_write_sectors = 0;
  std::uint64_t l2_atomic_sectors = 0;
  std::uint64_t l2_reduction_sectors = 0;
  std::uint64_t l2_requests = 0;
  std::uint64_t l1_sectors = 0;  // of all those, what comes from the L1s of the SMs ...
  std::uint64_t l1_write_requests = 0;  // ... and the stores among it
  std::uint64_t l1_write_sectors = 0;
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;
  std::uint64_t tlb_l1_misses = 0;
  std::uint64_t tlb_l2_misses = 0;
  std::uint64_t requests = 0;
  std::uint64_t replies = 0;
};

class MemorySystem {
 public:
  // `pages`: those that the program has touched, or null if all are known.
  explicit MemorySystem(const MemorySpec& spec, PageHistory* pages = nullptr);

  // The launch has read this line through both partitions.
  void hold(std::uint64_t line);
  // The same for code that a launch brings to the second level of every cluster, which the counters see.
  // Lines behind `last`, the end of the kernel, are not read, though the model's SMs fetch them in advance: the card's
  // counters show nothing of it (docs/h200.md).
  void bring_code(std::uint64_t begin, std::uint64_t end, std::uint64_t last);
  // Device addresses whose memory is the host's, in order, from now on.
  void map_host(std::span<const traces::AddressRange> ranges);
  // Takes in requests; none lies before the end of the last window.
  void take(std::span<const MemoryRequest> requests);
  // Words that joined a store whose line its home has by now.
  void note(const LateWords& late);
  // Works off everything up to `until`, exclusively; the replies lie at or after `until` if a window is no
  // longer than min_latency().
  void run(Cycle until, std::vector<MemoryReply>& replies);
  // Turns that run() has given since the list was cleared, in order.
  [[nodiscard]] std::vector<Turn>& turns() { return turns_; }
  // How long an SM's port is busy with what it has been given and what waits for it, if nothing else holds it up.
  [[nodiscard]] Cycle port_busy_until(unsigned sm) const;
  [[nodiscard]] Cycle next_event() const { return calendar_.next(last_); }
  [[nodiscard]] unsigned min_latency() const {
    const unsigned sooner = nearest_ + (joiner_.enabled() ? spec_.crossbar.join_window_most : 0);
    return spec_.crossbar.round_trip - std::min(spec_.crossbar.round_trip, sooner);
  }
  [[nodiscard]] bool idle() const { return calendar_.empty(); }
  [[nodiscard]] const MemoryCounters& counters() const { return counters_; }
  // The same at the end of a kernel that took `cycles`, with what the launch adds to them: its own reads, barriers at
  // each slice that an SM has addressed, and what comes beside long launches.
  [[nodiscard]] MemoryCounters launch_counters(Cycle cycles);
  // When the host has all that was stored to its memory.
  [[nodiscard]] Cycle bus_drained() const;
  // What a slice takes for these barriers, in the mean.
  [[nodiscard]] Cycle barrier_cycles() const;
  // Nothing runs: a launch that begins now has addressed no slice yet.
  void begin_alone() {
    addressed_.assign(addressed_.size(), false);
    unfenced_.assign(unfenced_.size(), 0);
  }
  // Whether a line's home is the other partition than the SM's.
  [[nodiscard]] bool far(unsigned sm, std::uint64_t line) const { return partition_of_sm(sm) != map_.partition_of(line); }
  [[nodiscard]] double dram_busy() const { return dram_.busy(); }
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] std::uint64_t barriers() const;

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  enum class Stage : std::uint8_t { leave, cluster, slice, admit, copy, link, home, answered, call, reply };
  struct Event {
    std::uint32_t request = 0;
    Stage stage = Stage::leave;
  };
  struct Pending {
    MemoryRequest request;
    int extra = 0;            // latency beyond the round trip; less than none if the answer was under way already
    std::uint16_t slice = 0;  // of the SM's partition
    std::uint16_t home = 0;   // that has the line; the same if it lies in the SM's partition
    std::uint8_t asked = 0;   // sectors that a slice is asked for
    bool translated = false;
    std::uint32_t copy_entry = 0;  // of the asking slice, where a read leaves its copy
    std::uint32_t behind = none;   // in the queue before its SM's port
    std::uint32_t next = 0;        // of those who wait for the same line
    double taken = 0;              // until when it keeps its places before the slice
    bool had_turn = false;         // what is deferred
    bool answered = false;         // by an answer that has passed the cluster's port for another SM
    std::uint64_t sent = 0;        // to the other partition: its number among its slice's reads; 0: none of those
  };
  // What a slice knows of an entry's line beside its sectors.
  struct Entry {
    double filled = 0;  // when its latest sectors arrive; negative: when their home will be asked for them
    // Of a line whose home it is:
    double loading = 0;  // until when what a load asked for is on its way from memory
    double back = 0;     // until when the other partition is giving the line back
    // Until when, and which, sectors that stores had covered in part are on their way from memory.
    double completing = 0;
    std::uint8_t completing_sectors = 0;
    bool lent = false;   // whether it has the line
    float stored = 0;    // when words of a sector were last stored, by way of this slice
    std::uint32_t words = 0;  // that stores have written of sectors that are not here
  };
  // Requests that wait for their SM's port, from the next one on.
  struct PortQueue {
    std::uint32_t first = none;
    std::uint32_t last = none;
    double bytes = 0;      // of all of them
    unsigned waiting = 0;  // messages that have passed and wait before full slices
    bool stands = false;   // the first one waits until these are fewer
  };
  // A line of code or constants that one SM of a cluster fetches for all of them.
  struct ClusterFetch {
    unsigned gpc = 0;
    std::uint32_t leader = 0;
  };

  void leave(std::uint32_t index, Cycle now);
  // It takes place now, if it is deferred and has not yet.
  void give_turn(Pending& pending) {
    if (!pending.request.deferred || pending.had_turn) return;
    pending.had_turn = true;
    turns_.push_back({pending.request.id, pending.request.sm});
  }
  // What a slice will look up of the line is brought into the host's caches.
  void prefetch(unsigned slice, std::uint64_t line);
  // Code and constants: whether another SM of the cluster has asked for the line, which is then on its way or
  // here.
  bool join_cluster(std::uint32_t index, Cycle now);
  void answer_cluster(std::uint32_t index, Cycle now);
  void cluster(std::uint32_t index, Cycle now);
  void slice(std::uint32_t index, Cycle now);
  // It has its places before the slice that it asks first.
  void enter(std::uint32_t index, Cycle now);
  // Messages, of a sector each, that a request sends.
  [[nodiscard]] static unsigned messages(const MemoryRequest& request);
  void free_places(unsigned slice, unsigned messages, double at);
  // Those who wait before a slice will be looked at again at `at`.
  void ask_for_room(unsigned slice, double at, Cycle now);
  void admit(unsigned slice, Cycle now);
  // Whether so much of an SM waits before full slices that nothing else leaves it.
  [[nodiscard]] bool held_up(const PortQueue& queue) const;
  void let_go(const MemoryRequest& request, Cycle now);
  // Where its cluster's loads for what this one asks for are joined.
  [[nodiscard]] RequestJoiner::Entry& joined(const MemoryRequest& request);
  // Loads: whether a neighbour's request for the line answers this one too.
  bool join_neighbour(std::uint32_t index, Cycle now);
  // Another partition's copy of a line is here, or will be when its home has been asked.
  void await_copy(std::uint32_t index, Cycle now);
  void home(std::uint32_t index, Cycle now);
  [[nodiscard]] bool on_host(const MemoryRequest& request) const;
  // What lies in the host's memory goes over the bus.
  void cross(std::uint32_t index, Cycle now);
  // A function of the driver begins, or has come to its end.
  void call(std::uint32_t index, Cycle now);
  // From an addition of floats to the next one of its word.
  [[nodiscard]] double float_cycles(const MemoryRequest& request) const;
  // An addition of floats that has its turn at its home at `start`: when it begins, in order.
  double add_floats(Pending& pending, double start);
  // The other partition has answered a read of the slice: who has waited for that goes on.
  void answered(unsigned slice, Cycle now);
  void reply(std::uint32_t index, Cycle now, std::vector<MemoryReply>& replies);
  void deliver(std::uint32_t index, double at, std::vector<MemoryReply>& replies);
  [[nodiscard]] static bool has_data(const MemoryRequest& request);
  [[nodiscard]] double reply_bytes(const MemoryRequest& request) const;  // with has_data()
  // Pages are mapped before a kernel runs, and the launch before it has left their entries: an entry that is
  // made for the first time costs nothing, one that has been replaced is walked for again.
  [[nodiscard]] Cycle translate(const MemoryRequest& request, Cycle now);
  // How long a request to `page` waits for the first walk to it, which it begins if nobody has.
  [[nodiscard]] Cycle first_walk(std::uint64_t page, Cycle now);
  // What a request takes of the ports on its way out.
  [[nodiscard]] double request_bytes(const MemoryRequest& request) const;
  // Of a slice, for each turn of an atomic's lanes on a sector: a turn that has a part of the sector takes longer than a
  // whole one; sums of more than two doubles and several lanes' compare and swap take twice as long as a whole one.
  [[nodiscard]] double turn_cycles(const MemoryRequest& request) const;
  // What an atomic's results take of the slice that its SM has asked.
  [[nodiscard]] double answer_cycles(const MemoryRequest& request) const;
  // An SM has asked a slice for something, by itself or with another's request: a launch's end sends it a barrier there.
  void address(const Pending& pending) { addressed_[pending.request.sm * slices_.size() + pending.home] = true; }
  // A barrier asks the slices that its SM has asked since the last one, and comes back when all have looked it up.
  void ask_all(std::uint32_t index, Cycle now);
  // What a store or an atomic takes of the way there: a message for each sector, behind a header where lanes share one.
  [[nodiscard]] static unsigned link_messages(const MemoryRequest& request);
  // What a request brings goes to the other partition, where its line has its home.
  void pass_on(std::uint32_t index, Cycle now);
  // When what a load wants passes on its way back from there, should its home have it by then. They take turns as they
  // come to their home, and not as memory brings their lines.
  double pass_back(const Pending& pending, Cycle now);
  // When the results of an atomic have come from the other partition, by a way that nothing else takes.
  double answer(const MemoryRequest& request, Cycle now);
  double occupy_slice(unsigned slice, Pending& pending, bool at_home, Cycle now);
  // The sectors with those that DRAM transfers beside them.
  [[nodiscard]] std::uint8_t whole_granules(std::uint8_t sectors) const;
  [[nodiscard]] std::uint8_t whole_line() const { return static_cast<std::uint8_t>((1U << line_sectors_) - 1); }
  // Takes the line from the other partition, which may have a copy.
  void drop_copy(std::uint64_t line, unsigned home);
  // A store from afar that covers its sectors leaves them in its own partition, too, for as long as nobody wants the room.
  void keep_stored(unsigned slice, const MemoryRequest& request, double at);
  // A store reaches its line's home at `at`: whether the other partition has the line, must give it back or has yet to.
  void share(Pending& pending, Entry& line, double at);
  // The line's entry in a slice, made if need be. A dirty line that makes way goes to DRAM at `at`, which
  // moves on to when there is room for it.
  std::uint32_t entry_of(unsigned slice, std::uint64_t line, double& at);
  // A load comes to the line at `at`: right behind words stored to it the slice is held.
  void load_behind_store(unsigned slice, const Entry& line, double at);
  // These sectors of the entry's line are written, near its home. What the slice may not keep beside them goes to DRAM at
  // `at`, which moves on as above.
  void dirty(unsigned slice, std::uint32_t entry, std::uint8_t sectors, double& at);
  // What has been written of the entry's line goes to memory, at once or `late`, and it stays.
  void clean(unsigned slice, std::uint32_t entry, bool late, double& at);
  // Whether a store to these sectors must wait until others of the entry's line have come.
  [[nodiscard]] static bool behind_others(const Entry& line, std::uint8_t sectors, double at) {
    return line.completing > at && (sectors & line.completing_sectors) == 0;
  }
  // These sectors go to memory; of those `in_part` the rest comes from there first. When it has come; 0: there is none.
  double write_back(unsigned slice, std::uint64_t line, std::uint8_t sectors, std::uint8_t in_part, bool late, double& at);
  // Waits for room before the line's channel, and reads the rest of these sectors, if there are any; returns as above.
  double read_rest(unsigned slice, std::uint64_t byte, std::uint8_t in_part, double& at);
  // A store's words reach the line's home: its sectors are here once all of their words are. What the slice may not keep of
  // sectors written in part goes to memory at `at`, as above.
  void write_words(unsigned slice, std::uint32_t entry, std::uint32_t words, double& at);
  // Sectors of the entry's line have come from memory, whatever words of them had been written.
  void bring(unsigned slice, std::uint32_t entry, std::uint8_t sectors);
  [[nodiscard]] unsigned partition_of_sm(unsigned sm) const { return near_[sm]; }
  void finish(std::uint32_t index, double at);

  MemorySpec spec_;
  std::vector<Turn> turns_;
  unsigned line_sectors_ = 0;     // of an L2 line
  unsigned granule_sectors_ = 0;  // that are fetched together
  Calendar<Event> calendar_;
  Cycle last_ = 0;
  Pool<Pending> pending_;
  std::vector<unsigned> near_;  // partition of the L2, by SM
  std::vector<Server> sm_request_;
  std::vector<PortQueue> port_queues_;  // by SM
  std::vector<Server> sm_reply_;
  std::vector<Server> tpc_reply_;
  CpcWays cpc_ways_;
  std::vector<Server> gpc_request_;
  std::vector<Server> gpc_reply_;
  std::vector<Server> lookups_;             // by slice: its tags
  std::vector<Server> arrivals_;            // what comes from SMs
  std::vector<SliceQueue> queues_;          // where it waits
  std::vector<Cycle> asked_;                // by slice: when those who wait are looked at
  std::array<Server, 2> links_;             // by partition: what goes to the other
  std::array<Server, 2> answers_;           // by partition of the SM: what atomics bring back from the other
  Cycle until_ = 0;
  static constexpr std::uint64_t code_ahead = 9;  // lines behind a kernel's end that SMs ask for, three groups
  std::uint64_t code_sectors_ = 0;          // that the launch brings to each cluster
  std::uint64_t code_last_ = ~std::uint64_t{0} - code_ahead;  // the line behind the kernel
  std::vector<bool> addressed_;             // by SM and slice
  std::vector<std::uint8_t> unfenced_;      // the same, since the SM's last barrier
  double fence_rest_ = 0;                   // of what those count, below a whole sector
  std::vector<WritePort> writes_;           // its data, written: stores and what comes from DRAM
  std::vector<StoredAgain> stored_;         // by slice; none where that makes no difference
  std::vector<Server> slices_;              // and read
  std::vector<Server> results_;             // by slice that an SM has asked: what atomics bring back
  std::vector<Additions> additions_;        // of floats, by slice
  std::vector<HeldReads> held_;             // by slice: copies behind what it has asked the other partition for
  std::vector<SectorCache> tags_;           // by slice
  [[nodiscard]] Entry& known(unsigned slice, std::uint32_t entry) {
    return entries_[std::size_t{slice} * entries_of_slice_ + entry];
  }
  std::size_t entries_of_slice_ = 0;
  Zeroes<Entry> entries_;  // by slice and entry
  std::vector<WrittenLines> written_;              // by slice
  std::vector<WrittenLines> in_part_;              // of those, the ones with sectors that are written in part
  RequestJoiner joiner_;
  unsigned nearest_ = 0;  // by how many cycles an SM is nearer than the mean
  SliceMap map_;
  SliceDistances distances_;
  Dram dram_;
  static constexpr std::uint64_t printing = ~std::uint64_t{0};  // the line of the host's memory that all printf use
  std::vector<traces::AddressRange> host_;  // lines
  Bus bus_;
  Server calls_;  // of malloc and free
  std::vector<TagCache> l1_tlb_;
  std::vector<std::uint64_t> last_page_;
  PageHistory* pages_;
  std::unordered_map<std::uint64_t, Cycle> first_walks_;  // by page: when each ends
  Cycle walk_free_ = 0;
  Cycle walks_end_ = 0;  // the last of them
  std::vector<unsigned> l1_tlb_used_;  // entries filled so far
  unsigned l2_tlb_used_ = 0;
  TagCache l2_tlb_;
  std::vector<TagCache> cluster_code_;  // by cluster; none where SMs have second levels of their own
  std::vector<ClusterFetch> cluster_fetches_;
  MemoryCounters counters_;
};

}  // namespace warpgauge::model
