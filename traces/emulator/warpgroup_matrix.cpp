// HGMMA, QGMMA, IGMMA and BGMMA: the 64 rows of a warpgroup's product, of which each of its four warps
// computes the 16 that it issues the instruction for. What the program may not change until it waits for the
// product is read when the instruction is issued.
//
// Eight columns are a product of the instructions of one warp: A's fragment and D's registers lie as theirs,
// so that their executors do it, with B's (and A's) fragments gathered from shared memory.
#include <fmt/format.h>

#include <cstring>

#include "traces/emulator/access.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/matrix_modes.h"

namespace warpgauge::emulator::scalar {
namespace {

constexpr unsigned chunk = 16;        // bytes that lie together whatever the layout
constexpr unsigned rows_of_tile = 8;  // rows of A or columns of B that are gathered at a time
constexpr unsigned halves_of_chunk = 8;
constexpr std::uint32_t window = (1U << 18) - 1;  // of a descriptor's addresses

// A matrix descriptor (PTX ISA, "Matrix descriptor format" of wgmma). Offsets in bytes.
struct Descriptor {
  std::uint32_t start;
  std::uint32_t leading;
  std::uint32_t stride;
  std::uint32_t base;   // which of eight lines of 128 bytes the swizzle takes for its first
  std::uint32_t width;  // of the rows that a swizzle mixes: 16 (none), 32, 64, 128

  explicit Descriptor(std::uint64_t bits)
      : start(field(bits, 0)),
        leading(field(bits, 16)),
        stride(field(bits, 32)),
        base(static_cast<std::uint32_t>(bits >> 49 & 7U)) {
    constexpr std::uint32_t widths[] = {16, 128, 64, 32};
    width = widths[bits >> 62];
  }
  static std::uint32_t field(std::uint64_t bits, unsigned at) {
    return static_cast<std::uint32_t>(bits >> at & 0x3fffU) * chunk;
  }

  // The swizzle: of the address's bits 4 to 6 as many as name a chunk of a row, changed by those from bit 7
  // on.
  [[nodiscard]] std::uint32_t swizzled(std::uint32_t address) const {
    address &= window;
    const std::uint32_t line = (address >> 7) - base;
    return address ^ (line * chunk & (width - chunk));
  }

  // Where k is contiguous: rows in cores of eight, `stride` apart; a row of a core has the chunks of k side
  // by side, as many as its width, and `leading` apart where there are more.
  [[nodiscard]] std::uint32_t along_k(unsigned core, unsigned row, unsigned k_chunk) const {
    const unsigned chunks = width / chunk;
    return swizzled(start + core * stride + row * width + k_chunk % chunks * chunk +
                    k_chunk / chunks * leading);
  }

  // Where rows are: a chunk has one k of eight rows. A core has eight k's of as many rows as its width; next
  // rows lie `leading` apart, next k's `stride`; where nothing is swizzled it is the other way round.
  [[nodiscard]] std::uint32_t along_rows(unsigned core, unsigned k) const {
    const unsigned chunks = width / chunk;
    const std::uint32_t next_rows = width == chunk ? stride : leading;
    const std::uint32_t next_k = width == chunk ? leading : stride;
    return swizzled(start + core / chunks * next_rows + core % chunks * chunk + k % 8 * width +
                    k / 8 * next_k);
  }
};

const std::uint8_t* chunk_at(const Block& block, std::uint32_t address) {
  const std::uint32_t size = block.context->shared_end;
  if (address + chunk > size)
    throw LaneFault{
        FaultKind::shared_out_of_range,
        fmt::format("shared read of {} bytes at {:#x} by a matrix product is beyond the {} bytes of "
                    "the block",
                    chunk, address, size),
        0};
  return block.shared + address;
}

// Eight rows of so many chunks of k as a fragment of a word a lane for each, `stride` words' rows apart: lane
// 4r + t has four bytes of row r from 4t on, from 16 + 4t, and so on.
void gather(const Block& block, const Descriptor& from, bool transposed, unsigned core, unsigned chunks,
            std::uint32_t* words, unsigned stride) {
  if (!transposed) {
    for (unsigned k_chunk = 0; k_chunk < chunks; ++k_chunk)
      for (unsigned r = 0; r < rows_of_tile; ++r)
        std::memcpy(words + std::size_t{k_chunk} * stride * lanes + std::size_t{4} * r,
                    chunk_at(block, from.along_k(core, r, k_chunk)), chunk);
    return;
  }
  for (unsigned k = 0; k < chunks * halves_of_chunk; k += 2) {
    std::uint16_t pair[2][halves_of_chunk];
    for (unsigned part = 0; part < 2; ++part)
      std::memcpy(pair[part], chunk_at(block, from.along_rows(core, k + part)), chunk);
    std::uint32_t* const to = words + std::size_t{k / halves_of_chunk} * stride * lanes + k % 8 / 2;
    for (unsigned r = 0; r < rows_of_tile; ++r)
      to[std::size_t{4} * r] = std::uint32_t{pair[0][r]} | std::uint32_t{pair[1][r]} << 16;
  }
}

std::uint64_t descriptor_bits(const Warp& warp, Row first) {
  const std::uint32_t* const words = source(warp, first);
  return std::uint64_t{words[0]} | std::uint64_t{words[lanes]} << 32;
}

}  // namespace

// a: A's registers; b: the four uniform registers of the descriptors; c: what is accumulated on, if p holds.
// inner: the product of 16 by 8, whose fields this has too, but for extra2: columns / 8. A sparse A takes
// twice the k of B.
void warpgroup_product(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  constexpr unsigned a_rows = 0, b_rows = 4, zero_rows = 8, end = 12;
  constexpr unsigned a_chunks = 2;
  alignas(64) std::uint32_t fragments[end * lanes];
  std::memset(fragments + std::size_t{zero_rows} * lanes, 0,
              sizeof(std::uint32_t) * (end - zero_rows) * lanes);
  // What is gathered lies where the launch's constants would.
  Warp in_tile;
  in_tile.rows = warp.rows;
  in_tile.pool = fragments;
  MicroOp tile = op;
  tile.b = Row::pool(b_rows);
  if ((op.extra & matrix_a_registers) == 0) {
    const Descriptor a(descriptor_bits(warp, op.b));
    const bool transposed = (op.extra & matrix_a_transposed) != 0;
    for (unsigned upper = 0; upper < 2; ++upper)
      gather(block, a, transposed, warp.index % 4 * 2 + upper, a_chunks,
             fragments + std::size_t{a_rows + upper} * lanes, 2);
    tile.a = Row::pool(a_rows);
  }
  const bool accumulates = (value(warp, op.p) & mask) != 0;  // of a uniform predicate
  if (!accumulates) tile.c = Row::pool(zero_rows);
  const Descriptor b(descriptor_bits(warp, Row{op.b.bits + 2 * lanes}));
  const std::uint32_t step = (op.extra & matrix_f16_result) != 0 ? 2 * lanes : 4 * lanes;
  for (unsigned n = 0; n < op.extra2; ++n) {
    gather(block, b, (op.extra & matrix_b_transposed) != 0, n, op.mode,
           fragments + std::size_t{b_rows} * lanes, 1);
    op.inner(block, in_tile, tile, mask);
    tile.destination.bits += step;
    if (accumulates) tile.c.bits += step;
  }
}

// USETMAXREG.TRY_ALLOC: there are always enough.
void allocate_registers(Block&, Warp& warp, const MicroOp& op, std::uint32_t) {
  set_predicate(warp, op.predicate_destination, all_lanes, all_lanes);
}

}  // namespace warpgauge::emulator::scalar
