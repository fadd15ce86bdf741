// Loads of a cluster's SMs for the same sectors of a line reach the L2 as one request, whose answer all of them
// get: up to four on the H200 (the L2 request coalescer of Nsight Compute's documentation), as long as the first
// one's data is not back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/large_pages.h"

namespace warpgauge::model {

class RequestJoiner {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Entry {
    std::uint64_t line = ~std::uint64_t{0};
    double ready = 0;             // of an answered request: when its data had left the L2
    std::uint32_t leader = none;  // of a request under way
    std::uint8_t sectors = 0;
    std::uint8_t loads = 0;  // that the answer is for
    std::uint8_t alike = 0;  // loads of these sectors, one behind the other, that have asked since one of others
  };

  // A load joins one whose data left the L2 no more than `window` to `window_most` cycles ago, which differs by line
  // and group, up to `most` loads together; less than two: nothing is joined.
  // `alike`: see ask(); 1: loads of others make no difference behind them.
  RequestJoiner(unsigned groups, unsigned most, unsigned window, unsigned window_most, unsigned alike)
      : entries_(most > 1 ? std::size_t{groups} * places : 0),
        most_(most),
        window_(window),
        more_(std::max(window, window_most) - window),
        alike_(alike) {}

  [[nodiscard]] bool enabled() const { return !entries_.empty(); }
  // The place of a line among those that its group asked for; another line may hold it. Pieces of a copy, which ask for
  // the line one after the other, have places of their own.
  [[nodiscard]] Entry& at(unsigned group, std::uint64_t line, std::uint8_t piece) {
    return entries_[group * places + ((line << 8 | piece) * 0x9e3779b97f4a7c15ULL >> shift)];
  }
  [[nodiscard]] bool answers(const Entry& entry, std::uint64_t line, std::uint8_t sectors, unsigned group, double now) const {
    return entry.line == line && entry.sectors == sectors && entry.loads < most_ && entry.alike >= alike_ && lives(entry, group, now);
  }
  // A load that joins none asks the L2, and is the one that others of its line may join. None do once loads of different sectors
  // of the line are under way, until so many of the same have asked one behind the other or all have been answered (docs/h200.md,
  // loads of other sectors of a line, words that all ask for).
  void ask(Entry& entry, std::uint64_t line, std::uint8_t sectors, unsigned group, std::uint32_t leader, double now) const {
    unsigned alike = alike_;
    if (entry.line == line && lives(entry, group, now)) alike = entry.sectors != sectors ? 1 : std::min<unsigned>(alike_, entry.alike + 1U);
    entry = {line, 0, leader, sectors, 1, static_cast<std::uint8_t>(alike)};
  }

 private:
  [[nodiscard]] bool lives(const Entry& entry, unsigned group, double now) const {
    return entry.leader != none || now <= entry.ready + window(entry.line, group);
  }
  [[nodiscard]] double window(std::uint64_t line, unsigned group) const {
    const std::uint64_t hash = (line ^ std::uint64_t{group} << 40) * 0x9e3779b97f4a7c15ULL >> 40;
    return static_cast<double>(window_ + (hash * more_ >> 24));
  }

  static constexpr std::size_t places = 1024;
  static constexpr unsigned shift = 64 - 10;
  LargeVector<Entry> entries_;
  unsigned most_;
  unsigned window_;
  unsigned more_;
  unsigned alike_;
};

}  // namespace warpgauge::model
