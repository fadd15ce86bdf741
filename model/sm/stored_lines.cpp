#include "model/sm/stored_lines.h"

#include <bit>

namespace warpgauge::model {

bool StoredLines::write(Line& stored, const Store& store, Cycle at) {
  stored.bytes += store.bytes;
  stored.sectors |= store.sectors;
  stored.words |= store.words;
  stored.held_until = at + hold(store);
  return stored.bytes >= static_cast<unsigned>(std::popcount(stored.sectors)) * sector_bytes_;
}

StoredLines::Joined StoredLines::join(const Store& store, Cycle at, Times now) {
  Line& stored = lines_[place_of(store.line)];
  if (room() == 0 || stored.stores == 0 || stored.line != store.line || stored.last == none) return {};
  if (room_taken_ - stored.room_before > room()) return {};
  if (at >= stored.held_until && now.clock >= stored.turn.clock + hold(store) && now.own >= stored.turn.own) return {};
  const auto more = static_cast<std::uint8_t>(store.sectors & ~stored.sectors);
  const bool full = write(stored, store, at);
  return {stored.last, stored.place, stored.sectors, more, full};
}

void StoredLines::leave(const Store& store, std::uint32_t id, std::uint32_t place, Cycle at, Times turn) {
  const std::uint64_t before = room_taken_;
  room_taken_ += room_of(store);
  Line& stored = lines_[place_of(store.line)];
  if (stored.stores == 0) stored.line = store.line;
  if (stored.line != store.line) return;
  ++stored.stores;
  stored.room_before = before;
  stored.last = id;
  stored.place = place;
  stored.sectors = 0;
  stored.words = 0;
  stored.bytes = 0;
  stored.turn = turn;
  write(stored, store, at);
}

void StoredLines::arrived(std::uint64_t line, std::uint32_t id) {
  Line& stored = lines_[place_of(line)];
  if (stored.stores == 0 || stored.line != line) return;
  --stored.stores;
  if (stored.last == id) stored.last = none;
}

}  // namespace warpgauge::model
