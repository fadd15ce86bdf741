// How texture and surface instructions' micro-ops are filled: a has the first coordinates, b those that follow, c the
// handle, d what a surface store writes; mode TextureOperation, mode2 TextureShape or SurfaceShape, mode3 a gather's component
// or a SurfaceBounds, bytes which of the four components are wanted, extra how many words `a` has, extra2 which word of b
// follows them.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {

enum class TextureOperation : std::uint8_t { filter, texel, gather };

// As instructions have it in bits 61 to 63.
enum class TextureShape : std::uint8_t { d1, d2, d3, cube, array_1d, array_2d, invalid, array_cube };

constexpr bool has_layer(TextureShape shape) { return shape >= TextureShape::array_1d; }
constexpr unsigned coordinates_of(TextureShape shape) {
  switch (shape) {
    case TextureShape::d1:
    case TextureShape::array_1d:
      return 1;
    case TextureShape::d2:
    case TextureShape::array_2d:
      return 2;
    default:
      return 3;
  }
}

// As the modifier texture_shape has it.
enum class SurfaceShape : std::uint8_t { d1, buffer, array_1d, d2, array_2d, d3 };

constexpr unsigned words_of(SurfaceShape shape) {
  switch (shape) {
    case SurfaceShape::d1:
    case SurfaceShape::buffer:
      return 1;
    case SurfaceShape::array_1d:
    case SurfaceShape::d2:
      return 2;
    default:
      return 3;
  }
}

// What becomes of lanes outside: they read zeros and write nothing, go to the nearest texel, or fault.
enum class SurfaceBounds : std::uint8_t { ignore, clamp, trap };

}  // namespace warpgauge::emulator
