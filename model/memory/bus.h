// The bus to the host's memory, which the L2 keeps nothing of: reads, writes and atomics, in cycles of the SM.
// Source: by hand on an H200, `host_memory` (docs/h200.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/memory/servers.h"
#include "model/memory/spec.h"

namespace warpgauge::model {

class Bus {
 public:
  explicit Bus(const BusSpec& spec) : spec_(spec), under_way_(64) {}

  // When a read of so many sectors of a line that is asked for at `at` has come.
  double read(double at, unsigned sectors) {
    while (count_ != 0 && under_way_[first_] <= at) {
      first_ = (first_ + 1) % under_way_.size();
      --count_;
    }
    const double grown = spec_.latency_growth * std::log(1.0 + static_cast<double>(count_));
    const double start = reads_.occupy(at, std::max(spec_.read_interval, sectors * spec_.read_sector));
    const double comes = start + spec_.latency + grown;
    remember(comes);
    return comes;
  }
  // When so many sectors of a store, which covers them or not, are taken: the bus may have them later.
  double write(double at, std::uint64_t sectors, bool partial) {
    const double sector = partial ? std::max(spec_.partial_write, spec_.write_sector) : spec_.write_sector;
    const double cycles = static_cast<double>(sectors) * sector;
    writes_.occupy(at, cycles);
    // Reads lose some of their time to writes.
    reads_.lengthen(cycles * spec_.writes_before_reads);
    last_ = std::max(last_, writes_.free() + spec_.write_latency);
    return std::max(at, writes_.free() - spec_.write_buffer);
  }
  // When all writes so far are through.
  [[nodiscard]] double written() const { return writes_.free(); }
  // When an atomic is back of which `deepest` lanes are on one word, and which comes to `turns` sectors.
  double atomic(double at, std::uint64_t line, unsigned turns, unsigned deepest) {
    double& free = words_[line];
    const double start = std::max(free, atomics_.occupy(at, turns * spec_.atomic_interval));
    free = start + std::max(1U, deepest) * spec_.atomic;
    last_ = std::max(last_, free);
    return free;
  }
  // When all writes and atomics that have come so far are done.
  [[nodiscard]] double drained() const { return last_; }

 private:
  void remember(double comes) {
    if (count_ == under_way_.size()) {
      std::rotate(under_way_.begin(), under_way_.begin() + static_cast<std::ptrdiff_t>(first_), under_way_.end());
      first_ = 0;
      under_way_.resize(2 * count_);
    }
    under_way_[(first_ + count_) % under_way_.size()] = comes;
    ++count_;
  }

  BusSpec spec_;
  Server reads_;
  Server writes_;
  Server atomics_;
  std::unordered_map<std::uint64_t, double> words_;  // by line: when the last atomic of it is back
  double last_ = 0;
  // When the reads under way come, oldest first, in a ring.
  std::vector<double> under_way_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace warpgauge::model
