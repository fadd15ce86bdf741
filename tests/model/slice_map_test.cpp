// How lines are dealt out to the L2's slices (model/memory/slice_map.h).
#include "model/memory/slice_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/model/memory_requests.h"

namespace warpgauge::model {
namespace {

using test::two_rings;

// How many slices' worth `kib` from the start have, as the busiest tells.
double slices_of(const SliceMap& map, unsigned first_kib, unsigned kib) {
  std::map<unsigned, unsigned> lines;
  const std::uint64_t first = std::uint64_t{first_kib} * 8, count = std::uint64_t{kib} * 8;
  for (std::uint64_t line = first; line < first + count; ++line) ++lines[map.slice_of(line, map.partition_of(line))];
  unsigned most = 0;
  for (const auto& [slice, of] : lines) most = std::max(most, of);
  return static_cast<double>(count) / most;
}

// An H200, reductions of all SMs: 4, 8, 16, 32, 32, 64, 64 and 85 slices, and 91 of 2 MiB.
TEST(SliceMap, SmallStretchesHaveAsManySlicesAsOnTheCard) {
  const SliceMap map(two_rings(94));
  const std::vector<std::pair<unsigned, double>> measured = {{1, 2},   {2, 4},   {4, 8},    {8, 16},   {16, 32},
                                                             {32, 32}, {64, 64}, {128, 64}, {512, 85}, {2048, 91}};
  for (const auto& [kib, slices] : measured) EXPECT_NEAR(slices_of(map, 0, kib), slices, slices * 0.05) << kib << " KiB";
}

// Atomics of one SM to lines of an H200: near ones take 320 to 400 cycles, far ones 500 to 600.
TEST(SliceMap, APartitionIsTheParityOfFiveBitsWithinAPage) {
  const SliceMap map(two_rings(94));
  for (std::uint64_t line = 0; line < 16384; ++line) {
    const std::uint64_t byte = line * 128;
    const std::uint64_t parity = (byte >> 12 ^ byte >> 13 ^ byte >> 15 ^ byte >> 17 ^ byte >> 19) & 1;
    ASSERT_EQ(map.partition_of(line), parity) << line;
  }
}

TEST(SliceMap, EachKibHasTwoNeighboursOfTheRing) {
  const SliceMap map(two_rings(94));
  for (std::uint64_t kib = 0; kib < 4096; ++kib) {
    const unsigned partition = map.partition_of(kib * 8);
    const unsigned one = map.slice_of(kib * 8, partition), other = map.slice_of(kib * 8 + 2, partition);
    EXPECT_EQ(one / 47, partition);
    EXPECT_EQ(other % 47, (one % 47 + 1) % 47);
    // Its first and third 256 bytes are one unit, the second and fourth the other.
    EXPECT_EQ(map.slice_of(kib * 8 + 4, partition), one);
    EXPECT_EQ(map.slice_of(kib * 8 + 7, partition), other);
  }
}

TEST(SliceMap, NoStrideOfWholeStretchesMeetsFewSlices) {
  const SliceMap map(two_rings(94));
  for (std::uint64_t stretches = 1; stretches <= 4096; stretches *= 2) {
    std::map<unsigned, unsigned> lines;
    for (std::uint64_t i = 0; i < 192; ++i) {
      const std::uint64_t line = i * stretches * 32;
      ++lines[map.slice_of(line, map.partition_of(line))];
    }
    for (const auto& [slice, count] : lines) EXPECT_LE(count, 16U) << "slice " << slice << ", stride " << stretches;
  }
}

TEST(SliceMap, NoTwoLinesOfASliceHaveOnePlaceOfTheirOwnAndATenthOfThemIsNobodysAtMost) {
  for (const unsigned slices : {94U, 32U}) {
    const SliceMap map(two_rings(slices));
    const std::uint64_t lines = std::uint64_t{8} << 20 >> 7;
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0x7f2000000000} / 128}) {
      std::vector<std::vector<std::uint64_t>> places(slices);
      for (std::uint64_t line = first; line < first + lines; ++line)
        places[map.slice_of(line, map.partition_of(line))].push_back(map.own_place_of(line));
      for (std::vector<std::uint64_t>& of_slice : places) {
        std::sort(of_slice.begin(), of_slice.end());
        EXPECT_EQ(std::adjacent_find(of_slice.begin(), of_slice.end()), of_slice.end());
        const auto span = static_cast<double>(of_slice.back() + 1 - of_slice.front());
        EXPECT_LT(span, 1.12 * static_cast<double>(of_slice.size()));
      }
    }
  }
}

TEST(SliceMap, AnUndividedL2GivesEachSliceItsUnitBeforeAnyHasTwo) {
  L2Spec spec;
  spec.slices = 32;
  spec.partitions = 1;
  spec.slice_interleave = {512, 0};
  const SliceMap map(spec);
  std::map<unsigned, unsigned> lines;
  for (std::uint64_t line = 0; line < 128; ++line) ++lines[map.slice_of(line, 0)];
  EXPECT_EQ(lines.size(), 32U);
}

}  // namespace
}  // namespace warpgauge::model
