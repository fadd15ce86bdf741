#include "traces/emulator/access.h"

#include <fmt/format.h>

#include <utility>

#include "traces/emulator/cluster.h"

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

void global_addresses(Block& block, const Warp& warp, const MicroOp& op) {
  block.context->kernels->global_addresses(warp, op, block.access.addresses);
}

void window_addresses(Block& block, const Warp& warp, const MicroOp& op) {
  block.context->kernels->window_addresses(warp, op, block.access.addresses);
  take_own_rank(block, block.access.addresses);
}

void take_own_rank(const Block& block, std::span<std::uint64_t, lanes> addresses) {
  const std::uint64_t own = std::uint64_t{block.rank} << shared_rank_bit;
  if (own == 0) return;
  for (std::uint64_t& address : addresses)
    if ((address & ~(shared_window_bytes - 1)) == own) address -= own;
}

Bounds bounds_of(const Block& block, const std::uint64_t* addresses, std::uint32_t mask,
                 const Pattern& pattern, unsigned bytes) {
  if (pattern.consecutive) return {pattern.first, pattern.first + std::uint64_t{lanes - 1} * bytes};
  if (pattern.same()) return {pattern.first, pattern.first};
  return block.context->kernels->bounds(addresses, mask);
}

bool inside(const Block& block, const std::uint64_t* addresses, std::uint32_t mask, const Pattern& pattern,
            unsigned bytes, std::uint64_t size) {
  // No address is beyond the bits of all: that answers most questions.
  if (!pattern.consecutive && pattern.joined() + bytes <= size) return true;
  return bounds_of(block, addresses, mask, pattern, bytes).highest + bytes <= size;
}

const Allocation* check_range(Block& block, std::uint64_t address, std::uint64_t bytes, bool may_pass,
                              const char* verb, unsigned lane) {
  DeviceMemory& memory = *block.context->memory;
  const Allocation* const found = memory.find(address, bytes);
  if (found != nullptr) return found;
  const char* const released = memory.was_released(address) ? " in released memory" : "";
  const bool passes = may_pass && memory.in_mapped_page(address, bytes);
  if (passes && block.strayed) return nullptr;
  std::string what = fmt::format("global {} of {} bytes at {:#x}{} is out of bounds, {}", verb, bytes,
                                 address, released, distance_to(memory, address));
  if (!passes) throw LaneFault{FaultKind::illegal_address, std::move(what), lane};
  block.strayed = true;
  memory.say_stray(std::move(what));
  return nullptr;
}

Pattern check_global(Block& block, const MicroOp& op, std::uint32_t mask, unsigned bytes, const char* verb) {
  const std::uint64_t* const addresses = block.access.addresses;
  const Pattern pattern = block.context->kernels->pattern(addresses, mask, bytes);
  const Bounds bounds = bounds_of(block, addresses, mask, pattern, bytes);
  DeviceMemory& memory = *block.context->memory;
  if (block.hints_of != memory.releases()) {
    block.hints.fill(AllocationHint{});
    block.hints_of = memory.releases();
  }
  AllocationHint& hint = block.hints[op.index % block.hints.size()];
  const bool aligned = (pattern.joined() & (bytes - 1)) == 0;
  if (aligned && bounds.lowest >= hint.begin && bounds.highest < hint.end &&
      bytes <= hint.end - bounds.highest)
    return pattern;

  each_lane(mask, [&](unsigned i) {
    const bool aligned_here = (addresses[i] & (bytes - 1)) == 0;
    const Allocation* const found = check_range(block, addresses[i], bytes, aligned_here, verb, i);
    if (found == nullptr) return;
    if (!aligned_here) misaligned("global", verb, bytes, addresses[i], i);
    hint = {found->begin, found->end()};
  });
  return pattern;
}

Pattern check_shared(const Block& block, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                     const char* verb) {
  const std::uint64_t size = block.context->shared_end;
  const Pattern pattern = block.context->kernels->pattern(addresses, mask, bytes);
  if ((pattern.joined() & (bytes - 1)) == 0 && inside(block, addresses, mask, pattern, bytes, size))
    return pattern;
  each_lane(mask, [&](unsigned i) {
    if (addresses[i] + bytes > size)
      throw LaneFault{FaultKind::shared_out_of_range,
                      fmt::format("shared {} of {} bytes at {:#x} is beyond the {} bytes of the block", verb,
                                  bytes, addresses[i], size),
                      i};
    if ((addresses[i] & (bytes - 1)) != 0) misaligned("shared", verb, bytes, addresses[i], i);
  });
  return pattern;
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
