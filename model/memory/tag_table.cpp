#include "model/memory/tag_table.h"

#include <algorithm>
#include <utility>

namespace warpgauge::model {

TagTable::TagTable(TagSets spec, unsigned places)
    : spec_(spec),
      places_(places),
      tags_(std::size_t{spec.sets} * spec.ways),
      hits_(spec.sets, spec.new_age) {
  if (spec_.sets == 0) return;
  spec_.at_once = std::clamp(spec_.at_once, 1U, places);
  for (std::uint32_t place = places; place > 0; --place) free_.push_back(place - 1);
}

void TagTable::hit(std::uint64_t line, std::uint32_t place) {
  const std::size_t set = set_of(line);
  Tag before{line, place, ++hits_[set]};
  for (Tag* tag = &tags_[set * spec_.ways]; before.place != none; ++tag) {
    std::swap(*tag, before);
    if (before.place == place) return;
  }
}

void TagTable::drop(std::uint64_t line, std::uint32_t place) {
  Tag* tag = tags_of(line);
  Tag* const end = tag + spec_.ways;
  while (tag->place != place) ++tag;
  for (; tag + 1 != end; ++tag) tag[0] = tag[1];
  *tag = {};
  free_.push_back(place);
}

void TagTable::to_back(std::uint64_t line, std::uint32_t place) {
  Tag* tag = tags_of(line);
  Tag* const end = tag + spec_.ways;
  while (tag->place != place) ++tag;
  for (; tag + 1 != end && tag[1].place != none; ++tag) std::swap(tag[0], tag[1]);
  tag->hit = 0;
}

// Behind those that were hit since the hit that it counts as its own. bring() has left room.
void TagTable::insert(std::uint64_t line, std::uint32_t place) {
  const std::size_t set = set_of(line);
  Tag before{line, place, hits_[set] - spec_.new_age};
  Tag* tag = &tags_[set * spec_.ways];
  while (tag->place != none && tag->hit > before.hit) ++tag;
  for (; before.place != none; ++tag) std::swap(*tag, before);
}

}  // namespace warpgauge::model
