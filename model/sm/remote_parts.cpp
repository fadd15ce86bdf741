#include "model/sm/remote_parts.h"

#include <algorithm>
#include <bit>

namespace warpgauge::model {
namespace {

using traces::MemoryAccess;

constexpr unsigned sector_bytes = 32;
constexpr unsigned line_sectors = 4;
constexpr unsigned bank_bytes = 4;
constexpr unsigned banks = 32;

bool is_atomic(MemoryAccess access) { return access == MemoryAccess::atomic || access == MemoryAccess::reduction; }

// Addresses have ranks in them, so that no two blocks share a sector.
class Finder {
 public:
  explicit Finder(RemoteParts& found) : found_(found) { found.count = 0; }

  void add(std::uint64_t address, unsigned bytes, bool atomic) {
    const unsigned which = part_of(address);
    RemotePart& part = found_.parts[which];
    Sector& sector = sector_of(address / sector_bytes, which);
    sector.bytes |= static_cast<std::uint32_t>((std::uint64_t{1} << bytes) - 1) << address % sector_bytes;
    if (!atomic) return;
    const std::uint32_t bank = std::uint32_t{1} << address / bank_bytes % banks;
    if ((banks_[which] & bank) != 0) ++part.turns;
    banks_[which] |= bank;
    std::uint8_t& lanes = sector.lanes[address % sector_bytes / bank_bytes];
    part.deepest = std::max(part.deepest, ++lanes);
  }

  void count_packets() {
    for (unsigned i = 0; i < count_; ++i) {
      const std::uint32_t bytes = sectors_[i].bytes;
      const unsigned halves = ((bytes & 0xffffU) != 0 ? 1U : 0U) + (bytes >> 16 != 0 ? 1U : 0U);
      RemotePart& part = found_.parts[sectors_[i].part];
      part.packets = static_cast<std::uint8_t>(part.packets + (~bytes == 0 ? 1U : halves));
    }
  }

 private:
  struct Sector {
    std::uint64_t number = 0;
    std::uint32_t bytes = 0;  // that are named, bit by bit
    std::uint8_t part = 0;
    std::array<std::uint8_t, sector_bytes / bank_bytes> lanes{};
  };

  unsigned part_of(std::uint64_t address) {
    const auto rank = static_cast<std::uint8_t>(address >> traces::shared_rank_bit);
    unsigned which = 0;
    while (which < found_.count && found_.parts[which].rank != rank) ++which;
    if (which < found_.count) return which;
    if (which == found_.parts.size()) return which - 1;
    found_.parts[found_.count++] = {rank, 0, 0, 0, 0, 0};
    banks_[which] = 0;
    return which;
  }
  Sector& sector_of(std::uint64_t number, unsigned which) {
    bool new_line = true;
    for (unsigned i = 0; i < count_; ++i) {
      if (sectors_[i].number == number) return sectors_[i];
      if (sectors_[i].number / line_sectors == number / line_sectors) new_line = false;
    }
    RemotePart& part = found_.parts[which];
    ++part.sectors;
    if (new_line) ++part.lines;
    return sectors_[count_++] = {number, 0, static_cast<std::uint8_t>(which), {}};
  }

  RemoteParts& found_;
  unsigned count_ = 0;
  std::array<Sector, traces::warp_size> sectors_;
  std::array<std::uint32_t, traces::most_cluster_blocks> banks_;  // that lanes have named, by part
};

}  // namespace

void find_parts(RemoteParts& found, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, MemoryAccess access) {
  Finder finder(found);
  for (; mask != 0; mask &= mask - 1) finder.add(addresses[std::countr_zero(mask)], bytes, is_atomic(access));
  finder.count_packets();
}

RemoteCosts costs(const ClusterSpec& spec, const RemotePart& part, MemoryAccess access) {
  if (access == MemoryAccess::load)
    return {part.lines * spec.load_line + part.sectors * spec.load_sector, 0, part.sectors * spec.answer_sector, 0};
  if (access == MemoryAccess::store)
    return {part.packets * spec.packet, part.packets * spec.arrival_packet, part.packets * spec.acknowledgement, part.packets};
  const unsigned further = static_cast<unsigned>(part.sectors) - part.lines;
  return {part.sectors * spec.packet + further * spec.atomic_sector + part.turns * spec.atomic_turn,
          part.sectors * spec.arrival_packet, std::max(part.sectors, part.deepest) * spec.answer_sector, part.sectors};
}

}  // namespace warpgauge::model
