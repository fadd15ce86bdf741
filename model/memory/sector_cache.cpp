#include "model/memory/sector_cache.h"

#include <algorithm>

namespace warpgauge::model {

SectorCache::SectorCache(unsigned sets, unsigned ways)
    : sets_(std::max(1U, sets)),
      ways_(std::clamp(ways, 1U, 65535U)),
      tags_(static_cast<std::size_t>(sets_) * ways_, ~std::uint64_t{0}),
      lines_(tags_.size()),
      newer_(tags_.size()),
      older_(tags_.size()),
      newest_(sets_, 0) {
  for (unsigned set = 0; set < sets_; ++set) {
    for (unsigned way = 0; way < ways_; ++way) {
      const std::size_t entry = static_cast<std::size_t>(set) * ways_ + way;
      older_[entry] = static_cast<std::uint16_t>((way + 1) % ways_);
      newer_[entry] = static_cast<std::uint16_t>((way + ways_ - 1) % ways_);
    }
  }
}

// Sets are spread by a hash of the line number, so that no power-of-two stride falls into one set.
unsigned SectorCache::set_of(std::uint64_t line) const {
  std::uint64_t h = line;
  h ^= h >> 7;
  h ^= h >> 15;
  return static_cast<unsigned>(h % sets_);
}

std::uint32_t SectorCache::find(std::uint64_t line) {
  const unsigned set = set_of(line);
  const std::uint64_t* tags = tags_.data() + static_cast<std::size_t>(set) * ways_;
  for (unsigned way = 0; way < ways_; ++way) {
    if (tags[way] == line) {
      to_front(set, static_cast<std::uint16_t>(way));
      return set * ways_ + way;
    }
  }
  return none;
}

std::uint32_t SectorCache::allocate(std::uint64_t line, Evicted& evicted) {
  const unsigned set = set_of(line);
  const std::uint32_t base = set * ways_;
  std::uint16_t way = newer_[base + newest_[set]];  // the ring's end is the oldest
  for (unsigned tried = 0; lines_[base + way].pending != 0; way = newer_[base + way]) {
    if (++tried == ways_) return none;
  }
  Line& entry = lines_[base + way];
  evicted = {entry.valid != 0, entry.tag, entry.dirty};
  entry = {line, 0, 0, 0};
  tags_[base + way] = line;
  to_front(set, way);
  return base + way;
}

void SectorCache::to_front(unsigned set, std::uint16_t way) {
  const std::size_t base = static_cast<std::size_t>(set) * ways_;
  const std::uint16_t front = newest_[set];
  if (way == front) return;
  const std::uint16_t oldest = newer_[base + front];
  if (way != oldest) {
    older_[base + newer_[base + way]] = older_[base + way];
    newer_[base + older_[base + way]] = newer_[base + way];
    newer_[base + way] = oldest;
    older_[base + way] = front;
    older_[base + oldest] = way;
    newer_[base + front] = way;
  }
  newest_[set] = way;
}

}  // namespace warpgauge::model
