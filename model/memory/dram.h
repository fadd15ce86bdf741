// The channels of the device's memory. A channel transfers one access after the other; what part of its peak
// it reaches depends on the mix of reads and writes, and an access of less than a line takes it longer than its
// bytes do. Writes are collected and driven out in groups: a read that meets one waits, the longer the more often
// the channel changes its direction. A bank of a channel has one row open; what wants another waits until the bank
// can change it, and what comes for the same row soon after finds it there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/large_pages.h"
#include "model/memory/late_writes.h"
#include "model/memory/servers.h"
#include "model/memory/slice_map.h"
#include "model/memory/spec.h"

namespace warpgauge::model {

// Spreads addresses over slices and channels, whatever their stride.
std::uint64_t spread(std::uint64_t block);

class Dram {
 public:
  // `l2`: whose slices the channels stand behind, where spec.slice_channels says so.
  explicit Dram(const DramSpec& spec, const L2Spec& l2 = {});
  // The start of the transfer of `bytes` that are wanted at `at`; of a read from behind a slice, of its last access.
  double access(std::uint64_t byte, unsigned bytes, bool write, double at);
  // When a write that is wanted at `at` finds room before its channel.
  [[nodiscard]] double room(std::uint64_t byte, double at) const;
  [[nodiscard]] double busy() const;
  // A line of which so many bytes are to be written once its channel has nothing else to do, or too many of them wait; for
  // channels that can put any off.
  void write_late(std::uint64_t byte, unsigned bytes, double at);
  // Bytes of these that have been written by `at`.
  [[nodiscard]] std::uint64_t written_late(double at);

 private:
  struct Channel {
    Server server;
    Server openings;         // of rows, and of their pieces
    double write_share = 0;  // of late, by bytes
    // Cycles of transfers of late, and when they were last brought up to date.
    double reads = 0;
    double writes = 0;
    double then = 0;
    LateWrites late;
    std::vector<std::uint32_t> written_pieces;  // of late, by a hash of their numbers; these and one
    // From when on there is nothing to do.
    [[nodiscard]] double free() const { return std::max(server.free(), openings.free()); }
  };
  // The rows that a bank has opened of late, or is going to open.
  struct Bank {
    struct Opening {
      std::uint64_t row = ~std::uint64_t{0};
      double at = 0;
      double until = 0;  // the next one's `at`; of the last one: without end
      std::uint64_t pieces = 0;  // that have been accessed, a bit each
    };
    std::array<Opening, 4> openings;
    std::size_t last = 0;
    double free = 0;  // when it can change its row again
  };
  // Behind slices, a line's channel is that of its home slice. Else pieces of memory go to the channels in turn, from another one
  // on each time: consecutive ones use all alike, and no stride meets few alone.
  [[nodiscard]] std::size_t channel_of(std::uint64_t byte, std::uint64_t row) const;
  // Cycles that so many bytes take at this share of a channel's peak.
  [[nodiscard]] double transfer(unsigned bytes, double efficiency) const;
  // Cycles that an access takes its channel by its bytes; the channel remembers what kind it was.
  double transfer(Channel& channel, unsigned bytes, bool write) const;
  // What share of its peak a channel reaches of whose accesses this share are writes.
  [[nodiscard]] double efficiency(double write_share) const;
  // The channel writes what it has put off while it has nothing else to do, until `at`.
  void work_off(Channel& channel, double at) const;
  // When `row`, that of `byte`, is open for an access that is wanted at `at`; opens it if it is not. What begins a piece to write there
  // keeps the channel from beginning others for as long as it writes at least.
  double open_row(std::uint64_t byte, std::uint64_t row, std::size_t channel, bool write, double at);
  Bank& bank_of(std::uint64_t row, std::size_t channel);
  Bank::Opening* find_row(std::uint64_t row, std::size_t channel, double at);
  // Whether an access that is wanted at `at` finds the piece of the row that it is of as another has left it.
  [[nodiscard]] bool has_piece(std::uint64_t byte, std::uint64_t row, std::size_t channel, double at);
  // Whether the channel has written to the piece of late: what it writes of one it collects.
  [[nodiscard]] bool written_together(Channel& channel, std::uint64_t byte) const;
  [[nodiscard]] std::uint64_t row_of(std::uint64_t byte) const {
    if (slices_) return slices_->place_of(byte / line_bytes_) * line_bytes_ / spec_.row_bytes;
    return byte / (spec_.row_bytes * channels_.size());
  }
  // A bit of its own, as good as always, among the few that a channel has of a row.
  [[nodiscard]] std::uint64_t piece_of(std::uint64_t byte) const { return 1ULL << spread(byte / spec_.row_piece_bytes) % 64; }
  // What a read waits for groups of writes.
  [[nodiscard]] double wait_for_writes(const Channel& channel) const;
  // When an access that could begin at `at` does, should its bank be in refresh.
  [[nodiscard]] double after_refresh(std::uint64_t byte, std::size_t channel, double at) const;
  // The stack that a channel is one of, by its number among those of the refreshes.
  [[nodiscard]] std::size_t stack_of(std::size_t channel) const;
  DramSpec spec_;
  std::optional<SliceMap> slices_;  // where channels stand behind them
  unsigned line_bytes_;
  unsigned partitions_;
  std::vector<Channel> channels_;
  LargeVector<Bank> banks_;  // by channel
};

}  // namespace warpgauge::model
