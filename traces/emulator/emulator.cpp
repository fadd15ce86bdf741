#include "traces/emulator/emulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <deque>
#include <new>
#include <type_traits>
#include <utility>

#include "traces/emulator/shared_barrier.h"

namespace warpgauge::emulator {
namespace {

// Handles are indices in a table that never moves, so that threads need no lock to use their blocks.
constexpr std::size_t most_resident_blocks = 1U << 16;
// How many blocks a run without timing keeps when blocks wait for later ones.
constexpr std::size_t most_waiting_blocks = 4096;
// How often a block's warps may stop to let others run before another block gets its turn.
constexpr std::uint32_t patience_alone = 64;
constexpr std::uint32_t patience_together = 4;

// Constant bank 0 below the parameters: the reference on SASS encoding, section 4.4.
constexpr std::size_t bank0_block = 0x00;
constexpr std::size_t bank0_grid = 0x0c;
constexpr std::size_t bank0_shared_window = 0x18;
constexpr std::size_t bank0_local_window = 0x20;
constexpr std::size_t bank0_stack = 0x28;
constexpr std::size_t bank0_dynamic_shared = 0x2c;  // sm_90
// Of clusters, sm_90, as compilers use them: whether the launch has any; blocks in each direction of one; the numbers by
// which they multiply a block's place to find its cluster's; clusters in each direction of the grid; blocks of one.
constexpr std::size_t bank0_clustered = 0x140;
constexpr std::size_t bank0_cluster = 0x144;
constexpr std::size_t bank0_cluster_reciprocal = 0x150;
constexpr std::size_t bank0_grid_clusters = 0x15c;
constexpr std::size_t bank0_cluster_blocks = 0x188;

// Where it says at which address of global memory bank 3, the program's __constant__ variables, begins:
// compilers load through it what a program takes the address of and reads by __ldg.
std::size_t bank0_user_constants(sass::Architecture architecture) {
  return architecture == sass::Architecture::sm90 ? 0xd0 : 0x50;
}
constexpr unsigned user_constant_bank = 3;

// The least float that gives n / n no less than 1.
float reciprocal(std::uint32_t n) {
  const float nearest = 1.0F / static_cast<float>(n);
  return nearest * static_cast<float>(n) < 1.0F ? std::nextafter(nearest, 1.0F) : nearest;
}

// sm_90: where it says at which address of global memory the parameters can be read, whence compilers reach
// those whose address is taken, tensor maps among them. Parameters are aligned within the bank, which is why
// all of it lies there.
constexpr std::size_t bank0_parameters = 0x198;

std::uint32_t round_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// In which shared memory is given to blocks.
std::uint32_t shared_unit(sass::Architecture architecture) {
  return architecture >= sass::Architecture::sm80 ? 128 : 256;
}

template <class T>
void put(std::vector<std::uint8_t>& bank, std::size_t offset, T value) {
  if (offset + sizeof(T) <= bank.size()) std::memcpy(bank.data() + offset, &value, sizeof(T));
}

// Where a cooperative launch's workspace pointer lies: {low, high} words; nothing where it is not known.
struct WorkspaceWords {
  std::size_t low = 0;
  std::size_t high = 0;
};

WorkspaceWords workspace_words(sass::Architecture architecture) {
  if (architecture == sass::Architecture::sm90) return {0x48, 0x44};
  return {0x90, 0x8c};
}

}  // namespace

Emulator::Emulator(const Launch& launch) : module_(launch.module), patience_(launch.patience) {
  check(launch);
  const cubin::Kernel& kernel = module_->kernel(launch.kernel);
  code_ = module_->code(kernel);

  traces::LaunchShape& shape = context_.shape;
  shape.kernel = kernel.name;
  shape.demangled = kernel.demangled_name();
  shape.architecture = kernel.architecture;
  shape.grid = launch.grid;
  shape.block = launch.block;
  shape.cluster = cluster_of(kernel, launch.cluster);
  shape.registers_per_thread = kernel.registers;
  shape.static_shared_bytes = kernel.user_shared_bytes();
  shape.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  shape.carveout_percent = launch.carveout_percent;
  shape.barriers = kernel.barriers;
  shape.code_address = code_.address;
  shape.kernel_bytes = kernel.code.size();
  shape.host_memory = module_->memory().host_memory();

  context_.memory = &module_->memory();
  context_.ops = code_.program->ops();
  context_.kernels = &code_.program->kernels().memory;
  context_.code = code_.program->code();
  context_.refusals = code_.program->refusals();
  context_.rows = code_.program->rows();
  context_.shared_bytes = round_up(std::max(kernel.static_shared_bytes, kernel.reserved_shared_bytes), 16) +
                          launch.dynamic_shared_bytes;
  // A block that asks for seven bytes may write 28 on an H200.
  context_.shared_end = round_up(context_.shared_bytes, shared_unit(kernel.architecture));
  // Where recursion hides the depth of the stack, it is what the launch says.
  const bool known = kernel.local_bytes() <= local_window_bytes;
  context_.local_bytes =
      round_up(known ? std::max(kernel.local_bytes(), launch.stack_bytes) : launch.stack_bytes, 16);
  shape.local_bytes_per_thread = known ? kernel.local_bytes() : launch.stack_bytes;
  context_.barriers = kernel.barriers;
  context_.cooperative = launch.cooperative;
  context_.clustered = kernel.cluster[0] != 0 || shape.cluster.count() > 1;
  shape.in_clusters = context_.clustered || launch.names_clusters;
  context_.system_calls = launch.system_calls;
  for (const cubin::ExternalFunction& function : module_->loaded().externals)
    context_.externals.emplace(function.address, function.name);
  if (context_.shared_bytes > shared_window_bytes || context_.local_bytes > local_window_bytes) {
    FaultSite site;
    site.kernel = shape.demangled;
    throw Fault(FaultKind::launch_failure, "more shared or local memory than an address window holds", site);
  }
  fill_constants(launch, kernel);
  pool_ = code_.program->make_pool(context_.constants);
  context_.pool = pool_.data();
  resident_.resize(most_resident_blocks);
}

Emulator::~Emulator() {
  if (parameters_ != 0) module_->memory().release(parameters_);
  if (workspace_ != 0) module_->memory().release(workspace_);
}

void Emulator::fill_constants(const Launch& launch, const cubin::Kernel& kernel) {
  auto& banks = context_.constants;
  const auto set = [&](unsigned number, const cubin::Bytes& bytes) {
    if (banks.size() <= number) banks.resize(number + std::size_t{1});
    banks[number] = bytes;
  };
  for (const auto& [number, bytes] : module_->loaded().constant_banks) set(number, bytes);
  for (const auto& [number, bytes] : kernel.constant_banks) set(number, bytes);
  // What the host wrote to __constant__ variables lies in device memory.
  std::uint64_t user_constants = 0;
  for (const cubin::DataSegment& segment : module_->loaded().segments) {
    if (!segment.constant_bank) continue;
    cubin::Bytes bytes(segment.size);
    module_->memory().read(segment.address, std::as_writable_bytes(std::span(bytes)));
    set(*segment.constant_bank, bytes);
    if (segment.constant_bank == user_constant_bank) user_constants = segment.address;
  }
  if (banks.empty()) banks.resize(1);
  std::vector<std::uint8_t>& bank0 = banks[0];
  bank0.resize(
      std::max<std::size_t>(bank0.size(), std::size_t{kernel.parameter_base} + launch.parameters.size()));
  bank0.resize(std::max<std::size_t>(bank0.size(), 0x100));
  put(bank0, bank0_block, launch.block.x);
  put(bank0, bank0_block + 4, launch.block.y);
  put(bank0, bank0_block + 8, launch.block.z);
  put(bank0, bank0_grid, launch.grid.x);
  put(bank0, bank0_grid + 4, launch.grid.y);
  put(bank0, bank0_grid + 8, launch.grid.z);
  put(bank0, bank0_shared_window, shared_window);
  put(bank0, bank0_local_window, local_window);
  put(bank0, bank0_stack, context_.local_bytes);
  if (user_constants != 0) put(bank0, bank0_user_constants(kernel.architecture), user_constants);
  if (kernel.architecture == sass::Architecture::sm90) {
    put(bank0, bank0_dynamic_shared, launch.dynamic_shared_bytes);
    bank0.resize(std::max<std::size_t>(bank0.size(), bank0_cluster_blocks + 4));
    const std::array<std::uint32_t, 3> cluster{context_.shape.cluster.x, context_.shape.cluster.y, context_.shape.cluster.z};
    const std::array<std::uint32_t, 3> grid{launch.grid.x, launch.grid.y, launch.grid.z};
    put(bank0, bank0_clustered, std::uint32_t{context_.clustered ? 1U : 0U});
    for (std::size_t i = 0; i < 3; ++i) {
      put(bank0, bank0_cluster + 4 * i, cluster[i]);
      put(bank0, bank0_cluster_reciprocal + 4 * i, reciprocal(cluster[i]));
      put(bank0, bank0_grid_clusters + 4 * i, grid[i] / cluster[i]);
    }
    put(bank0, bank0_cluster_blocks, static_cast<std::uint32_t>(context_.shape.cluster.count()));
  }
  if (launch.cooperative) {
    constexpr std::uint64_t workspace_bytes = 4096;
    const auto address = module_->memory().allocate(workspace_bytes, "cooperative launch's workspace");
    if (address) workspace_ = *address;
    const WorkspaceWords words = workspace_words(kernel.architecture);
    put(bank0, words.low, static_cast<std::uint32_t>(workspace_));
    put(bank0, words.high, static_cast<std::uint32_t>(workspace_ >> 32));
  }
  if (!launch.parameters.empty())
    std::memcpy(bank0.data() + kernel.parameter_base, launch.parameters.data(), launch.parameters.size());
  if (kernel.architecture == sass::Architecture::sm90 && code_.program->reads_constant(0, bank0_parameters))
    show_parameters(kernel.parameter_base);
}

// Lays bank 0 out in global memory.
void Emulator::show_parameters(std::size_t parameter_base) {
  std::vector<std::uint8_t>& bank0 = context_.constants[0];
  const auto address = module_->memory().allocate(bank0.size(), "launch's parameters", MemoryPool::variables);
  if (!address) return;
  parameters_ = *address;
  put(bank0, bank0_parameters, parameters_ + parameter_base);
  module_->memory().write(parameters_, std::as_bytes(std::span(bank0)));
}

Block* Emulator::take_block() {
  if (!spare_.empty()) {
    Block* const block = spare_.back();
    spare_.pop_back();
    return block;
  }
  static_assert(std::is_trivially_destructible_v<Block>);  // it goes with the arena
  auto* const block = new (state_.take(sizeof(Block))) Block;
  block->prepare(context_, state_, stacks_);
  block->bulk = &bulk_.emplace_back();
  block->coming = &coming_.emplace_back();
  return block;
}

void Emulator::join_cluster(Block& block) {
  const traces::Dim3 grid = context_.shape.grid;
  const traces::Dim3 cluster = context_.shape.cluster;
  const std::uint64_t x = block.linear % grid.x;
  const std::uint64_t y = block.linear / grid.x % grid.y;
  const std::uint64_t z = block.linear / grid.x / grid.y;
  const std::uint64_t number =
      (z / cluster.z * (grid.y / cluster.y) + y / cluster.y) * (grid.x / cluster.x) + x / cluster.x;
  std::unique_ptr<Cluster>& joined = clusters_[number];
  if (joined == nullptr) {
    joined = std::make_unique<Cluster>();
    joined->size = static_cast<unsigned>(cluster.count());
  }
  block.cluster = joined.get();
  block.cluster_number = number;
  block.rank = static_cast<std::uint32_t>((z % cluster.z * cluster.y + y % cluster.y) * cluster.x + x % cluster.x);
  joined->blocks[block.rank] = &block;
  joined->warps += static_cast<unsigned>(block.warps.size());
  ++joined->begun;
  // Others may look at its memory before it runs.
  block.begin(code_.entry);
}

void Emulator::retire(Block& block) {
  if (block.cluster == nullptr) {
    spare_.push_back(&block);
    return;
  }
  Cluster& cluster = *block.cluster;
  if (++cluster.ended != cluster.size) return;
  for (unsigned rank = 0; rank < cluster.size; ++rank) spare_.push_back(cluster.blocks[rank]);
  clusters_.erase(block.cluster_number);
}

// Blocks of a cluster see each other's memory at once, which SMs side by side could not.
void Emulator::begin_windows(unsigned sms) {
  if (context_.externals.empty() && !context_.clustered) logs_ = std::vector<WriteLog>(sms);
}

traces::BlockHandle Emulator::begin_block(std::uint64_t linear_block, const traces::Placement& placement) {
  Block* block = nullptr;
  traces::BlockHandle handle = 0;
  {
    const std::scoped_lock lock(mutex_);
    block = take_block();
    if (!free_handles_.empty()) {
      handle = free_handles_.back();
      free_handles_.pop_back();
    } else {
      handle = next_handle_++;
      if (handle >= resident_.size()) throw std::length_error("too many blocks at the same time");
    }
  }
  block->place(linear_block, placement);
  block->functional = false;
  block->log = logs_.empty() ? nullptr : &logs_.at(placement.sm);
  if (context_.clustered) join_cluster(*block);
  resident_[handle] = block;
  return handle;
}

void Emulator::end_block(traces::BlockHandle handle) {
  Block* const block = resident_[handle];
  std::uint64_t executed = 0;
  for (const Warp& warp : block->warps) executed += warp.executed;
  const std::scoped_lock lock(mutex_);
  warp_instructions_ += executed;
  retire(*block);
  free_handles_.push_back(handle);
}

traces::NextInstruction Emulator::next(traces::BlockHandle handle, unsigned index) const {
  const Warp& warp = resident(handle).warps[index];
  traces::NextInstruction next;
  next.status = warp.alive == 0    ? traces::WarpStatus::exited
                : warp.active == 0 ? traces::WarpStatus::at_barrier
                                   : traces::WarpStatus::ready;
  next.index = warp.pc;
  next.active_mask = warp.active;
  return next;
}

void Emulator::prefetch(traces::BlockHandle handle) const {
  constexpr std::size_t host_line = 64;
  static_assert(offsetof(Warp, index) <= 2 * host_line);  // what every instruction asks for
  for (const Warp& warp : resident_[handle]->warps) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&warp);
    __builtin_prefetch(bytes, 1);
    __builtin_prefetch(bytes + host_line, 1);
  }
}

namespace {

// Lanes that wait, none at a block barrier: nobody is left to release them.
void check_stuck(const Warp& warp) {
  if (warp.active != 0 || warp.alive == 0 || warp.barriers_touched != 0 || warp.cluster_waiting != 0) return;
  throw LaneFault{FaultKind::barrier_deadlock, "the threads of a warp that are left wait for each other",
                  static_cast<unsigned>(std::countr_zero(warp.alive))};
}

}  // namespace

// The warp's next instruction, and what it did.
void Emulator::execute(Block& block, Warp& warp, traces::Issued& issued) {
  const MicroOp* const ops = context_.ops.data();
  const MicroOp& op = ops[warp.pc];
  const std::uint32_t before = warp.pc;
  issued = traces::Issued{};
  issued.active_mask = warp.active;
  issued.executed_mask = warp.active & (warp.predicates[op.guard] ^ op.guard_flip);
  block.released_warps = 0;
  block.barrier_record = BarrierRecord{};
  block.cluster_record = ClusterRecord{};
  block.object_record = ObjectRecord{};
  block.measure = 0;
  block.bulk_copied = false;
  block.ticket = traces::Issued::no_ticket;
  block.access.access = traces::MemoryAccess::none;
  block.access.space = traces::MemorySpace::none;
  block.access.mask = 0;
  try {
    step(block, warp, ops);
    check_stuck(warp);
  } catch (const LaneFault& fault) {
    throw locate(block, warp, fault);
  }
  issued.next = warp.pc;
  issued.exited = warp.alive == 0;
  issued.blocked = warp.active == 0 && warp.alive != 0;
  if (issued.blocked) {
    const bool together = block.barrier_record.waits &&
                          issued.executed_mask == warp.barrier_waiting[block.barrier_record.barrier];
    warp.ahead = together ? issued.executed_mask : 0;
    issued.goes_ahead = together;
  }
  issued.branched = warp.active != 0 && warp.pc != before + 1;
  issued.diverged = op.control && warp.active != 0 && warp.active != issued.active_mask;
  issued.released_warps = block.released_warps;
  issued.barrier = block.barrier_record.barrier;
  issued.barrier_warps = block.barrier_record.warps;
  issued.barrier_waits = block.barrier_record.waits;
  issued.arrived_barriers = block.barrier_record.arrived;
  issued.object = block.object_record.object;
  issued.object_address = block.object_record.address;
  issued.cluster_arrives = block.cluster_record.arrives;
  issued.cluster_waits = block.cluster_record.waits;
  issued.cluster_opens = block.cluster_record.opens;
  issued.measure = block.measure;
  if (block.call.function != traces::DriverCall::Function::none) issued.call = std::exchange(block.call, {});
  if (block.bulk_copied) issued.bulk = block.bulk;
  issued.ticket = block.ticket;
  if (block.access.access != traces::MemoryAccess::none) {
    issued.space = block.access.space;
    issued.access = block.access.access;
    issued.bytes_per_lane = block.access.bytes;
    issued.places = block.access.places;
    issued.executed_mask = block.access.mask;
    issued.addresses = block.access.addresses;
    if (block.access.access == traces::MemoryAccess::copy)
      issued.shared_addresses = block.access.shared_addresses;
    if (block.access.space == traces::MemorySpace::texture) issued.texels = &block.access.texels;
  }
}

// The same of a warp that waits at a barrier, for lanes that will go on there together.
void Emulator::execute_ahead(Block& block, Warp& warp, traces::Issued& issued) {
  const std::uint32_t together = warp.ahead;
  if (together == 0) throw std::logic_error("issued a warp that waits");
  warp.active = together;
  warp.pc = warp.apart->resume[std::countr_zero(together)];
  execute(block, warp, issued);
  warp.active = 0;
  for (std::uint32_t rest = together; rest != 0; rest &= rest - 1)
    warp.apart->resume[std::countr_zero(rest)] = warp.pc;
}

void Emulator::issue(traces::BlockHandle handle, unsigned index, std::uint64_t cycle,
                     traces::Issued& issued) {
  Block& block = resident(handle);
  Warp& warp = block.warps[index];
  block.cycle = cycle;
  if (warp.active == 0) {
    execute_ahead(block, warp, issued);
    return;
  }
  execute(block, warp, issued);
  if (!warp.wants_switch) return;
  warp.wants_switch = false;
  warp.loops = 0;
  end_turn(block, block.gave_way != 0);
  block.gave_way = 0;
  if (block.idle_turns >= patience_) give_up(block);
}

void Emulator::landed(traces::BlockHandle handle, std::uint32_t copy) {
  Block& block = resident(handle);
  const auto found = std::ranges::find(*block.coming, copy, &ComingBytes::copy);
  if (found == block.coming->end()) return;
  land(block, *found);
  block.coming->erase(found);
}

bool Emulator::phase_has_ended(traces::BlockHandle handle, unsigned warp) {
  return emulator::phase_has_ended(resident(handle).warps[warp]);
}

void Emulator::run_observed(Block& block, Warp& warp) {
  warp.wants_switch = false;
  warp.loops = 0;
  traces::Issued issued;
  while (warp.active != 0 && !warp.wants_switch) {
    const std::uint32_t index = warp.pc;
    execute(block, warp, issued);
    block.observer->issued(warp.index, index, issued);
  }
}

void Emulator::run_warp(Block& block, Warp& warp) {
  const MicroOp* const ops = context_.ops.data();
  warp.wants_switch = false;
  warp.loops = 0;
  try {
    while (warp.active != 0 && !warp.wants_switch) step(block, warp, ops);
    check_stuck(warp);
  } catch (const LaneFault& fault) {
    throw locate(block, warp, fault);
  }
}

void Emulator::give_up(const Block& block) const {
  for (const Warp& warp : block.warps) {
    if (warp.active == 0) continue;
    throw locate(block, warp,
                 {FaultKind::barrier_deadlock, "a wait for something in memory that no one is left to write",
                  static_cast<unsigned>(std::countr_zero(warp.active))});
  }
  throw std::logic_error("a block without warps that run cannot be waiting for memory");
}

// True once the block has finished.
bool Emulator::run_turn(Block& block, std::uint32_t patience) {
  block.gave_way = 0;
  for (;;) {
    bool progress = false;
    for (Warp& warp : block.warps) {
      if (warp.active == 0) continue;
      const std::uint32_t gave_way = block.gave_way;
      if (block.observer == nullptr)
        run_warp(block, warp);
      else
        run_observed(block, warp);
      end_turn(block, block.gave_way != gave_way);
      progress = true;
    }
    if (block.finished()) return true;
    if (!block.coming->empty()) {
      progress = true;
      for (const ComingBytes& come : *block.coming) land(block, come);
      block.coming->clear();
    }
    const auto waits = [](const Warp& warp) { return warp.cluster_waiting != 0; };
    if (!progress && std::any_of(block.warps.begin(), block.warps.end(), waits)) {
      ++block.idle_turns;
      return false;
    }
    if (!progress) {
      for (const Warp& warp : block.warps) {
        if (warp.alive == 0) continue;
        throw locate(block, warp,
                     {FaultKind::barrier_deadlock, "a barrier that not all threads of the block reach",
                      static_cast<unsigned>(std::countr_zero(warp.alive))});
      }
    }
    if (block.gave_way >= patience) return false;
    // No other block can write to shared memory.
    if (block.gave_way == 0 && block.idle_turns >= patience_) give_up(block);
  }
}

void Emulator::run(traces::StreamObserver* observer) {
  const std::uint64_t total = context_.shape.grid.count();
  std::deque<Block*> waiting;
  std::uint64_t begun = 0;
  const auto admit = [&] {
    Block* const block = take_block();
    const std::uint64_t linear = traces::block_of_clusters(context_.shape.grid, context_.shape.cluster, begun);
    block->place(linear, {});
    if (context_.clustered)
      join_cluster(*block);
    else
      block->begin(code_.entry);
    block->functional = true;
    block->log = nullptr;
    block->observer = observer == nullptr ? nullptr : &observer->begin_block(linear);
    ++begun;
    waiting.push_back(block);
  };
  // Once each block that is left only waits, and none can be begun, nothing will change.
  const auto check_waits = [&](const std::deque<Block*>& blocks) {
    constexpr std::size_t fewest_turns = 1024;
    const std::size_t each =
        std::max(patience_ / blocks.size(), std::min<std::size_t>(patience_, fewest_turns));
    const auto waits = [&](const Block* block) { return block->idle_turns >= each; };
    if (waits(blocks.back()) && std::all_of(blocks.begin(), blocks.end(), waits)) give_up(*blocks.front());
  };
  const std::size_t wanted = context_.cooperative ? total : 1;
  const auto admit_cluster = [&] {
    for (std::uint64_t k = context_.shape.cluster.count(); k > 0; --k) admit();
  };
  while (begun < total || !waiting.empty()) {
    while (begun < total && waiting.size() < wanted) admit_cluster();
    const std::uint32_t patience = waiting.size() > 1 ? patience_together : patience_alone;
    Block* const block = waiting.front();
    waiting.pop_front();
    if (run_turn(*block, patience)) {
      for (const Warp& warp : block->warps) warp_instructions_ += warp.executed;
      if (observer != nullptr) observer->end_block(*block->observer);
      block->observer = nullptr;
      retire(*block);
      continue;
    }
    waiting.push_back(block);
    if (begun < total && waiting.size() < most_waiting_blocks)
      admit_cluster();
    else
      check_waits(waiting);
  }
}

}  // namespace warpgauge::emulator
