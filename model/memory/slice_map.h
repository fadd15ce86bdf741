// Which slice of the L2 holds a line.
#pragma once

#include <cstdint>
#include <vector>

#include "model/memory/spec.h"

namespace warpgauge::model {

// Of an L2 of two partitions: stretches of `partition_interleave` bytes belong to one or the other by the parity of
// some bits of their number; the slices of a partition stand in a ring, each KiB has two neighbours of it, and the four KiB of a
// stretch lie 0, 22, 10 and 32 places further on. From stretch to stretch of a partition the ring is turned by four
// places, from group to group of 64 by a hash. So 8, 16, 32, 64, 128 and 512 KiB have as many slices as on the H200
// (16, 32, 32, 64, 64 and 85 as far as the busiest slice tells), where probe l2.slices counts 47 of a partition and a
// ring was found by reductions of all SMs to pairs of lines (examples/validation/hardware/by_hand_h200.json,
// `l2_slices`); the hardware's own formula is not known.
//
// Of an undivided L2: neighbouring units of `slice_interleave` have different slices until all have had one; from
// group to group the order is turned by a hash, so that no stride meets few slices alone.
class SliceMap {
 public:
  explicit SliceMap(const L2Spec& spec);

  // The partition that is the line's home.
  [[nodiscard]] unsigned partition_of(std::uint64_t line) const;
  // The slice of that partition which has the line, or a copy of it.
  [[nodiscard]] unsigned slice_of(std::uint64_t line, unsigned partition) const;
  // Which of its home slice's lines it is: they are counted in the order of their addresses, so that a buffer's have one place
  // after the other, but for a few where the ring is turned by a hash.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t line) const;

  // The same, and no two lines of a slice have one: where the ring is turned, numbers are counted exactly, and up to a tenth are nobody's.
  [[nodiscard]] std::uint64_t own_place_of(std::uint64_t line) const;

 private:
  // Of the ring's places: how far it is turned for a group of stretches, and how far a unit of a stretch lies beyond that.
  [[nodiscard]] unsigned turned(std::uint64_t group, unsigned partition) const;
  [[nodiscard]] static std::uint64_t beyond(std::uint64_t stretch, std::uint64_t unit);
  // Which of a unit's lines it is.
  [[nodiscard]] std::uint64_t in_unit(std::uint64_t byte) const;

  unsigned line_bytes_;
  unsigned slices_;
  unsigned partitions_;
  unsigned per_partition_;
  std::uint64_t stretch_bytes_;
  Interleave unit_;
  unsigned lines_of_unit_;
  unsigned units_of_stretch_;
  // Of a group's units, those before it that its slice has; and how many a slice has of a group, by how far beyond the turn it is.
  std::vector<std::uint16_t> before_;
  std::vector<std::uint16_t> of_group_;
  unsigned most_of_group_ = 0;
};

}  // namespace warpgauge::model
