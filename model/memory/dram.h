// The channels of the device's memory. A channel transfers one access after the other; what part of its peak
// it reaches depends on the mix of reads and writes. Writes are collected and driven out in groups: a read
// that meets one waits, the longer the more often the channel changes its direction. A bank of a channel has
// one row open; what wants another waits until the bank can change it, and finds there what came meanwhile
// for the same row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/memory/servers.h"
#include "model/memory/spec.h"

namespace warpgauge::model {

class Dram {
 public:
  explicit Dram(const DramSpec& spec);
  // The start of the transfer of `bytes` that are wanted at `at`.
  double access(std::uint64_t byte, unsigned bytes, bool write, double at);
  // When a write that is wanted at `at` finds room before its channel.
  [[nodiscard]] double room(std::uint64_t byte, double at) const;
  [[nodiscard]] double busy() const;

 private:
  struct Channel {
    Server server;
    Server openings;         // of rows
    double write_share = 0;  // of late, by bytes
    // Cycles of transfers of late, and when they were last brought up to date.
    double reads = 0;
    double writes = 0;
    double then = 0;
  };
  // The rows that a bank has opened of late, or is going to open.
  struct Bank {
    struct Opening {
      std::uint64_t row = ~std::uint64_t{0};
      double at = 0;
      double until = 0;  // the next one's `at`; of the last one: without end
    };
    std::array<Opening, 4> openings;
    std::size_t last = 0;
    double free = 0;  // when it can change its row again
  };
  // Pieces of memory go to the channels in turn, from another one on each time: consecutive ones use all alike, and
  // no stride meets few alone.
  [[nodiscard]] std::size_t channel_of(std::uint64_t byte) const;
  // When the row of `byte` is open for an access that is wanted at `at`; opens it if it is not.
  double open_row(std::uint64_t byte, std::size_t channel, double at);
  // What a read waits for groups of writes.
  [[nodiscard]] double wait_for_writes(const Channel& channel) const;
  // When an access that could begin at `at` does, should its bank be in refresh.
  [[nodiscard]] double after_refresh(std::uint64_t byte, std::size_t channel, double at) const;
  DramSpec spec_;
  std::vector<Channel> channels_;
  std::vector<Bank> banks_;  // by channel
};

// Spreads addresses over slices and channels, whatever their stride.
std::uint64_t spread(std::uint64_t block);

}  // namespace warpgauge::model
