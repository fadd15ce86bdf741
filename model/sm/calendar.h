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

  // `at` must not lie before the last cycle taken.
  void add(Cycle at, const Payload& payload) {
    if (at < base_ + slots) {
      put(at, payload);
    } else {
      put_far(at, payload);
    }
  }

  [[nodiscard]] bool empty() const { return used_words_ == 0 && far_.empty(); }
  [[nodiscard]] std::size_t size() const {
    std::size_t count = nodes_.size() - free_.size() + far_.size();
    for (const std::uint64_t word : used_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }

  // The cycle of the earliest event at or after `from`, or `never`. No event lies before `from`.
  [[nodiscard]] Cycle next(Cycle from) const {
    if (used_words_ != 0) return next_near(from);
    return far_.empty() ? never : far_.front().at;
  }

  // Calls handle(payload) for every event of cycle `now`, also for those that are added to it meanwhile.
  template <class Handle>
  void take(Cycle now, Handle&& handle) {
    advance(now);
    const unsigned slot = slot_of(now);
    while (is_used(slot)) {
      const Node first = slots_[slot].first;
      leave(slot);
      handle(first.payload);
      for (std::uint32_t node = first.next; node != none;) {
        const Node taken = nodes_[node];
        free_.push_back(node);
        handle(taken.payload);
        node = taken.next;
      }
    }
  }

  // Calls see(payload) for events from `from` up to `until`, exclusively, as far as they are known by now;
  // `from` as for next(), and no more than a round of the ring. What has been put off far ahead may be left
  // out.
  template <class See>
  void look_ahead(Cycle from, Cycle until, See&& see) const {
    if (used_words_ == 0) return;
    for (Cycle at = next_near(from); at < until; at = next_near(at + 1)) {
      const Node* node = &slots_[slot_of(at)].first;
      for (see(node->payload); node->next != none; see(node->payload)) node = &nodes_[node->next];
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Node {
    Payload payload;
    std::uint32_t next = none;
  };
  struct Slot {
    Node first;
    std::uint32_t last = none;  // of those behind it
  };
  struct Far {
    Cycle at;
    std::uint64_t sequence;
    Payload payload;
  };
  static bool later(const Far& a, const Far& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  [[nodiscard]] static unsigned slot_of(Cycle at) { return static_cast<unsigned>(at % slots); }
  [[nodiscard]] bool is_used(unsigned slot) const { return (used_[slot / 64] >> (slot % 64) & 1) != 0; }
  void use(unsigned slot) {
    used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    used_words_ = static_cast<std::uint16_t>(used_words_ | 1U << slot / 64);
  }
  void leave(unsigned slot) {
    std::uint64_t& word = used_[slot / 64];
    word &= ~(std::uint64_t{1} << (slot % 64));
    if (word == 0) used_words_ = static_cast<std::uint16_t>(used_words_ & ~(1U << slot / 64));
  }

  // Of those in the ring, which is not empty.
  [[nodiscard]] Cycle next_near(Cycle from) const {
    const unsigned start = slot_of(from);
    unsigned word = start / 64;
    std::uint64_t bits = used_[word] & (~std::uint64_t{0} << (start % 64));
    if (bits == 0) {
      // The first word behind that has any; the same one last, for what lies a whole round ahead.
      const unsigned first = (word + 1) % words;
      word =
          (first + static_cast<unsigned>(std::countr_zero(std::rotr(used_words_, static_cast<int>(first))))) %
          words;
      bits = used_[word];
    }
    const unsigned slot = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
    return from + (slot + slots - start) % slots;
  }

  // A cycle's only event, as most are, reads nothing of what the ring holds: the host's caches may not have
  // it.
  void put(Cycle at, const Payload& payload) {
    const unsigned number = slot_of(at);
    Slot& slot = slots_[number];
    if (is_used(number)) {
      put_behind(slot, payload);
    } else {
      use(number);
      slot.first = {payload, none};
    }
  }
  // What is rare stands apart, so that the rest has nothing to save on the host's stack.
  [[gnu::noinline]] void put_far(Cycle at, const Payload& payload) {
    far_.push_back({at, sequence_++, payload});
    std::push_heap(far_.begin(), far_.end(), later);
  }
  [[gnu::noinline]] void put_behind(Slot& slot, const Payload& payload) {
    auto node = static_cast<std::uint32_t>(nodes_.size());
    if (free_.empty()) {
      nodes_.push_back({payload, none});
    } else {
      node = free_.back();
      free_.pop_back();
      nodes_[node] = {payload, none};
    }
    (slot.first.next == none ? slot.first : nodes_[slot.last]).next = node;
    slot.last = node;
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
  static constexpr unsigned words = slots / 64;
  std::array<std::uint64_t, words> used_{};  // bit n of all of them: slot n has events
  std::uint16_t used_words_ = 0;             // bit n: word n of these has any
  static_assert(words == 16);
  std::array<Slot, slots> slots_{};  // of those that are used
  LargeVector<Node> nodes_;          // what comes behind the first of a cycle
  LargeVector<std::uint32_t> free_;  // nodes without an event
  LargeVector<Far> far_;
  std::uint64_t sequence_ = 0;
};

}  // namespace warpgauge::model
