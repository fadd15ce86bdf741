// Bulk copies of boxes of tensors. Semantics: PTX ISA, "Tensors" and cp.async.bulk.tensor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "traces/emulator/access.h"
#include "traces/emulator/bulk_copy.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/tensor_map.h"

namespace warpgauge::emulator::scalar {
namespace {

using Kind = traces::BulkCopy::Kind;

constexpr unsigned most_dimensions = TensorMap::most_dimensions;
constexpr unsigned shared_alignment = 128;
constexpr unsigned piece_bytes = 16;          // that swizzling moves, and in which memory is reached
constexpr unsigned most_row_bytes = 256 * 8;  // elements of a box's first dimension, or channels
constexpr unsigned coordinates_of_load = 2;   // behind the shared address and the barrier object's
constexpr unsigned coordinates_of_store = 1;  // behind the shared address
constexpr unsigned coordinates_of_prefetch = 0;

struct Request {
  TensorMap map;
  std::array<std::int64_t, most_dimensions> at{};  // coordinates
  std::array<std::int64_t, most_dimensions>
      shift{};  // of columns: added to the pixels' places; of the first and last, zero
};

// What lies side by side in shared memory: elements of the first dimension, of which those in [first, last)
// lie inside the tensor, the first of them at `address`.
struct TensorRow {
  std::uint64_t address = 0;
  unsigned first = 0;
  unsigned last = 0;
};

unsigned row_elements(const TensorMap& map) {
  return map.columns ? map.channels : copied_elements(map, 0);
}

// The row whose other coordinates are at[1] and those that follow.
TensorRow row_at(const TensorMap& map, const std::array<std::int64_t, most_dimensions>& at) {
  TensorRow row;
  std::uint64_t address = map.address;
  for (unsigned i = 1; i < map.rank; ++i) {
    if (at[i] < 0 || at[i] >= static_cast<std::int64_t>(map.sizes[i])) return row;
    address += static_cast<std::uint64_t>(at[i]) * map.strides[i - 1];
  }
  const auto elements = static_cast<std::int64_t>(row_elements(map));
  const std::int64_t first = std::clamp<std::int64_t>(-at[0], 0, elements);
  const std::int64_t last =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(map.sizes[0]) - at[0], first, elements);
  row.first = static_cast<unsigned>(first);
  row.last = static_cast<unsigned>(last);
  row.address = address + static_cast<std::uint64_t>(at[0] + first) * element_bytes(map.type);
  return row;
}

template <class F>
void each_row_of_box(const Request& request, F f) {
  const TensorMap& map = request.map;
  std::array<unsigned, most_dimensions> counts{};
  for (unsigned i = 1; i < map.rank; ++i) counts[i] = copied_elements(map, i);
  std::array<unsigned, most_dimensions> place{};
  std::array<std::int64_t, most_dimensions> at = request.at;
  for (;;) {
    f(row_at(map, at));
    unsigned i = 1;
    for (; i < map.rank; ++i) {
      at[i] += map.steps[i];
      if (++place[i] < counts[i]) break;
      place[i] = 0;
      at[i] = request.at[i];
    }
    if (i >= map.rank) return;
  }
}

// Pixels follow each other along the width, then the height and the depth, between the corners, then in the
// next picture.
template <class F>
void each_row_of_columns(const Request& request, F f) {
  const TensorMap& map = request.map;
  const unsigned last = map.rank - 1;
  std::array<std::int64_t, most_dimensions> pixel = request.at;
  for (unsigned n = 0; n < map.pixels; ++n) {
    std::array<std::int64_t, most_dimensions> at = pixel;
    for (unsigned i = 1; i < last; ++i) at[i] += request.shift[i];
    f(row_at(map, at));
    unsigned i = 1;
    for (; i < last; ++i) {
      pixel[i] += map.steps[i];
      if (pixel[i] < static_cast<std::int64_t>(map.sizes[i]) + map.upper[i - 1]) break;
      pixel[i] = map.lower[i - 1];
    }
    if (i == last) pixel[last] += 1;
  }
}

template <class F>
void each_row(const Request& request, F f) {
  if (request.map.columns)
    each_row_of_columns(request, f);
  else
    each_row_of_box(request, f);
}

std::uint32_t row_bytes(const TensorMap& map) {
  return row_elements(map) * element_bytes(map.type);
}

// From one row in shared memory to the next: those that are swizzled have all of what swizzling spans,
// however short they are.
std::uint32_t row_pitch(const TensorMap& map) {
  const std::uint32_t bytes = row_bytes(map);
  return map.swizzle == TensorMap::Swizzle::none ? bytes : std::max(bytes, swizzle_bytes(map.swizzle));
}

// Rows of a copy in blocks' shared memory, where they lie at the same offsets; pieces are exchanged by these.
class SharedRows {
 public:
  // `offset`: of the first byte in a block's window.
  SharedRows(const TensorMap& map, std::uint32_t offset)
      : swizzle_(map.swizzle), row_bytes_(row_bytes(map)), pitch_(row_pitch(map)), next_(offset) {}

  // The next row, to or from where windows begin.
  void write(std::span<std::byte* const> windows, const std::byte* row) {
    pieces([&](std::uint32_t offset, std::uint32_t done, std::uint32_t bytes) {
      for (std::byte* const window : windows) std::memcpy(window + offset, row + done, bytes);
    });
  }
  void read(const std::byte* window, std::byte* row) {
    pieces([&](std::uint32_t offset, std::uint32_t done, std::uint32_t bytes) {
      std::memcpy(row + done, window + offset, bytes);
    });
  }

 private:
  template <class F>
  void pieces(F f) {
    if (swizzle_ == TensorMap::Swizzle::none) {
      f(next_, 0, row_bytes_);
    } else {
      for (std::uint32_t done = 0; done < row_bytes_; done += piece_bytes)
        f(swizzled(swizzle_, next_ + done), done, std::min(piece_bytes, row_bytes_ - done));
    }
    next_ += pitch_;
  }

  TensorMap::Swizzle swizzle_;
  std::uint32_t row_bytes_;
  std::uint32_t pitch_;
  std::uint32_t next_;
};

// Shared memory that a copy may touch: swizzling reaches to the end of the last 128 bytes.
std::uint32_t span_of(const TensorMap& map) {
  const std::uint32_t bytes = shared_bytes(map) / row_bytes(map) * row_pitch(map);
  return map.swizzle == TensorMap::Swizzle::none ? bytes : (bytes + 127) / 128 * 128;
}

// The map that the instruction names, as the block's SM sees it; its rows are not noted.
TensorMap read_map(const Warp& warp, const MicroOp& op, BulkAccess& access) {
  const std::uint64_t address = uniform_pair(warp, op.b);
  if (address % TensorMap::alignment != 0) access.misaligned("the tensor map", address, TensorMap::alignment);
  TensorMapWords words{};
  const auto bytes = std::as_writable_bytes(std::span(words));
  if (address - shared_window < shared_windows_bytes) {
    const auto offset = static_cast<std::uint32_t>(address - shared_window);
    std::ranges::copy(access.shared(offset, TensorMap::words * 4, TensorMap::alignment, "read"),
                      bytes.begin());
  } else {
    access.read(address, bytes);
  }
  access.copy().rows.clear();
  access.copy().map = address;
  const auto map = decode(words);
  const auto refuse = [&](FaultKind kind, const char* what) {
    throw LaneFault{kind, fmt::format("{}, at {:#x}", what, address), access.lane()};
  };
  if (!map) refuse(FaultKind::illegal_instruction, "no tensor map");
  if (map->rank != op.bytes)
    refuse(FaultKind::illegal_instruction, "a tensor map of another rank than the instruction's");
  if (map->columns != ((op.extra & bulk_columns) != 0))
    refuse(FaultKind::illegal_instruction, "a tensor map for the other of boxes and columns");
  if (map->interleave != TensorMap::Interleave::none)
    refuse(FaultKind::unsupported_instruction, "a tensor map whose channels lie in slices");
  access.copy().promotes = map->promotion == TensorMap::Promotion::bytes256;
  return *map;
}

// The bits that an offset of columns has: one offset in 16, two in 8 each, three in 5 each, signs left out.
void read_shifts(Request& request, std::uint32_t word) {
  constexpr std::array<unsigned, most_dimensions + 1> widths{0, 0, 0, 16, 8, 5};
  const unsigned width = widths[request.map.rank];
  for (unsigned i = 1; i + 1 < request.map.rank; ++i)
    request.shift[i] = (word >> (width * (i - 1))) & ((1U << width) - 1);
}

Request request_of(const Warp& warp, const MicroOp& op, BulkAccess& access, unsigned first_coordinate) {
  Request request;
  request.map = read_map(warp, op, access);
  for (unsigned i = 0; i < request.map.rank; ++i)
    request.at[i] = static_cast<std::int32_t>(uniform_word(warp, op.a, first_coordinate + i));
  // An H200 ends a kernel with an illegal instruction there; a prefetch was not asked.
  if (request.at[0] * static_cast<std::int64_t>(element_bytes(request.map.type)) % piece_bytes != 0)
    throw LaneFault{FaultKind::illegal_instruction,
                    fmt::format("a tensor's first coordinate, {}, is not at a multiple of 16 bytes", request.at[0]),
                    access.lane()};
  if (access.copy().kind == Kind::store || access.copy().kind == Kind::reduction) {
    for (unsigned i = 0; i < request.map.rank; ++i)
      if (request.at[i] < 0)
        throw LaneFault{FaultKind::illegal_instruction,
                        fmt::format("a store to a tensor from {} on in dimension {}", request.at[i], i), access.lane()};
  }
  if (request.map.columns) read_shifts(request, uniform_word(warp, op.c, 0));
  access.copy().bytes = shared_bytes(request.map);
  return request;
}

// What a reduction makes of the map's elements.
AtomicType reduced_type(const TensorMap& map, AtomicFunction function, unsigned lane) {
  const auto all_but = [&](bool refused, AtomicType type) {
    if (refused)
      throw LaneFault{FaultKind::unsupported_instruction,
                      "a reduction that the tensor's elements do not have", lane};
    return type;
  };
  const bool adds = function == AtomicFunction::add;
  const bool compares = function == AtomicFunction::min || function == AtomicFunction::max;
  const bool counts = function == AtomicFunction::inc || function == AtomicFunction::dec;
  switch (map.type) {
    case TensorMap::Type::u32:
      return AtomicType::u32;
    case TensorMap::Type::s32:
      return all_but(counts, AtomicType::s32);
    case TensorMap::Type::u64:
      return all_but(counts, AtomicType::u64);
    case TensorMap::Type::s64:
      return all_but(counts, AtomicType::s64);
    case TensorMap::Type::f16:
      return all_but(!adds && !compares, AtomicType::f16x2);
    case TensorMap::Type::bf16:
      return all_but(!adds && !compares, AtomicType::bf16x2);
    case TensorMap::Type::f32:
    case TensorMap::Type::tf32:
      return all_but(!adds, AtomicType::f32);
    case TensorMap::Type::f32_ftz:
    case TensorMap::Type::tf32_ftz:
      return all_but(!adds, AtomicType::f32_ftz);
    case TensorMap::Type::f64:
      return all_but(!adds, AtomicType::f64);
    default:
      return all_but(true, AtomicType::u32);
  }
}

}  // namespace

// UTMALDG
void tensor_load(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  BulkAccess access(block, first_lane(mask), Kind::load);
  const Request request = request_of(warp, op, access, coordinates_of_load);
  const TensorMap& map = request.map;
  const std::uint32_t to = uniform_word(warp, op.a, 0);
  const std::uint32_t barrier = uniform_word(warp, op.a, 1);
  traces::BulkCopy& copy = access.copy();
  copy.shared = shared_offset(to);
  copy.barrier = shared_offset(barrier);

  const bool multicast = (op.extra & bulk_multicast) != 0;
  const std::uint32_t wanted = multicast ? uniform_word(warp, op.c, 0) >> 16 : 1U << (shared_rank(to) & 0xfU);
  if (multicast || &block_of_rank(block, shared_rank(to), access.lane()) != &block)
    copy.blocks = static_cast<std::uint16_t>(wanted);
  std::array<std::byte*, most_cluster_blocks> windows{};
  unsigned count = 0;
  each_lane(wanted, [&](unsigned rank) {
    windows[count++] =
        access.coming(rank, to, span_of(map), shared_alignment, barrier, copy.bytes).data() - copy.shared;
  });

  SharedRows rows(map, copy.shared);
  std::array<std::byte, most_row_bytes> storage;
  const unsigned size = element_bytes(map.type);
  const std::span<std::byte> row = std::span(storage).first(row_bytes(map));
  each_row(request, [&](const TensorRow& part) {
    const std::size_t begin = std::size_t{part.first} * size;
    const std::size_t end = std::size_t{part.last} * size;
    fill_outside(map, row.first(begin));
    fill_outside(map, row.subspan(end));
    if (begin != end) {
      access.read(part.address, row.subspan(begin, end - begin));
      convert_loaded(map.type, row.subspan(begin, end - begin));
    }
    rows.write(std::span(windows).first(count), row.data());
  });
}

// UTMASTG, UTMAREDG
void tensor_store(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const bool reduces = (op.extra & bulk_reduces) != 0;
  BulkAccess access(block, first_lane(mask), reduces ? Kind::reduction : Kind::store);
  const Request request = request_of(warp, op, access, coordinates_of_store);
  const TensorMap& map = request.map;
  const std::uint32_t from = uniform_word(warp, op.a, 0);
  access.copy().shared = shared_offset(from);
  const auto function = static_cast<AtomicFunction>(op.mode);
  const AtomicType type = reduces ? reduced_type(map, function, access.lane()) : AtomicType::u32;
  const std::uint32_t offset = shared_offset(from);
  const std::byte* const window = access.shared(from, span_of(map), shared_alignment, "read").data() - offset;
  SharedRows rows(map, offset);
  std::array<std::byte, most_row_bytes> row;
  const unsigned size = element_bytes(map.type);
  each_row(request, [&](const TensorRow& part) {
    rows.read(window, row.data());
    const std::size_t begin = std::size_t{part.first} * size;
    std::size_t end = std::size_t{part.last} * size;
    // An H200 stores whole pieces of 16 bytes where their first is inside, as far as the box reaches.
    if (!reduces) end = std::min<std::size_t>((end + piece_bytes - 1) / piece_bytes * piece_bytes, row_bytes(map));
    const std::span<const std::byte> data = std::span(row).subspan(begin, end - begin);
    if (reduces)
      access.combine(part.address, data, function, type);
    else
      access.write(part.address, data);
  });
}

// UTMAPF
void tensor_prefetch(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  BulkAccess access(block, first_lane(mask), Kind::prefetch);
  const Request request = request_of(warp, op, access, coordinates_of_prefetch);
  each_row(request, [&](const TensorRow& part) {
    access.prefetch(part.address, std::uint64_t{part.last - part.first} * element_bytes(request.map.type));
  });
}

}  // namespace warpgauge::emulator::scalar
