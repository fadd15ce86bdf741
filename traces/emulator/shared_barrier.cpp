// Barrier objects in shared memory: SYNCS on sm_90, ATOMS.ARRIVE before, ARRIVES on both. Semantics: PTX ISA,
// mbarrier. What bulk copies bring comes later (Block::coming); other copies are carried out when they are issued, so that what
// arrives for them arrives at once.
//
// Compilers make and take apart the 64-bit state by themselves, which shows where its fields lie. Counts are
// kept negative.
//   sm_90        bits 1-20: arrivals expected in a phase; 22-42: transactions under way;
//                43-62: arrivals to come; 63: phase
//   before       bits 0-29: expected; 32-62: to come; 63: phase
#include "traces/emulator/shared_barrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "traces/emulator/access.h"
#include "traces/emulator/cluster.h"
#include "traces/emulator/executors.h"

namespace warpgauge::emulator::scalar {
namespace {

constexpr unsigned state_bytes = 8;
constexpr std::uint64_t phase_bit = std::uint64_t{1} << 63;

struct Field {
  unsigned first;
  unsigned width;
  [[nodiscard]] std::uint64_t mask() const { return ((std::uint64_t{1} << width) - 1) << first; }
  [[nodiscard]] std::uint64_t get(std::uint64_t state) const { return (state & mask()) >> first; }
  void set(std::uint64_t& state, std::uint64_t value) const {
    state = (state & ~mask()) | ((value << first) & mask());
  }
  void add(std::uint64_t& state, std::uint64_t value) const { set(state, get(state) + value); }
};

struct Layout {
  Field expected;
  Field transactions;  // of no width where there are none
  Field arrivals;
};
constexpr Layout since_hopper{{1, 20}, {22, 21}, {43, 20}};
constexpr Layout before_hopper{{0, 30}, {0, 0}, {32, 31}};

const Layout& layout(const MicroOp& op) {
  return (op.mode3 & arrival_counts_up) != 0 ? before_hopper : since_hopper;
}

std::uint64_t arrivals(const MicroOp& op, std::uint32_t given) {
  switch (static_cast<Arrivals>(op.mode)) {
    case Arrivals::one:
      return 1;
    case Arrivals::given:
      return given;
    default:
      return 0;
  }
}

std::uint64_t transactions(const MicroOp& op, std::uint32_t given) {
  switch (static_cast<Transactions>(op.mode2)) {
    case Transactions::one:
      return 1;
    case Transactions::minus_one:
      return 0U - std::uint64_t{1};
    case Transactions::given:
      return given;
    case Transactions::minus_given:
      return 0U - std::uint64_t{given};
    default:
      return 0;
  }
}

std::uint64_t arrive(const Layout& fields, std::uint64_t state, std::uint64_t count, std::uint64_t change,
                     bool drops) {
  if (drops) fields.expected.add(state, count);
  fields.transactions.add(state, change);
  fields.arrivals.add(state, count);
  if (fields.arrivals.get(state) != 0 || fields.transactions.get(state) != 0) return state;
  fields.arrivals.set(state, fields.expected.get(state));
  if (fields.expected.width < fields.arrivals.width) {
    // The wider field is negative in its own width.
    const std::uint64_t expected = (std::uint64_t{1} << fields.expected.width) - fields.expected.get(state);
    fields.arrivals.set(state, 0U - expected);
  }
  return state ^ phase_bit;
}

// Where a lane's object lies: its block's own, or one of another block of the cluster. The record's addresses have the ranks
// of blocks less this block's own, bit by bit.
std::uint8_t* place(Block& block, unsigned lane) {
  const std::uint64_t address = block.access.addresses[lane];
  if (address < shared_window_bytes) return block.shared + address;
  return block_of_rank(block, address >> shared_rank_bit ^ block.rank, lane).shared + shared_offset(address);
}

std::uint64_t load_state(Block& block, unsigned lane) {
  std::uint64_t state = 0;
  std::memcpy(&state, place(block, lane), state_bytes);
  return state;
}

void store_state(Block& block, unsigned lane, std::uint64_t state) {
  std::memcpy(place(block, lane), &state, state_bytes);
}

void write_pair(std::uint32_t* destination, unsigned lane, std::uint64_t value) {
  destination[lane] = static_cast<std::uint32_t>(value);
  destination[lane + lanes] = static_cast<std::uint32_t>(value >> 32);
}

void find_states(Block& block, const Warp& warp, const MicroOp& op, std::uint32_t mask) {
  block.context->kernels->window_addresses(warp, op, block.access.addresses);
  std::uint32_t own = mask;
  if (block.cluster != nullptr) {
    for (std::uint64_t& address : block.access.addresses) address ^= std::uint64_t{block.rank} << shared_rank_bit;
    each_lane(mask, [&](unsigned i) {
      const std::uint64_t address = block.access.addresses[i];
      if (address < shared_window_bytes) return;
      own &= ~(1U << i);
      make_progress(block_of_rank(block, address >> shared_rank_bit ^ block.rank, i));
      if (shared_offset(address) + state_bytes > block.context->shared_end || address % state_bytes != 0)
        throw LaneFault{FaultKind::illegal_address, fmt::format("barrier access at {:#x} of the cluster's shared memory", address), i};
    });
  }
  if (own != 0) check_shared(block, block.access.addresses, own, state_bytes, "barrier access");
}

// Lanes may arrive at objects of several blocks at once: a consumer's do at its own and its neighbour's.
void record_arrival(Block& block, std::uint32_t mask) {
  using Object = traces::Issued::Object;
  std::optional<std::uint64_t> own;
  std::optional<std::uint64_t> others;
  each_lane(mask, [&](unsigned i) {
    std::optional<std::uint64_t>& first = block.access.addresses[i] < shared_window_bytes ? own : others;
    if (!first) first = block.access.addresses[i];
  });
  if (others)
    block.object_record = {own ? Object::arrives_everywhere : Object::arrives_elsewhere,
                           static_cast<std::uint32_t>(*others) ^ block.rank << shared_rank_bit};
  else
    block.object_record = {Object::arrives, static_cast<std::uint32_t>(own.value_or(0))};
}

}  // namespace

// mode, mode2, mode3: see the header. d: the count that is given. The destination receives the state before.
void arrive_at_state(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  find_states(block, warp, op, mask);
  if (op.memory) record(block, traces::MemorySpace::shared, traces::MemoryAccess::atomic, state_bytes, mask);
  make_progress(block);
  const std::uint32_t* const data = source(warp, op.d);
  std::uint32_t* const destination = row(warp, op.destination);
  std::uint32_t given[lanes];
  std::memcpy(given, data, sizeof given);
  const bool masked = (op.mode3 & arrival_masked) != 0;
  record_arrival(block, mask);
  std::uint64_t before[lanes];
  each_lane(mask, [&](unsigned i) { before[i] = load_state(block, i); });
  each_lane(mask, [&](unsigned i) {
    const std::uint64_t state = load_state(block, i);
    store_state(block, i,
                arrive(layout(op), state, arrivals(op, given[i]), transactions(op, given[i]),
                       (op.mode3 & arrival_drops) != 0));
    if (!masked) before[i] = state;
  });
  const std::uint64_t* const addresses = block.access.addresses;
  each_lane(mask, [&](unsigned i) {
    std::uint32_t together = 0;
    if (masked)
      each_lane(mask, [&](unsigned k) { together |= (addresses[k] == addresses[i] ? 1U : 0U) << k; });
    write_pair(destination, i, masked ? (before[i] >> 32 << 32) | together : before[i]);
  });
}

namespace {

// What a TRYWAIT of lanes that agree would have to look at again; others ask again by themselves.
void stand(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  give_way(block, warp);
  const std::uint32_t* const data = source(warp, op.d);
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t address = block.access.addresses[first];
  if (address >= shared_window_bytes) return;
  bool agree = true;
  each_lane(mask, [&](unsigned i) {
    agree = agree && block.access.addresses[i] == address && ((data[i] ^ data[first]) >> 31) == 0;
  });
  if (!agree) return;
  warp.checked = block.shared + address;
  warp.checked_phase = data[first] >> 31;
  warp.checked_mask = mask;
  warp.checked_predicate = op.predicate_destination;
  block.object_record = {traces::Issued::Object::phase_lasts, static_cast<std::uint32_t>(address)};
}

}  // namespace

// SYNCS.PHASECHK. d: a state's upper word, or the phase's parity in its place; Pd: has that phase ended? mode: 1 = TRYWAIT,
// which stands there for a while if it has not. That is the model's to do; without one other warps have their turn.
void check_phase(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  find_states(block, warp, op, mask);
  const std::uint32_t* const data = source(warp, op.d);
  std::uint32_t ended = 0;
  each_lane(mask, [&](unsigned i) {
    const auto upper = static_cast<std::uint32_t>(load_state(block, i) >> 32);
    ended |= ((upper ^ data[i]) >> 31) << i;
  });
  const bool lasts = (ended & mask) == 0;
  block.object_record = {traces::Issued::Object::phase_asked, 0};
  if (!lasts)
    block.object_record = {traces::Issued::Object::phase_ended,
                           static_cast<std::uint32_t>(block.access.addresses[std::countr_zero(ended & mask)])};
  if (lasts && op.mode == 1)
    stand(block, warp, op, mask);
  else
    poll(block, warp);
  set_predicate(warp, op.predicate_destination, ended, mask);
}

// SYNCS.EXCH and .LD, of one address for the warp. mode: 1 = d is stored.
void exchange_state(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  find_states(block, warp, op, mask);
  const std::uint64_t before = load_state(block, 0);
  if (op.mode != 0) {
    make_progress(block);
    const std::uint32_t* const data = source(warp, op.d);
    store_state(block, 0, (std::uint64_t{data[lanes]} << 32) | data[0]);
  }
  std::uint32_t* const destination = row(warp, op.destination);
  for (unsigned i = 0; i < lanes; ++i) write_pair(destination, i, before);
}

}  // namespace warpgauge::emulator::scalar

namespace warpgauge::emulator {

void check_object(Block& block, std::uint32_t offset, unsigned lane) {
  std::uint64_t address[lanes] = {};
  address[lane] = offset;
  check_shared(block, address, 1U << lane, scalar::state_bytes, "barrier access");
}

void land(Block& block, const ComingBytes& come) {
  std::copy(come.data.begin(), come.data.end(), come.to);
  complete_transactions(block, come.barrier, come.bytes);
}

bool phase_has_ended(Warp& warp) {
  std::uint64_t state = 0;
  std::memcpy(&state, warp.checked, sizeof state);
  if ((state >> 63) == warp.checked_phase) return false;
  set_predicate(warp, warp.checked_predicate, warp.checked_mask, warp.checked_mask);
  return true;
}

void complete_transactions(Block& block, std::uint32_t offset, std::uint32_t bytes) {
  std::uint64_t state = 0;
  std::memcpy(&state, block.shared + offset, sizeof state);
  state = scalar::arrive(scalar::since_hopper, state, 0, 0U - std::uint64_t{bytes}, false);
  std::memcpy(block.shared + offset, &state, sizeof state);
  make_progress(block);
}

}  // namespace warpgauge::emulator
