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

}  // namespace

SliceMap::SliceMap(const L2Spec& spec)
    : line_bytes_(spec.line_bytes),
      slices_(std::max(1U, spec.slices)),
      partitions_(std::max(1U, spec.partitions)),
      per_partition_(std::max(1U, slices_ / partitions_)),
      stretch_bytes_(std::max<std::uint64_t>(1, spec.partition_interleave)),
      unit_(spec.slice_interleave) {}

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
    constexpr std::uint64_t of_pair[] = {0, 22, 10, 32};
    constexpr std::uint64_t turn = 4, group = 64;
    const std::uint64_t stretch = byte / stretch_bytes_ / partitions_;
    const std::uint64_t turned = spread(stretch / group * partitions_ + partition) % per_partition_;
    place = turn * stretch + turned + of_pair[unit / 2 % 4] + unit % 2;
  }
  return (partition * per_partition_ + static_cast<unsigned>(place % per_partition_)) % slices_;
}

std::uint64_t SliceMap::place_of(std::uint64_t line) const {
  const std::uint64_t byte = line * line_bytes_;
  const std::uint64_t unit = unit_.unit_of(byte);
  const std::uint64_t lines = std::max<std::uint64_t>(1, unit_.bytes / line_bytes_);
  // Of a unit's lines those of a piece follow each other, and every other piece is another unit's.
  const std::uint64_t piece = unit_.piece == 0 ? unit_.bytes : std::min(unit_.piece, unit_.bytes);
  const std::uint64_t in_unit = (byte / (2 * piece) * piece + byte % piece) / line_bytes_ % lines;
  if (partitions_ == 1) return unit / per_partition_ * lines + in_unit;
  // As many stretches as there are slices bring each slice all units of a stretch, one from each of as many
  // stretches.
  const std::uint64_t units = std::max<std::uint64_t>(1, stretch_bytes_ / unit_.bytes);
  const std::uint64_t stretch = byte / stretch_bytes_ / partitions_;
  return (stretch / per_partition_ * units + unit % units) * lines + in_unit;
}

}  // namespace warpgauge::model
