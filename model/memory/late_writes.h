// Lines that a channel of the device's memory has yet to write, and can put off until it has nothing else to do:
// those whose missing words the L2 has brought from memory (docs/h200.md, `written_late`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgauge::model {

class LateWrites {
 public:
  struct Line {
    std::uint64_t byte = 0;
    unsigned bytes = 0;
  };

  // Of so many lines at most.
  explicit LateWrites(std::size_t most = 0) : lines_(most) {}
  [[nodiscard]] bool full() const { return waiting_ == lines_.size(); }
  // There must be room for it.
  void add(Line line) { lines_[(oldest_ + waiting_++) % lines_.size()] = line; }
  // There must be one.
  Line take_oldest() {
    const Line line = lines_[oldest_];
    oldest_ = (oldest_ + 1) % lines_.size();
    --waiting_;
    written_ += line.bytes;
    return line;
  }
  // The channel has had nothing else to do from `begin` on until `end`: what can be written in that time is. `cycles` says how
  // long a write of so many bytes takes.
  template <class Cycles>
  void work_off(double begin, double end, Cycles cycles) {
    begin = std::max(begin, worked_off_);
    if (end <= begin) return;
    worked_off_ = end;
    for (spare_ += end - begin; waiting_ != 0; take_oldest()) {
      const double takes = cycles(lines_[oldest_].bytes);
      if (spare_ < takes) return;
      spare_ -= takes;
    }
    spare_ = 0;
  }
  // Bytes, by now.
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  std::vector<Line> lines_;  // a ring
  std::size_t oldest_ = 0;
  std::size_t waiting_ = 0;
  double worked_off_ = 0;  // until when
  double spare_ = 0;       // cycles before that which are too few for the oldest
  std::uint64_t written_ = 0;
};

}  // namespace warpgauge::model
