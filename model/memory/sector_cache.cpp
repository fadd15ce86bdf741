#include "model/memory/sector_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpgauge::model {

SectorCache::SectorCache(unsigned sets, unsigned ways, Victim victim, TagSets tags)
    : sets_(std::max(1U, sets)),
      ways_(std::clamp(ways, 1U, 65535U)),
      victim_(victim),
      limit_(tags),
      tag_entries_(std::size_t{tags.sets} * tags.ways),
      tag_hits_(tags.sets, tags.new_age),
      unused_(sets_, ways_),
      lines_(static_cast<std::size_t>(sets_) * ways_),
      never_held_(victim == Victim::unused ? sets_ : 0, ways_),
      buckets_(tags.sets == 0 ? std::bit_ceil(std::max<std::size_t>(lines_.size(), 2)) : 0, none),
      bucket_shift_(64 - static_cast<unsigned>(std::countr_zero(buckets_.size()))),
      newer_(victim == Victim::oldest ? lines_.size() : 0),
      older_(newer_.size()),
      newest_(victim == Victim::oldest ? sets_ : 0, 0) {
  if (victim == Victim::unused) return;
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
  const std::uint32_t entry = peek(line);
  if (entry == none) return none;
  const unsigned set = entry / ways_;
  use(set, lines_[entry]);
  if (victim_ == Victim::oldest) to_front(set, static_cast<std::uint16_t>(entry - set * ways_));
  if (limit_.sets != 0) tag_to_front(line, entry);
  return entry;
}

// As many consecutive lines as there are sets have a set each.
std::size_t SectorCache::tag_set_of(std::uint64_t line) const {
  const std::uint64_t above = line / limit_.sets * 0x9e3779b97f4a7c15ULL >> 40;
  return (line ^ above) & (limit_.sets - 1);
}

void SectorCache::tag_to_front(std::uint64_t line, std::uint32_t entry) {
  const std::size_t set = tag_set_of(line);
  Tag before{line, entry, ++tag_hits_[set]};
  for (Tag* tag = &tag_entries_[set * limit_.ways]; before.entry != none; ++tag) {
    std::swap(*tag, before);
    if (before.entry == entry) return;
  }
}

// Behind those that were hit since the hit that it counts as its own. forget_tag() or an empty set has left room.
void SectorCache::insert_tag(std::uint64_t line, std::uint32_t entry) {
  const std::size_t set = tag_set_of(line);
  Tag before{line, entry, tag_hits_[set] - limit_.new_age};
  Tag* tag = &tag_entries_[set * limit_.ways];
  while (tag->entry != none && tag->hit > before.hit) ++tag;
  for (; before.entry != none; ++tag) std::swap(*tag, before);
}

void SectorCache::forget_tag(std::uint64_t line, std::uint32_t entry) {
  Tag* const tags = tags_of(line);
  unsigned way = 0;
  while (tags[way].entry != entry) ++way;
  for (; way + 1 < limit_.ways; ++way) tags[way] = tags[way + 1];
  tags[way] = {};
}

// Ways that never held a line come first: nobody has moved them from the ring's end.
std::uint16_t SectorCache::choose(unsigned set) {
  const std::uint32_t base = set * ways_;
  if (victim_ == Victim::oldest) return newer_[base + newest_[set]];
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
  const unsigned set = set_of(line);
  const std::uint32_t base = set * ways_;
  std::uint16_t way = 0;
  const Tag* const tags = limit_.sets != 0 ? tags_of(line) : nullptr;
  if (tags != nullptr && tags[limit_.ways - 1].entry != none) {
    unsigned oldest = limit_.ways;
    while (!over_pending && oldest > 0 && lines_[tags[oldest - 1].entry].pending != 0) --oldest;
    if (oldest == 0) return none;
    way = static_cast<std::uint16_t>(tags[oldest - 1].entry);
  } else {
    way = choose(set);
    for (unsigned tried = 0; !over_pending && lines_[base + way].pending != 0; way = way_before(set, way)) {
      if (++tried == ways_) return none;
    }
  }
  Line& entry = lines_[base + way];
  evicted = {entry.valid != 0, entry.tag, entry.dirty};
  if (entry.tag != ~std::uint64_t{0}) {
    forget_place(entry, base + way);
  }
  if (!entry.used) --unused_[set];
  entry = {line, none, 0, 0, 0, true};
  if (limit_.sets != 0) {
    insert_tag(line, base + way);
  } else {
    std::uint32_t& head = bucket(line);
    entry.next = std::exchange(head, base + way);
  }
  if (victim_ == Victim::oldest) to_front(set, way);
  return base + way;
}

void SectorCache::forget_place(const Line& line, std::uint32_t entry) {
  if (limit_.sets != 0) {
    forget_tag(line.tag, entry);
    return;
  }
  std::uint32_t* link = &bucket(line.tag);
  while (*link != entry) link = &lines_[*link].next;
  *link = line.next;
}

void SectorCache::invalidate_all() {
  for (Line& line : lines_) line.valid = 0;
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
