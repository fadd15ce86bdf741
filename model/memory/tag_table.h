// Tags of a cache that are fewer than its data has places for, or more: which lines it holds, and which makes way.
#pragma once

#include <cstdint>

#include "model/large_pages.h"
#include "model/memory/parity_hash.h"

namespace warpgauge::model {

// Where there is a tag set for each line, of so many ways: one line more than that drives out the one of its set whose last hit is
// the most hits of the set ago. None: there is a tag for every place of the data.
struct TagSets {
  unsigned sets = 0;  // a power of two
  unsigned ways = 0;
  unsigned new_age = 0;  // hits ago that a new line counts as hit; 0: the least recently used makes way
  unsigned at_once = 1;  // lines that make way together when all places of the data are taken
  const ParityHash* hash = nullptr;  // a line's set, which outlives the table; none: consecutive lines have a set each, more are dealt out
};

// Where the data is full, the sets lose their oldest line in turn, so many sets at once, whether or not they are full (H200: nine curves
// of l1.carveouts within three points of the share of hits, docs/h200.md).
class TagTable {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  TagTable(TagSets spec, unsigned places);

  [[nodiscard]] bool any() const { return spec_.sets != 0; }
  void prefetch(std::uint64_t line) const { __builtin_prefetch(tags_of(line)); }

  // The place that has the line, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    const Tag* const tags = tags_of(line);
    for (unsigned way = 0; way < spec_.ways && tags[way].place != none; ++way)
      if (tags[way].line == line) return tags[way].place;
    return none;
  }
  // What is at this place has been used.
  void hit(std::uint64_t line, std::uint32_t place);
  // A place for a line that is nowhere. What was there, and what else makes way, find() finds no more; let_go(place) is told of
  // all but the former.
  template <typename LetGo>
  std::uint32_t bring(std::uint64_t line, LetGo let_go) {
    Tag* const tags = tags_of(line);
    std::uint32_t place = tags[spec_.ways - 1].place;
    if (place != none) {
      tags[spec_.ways - 1] = {};
    } else {
      if (free_.empty()) sweep(let_go);
      place = free_.back();
      free_.pop_back();
    }
    insert(line, place);
    return place;
  }
  // The line is no more, and its place is free.
  void drop(std::uint64_t line, std::uint32_t place);
  // What is at this place makes way before all others of its set.
  void to_back(std::uint64_t line, std::uint32_t place);
  // All lines go but those that `stay(place)`; let_go() as above.
  template <typename Stay, typename LetGo>
  void forget(Stay stay, LetGo let_go) {
    for (std::size_t set = 0; set < spec_.sets; ++set) {
      Tag* const tags = &tags_[set * spec_.ways];
      unsigned kept = 0;
      for (unsigned way = 0; way < spec_.ways && tags[way].place != none; ++way) {
        if (stay(tags[way].place)) {
          tags[kept++] = tags[way];
        } else {
          let_go(tags[way].place);
          free_.push_back(tags[way].place);
        }
      }
      for (; kept < spec_.ways; ++kept) tags[kept] = {};
    }
  }

 private:
  struct Tag {
    std::uint64_t line = 0;
    std::uint32_t place = none;
    std::uint32_t hit = 0;  // the set's count of hits at the line's last
  };

  [[nodiscard]] std::size_t set_of(std::uint64_t line) const {
    if (spec_.hash != nullptr) return spec_.hash->of(line) & (spec_.sets - 1);
    return (line ^ (line / spec_.sets * 0x9e3779b97f4a7c15ULL >> 40)) & (spec_.sets - 1);
  }
  // Of the line's set, the last hit first; without place where there is no line.
  [[nodiscard]] Tag* tags_of(std::uint64_t line) { return &tags_[set_of(line) * spec_.ways]; }
  [[nodiscard]] const Tag* tags_of(std::uint64_t line) const { return &tags_[set_of(line) * spec_.ways]; }
  void insert(std::uint64_t line, std::uint32_t place);

  template <typename LetGo>
  void sweep(LetGo let_go) {
    for (unsigned more = spec_.at_once; more > 0 && free_.size() < places_;) {
      Tag* const tags = &tags_[std::size_t{next_swept_} * spec_.ways];
      next_swept_ = next_swept_ + 1 == spec_.sets ? 0 : next_swept_ + 1;
      unsigned way = spec_.ways;
      while (way > 0 && tags[way - 1].place == none) --way;
      if (way == 0) continue;
      let_go(tags[way - 1].place);
      free_.push_back(tags[way - 1].place);
      tags[way - 1] = {};
      --more;
    }
  }

  TagSets spec_;
  unsigned places_;
  LargeVector<Tag> tags_;            // by set; four ways of one are a line of the host's caches
  LargeVector<std::uint32_t> hits_;  // of each set, from new_age on
  LargeVector<std::uint32_t> free_;  // places without a line
  unsigned next_swept_ = 0;          // the set that loses its oldest line next when the data is full
};

}  // namespace warpgauge::model
