// What the memory system beyond the SMs is built from. Cycles are those of the SM clock, also for parts that
// have a clock of their own: the mapping in model/machine.cpp converts their rates.
#pragma once

#include <cstdint>
#include <vector>

#include "model/memory/interleave.h"
#include "model/sm/types.h"

namespace warpgauge::model {

struct CrossbarSpec {
  unsigned round_trip =
      200;  // request leaving the SM to its reply, near partition, no load; the SM's share is its own
  double sm_request_bytes_per_cycle = 32;
  double sm_reply_bytes_per_cycle = 64;
  double tpc_reply_bytes_per_cycle = 0;  // 0: no such limit
  double gpc_request_bytes_per_cycle = 0;
  double gpc_reply_bytes_per_cycle = 0;
  unsigned request_header = 32;
  unsigned sms_per_tpc = 2;
  unsigned cpcs_per_gpc = 1;  // groups of TPCs in a cluster that take turns before full slices
  // Of each way of a CPC for what is written; 0: no such limit.
  double cpc_way_bytes_per_cycle = 0;
  unsigned cpc_ways = 1;                     // of each CPC
  unsigned cpc_ways_of_stretch = 1;          // of those, for what lies in one stretch
  std::uint64_t cpc_way_stretch_lines = 1;  // of the L2
  unsigned sm_waiting_messages = 0;  // that may wait there without holding up what follows from their SM
  unsigned join_most = 0;  // loads of a cluster's SMs for one line that become one request; 0: they do not
  // Cycles for which they still do when the first one's data has left the L2, of a line and a cluster: between these.
  unsigned join_window = 0;
  unsigned join_window_most = 0;
  unsigned join_alike = 3;  // see RequestJoiner::ask()
  unsigned joined_per_lookup = 2;  // SMs that a joined answer reaches in the time of a lookup, above 0
  // Cycles of the way: between the nearest and the farthest of a partition's slices, how much farther a line is whose home is the
  // other partition, and the mean of all beyond round_trip.
  double slice_spread = 0;
  double slice_far_extra = 0;
  double slice_mean_extra = 0;
  std::vector<unsigned> gpc_of_sm;
  std::vector<int> distances;  // by SM: cycles of the way to the L2 and back beyond the mean
  std::vector<unsigned> gpc_partitions;  // of the L2, that is near to each cluster, in turn; none: they alternate
};

struct L2Spec {
  std::uint64_t size_bytes = 1 << 20;
  unsigned slices = 16;
  unsigned ways = 16;
  unsigned line_bytes = 128;
  unsigned sector_bytes = 32;
  unsigned partitions = 1;
  unsigned far_extra = 0;
  unsigned store_take_back_extra = 0;  // until a store that takes the line from the other partition is acknowledged
  double fence_sectors = 1;      // that a barrier of an SM counts at each slice near it
  double fence_far_sectors = 1;  // and for each far one
  double link_interval = 0;      // cycles of the way to the other partition for each message
  std::uint64_t partition_interleave = 4096;
  Interleave slice_interleave{128};  // bytes
  double written_share = 1;  // of so many lines as a set has, that may be written and not yet in memory
  double written_in_part_share = 1;  // the same of lines with sectors that stores have covered in part
  double slice_bytes_per_cycle = 32;
  double slice_write_bytes_per_cycle = 32;
  double partial_write_extra = 0;  // cycles of a slice that a store takes more if it covers a sector in part
  double store_again_within = 0;   // a store that comes to a slice so few cycles after another to its line; 0: none
  double store_again = 0;          // takes at least so many of it
  unsigned reads_past_miss = 0;    // of far lines, that come to a slice before copies need not wait for the last one sent on; 0: none wait
  double request_bytes = 0;        // that a load takes of the way in
  unsigned slice_places = 0;       // messages of a sector that can wait before a slice; 0: any number
  double load_behind_store = 0;    // cycles that a load of a line takes within store_again_within of words stored to it
  double request_interval = 0;     // cycles of a slice that a request takes at least
  double far_store_extra = 0;      // cycles of a slice that a store from the other partition takes more where it begins a line or a sector in part
  unsigned fetch_bytes = 32;       // that a missing load brings in at least
  unsigned atomic_latency = 0;
  unsigned atomic_far_extra = 0;
  double atomic_sector_rate = 1;      // turns a cycle of one slice that have the whole of a sector
  double atomic_word_rate = 1;        // turns that have a part of one
  double atomic_answer = 0;           // cycles of the slice that an SM has asked for the result of each turn of an atomic
  double atomic_answer_word = 0;      // and for each of its lanes
  double atomic_float_word_rate = 1;  // floating-point additions a cycle to one word
};

struct DramSpec {
  unsigned channels = 8;               // in all
  unsigned slice_channels = 0;         // behind each slice of the L2, whose lines they hold; 0: lines are dealt out
  double channel_bytes_per_cycle = 8;  // peak
  unsigned latency = 200;              // beyond an L2 hit
  unsigned code_extra = 0;             // of code and constants beside that
  unsigned access_bytes = 32;
  Interleave channel_interleave{512};  // bytes
  unsigned banks_per_channel = 16;
  std::uint64_t row_bytes = 1024;
  std::uint64_t row_piece_bytes = 1024;  // that lie side by side: each costs its channel what a row does
  double row_cycle = 0;                 // between two rows that a bank opens; 0: rows cost nothing
  double row_interval = 0;              // between two pieces of rows that a channel begins
  double row_read_least = 0;            // cycles that a read takes its channel at least if it begins a piece
  double row_write_least = 0;           // the same of a write
  unsigned written_pieces = 0;          // of so many that a channel has written of late it writes more at once
  double row_miss_extra = 0;            // an access whose row must be opened
  double refresh_interval = 0;          // cycles between two refreshes of a bank; 0: none
  double refresh_time = 0;              // cycles for which an access to it may have to wait
  std::uint64_t refresh_block = 4096;   // bytes that are refreshed together
  std::vector<double> refresh_offsets;  // by stack of channels: cycles that its refreshes come later
  // How far in their turn a launch finds the refreshes, 0 to 1. A card's launches find them anywhere, and six
  // in seven meet none with their first lines. Buffers of all programs begin at the same address: so that nor
  // do these.
  double refresh_begin = 0.3;
  double read_efficiency = 1;
  double write_efficiency = 1;
  double mixed_efficiency = 1;  // as many reads as writes
  // Seven of eight accesses are reads, or writes.
  double read_mix_efficiency = 1;
  double write_mix_efficiency = 1;
  double mixed_wait = 0;  // of a read for writes, on a channel that half reads and half writes fill
  double write_wait = 0;  // the same, on one that writes alone fill
  unsigned late_lines = 0;     // that a channel can put off writing
  double queue = 0;       // cycles of transfers that a write may find before it; 0: any number
};

// To the host's memory, in cycles of the SM.
struct BusSpec {
  double latency = 0;  // of a load beyond an L2 hit; 0: the host's memory is as the device's
  double latency_growth = 0;  // more for each time that the reads under way become e times as many
  double read_interval = 0;   // between two reads, at least
  double read_sector = 0;    // for each sector
  double write_sector = 0;
  double partial_write = 0;  // of a sector written in part
  double write_latency = 0;  // until a launch may end
  double write_buffer = 0;   // of writes that are taken before the bus has them
  double writes_before_reads = 0;  // share of their time that reads lose
  double atomic = 0;           // between two atomics of one word
  double atomic_interval = 0;  // between two others
};

struct TlbSpec {
  unsigned entries = 0;  // 0: no such level
  unsigned ways = 0;     // 0: fully associative
  std::uint64_t page_bytes = 2 << 20;
  unsigned miss_extra = 0;
};

struct MemorySpec {
  // What a launch itself brings to the L2, as the counters see it: sectors read, and barriers at each slice.
  unsigned launch_read_sectors = 0;
  unsigned launch_hits = 0;  // beyond its sectors
  unsigned launch_barriers = 0;
  unsigned launch_sm_barriers = 0;  // the same for each SM that has addressed the slice
  // What reaches the L2 beside a launch from some time on: sectors written, and barriers at each slice.
  struct Late {
    Cycle at = 0;
    unsigned write_sectors = 0;
    unsigned barriers = 0;
  };
  std::vector<Late> late;
  double launch_barrier_interval = 0;  // between two of a slice
  unsigned sms = 1;
  // Of the cache for code and constants that the SMs of a cluster share; 0: none.
  unsigned cluster_code_lines = 0;
  unsigned cluster_code_ways = 1;
  CrossbarSpec crossbar;
  L2Spec l2;
  DramSpec dram;
  BusSpec bus;
  unsigned first_touch_latency = 0;  // of a page that no kernel of the program has touched
  unsigned first_touch_interval = 0;   // between two such walks of the chip
  TlbSpec l1_tlb;
  TlbSpec l2_tlb;
};

}  // namespace warpgauge::model
