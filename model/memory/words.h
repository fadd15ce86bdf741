// Masks of a line's words, of four bytes, and of its sectors, of eight words.
#pragma once

#include <cstdint>

namespace warpgauge::model {

// Sectors that have any of these words.
constexpr std::uint8_t sectors_of(std::uint32_t words) {
  std::uint8_t sectors = 0;
  for (unsigned sector = 0; sector < 4; ++sector)
    sectors = static_cast<std::uint8_t>(sectors | ((words >> 8 * sector & 0xff) != 0 ? 1U << sector : 0));
  return sectors;
}

// Sectors that have all of their words.
constexpr std::uint8_t whole_sectors(std::uint32_t words) {
  return static_cast<std::uint8_t>(~sectors_of(~words) & 0xf);
}

// All words of the sectors.
constexpr std::uint32_t words_of(std::uint8_t sectors) {
  std::uint32_t words = 0;
  for (unsigned sector = 0; sector < 4; ++sector) words |= (sectors >> sector & 1U) != 0 ? 0xffU << 8 * sector : 0;
  return words;
}

}  // namespace warpgauge::model
