#include "traces/emulator/access.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgauge::emulator {
namespace {

std::string distance_to(const DeviceMemory& memory, std::uint64_t address) {
  const Allocation* const nearest = memory.nearest(address);
  if (nearest == nullptr) return "nothing is allocated";
  const std::string name = nearest->label.empty() ? std::string("allocation") : nearest->label;
  if (address >= nearest->end())
    return fmt::format("{} bytes after the nearest {} at {:#x} of {} bytes", address - nearest->end(), name,
                       nearest->begin, nearest->bytes);
  if (address >= nearest->begin)
    return fmt::format("reaches beyond the {} at {:#x} of {} bytes", name, nearest->begin, nearest->bytes);
  return fmt::format("{} bytes before the nearest {} at {:#x} of {} bytes", nearest->begin - address, name,
                     nearest->begin, nearest->bytes);
}

[[noreturn]] void misaligned(const char* space, const char* verb, unsigned bytes, std::uint64_t address,
                             unsigned lane) {
  throw LaneFault{FaultKind::misaligned_address,
                  fmt::format("{} {} of {} bytes at {:#x} is not aligned", space, verb, bytes, address),
                  lane};
}

}  // namespace

void global_addresses(Block& block, Warp& warp, const MicroOp& op, std::uint32_t) {
  const std::uint32_t* const low = source(warp, op.a);
  const std::uint32_t* const high = source(warp, op.wide_a);
  const std::uint32_t* const uniform = source(warp, op.b);
  const std::uint64_t constant =
      ((std::uint64_t{uniform[lanes]} << 32) | uniform[0]) + static_cast<std::uint64_t>(op.immediate);
  for (unsigned i = 0; i < lanes; ++i)
    block.access.addresses[i] = ((std::uint64_t{high[i]} << 32) | low[i]) + constant;
}

void window_addresses(Block& block, Warp& warp, const MicroOp& op, std::uint32_t) {
  const std::uint32_t* const base = source(warp, op.a);
  const std::uint32_t constant = source(warp, op.b)[0] + static_cast<std::uint32_t>(op.immediate);
  const std::uint32_t scale = op.extra2;
  for (unsigned i = 0; i < lanes; ++i) block.access.addresses[i] = std::uint32_t{base[i] * scale + constant};
}

void check_global(Block& block, const MicroOp& op, std::uint32_t mask, unsigned bytes, const char* verb) {
  const std::uint64_t* const addresses = block.access.addresses;
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  std::uint64_t joined = 0;
  if (mask == all_lanes) {
    for (unsigned i = 0; i < lanes; ++i) {
      lowest = std::min(lowest, addresses[i]);
      highest = std::max(highest, addresses[i]);
      joined |= addresses[i];
    }
  } else {
    each_lane(mask, [&](unsigned i) {
      lowest = std::min(lowest, addresses[i]);
      highest = std::max(highest, addresses[i]);
      joined |= addresses[i];
    });
  }
  AllocationHint& hint = block.hints[op.index % block.hints.size()];
  const bool aligned = (joined & (bytes - 1)) == 0;
  if (aligned && lowest >= hint.begin && highest < hint.end && bytes <= hint.end - highest) return;

  const DeviceMemory& memory = *block.context->memory;
  each_lane(mask, [&](unsigned i) {
    const Allocation* const found = memory.find(addresses[i], bytes);
    if (found == nullptr) {
      const char* const released = memory.was_released(addresses[i]) ? " in released memory" : "";
      throw LaneFault{FaultKind::illegal_address,
                      fmt::format("global {} of {} bytes at {:#x}{} is out of bounds, {}", verb, bytes,
                                  addresses[i], released, distance_to(memory, addresses[i])),
                      i};
    }
    if ((addresses[i] & (bytes - 1)) != 0) misaligned("global", verb, bytes, addresses[i], i);
    hint = {found->begin, found->end()};
  });
}

void check_shared(const Block& block, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                  const char* verb) {
  const std::uint64_t size = block.context->shared_bytes;
  std::uint64_t worst = 0;
  std::uint64_t joined = 0;
  each_lane(mask, [&](unsigned i) {
    worst = std::max(worst, addresses[i]);
    joined |= addresses[i];
  });
  if (worst + bytes <= size && (joined & (bytes - 1)) == 0) return;
  each_lane(mask, [&](unsigned i) {
    if (addresses[i] + bytes > size)
      throw LaneFault{FaultKind::shared_out_of_range,
                      fmt::format("shared {} of {} bytes at {:#x} is beyond the {} bytes of the block", verb,
                                  bytes, addresses[i], size),
                      i};
    if ((addresses[i] & (bytes - 1)) != 0) misaligned("shared", verb, bytes, addresses[i], i);
  });
}

void check_local(const Block& block, std::uint32_t mask, unsigned bytes, const char* verb) {
  const std::uint64_t* const addresses = block.access.addresses;
  const std::uint64_t size = block.context->local_bytes;
  each_lane(mask, [&](unsigned i) {
    if (addresses[i] + bytes > size)
      throw LaneFault{FaultKind::local_out_of_range,
                      fmt::format("local {} of {} bytes at {:#x} is beyond the {} bytes of the thread", verb,
                                  bytes, addresses[i], size),
                      i};
    if ((addresses[i] & (bytes - 1)) != 0) misaligned("local", verb, bytes, addresses[i], i);
  });
}

}  // namespace warpgauge::emulator
