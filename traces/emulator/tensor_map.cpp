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

constexpr Bits address_low{0, 0, 32}, address_high{1, 0, 32};
constexpr Bits columns_bits{2, 0, 1}, rank_bits{2, 4, 3}, type_bits{2, 7, 4}, interleave_bits{2, 11, 2},
    swizzle_bits{2, 13, 2}, fill_bits{2, 15, 1}, rounding_bits{2, 16, 1}, promotion_bits{2, 17, 2};
constexpr Bits stride_low(unsigned n) {
  return {3 + n, 0, 32};  // in units of 16 bytes
}
constexpr Bits stride_high(unsigned n) {
  return {7, 4 * n, 4};
}
constexpr Bits size_bits(unsigned dimension) {
  return {8 + dimension, 0, 32};
}
constexpr Bits step_bits(unsigned dimension) {
  return {13, 3 * dimension, 3};
}
// Of a box; of columns the first one's are the channels, and what follows are corners and pixels.
constexpr Bits box_bits(unsigned dimension) {
  return dimension == 0 ? Bits{13, 24, 8} : Bits{14, 8 * (dimension - 1), 8};
}
// 16 bits for a corner of one number, 8 each of two, 5 each of three.
constexpr unsigned corner_width(unsigned rank) {
  return rank == 3 ? 16 : rank == 4 ? 8 : 5;
}
constexpr Bits lower_bits(unsigned rank, unsigned n) {
  return {14, corner_width(rank) * n, corner_width(rank)};
}
constexpr Bits upper_bits(unsigned rank, unsigned n) {
  return {14, 16 + corner_width(rank) * n, corner_width(rank)};
}
constexpr Bits pixels_bits{15, 0, 10};
// What the driver writes down for itself: the bytes of a box, where steps divide without rest, and how far
// swizzling repeats.
constexpr Bits bytes_bits{16, 0, 32}, repeat_bits{18, 0, 32};

std::int16_t signed_of(std::uint32_t bits, unsigned width) {
  return static_cast<std::int16_t>(static_cast<std::int32_t>(bits << (32 - width)) >> (32 - width));
}

// Types as words have them: one that rounds to TF32 is the one that does not, and a bit.
enum class Code : std::uint8_t { f32 = 7, f32_ftz = 8, f64 = 9, bf16 = 10 };

std::uint32_t code_of(TensorMap::Type type) {
  switch (type) {
    case TensorMap::Type::f32:
    case TensorMap::Type::tf32:
      return static_cast<std::uint32_t>(Code::f32);
    case TensorMap::Type::f32_ftz:
    case TensorMap::Type::tf32_ftz:
      return static_cast<std::uint32_t>(Code::f32_ftz);
    case TensorMap::Type::f64:
      return static_cast<std::uint32_t>(Code::f64);
    case TensorMap::Type::bf16:
      return static_cast<std::uint32_t>(Code::bf16);
    default:
      return static_cast<std::uint32_t>(type);
  }
}

// Nothing where there is none.
std::optional<TensorMap::Type> type_of(std::uint32_t code, bool rounds) {
  switch (static_cast<Code>(code)) {
    case Code::f32:
      return rounds ? TensorMap::Type::tf32 : TensorMap::Type::f32;
    case Code::f32_ftz:
      return rounds ? TensorMap::Type::tf32_ftz : TensorMap::Type::f32_ftz;
    case Code::f64:
      return TensorMap::Type::f64;
    case Code::bf16:
      return TensorMap::Type::bf16;
    default:
      if (code > static_cast<std::uint32_t>(Code::bf16)) return std::nullopt;
      return static_cast<TensorMap::Type>(code);
  }
}

constexpr unsigned stride_unit = 16;

// The NaN that fills what lies outside, whatever the type: an H200's.
constexpr std::uint64_t outside_nan = 0x7ff7'7ff7'7ff7'7ff7;

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
  columns_bits.put(words, map.columns ? 1 : 0);
  rank_bits.put(words, map.rank - 1);
  type_bits.put(words, code_of(map.type));
  rounding_bits.put(words, map.type >= TensorMap::Type::tf32 ? 1 : 0);
  interleave_bits.put(words, static_cast<unsigned>(map.interleave));
  swizzle_bits.put(words, static_cast<unsigned>(map.swizzle));
  fill_bits.put(words, map.fills_nan ? 1 : 0);
  promotion_bits.put(words, static_cast<unsigned>(map.promotion));
  std::uint32_t bytes = element_bytes(map.type);
  for (unsigned i = 0; i < map.rank; ++i) {
    size_bits(i).put(words, map.sizes[i] - 1);
    step_bits(i).put(words, map.steps[i] - 1U);
    if (i + 1 < map.rank) {
      stride_low(i).put(words, map.strides[i] / stride_unit);
      stride_high(i).put(words, (map.strides[i] / stride_unit) >> 32);
    }
    if (map.columns) continue;
    box_bits(i).put(words, map.box[i] - 1U);
    bytes *= map.box[i] / map.steps[i];
  }
  if (map.columns) {
    for (unsigned i = 0; i + 2 < map.rank; ++i) {
      lower_bits(map.rank, i).put(words, static_cast<std::uint16_t>(map.lower[i]));
      upper_bits(map.rank, i).put(words, static_cast<std::uint16_t>(map.upper[i]));
    }
    box_bits(0).put(words, map.channels - 1U);
    pixels_bits.put(words, map.pixels - 1U);
    bytes *= std::uint32_t{map.channels} * map.pixels;
  }
  bytes_bits.put(words, bytes);
  repeat_bits.put(words,
                  map.swizzle == TensorMap::Swizzle::none ? 16U : 128U << static_cast<unsigned>(map.swizzle));
  return words;
}

std::optional<TensorMap> decode(std::span<const std::uint32_t, TensorMap::words> words) {
  TensorMap map;
  map.address = (std::uint64_t{address_high.get(words)} << 32) | address_low.get(words);
  map.columns = columns_bits.get(words) != 0;
  map.rank = rank_bits.get(words) + 1;
  const auto type = type_of(type_bits.get(words), rounding_bits.get(words) != 0);
  map.interleave = static_cast<TensorMap::Interleave>(interleave_bits.get(words));
  map.swizzle = static_cast<TensorMap::Swizzle>(swizzle_bits.get(words));
  map.fills_nan = fill_bits.get(words) != 0;
  map.promotion = static_cast<TensorMap::Promotion>(promotion_bits.get(words));
  constexpr unsigned least_columns = 3;
  if (!type || map.rank > TensorMap::most_dimensions || map.interleave > TensorMap::Interleave::bytes32 ||
      (map.columns && map.rank < least_columns))
    return std::nullopt;
  map.type = *type;
  for (unsigned i = 0; i < map.rank; ++i) {
    map.sizes[i] = std::uint64_t{size_bits(i).get(words)} + 1;
    map.steps[i] = static_cast<std::uint16_t>(step_bits(i).get(words) + 1);
    if (i + 1 < map.rank)
      map.strides[i] =
          ((std::uint64_t{stride_high(i).get(words)} << 32) | stride_low(i).get(words)) * stride_unit;
    if (!map.columns) map.box[i] = static_cast<std::uint16_t>(box_bits(i).get(words) + 1);
  }
  if (!map.columns) return map;
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    map.lower[i] = signed_of(lower_bits(map.rank, i).get(words), corner_width(map.rank));
    map.upper[i] = signed_of(upper_bits(map.rank, i).get(words), corner_width(map.rank));
  }
  map.channels = static_cast<std::uint16_t>(box_bits(0).get(words) + 1);
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

unsigned swizzle_bytes(TensorMap::Swizzle swizzle) {
  return 16U << static_cast<unsigned>(swizzle);
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
  const unsigned size = element_bytes(map.type);
  for (std::size_t at = 0; at < bytes.size(); at += size) std::memcpy(bytes.data() + at, &outside_nan, size);
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
