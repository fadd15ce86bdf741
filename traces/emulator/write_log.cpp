#include "traces/emulator/write_log.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "traces/emulator/effects.h"
#include "traces/emulator/memory_access.h"

namespace warpgauge::emulator {
namespace {

constexpr unsigned address_words = lanes * 2;

unsigned store_words(const MicroOp& op) {
  return std::max(1U, cell_bytes(static_cast<Cell>(op.mode)) / 4);
}

}  // namespace

void WriteLog::reach(Entry& entry, std::uint32_t mask, const std::uint64_t* addresses) {
  entry.low = ~std::uint64_t{0};
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint64_t address = addresses[std::countr_zero(m)];
    entry.low = std::min(entry.low, address);
    entry.high = std::max(entry.high, address);
  }
}

WriteLog::Entry& WriteLog::add(Kind kind, std::uint64_t cycle, std::uint32_t mask,
                               const std::uint64_t* addresses) {
  Entry& entry = entries_.emplace_back();
  entry.kind = kind;
  entry.cycle = cycle;
  entry.mask = mask;
  entry.data = words_.size();
  words_.resize(words_.size() + address_words);
  std::memcpy(words_.data() + entry.data, addresses, lanes * sizeof(std::uint64_t));
  reach(entry, mask, addresses);
  for (std::uint32_t m = mask; m != 0; m &= m - 1) mark(addresses[std::countr_zero(m)]);
  return entry;
}

void WriteLog::append(const std::uint32_t* rows, unsigned count) {
  words_.insert(words_.end(), rows, rows + std::size_t{count} * lanes);
}

void WriteLog::store(const MicroOp& op, std::uint32_t mask, std::uint64_t cycle,
                     const std::uint64_t* addresses, const std::uint32_t* data) {
  add(Kind::store, cycle, mask, addresses).op = &op;
  append(data, store_words(op));
}

void WriteLog::store_row(std::uint64_t cycle, std::uint64_t address, const std::uint32_t* data) {
  Entry& entry = entries_.emplace_back();
  entry.kind = Kind::row;
  entry.cycle = cycle;
  entry.low = address;
  entry.high = address + row_bytes - granule;
  entry.data = words_.size();
  append(data, 1);
  mark(address);
  mark(address + row_bytes - 1);
}

std::uint32_t WriteLog::defer(DeferredKind kind, const MicroOp& op, unsigned warp, std::uint32_t mask,
                              const std::uint64_t* addresses, std::uint32_t* destination) {
  const std::uint32_t ticket = deferred_.add(kind, op, warp, mask, addresses, destination);
  Entry& entry = entries_.emplace_back();
  entry.kind = Kind::deferred;
  entry.ticket = ticket;
  reach(entry, mask, addresses);
  return ticket;
}

std::uint32_t WriteLog::defer_load(const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                                   std::uint32_t* destination) {
  return defer(DeferredKind::load, op, warp, mask, addresses, destination);
}

std::uint32_t WriteLog::defer_store(const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                                    const std::uint32_t* data) {
  const std::uint32_t ticket = defer(DeferredKind::store, op, warp, mask, addresses, nullptr);
  deferred_[ticket].data.assign(data, data + std::size_t{store_words(op)} * lanes);
  return ticket;
}

std::uint32_t WriteLog::defer_atomic(const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                                     const std::uint32_t* operand, const std::uint32_t* swap, std::uint32_t* destination) {
  const std::uint32_t ticket = defer(DeferredKind::atomic, op, warp, mask, addresses, destination);
  std::vector<std::uint32_t>& data = deferred_[ticket].data;
  const std::size_t words = std::size_t{atomic_words(op)} * lanes;
  data.assign(operand, operand + words);
  data.insert(data.end(), swap, swap + words);
  return ticket;
}

void WriteLog::carry_out_load(const DeviceMemory& memory, std::uint32_t ticket, std::uint64_t begin) {
  const DeferredAccesses::Access& load = deferred_[ticket];
  const std::uint32_t mask = DeferredAccesses::lanes_in(load, begin);
  if (mask == 0) return;
  if (written(begin)) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      std::byte bytes[granule];
      const std::uint64_t address = load.addresses[std::countr_zero(m)];
      view(memory, address, bytes);
      load_cells(*load.op, m & (~m + 1), load.addresses.data(), bytes, address / granule * granule, load.destination);
    }
  } else {
    load_cells(*load.op, mask, load.addresses.data(), memory.host(DeviceMemory::first_address), DeviceMemory::first_address,
               load.destination);
  }
  deferred_.done(ticket, mask);
}

WriteLog::Entry& WriteLog::add_run(Kind kind, std::uint64_t cycle, std::uint64_t address,
                                   std::span<const std::byte> data) {
  Entry& entry = entries_.emplace_back();
  entry.kind = kind;
  entry.cycle = cycle;
  entry.low = address;
  entry.high = address + data.size() - 1;
  entry.mask = static_cast<std::uint32_t>(data.size());
  entry.data = words_.size();
  words_.resize(words_.size() + (data.size() + 3) / 4);
  std::memcpy(words_.data() + entry.data, data.data(), data.size());
  for (std::uint64_t line = entry.low / line_bytes; line <= entry.high / line_bytes; ++line)
    mark(line * line_bytes);
  return entry;
}

void WriteLog::store_run(std::uint64_t cycle, std::uint64_t address, std::span<const std::byte> data) {
  if (!data.empty()) add_run(Kind::run, cycle, address, data);
}

void WriteLog::combine_run(std::uint64_t cycle, std::uint64_t address, std::span<const std::byte> data,
                           AtomicFunction function, AtomicType type) {
  if (data.empty()) return;
  Entry& entry = add_run(Kind::combined_run, cycle, address, data);
  entry.function = function;
  entry.type = type;
}

void WriteLog::apply_run(const Entry& entry, std::uint64_t begin, std::uint64_t end, std::byte* base,
                         std::uint64_t origin) const {
  begin = std::max(begin, entry.low);
  end = std::min(end, entry.low + entry.mask);
  if (begin >= end) return;
  const auto* const from =
      reinterpret_cast<const std::byte*>(words_.data() + entry.data) + (begin - entry.low);
  std::byte* const to = base + (begin - origin);
  if (entry.kind == Kind::run)
    std::memcpy(to, from, end - begin);
  else
    emulator::combine_run(entry.function, entry.type, from, to, end - begin, true);
}

void WriteLog::read_run(const DeviceMemory& memory, std::uint64_t address, std::span<std::byte> bytes) const {
  for (std::size_t done = 0; done < bytes.size();) {
    const std::uint64_t here = address + done;
    const bool written_here = !entries_.empty() && written(here);
    const std::uint64_t piece = written_here ? granule : line_bytes;
    const std::size_t count = std::min<std::size_t>(piece - here % piece, bytes.size() - done);
    if (written_here) {
      std::byte seen[granule];
      view(memory, here, seen);
      std::memcpy(bytes.data() + done, seen + here % granule, count);
    } else {
      std::memcpy(bytes.data() + done, memory.host(here), count);
    }
    done += count;
  }
}

bool WriteLog::may_hold(const std::uint64_t* addresses, std::uint32_t mask) const {
  if (entries_.empty()) return false;
  std::uint64_t any = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint64_t line = line_of(addresses[std::countr_zero(m)]);
    any |= marks_[line / 64] >> (line % 64);
  }
  if ((any & 1U) != 0) return true;
  if (!deferred_.writing()) return false;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    if (deferred_.may_write(addresses[std::countr_zero(m)])) return true;
  }
  return false;
}

void WriteLog::apply(const Entry& entry, std::uint32_t mask, std::byte* base, std::uint64_t origin) const {
  alignas(64) std::uint64_t addresses[lanes];
  std::memcpy(addresses, words_.data() + entry.data, sizeof addresses);
  store_cells(*entry.op, mask, addresses, words_.data() + entry.data + address_words, base, origin);
}

void WriteLog::view(const DeviceMemory& memory, std::uint64_t address, std::byte (&bytes)[granule]) const {
  const std::uint64_t first = address / granule * granule;
  const std::uint64_t last = first + granule;
  if (memory.owns(address)) {
    std::memcpy(bytes, memory.host(first), granule);
  } else {
    // The host's: what lies around it may be anything.
    const Allocation& allocation = *memory.find(address);
    const std::uint64_t from = std::max(first, allocation.begin);
    std::memset(bytes, 0, granule);
    std::memcpy(bytes + (from - first), memory.host(from), std::min(last, allocation.end()) - from);
  }
  for (const Entry& entry : entries_) {
    if (entry.low >= last || entry.high + granule <= first) continue;
    if (entry.kind == Kind::row) {
      const std::uint64_t begin = std::max(first, entry.low);
      const std::uint64_t end = std::min(last, entry.low + row_bytes);
      if (begin >= end) continue;
      const auto* const data = reinterpret_cast<const std::byte*>(words_.data() + entry.data);
      std::memcpy(bytes + (begin - first), data + (begin - entry.low), end - begin);
      continue;
    }
    if (is_run(entry)) {
      apply_run(entry, first, last, bytes, first);
      continue;
    }
    const auto here = [&](const std::uint64_t* addresses, std::uint32_t mask) {
      std::uint32_t found = 0;
      for (std::uint32_t m = mask; m != 0; m &= m - 1) {
        if (addresses[std::countr_zero(m)] / granule == first / granule) found |= m & (~m + 1);
      }
      return found;
    };
    if (entry.kind == Kind::deferred) {
      const DeferredAccesses::Access& access = deferred_[entry.ticket];
      if (access.kind == DeferredKind::load) continue;
      std::uint32_t unread[4 * lanes];
      if (const std::uint32_t mask = here(access.addresses.data(), access.mask); mask != 0)
        DeferredAccesses::apply(access, mask, bytes, first, unread);
      continue;
    }
    std::uint64_t addresses[lanes];
    std::memcpy(addresses, words_.data() + entry.data, sizeof addresses);
    if (const std::uint32_t mask = here(addresses, entry.mask); mask != 0) apply(entry, mask, bytes, first);
  }
}

void WriteLog::clear() {
  if (entries_.empty()) return;
  // What is deferred and has yet to take place stays, in order.
  std::size_t kept = 0;
  for (const Entry& entry : entries_) {
    if (entry.kind != Kind::deferred) continue;
    if (deferred_[entry.ticket].owed == 0)
      deferred_.give_back(entry.ticket);
    else
      entries_[kept++] = entry;
  }
  entries_.resize(kept);
  committed_ = 0;
  words_.clear();
  marks_.fill(0);
}

void WriteLog::carry_out_before(const DeviceMemory& memory, std::size_t entry) {
  const Entry& store = entries_[entry];
  const std::uint64_t last = store.high + (is_run(store) ? 0 : granule - 1);
  bool may_touch = false;
  if (store.kind == Kind::store) {
    std::uint64_t addresses[lanes];
    std::memcpy(addresses, words_.data() + store.data, sizeof addresses);
    for (std::uint32_t m = store.mask; m != 0; m &= m - 1) may_touch = may_touch || deferred_.may_touch(addresses[std::countr_zero(m)]);
  } else {
    for (std::uint64_t line = store.low / line_bytes; line <= last / line_bytes; ++line)
      may_touch = may_touch || deferred_.may_touch(line * line_bytes);
  }
  if (!may_touch) return;
  for (std::size_t earlier = 0; earlier < entry; ++earlier) {
    const Entry& deferred = entries_[earlier];
    if (deferred.kind != Kind::deferred || deferred.low > last || deferred.high + granule <= store.low) continue;
    deferred_.carry_out_within(memory, deferred.ticket, store.low, last);
  }
}

void WriteLog::commit(DeviceMemory& memory, std::span<WriteLog> logs) {
  std::byte* const base = memory.host(DeviceMemory::first_address);
  // A log is in the order of cycles; the SM with the earliest entry goes first, of equals the first SM.
  std::uint64_t now = 0;
  for (;;) {
    std::uint64_t soonest = ~std::uint64_t{0};
    for (WriteLog& log : logs) {
      for (; log.committed_ < log.entries_.size() && log.entries_[log.committed_].cycle <= now;
           ++log.committed_) {
        const Entry& entry = log.entries_[log.committed_];
        if (entry.kind == Kind::deferred) continue;
        if (log.deferred_.waiting()) log.carry_out_before(memory, log.committed_);
        if (entry.kind == Kind::row) {
          std::memcpy(base + (entry.low - DeviceMemory::first_address), log.words_.data() + entry.data,
                      row_bytes);
        } else if (is_run(entry)) {
          log.apply_run(entry, entry.low, entry.high + 1, base, DeviceMemory::first_address);
        } else {
          log.apply(entry, entry.mask, base, DeviceMemory::first_address);
        }
      }
      if (log.committed_ < log.entries_.size())
        soonest = std::min(soonest, log.entries_[log.committed_].cycle);
    }
    if (soonest == ~std::uint64_t{0}) break;
    now = soonest;
  }
  for (WriteLog& log : logs) log.clear();
}

}  // namespace warpgauge::emulator
