// Addresses of a warp's lanes that no simple shape describes. Most such lists are not new: loops that are
// unrolled load at the same distances between lanes again and again, arrays that are indexed alike are
// gathered by the same list, walks move every lane by one of a few steps. What is new and scattered costs
// the bits of its range.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "traces/native/bytes.h"
#include "traces/warp_stream.h"

namespace warpgauge::native {

// A few things that were seen before, by number.
template <class T, unsigned N>
class Recent {
 public:
  [[nodiscard]] const T& operator[](unsigned number) const { return things_[number]; }
  T& operator[](unsigned number) { return things_[number]; }
  void touch(unsigned number) { used_ |= 1U << number; }
  [[nodiscard]] unsigned newest() const { return newest_; }
  // Whose place a new one takes: the oldest that was not touched since it was last passed over, never the
  // newest.
  [[nodiscard]] unsigned victim() const {
    for (unsigned number = next_; number != newest_; number = (number + 1) % N)
      if ((used_ >> number & 1U) == 0) return number;
    return next_;
  }
  void replaced(unsigned number) {
    for (; next_ != number; next_ = (next_ + 1) % N) used_ &= ~(1U << next_);
    used_ &= ~(1U << number);
    newest_ = number;
    next_ = (number + 1) % N;
  }
  void clear() {
    for (T& thing : things_) thing.clear();
    used_ = 0;
    next_ = 0;
    newest_ = N - 1;
  }

 private:
  std::array<T, N> things_;
  std::uint32_t used_ = 0;
  unsigned next_ = 0;
  unsigned newest_ = N - 1;
};

// What the lists of one warp have been; encoder and decoder keep the same.
struct ListHistory {
  static constexpr unsigned lists = 8;
  static constexpr unsigned windows = 4;
  static constexpr unsigned steps = 8;

  struct List {
    std::array<std::uint64_t, traces::warp_size> addresses{};  // of the lanes in mask
    std::uint32_t mask = 0;                                    // 0: there is none
    std::uint8_t bytes = 0;                                    // of an access
    bool scattered = false;  // the first lane's address says nothing about the next list's
    void clear() { mask = 0; }
  };
  // Addresses of an array that is accessed at random: low + (value << shift), values of `bits` bits.
  struct Window {
    std::uint64_t low = 0;
    std::uint8_t bits = 0;  // 0: there is none
    std::uint8_t shift = 0;
    // Of what it was used for; only the encoder knows.
    std::uint64_t seen_low = 0;
    std::uint64_t seen_high = 0;
    void clear() { bits = 0; }
  };
  void clear() {
    recent.clear();
    ranges.clear();
    step_count = 0;
  }

  Recent<List, lists> recent;
  Recent<Window, windows> ranges;
  std::array<std::uint64_t, steps> step{};  // by which lanes moved from an earlier list
  unsigned step_count = 0;
};

// A warp's two streams: tokens, in which patterns repeat, and packed numbers, in which nothing does.
struct WarpBytes {
  Bytes tokens;
  Bytes packed;
  void clear() {
    tokens.clear();
    packed.clear();
  }
  [[nodiscard]] std::size_t size() const { return tokens.size() + packed.size(); }
};
struct WarpCursor {
  Cursor tokens;
  Cursor packed;
};

// Where a list begins: the first lane's address, and what it is expected to be.
struct ListBase {
  std::uint64_t expected = 0;  // from the instruction's last accesses
  std::uint64_t offset = 0;    // from a scattered list that it repeated last; kept up to date
  std::uint64_t base = 0;
  bool follows = false;  // it lets expect where the instruction accesses next
};

// How a list will be written.
struct ListForm {
  std::uint8_t code = 0;  // the first byte
  std::uint8_t bits = 0;  // of each packed number
  std::uint8_t shift = 0;
  std::uint64_t low = 0;
  std::uint64_t difference = 0;  // of the base from what is expected, written before the form; 0: it is that
};

// `mask` has two lanes at least; `previous` is the list that the same instruction accessed last. Sets
// `base.base` and what else of it changes.
ListForm choose_form(const ListHistory& history, unsigned previous, ListBase& base,
                     const std::uint64_t* addresses, std::uint32_t mask, std::uint8_t bytes);

// Both return the number of the list in the history, which is what the instruction accessed last.
unsigned encode_list(WarpBytes& out, ListHistory& history, const ListForm& form, const ListBase& base,
                     const std::uint64_t* addresses, std::uint32_t mask, std::uint8_t bytes);
// `addresses` is set to where they are: in the history, or, of a list that is no new one, in `scratch`.
unsigned decode_list(WarpCursor& in, ListHistory& history, ListBase& base, std::uint64_t difference,
                     std::uint32_t mask, std::uint8_t bytes, std::uint64_t* scratch,
                     const std::uint64_t*& addresses);

}  // namespace warpgauge::native
