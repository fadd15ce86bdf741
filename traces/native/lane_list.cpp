#include "traces/native/lane_list.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace warpgauge::native {
namespace {

using List = ListHistory::List;
using Window = ListHistory::Window;

// The low bits of a form's code; 0 to 4 are differences from lane to lane, by their width.
constexpr std::array<unsigned, 5> widths{1, 2, 3, 4, 8};
constexpr unsigned form_window = 5;  // numbers in a window
constexpr unsigned form_again = 6;   // as far from the first lane as in an earlier list
constexpr unsigned form_steps = 7;   // an earlier list, each lane moved by one of a few steps
constexpr std::uint8_t form_kinds = 7;
constexpr std::uint8_t form_scaled = 8;  // differences: in accesses, not in bytes
constexpr std::uint8_t form_fresh = 8;   // window, steps: they follow
constexpr unsigned entry_at = 4;         // of the window or the earlier list
constexpr unsigned most_bits = 56;
constexpr unsigned most_shift = 4;  // accesses of 16 bytes
constexpr std::uint32_t all_lanes = 0xffffffff;

// Estimates, in bits, of what the general compressor leaves of it.
constexpr unsigned window_cost = 48;
constexpr unsigned step_cost = 8;
constexpr unsigned base_cost = 16;
constexpr unsigned difference_cost = 4;  // besides its bits

unsigned first_lane(std::uint32_t mask) {
  return static_cast<unsigned>(std::countr_zero(mask));
}

template <class F>
void for_lanes(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(first_lane(mask));
}

unsigned bit_width(std::uint64_t value) {
  return static_cast<unsigned>(std::bit_width(value));
}

std::uint64_t below_shift(std::uint64_t value, unsigned shift) {
  return value & ((std::uint64_t{1} << shift) - 1);
}

// Distances of an earlier list, for accesses of another width.
struct Follower {
  Follower(const List& list, std::uint32_t mask, std::uint8_t bytes, std::uint64_t first)
      : from(list.addresses.data()), start(from[first_lane(mask)]), base(first) {
    if (bytes == list.bytes) return;
    down = static_cast<unsigned>(std::countr_zero(list.bytes));
    up = static_cast<unsigned>(std::countr_zero(bytes));
  }
  std::uint64_t operator()(unsigned lane) const {
    const auto distance = static_cast<std::int64_t>(from[lane] - start);
    return base + (static_cast<std::uint64_t>(distance >> down) << up);
  }
  const std::uint64_t* from;
  std::uint64_t start;
  std::uint64_t base;
  unsigned down = 0;
  unsigned up = 0;
};

bool follows(const List& list, const std::uint64_t* addresses, std::uint32_t mask, std::uint8_t bytes) {
  if ((mask & ~list.mask) != 0) return false;
  const Follower expected(list, mask, bytes, addresses[first_lane(mask)]);
  for (std::uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1)
    if (const unsigned lane = first_lane(rest); addresses[lane] != expected(lane)) return false;
  return true;
}

struct Steps {
  std::array<std::uint64_t, ListHistory::steps> values{};
  unsigned count = 0;
  [[nodiscard]] unsigned find(std::uint64_t value) const {
    return static_cast<unsigned>(std::find(values.begin(), values.begin() + count, value) - values.begin());
  }
};

// By how much the lanes moved; nothing when there are too many different moves.
std::optional<Steps> find_steps(const List& from, const std::uint64_t* addresses, std::uint32_t mask) {
  if ((mask & ~from.mask) != 0) return std::nullopt;
  Steps steps;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const std::uint64_t step = addresses[lane] - from.addresses[lane];
    if (steps.find(step) != steps.count) continue;
    if (steps.count == ListHistory::steps) return std::nullopt;
    steps.values[steps.count++] = step;
  }
  return steps;
}

unsigned index_bits(unsigned count) {
  return bit_width(count - 1);
}

// What a list is like, whatever came before.
struct Facts {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  unsigned lanes = 0;
  unsigned shift = 0;  // of all distances, as far as an access is wide
  unsigned width = 0;  // code of the differences'
  unsigned bits = 0;   // of all differences, without signs
};

Facts facts_of(const std::uint64_t* addresses, std::uint32_t mask, std::uint8_t bytes) {
  Facts facts;
  facts.lanes = static_cast<unsigned>(std::popcount(mask));
  const std::uint64_t first = addresses[first_lane(mask)];
  facts.low = facts.high = first;
  std::uint64_t last = first;
  std::uint64_t joined = 0;
  std::uint64_t magnitudes = 0;
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t address = addresses[lane];
    joined |= address - first;
    facts.low = std::min(facts.low, address);
    facts.high = std::max(facts.high, address);
    const auto difference = static_cast<std::int64_t>(address - last);
    const auto magnitude = static_cast<std::uint64_t>(difference ^ (difference >> 63));
    magnitudes |= magnitude;
    facts.bits += bit_width(magnitude);
    last = address;
  });
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  if (below_shift(joined, shift) == 0) facts.shift = shift;
  facts.bits -= std::min(facts.bits, facts.shift * (facts.lanes - 1));
  // One bit more for the sign; the shift is arithmetic.
  const unsigned bits = bit_width(magnitudes >> facts.shift) + 1;
  while (8 * widths[facts.width] < bits) ++facts.width;
  return facts;
}

bool fits(const Window& window, const Facts& facts) {
  return facts.low >= window.low && (facts.high - window.low) >> window.shift >> window.bits == 0;
}

// A window around low … high, with what its bits leave over divided between both ends.
ListForm around(std::uint64_t low, std::uint64_t high, unsigned shift, unsigned entry) {
  ListForm form;
  form.code = static_cast<std::uint8_t>(form_window | form_fresh | entry << entry_at);
  form.shift = static_cast<std::uint8_t>(shift);
  form.bits = static_cast<std::uint8_t>(bit_width((high - low) >> shift));
  form.low = low;
  if (form.bits == 0 || form.bits > most_bits) return form;
  const std::uint64_t margin = ((std::uint64_t{1} << form.bits) - 1 - ((high - low) >> shift)) / 2 << shift;
  if (margin <= low) form.low = low - margin;
  return form;
}

// The cheapest window; its code is fresh where it must be written first. `cost` in bits.
ListForm choose_window(const ListHistory& history, const Facts& facts, unsigned& cost) {
  ListForm best = around(facts.low, facts.high, facts.shift, history.ranges.victim());

  const unsigned own_bits = best.bits;
  cost = own_bits * facts.lanes + window_cost;
  for (unsigned i = 0; i < ListHistory::windows; ++i) {
    const Window& window = history.ranges[i];
    if (window.bits == 0 || window.shift != facts.shift ||
        below_shift(facts.low ^ window.low, window.shift) != 0)
      continue;
    if (fits(window, facts)) {
      if (window.bits * facts.lanes >= cost) continue;
      cost = window.bits * facts.lanes;
      best = {static_cast<std::uint8_t>(form_window | i << entry_at), window.bits, window.shift, window.low,
              0};
      continue;
    }
    // A little wider: the same array.
    const ListForm wider =
        around(std::min(facts.low, window.seen_low), std::max(facts.high, window.seen_high), facts.shift, i);
    if (wider.bits > window.bits + 1U || wider.bits > own_bits + 1U ||
        wider.bits * facts.lanes + window_cost > cost + facts.lanes)
      continue;
    cost = wider.bits * facts.lanes + window_cost;
    best = wider;
  }
  return best;
}

// Numbers of `bits` bits each, one behind the other, the last byte filled up.
void put_packed(Bytes& out, std::span<const std::uint64_t> values, unsigned bits) {
  std::array<std::uint8_t, traces::warp_size * sizeof(std::uint64_t) + sizeof(std::uint64_t)> buffer;
  std::uint8_t* to = buffer.data();
  std::uint64_t word = 0;
  unsigned filled = 0;
  for (const std::uint64_t value : values) {
    word |= value << filled;
    filled += bits;
    // A whole word is stored, whose end the next one overwrites.
    std::memcpy(to, &word, sizeof word);
    to += filled / 8;
    word >>= filled / 8 * 8;
    filled %= 8;
  }
  if (filled != 0) ++to;
  out.insert(out.end(), buffer.data(), to);
}

// Calls f(lane, number).
template <class F>
void get_packed(Cursor& in, std::uint32_t mask, unsigned bits, F f) {
  const unsigned count = static_cast<unsigned>(std::popcount(mask));
  const std::size_t size = (std::size_t{count} * bits + 7) / 8;
  std::array<std::uint8_t, traces::warp_size * most_bits / 8 + sizeof(std::uint64_t)> copy;
  // Whole words are read: near the end of the data, from a copy.
  const bool near_end = in.left() < size + sizeof(std::uint64_t);
  const std::uint8_t* from = in.take(size);
  if (near_end) {
    std::copy_n(from, size, copy.data());
    from = copy.data();
  }
  const std::uint64_t ones = (std::uint64_t{1} << bits) - 1;
  const auto number = [&](unsigned at) {
    std::uint64_t word;
    std::memcpy(&word, from + at / 8, sizeof word);
    return word >> (at % 8) & ones;
  };
  if (mask == all_lanes) {
    for (unsigned lane = 0; lane < traces::warp_size; ++lane) f(lane, number(lane * bits));
    return;
  }
  unsigned at = 0;
  for_lanes(mask, [&](unsigned lane) {
    f(lane, number(at));
    at += bits;
  });
}

void decode_differences(Cursor& in, unsigned width, unsigned shift, std::uint64_t base, std::uint32_t mask,
                        std::uint64_t* addresses) {
  const std::size_t count = static_cast<std::size_t>(std::popcount(mask)) - 1;
  const std::size_t size = count * width;
  std::array<std::uint8_t, traces::warp_size * sizeof(std::uint64_t)> copy;
  const bool near_end = in.left() < size + sizeof(std::uint64_t);
  const std::uint8_t* from = in.take(size);
  if (near_end) {
    std::copy_n(from, size, copy.data());
    from = copy.data();
  }
  const unsigned unused = 64 - 8 * width;
  std::uint64_t address = base;
  addresses[first_lane(mask)] = address;
  for_lanes(mask & (mask - 1), [&](unsigned lane) {
    std::uint64_t raw;
    std::memcpy(&raw, from, sizeof raw);
    from += width;
    const auto difference = static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused);
    address += difference << shift;
    addresses[lane] = address;
  });
}

// Where the list begins if it is what is expected of one that repeats `list`.
std::uint64_t expected_again(const List& list, const ListBase& base, std::uint32_t mask) {
  return list.scattered ? list.addresses[first_lane(mask)] + base.offset : base.expected;
}

void begins_again(const List& list, ListBase& base, std::uint32_t mask) {
  if (list.scattered)
    base.offset = base.base - list.addresses[first_lane(mask)];
  else
    base.follows = true;
}

// The place of a new list in the history.
List& add_list(ListHistory& history, unsigned& number, std::uint32_t mask, std::uint8_t bytes,
               bool scattered) {
  number = history.recent.victim();
  history.recent.replaced(number);
  List& list = history.recent[number];
  list.mask = mask;
  list.bytes = bytes;
  list.scattered = scattered;
  return list;
}

}  // namespace

ListForm choose_form(const ListHistory& history, unsigned previous, ListBase& base,
                     const std::uint64_t* addresses, std::uint32_t mask, std::uint8_t bytes) {
  ListForm form;
  base.base = addresses[first_lane(mask)];
  base.follows = false;
  for (unsigned i = 0; i < ListHistory::lists; ++i) {
    const List& list = history.recent[i];
    if (!follows(list, addresses, mask, bytes)) continue;
    form.code = static_cast<std::uint8_t>(form_again | i << entry_at);
    form.difference = base.base - expected_again(list, base, mask);
    begins_again(list, base, mask);
    return form;
  }
  const Facts facts = facts_of(addresses, mask, bytes);
  unsigned cost = facts.bits + difference_cost * (facts.lanes - 1) + base_cost;
  form.code = static_cast<std::uint8_t>(facts.width | (facts.shift != 0 ? form_scaled : 0U));
  form.shift = static_cast<std::uint8_t>(facts.shift);
  form.difference = base.base - base.expected;
  base.follows = true;
  unsigned window_bits = 0;
  const ListForm window = choose_window(history, facts, window_bits);
  // That a window must be written first pays for itself with the lists that follow.
  if (window.bits != 0 && window.bits <= most_bits && window.bits * facts.lanes < cost) {
    cost = window_bits;
    form = window;
    base.follows = false;
  }
  for (const unsigned from : {previous, history.recent.newest()}) {
    const auto steps = find_steps(history.recent[from], addresses, mask);
    if (!steps) continue;
    const unsigned fresh = index_bits(steps->count) * facts.lanes + step_cost * (steps->count + 1);
    unsigned known = 0;
    const Steps old{history.step, history.step_count};
    for (unsigned i = 0; i < steps->count; ++i) known += old.find(steps->values[i]) != old.count ? 1 : 0;
    // Steps that are more than needed are written anew as soon as that costs little more.
    const unsigned again = index_bits(std::max(old.count, 1U)) * facts.lanes;
    const bool use_old = known == steps->count && again < fresh + 2 * step_cost;
    if ((use_old ? again : fresh) >= cost) continue;
    cost = use_old ? again : fresh;
    form = {};
    base.follows = false;
    form.code = static_cast<std::uint8_t>(form_steps | (use_old ? 0U : form_fresh) | from << entry_at);
    form.bits = static_cast<std::uint8_t>(index_bits(use_old ? old.count : steps->count));
  }
  return form;
}

unsigned encode_list(WarpBytes& out, ListHistory& history, const ListForm& form, const ListBase& base,
                     const std::uint64_t* addresses, std::uint32_t mask, std::uint8_t bytes) {
  out.tokens.push_back(form.code);
  const unsigned kind = form.code & form_kinds;
  const unsigned entry = form.code >> entry_at;
  if (kind == form_again) {
    history.recent.touch(entry);
    return entry;
  }
  std::array<std::uint64_t, traces::warp_size> values;
  unsigned count = 0;
  if (kind == form_window) {
    if ((form.code & form_fresh) != 0) {
      if (entry == history.ranges.victim()) history.ranges.replaced(entry);
      Window& window = history.ranges[entry];
      const bool wider = window.bits != 0 && window.shift == form.shift && window.seen_low >= form.low &&
                         below_shift(window.seen_low ^ form.low, form.shift) == 0 &&
                         (window.seen_high - form.low) >> form.shift >> form.bits == 0;
      if (!wider) window.seen_low = window.seen_high = addresses[first_lane(mask)];
      window.low = form.low;
      window.bits = form.bits;
      window.shift = form.shift;
      out.tokens.push_back(form.bits);
      out.tokens.push_back(form.shift);
      put_signed(out.tokens, form.low - base.expected);
    }
    history.ranges.touch(entry);
    Window& window = history.ranges[entry];
    for_lanes(mask, [&](unsigned lane) {
      values[count++] = (addresses[lane] - form.low) >> form.shift;
      window.seen_low = std::min(window.seen_low, addresses[lane]);
      window.seen_high = std::max(window.seen_high, addresses[lane]);
    });
    put_packed(out.packed, {values.data(), count}, form.bits);
  } else if (kind == form_steps) {
    const List& from = history.recent[entry];
    if ((form.code & form_fresh) != 0) {
      const Steps steps = *find_steps(from, addresses, mask);
      history.step = steps.values;
      history.step_count = steps.count;
      out.tokens.push_back(static_cast<std::uint8_t>(steps.count));
      for (unsigned i = 0; i < steps.count; ++i) put_signed(out.tokens, steps.values[i]);
    }
    const Steps steps{history.step, history.step_count};
    for_lanes(mask,
              [&](unsigned lane) { values[count++] = steps.find(addresses[lane] - from.addresses[lane]); });
    put_packed(out.packed, {values.data(), count}, form.bits);
  } else {
    const unsigned width = widths[kind];
    std::uint64_t last = addresses[first_lane(mask)];
    for_lanes(mask & (mask - 1), [&](unsigned lane) {
      const std::int64_t difference = static_cast<std::int64_t>(addresses[lane] - last) >> form.shift;
      const auto* const raw = reinterpret_cast<const std::uint8_t*>(&difference);
      out.tokens.insert(out.tokens.end(), raw, raw + width);
      last = addresses[lane];
    });
  }
  unsigned number = 0;
  List& list = add_list(history, number, mask, bytes, !base.follows);
  std::copy_n(addresses, traces::warp_size, list.addresses.begin());
  return number;
}

unsigned decode_list(WarpCursor& in, ListHistory& history, ListBase& base, std::uint64_t difference,
                     std::uint32_t mask, std::uint8_t bytes, std::uint64_t* scratch,
                     const std::uint64_t*& addresses) {
  base.follows = false;
  const std::uint8_t code = in.tokens.byte();
  const unsigned kind = code & form_kinds;
  const bool fresh = (code & form_fresh) != 0;
  const unsigned entry = code >> entry_at;
  const auto earlier = [&]() -> const List& {
    if (entry >= ListHistory::lists || (mask & ~history.recent[entry].mask) != 0)
      in.tokens.fail("a list after one that was not there");
    return history.recent[entry];
  };
  if (kind == form_again) {
    if (fresh) in.tokens.fail("an unknown form of address list");
    const List& list = earlier();
    base.base = expected_again(list, base, mask) + difference;
    begins_again(list, base, mask);
    const Follower follower(list, mask, bytes, base.base);
    if (mask == all_lanes)
      for (unsigned lane = 0; lane < traces::warp_size; ++lane) scratch[lane] = follower(lane);
    else
      for_lanes(mask, [&](unsigned lane) { scratch[lane] = follower(lane); });
    history.recent.touch(entry);
    addresses = scratch;
    return entry;
  }
  unsigned number = 0;
  if (kind == form_window) {
    if (entry >= ListHistory::windows) in.tokens.fail("an unknown form of address list");
    Window& window = history.ranges[entry];
    if (fresh) {
      window.bits = in.tokens.byte();
      window.shift = in.tokens.byte();
      window.low = base.expected + in.tokens.difference();
    }
    if (window.bits == 0 || window.bits > most_bits || window.shift > most_shift)
      in.tokens.fail("an unknown window of addresses");
    const std::uint64_t low = window.low;
    const unsigned shift = window.shift;
    List& list = add_list(history, number, mask, bytes, true);
    get_packed(in.packed, mask, window.bits,
               [&](unsigned lane, std::uint64_t value) { list.addresses[lane] = low + (value << shift); });
    addresses = list.addresses.data();
  } else if (kind == form_steps) {
    const List& from = earlier();
    if (fresh) {
      const std::uint8_t count = in.tokens.byte();
      if (count > ListHistory::steps) in.tokens.fail("too many steps");
      history.step = {};
      history.step_count = count;
      for (unsigned i = 0; i < count; ++i) history.step[i] = in.tokens.difference();
    }
    if (history.step_count == 0) in.tokens.fail("an address list without steps");
    const unsigned bits = index_bits(history.step_count);
    // It may take the place of the one that it goes on from, lane by lane.
    List& list = add_list(history, number, mask, bytes, true);
    get_packed(in.packed, mask, bits, [&](unsigned lane, std::uint64_t value) {
      list.addresses[lane] = from.addresses[lane] + history.step[value];
    });
    addresses = list.addresses.data();
  } else {
    base.base = base.expected + difference;
    base.follows = true;
    if (entry != 0) in.tokens.fail("an unknown form of address list");
    const unsigned shift = fresh ? static_cast<unsigned>(std::countr_zero(bytes)) : 0;
    List& list = add_list(history, number, mask, bytes, false);
    decode_differences(in.tokens, widths[kind], shift, base.base, mask, list.addresses.data());
    addresses = list.addresses.data();
  }
  return number;
}

}  // namespace warpgauge::native
