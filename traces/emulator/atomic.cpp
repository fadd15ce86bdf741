// Atomics and reductions. Micro-ops: address as for loads, d what is added (compare: what is expected), c
// what a compare-and-swap writes, mode AtomicFunction, mode2 AtomicType, mode3 elements of a vector, extra
// atomic_returns. The old value goes to destination.
// Lanes take effect in the order of their numbers.
#include <fmt/format.h>

#include <cstring>

#include "traces/emulator/access.h"
#include "traces/emulator/cluster.h"
#include "traces/emulator/effects.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"
#include "traces/emulator/memory_access.h"
#include "traces/emulator/write_log.h"

namespace warpgauge::emulator::scalar {
namespace {

using traces::MemoryAccess;
using traces::MemorySpace;

template <class T>
T integer_result(AtomicFunction f, T old, T operand, bool is_signed) {
  using S = std::make_signed_t<T>;
  const bool less = is_signed ? static_cast<S>(operand) < static_cast<S>(old) : operand < old;
  switch (f) {
    case AtomicFunction::add:
      return static_cast<T>(old + operand);
    case AtomicFunction::min:
      return less ? operand : old;
    case AtomicFunction::max:
      return less ? old : operand;
    case AtomicFunction::inc:
      return old >= operand ? T{0} : static_cast<T>(old + 1);
    case AtomicFunction::dec:
      return old == 0 || old > operand ? operand : static_cast<T>(old - 1);
    case AtomicFunction::and_:
      return old & operand;
    case AtomicFunction::or_:
      return old | operand;
    case AtomicFunction::xor_:
      return old ^ operand;
    case AtomicFunction::exchange:
    case AtomicFunction::compare_and_swap:
      return operand;
  }
  return old;
}

std::uint32_t float_result(AtomicFunction f, std::uint32_t old, std::uint32_t operand, bool ftz) {
  const float x = as_float(ftz ? flush32(old) : old);
  const float y = as_float(ftz ? flush32(operand) : operand);
  if (f == AtomicFunction::exchange) return operand;
  if (f == AtomicFunction::min || f == AtomicFunction::max) {
    if (is_nan(x)) return is_nan(y) ? canonical_nan32 : as_bits(y);
    if (is_nan(y)) return as_bits(x);
    const bool y_less = y < x || (y == x && (as_bits(y) >> 31) != 0);
    return as_bits(y_less == (f == AtomicFunction::min) ? y : x);
  }
  const std::uint32_t sum = canonical32(x + y);
  return ftz ? flush32(sum) : sum;
}

double packed_value(std::uint32_t word, unsigned half, bool bf16) {
  const std::uint32_t bits = (word >> (16 * half)) & 0xffffU;
  return static_cast<double>(bf16 ? bfloat_to_float(bits) : half_to_float(bits));
}

std::uint32_t packed_result(AtomicFunction f, std::uint32_t old, std::uint32_t operand, bool bf16) {
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 2; ++k) {
    const double x = packed_value(old, k, bf16);
    const double y = packed_value(operand, k, bf16);
    double chosen = x + y;
    if (f == AtomicFunction::min) chosen = is_nan(x) || y < x ? y : x;
    if (f == AtomicFunction::max) chosen = is_nan(x) || y > x ? y : x;
    if (f == AtomicFunction::exchange) chosen = y;
    result |= (bf16 ? round_to_bfloat(chosen, round_nearest) : round_to_half(chosen, round_nearest))
              << (16 * k);
  }
  return result;
}

std::uint64_t double_result(AtomicFunction f, std::uint64_t old, std::uint64_t operand) {
  const double x = as_double(old);
  const double y = as_double(operand);
  if (f == AtomicFunction::min) return y < x ? operand : old;
  if (f == AtomicFunction::max) return y > x ? operand : old;
  if (f == AtomicFunction::exchange) return operand;
  return as_bits(x + y);
}

std::uint32_t result32(AtomicFunction f, AtomicType type, std::uint32_t old, std::uint32_t operand) {
  switch (type) {
    case AtomicType::f16x2:
      return packed_result(f, old, operand, false);
    case AtomicType::bf16x2:
      return packed_result(f, old, operand, true);
    case AtomicType::f32:
      return float_result(f, old, operand, false);
    case AtomicType::f32_ftz:
      return float_result(f, old, operand, true);
    default:
      return integer_result<std::uint32_t>(f, old, operand, type == AtomicType::s32);
  }
}

std::uint64_t result64(AtomicFunction f, AtomicType type, std::uint64_t old, std::uint64_t operand) {
  if (type == AtomicType::f64) return double_result(f, old, operand);
  return integer_result<std::uint64_t>(f, old, operand, type == AtomicType::s64);
}

// Blocks may run on several host threads: a loop of compare-and-swap gives every function and type.
template <class T, class F>
T update(T* cell, F next) {
  T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, next(old), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

// Shared memory belongs to one host thread.
template <class T, class F>
T update_alone(T* cell, F next) {
  const T old = *cell;
  *cell = next(old);
  return old;
}

struct Cells {
  bool alone = false;
  template <class T, class F>
  T operator()(std::byte* at, F next) const {
    T* const cell = reinterpret_cast<T*>(at);
    return alone ? update_alone(cell, next) : update(cell, next);
  }
};

unsigned element_bytes(AtomicType type) {
  switch (type) {
    case AtomicType::u64:
    case AtomicType::s64:
    case AtomicType::f64:
      return 8;
    case AtomicType::b128:
      return 16;
    default:
      return 4;
  }
}

// 128-bit exchanges are one lock for all: they are rare.
void update_wide(const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses,
                 const AtomicRows& rows, std::byte* base, std::uint64_t origin) {
  static int lock = 0;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) {
  }
  each_lane(mask, [&](unsigned i) {
    std::uint32_t old[4];
    std::memcpy(old, base + (addresses[i] - origin), 16);
    bool write = true;
    if (static_cast<AtomicFunction>(op.mode) == AtomicFunction::compare_and_swap)
      for (unsigned k = 0; k < 4; ++k) write = write && old[k] == rows.operand[i + k * lanes];
    const std::uint32_t* const from =
        static_cast<AtomicFunction>(op.mode) == AtomicFunction::compare_and_swap ? rows.swap : rows.operand;
    std::uint32_t fresh[4];
    for (unsigned k = 0; k < 4; ++k) fresh[k] = write ? from[i + k * lanes] : old[k];
    std::memcpy(base + (addresses[i] - origin), fresh, 16);
    for (unsigned k = 0; k < 4; ++k) rows.destination[i + k * lanes] = old[k];
  });
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

bool is_float(AtomicType type) {
  return type == AtomicType::f16x2 || type == AtomicType::bf16x2 || type == AtomicType::f32 ||
         type == AtomicType::f32_ftz || type == AtomicType::f64;
}

unsigned total_bytes(const MicroOp& op) {
  const unsigned bytes = element_bytes(static_cast<AtomicType>(op.mode2));
  return bytes == 4 ? bytes * op.mode3 : bytes;
}

MemoryAccess kind(const MicroOp& op) {
  return (op.extra & atomic_returns) != 0 ? MemoryAccess::atomic : MemoryAccess::reduction;
}

AtomicRows rows_of(Warp& warp, const MicroOp& op) {
  return {source(warp, op.d), source(warp, op.c), row(warp, op.destination)};
}

// A loop can wait for the value that an atomic returns: then only what it changes is progress, and that is
// looked at in blocks that seem to wait.
template <class Update>
void watched(Block& block, const MicroOp& op, std::uint32_t mask, const std::byte* base, std::uint64_t origin,
             Update update) {
  if (kind(op) == MemoryAccess::reduction) make_progress(block);
  if (block.idle_turns < suspicious_turns) {
    update();
    return;
  }
  constexpr std::size_t most_bytes = 16;
  const std::size_t bytes = std::min<std::size_t>(total_bytes(op), most_bytes);
  const std::uint64_t* const addresses = block.access.addresses;
  std::byte before[lanes][most_bytes];
  each_lane(mask, [&](unsigned i) { std::memcpy(before[i], base + (addresses[i] - origin), bytes); });
  update();
  each_lane(mask, [&](unsigned i) {
    if (std::memcmp(before[i], base + (addresses[i] - origin), bytes) != 0) make_progress(block);
  });
}

void global_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  check_global(block, op, mask, total_bytes(op), "atomic");
  record(block, MemorySpace::global, kind(op), total_bytes(op), mask);
  const AtomicRows rows = rows_of(warp, op);
  if (block.log != nullptr) {
    block.ticket = block.log->defer_atomic(op, warp_slot(block, warp), mask, block.access.addresses, rows.operand, rows.swap,
                                           rows.destination);
    return;
  }
  std::byte* const base = block.context->memory->host(DeviceMemory::first_address);
  constexpr std::uint64_t origin = DeviceMemory::first_address;
  watched(block, op, mask, base, origin,
          [&] { update_cells(op, mask, block.access.addresses, rows, base, origin, false); });
}

void shared_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  check_shared(block, block.access.addresses, mask, total_bytes(op), "atomic");
  record(block, MemorySpace::shared, kind(op), total_bytes(op), mask);
  auto* const base = reinterpret_cast<std::byte*>(block.shared);
  const AtomicRows rows = rows_of(warp, op);
  watched(block, op, mask, base, 0,
          [&] { update_cells(op, mask, block.access.addresses, rows, base, 0, true); });
}

// Block by block: their memories lie apart.
void cluster_at(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  record(block, MemorySpace::cluster, kind(op), total_bytes(op), mask);
  const AtomicRows rows = rows_of(warp, op);
  const std::uint64_t* const addresses = block.access.addresses;
  for (std::uint32_t rest = mask; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t origin = addresses[first] & ~(shared_window_bytes - 1);
    Block& other = block_of_shared(block, addresses[first], first);
    std::uint32_t same = 0;
    each_lane(rest, [&](unsigned i) {
      if ((addresses[i] & ~(shared_window_bytes - 1)) != origin) return;
      same |= 1U << i;
      if (shared_offset(addresses[i]) + total_bytes(op) > block.context->shared_end || addresses[i] % element_bytes(static_cast<AtomicType>(op.mode2)) != 0)
        throw LaneFault{FaultKind::illegal_address,
                        fmt::format("an atomic access at {:#x} of the cluster's shared memory is out of bounds or not aligned", addresses[i]), i};
    });
    rest &= ~same;
    make_progress(other);
    auto* const base = reinterpret_cast<std::byte*>(other.shared);
    watched(block, op, same, base, origin,
            [&] { update_cells(op, same, addresses, rows, base, origin, true); });
  }
}

}  // namespace

void atomic_global(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  poll(block, warp);
  global_addresses(block, warp, op);
  global_at(block, warp, op, mask);
}

void atomic_shared(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  poll(block, warp);
  window_addresses(block, warp, op);
  shared_at(block, warp, op, mask);
}

// Pd tells which lanes' atomics took place: those of floats do in global memory alone, and the program does
// the others itself.
void atomic_generic(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  poll(block, warp);
  global_addresses(block, warp, op);
  const bool global_only =
      op.predicate_destination != Predicate::discard && is_float(static_cast<AtomicType>(op.mode2));
  std::uint32_t done = 0;
  by_space(block, mask, [&](MemorySpace space, std::uint32_t part) {
    if (space != MemorySpace::global && global_only) {
      record(block, space, kind(op), total_bytes(op), part);
      return;
    }
    if (space == MemorySpace::local)
      throw LaneFault{FaultKind::illegal_address, "an atomic access to local memory",
                      static_cast<unsigned>(std::countr_zero(part))};
    done |= part;
    if (space == MemorySpace::shared)
      shared_at(block, warp, op, part);
    else if (space == MemorySpace::cluster)
      cluster_at(block, warp, op, part);
    else
      global_at(block, warp, op, part);
  });
  set_predicate(warp, op.predicate_destination, done, mask);
}

// ATOMS.POPC.INC: each address grows by the number of lanes that name it; each lane receives what was there
// before.
void atomic_aggregated(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  window_addresses(block, warp, op);
  check_shared(block, block.access.addresses, mask, 4, "atomic");
  record(block, MemorySpace::shared, kind(op), 4, mask);
  make_progress(block);
  std::uint32_t old[lanes];
  each_lane(mask, [&](unsigned i) { std::memcpy(&old[i], block.shared + block.access.addresses[i], 4); });
  each_lane(mask, [&](unsigned i) {
    std::uint32_t now = 0;
    std::memcpy(&now, block.shared + block.access.addresses[i], 4);
    ++now;
    std::memcpy(block.shared + block.access.addresses[i], &now, 4);
  });
  std::uint32_t* const destination = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) { destination[i] = old[i]; });
}

}  // namespace warpgauge::emulator::scalar

namespace warpgauge::emulator {

unsigned atomic_words(const MicroOp& op) {
  return scalar::total_bytes(op) / 4;
}

namespace {

// Of the lanes whose words lie in one bank of shared memory, the first.
std::uint32_t first_of_banks(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) {
  constexpr unsigned banks = 32, bank_bytes = 4;
  std::uint32_t taken = 0, first = 0;
  each_lane(mask, [&](unsigned i) {
    const unsigned bank = static_cast<unsigned>(addresses[i] / bank_bytes) % banks;
    const std::uint32_t wanted = (bytes == 8 ? 3U : 1U) << bank;
    if ((taken & wanted) != 0) return;
    taken |= wanted;
    first |= 1U << i;
  });
  return first;
}

}  // namespace

void combine_run(AtomicFunction function, AtomicType type, const std::byte* from, std::byte* to,
                 std::size_t bytes, bool alone) {
  using namespace scalar;
  const Cells cells{alone};
  const auto combine = [&](auto zero, auto result) {
    using T = decltype(zero);
    for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
      T given = zero;
      std::memcpy(&given, from + at, sizeof given);
      cells.operator()<T>(to + at, [&](T now) { return static_cast<T>(result(now, given)); });
    }
  };
  switch (type) {
    case AtomicType::u64:
    case AtomicType::s64:
    case AtomicType::f64:
      return combine(std::uint64_t{0}, [=](std::uint64_t now, std::uint64_t given) {
        return result64(function, type, now, given);
      });
    case AtomicType::f16x2:
    case AtomicType::bf16x2:
      return combine(std::uint16_t{0}, [=](std::uint16_t now, std::uint16_t given) {
        return result32(function, type, now, given);
      });
    default:
      return combine(std::uint32_t{0}, [=](std::uint32_t now, std::uint32_t given) {
        return result32(function, type, now, given);
      });
  }
}

void update_cells(const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses,
                  const AtomicRows& rows, std::byte* base, std::uint64_t origin, bool alone) {
  using namespace scalar;
  const auto function = static_cast<AtomicFunction>(op.mode);
  const auto type = static_cast<AtomicType>(op.mode2);
  const auto* const operand = rows.operand;
  const auto* const swap = rows.swap;
  auto* const destination = rows.destination;
  const Cells cells{alone};
  const bool compares = function == AtomicFunction::compare_and_swap;
  const bool succeeds = (op.extra & atomic_success) != 0;
  const unsigned bytes = element_bytes(type);
  if ((op.extra & atomic_spin) != 0) {
    const std::uint32_t tried = first_of_banks(addresses, mask, bytes);
    each_lane(mask & ~tried, [&](unsigned i) {
      destination[i] = 0;
      if (bytes == 8) destination[i + lanes] = 0;
    });
    mask = tried;
  }
  switch (bytes) {
    case 16:
      update_wide(op, mask, addresses, rows, base, origin);
      break;
    case 8:
      each_lane(mask, [&](unsigned i) {
        const std::uint64_t given = (std::uint64_t{operand[i + lanes]} << 32) | operand[i];
        const std::uint64_t fresh = (std::uint64_t{swap[i + lanes]} << 32) | swap[i];
        const std::uint64_t old =
            cells.operator()<std::uint64_t>(base + (addresses[i] - origin), [&](std::uint64_t now) {
              if (compares) return now == given ? fresh : now;
              return result64(function, type, now, given);
            });
        destination[i] = succeeds ? (old == given ? 1U : 0U) : static_cast<std::uint32_t>(old);
        destination[i + lanes] = succeeds ? 0U : static_cast<std::uint32_t>(old >> 32);
      });
      break;
    default:
      each_lane(mask, [&](unsigned i) {
        if (succeeds) {
          const std::uint32_t old = cells.operator()<std::uint32_t>(
              base + (addresses[i] - origin),
              [&](std::uint32_t now) { return now == operand[i] ? swap[i] : now; });
          destination[i] = old == operand[i] ? 1 : 0;
          return;
        }
        for (unsigned k = 0; k < op.mode3; ++k) {
          const std::uint32_t given = operand[i + k * lanes];
          const std::uint32_t fresh = swap[i + k * lanes];
          const std::uint32_t old = cells.operator()<std::uint32_t>(
              base + (addresses[i] - origin) + 4 * std::size_t{k}, [&](std::uint32_t now) {
                if (compares) return now == given ? fresh : now;
                return result32(function, type, now, given);
              });
          destination[i + k * lanes] = old;
        }
      });
  }
}

}  // namespace warpgauge::emulator
