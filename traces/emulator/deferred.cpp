#include "traces/emulator/deferred.h"

#include <bit>
#include <cstring>

#include "traces/emulator/access.h"
#include "traces/emulator/effects.h"

namespace warpgauge::emulator {
namespace {

constexpr std::uint64_t bit_of(std::uint64_t line) { return std::uint64_t{1} << line % 64; }

}  // namespace

std::uint32_t DeferredAccesses::add(DeferredKind kind, const MicroOp& op, unsigned warp, std::uint32_t mask,
                                    const std::uint64_t* addresses, std::uint32_t* destination) {
  std::uint32_t ticket = none;
  if (free_.empty()) {
    ticket = static_cast<std::uint32_t>(all_.size());
    all_.emplace_back();
  } else {
    ticket = free_.back();
    free_.pop_back();
  }
  Access& access = all_[ticket];
  access.kind = kind;
  access.warp = static_cast<std::uint8_t>(warp);
  access.mask = mask;
  access.owed = mask;
  access.op = &op;
  access.destination = destination;
  access.lines = 0;
  access.data.clear();
  std::memcpy(access.addresses.data(), addresses, sizeof access.addresses);
  const bool writes = kind != DeferredKind::load;
  each_lane(mask, [&](unsigned i) {
    access.lines |= bit_of(addresses[i] / line_bytes);
    ++touched_[place_of(addresses[i])];
    if (writes) ++written_[place_of(addresses[i])];
  });
  const auto count = static_cast<unsigned>(std::popcount(mask));
  waiting_ += count;
  writing_ += writes ? count : 0;
  access.before = last_[warp];
  access.behind = none;
  (access.before == none ? first_[warp] : all_[access.before].behind) = ticket;
  last_[warp] = ticket;
  return ticket;
}

std::uint32_t DeferredAccesses::lanes_in(const Access& access, std::uint64_t begin) {
  if ((access.lines & bit_of(begin / line_bytes)) == 0) return 0;
  std::uint32_t mask = 0;
  each_lane(access.owed, [&](unsigned i) { mask |= (access.addresses[i] - begin < line_bytes ? 1U : 0U) << i; });
  return mask;
}

void DeferredAccesses::apply(const Access& access, std::uint32_t mask, std::byte* base, std::uint64_t origin,
                             std::uint32_t* destination) {
  const std::uint32_t* const data = access.data.data();
  if (access.kind == DeferredKind::store) {
    store_cells(*access.op, mask, access.addresses.data(), data, base, origin);
    return;
  }
  const std::uint32_t* const swap = data + std::size_t{atomic_words(*access.op)} * lanes;
  update_cells(*access.op, mask, access.addresses.data(), {data, swap, destination}, base, origin, true);
}

void DeferredAccesses::taken_place(std::uint32_t ticket, std::uint32_t mask) {
  Access& access = all_[ticket];
  access.mask &= ~mask;
  const bool writes = access.kind != DeferredKind::load;
  each_lane(mask, [&](unsigned i) {
    --touched_[place_of(access.addresses[i])];
    if (writes) --written_[place_of(access.addresses[i])];
  });
  const auto count = static_cast<unsigned>(std::popcount(mask));
  waiting_ -= count;
  writing_ -= writes ? count : 0;
  if (access.mask != 0 || mask == 0) return;
  (access.before == none ? first_[access.warp] : all_[access.before].behind) = access.behind;
  (access.behind == none ? last_[access.warp] : all_[access.behind].before) = access.before;
}

void DeferredAccesses::done(std::uint32_t ticket, std::uint32_t mask) {
  taken_place(ticket, mask & all_[ticket].mask);
  all_[ticket].owed &= ~mask;
}

void DeferredAccesses::carry_out_lanes(const DeviceMemory& memory, std::uint32_t ticket, std::uint32_t mask) {
  const Access& access = all_[ticket];
  mask &= access.mask;
  if (mask == 0) return;
  std::byte* const base = memory.host(DeviceMemory::first_address);
  if (access.kind == DeferredKind::load)
    load_cells(*access.op, mask, access.addresses.data(), base, DeviceMemory::first_address, access.destination);
  else
    apply(access, mask, base, DeviceMemory::first_address, access.destination);
  taken_place(ticket, mask);
}

void DeferredAccesses::carry_out(const DeviceMemory& memory, std::uint32_t ticket, std::uint64_t begin) {
  const std::uint32_t mask = lanes_in(all_[ticket], begin);
  if ((mask & all_[ticket].mask) != 0) {
    for (std::uint32_t earlier = first_[all_[ticket].warp]; earlier != ticket;) {
      const std::uint32_t behind = all_[earlier].behind;
      carry_out_lanes(memory, earlier, lanes_in(all_[earlier], begin));
      earlier = behind;
    }
    carry_out_lanes(memory, ticket, mask);
  }
  all_[ticket].owed &= ~mask;
}

void DeferredAccesses::carry_out_within(const DeviceMemory& memory, std::uint32_t ticket, std::uint64_t low, std::uint64_t high) {
  const Access& access = all_[ticket];
  std::uint32_t mask = 0;
  constexpr std::uint64_t widest = 16;
  each_lane(access.mask, [&](unsigned i) {
    if (access.addresses[i] + widest > low && access.addresses[i] <= high) mask |= 1U << i;
  });
  carry_out_lanes(memory, ticket, mask);
}

}  // namespace warpgauge::emulator
