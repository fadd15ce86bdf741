// Loads and stores. Micro-ops: a (and wide_a) base, b uniform base, immediate offset, extra2 scale of a
// 32-bit base, mode Cell, mode2 access flags, destination of loads, d data of stores.
#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "traces/emulator/access.h"
#include "traces/emulator/cluster.h"
#include "traces/emulator/effects.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/memory_access.h"
#include "traces/emulator/write_log.h"

namespace warpgauge::emulator::scalar {
namespace {

using traces::MemoryAccess;
using traces::MemorySpace;

// Racing accesses of blocks that run on several host threads are what the program asked for: each lane's word
// is moved in one piece. On common hosts these are plain moves.
template <class T>
T load_cell(const std::byte* from) {
  return __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_RELAXED);
}
template <class T>
void store_cell(std::byte* to, T value) {
  __atomic_store_n(reinterpret_cast<T*>(to), value, __ATOMIC_RELAXED);
}

// `at(lane)` is the host address of a lane's cell.
template <class At>
void load_lanes(std::uint32_t* destination, std::uint32_t mask, Cell cell, At at) {
  switch (cell) {
    case Cell::u8:
      each_lane(mask, [&](unsigned i) { destination[i] = load_cell<std::uint8_t>(at(i)); });
      break;
    case Cell::s8:
      each_lane(mask, [&](unsigned i) {
        destination[i] = static_cast<std::uint32_t>(static_cast<std::int8_t>(load_cell<std::uint8_t>(at(i))));
      });
      break;
    case Cell::u16:
      each_lane(mask, [&](unsigned i) { destination[i] = load_cell<std::uint16_t>(at(i)); });
      break;
    case Cell::s16:
      each_lane(mask, [&](unsigned i) {
        destination[i] =
            static_cast<std::uint32_t>(static_cast<std::int16_t>(load_cell<std::uint16_t>(at(i))));
      });
      break;
    case Cell::b32:
      each_lane(mask, [&](unsigned i) { destination[i] = load_cell<std::uint32_t>(at(i)); });
      break;
    case Cell::b64:
      each_lane(mask, [&](unsigned i) {
        const auto v = load_cell<std::uint64_t>(at(i));
        destination[i] = static_cast<std::uint32_t>(v);
        destination[i + lanes] = static_cast<std::uint32_t>(v >> 32);
      });
      break;
    case Cell::b128:
      each_lane(mask, [&](unsigned i) {
        const auto low = load_cell<std::uint64_t>(at(i));
        const auto high = load_cell<std::uint64_t>(at(i) + 8);
        destination[i] = static_cast<std::uint32_t>(low);
        destination[i + lanes] = static_cast<std::uint32_t>(low >> 32);
        destination[i + 2 * lanes] = static_cast<std::uint32_t>(high);
        destination[i + 3 * lanes] = static_cast<std::uint32_t>(high >> 32);
      });
      break;
  }
}

template <class At>
void store_lanes(const std::uint32_t* data, std::uint32_t mask, Cell cell, At at) {
  switch (cell) {
    case Cell::u8:
    case Cell::s8:
      each_lane(mask, [&](unsigned i) { store_cell(at(i), static_cast<std::uint8_t>(data[i])); });
      break;
    case Cell::u16:
    case Cell::s16:
      each_lane(mask, [&](unsigned i) { store_cell(at(i), static_cast<std::uint16_t>(data[i])); });
      break;
    case Cell::b32:
      each_lane(mask, [&](unsigned i) { store_cell(at(i), data[i]); });
      break;
    case Cell::b64:
      each_lane(mask,
                [&](unsigned i) { store_cell(at(i), (std::uint64_t{data[i + lanes]} << 32) | data[i]); });
      break;
    case Cell::b128:
      each_lane(mask, [&](unsigned i) {
        store_cell(at(i), (std::uint64_t{data[i + lanes]} << 32) | data[i]);
        store_cell(at(i) + 8, (std::uint64_t{data[i + 3 * lanes]} << 32) | data[i + 2 * lanes]);
      });
      break;
  }
}

// Cells of global memory as the block's SM sees them while a window of the model is under way.
class SeenCells {
 public:
  SeenCells(const Block& block, std::uint32_t mask) : addresses_(block.access.addresses) {
    each_lane(mask, [&](unsigned i) { block.log->view(*block.context->memory, addresses_[i], bytes_[i]); });
  }
  const std::byte* operator()(unsigned i) const { return bytes_[i] + addresses_[i] % WriteLog::granule; }

 private:
  const std::uint64_t* addresses_;
  alignas(WriteLog::granule) std::byte bytes_[lanes][WriteLog::granule];
};

std::uint64_t place(const void* memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

// Words that no other block waits for: they need not be moved lane by lane.
bool whole_words(const MicroOp& op) {
  return static_cast<Cell>(op.mode) >= Cell::b32 && (op.mode2 & access_strong) == 0;
}

void load_global_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  const Pattern pattern = check_global(block, op, mask, bytes, "read");
  record(block, MemorySpace::global, MemoryAccess::load, bytes, mask, pattern);
  std::uint32_t* const destination = row(warp, op.destination);
  const DeviceMemory& memory = *block.context->memory;
  const std::uint64_t* const addresses = block.access.addresses;
  if (block.log != nullptr && (op.mode2 & access_strong) != 0) {
    block.ticket = block.log->defer_load(op, warp_slot(block, warp), mask, addresses, destination);
    return;
  }
  const bool row = pattern.consecutive && cell == Cell::b32;
  if (block.log != nullptr &&
      (row ? block.log->may_hold_row(pattern.first) : block.log->may_hold(addresses, mask))) {
    const SeenCells seen(block, mask);
    load_lanes(destination, mask, cell, [&](unsigned i) { return seen(i); });
  } else if (whole_words(op))
    block.context->kernels->load_words(destination, mask, bytes / 4, memory.host_offset(), addresses,
                                       pattern);
  else
    load_lanes(destination, mask, cell, [&](unsigned i) { return memory.host(addresses[i]); });
}

void store_global_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  const Pattern pattern = check_global(block, op, mask, bytes, "write");
  record(block, MemorySpace::global, MemoryAccess::store, bytes, mask, pattern);
  make_progress(block);
  const std::uint32_t* const data = source(warp, op.d);
  const DeviceMemory& memory = *block.context->memory;
  const std::uint64_t* const addresses = block.access.addresses;
  if (block.log != nullptr && (op.mode2 & access_strong) != 0) {
    block.ticket = block.log->defer_store(op, warp_slot(block, warp), mask, addresses, data);
    return;
  }
  const bool whole = mask == all_lanes && whole_words(op);
  if (block.log != nullptr && whole && pattern.consecutive && bytes == 4)
    block.log->store_row(block.cycle, pattern.first, data);
  else if (block.log != nullptr)
    block.log->store(op, mask, block.cycle, addresses, data);
  else if (whole)
    block.context->kernels->store_words(data, bytes / 4, memory.host_offset(), addresses, pattern);
  else
    store_lanes(data, mask, cell, [&](unsigned i) { return memory.host(addresses[i]); });
}

// Shared memory belongs to the block, and a block to one thread of the host.
void load_shared_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  const std::uint64_t* const addresses = block.access.addresses;
  const Pattern pattern = check_shared(block, addresses, mask, bytes, "read");
  record(block, MemorySpace::shared, MemoryAccess::load, bytes, mask, pattern);
  block.listened = true;
  const auto* const base = reinterpret_cast<const std::byte*>(block.shared);
  std::uint32_t* const destination = row(warp, op.destination);
  if (cell >= Cell::b32)
    block.context->kernels->load_words(destination, mask, bytes / 4, place(base), addresses, pattern);
  else
    load_lanes(destination, mask, cell, [=](unsigned i) { return base + addresses[i]; });
}

void store_shared_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  const std::uint64_t* const addresses = block.access.addresses;
  const Pattern pattern = check_shared(block, addresses, mask, bytes, "write");
  record(block, MemorySpace::shared, MemoryAccess::store, bytes, mask, pattern);
  make_progress(block);
  auto* const base = reinterpret_cast<std::byte*>(block.shared);
  const std::uint32_t* const data = source(warp, op.d);
  if (mask == all_lanes && cell >= Cell::b32)
    block.context->kernels->store_words(data, bytes / 4, place(base), addresses, pattern);
  else
    store_lanes(data, mask, cell, [=](unsigned i) { return base + addresses[i]; });
}

// Other blocks' shared memory: a lane at a time, each where its block has it.
std::byte* cluster_cell(Block& block, unsigned lane, unsigned bytes, const char* verb) {
  const std::uint64_t address = block.access.addresses[lane];
  Block& other = block_of_shared(block, address, lane);
  const std::uint64_t offset = shared_offset(address);
  if (offset % bytes != 0)
    throw LaneFault{FaultKind::misaligned_address,
                    fmt::format("{} of {} bytes at {:#x} of the cluster's shared memory is not aligned", verb, bytes, address),
                    lane};
  if (offset + bytes > block.context->shared_end)
    throw LaneFault{FaultKind::illegal_address,
                    fmt::format("{} of {} bytes at {:#x} of the cluster's shared memory is out of bounds", verb, bytes, address),
                    lane};
  return reinterpret_cast<std::byte*>(other.shared + offset);
}

void load_cluster_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  record(block, MemorySpace::cluster, MemoryAccess::load, cell_bytes(cell), mask);
  poll(block, warp);  // others write there
  load_lanes(row(warp, op.destination), mask, cell,
             [&](unsigned i) { return cluster_cell(block, i, cell_bytes(cell), "read"); });
}

void store_cluster_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  record(block, MemorySpace::cluster, MemoryAccess::store, cell_bytes(cell), mask);
  each_lane(mask, [&](unsigned i) { make_progress(block_of_shared(block, block.access.addresses[i], i)); });
  store_lanes(source(warp, op.d), mask, cell,
              [&](unsigned i) { return cluster_cell(block, i, cell_bytes(cell), "write"); });
}

std::uint32_t* local_word(Block& block, const Warp& warp, std::uint64_t address, unsigned lane) {
  const std::uint64_t words = block.context->local_bytes / 4;
  return block.local + (warp.index * words + address / 4) * lanes + lane;
}

void load_local_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  check_local(block, mask, bytes, "read");
  record(block, MemorySpace::local, MemoryAccess::load, bytes, mask);
  std::uint32_t* const destination = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) {
    const std::uint64_t address = block.access.addresses[i];
    const std::uint32_t* const word = local_word(block, warp, address, i);
    const std::uint32_t shifted = *word >> (8 * (address & 3U));
    switch (cell) {
      case Cell::u8:
        destination[i] = shifted & 0xffU;
        break;
      case Cell::s8:
        destination[i] = static_cast<std::uint32_t>(static_cast<std::int8_t>(shifted));
        break;
      case Cell::u16:
        destination[i] = shifted & 0xffffU;
        break;
      case Cell::s16:
        destination[i] = static_cast<std::uint32_t>(static_cast<std::int16_t>(shifted));
        break;
      default:
        for (unsigned k = 0; k < bytes / 4; ++k) destination[i + k * lanes] = word[k * lanes];
    }
  });
}

void store_local_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  check_local(block, mask, bytes, "write");
  record(block, MemorySpace::local, MemoryAccess::store, bytes, mask);
  const std::uint32_t* const data = source(warp, op.d);
  each_lane(mask, [&](unsigned i) {
    const std::uint64_t address = block.access.addresses[i];
    std::uint32_t* const word = local_word(block, warp, address, i);
    if (bytes >= 4) {
      for (unsigned k = 0; k < bytes / 4; ++k) word[k * lanes] = data[i + k * lanes];
    } else {
      const unsigned shift = 8 * static_cast<unsigned>(address & 3U);
      const std::uint32_t ones = (bytes == 1 ? 0xffU : 0xffffU) << shift;
      *word = (*word & ~ones) | ((data[i] << shift) & ones);
    }
  });
}

// Words of a constant bank; beyond its end, but inside the 64 KiB that a bank can have, it reads as zero.
std::uint32_t constant_word(const Block& block, unsigned bank, std::uint64_t address, unsigned lane) {
  constexpr std::uint64_t bank_bytes = 65536;
  if (address + 4 > bank_bytes + 3)
    throw LaneFault{FaultKind::constant_out_of_range,
                    fmt::format("read of c[{:#x}][{:#x}] is beyond the bank's 64 KiB", bank, address), lane};
  std::uint32_t word = 0;
  if (bank < block.context->constants.size()) {
    const auto& bytes = block.context->constants[bank];
    for (unsigned k = 0; k < 4; ++k)
      if (address + k < bytes.size()) word |= std::uint32_t{bytes[address + k]} << (8 * k);
  }
  return word;
}

void read_constant(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  std::uint32_t* const destination = row(warp, op.destination);
  const std::uint64_t* const addresses = block.access.addresses;
  const Pattern pattern = block.context->kernels->pattern(addresses, mask, bytes);
  record(block, MemorySpace::constant, MemoryAccess::load, bytes, mask, pattern);
  if (cell >= Cell::b32 && op.extra < block.context->constants.size() &&
      (pattern.joined() & (bytes - 1)) == 0) {
    const auto& bank = block.context->constants[op.extra];
    if (inside(block, addresses, mask, pattern, bytes, bank.size())) {
      block.context->kernels->load_words(destination, mask, bytes / 4, place(bank.data()), addresses,
                                         pattern);
      return;
    }
  }
  each_lane(mask, [&](unsigned i) {
    const std::uint64_t address = block.access.addresses[i];
    if ((address & (bytes - 1)) != 0)
      throw LaneFault{FaultKind::misaligned_address,
                      fmt::format("constant read of {} bytes at {:#x} is not aligned", bytes, address), i};
    const std::uint32_t word = constant_word(block, op.extra, address, i);
    switch (cell) {
      case Cell::u8:
        destination[i] = word & 0xffU;
        break;
      case Cell::s8:
        destination[i] = static_cast<std::uint32_t>(static_cast<std::int8_t>(word));
        break;
      case Cell::u16:
        destination[i] = word & 0xffffU;
        break;
      case Cell::s16:
        destination[i] = static_cast<std::uint32_t>(static_cast<std::int16_t>(word));
        break;
      default:
        destination[i] = word;
        for (unsigned k = 1; k < bytes / 4; ++k)
          destination[i + k * lanes] = constant_word(block, op.extra, address + 4 * k, i);
    }
  });
}

}  // namespace

void load_global(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.poll) poll(block, warp);
  global_addresses(block, warp, op);
  load_global_at(block, warp, op, mask);
}

// What lies where nothing is allocated is not fetched, and nobody is told.
void prefetch_global(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  global_addresses(block, warp, op);
  std::uint32_t held = 0;
  each_lane(mask, [&](unsigned i) {
    if (block.context->memory->find(block.access.addresses[i]) != nullptr) held |= 1U << i;
  });
  if (held != 0) record(block, MemorySpace::global, MemoryAccess::load, 1, held);
}

void store_global(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  global_addresses(block, warp, op);
  store_global_at(block, warp, op, mask);
}

void load_shared(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  window_addresses(block, warp, op);
  load_shared_at(block, warp, op, mask);
}

void store_shared(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  window_addresses(block, warp, op);
  store_shared_at(block, warp, op, mask);
}

void load_local(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  window_addresses(block, warp, op);
  load_local_at(block, warp, op, mask);
}

void store_local(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  window_addresses(block, warp, op);
  store_local_at(block, warp, op, mask);
}

void load_generic(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.poll) poll(block, warp);
  global_addresses(block, warp, op);
  // A base register may be part of the destination: all addresses are known by now.
  by_space(block, mask, [&](MemorySpace space, std::uint32_t part) {
    if (space == MemorySpace::shared)
      load_shared_at(block, warp, op, part);
    else if (space == MemorySpace::local)
      load_local_at(block, warp, op, part);
    else if (space == MemorySpace::cluster)
      load_cluster_at(block, warp, op, part);
    else
      load_global_at(block, warp, op, part);
  });
}

void store_generic(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  global_addresses(block, warp, op);
  by_space(block, mask, [&](MemorySpace space, std::uint32_t part) {
    if (space == MemorySpace::shared)
      store_shared_at(block, warp, op, part);
    else if (space == MemorySpace::local)
      store_local_at(block, warp, op, part);
    else if (space == MemorySpace::cluster)
      store_cluster_at(block, warp, op, part);
    else
      store_global_at(block, warp, op, part);
  });
}

// extra: bank. mode3: 1 = the address is op.immediate alone, and c has the words in the literal pool.
void load_constant(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.mode3 != 0) {
    const unsigned words = cell_bytes(static_cast<Cell>(op.mode)) / 4;
    const MemoryKernels& kernels = *block.context->kernels;
    kernels.choose_rows(row(warp, op.destination), mask, words, source(warp, op.c));
    kernels.same_address(static_cast<std::uint64_t>(op.immediate), block.access.addresses);
    record(block, MemorySpace::constant, MemoryAccess::load, 4 * words, mask);
    block.access.places.same = true;
    return;
  }
  window_addresses(block, warp, op);
  read_constant(block, warp, op, mask);
}

// The handle in d's uniform register holds the bank's device address; see LDC with cx[].
void load_bindless_constant(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const handle = source(warp, op.d);
  const std::uint64_t bank = (std::uint64_t{handle[lanes]} << 32) | handle[0];
  window_addresses(block, warp, op);
  for (unsigned i = 0; i < lanes; ++i) block.access.addresses[i] += bank;
  load_global_at(block, warp, op, mask);
  block.access.space = MemorySpace::constant;
}

// LDGSTS. c: base of the shared address, extra: its offset; p: where it does not hold, zeros are stored.
void copy_to_shared(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  global_addresses(block, warp, op);
  const std::uint32_t* const shared_base = source(warp, op.c);
  for (unsigned i = 0; i < lanes; ++i)
    block.access.shared_addresses[i] = std::uint32_t{shared_base[i] + op.extra};
  take_own_rank(block, block.access.shared_addresses);
  const std::uint32_t wanted = mask & value(warp, op.p);
  const std::uint32_t zeroed = mask & ~wanted;
  check_shared(block, block.access.shared_addresses, mask, bytes, "write");
  if (wanted != 0) check_global(block, op, wanted, bytes, "read");
  record(block, MemorySpace::global, MemoryAccess::copy, bytes, wanted);
  make_progress(block);
  const DeviceMemory& memory = *block.context->memory;
  const auto copy = [&](auto at) {
    const auto move = [&](auto size) {
      each_lane(wanted, [&](unsigned i) {
        std::memcpy(block.shared + block.access.shared_addresses[i], at(i), size());
      });
    };
    if (bytes == 16)
      move(std::integral_constant<std::size_t, 16>());
    else if (bytes == 8)
      move(std::integral_constant<std::size_t, 8>());
    else
      move(std::integral_constant<std::size_t, 4>());
  };
  if (block.log != nullptr && block.log->may_hold(block.access.addresses, wanted)) {
    const SeenCells seen(block, wanted);
    copy([&](unsigned i) { return seen(i); });
  } else
    copy([&](unsigned i) { return memory.host(block.access.addresses[i]); });
  each_lane(zeroed,
            [&](unsigned i) { std::memset(block.shared + block.access.shared_addresses[i], 0, bytes); });
}

// LDSM: mode3 matrices (1, 2, 4) of 8 rows of 16 bytes; lane 8m + r gives the address of row r of matrix m.
// mode2: 1 = transposed. Lane l receives elements 2(l % 4), 2(l % 4) + 1 of row l / 4.
void load_matrix(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  window_addresses(block, warp, op);
  const unsigned matrices = op.mode3;
  const std::uint32_t rows_mask = matrices == 4 ? all_lanes : (1U << (8 * matrices)) - 1;
  check_shared(block, block.access.addresses, mask & rows_mask, 16, "read");
  record(block, MemorySpace::shared, MemoryAccess::load, 16, mask);
  std::uint32_t* const destination = row(warp, op.destination);
  for (unsigned m = 0; m < matrices; ++m) {
    each_lane(mask, [&](unsigned i) {
      std::uint16_t element[2];
      for (unsigned k = 0; k < 2; ++k) {
        const unsigned r = op.mode2 != 0 ? 2 * (i % 4) + k : i / 4;
        const unsigned column = op.mode2 != 0 ? i / 4 : 2 * (i % 4) + k;
        std::memcpy(&element[k], block.shared + block.access.addresses[8 * m + r] + 2 * std::size_t{column},
                    2);
      }
      destination[i + m * lanes] = std::uint32_t{element[0]} | (std::uint32_t{element[1]} << 16);
    });
  }
}

// STSM: the opposite of LDSM.
void store_matrix(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  window_addresses(block, warp, op);
  const unsigned matrices = op.mode3;
  const std::uint32_t rows_mask = matrices == 4 ? all_lanes : (1U << (8 * matrices)) - 1;
  check_shared(block, block.access.addresses, mask & rows_mask, 16, "write");
  record(block, MemorySpace::shared, MemoryAccess::store, 16, mask);
  make_progress(block);
  const std::uint32_t* const data = source(warp, op.d);
  for (unsigned m = 0; m < matrices; ++m) {
    each_lane(mask, [&](unsigned i) {
      for (unsigned k = 0; k < 2; ++k) {
        const unsigned r = op.mode2 != 0 ? 2 * (i % 4) + k : i / 4;
        const unsigned column = op.mode2 != 0 ? i / 4 : 2 * (i % 4) + k;
        const auto element = static_cast<std::uint16_t>(data[i + m * lanes] >> (16 * k));
        std::memcpy(block.shared + block.access.addresses[8 * m + r] + 2 * std::size_t{column}, &element, 2);
      }
    });
  }
}

// QSPC: does the generic address lie in the space? mode: 0 global, 1 local, 2 the block's own shared memory, 3 that of any
// block of the cluster. Programs take an address of another block's for the own one's where 2 says so.
void query_space(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  enum : std::uint8_t { global, local, own_shared, cluster_shared };
  global_addresses(block, warp, op);
  std::uint32_t holds = 0;
  each_lane(mask, [&](unsigned i) {
    const MemorySpace space = space_of(block, block.access.addresses[i]);
    bool in = space == MemorySpace::global;
    if (op.mode == local) in = space == MemorySpace::local;
    if (op.mode == own_shared) in = space == MemorySpace::shared;
    if (op.mode == cluster_shared) in = space == MemorySpace::shared || space == MemorySpace::cluster;
    if (in) holds |= 1U << i;
  });
  set_predicate(warp, op.predicate_destination, holds, mask);
  std::uint32_t* const destination = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) { destination[i] = (holds >> i) & 1U; });
}

}  // namespace warpgauge::emulator::scalar

namespace warpgauge::emulator {

void store_cells(const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses,
                 const std::uint32_t* data, std::byte* base, std::uint64_t origin) {
  scalar::store_lanes(data, mask, static_cast<Cell>(op.mode),
                      [=](unsigned i) { return base + (addresses[i] - origin); });
}

void load_cells(const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses, const std::byte* base,
                std::uint64_t origin, std::uint32_t* destination) {
  scalar::load_lanes(destination, mask, static_cast<Cell>(op.mode),
                     [=](unsigned i) { return base + (addresses[i] - origin); });
}

}  // namespace warpgauge::emulator
