#include "model/sm/stored_lines.h"

#include <bit>

namespace warpgauge::model {

bool StoredLines::write(Line& stored, const Store& store, Cycle at) {
  stored.warp = store.warp;
  stored.row = rows_[store.warp];
  stored.lines_before = left_;
  stored.stores_before = stores_;
  stored.bytes += store.bytes;
  const bool full = stored.bytes >= static_cast<unsigned>(std::popcount(stored.sectors)) * sector_bytes_;
  stored.held_until = full ? at : at + spec_.store_hold + spec_.store_hold_line * store.lines;
  return full;
}

StoredLines::Joined StoredLines::join(const Store& store, Cycle at, Cycle leaves) {
  Line& stored = lines_[place_of(store.line)];
  if (spec_.stored_lines == 0 || stored.stores == 0 || stored.line != store.line || stored.last == none) return {};
  if ((store.sectors & ~stored.sectors) != 0) return {};
  if (left_ - stored.lines_before > spec_.stored_lines || stores_ - stored.stores_before > spec_.open_stores) return {};
  const bool held = at < stored.held_until && stored.warp == store.warp && rows_[store.warp] == stored.row;
  if (!held && leaves >= stored.turn) return {};
  const bool filled = write(stored, store, at);
  return {stored.last, stored.place, filled};
}

void StoredLines::leave(const Store& store, std::uint32_t id, std::uint32_t place, Cycle at, Cycle turn) {
  ++left_;
  Line& stored = lines_[place_of(store.line)];
  if (stored.stores == 0) stored.line = store.line;
  if (stored.line != store.line) return;
  ++stored.stores;
  stored.last = id;
  stored.place = place;
  stored.sectors = store.sectors;
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
