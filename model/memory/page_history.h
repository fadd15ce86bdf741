// The pages that a program's kernels have touched, from launch to launch. A page's first access walks the page tables;
// copies between host and device do not count, for they translate elsewhere (H200: docs/h200.md, "Launches").
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>

namespace warpgauge::model {

class PageHistory {
 public:
  // Whether `page` is new; it is known from now on.
  bool touch(std::uint64_t page) { return !all_known_ && known_.insert(page).second; }
  // Whether this is the program's first launch, so that its code lies on a page that nobody has touched either.
  bool begin_launch() { return !all_known_ && !std::exchange(launched_, true); }
  // Kernels have run whose accesses nobody has seen.
  void assume_all_known() { all_known_ = true; }

 private:
  std::unordered_set<std::uint64_t> known_;
  bool all_known_ = false;
  bool launched_ = false;
};

}  // namespace warpgauge::model
