#include "traces/emulator/tensor_map.h"

#include <algorithm>
#include <cstring>

#include "traces/emulator/float_format.h"

namespace warpgauge::emulator {
namespace {

// A run of bits in one word. Counts that cannot be zero are kept less one.
struct Bits {
  unsigned word;
  unsigned first;
  unsigned width;
  [[nodiscard]] std::uint32_t mask() const {
    return width == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << width) - 1;
  }
  [[nodiscard]] std::uint32_t get(std::span<const std::uint32_t, TensorMap::words> words) const {
    return (words[word] >> first) & mask();
  }
  void put(TensorMapWords& words, std::uint64_t value) const {
    words[word] =
        (words[word] & ~(mask() << first)) | ((static_cast<std::uint32_t>(value) & mask()) << first);
  }
};

// As tensormap.replace has them.
constexpr Bits address_low{0, 0, 32}, address_high{1, 0, 32};
constexpr Bits rank_bits{2, 4, 3}, type_bits{2, 7, 4}, interleave_bits{2, 11, 2}, swizzle_bits{2, 13, 2},
    fill_bits{2, 15, 1};
constexpr Bits stride_low(unsigned n) {
  return {3 + n, 0, 32};  // in units of 16 bytes
}
constexpr Bits stride_high(unsigned n) {
  return {7, 4 * n, 4};
}
constexpr Bits size_bits(unsigned dimension) {
  return {8 + dimension, 0, 32};  // 0: 2^32
}
constexpr Bits step_bits(unsigned dimension) {
  return {13, 3 * dimension, 3};
}
constexpr Bits box_bits(unsigned dimension) {
  return dimension == 0 ? Bits{13, 24, 8} : Bits{14, 8 * (dimension - 1), 8};
}
// Chosen.
constexpr Bits promotion_bits{2, 16, 2}, columns_bits{2, 18, 1};
constexpr Bits lower_bits(unsigned n) {
  return {16 + n, 0, 16};
}
constexpr Bits upper_bits(unsigned n) {
  return {16 + n, 16, 16};
}
constexpr Bits channels_bits{19, 0, 8}, pixels_bits{19, 16, 10};

constexpr unsigned stride_unit = 16;

// The NaN that fills what lies outside.
constexpr std::uint64_t nan_of(TensorMap::Type type) {
  switch (type) {
    case TensorMap::Type::f16:
    case TensorMap::Type::bf16:
      return 0x7fff;
    case TensorMap::Type::f64:
      return 0x7fff'ffff'ffff'ffff;
    default:
      return 0x7fff'ffff;
  }
}

// To the nearest with ten fraction bits, of two the even one.
std::uint32_t to_tensor_float(std::uint32_t bits) {
  constexpr unsigned lost = 13;
  if ((bits & 0x7f80'0000U) == 0x7f80'0000U) return bits >> lost << lost;
  const std::uint32_t half = (std::uint32_t{1} << (lost - 1)) - 1 + ((bits >> lost) & 1U);
  return (bits + half) >> lost << lost;
}

}  // namespace

TensorMapWords encode(const TensorMap& map) {
  TensorMapWords words{};
  address_low.put(words, map.address);
  address_high.put(words, map.address >> 32);
  rank_bits.put(words, map.rank - 1);
  type_bits.put(words, static_cast<unsigned>(map.type));
  interleave_bits.put(words, static_cast<unsigned>(map.interleave));
  swizzle_bits.put(words, static_cast<unsigned>(map.swizzle));
  fill_bits.put(words, map.fills_nan ? 1 : 0);
  promotion_bits.put(words, static_cast<unsigned>(map.promotion));
  columns_bits.put(words, map.columns ? 1 : 0);
  for (unsigned i = 0; i < map.rank; ++i) {
    size_bits(i).put(words, map.sizes[i]);
    step_bits(i).put(words, map.steps[i] - 1U);
    if (i + 1 < map.rank) {
      stride_low(i).put(words, map.strides[i] / stride_unit);
      stride_high(i).put(words, (map.strides[i] / stride_unit) >> 32);
    }
    if (!map.columns) box_bits(i).put(words, map.box[i] - 1U);
  }
  if (!map.columns) return words;
  for (unsigned i = 0; i < map.lower.size(); ++i) {
    lower_bits(i).put(words, static_cast<std::uint16_t>(map.lower[i]));
    upper_bits(i).put(words, static_cast<std::uint16_t>(map.upper[i]));
  }
  channels_bits.put(words, map.channels - 1U);
  pixels_bits.put(words, map.pixels - 1U);
  return words;
}

std::optional<TensorMap> decode(std::span<const std::uint32_t, TensorMap::words> words) {
  TensorMap map;
  map.address = (std::uint64_t{address_high.get(words)} << 32) | address_low.get(words);
  map.rank = rank_bits.get(words) + 1;
  map.type = static_cast<TensorMap::Type>(type_bits.get(words));
  map.interleave = static_cast<TensorMap::Interleave>(interleave_bits.get(words));
  map.swizzle = static_cast<TensorMap::Swizzle>(swizzle_bits.get(words));
  map.fills_nan = fill_bits.get(words) != 0;
  map.promotion = static_cast<TensorMap::Promotion>(promotion_bits.get(words));
  map.columns = columns_bits.get(words) != 0;
  if (map.rank > TensorMap::most_dimensions || map.type > TensorMap::Type::tf32_ftz ||
      map.interleave > TensorMap::Interleave::bytes32)
    return std::nullopt;
  for (unsigned i = 0; i < map.rank; ++i) {
    const std::uint64_t size = size_bits(i).get(words);
    map.sizes[i] = size == 0 ? std::uint64_t{1} << 32 : size;
    map.steps[i] = static_cast<std::uint16_t>(step_bits(i).get(words) + 1);
    if (i + 1 < map.rank)
      map.strides[i] =
          ((std::uint64_t{stride_high(i).get(words)} << 32) | stride_low(i).get(words)) * stride_unit;
    if (!map.columns) map.box[i] = static_cast<std::uint16_t>(box_bits(i).get(words) + 1);
  }
  if (!map.columns) return map;
  for (unsigned i = 0; i < map.lower.size(); ++i) {
    map.lower[i] = static_cast<std::int16_t>(lower_bits(i).get(words));
    map.upper[i] = static_cast<std::int16_t>(upper_bits(i).get(words));
  }
  map.channels = static_cast<std::uint16_t>(channels_bits.get(words) + 1);
  map.pixels = static_cast<std::uint16_t>(pixels_bits.get(words) + 1);
  return map;
}

unsigned element_bytes(TensorMap::Type type) {
  switch (type) {
    case TensorMap::Type::u8:
      return 1;
    case TensorMap::Type::u16:
    case TensorMap::Type::f16:
    case TensorMap::Type::bf16:
      return 2;
    case TensorMap::Type::u64:
    case TensorMap::Type::s64:
    case TensorMap::Type::f64:
      return 8;
    default:
      return 4;
  }
}

bool is_float(TensorMap::Type type) {
  return type >= TensorMap::Type::f16;
}

unsigned copied_elements(const TensorMap& map, unsigned dimension) {
  // The first dimension's elements are copied one by one.
  const unsigned step = dimension == 0 ? 1U : map.steps[dimension];
  return (map.box[dimension] + step - 1) / step;
}

std::uint32_t shared_bytes(const TensorMap& map) {
  std::uint32_t bytes = element_bytes(map.type);
  if (map.columns) return bytes * map.channels * map.pixels;
  for (unsigned i = 0; i < map.rank; ++i) bytes *= copied_elements(map, i);
  return bytes;
}

std::uint32_t swizzled(TensorMap::Swizzle swizzle, std::uint32_t offset) {
  const std::uint32_t rows = (std::uint32_t{1} << static_cast<unsigned>(swizzle)) - 1;
  return offset ^ (((offset >> 7) & rows) << 4);
}

void fill_outside(const TensorMap& map, std::span<std::byte> bytes) {
  if (!map.fills_nan || !is_float(map.type)) {
    std::ranges::fill(bytes, std::byte{0});
    return;
  }
  const std::uint64_t nan = nan_of(map.type);
  const unsigned size = element_bytes(map.type);
  for (std::size_t at = 0; at < bytes.size(); at += size) std::memcpy(bytes.data() + at, &nan, size);
}

void convert_loaded(TensorMap::Type type, std::span<std::byte> bytes) {
  const bool flushes = type == TensorMap::Type::f32_ftz || type == TensorMap::Type::tf32_ftz;
  const bool rounds = type == TensorMap::Type::tf32 || type == TensorMap::Type::tf32_ftz;
  if (!flushes && !rounds) return;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (flushes) word = flush32(word);
    if (rounds) word = to_tensor_float(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace warpgauge::emulator
