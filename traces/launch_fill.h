#pragma once

// The contents of a launch's buffers, reproducible from a name and a seed alone.
//
// A launch file names each buffer's fill instead of carrying its bytes; the hardware recorder, the
// emulator and the tests all fill with this header, so that they run a kernel on the same bytes.
// Every rule is written out in examples/validation/FILLS.md. C++17, no dependencies.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::launch {

// What a launch file's "buffer" object says about its contents. `min`, `max` and `step` are used by
// the fills that name them in FILLS.md and ignored by the others.
struct Fill {
  std::string name = "zero";
  std::uint64_t seed = 0;
  double min = 0.0;
  double max = 0.0;
  double step = 1.0;
};

class FillError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The index-th output (from 0) of SplitMix64 seeded with `seed` (Steele, Lea, Flood 2014).
inline std::uint64_t draw(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// FNV-1a, 64 bits: the hash of output buffers and of the suite's split.
inline std::uint64_t fnv1a(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (std::size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ at[i]) * 0x100000001B3ULL;
  }
  return hash;
}

// IEEE binary32 to binary16, to nearest even. No NaN reaches it.
inline std::uint16_t half_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude >= 0x477FF000U) {
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  if (magnitude < 0x38800000U) {  // below 2^-14: a multiple of 2^-24, or zero
    const std::uint32_t exponent = magnitude >> 23;
    if (exponent < 102) {
      return static_cast<std::uint16_t>(sign);
    }
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
    const std::uint32_t shift = 126 - exponent;
    const std::uint32_t rest = mantissa & ((1U << shift) - 1U);
    const std::uint32_t tie = 1U << (shift - 1U);
    std::uint32_t result = mantissa >> shift;
    if (rest > tie || (rest == tie && (result & 1U) != 0)) {
      ++result;
    }
    return static_cast<std::uint16_t>(sign | result);
  }
  const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

// IEEE binary32 to bfloat16, to nearest even. No NaN reaches it.
inline std::uint16_t bfloat16_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

namespace detail {

template <class Element, class Rule>
void each(unsigned char* data, std::size_t bytes, Rule rule) {
  const std::size_t count = bytes / sizeof(Element);
  for (std::size_t i = 0; i < count; ++i) {
    const Element element = rule(static_cast<std::uint64_t>(i));
    std::memcpy(data + i * sizeof(Element), &element, sizeof(Element));
  }
}

inline std::uint32_t as_u32(double value, const char* what) {
  if (!(value >= 0.0) || value > 4294967295.0) {
    throw FillError(std::string("fill: ") + what + " is outside 0..4294967295");
  }
  return static_cast<std::uint32_t>(value);
}

// min + floor(top 32 bits of the draw * count / 2^32), count = max - min + 1.
inline std::uint32_t bounded(std::uint64_t drawn, std::uint32_t min, std::uint32_t max) {
  const std::uint64_t count = std::uint64_t{max} - min + 1U;
  const std::uint64_t high = drawn >> 32;
  return static_cast<std::uint32_t>(min + ((high * count) >> 32));
}

// min + (max - min) * t in binary64 with t = (top 24 bits) / 2^24, then rounded to binary32.
inline float bounded_f32(std::uint64_t drawn, const Fill& fill) {
  const double t = static_cast<double>(drawn >> 40) * 0x1p-24;
  const double span = (fill.max - fill.min) * t;
  return static_cast<float>(fill.min + span);
}

inline std::uint32_t row_degree(const Fill& fill, bool skewed, std::uint64_t row) {
  const std::uint32_t min = as_u32(fill.min, "min");
  const std::uint32_t max = as_u32(fill.max, "max");
  std::uint64_t drawn = draw(fill.seed, row);
  if (skewed) {  // the cube of a uniform number, in 32-bit fixed point: few rows are long
    const std::uint64_t u = drawn >> 32;
    const std::uint64_t square = (u * u) >> 32;
    drawn = ((square * u) >> 32) << 32;
  }
  return bounded(drawn, min, max);
}

inline std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed, bool one_cycle) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = count; i-- > 1;) {
    const std::uint32_t last = static_cast<std::uint32_t>(one_cycle ? i - 1 : i);
    const std::size_t j = bounded(draw(seed, i), 0, last);
    const std::uint32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}

}  // namespace detail

// Fills `bytes` bytes at `data`. Bytes behind the last whole element are zero.
// Throws FillError when the fill's name is unknown or its bounds make no sense.
inline void fill_buffer(void* data, std::size_t bytes, const Fill& fill) {
  auto* at = static_cast<unsigned char*>(data);
  const std::string_view name = fill.name;
  const std::uint64_t seed = fill.seed;
  if (fill.max < fill.min && name != "zero" && name != "constant_u32" && name != "constant_f32" &&
      name != "iota_u32") {
    throw FillError("fill " + fill.name + ": max is below min");
  }
  std::memset(at, 0, bytes);
  if (name == "zero") {
    return;
  }
  if (name == "constant_u32") {
    const std::uint32_t value = detail::as_u32(fill.min, "min");
    detail::each<std::uint32_t>(at, bytes, [&](std::uint64_t) { return value; });
  } else if (name == "constant_f32") {
    const auto value = static_cast<float>(fill.min);
    detail::each<float>(at, bytes, [&](std::uint64_t) { return value; });
  } else if (name == "iota_u32") {
    const std::uint32_t first = detail::as_u32(fill.min, "min");
    const std::uint32_t step = detail::as_u32(fill.step, "step");
    detail::each<std::uint32_t>(
        at, bytes, [&](std::uint64_t i) { return static_cast<std::uint32_t>(first + i * step); });
  } else if (name == "random_u32") {
    const std::uint32_t min = detail::as_u32(fill.min, "min");
    const std::uint32_t max = detail::as_u32(fill.max, "max");
    detail::each<std::uint32_t>(at, bytes,
                                [&](std::uint64_t i) { return detail::bounded(draw(seed, i), min, max); });
  } else if (name == "random_f32") {
    detail::each<float>(at, bytes, [&](std::uint64_t i) { return detail::bounded_f32(draw(seed, i), fill); });
  } else if (name == "random_f64") {
    detail::each<double>(at, bytes, [&](std::uint64_t i) {
      const double t = static_cast<double>(draw(seed, i) >> 11) * 0x1p-53;
      const double span = (fill.max - fill.min) * t;
      return fill.min + span;
    });
  } else if (name == "random_f16") {
    detail::each<std::uint16_t>(
        at, bytes, [&](std::uint64_t i) { return half_bits(detail::bounded_f32(draw(seed, i), fill)); });
  } else if (name == "random_bf16") {
    detail::each<std::uint16_t>(
        at, bytes, [&](std::uint64_t i) { return bfloat16_bits(detail::bounded_f32(draw(seed, i), fill)); });
  } else if (name == "permutation_u32" || name == "cycle_u32") {
    const std::size_t count = bytes / sizeof(std::uint32_t);
    if (count > 0xFFFFFFFFULL) {
      throw FillError("fill " + fill.name + ": more than 2^32 elements");
    }
    const std::vector<std::uint32_t> order = detail::shuffled(count, seed, name == "cycle_u32");
    if (count != 0) {
      std::memcpy(at, order.data(), count * sizeof(std::uint32_t));
    }
  } else if (name == "csr_row_u32" || name == "csr_row_skewed_u32") {
    const bool skewed = name == "csr_row_skewed_u32";
    std::uint32_t offset = 0;
    detail::each<std::uint32_t>(at, bytes, [&](std::uint64_t i) {
      const std::uint32_t here = offset;
      offset += detail::row_degree(fill, skewed, i);
      return here;
    });
  } else {
    throw FillError("fill: unknown name '" + fill.name + "'");
  }
}

}  // namespace warpgauge::launch
