#include "model/sm/stored_lines.h"

#include <algorithm>
#include <bit>

namespace warpgauge::model {

bool StoredLines::write(Line& stored, const Store& store, Cycle at) {
  stored.bytes += store.bytes;
  stored.sectors |= store.sectors;
  stored.words |= store.words;
  const auto hold = spec_.store_hold + static_cast<Cycle>(spec_.store_hold_line * (store.lines - 1U));
  stored.held_until = at + hold;
  stored.left = stored.held_until + spec_.leaving_cycles + static_cast<Cycle>(spec_.leaving_interval * store.before);
  return stored.bytes >= static_cast<unsigned>(std::popcount(stored.sectors)) * sector_bytes_;
}

StoredLines::Joined StoredLines::join(const Store& store, Cycle at, Times now) {
  Line* const known = find(store.line);
  if (room() == 0 || known == nullptr || known->closed || known->last == none) return {};
  Line& stored = *known;
  if (taken_since(stored, store) > room()) return {};
  if (at >= stored.held_until && now.clock >= stored.turn.clock + spec_.store_hold && now.own >= stored.turn.own) return {};
  const auto more = static_cast<std::uint8_t>(store.sectors & ~stored.sectors);
  const bool full = write(stored, store, at);
  return {stored.last, stored.place, stored.sectors, more, full};
}

void StoredLines::leave(const Store& store, std::uint32_t id, std::uint32_t place, Cycle at, Times turn) {
  // A row has a line of each bank: one more of a bank than the open rows take begins another.
  std::size_t row = open_row(store);
  if (row == rows_.size()) {
    std::copy(rows_.begin() + 1, rows_.end(), rows_.begin());
    rows_[--row] = {room_taken_, 0};
    room_taken_ += room_of(store);
  }
  rows_[row].banks |= bank_of(store);
  std::uint16_t& known = known_[place_of(store.line)];
  if (known == 0) {
    const std::uint32_t taken = lines_.take();
    known = static_cast<std::uint16_t>(taken + 1);
    lines_[taken] = {};
    lines_[taken].line = store.line;
  }
  Line& stored = lines_[known - 1U];
  if (stored.line != store.line) return;
  ++stored.stores;
  stored.room_before = rows_[row].begin;
  stored.last = id;
  stored.closed = false;
  stored.place = place;
  stored.sectors = 0;
  stored.words = 0;
  stored.bytes = 0;
  stored.turn = turn;
  write(stored, store, at);
}

void StoredLines::tell_later(const Store& store) {
  if (Line* const stored = find(store.line)) stored->untold |= store.words;
}

std::uint32_t StoredLines::untold(std::uint64_t line) {
  Line* const stored = find(line);
  return stored != nullptr ? std::exchange(stored->untold, 0) : 0;
}

std::uint32_t StoredLines::arrived(std::uint64_t line, std::uint32_t id) {
  Line* const stored = find(line);
  if (stored == nullptr) return 0;
  const std::uint32_t words = stored->last == id ? std::exchange(stored->untold, 0) : 0;
  if (stored->last == id) stored->last = none;
  if (--stored->stores != 0) return words;
  std::uint16_t& known = known_[place_of(line)];
  lines_.give_back(known - 1U);
  known = 0;
  return words;
}

}  // namespace warpgauge::model
