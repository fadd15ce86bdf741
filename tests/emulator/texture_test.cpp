// Shapes of memory that textures read, and what of it a fetch weighs.
#include "traces/emulator/texture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace warpgauge::emulator {
namespace {

Image image_of(unsigned width, unsigned height, unsigned depth, unsigned channels = 1, unsigned bytes = 4) {
  Image image;
  image.address = 1U << 20;
  image.format = {static_cast<std::uint8_t>(channels), static_cast<std::uint8_t>(bytes), TexelFormat::Kind::float_};
  image.layout = Image::Layout::blocks;
  image.dimensions = depth > 1 ? 3 : height > 1 ? 2 : 1;
  image.width = width;
  image.height = height;
  image.depth = depth;
  return image;
}

TEST(TextureImage, EveryTexelOfAnArrayHasAPlaceOfItsOwnInsideIt) {
  for (const auto& [w, h, d, channels, bytes] :
       {std::array{37, 23, 1, 1, 4}, {1, 1, 1, 4, 4}, {64, 1, 1, 1, 1}, {17, 300, 1, 2, 2}, {33, 9, 5, 4, 1}}) {
    const Image image = image_of(static_cast<unsigned>(w), static_cast<unsigned>(h), static_cast<unsigned>(d),
                                 static_cast<unsigned>(channels), static_cast<unsigned>(bytes));
    std::set<DeviceAddress> places;
    for (unsigned z = 0; z < image.depth; ++z)
      for (unsigned y = 0; y < image.height; ++y)
        for (unsigned x = 0; x < image.width; ++x) {
          const DeviceAddress place = image.place(std::uint64_t{x} * image.format.bytes(), y, z);
          EXPECT_GE(place, image.address);
          EXPECT_LE(place + image.format.bytes(), image.address + image.bytes());
          EXPECT_EQ(place % image.format.bytes(), 0U);
          EXPECT_TRUE(places.insert(place).second);
        }
  }
}

// As an H200 counts them: by_hand_h200.json, textures_that_hit.
TEST(TextureImage, ASectorIsSixteenBytesOfTwoRowsAndALineThirtyTwoOfFour) {
  const Image image = image_of(64, 64, 1);
  const auto parts = [&](unsigned columns, unsigned rows, unsigned bytes) {
    std::set<DeviceAddress> found;
    for (unsigned y = 0; y < rows; ++y)
      for (unsigned x = 0; x < columns; ++x) found.insert(image.place(x * 4, y, 0) / bytes);
    return found.size();
  };
  EXPECT_EQ(parts(4, 2, 32), 1U);
  EXPECT_EQ(parts(8, 1, 32), 2U);
  EXPECT_EQ(parts(1, 8, 32), 4U);
  EXPECT_EQ(parts(8, 4, 128), 1U);
  EXPECT_EQ(parts(16, 4, 128), 2U);
  EXPECT_EQ(parts(8, 8, 128), 2U);
}

TEST(TextureFilter, WeightsOfAnyPlaceMakeOne) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> at(-3, 40);
  for (const Image& image : {image_of(37, 1, 1), image_of(37, 23, 1), image_of(17, 11, 9)}) {
    for (const bool normalized : {false, true}) {
      for (const AddressMode mode : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
        Texture t{image, {}};
        t.sampler.modes = {mode, mode, mode};
        t.sampler.linear = true;
        t.sampler.normalized_coordinates = normalized;
        for (int i = 0; i < 200; ++i) {
          const Footprint f = footprint(t, {at(random), at(random), at(random)}, 0);
          unsigned sum = 0;
          for (unsigned p = 0; p < f.count; ++p) sum += f.parts[p].weight;
          ASSERT_EQ(sum, 256U);
          ASSERT_LE(f.count, Footprint::most);
        }
      }
    }
  }
}

// Which texel of a row of eight the nearest is.
int nearest(AddressMode mode, bool normalized, float x) {
  Texture t{image_of(8, 1, 1), {}};
  t.sampler.modes = {mode, mode, mode};
  t.sampler.normalized_coordinates = normalized;
  const Footprint f = footprint(t, {x, 0, 0}, 0);
  if (f.parts[0].border) return -1;
  for (unsigned i = 0; i < 8; ++i)
    if (t.image.place(i * 4, 0, 0) == f.parts[0].address) return static_cast<int>(i);
  return -2;
}

TEST(TextureFilter, PlacesOutsideAreAtTheEdgeOrInARepetitionOrOutside) {
  EXPECT_EQ(nearest(AddressMode::clamp, false, -5), 0);
  EXPECT_EQ(nearest(AddressMode::clamp, false, 7.99F), 7);
  EXPECT_EQ(nearest(AddressMode::clamp, false, 1e30F), 7);
  EXPECT_EQ(nearest(AddressMode::border, false, -0.01F), -1);
  EXPECT_EQ(nearest(AddressMode::border, false, 8), -1);
  EXPECT_EQ(nearest(AddressMode::wrap, true, 1.3F), 2);
  EXPECT_EQ(nearest(AddressMode::wrap, true, -0.1F), 7);
  EXPECT_EQ(nearest(AddressMode::mirror, true, 1.1F), 7);
  EXPECT_EQ(nearest(AddressMode::mirror, true, -0.2F), 1);
  EXPECT_EQ(nearest(AddressMode::wrap, false, 9), 7) << "of coordinates in texels wrapping is clamping";
}

TEST(TextureFilter, HalfwayBetweenTwoTexelsIsTheirMean) {
  Texture t{image_of(8, 1, 1), {}};
  t.sampler.linear = true;
  const Footprint f = footprint(t, {4.0F, 0, 0}, 0);
  std::array<Texel, Footprint::most> texels{};
  float sum = 0;
  for (unsigned p = 0; p < f.count; ++p) {
    const float value = f.parts[p].address == t.image.place(12, 0, 0) ? 1.0F : 2.0F;
    std::memcpy(texels[p].data(), &value, sizeof value);
    sum += f.parts[p].weight * value;
  }
  EXPECT_EQ(sum, 384.0F);
  float result = 0;
  const Texel out = filtered(t, f, texels.data());
  std::memcpy(&result, out.data(), sizeof result);
  EXPECT_EQ(result, 1.5F);
}

// Weights of the second texel of two as an H200 has them, at the edge of two.
TEST(TextureFilter, ANormalizedCoordinateIsCutOff) {
  const auto weight = [](unsigned size, std::uint32_t bits) {
    Texture t{image_of(size, 1, 1), {}};
    t.sampler.linear = true;
    t.sampler.normalized_coordinates = true;
    float at = 0;
    std::memcpy(&at, &bits, sizeof at);
    const Footprint f = footprint(t, {at, 0, 0}, 0);
    unsigned odd = 0;
    for (unsigned p = 0; p < f.count; ++p)
      for (unsigned i = 1; i < size; i += 2)
        if (f.parts[p].address == t.image.place(i * 4, 0, 0)) odd += f.parts[p].weight;
    return odd;
  };
  EXPECT_EQ(weight(37, 0x3f68cc1e), 219U);
  EXPECT_EQ(weight(37, 0x3e01c8b7), 48U);
  EXPECT_EQ(weight(37, 0x3efc3e49), 70U);
  EXPECT_EQ(weight(37, 0x3f56a984), 134U);
  EXPECT_EQ(weight(100, 0x3e64bd73), 42U);
  EXPECT_EQ(weight(100, 0x3ec2bae1), 120U);
  EXPECT_EQ(weight(100, 0x3e422e17), 118U);
  EXPECT_EQ(weight(100, 0x3eb4b0a7), 202U);
}

// Weights of a volume's eight texels, x first, then y, then z.
std::array<unsigned, 8> weights_in_volume(unsigned x, unsigned y, unsigned z) {
  Texture t{image_of(4, 4, 4), {}};
  t.sampler.linear = true;
  const auto place = [](unsigned weight) { return 1.5F + static_cast<float>(weight) / 256; };
  const Footprint f = footprint(t, {place(x), place(y), place(z)}, 0);
  std::array<unsigned, 8> weights{};
  for (unsigned p = 0; p < f.count; ++p)
    for (unsigned i = 0; i < 8; ++i)
      if (f.parts[p].address == t.image.place((1 + i % 2) * 4, 1 + i / 2 % 2, 1 + i / 4)) weights[i] = f.parts[p].weight;
  return weights;
}

TEST(TextureFilter, HalvesOfAVolumeAreDividedAsASquareIs) {
  EXPECT_EQ(weights_in_volume(128, 128, 0), (std::array{64U, 64U, 64U, 64U, 0U, 0U, 0U, 0U}));
  EXPECT_EQ(weights_in_volume(128, 128, 1), (std::array{64U, 64U, 63U, 64U, 0U, 0U, 0U, 1U}));
  EXPECT_EQ(weights_in_volume(128, 64, 1), (std::array{95U, 96U, 32U, 32U, 0U, 1U, 0U, 0U}));
  EXPECT_EQ(weights_in_volume(64, 128, 6), (std::array{94U, 31U, 93U, 32U, 2U, 1U, 2U, 1U}));
}

// What a program's random numbers fill a texture with, and how it adds up its results.
class Numbers {
 public:
  float next(double most) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<float>(most * (static_cast<std::uint32_t>(state_ >> 16) >> 8) / 16777216.0);
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

std::array<float, 4> fetched(const Texture& t, const std::vector<float>& texels, const std::array<float, 3>& at) {
  const Footprint f = footprint(t, at, 0);
  std::array<Texel, Footprint::most> found{};
  for (unsigned p = 0; p < f.count; ++p)
    std::memcpy(found[p].data(), texels.data() + (f.parts[p].address - t.image.address) / sizeof(float),
                t.image.format.bytes());
  const Texel out = filtered(t, f, found.data());
  std::array<float, 4> values{};
  std::memcpy(values.data(), out.data(), sizeof out);
  return values;
}

Texture clamped(const Image& image) {
  Texture t{image, {}};
  t.sampler.modes = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  t.sampler.linear = true;
  t.sampler.normalized_coordinates = true;
  return t;
}

// 16,000 rays through a volume of 64^3, each sample coloured by a row of 64: an H200's sum is 164751.94. Other ways to
// round the weights of a volume change its sixth to eighth digit.
TEST(TextureFilter, RaysThroughAVolumeHaveTheSumOfAnH200) {
  constexpr unsigned size = 64;
  constexpr unsigned width = 160;
  constexpr unsigned height = 100;
  constexpr unsigned samples = 80;
  Numbers numbers;
  for (unsigned i = 0; i < 400 * 300; ++i) numbers.next(1);  // another texture's
  const Texture volume = clamped(image_of(size, size, size));
  const Texture colours = clamped(image_of(size, 1, 1, 4));
  std::vector<float> in_volume(volume.image.bytes() / sizeof(float));
  std::vector<float> in_row(colours.image.bytes() / sizeof(float));
  const auto fill = [&](const Image& image, std::vector<float>& texels, double most) {
    for (unsigned z = 0; z < image.depth; ++z)
      for (unsigned y = 0; y < image.height; ++y)
        for (unsigned x = 0; x < image.width * image.format.channels; ++x)
          texels[(image.place(x * sizeof(float), y, z) - image.address) / sizeof(float)] = numbers.next(most);
  };
  fill(volume.image, in_volume, .8);
  fill(colours.image, in_row, 1);
  double sum = 0;
  for (unsigned ray = 0; ray < width * height; ++ray) {
    const float u = (static_cast<float>(ray % width) + .5F) / width;
    const float v = (static_cast<float>(ray / width) + .5F) / height;
    std::array<float, 4> seen{};
    for (unsigned i = 0; i < samples && seen[3] <= .95F; ++i) {
      const float depth = (static_cast<float>(i) + .5F) / samples;
      const float density = fetched(volume, in_volume, {std::fma(depth, .1F, u), v, depth})[0];
      const std::array<float, 4> colour = fetched(colours, in_row, {density, 0, 0});
      const float part = (1 - seen[3]) * colour[3] * .1F;
      for (unsigned c = 0; c < 3; ++c) seen[c] = std::fma(part, colour[c], seen[c]);
      seen[3] += part;
    }
    for (unsigned c = 0; c < 4; ++c) sum += static_cast<double>(seen[c]) * (1 + (4 * ray + c) % 7);
  }
  EXPECT_NEAR(sum, 164751.94, .005);
}

TEST(TextureTable, HandlesOfThoseThatAreGoneFindNothingAndAreGivenAgain) {
  TextureTable table;
  const std::uint64_t first = table.add({image_of(4, 1, 1), {}});
  const std::uint64_t second = table.add({image_of(8, 1, 1), {}});
  EXPECT_NE(first, 0U);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(second)->image.width, 8U);
  EXPECT_TRUE(table.remove(first));
  EXPECT_FALSE(table.remove(first));
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.add({image_of(2, 1, 1), {}}), first);
}

}  // namespace
}  // namespace warpgauge::emulator
