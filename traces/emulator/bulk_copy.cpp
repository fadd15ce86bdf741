// Bulk copies of bytes that lie in a row, and asynchronous stores. Semantics: PTX ISA, cp.async.bulk,
// cp.reduce.async.bulk, st.async, red.async.
#include "traces/emulator/bulk_copy.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "traces/emulator/access.h"
#include "traces/emulator/effects.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/shared_barrier.h"
#include "traces/emulator/write_log.h"

namespace warpgauge::emulator {

using Kind = traces::BulkCopy::Kind;

BulkAccess::BulkAccess(Block& block, unsigned lane, Kind kind) : block_(block), lane_(lane) {
  traces::BulkCopy& copy = *block.bulk;
  copy.kind = kind;
  copy.number = block.rank << shared_rank_bit | (block.copies++ & (shared_window_bytes - 1));
  copy.map = 0;
  copy.promotes = false;
  copy.barrier = 0;
  copy.shared = 0;
  copy.bytes = 0;
  copy.blocks = 0;
  copy.rows.clear();
  block.bulk_copied = true;
  make_progress(block);
}

void BulkAccess::misaligned(const char* what, std::uint64_t address, unsigned alignment) const {
  throw LaneFault{
      FaultKind::misaligned_address,
      fmt::format("{} of a bulk copy at {:#x} is not at a multiple of {} bytes", what, address, alignment),
      lane_};
}

void BulkAccess::note(std::uint64_t address, std::uint64_t bytes) {
  auto& rows = block_.bulk->rows;
  if (!rows.empty() && rows.back().address + rows.back().bytes == address)
    rows.back().bytes += static_cast<std::uint32_t>(bytes);
  else
    rows.push_back({address, static_cast<std::uint32_t>(bytes)});
}

void BulkAccess::check(std::uint64_t address, std::uint64_t bytes, const char* verb) {
  if (address >= known_.begin && address < known_.end && bytes <= known_.end - address) return;
  if (const Allocation* const found = check_range(block_, address, bytes, true, verb, lane_))
    known_ = {found->begin, found->end()};
}

void BulkAccess::read(std::uint64_t address, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  check(address, bytes.size(), "read");
  note(address, bytes.size());
  if (block_.log != nullptr)
    block_.log->read_run(*block_.context->memory, address, bytes);
  else
    std::memcpy(bytes.data(), block_.context->memory->host(address), bytes.size());
}

void BulkAccess::write(std::uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  check(address, bytes.size(), "write");
  note(address, bytes.size());
  if (block_.log != nullptr)
    block_.log->store_run(block_.cycle, address, bytes);
  else
    std::memcpy(block_.context->memory->host(address), bytes.data(), bytes.size());
}

void BulkAccess::combine(std::uint64_t address, std::span<const std::byte> bytes, AtomicFunction function,
                         AtomicType type) {
  if (bytes.empty()) return;
  check(address, bytes.size(), "atomic");
  note(address, bytes.size());
  if (block_.log != nullptr)
    block_.log->combine_run(block_.cycle, address, bytes, function, type);
  else
    combine_run(function, type, bytes.data(), block_.context->memory->host(address), bytes.size(), false);
}

void BulkAccess::prefetch(std::uint64_t address, std::uint64_t bytes) {
  if (bytes != 0 && block_.context->memory->find(address, bytes) != nullptr) note(address, bytes);
}

std::span<std::byte> BulkAccess::shared(std::uint32_t address, std::uint32_t bytes, unsigned alignment,
                                        const char* verb) {
  return shared_of(shared_rank(address), address, bytes, alignment, verb);
}

std::span<std::byte> BulkAccess::shared_of(unsigned rank, std::uint32_t address, std::uint32_t bytes,
                                           unsigned alignment, const char* verb) {
  Block& block = block_of_rank(block_, rank, lane_);
  const std::uint32_t offset = shared_offset(address);
  const std::uint32_t size = block.context->shared_end;
  if (offset > size || bytes > size - offset)
    throw LaneFault{FaultKind::shared_out_of_range,
                    fmt::format("shared {} of {} bytes at {:#x} is beyond the {} bytes of the block", verb,
                                bytes, offset, size),
                    lane_};
  if (offset % alignment != 0) misaligned("shared memory", offset, alignment);
  make_progress(block);
  return {reinterpret_cast<std::byte*>(block.shared) + offset, bytes};
}

std::span<std::byte> BulkAccess::coming(unsigned rank, std::uint32_t address, std::uint32_t bytes, unsigned alignment,
                                        std::uint32_t barrier, std::uint32_t counted) {
  const std::span<std::byte> place = shared_of(rank, address, bytes, alignment, "write");
  Block& there = block_of_rank(block_, rank, lane_);
  check_object(there, shared_offset(barrier), lane_);
  ComingBytes& come = there.coming->emplace_back();
  come.copy = copy().number;
  come.barrier = shared_offset(barrier);
  come.bytes = counted;
  come.to = place.data();
  come.data.assign(place.begin(), place.end());
  return come.data;
}

namespace scalar {
namespace {

constexpr unsigned bulk_alignment = 16;
constexpr unsigned barrier_words = 1;  // of the first brackets, behind the shared address

// The lower half of a word is the size in units of 16 bytes, the upper half a mask of blocks.
std::uint32_t size_of(const Warp& warp, const MicroOp& op) {
  return (uniform_word(warp, op.c, 0) & 0xffffU) * bulk_alignment;
}
std::uint32_t blocks_of(const Warp& warp, const MicroOp& op) {
  return uniform_word(warp, op.c, 0) >> 16;
}

std::uint64_t aligned(const BulkAccess& access, std::uint64_t address) {
  if (address % bulk_alignment != 0) access.misaligned("global memory", address, bulk_alignment);
  return address;
}

}  // namespace

// UBLKCP.S.G
void bulk_load(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  BulkAccess access(block, first_lane(mask), Kind::load);
  const std::uint32_t to = uniform_word(warp, op.a, 0);
  const std::uint32_t barrier = uniform_word(warp, op.a, barrier_words);
  const std::uint64_t from = aligned(access, uniform_pair(warp, op.b));
  const std::uint32_t bytes = size_of(warp, op);
  traces::BulkCopy& copy = access.copy();
  copy.shared = shared_offset(to);
  copy.barrier = shared_offset(barrier);
  copy.bytes = bytes;
  if ((op.extra & bulk_multicast) == 0) {
    if (&block_of_rank(block, shared_rank(to), access.lane()) != &block)
      copy.blocks = static_cast<std::uint16_t>(1U << shared_rank(to));
    access.read(from, access.coming(shared_rank(to), to, bytes, bulk_alignment, barrier, bytes));
    return;
  }
  copy.blocks = static_cast<std::uint16_t>(blocks_of(warp, op));
  std::span<std::byte> first;
  each_lane(copy.blocks, [&](unsigned rank) {
    const std::span<std::byte> place = access.coming(rank, to, bytes, bulk_alignment, barrier, bytes);
    if (first.empty()) {
      first = place;
      access.read(from, place);
    } else {
      std::memcpy(place.data(), first.data(), bytes);
    }
  });
}

// UBLKCP.G.S, UBLKRED.G.S
void bulk_store(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const bool reduces = (op.extra & bulk_reduces) != 0;
  BulkAccess access(block, first_lane(mask), reduces ? Kind::reduction : Kind::store);
  const std::uint64_t to = aligned(access, uniform_pair(warp, op.a));
  const std::uint32_t from = uniform_word(warp, op.b, 0);
  const std::uint32_t bytes = size_of(warp, op);
  access.copy().shared = shared_offset(from);
  access.copy().bytes = bytes;
  const std::span<const std::byte> data = access.shared(from, bytes, bulk_alignment, "read");
  if (reduces)
    access.combine(to, data, static_cast<AtomicFunction>(op.mode), static_cast<AtomicType>(op.mode2));
  else
    access.write(to, data);
}

// UBLKCP.S.S, UBLKRED.S.S
void bulk_between_blocks(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  BulkAccess access(block, first_lane(mask), Kind::between_blocks);
  const std::uint32_t to = uniform_word(warp, op.a, 0);
  const std::uint32_t barrier = uniform_word(warp, op.a, barrier_words);
  const std::uint32_t from = uniform_word(warp, op.b, 0);
  const std::uint32_t bytes = size_of(warp, op);
  traces::BulkCopy& copy = access.copy();
  copy.shared = shared_offset(from);
  copy.barrier = shared_offset(barrier);
  copy.bytes = bytes;
  copy.blocks = static_cast<std::uint16_t>(1U << (shared_rank(to) & 0xfU));
  const std::span<const std::byte> data = access.shared(from, bytes, bulk_alignment, "read");
  if ((op.extra & bulk_reduces) != 0) {
    // Combined at once with what is there, which others may change until it is said to have come.
    const std::span<std::byte> place = access.shared(to, bytes, bulk_alignment, "write");
    combine_run(static_cast<AtomicFunction>(op.mode), static_cast<AtomicType>(op.mode2), data.data(),
                place.data(), bytes, true);
    access.coming(shared_rank(to), to, 0, 1, barrier, bytes);
  } else {
    const std::span<std::byte> place = access.coming(shared_rank(to), to, bytes, bulk_alignment, barrier, bytes);
    std::memcpy(place.data(), data.data(), bytes);
  }
}

// UBLKPF
void bulk_prefetch(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  BulkAccess access(block, first_lane(mask), Kind::prefetch);
  access.prefetch(aligned(access, uniform_pair(warp, op.b)), size_of(warp, op));
}

// STAS, REDAS: each lane of its own. a: the shared address, behind it the barrier object's; d: what is
// stored; bytes: how much; mode, mode2 of a reduction.
void store_async(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const places = source(warp, op.a);
  const std::uint32_t* const data = source(warp, op.d);
  const bool reduces = (op.extra & bulk_reduces) != 0;
  const unsigned bytes = op.bytes;
  bool elsewhere = false;
  each_lane(mask, [&](unsigned i) {
    const std::uint32_t address = places[i] + static_cast<std::uint32_t>(op.immediate);
    Block& there = block_of_rank(block, shared_rank(address), i);
    const std::uint32_t offset = shared_offset(address);
    std::uint64_t place[lanes] = {};
    place[i] = offset;
    check_shared(there, place, 1U << i, bytes, "write");
    block.access.addresses[i] = &there == &block ? offset : address;
    elsewhere = elsewhere || &there != &block;
    std::uint32_t words[4] = {};
    for (unsigned k = 0; k < bytes / 4; ++k) words[k] = data[i + k * lanes];
    auto* const to = reinterpret_cast<std::byte*>(there.shared) + offset;
    const auto* const from = reinterpret_cast<const std::byte*>(words);
    if (reduces)
      combine_run(static_cast<AtomicFunction>(op.mode), static_cast<AtomicType>(op.mode2), from, to, bytes,
                  true);
    else
      std::memcpy(to, from, bytes);
    make_progress(there);
    const std::uint32_t barrier = places[i + lanes];
    Block& told = block_of_rank(block, shared_rank(barrier), i);
    check_object(told, shared_offset(barrier), i);
    complete_transactions(told, shared_offset(barrier), bytes);
  });
  block.object_record = {elsewhere ? traces::Issued::Object::arrives_elsewhere : traces::Issued::Object::arrives,
                         places[first_lane(mask) + lanes]};
  record(block, elsewhere ? traces::MemorySpace::cluster : traces::MemorySpace::shared,
         reduces ? traces::MemoryAccess::reduction : traces::MemoryAccess::store, bytes, mask);
}

}  // namespace scalar
}  // namespace warpgauge::emulator
