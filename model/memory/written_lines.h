// The lines of an L2 slice that have been written and are not in memory. So many lines of the slice's own
// addresses, in turn, are a group, which keeps only some of them: one more, and the one whose last store is
// the longest ago goes to memory. It stays in the cache. A buffer that is written from end to end has as many
// lines in each group; what is written here and there, as local memory is, has more in some than in others,
// and goes to memory sooner (docs/h200.md, `stores_again`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/zeroes.h"

namespace warpgauge::model {

class WrittenLines {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // Of a slice with so many entries in so many groups, each of which keeps `most`; 0: any number.
  WrittenLines(std::size_t entries, std::size_t groups, unsigned most)
      : most_(most), links_(most != 0 ? entries + 1 : 0), groups_(most != 0 ? groups : 0) {}

  // A store to the line of this entry, of so many a place among the slice's addresses. Which entry's line
  // must go to memory for it, or `none`.
  [[nodiscard]] std::uint32_t write(std::uint32_t entry, std::uint64_t place) {
    if (most_ == 0) return none;
    const auto number = static_cast<std::uint32_t>(place % groups_.size());
    const std::uint32_t which = entry + 1;
    Group& group = groups_[number];
    if (group.newest == which) return none;
    forget(entry);
    links_[which] = {group.newest, nobody, number + 1};
    (group.newest == nobody ? group.oldest : links_[group.newest].newer) = which;
    group.newest = which;
    if (++group.written <= most_) return none;
    const std::uint32_t oldest = group.oldest - 1;
    forget(oldest);
    return oldest;
  }
  // Memory has the entry's line.
  void forget(std::uint32_t entry) {
    if (most_ == 0) return;
    Link& link = links_[entry + 1];
    if (link.group == nobody) return;
    Group& group = groups_[link.group - 1];
    (link.older == nobody ? group.oldest : links_[link.older].newer) = link.newer;
    (link.newer == nobody ? group.newest : links_[link.newer].older) = link.older;
    --group.written;
    link = {};
  }

 private:
  // Entries and groups are counted from 1 on here, so that what nobody has touched says so.
  static constexpr std::uint32_t nobody = 0;
  struct Link {
    std::uint32_t older = nobody;
    std::uint32_t newer = nobody;
    std::uint32_t group = nobody;  // nobody: memory has the line
  };
  struct Group {
    std::uint32_t newest = nobody;
    std::uint32_t oldest = nobody;
    unsigned written = 0;
  };
  unsigned most_;
  Zeroes<Link> links_;  // by entry
  std::vector<Group> groups_;
};

}  // namespace warpgauge::model
