// The tags of a cache whose lines are filled sector by sector: L1 and the slices of the L2 are made of it.
#pragma once

#include <cstdint>

#include "model/large_pages.h"
#include "model/memory/tag_table.h"

namespace warpgauge::model {

// Which line makes way: the least recently used, or any that has not been used since all lines of the set had
// been.
enum class Victim : std::uint8_t { oldest, unused };

class SectorCache {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};  // line number
    std::uint32_t next = none;              // entry of the same hash
    std::uint8_t valid = 0;                 // sector masks
    std::uint8_t pending = 0;               // asked for, not here yet
    std::uint8_t dirty = 0;
    bool used = false;  // Victim::unused: since its set was last swept
  };

  struct Evicted {
    bool happened = false;
    std::uint64_t tag = 0;
    std::uint8_t dirty = 0;
  };

  // `ways` up to 65535. With tag sets of their own there must be one set of data, whose lines make way as TagTable says, be they on
  // their way or not, and no `victim` is asked for.
  SectorCache(unsigned sets, unsigned ways, Victim victim = Victim::oldest, TagSets tags = {});

  // The entry that holds the line, or `none`. The most recently used one is evicted last.
  [[nodiscard]] std::uint32_t find(std::uint64_t line);
  // Brings along what find() will look at first: it lies anywhere in a table that the host's own caches do not hold.
  void prefetch(std::uint64_t line) const {
    if (tags_.any()) {
      tags_.prefetch(line);
    } else {
      __builtin_prefetch(&buckets_[bucket_of(line)]);
    }
  }
  void prefetch_entry(std::uint32_t entry) const { __builtin_prefetch(&lines_[entry]); }
  // The same a while later, of a cache without tag sets: the entry that has the line, or that would make way for it, as far as
  // can be seen now.
  [[nodiscard]] std::uint32_t likely_entry(std::uint64_t line) const {
    const std::uint32_t entry = buckets_[bucket_of(line)];
    if (entry != none || victim_ != Victim::oldest) return entry;
    const unsigned set = set_of(line);
    return set * ways_ + ring_[std::size_t{set} * ways_ + newest_[set]].newer;
  }
  // As find(), and does not count as a use.
  [[nodiscard]] std::uint32_t peek(std::uint64_t line) const {
    if (tags_.any()) return tags_.find(line);
    std::uint32_t entry = buckets_[bucket_of(line)];
    while (entry != none && lines_[entry].tag != line) entry = lines_[entry].next;
    return entry;
  }
  // Makes room for a line that find() did not find; `none` if every way of the set waits for a sector.
  std::uint32_t allocate(std::uint64_t line, Evicted& evicted) { return allocate(line, evicted, false); }
  // The same, and takes the place of a line that waits for its sectors as of any other.
  std::uint32_t allocate_over_pending(std::uint64_t line) {
    Evicted evicted;
    return allocate(line, evicted, true);
  }
  // What has just been allocated makes way before all others of its set, where the least recently used do.
  void let_go_first(std::uint32_t entry) { newest_[entry / ways_] = ring_[entry].older; }
  [[nodiscard]] Line& at(std::uint32_t entry) { return lines_[entry]; }
  [[nodiscard]] const Line& at(std::uint32_t entry) const { return lines_[entry]; }
  void invalidate(std::uint32_t entry) { lines_[entry].valid = 0; }
  // With tag sets of their own: the line at this place is no more, and the place is free.
  void give_back(std::uint32_t entry) {
    if (!tags_.any()) return;
    tags_.drop(lines_[entry].tag, entry);
    lines_[entry] = {};
  }
  // It counts as hit.
  void use(std::uint32_t entry) { static_cast<void>(find(lines_[entry].tag)); }
  // With tag sets of their own: no other line of its set makes way before this one.
  void let_go_next(std::uint32_t entry) {
    if (tags_.any()) tags_.to_back(lines_[entry].tag, entry);
  }
  // All lines whose number is less; what is on its way here still comes.
  void invalidate_all(std::uint64_t from = ~std::uint64_t{0});
  [[nodiscard]] unsigned sets() const { return sets_; }
  [[nodiscard]] unsigned ways() const { return ways_; }

 private:
  [[nodiscard]] unsigned set_of(std::uint64_t line) const;
  void to_front(unsigned set, std::uint16_t way);
  // Nobody finds the line at this entry any more.
  void forget_place(const Line& line, std::uint32_t entry);
  // Who makes way instead of one that must not.
  [[nodiscard]] std::uint16_t way_before(unsigned set, std::uint16_t way) const {
    if (victim_ == Victim::oldest) return ring_[std::size_t{set} * ways_ + way].newer;
    return static_cast<std::uint16_t>(way == 0 ? ways_ - 1 : way - 1U);
  }
  [[nodiscard]] std::uint16_t choose(unsigned set);
  std::uint32_t allocate(std::uint64_t line, Evicted& evicted, bool over_pending);
  void use(unsigned set, Line& line) {
    if (line.used) return;
    line.used = true;
    --unused_[set];
  }

  [[nodiscard]] std::size_t bucket_of(std::uint64_t line) const {
    return line * 0x9e3779b97f4a7c15ULL >> bucket_shift_;
  }
  [[nodiscard]] std::uint32_t& bucket(std::uint64_t line) { return buckets_[bucket_of(line)]; }

  unsigned sets_;
  unsigned ways_;
  Victim victim_;
  std::uint64_t drawn_ = 0;  // victims so far, which makes the next draw
  TagTable tags_;
  LargeVector<unsigned> unused_;            // by set: lines that Victim::unused may choose
  LargeVector<Line> lines_;
  // Of Victim::unused, by set: ways that have never held a line, which are taken first, from the last one down.
  LargeVector<unsigned> never_held_;
  // Where a line is, by hash of its number: a set may have hundreds of ways. Without tag sets only.
  LargeVector<std::uint32_t> buckets_;
  unsigned bucket_shift_;
  // Recency, of Victim::oldest: a ring of the ways of each set, most recent first.
  struct Place {
    std::uint16_t newer = 0;
    std::uint16_t older = 0;
  };
  LargeVector<Place> ring_;
  LargeVector<std::uint16_t> newest_;
};

}  // namespace warpgauge::model
