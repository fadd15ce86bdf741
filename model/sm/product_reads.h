// What warpgroup products leave of the data array: their operands in shared memory come first, and what others want there takes
// so much longer (docs/h200.md, warpgroup products). Told by how much of the last cycles products have taken, since those that
// will have begun by the time of an access have yet to issue when it is put in line.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "model/sm/types.h"

namespace warpgauge::model {

class ProductReads {
 public:
  static constexpr unsigned window = 512;  // cycles

  // A product takes so many cycles of the array once it begins. Products come in the order in which they begin.
  void add(double begin, unsigned cycles) {
    if (cycles == 0) return;
    products_[added_++ % kept] = {begin, cycles};
    if (added_ - gone_ > kept) forget_first();
  }

  // By how much later than without products an access is through that wants `cycles` from `start` on.
  Cycle delay(Cycle start, unsigned cycles) { return static_cast<Cycle>(std::lround(cycles * odds(start))); }

  // What they take of the array at `start` for each cycle that they leave.
  double odds(Cycle start) {
    if (gone_ == added_) return 0;
    const auto now = static_cast<double>(start);
    for (; counted_ != added_ && products_[counted_ % kept].begin <= now; ++counted_) taken_ += products_[counted_ % kept].cycles;
    while (gone_ != counted_ && products_[gone_ % kept].begin + window <= now) forget_first();
    const double share = std::min(most, static_cast<double>(taken_) / window);
    return share / (1 - share);
  }

 private:
  static constexpr std::uint64_t kept = 64;
  static constexpr double most = 0.9;  // what is left is others'
  struct Product {
    double begin = 0;
    unsigned cycles = 0;
  };

  void forget_first() {
    if (counted_ == gone_)
      ++counted_;
    else
      taken_ -= products_[gone_ % kept].cycles;
    ++gone_;
  }

  std::array<Product, kept> products_{};
  std::uint64_t added_ = 0;
  std::uint64_t counted_ = 0;  // those before it have begun
  std::uint64_t gone_ = 0;     // and these longer ago than the window
  unsigned taken_ = 0;         // by what has begun in the window
};

}  // namespace warpgauge::model
