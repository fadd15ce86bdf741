// The channels of the device's memory. A channel transfers one access after the other; what part of its peak
// it reaches depends on the mix of reads and writes. Writes are collected and driven out in groups: a read
// that meets one waits, the longer the more often the channel changes its direction.
#pragma once

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
    double write_share = 0;  // of late, by bytes
    // Cycles of transfers of late, and when they were last brought up to date.
    double reads = 0;
    double writes = 0;
    double then = 0;
  };
  [[nodiscard]] std::size_t channel_of(std::uint64_t byte) const;
  // What a read waits for groups of writes.
  [[nodiscard]] double wait_for_writes(const Channel& channel) const;
  // When an access that could begin at `at` does, should its bank be in refresh.
  [[nodiscard]] double after_refresh(std::uint64_t byte, double at) const;
  DramSpec spec_;
  std::vector<Channel> channels_;
};

// Spreads addresses over slices and channels, whatever their stride.
std::uint64_t spread(std::uint64_t block);

}  // namespace warpgauge::model
