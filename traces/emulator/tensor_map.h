// Tensor maps: what Hopper's bulk copies are told of a tensor in device memory, in 128 bytes that a program
// hands round.
//
// Where things lie in them is what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col gave on an H200
// (CUDA 13.0) for 209 descriptions that differ in one thing each; `tensormap.replace` as ptxas compiles it
// agrees.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace warpgauge::emulator {

struct TensorMap {
  static constexpr unsigned words = 32;
  static constexpr unsigned alignment = 64;  // in memory, of a map
  static constexpr unsigned most_dimensions = 5;

  // In CUtensorMapDataType's order, as far as sm_90 has them.
  enum class Type : std::uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz
  };
  // Channels in slices of so many bytes, which is not carried out.
  enum class Interleave : std::uint8_t { none, bytes16, bytes32 };
  // Bytes within which 16-byte pieces of shared memory are exchanged.
  enum class Swizzle : std::uint8_t { none, bytes32, bytes64, bytes128 };
  enum class Promotion : std::uint8_t { none, bytes64, bytes128, bytes256 };  // what the L2 fetches at once

  bool columns = false;  // "im2col": pixels of a picture's columns in place of a box
  Type type = Type::u8;
  Interleave interleave = Interleave::none;
  Swizzle swizzle = Swizzle::none;
  Promotion promotion = Promotion::none;
  bool fills_nan = false;  // what lies outside is NaN, not zero
  unsigned rank = 1;       // dimensions; the first one's elements lie side by side
  std::uint64_t address = 0;
  std::array<std::uint64_t, most_dimensions> sizes{};  // elements
  std::array<std::uint64_t, most_dimensions - 1>
      strides{};                                       // bytes, of the second dimension and those that follow
  std::array<std::uint16_t, most_dimensions> steps{};  // elements from one that is copied to the next, 1 to 8
  // Of a box: elements that it spans, 1 to 256, whatever the steps.
  std::array<std::uint16_t, most_dimensions> box{};
  // Of columns: by how much the corners of where pixels begin lie off the picture's; width, height, depth.
  std::array<std::int16_t, 3> lower{};
  std::array<std::int16_t, 3> upper{};
  std::uint16_t channels = 0;  // of a pixel that are copied, 1 to 256
  std::uint16_t pixels = 0;    // 1 to 1,024

  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

using TensorMapWords = std::array<std::uint32_t, TensorMap::words>;

TensorMapWords encode(const TensorMap& map);
// Nothing where no map has these words.
std::optional<TensorMap> decode(std::span<const std::uint32_t, TensorMap::words> words);

unsigned element_bytes(TensorMap::Type type);
bool is_float(TensorMap::Type type);

// Elements along a dimension of a box that are copied.
unsigned copied_elements(const TensorMap& map, unsigned dimension);
// That a box, or the pixels of columns, take in shared memory.
std::uint32_t shared_bytes(const TensorMap& map);

// Rows of shared memory are that far apart where they are swizzled; of none, 16, which is no distance.
unsigned swizzle_bytes(TensorMap::Swizzle swizzle);

// Where the byte at `offset` in shared memory lies once pieces have been exchanged: bits 4 to 6 of an address
// are changed by bits 7 to 9 (PTX ISA, "Swizzling modes").
std::uint32_t swizzled(TensorMap::Swizzle swizzle, std::uint32_t offset);

// The number that stands outside, or a value as the copy of this type leaves it, for `bytes` bytes of
// elements.
void fill_outside(const TensorMap& map, std::span<std::byte> bytes);
void convert_loaded(TensorMap::Type type, std::span<std::byte> bytes);

}  // namespace warpgauge::emulator
