// What stores leave in the L2, and when it goes to memory.
#include <bit>
#include <utility>

#include "model/memory/memory_system.h"
#include "model/memory/words.h"

namespace warpgauge::model {

std::uint32_t MemorySystem::entry_of(unsigned slice, std::uint64_t number, double& at) {
  SectorCache& tags = tags_[slice];
  std::uint32_t entry = tags.find(number);
  if (entry != SectorCache::none) return entry;
  SectorCache::Evicted evicted;
  entry = tags.allocate(number, evicted);
  if (evicted.dirty != 0) {
    written_[slice].forget(entry);
    in_part_[slice].forget(entry);
    write_back(slice, evicted.tag, evicted.dirty, sectors_of(known(slice, entry).words), false, at);
  }
  known(slice, entry) = {};
  return entry;
}

void MemorySystem::dirty(unsigned slice, std::uint32_t entry, std::uint8_t sectors, double& at) {
  SectorCache::Line& line = tags_[slice].at(entry);
  line.dirty |= sectors;
  const std::uint32_t which = written_[slice].write(entry, map_.place_of(line.tag));
  if (which != WrittenLines::none) clean(slice, which, false, at);
}

void MemorySystem::clean(unsigned slice, std::uint32_t entry, bool late, double& at) {
  SectorCache::Line& line = tags_[slice].at(entry);
  const std::uint8_t in_part = sectors_of(known(slice, entry).words);
  const double comes = write_back(slice, line.tag, std::exchange(line.dirty, std::uint8_t{0}), in_part, late, at);
  Entry& here = known(slice, entry);
  if (in_part != 0) {
    here.completing_sectors = static_cast<std::uint8_t>((here.completing > at ? here.completing_sectors : 0) | in_part);
    here.completing = std::max(here.completing, comes);
  }
  bring(slice, entry, in_part);
  written_[slice].forget(entry);
}

double MemorySystem::read_rest(unsigned slice, std::uint64_t byte, std::uint8_t in_part, double& at) {
  const double room = dram_.room(byte, at);
  if (room > at) arrivals_[slice].block(at = room);
  if (in_part == 0) return 0;
  const auto sectors = static_cast<unsigned>(std::popcount(in_part));
  const unsigned bytes = sectors * spec_.l2.sector_bytes;
  const double comes = dram_.access(byte, bytes, false, at) + spec_.dram.latency;
  counters_.dram_read_bytes += bytes;
  // The counters see a write that misses for each.
  counters_.l2_sectors += sectors;
  counters_.l2_write_sectors += sectors;
  return comes;
}

void MemorySystem::write_words(unsigned slice, std::uint32_t entry, std::uint32_t words, double& at) {
  SectorCache::Line& line = tags_[slice].at(entry);
  std::uint32_t& written = known(slice, entry).words;
  written |= words & ~words_of(line.valid);
  const std::uint8_t whole = whole_sectors(written);
  if (whole != 0) bring(slice, entry, whole);
  if (written == 0) return;
  const std::uint32_t which = in_part_[slice].write(entry, map_.own_place_of(line.tag));
  if (which != WrittenLines::none) clean(slice, which, true, at);
}

void MemorySystem::bring(unsigned slice, std::uint32_t entry, std::uint8_t sectors) {
  tags_[slice].at(entry).valid |= sectors;
  std::uint32_t& written = known(slice, entry).words;
  if (written == 0) return;
  written &= ~words_of(sectors);
  if (written == 0) in_part_[slice].forget(entry);
}

void MemorySystem::note(const LateWords& late) {
  const unsigned slice = map_.slice_of(late.line, map_.partition_of(late.line));
  const std::uint32_t entry = tags_[slice].peek(late.line);
  if (entry == SectorCache::none || tags_[slice].at(entry).dirty == 0) return;
  auto at = static_cast<double>(last_);
  write_words(slice, entry, late.words, at);
}

double MemorySystem::write_back(unsigned slice, std::uint64_t line, std::uint8_t sectors, std::uint8_t in_part, bool late,
                              double& at) {
  const unsigned bytes = static_cast<unsigned>(std::popcount(sectors)) * spec_.l2.sector_bytes;
  const std::uint64_t byte = line * spec_.l2.line_bytes;
  // Until there is room for the line before its channel the slice takes nothing in.
  const double comes = read_rest(slice, byte, in_part, at);
  if (late && spec_.dram.late_lines != 0) {
    dram_.write_late(byte, bytes, at);
    return comes;
  }
  dram_.access(byte, bytes, true, at);
  counters_.dram_write_bytes += bytes;
  return comes;
}

}  // namespace warpgauge::model
