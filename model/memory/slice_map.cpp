#include "model/memory/slice_map.h"

#include <algorithm>
#include <bit>

#include "model/memory/dram.h"

namespace warpgauge::model {
namespace {

// Of a stretch's number, the bits whose parity is its partition: of 4 KiB the address' bits 12, 13, 15, 17 and 19, as 8,192 lines
// within 32 MiB of an H200 have it without exception (by hand, `partitions_of_lines`), where 21, 22 and 24 took part, too. Where a
// page of 2 MiB lies hangs on the driver, so that beyond it all bits stand for those.
constexpr std::uint64_t tells_partition = 0b10101011 | ~std::uint64_t{0x1ff};

// Stretches of a partition between two turns of its ring, and how many such groups are counted together: a large page.
constexpr std::uint64_t group = 64;
constexpr std::uint64_t groups = 4;

}  // namespace

SliceMap::SliceMap(const L2Spec& spec)
    : line_bytes_(spec.line_bytes),
      slices_(std::max(1U, spec.slices)),
      partitions_(std::max(1U, spec.partitions)),
      per_partition_(std::max(1U, slices_ / partitions_)),
      stretch_bytes_(std::max<std::uint64_t>(1, spec.partition_interleave)),
      unit_(spec.slice_interleave),
      lines_of_unit_(std::max(1U, static_cast<unsigned>(unit_.bytes / line_bytes_))),
      units_of_stretch_(std::max(1U, static_cast<unsigned>(stretch_bytes_ / unit_.bytes))) {
  if (partitions_ == 1) return;
  of_group_.assign(per_partition_, 0);
  for (std::uint64_t each = 0; each < group * units_of_stretch_; ++each) {
    std::uint16_t& units = of_group_[beyond(each / units_of_stretch_, each) % per_partition_];
    before_.push_back(units++);
  }
  most_of_group_ = *std::max_element(of_group_.begin(), of_group_.end());
}

unsigned SliceMap::turned(std::uint64_t number, unsigned partition) const {
  return static_cast<unsigned>((spread(number * partitions_ + partition) % per_partition_ + beyond(group * number, 0)) % per_partition_);
}

std::uint64_t SliceMap::beyond(std::uint64_t stretch, std::uint64_t unit) {
  constexpr std::uint64_t of_pair[] = {0, 22, 10, 32};
  constexpr std::uint64_t turn = 4;
  return turn * stretch + of_pair[unit / 2 % 4] + unit % 2;
}

std::uint64_t SliceMap::in_unit(std::uint64_t byte) const {
  // Lines of a piece follow each other, and every other piece is another unit's.
  const std::uint64_t piece = unit_.piece == 0 ? unit_.bytes : std::min(unit_.piece, unit_.bytes);
  return (byte / (2 * piece) * piece + byte % piece) / line_bytes_ % lines_of_unit_;
}

unsigned SliceMap::partition_of(std::uint64_t line) const {
  if (partitions_ == 1) return 0;
  const std::uint64_t stretch = line * line_bytes_ / stretch_bytes_;
  if (partitions_ == 2) return static_cast<unsigned>(std::popcount(stretch & tells_partition)) & 1U;
  return static_cast<unsigned>((stretch + spread(stretch / partitions_)) % partitions_);
}

unsigned SliceMap::slice_of(std::uint64_t line, unsigned partition) const {
  const std::uint64_t byte = line * line_bytes_;
  const std::uint64_t unit = unit_.unit_of(byte);
  std::uint64_t place = 0;
  if (partitions_ == 1) {
    place = unit + spread(unit / per_partition_ + 0x5bd1e995U) % per_partition_;
  } else {
    const std::uint64_t stretch = byte / stretch_bytes_ / partitions_;
    place = beyond(stretch % group, unit) + turned(stretch / group, partition);
  }
  return (partition * per_partition_ + static_cast<unsigned>(place % per_partition_)) % slices_;
}

std::uint64_t SliceMap::place_of(std::uint64_t line) const {
  const std::uint64_t byte = line * line_bytes_;
  const std::uint64_t unit = unit_.unit_of(byte);
  if (partitions_ == 1) return unit / per_partition_ * lines_of_unit_ + in_unit(byte);
  // As many stretches as there are slices bring each slice all units of a stretch, one from each of as many
  // stretches.
  const std::uint64_t stretch = byte / stretch_bytes_ / partitions_;
  return (stretch / per_partition_ * units_of_stretch_ + unit % units_of_stretch_) * lines_of_unit_ + in_unit(byte);
}

std::uint64_t SliceMap::own_place_of(std::uint64_t line) const {
  if (partitions_ == 1) return place_of(line);
  const std::uint64_t byte = line * line_bytes_;
  const std::uint64_t unit = unit_.unit_of(byte);
  const std::uint64_t stretch = byte / stretch_bytes_ / partitions_;
  const std::uint64_t number = stretch / group;
  const unsigned partition = partition_of(line);
  const std::uint64_t ring = beyond(stretch % group, unit) + turned(number, partition) + per_partition_;
  std::uint64_t before = before_[stretch % group * units_of_stretch_ + unit % units_of_stretch_];
  for (std::uint64_t each = number / groups * groups; each < number; ++each)
    before += of_group_[(ring - turned(each, partition)) % per_partition_];
  return (number / groups * groups * most_of_group_ + before) * lines_of_unit_ + in_unit(byte);
}

}  // namespace warpgauge::model
