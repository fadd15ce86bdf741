// Texture fetches, surface loads and stores. The fields of their micro-ops: texture_access.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "traces/emulator/access.h"
#include "traces/emulator/effects.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/memory_access.h"
#include "traces/emulator/texture.h"
#include "traces/emulator/texture_access.h"
#include "traces/emulator/write_log.h"

namespace warpgauge::emulator::scalar {
namespace {

using traces::MemoryAccess;
using traces::MemorySpace;
using traces::TexelAccess;

constexpr unsigned piece_bytes = TexelAccess::piece_bytes;

const Texture& texture_of(const Block& block, std::uint32_t handle, unsigned lane) {
  const Texture* const texture = block.context->memory->textures().find(handle);
  if (texture == nullptr)
    throw LaneFault{FaultKind::illegal_address, fmt::format("no texture or surface has the handle {:#x}", handle), lane};
  const Image& image = texture->image;
  if (block.context->memory->find(image.address, image.bytes()) == nullptr)
    throw LaneFault{FaultKind::illegal_address, "a texture or surface whose memory is not allocated", lane};
  return *texture;
}

void read(const Block& block, std::uint64_t address, unsigned bytes, std::byte* to) {
  const DeviceMemory& memory = *block.context->memory;
  if (block.log != nullptr && block.log->may_hold(&address, 1)) {
    std::byte seen[WriteLog::granule];
    block.log->view(memory, address, seen);
    std::memcpy(to, seen + address % WriteLog::granule, bytes);
  } else {
    std::memcpy(to, memory.host(address), bytes);
  }
}

// Of an instruction that has read nothing yet.
TexelAccess& begin_texels(Block& block, std::uint32_t handle, TexelAccess::Way way) {
  TexelAccess& texels = block.access.texels;
  texels.way = way;
  texels.handle = handle;
  texels.requests = 0;
  texels.filter_cycles = 1;
  texels.return_cycles = 1;
  return texels;
}

// Collects what an instruction's requests read.
class Requests {
 public:
  Requests(TexelAccess& texels, unsigned lanes_of_one) : texels_(texels), lanes_(lanes_of_one) {}
  void begin(unsigned lane) {
    if (texels_.requests != 0 && lane / lanes_ == group_) return;
    group_ = lane / lanes_;
    first_ = end_;
    texels_.ends[texels_.requests++] = end_;
  }
  void add(std::uint64_t address) {
    const std::uint64_t piece = address & ~std::uint64_t{piece_bytes - 1};
    const auto begin = texels_.pieces.begin() + first_;
    const auto end = texels_.pieces.begin() + end_;
    if (end_ == TexelAccess::most_pieces || std::find(begin, end, piece) != end) return;
    texels_.pieces[end_++] = piece;
    texels_.ends[texels_.requests - 1U] = end_;
  }
  void cycles(unsigned filter, unsigned back) {
    texels_.filter_cycles = static_cast<std::uint8_t>(std::max<unsigned>(texels_.filter_cycles, filter));
    texels_.return_cycles = static_cast<std::uint8_t>(std::max<unsigned>(texels_.return_cycles, back));
  }

 private:
  TexelAccess& texels_;
  unsigned lanes_;
  unsigned group_ = 0;
  std::uint16_t first_ = 0;
  std::uint16_t end_ = 0;
};

// How a card's texture units go about it (docs/h200.md, "Textures"): lanes of a request; bytes of texels that the filter takes
// a cycle; bytes that go back a cycle.
constexpr unsigned quad = 4;
constexpr unsigned octet = 8;
constexpr unsigned filter_bytes = 16;
constexpr unsigned filtered_bytes = 32;
constexpr unsigned texel_return_bytes = 64;

constexpr unsigned divided_up(unsigned a, unsigned b) { return (a + b - 1) / b; }

// A fetch's coordinates, words as they stand in its registers.
struct Coordinates {
  std::uint32_t layer = 0;
  std::array<std::uint32_t, 3> words{};
};

Coordinates coordinates(const Warp& warp, const MicroOp& op, unsigned lane) {
  const auto shape = static_cast<TextureShape>(op.mode2);
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  unsigned n = 0;
  const auto next = [&] {
    const unsigned word = n++;
    return word < op.extra ? a[word * lanes + lane] : b[(word - op.extra + op.extra2) * lanes + lane];
  };
  Coordinates c;
  if (has_layer(shape)) c.layer = next() & 0xffffU;
  for (unsigned i = 0; i < coordinates_of(shape); ++i) c.words[i] = next();
  return c;
}

Footprint footprint_of(const Texture& texture, const MicroOp& op, const Coordinates& c) {
  const std::array<float, 3> place{std::bit_cast<float>(c.words[0]), std::bit_cast<float>(c.words[1]),
                                   std::bit_cast<float>(c.words[2])};
  switch (static_cast<TextureOperation>(op.mode)) {
    case TextureOperation::texel:
      return texel_at(texture,
                      {static_cast<std::int32_t>(c.words[0]), static_cast<std::int32_t>(c.words[1]),
                       static_cast<std::int32_t>(c.words[2])},
                      c.layer);
    case TextureOperation::gather:
      return gather(texture, place, c.layer);
    case TextureOperation::filter:
      break;
  }
  return footprint(texture, place, c.layer);
}

// A surface's place in bytes and rows; false where there is none.
bool surface_place(const Image& image, const Warp& warp, const MicroOp& op, unsigned lane, DeviceAddress& place) {
  const auto shape = static_cast<SurfaceShape>(op.mode2);
  const auto bounds = static_cast<SurfaceBounds>(op.mode3);
  const std::uint32_t* const a = source(warp, op.a);
  const unsigned bytes = cell_bytes(static_cast<Cell>(op.mode));
  std::array<std::int64_t, 3> at{};
  for (unsigned i = 0; i < words_of(shape); ++i) at[i] = static_cast<std::int32_t>(a[i * lanes + lane]);
  if (shape == SurfaceShape::array_1d) std::swap(at[1], at[2]);
  if ((at[0] & (bytes - 1)) != 0)
    throw LaneFault{FaultKind::misaligned_address, fmt::format("surface access of {} bytes at byte {}", bytes, at[0]), lane};
  const std::array<std::int64_t, 3> ends{std::int64_t{image.width} * image.format.bytes() - bytes,
                                         std::int64_t{image.height} - 1, std::int64_t{image.depth} - 1};
  for (unsigned i = 0; i < 3; ++i) {
    if (at[i] >= 0 && at[i] <= ends[i]) continue;
    if (bounds == SurfaceBounds::ignore) return false;
    if (bounds == SurfaceBounds::trap)
      throw LaneFault{FaultKind::illegal_address, "surface access outside of the surface", lane};
    at[i] = std::clamp<std::int64_t>(at[i], 0, std::max<std::int64_t>(ends[i], 0));
  }
  place = image.place(static_cast<std::uint64_t>(at[0]), static_cast<std::uint32_t>(at[1]), static_cast<std::uint32_t>(at[2]));
  return true;
}

}  // namespace

void fetch_texture(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const handles = source(warp, op.c);
  const Texture* texture = nullptr;
  std::uint32_t handle = 0;
  // Handles differ only where one is in a register of each lane.
  const auto use = [&](unsigned lane) -> const Texture& {
    if (texture == nullptr || handles[lane] != handle) {
      handle = handles[lane];
      texture = &texture_of(block, handle, lane);
    }
    return *texture;
  };
  const auto operation = static_cast<TextureOperation>(op.mode);
  const Texture& one = use(static_cast<unsigned>(std::countr_zero(mask)));
  const unsigned texel_bytes = one.image.format.bytes();
  const bool texel = operation == TextureOperation::texel;
  const bool filters = operation == TextureOperation::filter;
  const TexelAccess::Way way = texel                            ? TexelAccess::Way::texel
                               : filters && !one.sampler.linear ? TexelAccess::Way::nearest
                                                                : TexelAccess::Way::linear;
  Requests requests(begin_texels(block, handle, way), texel && texel_bytes < piece_bytes ? octet : quad);
  const auto wanted = static_cast<unsigned>(std::popcount(op.bytes));
  std::uint32_t* const first = row(warp, op.destination);
  std::uint32_t* const second = row(warp, op.destination2);
  // A destination may be a register of the coordinates: those of all lanes are read before any is written.
  std::array<std::array<std::uint32_t, 4>, lanes> results;
  each_lane(mask, [&](unsigned i) {
    const Texture& t = use(i);
    const unsigned bytes = t.image.format.bytes();
    const Footprint f = footprint_of(t, op, coordinates(warp, op, i));
    requests.begin(i);
    std::array<Texel, Footprint::most> texels;
    block.access.addresses[i] = t.image.address;
    for (unsigned p = 0; p < f.count; ++p) {
      if (f.parts[p].border) {
        texels[p] = texel ? Texel{} : border_of(t, filters);
        continue;
      }
      std::byte raw[piece_bytes];
      read(block, f.parts[p].address, bytes, raw);
      texels[p] = unpack(t, raw, filters);
      requests.add(f.parts[p].address);
      if (p == 0) block.access.addresses[i] = f.parts[p].address;
    }
    requests.cycles(filters ? divided_up(f.count * bytes, filter_bytes) : 1,
                    texel ? divided_up((bytes < piece_bytes ? octet : quad) * bytes, texel_return_bytes)
                          : divided_up(quad * bytes, filtered_bytes));
    const Texel result = operation == TextureOperation::gather
                             ? Texel{texels[0][op.mode3], texels[1][op.mode3], texels[2][op.mode3], texels[3][op.mode3]}
                         : filters ? filtered(t, f, texels.data())
                                   : texels[0];
    unsigned n = 0;
    for (unsigned c = 0; c < 4; ++c)
      if ((op.bytes >> c & 1U) != 0) results[i][n++] = result[c];
  });
  each_lane(mask, [&](unsigned i) {
    for (unsigned n = 0; n < wanted; ++n) (n < 2 ? first + n * lanes : second + (n - 2) * lanes)[i] = results[i][n];
  });
  record(block, MemorySpace::texture, MemoryAccess::load, texel_bytes, mask);
}

void load_surface(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto lane = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint32_t handle = source(warp, op.c)[lane];
  const Texture& surface = texture_of(block, handle, lane);
  const auto cell = static_cast<Cell>(op.mode);
  const unsigned bytes = cell_bytes(cell);
  std::uint32_t* const destination = row(warp, op.destination);
  Requests requests(begin_texels(block, handle, TexelAccess::Way::surface), octet);
  requests.cycles(1, divided_up(octet * std::max(bytes, 4U), filtered_bytes));
  std::array<std::array<std::uint32_t, 4>, lanes> results{};
  each_lane(mask, [&](unsigned i) {
    DeviceAddress place = 0;
    const bool inside = surface_place(surface.image, warp, op, i, place);
    requests.begin(i);
    block.access.addresses[i] = inside ? place : surface.image.address;
    if (!inside) return;
    requests.add(place);
    std::array<std::byte, piece_bytes> raw{};
    read(block, place, bytes, raw.data());
    std::memcpy(results[i].data(), raw.data(), piece_bytes);
    if (cell == Cell::s8) results[i][0] = static_cast<std::uint32_t>(static_cast<std::int8_t>(results[i][0]));
    if (cell == Cell::s16) results[i][0] = static_cast<std::uint32_t>(static_cast<std::int16_t>(results[i][0]));
  });
  each_lane(mask, [&](unsigned i) {
    for (unsigned n = 0; n < cell_words(cell); ++n) destination[i + n * lanes] = results[i][n];
  });
  record(block, MemorySpace::texture, MemoryAccess::load, bytes, mask);
}

void store_surface(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto lane = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint32_t handle = source(warp, op.c)[lane];
  const Texture& surface = texture_of(block, handle, lane);
  std::uint32_t inside = 0;
  each_lane(mask, [&](unsigned i) {
    if (surface_place(surface.image, warp, op, i, block.access.addresses[i])) inside |= 1U << i;
  });
  if (inside == 0) return;
  make_progress(block);
  begin_texels(block, handle, TexelAccess::Way::surface);
  record(block, MemorySpace::texture, MemoryAccess::store, cell_bytes(static_cast<Cell>(op.mode)), inside);
  const std::uint32_t* const data = source(warp, op.d);
  if (block.log != nullptr)
    block.log->store(op, inside, block.cycle, block.access.addresses, data);
  else
    store_cells(op, inside, block.access.addresses, data, block.context->memory->host(0), 0);
}

}  // namespace warpgauge::emulator::scalar
