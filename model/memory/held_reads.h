// Reads of one L2 slice whose lines have their home in the other partition. Those that find a copy here wait behind the last one
// that did not, until the other partition has answered that one, or so many reads have come since.
// Source: by hand on an H200, `copies_behind_reads` (docs/h200.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/sm/types.h"

namespace warpgauge::model {

class HeldReads {
 public:
  static constexpr unsigned most = 8;
  // Nobody waits once `reads` of them have come behind one that was sent on, `most` at most; 0: nobody ever does.
  explicit HeldReads(unsigned reads) : reads_(reads < most ? reads : most) {}

  // A read comes: `release(index, at)` of each that has waited for as many as have come by now.
  template <typename Release>
  void come(Cycle now, Release release) {
    if (reads_ == 0) return;
    ++number_;
    let_go(now, [this](const Held& held) { return held.sent + reads_ == number_; }, release);
  }
  // It finds no copy and is sent on: its number, above 0.
  std::uint64_t send() {
    answer_ = never;
    return sent_ = number_;
  }
  // What was sent on under this number is answered at `at`: whether any wait for that.
  bool answer(std::uint64_t number, Cycle at) {
    if (number == sent_) answer_ = at;
    bool any = false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (held_[i].sent != number) continue;
      held_[i].until = at;
      any = true;
    }
    return any;
  }
  // It finds a copy and could go at `ready`: whether it waits.
  [[nodiscard]] bool waits(Cycle ready) const { return reads_ != 0 && number_ - sent_ < reads_ && answer_ > ready; }
  // It does: until when, or `never` if that is not known yet.
  Cycle hold(std::uint32_t index, Cycle ready) {
    held_[count_++] = {index, sent_, ready, answer_};
    return answer_;
  }
  // Who has waited for answers that have come by `now` goes on.
  template <typename Release>
  void answered(Cycle now, Release release) {
    let_go(now, [now](const Held& held) { return held.until <= now; }, release);
  }

 private:
  struct Held {
    std::uint32_t index = 0;
    std::uint64_t sent = 0;  // the one that it waits behind
    Cycle ready = 0;
    Cycle until = 0;
  };
  template <typename Which, typename Release>
  void let_go(Cycle now, Which which, Release release) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Held held = held_[i];
      if (which(held)) {
        release(held.index, std::max(now, held.ready));
      } else {
        held_[left++] = held;
      }
    }
    count_ = left;
  }
  unsigned reads_;
  std::uint64_t number_ = most;  // of reads that have come
  std::uint64_t sent_ = 0;       // the last of them that was sent on
  Cycle answer_ = 0;
  std::array<Held, most> held_;  // each is one of the last reads before that which lets it go
  std::size_t count_ = 0;
};

}  // namespace warpgauge::model
