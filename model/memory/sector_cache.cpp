#include "model/memory/sector_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpgauge::model {

SectorCache::SectorCache(unsigned sets, unsigned ways, Victim victim, TagSets tags)
    : sets_(std::max(1U, sets)),
      ways_(std::clamp(ways, 1U, 65535U)),
      victim_(victim),
      tags_(tags, static_cast<unsigned>(sets_ * ways_)),
      unused_(sets_, ways_),
      lines_(static_cast<std::size_t>(sets_) * ways_),
      never_held_(victim == Victim::unused ? sets_ : 0, ways_),
      buckets_(!tags_.any() ? std::bit_ceil(std::max<std::size_t>(lines_.size(), 2)) : 0, none),
      bucket_shift_(64 - static_cast<unsigned>(std::countr_zero(buckets_.size()))),
      ring_(victim == Victim::oldest && tags.sets == 0 ? lines_.size() : 0),
      newest_(ring_.empty() ? 0 : sets_, 0) {
  if (ring_.empty()) return;
  for (unsigned set = 0; set < sets_; ++set) {
    for (unsigned way = 0; way < ways_; ++way) {
      ring_[static_cast<std::size_t>(set) * ways_ + way] = {
          static_cast<std::uint16_t>((way + ways_ - 1) % ways_),
          static_cast<std::uint16_t>((way + 1) % ways_)};
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
  const std::uint32_t entry = peek(line);
  if (entry == none) return none;
  if (tags_.any()) {
    tags_.hit(line, entry);
    return entry;
  }
  const unsigned set = entry / ways_;
  use(set, lines_[entry]);
  if (victim_ == Victim::oldest) to_front(set, static_cast<std::uint16_t>(entry - set * ways_));
  return entry;
}

// Ways that never held a line come first: nobody has moved them from the ring's end.
std::uint16_t SectorCache::choose(unsigned set) {
  const std::uint32_t base = set * ways_;
  if (victim_ == Victim::oldest) return ring_[base + newest_[set]].newer;
  if (never_held_[set] != 0) return static_cast<std::uint16_t>(--never_held_[set]);
  if (unused_[set] == 0) {
    for (unsigned way = 0; way < ways_; ++way) lines_[base + way].used = false;
    unused_[set] = ways_;
  }
  std::uint64_t draw = ++drawn_ * 0x9e3779b97f4a7c15ULL;
  draw ^= draw >> 32;
  draw *= 0xd6e8feb86659fd93ULL;
  auto way = static_cast<unsigned>((draw >> 32) % ways_);
  while (lines_[base + way].used) way = way + 1 == ways_ ? 0 : way + 1;
  return static_cast<std::uint16_t>(way);
}

std::uint32_t SectorCache::allocate(std::uint64_t line, Evicted& evicted, bool over_pending) {
  if (tags_.any()) {
    const std::uint32_t place = tags_.bring(line, [this](std::uint32_t gone) { lines_[gone] = {}; });
    Line& entry = lines_[place];
    evicted = {entry.valid != 0, entry.tag, entry.dirty};
    entry = {line, none, 0, 0, 0, true};
    return place;
  }
  const unsigned set = set_of(line);
  const std::uint32_t base = set * ways_;
  std::uint16_t way = choose(set);
  for (unsigned tried = 0; !over_pending && lines_[base + way].pending != 0; way = way_before(set, way)) {
    if (++tried == ways_) return none;
  }
  Line& entry = lines_[base + way];
  evicted = {entry.valid != 0, entry.tag, entry.dirty};
  if (entry.tag != ~std::uint64_t{0}) forget_place(entry, base + way);
  if (!entry.used) --unused_[set];
  std::uint32_t& head = bucket(line);
  entry = {line, std::exchange(head, base + way), 0, 0, 0, true};
  if (victim_ == Victim::oldest) to_front(set, way);
  return base + way;
}

void SectorCache::forget_place(const Line& line, std::uint32_t entry) {
  std::uint32_t* link = &bucket(line.tag);
  while (*link != entry) link = &lines_[*link].next;
  *link = line.next;
}

void SectorCache::invalidate_all(std::uint64_t from) {
  for (Line& line : lines_)
    if (line.tag < from) line.valid = 0;
  if (!tags_.any()) return;
  tags_.forget([this, from](std::uint32_t place) { return lines_[place].pending != 0 || lines_[place].tag >= from; },
               [this](std::uint32_t gone) { lines_[gone] = {}; });
}

void SectorCache::to_front(unsigned set, std::uint16_t way) {
  Place* const ring = &ring_[static_cast<std::size_t>(set) * ways_];
  const std::uint16_t front = newest_[set];
  if (way == front) return;
  const std::uint16_t oldest = ring[front].newer;
  if (way != oldest) {
    ring[ring[way].newer].older = ring[way].older;
    ring[ring[way].older].newer = ring[way].newer;
    ring[way] = {oldest, front};
    ring[oldest].older = way;
    ring[front].newer = way;
  }
  newest_[set] = way;
}

}  // namespace warpgauge::model
