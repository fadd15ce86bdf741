// Where a slice of the L2 writes its data: what SMs store, and what the device's memory brings. That takes the port when it
// comes, not when it is asked for; each waits for what has come before (docs/h200.md, `rounds_of_copies`).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/memory/servers.h"

namespace warpgauge::model {

class WritePort {
 public:
  explicit WritePort(double bytes_per_cycle = 0) : port_(bytes_per_cycle), asks_(bytes_per_cycle) {}

  // When so many bytes that an SM has brought at `at` get their turn.
  double store(double at, double bytes) {
    take_in(at);
    return port_.serve(at, bytes);
  }
  // When memory can be asked for so many bytes that are wanted at `at`: no faster than the port takes them.
  double ask(double at, double bytes) { return asks_.serve(at, bytes); }
  // When so many bytes that are wanted at `at` and come at `comes` are there: what waits for the port now is taken for what waits
  // when they come.
  double bring(double at, double comes, double bytes) {
    take_in(at);
    comes += std::max(0.0, port_.free() - at);
    const auto bucket = std::clamp(bucket_of(comes), next_, next_ + static_cast<std::int64_t>(coming_.size()) - 1);
    coming_[static_cast<std::size_t>(bucket) % coming_.size()] += bytes;
    bytes_ += bytes;
    return comes;
  }

 private:
  // Cycles: long enough to seldom look, short against the time in which memory answers.
  static constexpr double width = 64;
  static std::int64_t bucket_of(double at) { return static_cast<std::int64_t>(at / width); }

  // What has come by then has its turn.
  void take_in(double at) {
    const std::int64_t now = bucket_of(at);
    for (; bytes_ > 0 && next_ < now; ++next_) {
      double& bytes = coming_[static_cast<std::size_t>(next_) % coming_.size()];
      if (bytes == 0) continue;
      port_.serve(static_cast<double>(next_) * width, bytes);
      bytes_ -= bytes;
      bytes = 0;
    }
    next_ = std::max(next_, now);
  }

  Server port_;
  Server asks_;
  // Bytes by the time at which they come, a ring from bucket `next_` on; and all of them.
  std::array<double, 256> coming_{};
  std::int64_t next_ = 0;
  double bytes_ = 0;
};

}  // namespace warpgauge::model
