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

WriteLog::Entry& WriteLog::add(Kind kind, std::uint64_t cycle, std::uint32_t mask,
                               const std::uint64_t* addresses) {
  Entry& entry = entries_.emplace_back();
  entry.kind = kind;
  entry.cycle = cycle;
  entry.mask = mask;
  entry.data = words_.size();
  entry.low = ~std::uint64_t{0};
  words_.resize(words_.size() + address_words);
  std::memcpy(words_.data() + entry.data, addresses, lanes * sizeof(std::uint64_t));
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint64_t address = addresses[std::countr_zero(m)];
    entry.low = std::min(entry.low, address);
    entry.high = std::max(entry.high, address);
    mark(address);
  }
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

void WriteLog::atomic(const MicroOp& op, std::uint32_t mask, std::uint64_t cycle,
                      const std::uint64_t* addresses, const std::uint32_t* operand, const std::uint32_t* swap,
                      std::uint32_t* destination) {
  Entry& entry = add(Kind::atomic, cycle, mask, addresses);
  entry.op = &op;
  entry.destination = destination;
  append(operand, atomic_words(op));
  append(swap, atomic_words(op));
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
    const bool written = !entries_.empty() && marked(here);
    const std::uint64_t piece = written ? granule : line_bytes;
    const std::size_t count = std::min<std::size_t>(piece - here % piece, bytes.size() - done);
    if (written) {
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
  return (any & 1U) != 0;
}

void WriteLog::apply(const Entry& entry, std::uint32_t mask, std::byte* base, std::uint64_t origin,
                     std::uint32_t* destination) const {
  const std::uint32_t* const rows = words_.data() + entry.data + address_words;
  alignas(64) std::uint64_t addresses[lanes];
  std::memcpy(addresses, words_.data() + entry.data, sizeof addresses);
  if (entry.kind == Kind::store) {
    store_cells(*entry.op, mask, addresses, rows, base, origin);
  } else {
    const std::uint32_t* const swap = rows + std::size_t{atomic_words(*entry.op)} * lanes;
    update_cells(*entry.op, mask, addresses, {rows, swap, destination}, base, origin, true);
  }
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
    std::uint64_t addresses[lanes];
    std::memcpy(addresses, words_.data() + entry.data, sizeof addresses);
    std::uint32_t here = 0;
    for (std::uint32_t m = entry.mask; m != 0; m &= m - 1) {
      if (addresses[std::countr_zero(m)] / granule == first / granule) here |= m & (~m + 1);
    }
    std::uint32_t unread[4 * lanes];
    if (here != 0) apply(entry, here, bytes, first, unread);
  }
}

void WriteLog::clear() {
  if (entries_.empty()) return;
  entries_.clear();
  committed_ = 0;
  words_.clear();
  marks_.fill(0);
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
        if (entry.kind == Kind::row) {
          std::memcpy(base + (entry.low - DeviceMemory::first_address), log.words_.data() + entry.data,
                      row_bytes);
        } else if (is_run(entry)) {
          log.apply_run(entry, entry.low, entry.high + 1, base, DeviceMemory::first_address);
        } else {
          log.apply(entry, entry.mask, base, DeviceMemory::first_address, entry.destination);
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
