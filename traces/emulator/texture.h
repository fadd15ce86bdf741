// Textures and surfaces: memory with a shape, and how it is read.
//
// What a fetch computes follows the CUDA C++ Programming Guide, "Texture Fetching"; where that leaves bits open
// (rounding of weights and sums) it is what an H100 gave for 245 sets of 4,096 fetches (docs/emulator.md, "Textures").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "traces/emulator/driver_layout.h"

namespace warpgauge::emulator {

// One texel: 1, 2 or 4 channels of 1, 2 or 4 bytes.
struct TexelFormat {
  enum class Kind : std::uint8_t { signed_, unsigned_, float_ };
  std::uint8_t channels = 1;
  std::uint8_t channel_bytes = 4;
  Kind kind = Kind::float_;
  [[nodiscard]] unsigned bytes() const { return unsigned{channels} * channel_bytes; }
  friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

// Memory with a shape. Arrays lie in blocks: 512 bytes hold 64 bytes of eight rows, in which a sector is 16 bytes of two
// rows and a line 32 bytes of four; up to sixteen of them are one above the other, and such blocks side by side. (Sectors
// and lines as an H200 counts them for fetches along rows, columns and diagonals; the order within 512 bytes is the one
// that envytools' documentation gives for earlier cards, with the halves of every second line's rows exchanged, as fetches
// of columns meet at the banks of the data array.)
struct Image {
  enum class Layout : std::uint8_t { buffer, pitched, blocks };
  DeviceAddress address = 0;
  TexelFormat format;
  Layout layout = Layout::buffer;
  std::uint8_t dimensions = 1;  // of what is filtered: 1, 2 or 3
  bool layered = false;         // `depth` counts layers
  bool cube = false;            // six layers are one
  std::uint32_t width = 1;      // texels
  std::uint32_t height = 1;
  std::uint32_t depth = 1;      // planes or layers
  std::uint64_t pitch = 0;      // bytes from row to row; of pitched memory

  // Of a byte of a row.
  [[nodiscard]] DeviceAddress place(std::uint64_t x_byte, std::uint32_t y, std::uint32_t z) const;
  // What it takes of memory.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  [[nodiscard]] unsigned block_rows() const;  // of eight texel rows each
  [[nodiscard]] std::uint64_t block_columns() const;
  [[nodiscard]] std::uint64_t plane_bytes() const;
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct Sampler {
  std::array<AddressMode, 3> modes{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool linear = false;                  // else the nearest texel
  bool normalized_coordinates = false;  // 0 to 1 for the whole width
  bool normalized_values = false;       // integers of up to two bytes are read as floats of 0 to 1 or -1 to 1
  std::array<float, 4> border{};
};

struct Texture {
  Image image;
  Sampler sampler;
};

// Handles as kernels have them, in the lower 20 bits; 0 is none.
class TextureTable {
 public:
  std::uint64_t add(const Texture& texture);
  // False when there is none.
  bool remove(std::uint64_t handle);
  [[nodiscard]] const Texture* find(std::uint64_t handle) const {
    const std::uint64_t index = handle & 0xfffffU;
    return index != 0 && index <= entries_.size() ? entries_[index - 1].get() : nullptr;
  }

 private:
  std::vector<std::unique_ptr<Texture>> entries_;
};

// Four values as a fetch returns them: floats, or integers' bits.
using Texel = std::array<std::uint32_t, 4>;

// The texels that one lane's fetch reads, and what each counts.
struct Footprint {
  static constexpr unsigned most = 8;
  struct Part {
    bool border = false;
    std::uint16_t weight = 256;  // of 256
    DeviceAddress address = 0;   // where it is not border
  };
  std::uint8_t count = 0;
  std::array<Part, most> parts;
  void add(const Part& part) { parts[count++] = part; }
};

// `at`: coordinates x, y, z; of a cube the direction, of which one component is 1 or -1. `layer` is clamped.
Footprint footprint(const Texture& texture, const std::array<float, 3>& at, std::uint32_t layer);
// A fetch by integers of one texel of a buffer or an array; outside it gives zeros. TLD.
Footprint texel_at(const Texture& texture, const std::array<std::int32_t, 3>& at, std::uint32_t layer);
// The four texels around a place, none weighted, in the order in which a gather gives them.
Footprint gather(const Texture& texture, const std::array<float, 3>& at, std::uint32_t layer);

// The bytes of a texel as a fetch gives them, or as filtered() takes them; channels that it lacks are 0, 0 and 1.
Texel unpack(const Texture& texture, const std::byte* bytes, bool for_filter);
Texel border_of(const Texture& texture, bool for_filter);
// Of texels of a footprint, each as unpack() gives it for a filter.
Texel filtered(const Texture& texture, const Footprint& footprint, const Texel* texels);

}  // namespace warpgauge::emulator
