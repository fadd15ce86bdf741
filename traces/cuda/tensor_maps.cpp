#include "traces/cuda/tensor_maps.h"

#include <cstring>

#include "traces/cuda/guard.h"
#include "traces/emulator/tensor_map.h"

namespace warpgauge::cuda {
namespace {

using emulator::TensorMap;

void valid(bool condition) {
  require(condition, Error::invalid_value);
}

template <class Enum>
Enum enumerator(int value, Enum last) {
  valid(value >= 0 && value <= static_cast<int>(last));
  return static_cast<Enum>(value);
}

constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;
constexpr std::uint64_t stride_limit = std::uint64_t{1} << 40;
constexpr std::uint64_t address_limit = std::uint64_t{1} << 57;
constexpr std::uint32_t most_steps = 8;
constexpr std::uint32_t most_box = 256;
constexpr std::uint32_t most_channels = 256;
constexpr std::uint32_t most_pixels = 1024;
constexpr unsigned plain_alignment = 16;
constexpr unsigned wide_alignment = 32;

void check_map(const void* map) {
  valid(map != nullptr && reinterpret_cast<std::uintptr_t>(map) % TensorMap::alignment == 0);
}

void store(void* map, const TensorMap& value) {
  const emulator::TensorMapWords words = emulator::encode(value);
  static_assert(sizeof words == tensor_map_bytes);
  std::memcpy(map, words.data(), sizeof words);
}

TensorMap described(const TensorDescription& tensor, unsigned least_rank) {
  TensorMap map;
  map.type = enumerator(tensor.type, TensorMap::Type::tf32_ftz);
  map.interleave = enumerator(tensor.interleave, TensorMap::Interleave::bytes32);
  map.swizzle = enumerator(tensor.swizzle, TensorMap::Swizzle::bytes128);
  map.promotion = enumerator(tensor.promotion, TensorMap::Promotion::bytes256);
  map.fills_nan = enumerator(tensor.fill, 1) == 1;
  valid(!map.fills_nan || is_float(map.type));
  const bool sliced = map.interleave != TensorMap::Interleave::none;
  const bool wide = map.interleave == TensorMap::Interleave::bytes32;
  constexpr unsigned least_sliced_rank = 3;
  valid(tensor.rank >= least_rank && tensor.rank <= TensorMap::most_dimensions);
  valid(!sliced || tensor.rank >= least_sliced_rank);
  map.rank = tensor.rank;
  const unsigned alignment = wide ? wide_alignment : plain_alignment;
  map.address = reinterpret_cast<std::uint64_t>(tensor.address);
  valid(map.address % alignment == 0 && map.address < address_limit);
  // A vector has no strides, and yet a driver wants to be told where they would be.
  valid(tensor.sizes != nullptr && tensor.steps != nullptr && tensor.strides != nullptr);
  for (unsigned i = 0; i < map.rank; ++i) {
    map.sizes[i] = tensor.sizes[i];
    valid(map.sizes[i] != 0 && map.sizes[i] <= most_elements);
    valid(tensor.steps[i] != 0 && tensor.steps[i] <= most_steps);
    map.steps[i] = static_cast<std::uint16_t>(tensor.steps[i]);
    if (i + 1 == map.rank) continue;
    map.strides[i] = tensor.strides[i];
    valid(map.strides[i] % alignment == 0 && map.strides[i] < stride_limit);
  }
  return map;
}

// `elements` lie side by side in shared memory. An H200's driver asks for whole 16 bytes where channels are
// sliced too, for a copy that a block's shared memory can hold, and for no special swizzle of slices of 32
// bytes.
void check_shared(const TensorMap& map, std::uint32_t elements) {
  constexpr std::uint32_t most_shared = 227U << 10;
  const std::uint32_t bytes = elements * element_bytes(map.type);
  valid(bytes % plain_alignment == 0 && emulator::shared_bytes(map) <= most_shared);
  if (map.interleave != TensorMap::Interleave::none || map.swizzle == TensorMap::Swizzle::none) return;
  valid(bytes <= emulator::swizzle_bytes(map.swizzle));
}

}  // namespace

void encode_boxes(void* map, const TensorDescription& tensor, const std::uint32_t* box) {
  check_map(map);
  TensorMap made = described(tensor, 1);
  valid(box != nullptr);
  for (unsigned i = 0; i < made.rank; ++i) {
    valid(box[i] != 0 && box[i] <= most_box);
    made.box[i] = static_cast<std::uint16_t>(box[i]);
  }
  check_shared(made, box[0]);
  store(map, made);
}

void encode_columns(void* map, const TensorDescription& tensor, const int* lower, const int* upper,
                    std::uint32_t channels, std::uint32_t pixels) {
  check_map(map);
  constexpr unsigned least_rank = 3;
  TensorMap made = described(tensor, least_rank);
  made.columns = true;
  valid(lower != nullptr && upper != nullptr);
  valid(channels != 0 && channels <= most_channels && pixels != 0 && pixels <= most_pixels);
  constexpr int limits[TensorMap::most_dimensions + 1] = {0, 0, 0, 32768, 128, 16};
  const int limit = limits[made.rank];
  // Corners in the order of dimensions, as the sizes are: width first.
  const unsigned spatial = made.rank - 2;
  for (unsigned i = 0; i < spatial; ++i) {
    valid(lower[i] >= -limit && lower[i] < limit && upper[i] >= -limit && upper[i] < limit);
    made.lower[i] = static_cast<std::int16_t>(lower[i]);
    made.upper[i] = static_cast<std::int16_t>(upper[i]);
    valid(static_cast<std::int64_t>(made.sizes[i + 1]) + upper[i] > lower[i]);
  }
  made.channels = static_cast<std::uint16_t>(channels);
  made.pixels = static_cast<std::uint16_t>(pixels);
  check_shared(made, channels);
  store(map, made);
}

void replace_address(void* map, void* address) {
  check_map(map);
  emulator::TensorMapWords words;
  std::memcpy(words.data(), map, sizeof words);
  auto made = emulator::decode(words);
  valid(made.has_value());
  made->address = reinterpret_cast<std::uint64_t>(address);
  valid(made->address %
            (made->interleave == TensorMap::Interleave::bytes32 ? wide_alignment : plain_alignment) ==
        0);
  store(map, *made);
}

}  // namespace warpgauge::cuda
