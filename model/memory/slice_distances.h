// How far the L2's slices are from the SMs of a cluster.
//
// An SM's slices are not equally far: those of the other partition's lines are farther, though they are at hand, and those of one partition differ
// by cluster and slice (H200: docs/h200.md, "How far the slices are"). So loads that are waited for together, of one instruction or of several, are there
// when the farthest is. Which of a partition's slices is how far nobody knows beforehand: each cluster has an order of its own of places that lie
// evenly between the nearest and the farthest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "model/memory/spec.h"

namespace warpgauge::model {

class SliceDistances {
 public:
  SliceDistances(const CrossbarSpec& spec, unsigned clusters, unsigned slices, unsigned partitions) : slices_(slices) {
    const unsigned each = std::max(1U, slices / std::max(1U, partitions));
    const double apart = partitions > 1 ? spec.slice_far_extra : 0;
    near_.resize(std::size_t{clusters} * slices);
    far_.resize(near_.size());
    std::vector<unsigned> order(each);
    for (unsigned cluster = 0; cluster < clusters; ++cluster) {
      for (unsigned first = 0; first < slices; first += each) {
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, {}, [&](unsigned slice) { return mix(cluster, first + slice); });
        for (unsigned place = 0; place < each && first + order[place] < slices; ++place) {
          const double mean = spec.slice_mean_extra + spec.slice_spread * ((place + 0.5) / each - 0.5);
          const std::size_t at = std::size_t{cluster} * slices + first + order[place];
          near_[at] = static_cast<std::int16_t>(std::lround(mean - apart / 2));
          far_[at] = static_cast<std::int16_t>(std::lround(mean + apart / 2));
        }
      }
    }
  }

  // Cycles beyond the round trip: of a line that this slice is asked for, whose home is the other partition or not.
  [[nodiscard]] int of(unsigned cluster, unsigned slice, bool far) const {
    const std::size_t at = std::size_t{cluster} * slices_ + slice;
    return far ? far_[at] : near_[at];
  }

  // How much farther than the mean of all the farthest of so many slices lies, drawn evenly over all there are.
  [[nodiscard]] static double farthest(const CrossbarSpec& spec, unsigned slices) {
    return (spec.slice_spread + spec.slice_far_extra) * (slices - 1.0) / (2.0 * (slices + 1.0));
  }

 private:
  static std::uint64_t mix(std::uint64_t cluster, std::uint64_t slice) {
    std::uint64_t hash = (cluster << 32 | slice) * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ULL;
    return hash ^ hash >> 32;
  }

  std::size_t slices_;
  std::vector<std::int16_t> near_;  // by cluster and slice
  std::vector<std::int16_t> far_;
};

}  // namespace warpgauge::model
