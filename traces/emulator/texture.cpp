#include "traces/emulator/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "traces/emulator/float_format.h"

namespace warpgauge::emulator {
namespace {

constexpr std::uint64_t block_column_bytes = 64;
constexpr std::uint64_t block_row_bytes = 512;
constexpr unsigned rows_of_block = 8;
constexpr unsigned most_block_rows = 16;
constexpr unsigned one = 256;  // a weight

bool is_float_read(const Texture& t) {
  return t.image.format.kind == TexelFormat::Kind::float_ || t.sampler.normalized_values;
}

// Nothing where the border is.
constexpr std::int64_t outside = -1;

std::int64_t wrapped(std::int64_t i, std::int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::clamp:
      return std::clamp<std::int64_t>(i, 0, size - 1);
    case AddressMode::border:
      return i >= 0 && i < size ? i : outside;
    case AddressMode::wrap: {
      const std::int64_t m = i % size;
      return m < 0 ? m + size : m;
    }
    case AddressMode::mirror: {
      std::int64_t m = i % (2 * size);
      if (m < 0) m += 2 * size;
      return m < size ? m : 2 * size - 1 - m;
    }
  }
  return outside;
}

// Wrapping and mirroring are of normalized coordinates alone.
AddressMode mode_of(const Sampler& sampler, unsigned axis) {
  const AddressMode mode = sampler.modes[axis];
  const bool periodic = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return periodic && !sampler.normalized_coordinates ? AddressMode::clamp : mode;
}

// Texels at either side, and the weight of the second.
struct Side {
  std::int64_t first = 0;
  std::int64_t second = 0;
  unsigned weight = 0;
};

constexpr double farthest = 1e9;  // beyond any texture; what is no number is at zero
constexpr double normalized_steps = 1 << 21;  // a normalized coordinate is cut off to them

double in_texels(const Sampler& sampler, float coordinate, std::uint32_t size) {
  double x = std::isnan(coordinate) ? 0.0 : static_cast<double>(coordinate);
  if (sampler.normalized_coordinates) x = std::floor(x * normalized_steps) / normalized_steps * size;
  return std::clamp(x, -farthest, farthest);
}

Side nearest_side(const Sampler& sampler, float coordinate, std::uint32_t size, unsigned axis) {
  const auto i = static_cast<std::int64_t>(std::floor(in_texels(sampler, coordinate, size)));
  const std::int64_t texel = wrapped(i, size, mode_of(sampler, axis));
  return {texel, texel, 0};
}

// The place is rounded to 1/256 of a texel.
Side linear_side(const Sampler& sampler, float coordinate, std::uint32_t size, unsigned axis, bool weighted = true) {
  auto fixed = static_cast<std::int64_t>(std::floor(in_texels(sampler, coordinate, size) * one - one / 2.0 + 0.5));
  const AddressMode mode = mode_of(sampler, axis);
  if (weighted && mode == AddressMode::clamp) fixed = std::clamp<std::int64_t>(fixed, 0, (std::int64_t{size} - 1) * one);
  const std::int64_t i = fixed >> 8;
  return {wrapped(i, size, mode), wrapped(i + 1, size, mode), static_cast<unsigned>(fixed & 255)};
}

Side side_of(const Sampler& sampler, float coordinate, std::uint32_t size, unsigned axis, bool linear) {
  return linear ? linear_side(sampler, coordinate, size, axis) : nearest_side(sampler, coordinate, size, axis);
}

Footprint::Part part_at(const Image& image, std::int64_t x, std::int64_t y, std::int64_t z, unsigned weight) {
  Footprint::Part part;
  part.weight = static_cast<std::uint16_t>(weight);
  part.border = x == outside || y == outside || z == outside;
  if (!part.border)
    part.address = image.place(static_cast<std::uint64_t>(x) * image.format.bytes(), static_cast<std::uint32_t>(y),
                               static_cast<std::uint32_t>(z));
  return part;
}

std::uint32_t layer_of(const Image& image, std::uint32_t layer) {
  if (!image.layered && !image.cube) return 0;
  const std::uint32_t faces = image.cube ? 6 : 1;
  const std::uint32_t layers = std::max<std::uint32_t>(image.depth / faces, 1);
  return std::min(image.layered ? layer : 0U, layers - 1) * faces;
}

// A direction's face and the place in it (CUDA C++ Programming Guide, table "Cubemap Fetch").
struct Face {
  unsigned number = 0;
  float s = 0;
  float t = 0;
};

Face face_of(const std::array<float, 3>& d) {
  const float x = std::fabs(d[0]);
  const float y = std::fabs(d[1]);
  const float z = std::fabs(d[2]);
  if (x >= y && x >= z) return d[0] >= 0 ? Face{0, -d[2], -d[1]} : Face{1, d[2], -d[1]};
  if (y >= z) return d[1] >= 0 ? Face{2, d[0], d[2]} : Face{3, d[0], -d[2]};
  return d[2] >= 0 ? Face{4, d[0], -d[1]} : Face{5, -d[0], -d[1]};
}

// Products are rounded to 1/256, and what rounding leaves goes to the neighbour, so that all make one.
unsigned product(unsigned a, unsigned b) { return (a * b + one / 2) / one; }
unsigned product_or_less(unsigned a, unsigned b) { return (a * b + one / 2 - 1) / one; }  // of two equally near the smaller

void add_row(Footprint& f, const Image& image, const Side& x, std::int64_t y, std::int64_t z, unsigned first,
             unsigned second) {
  if (first != 0) f.add(part_at(image, x.first, y, z, first));
  if (second != 0) f.add(part_at(image, x.second, y, z, second));
}

// A square that weighs `all` together: a column of it is what x has of it, and y divides both columns.
void add_slab(Footprint& f, const Image& image, const Side& x, const Side& y, std::int64_t z, unsigned all) {
  const unsigned right = product(all, x.weight);
  const unsigned left = all - right;
  const unsigned below_right = product(right, y.weight);
  const unsigned below_left = product_or_less(left, y.weight);
  add_row(f, image, x, y.first, z, left - below_left, right - below_right);
  add_row(f, image, x, y.second, z, below_left, below_right);
}

void add_square(Footprint& f, const Image& image, const Side& x, const Side& y, std::int64_t z) {
  add_slab(f, image, x, y, z, one);
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace

unsigned Image::block_rows() const {
  const unsigned rows = (height + rows_of_block - 1) / rows_of_block;
  return std::min(std::bit_ceil(std::max(rows, 1U)), most_block_rows);
}

std::uint64_t Image::block_columns() const {
  return (std::uint64_t{width} * format.bytes() + block_column_bytes - 1) / block_column_bytes;
}

std::uint64_t Image::plane_bytes() const {
  const std::uint64_t rows = block_rows();
  const std::uint64_t high = (height + rows_of_block * rows - 1) / (rows_of_block * rows);
  return block_columns() * high * rows * block_row_bytes;
}

std::uint64_t Image::bytes() const {
  switch (layout) {
    case Layout::buffer:
      return std::uint64_t{width} * format.bytes();
    case Layout::pitched:
      return pitch * (height - 1) + std::uint64_t{width} * format.bytes();
    case Layout::blocks:
      break;
  }
  return plane_bytes() * depth;
}

DeviceAddress Image::place(std::uint64_t x_byte, std::uint32_t y, std::uint32_t z) const {
  if (layout == Layout::buffer) return address + x_byte;
  if (layout == Layout::pitched) return address + y * pitch + x_byte;
  const unsigned rows = block_rows();
  const std::uint64_t block = std::uint64_t{y / (rows_of_block * rows)} * block_columns() + x_byte / block_column_bytes;
  const std::uint64_t in_block = (block * rows + y / rows_of_block % rows) * block_row_bytes;
  const std::uint64_t x = x_byte % block_column_bytes;
  const unsigned row = y % rows_of_block;
  const std::uint64_t half = (x / 16 ^ row / 4) & 1U;
  const std::uint64_t in_row = x / 32 * 256 + row / 2 * 64 + half * 32 + row % 2 * 16 + x % 16;
  return address + z * plane_bytes() + in_block + in_row;
}

std::uint64_t TextureTable::add(const Texture& texture) {
  auto kept = std::make_unique<Texture>(texture);
  const auto free = std::find(entries_.begin(), entries_.end(), nullptr);
  if (free != entries_.end()) {
    *free = std::move(kept);
    return static_cast<std::uint64_t>(free - entries_.begin()) + 1;
  }
  entries_.push_back(std::move(kept));
  return entries_.size();
}

bool TextureTable::remove(std::uint64_t handle) {
  if (find(handle) == nullptr) return false;
  entries_[(handle & 0xfffffU) - 1].reset();
  return true;
}

Footprint footprint(const Texture& t, const std::array<float, 3>& at, std::uint32_t layer) {
  const Image& image = t.image;
  const bool linear = t.sampler.linear && is_float_read(t);
  const std::uint32_t z = layer_of(image, layer);
  Footprint f;
  if (image.cube) {
    const Face face = face_of(at);
    Sampler of_face;
    of_face.normalized_coordinates = true;
    add_square(f, image, side_of(of_face, (face.s + 1) / 2, image.width, 0, linear),
               side_of(of_face, (face.t + 1) / 2, image.height, 1, linear), z + face.number);
    return f;
  }
  const Side x = side_of(t.sampler, at[0], image.width, 0, linear);
  // One row is one of height 1 at y = 0, half of which is outside: a border shows there.
  if (image.dimensions == 1 && image.layered) {
    add_row(f, image, x, 0, z, one - x.weight, x.weight);
    return f;
  }
  const Side y = side_of(t.sampler, at[1], image.height, 1, linear);
  if (image.dimensions <= 2) {
    add_square(f, image, x, y, z);
    return f;
  }
  const Side depth = side_of(t.sampler, at[2], image.depth, 2, linear);
  add_slab(f, image, x, y, depth.first, one - depth.weight);
  add_slab(f, image, x, y, depth.second, depth.weight);
  return f;
}

Footprint texel_at(const Texture& t, const std::array<std::int32_t, 3>& at, std::uint32_t layer) {
  const Image& image = t.image;
  const auto inside = [](std::int32_t i, std::uint32_t size) {
    return i >= 0 && static_cast<std::uint32_t>(i) < size ? std::int64_t{i} : outside;
  };
  const std::int64_t y = image.dimensions >= 2 ? inside(at[1], image.height) : 0;
  const std::int64_t z = image.dimensions >= 3 ? inside(at[2], image.depth) : layer_of(image, layer);
  Footprint f;
  f.add(part_at(image, inside(at[0], image.width), y, z, one));
  return f;
}

Footprint gather(const Texture& t, const std::array<float, 3>& at, std::uint32_t layer) {
  const Image& image = t.image;
  const std::uint32_t z = layer_of(image, layer);
  const Side x = linear_side(t.sampler, at[0], image.width, 0, false);
  const Side y = linear_side(t.sampler, at[1], image.height, 1, false);
  Footprint f;
  f.add(part_at(image, x.first, y.second, z, one));
  f.add(part_at(image, x.second, y.second, z, one));
  f.add(part_at(image, x.second, y.first, z, one));
  f.add(part_at(image, x.first, y.first, z, one));
  return f;
}

namespace {

// Integers of a filtered fetch have sixteen bits: those of eight are repeated.
std::int32_t widened(const TexelFormat& format, std::uint32_t raw) {
  if (format.kind == TexelFormat::Kind::unsigned_)
    return static_cast<std::int32_t>(format.channel_bytes == 1 ? raw * 257 : raw);
  const auto value = static_cast<std::int32_t>(raw);
  if (format.channel_bytes == 2) return value;
  const std::int32_t magnitude = std::abs(value);
  const std::int32_t wide = magnitude << 8 | magnitude << 1 | magnitude >> 6;
  return value < 0 ? -wide : wide;
}

double most_of(const TexelFormat& format, unsigned bytes) {
  return format.kind == TexelFormat::Kind::signed_ ? (1U << (bytes * 8 - 1)) - 1 : (1U << (bytes * 8)) - 1;
}

float normalized(const TexelFormat& format, std::int32_t value, unsigned bytes) {
  return static_cast<float>(std::max(-1.0, value / most_of(format, bytes)));
}

bool filters_integers(const Texture& t) {
  return t.sampler.linear && t.sampler.normalized_values && t.image.format.kind != TexelFormat::Kind::float_;
}

// To the nearest float, and half away from zero.
float nearest_float(double value) {
  const auto even = static_cast<float>(value);
  const double off = value - even;
  if (off == 0) return even;
  const float beyond = std::nextafterf(even, value > 0 ? INFINITY : -INFINITY);
  return std::fabs(value - beyond) == std::fabs(off) ? beyond : even;
}

}  // namespace

Texel unpack(const Texture& t, const std::byte* bytes, bool for_filter) {
  const TexelFormat& format = t.image.format;
  const bool floats = format.kind == TexelFormat::Kind::float_;
  const bool integers = for_filter && filters_integers(t);
  Texel texel{0, 0, 0, is_float_read(t) ? bits_of(1.0F) : 1U};
  if (integers) texel[3] = static_cast<std::uint32_t>(most_of(format, 2));
  for (unsigned c = 0; c < format.channels; ++c) {
    std::uint32_t raw = 0;
    std::memcpy(&raw, bytes + std::size_t{c} * format.channel_bytes, format.channel_bytes);
    const unsigned bits = format.channel_bytes * 8U;
    const bool negative = format.kind == TexelFormat::Kind::signed_ && bits < 32 && (raw >> (bits - 1) & 1U) != 0;
    if (negative) raw |= ~0U << bits;
    if (floats) {
      texel[c] = format.channel_bytes == 2 ? bits_of(half_to_float(raw)) : raw;
    } else if (integers) {
      texel[c] = static_cast<std::uint32_t>(widened(format, raw));
    } else {
      texel[c] = t.sampler.normalized_values ? bits_of(normalized(format, static_cast<std::int32_t>(raw), format.channel_bytes)) : raw;
    }
  }
  return texel;
}

Texel border_of(const Texture& t, bool for_filter) {
  const TexelFormat& format = t.image.format;
  Texel texel{};
  for (unsigned c = 0; c < 4; ++c) {
    if (format.kind == TexelFormat::Kind::float_ || !t.sampler.normalized_values) {
      texel[c] = bits_of(t.sampler.border[c]);
      continue;
    }
    // The nearest that the format has, of two the smaller.
    const double most = most_of(format, format.channel_bytes);
    const double least = format.kind == TexelFormat::Kind::signed_ ? -most : 0;
    const auto value = static_cast<std::int32_t>(std::ceil(std::clamp<double>(t.sampler.border[c] * most, least, most) - 0.5));
    texel[c] = for_filter && filters_integers(t)
                   ? static_cast<std::uint32_t>(widened(format, static_cast<std::uint32_t>(value)))
                   : bits_of(normalized(format, value, format.channel_bytes));
  }
  return texel;
}

Texel filtered(const Texture& t, const Footprint& f, const Texel* texels) {
  if (!is_float_read(t)) return texels[0];
  const bool integers = filters_integers(t);
  if (f.count == 1 && !integers) return texels[0];
  Texel result{};
  for (unsigned c = 0; c < 4; ++c) {
    double sum = 0;
    for (unsigned i = 0; i < f.count; ++i) {
      const double value = integers ? static_cast<double>(static_cast<std::int32_t>(texels[i][c]))
                                    : static_cast<double>(std::bit_cast<float>(texels[i][c]));
      sum += f.parts[i].weight * value;
    }
    sum /= one;
    result[c] = bits_of(integers ? normalized(t.image.format, static_cast<std::int32_t>(std::floor(sum + 0.5)), 2) : nearest_float(sum));
  }
  return result;
}

}  // namespace warpgauge::emulator
