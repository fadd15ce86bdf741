#include "traces/emulator/special_register.h"

#include <algorithm>

namespace warpgauge::emulator {
namespace {

traces::Dim3 thread_of(const Block& block, const Warp& warp, unsigned lane) {
  const traces::Dim3 size = block.context->shape.block;
  const std::uint32_t linear = warp.index * lanes + lane;
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

std::uint64_t clock(const Block& block, const Warp& warp) {
  return block.functional ? warp.executed : block.cycle;
}

// Of the device's timer: a nominal clock where no model has one.
std::uint64_t nanoseconds(const Block& block, const Warp& warp) {
  const traces::WarpStream::Timer timer =
      block.functional ? traces::WarpStream::Timer{} : block.context->timer;
  return static_cast<std::uint64_t>(static_cast<double>(clock(block, warp) + timer.beside) *
                                    timer.nanoseconds);
}

// A lane's thread in the form of TID (number 32) or one of its coordinates.
std::uint32_t thread_register(const traces::Dim3& t, unsigned number) {
  switch (number) {
    case 32:  // x in 16 bits, y in 10, z in 6
      return t.x | t.y << 16 | t.z << 26;
    case 33:
      return t.x;
    case 34:
      return t.y;
    default:
      return t.z;
  }
}

bool is_thread(unsigned number) {
  return number >= 32 && number <= 35;
}

bool is_of_lane(unsigned number) {
  return number == 0 || (number >= 56 && number <= 60);
}

}  // namespace

std::uint32_t special_register(const Block& block, const Warp& warp, unsigned number, unsigned lane) {
  const auto word = [](std::uint64_t value, unsigned half) {
    return static_cast<std::uint32_t>(value >> (32 * half));
  };
  const std::uint64_t ticks = clock(block, warp);
  switch (number) {
    case 0:  // LANEID
      return lane;
    case 3:  // VIRTID: warp slot and SM
      return warp.slot << 8 | block.placement.sm << 16;
    case 32:
    case 33:
    case 34:
    case 35:
      return thread_register(thread_of(block, warp, lane), number);
    case 37:
      return block.coordinates.x;
    case 38:
      return block.coordinates.y;
    case 39:
      return block.coordinates.z;
    case 40:  // NTID
      return block.context->shape.threads_per_block();
    case 46:  // LWINHI
      return word(local_window, 1);
    case 47:  // SWINHI
      return word(shared_window, 1);
    case 48:  // SWINLO
      return word(shared_window, 0);
    case 49:  // SWINSZ
      return static_cast<std::uint32_t>(shared_window_bytes);
    case 50:  // SMEMSZ
      return block.context->shared_bytes;
    case 52:  // LWINLO
      return word(local_window, 0);
    case 53:  // LWINSZ
      return static_cast<std::uint32_t>(local_window_bytes);
    case 54:  // LMEMLOSZ
      return block.context->local_bytes;
    case 56:  // EQMASK
      return 1U << lane;
    case 57:  // LTMASK
      return (1U << lane) - 1U;
    case 58:  // LEMASK
      return (2U << lane) - 1U;
    case 59:  // GTMASK
      return ~((2U << lane) - 1U);
    case 60:  // GEMASK
      return ~((1U << lane) - 1U);
    case 61:  // REGALLOC
      return block.context->shape.registers_per_thread;
    case 62:  // BARRIERALLOC
      return block.context->shape.barriers;
    case 67:  // VIRTUALSMID
      return block.placement.sm;
    case 80:
      return word(ticks, 0);
    case 81:
      return word(ticks, 1);
    case 82:
      return word(nanoseconds(block, warp), 0);
    case 83:
      return word(nanoseconds(block, warp), 1);
    case 136:  // CgaCtaId
      return block.rank;
    default:
      return 0;
  }
}

void special_register_row(const Block& block, const Warp& warp, unsigned number, std::uint32_t* row) {
  if (is_thread(number)) {
    const traces::Dim3 size = block.context->shape.block;
    traces::Dim3 t = thread_of(block, warp, 0);
    for (unsigned i = 0; i < lanes; ++i) {
      row[i] = thread_register(t, number);
      if (++t.x < size.x) continue;
      t.x = 0;
      if (++t.y < size.y) continue;
      t.y = 0;
      ++t.z;
    }
  } else if (is_of_lane(number)) {
    for (unsigned i = 0; i < lanes; ++i) row[i] = special_register(block, warp, number, i);
  } else {
    std::fill_n(row, lanes, special_register(block, warp, number, 0));
  }
}

}  // namespace warpgauge::emulator
