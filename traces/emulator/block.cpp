#include "traces/emulator/block.h"

#include <cstring>

#include "traces/sass/print.h"

namespace warpgauge::emulator {
namespace {

// A block starts with registers of zero: a program that reads one before it writes it gives the same result
// in every run.
void clear_registers(Warp& warp, std::uint32_t rows) {
  std::memset(row(warp, Row::rpc(0)), 0, std::size_t{rows - Row::rpc_rows} * lanes * sizeof(std::uint32_t));
}

}  // namespace

void Block::prepare(const LaunchContext& launch, Arena& state, Arena& stacks) {
  context = &launch;
  const std::uint32_t count = launch.shape.warps_per_block();
  warps = {reinterpret_cast<Warp*>(state.take(count * sizeof(Warp))), count};
  const auto words = [](Arena& arena, std::size_t number) {
    return reinterpret_cast<std::uint32_t*>(arena.take(number * sizeof(std::uint32_t)));
  };
  rows = words(state, std::size_t{count} * launch.rows * lanes);
  shared = reinterpret_cast<std::uint8_t*>(state.take(launch.shared_end + 16U));
  apart = reinterpret_cast<LanesApart*>(stacks.take(count * sizeof(LanesApart)));
  local = words(stacks, std::size_t{count} * lanes * (launch.local_bytes / 4));
}

void Block::place(std::uint64_t linear_block, const traces::Placement& where) {
  linear = linear_block;
  placement = where;
  begun = false;
}

void Block::begin(std::uint32_t entry) {
  const traces::LaunchShape& shape = context->shape;
  coordinates = {static_cast<std::uint32_t>(linear % shape.grid.x),
                 static_cast<std::uint32_t>(linear / shape.grid.x % shape.grid.y),
                 static_cast<std::uint32_t>(linear / shape.grid.x / shape.grid.y)};
  cycle = 0;
  exited_warps = 0;
  released_warps = 0;
  gave_way = 0;
  idle_turns = 0;
  listened = false;
  copies = 0;
  coming->clear();
  for (BlockBarrier& barrier : barriers) barrier = BlockBarrier{};

  const std::uint32_t threads = shape.threads_per_block();
  const auto count = static_cast<std::uint32_t>(warps.size());
  all_warps = count == 32 ? all_lanes : (1U << count) - 1U;
  for (std::uint32_t w = 0; w < count; ++w) {
    Warp& warp = warps[w];
    warp = Warp{};
    warp.apart = apart + w;
    warp.rows = rows + std::size_t{w} * context->rows * lanes;
    warp.pool = context->pool;
    warp.index = w;
    warp.slot = placement.warp_slots[w];
    warp.pc = entry;
    const std::uint32_t left = threads - w * lanes;
    warp.initial = left >= lanes ? all_lanes : (1U << left) - 1U;
    warp.alive = warp.initial;
    warp.active = warp.initial;
    warp.predicates[Predicate::always] = all_lanes;
    warp.predicates[Predicate::uniform_always] = all_lanes;
    if (used) clear_registers(warp, context->rows);
  }
  if (used) std::memset(shared, 0, context->shared_end);
  used = true;
  begun = true;
}

Fault locate(const Block& block, const Warp& warp, const LaneFault& fault) {
  const LaunchContext& context = *block.context;
  const traces::Dim3 size = context.shape.block;
  FaultSite site;
  site.kernel = context.shape.demangled.empty() ? context.shape.kernel : context.shape.demangled;
  site.block = block.coordinates;
  const std::uint32_t linear = warp.index * lanes + fault.lane;
  site.thread = traces::Dim3{linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
  const std::uint32_t index = warp.pc == 0 ? 0 : warp.pc - 1;
  if (index < context.code.size()) {
    site.has_instruction = true;
    site.code_offset = std::uint64_t{index} * sass::instruction_bytes;
    site.instruction = sass::print(context.code[index]);
  }
  return Fault(fault.kind, fault.what, site);
}

}  // namespace warpgauge::emulator
