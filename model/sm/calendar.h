// Events in time order: a ring of slots, one a cycle, and a heap for what lies farther ahead. Events of one
// cycle come out in the order in which they went in, so that a run is the same every time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/large_pages.h"
#include "model/sm/types.h"

namespace warpgauge::model {

template <class Payload>
class Calendar {
 public:
  static constexpr unsigned slots = 1024;

  Calendar() { slots_.fill({none, none}); }

  // `at` must not lie before the last cycle taken.
  void add(Cycle at, const Payload& payload) {
    ++size_;
    if (at < base_ + slots) {
      put(at, payload);
    } else {
      far_.push_back({at, sequence_++, payload});
      std::push_heap(far_.begin(), far_.end(), later);
    }
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  // The cycle of the earliest event at or after `from`, or `never`. No event lies before `from`.
  [[nodiscard]] Cycle next(Cycle from) const {
    if (near_ != 0) {
      const unsigned start = static_cast<unsigned>(from % slots);
      unsigned word = start / 64;
      std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
      if (bits == 0) {
        // The first word behind that has any; the same one last, for what lies a whole round ahead.
        const unsigned first = (word + 1) % words;
        word = (first + static_cast<unsigned>(std::countr_zero(std::rotr(used_words_, static_cast<int>(first))))) % words;
        bits = occupied_[word];
      }
      const unsigned slot = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
      return from + (slot + slots - start) % slots;
    }
    return far_.empty() ? never : far_.front().at;
  }

  // Calls handle(payload) for every event of cycle `now`, also for those that are added to it meanwhile.
  template <class Handle>
  void take(Cycle now, Handle&& handle) {
    advance(now);
    const unsigned slot = static_cast<unsigned>(now % slots);
    if ((occupied_[slot / 64] >> (slot % 64) & 1) == 0) return;
    while (slots_[slot].first != none) {
      const std::uint32_t node = slots_[slot].first;
      slots_[slot].first = nodes_[node].next;
      if (slots_[slot].first == none) {
        slots_[slot].last = none;
        std::uint64_t& word = occupied_[slot / 64];
        word &= ~(std::uint64_t{1} << (slot % 64));
        if (word == 0) used_words_ = static_cast<std::uint16_t>(used_words_ & ~(1U << slot / 64));
      }
      const Payload payload = nodes_[node].payload;
      nodes_[node].next = free_;
      free_ = node;
      --near_;
      --size_;
      handle(payload);
    }
  }

  [[nodiscard]] bool has(Cycle now) const {
    const unsigned slot = static_cast<unsigned>(now % slots);
    return (now < base_ + slots && slots_[slot].first != none) || (!far_.empty() && far_.front().at <= now);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Node {
    std::uint32_t next;
    Payload payload;
  };
  struct Far {
    Cycle at;
    std::uint64_t sequence;
    Payload payload;
  };
  static bool later(const Far& a, const Far& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  void put(Cycle at, const Payload& payload) {
    std::uint32_t node = free_;
    if (node != none) {
      free_ = nodes_[node].next;
    } else {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({});
    }
    nodes_[node] = {none, payload};
    const unsigned slot = static_cast<unsigned>(at % slots);
    if (slots_[slot].first == none) {
      slots_[slot].first = node;
      occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
      used_words_ = static_cast<std::uint16_t>(used_words_ | 1U << slot / 64);
    } else {
      nodes_[slots_[slot].last].next = node;
    }
    slots_[slot].last = node;
    ++near_;
  }

  void advance(Cycle now) {
    if (now <= base_) return;
    base_ = now;
    if (!far_.empty()) bring_near();
  }
  void bring_near() {
    while (!far_.empty() && far_.front().at < base_ + slots) {
      const Far event = far_.front();
      std::pop_heap(far_.begin(), far_.end(), later);
      far_.pop_back();
      put(event.at, event.payload);
    }
  }

  Cycle base_ = 0;
  struct Slot {
    std::uint32_t first;
    std::uint32_t last;
  };
  static constexpr unsigned words = slots / 64;
  std::array<Slot, slots> slots_;
  std::array<std::uint64_t, words> occupied_{};  // bit n of all of them: slot n has events
  std::uint16_t used_words_ = 0;                 // bit n: word n of these has any
  static_assert(words == 16);
  LargeVector<Node> nodes_;
  LargeVector<Far> far_;
  std::uint32_t free_ = none;
  std::size_t near_ = 0;
  std::size_t size_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace warpgauge::model
