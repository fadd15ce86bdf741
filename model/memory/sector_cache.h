// The tags of a cache whose lines are filled sector by sector: L1 and the slices of the L2 are made of it.
#pragma once

#include <cstdint>
#include <vector>

namespace warpgauge::model {

// Which line makes way: the least recently used, or any that has not been used since all lines of the set had
// been.
enum class Victim : std::uint8_t { oldest, unused };

// Tags that are fewer than the data has places for: so many lines of one tag set can be held, and one more
// drives out the one whose last hit is the most hits of the set ago, wherever in the data it lies. No sets: there
// is a tag for every place.
struct TagSets {
  unsigned sets = 0;  // a power of two
  unsigned ways = 0;
  unsigned new_age = 0;  // hits ago that a new line counts as hit; 0: the least recently used makes way
};

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

  // `ways` up to 65535. With tag sets of their own there must be one set of data.
  SectorCache(unsigned sets, unsigned ways, Victim victim = Victim::oldest, TagSets tags = {});

  // The entry that holds the line, or `none`. The most recently used one is evicted last.
  [[nodiscard]] std::uint32_t find(std::uint64_t line);
  // Brings along what find() will look at first: it lies anywhere in a table that the host's own caches do not hold.
  void prefetch(std::uint64_t line) const {
    if (limit_.sets != 0) {
      __builtin_prefetch(tags_of(line));
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
    return set * ways_ + newer_[std::size_t{set} * ways_ + newest_[set]];
  }
  // As find(), and does not count as a use.
  [[nodiscard]] std::uint32_t peek(std::uint64_t line) const {
    if (limit_.sets != 0) {
      const Tag* const tags = tags_of(line);
      for (unsigned way = 0; way < limit_.ways && tags[way].entry != none; ++way)
        if (tags[way].line == line) return tags[way].entry;
      return none;
    }
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
  void let_go_first(std::uint32_t entry) { newest_[entry / ways_] = older_[entry]; }
  [[nodiscard]] Line& at(std::uint32_t entry) { return lines_[entry]; }
  [[nodiscard]] const Line& at(std::uint32_t entry) const { return lines_[entry]; }
  void invalidate(std::uint32_t entry) { lines_[entry].valid = 0; }
  // All lines; what is on its way here still comes.
  void invalidate_all();
  [[nodiscard]] unsigned sets() const { return sets_; }
  [[nodiscard]] unsigned ways() const { return ways_; }

 private:
  [[nodiscard]] unsigned set_of(std::uint64_t line) const;
  void to_front(unsigned set, std::uint16_t way);
  struct Tag {
    std::uint64_t line = 0;
    std::uint32_t entry = none;
    std::uint32_t hit = 0;  // the set's count of hits at the line's last
  };
  // The tags of a line's set, the last hit first; `none` where there is no line.
  [[nodiscard]] std::size_t tag_set_of(std::uint64_t line) const;
  [[nodiscard]] Tag* tags_of(std::uint64_t line) { return &tag_entries_[tag_set_of(line) * limit_.ways]; }
  [[nodiscard]] const Tag* tags_of(std::uint64_t line) const { return &tag_entries_[tag_set_of(line) * limit_.ways]; }
  void tag_to_front(std::uint64_t line, std::uint32_t entry);
  void insert_tag(std::uint64_t line, std::uint32_t entry);
  void forget_tag(std::uint64_t line, std::uint32_t entry);
  // Nobody finds the line at this entry any more.
  void forget_place(const Line& line, std::uint32_t entry);
  // Who makes way instead of one that must not.
  [[nodiscard]] std::uint16_t way_before(unsigned set, std::uint16_t way) const {
    if (victim_ == Victim::oldest) return newer_[std::size_t{set} * ways_ + way];
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
  TagSets limit_;
  std::vector<Tag> tag_entries_;          // by tag set
  std::vector<std::uint32_t> tag_hits_;   // of each tag set, from new_age on
  std::vector<unsigned> unused_;            // by set: lines that Victim::unused may choose
  std::vector<Line> lines_;
  // Of Victim::unused, by set: ways that have never held a line, which are taken first, from the last one down.
  std::vector<unsigned> never_held_;
  // Where a line is, by hash of its number: a set may have hundreds of ways. Without tag sets only.
  std::vector<std::uint32_t> buckets_;
  unsigned bucket_shift_;
  // Recency, of Victim::oldest: a ring of the ways of each set, most recent first.
  std::vector<std::uint16_t> newer_;
  std::vector<std::uint16_t> older_;
  std::vector<std::uint16_t> newest_;
};

}  // namespace warpgauge::model
