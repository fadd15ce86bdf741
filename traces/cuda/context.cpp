#include "traces/cuda/context.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

namespace warpgauge::cuda {
namespace {

[[noreturn]] void fail(Error code) {
  throw Failure{code};
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

emulator::DeviceAddress address(const void* pointer) {
  return reinterpret_cast<emulator::DeviceAddress>(pointer);
}

// Said once: a program of many modules would say it for each.
void complain_about_missing_code(unsigned wanted, const std::set<unsigned>& there) {
  static std::once_flag once;
  std::call_once(once, [&] {
    std::string have;
    for (const unsigned sm : there) have += (have.empty() ? "sm_" : ", sm_") + std::to_string(sm);
    std::fprintf(stderr, "warpgauge: the program has no machine code for sm_%u; it has %s\n", wanted,
                 have.empty() ? "none" : have.c_str());
  });
}

}  // namespace

std::vector<GraphNode*> Graph::ordered() const {
  std::vector<GraphNode*> order;
  std::set<const GraphNode*> done;
  while (order.size() < nodes.size()) {
    const std::size_t before = order.size();
    for (const auto& node : nodes) {
      if (done.contains(node.get())) continue;
      const bool ready = std::all_of(node->after.begin(), node->after.end(),
                                     [&](const GraphNode* earlier) { return done.contains(earlier); });
      if (!ready) continue;
      order.push_back(node.get());
      done.insert(node.get());
    }
    if (order.size() == before) fail(Error::invalid_value);
  }
  return order;
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  std::map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes) {
    copy->nodes.push_back(std::make_unique<GraphNode>(*node));
    copy->nodes.back()->original = node.get();
    copies[node.get()] = copy->nodes.back().get();
  }
  for (const auto& node : copy->nodes) {
    for (GraphNode*& earlier : node->after) earlier = copies.at(earlier);
  }
  return copy;
}

GraphNode* Graph::find(const GraphNode* node) const {
  for (const auto& candidate : nodes) {
    if (candidate.get() == node || candidate->original == node) return candidate.get();
  }
  return nullptr;
}

Context::Context(Device device, std::unique_ptr<Executor> executor)
    : device_(std::move(device)),
      executor_(std::move(executor)),
      memory_(device_.memory_bytes, emulator::DeviceMemory::Addresses::as_on_host, device_.layout),
      kernel_calls_(memory_),
      time_line_(executor_->time_line()) {}

Context::~Context() {
  finish();
}

Context& Context::instance() {
  // Never destroyed: programs call into the interface from their own static destructors. finish() runs at
  // exit.
  static Context* const context = [] {
    Context* made = make_context().release();
    std::atexit([] { Context::instance().finish(); });
    return made;
  }();
  return *context;
}

void Context::finish() {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  try {
    finish_all();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpgauge: %s\n", error.what());
  }
  executor_->finish();
}

// --- memory

void* Context::allocate(std::size_t bytes, MemoryKind kind) {
  using emulator::MemoryPool;
  const MemoryPool pool = kind == MemoryKind::host      ? MemoryPool::host
                          : kind == MemoryKind::managed ? MemoryPool::managed
                                                        : MemoryPool::device;
  return allocate(bytes, kind, pool);
}

void* Context::allocate_in_order(std::size_t bytes) {
  return allocate(bytes, MemoryKind::device, emulator::MemoryPool::stream_ordered);
}

void* Context::allocate(std::size_t bytes, MemoryKind kind, emulator::MemoryPool pool) {
  const auto begin = memory_.allocate(bytes, {}, pool);
  if (!begin) fail(Error::memory_allocation);
  kinds_[*begin] = kind;
  return memory_.host(*begin);
}

void Context::release(void* pointer) {
  if (pointer == nullptr || kept_.contains(address(pointer))) return;
  if (!memory_.release(address(pointer))) fail(Error::invalid_value);
  kinds_.erase(address(pointer));
}

void Context::keep(const void* pointer) {
  kept_.insert(address(pointer));
}

void Context::register_host(void* pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0) fail(Error::invalid_value);
  if (!memory_.adopt(pointer, bytes, "registered host memory")) fail(Error::host_memory_already_registered);
  kinds_[address(pointer)] = MemoryKind::host;
}

void Context::unregister_host(void* pointer) {
  if (!memory_.release(address(pointer))) fail(Error::host_memory_not_registered);
  kinds_.erase(address(pointer));
}

const emulator::Allocation* Context::allocation_of(const void* pointer) const {
  return memory_.find(address(pointer));
}

std::optional<MemoryKind> Context::kind_of(const void* pointer) const {
  const emulator::Allocation* allocation = allocation_of(pointer);
  if (allocation == nullptr) return std::nullopt;
  const auto kind = kinds_.find(allocation->begin);
  return kind == kinds_.end() ? MemoryKind::device : kind->second;
}

void Context::copy(void* destination, const void* source, std::size_t bytes, Stream&) {
  if (bytes == 0) return;
  if (destination == nullptr || source == nullptr) fail(Error::invalid_value);
  // What lies on the device must lie inside one allocation; anything else is the host's own.
  for (const void* side : {static_cast<const void*>(destination), source}) {
    if (memory_.find(address(side)) != nullptr && memory_.find(address(side), bytes) == nullptr) {
      fail(Error::invalid_value);
    }
  }
  std::memmove(destination, source, bytes);
}

void Context::fill(void* destination, int value, std::size_t element_bytes, std::size_t count, Stream&) {
  const std::size_t bytes = element_bytes * count;
  if (bytes == 0) return;
  if (memory_.find(address(destination), bytes) == nullptr) fail(Error::invalid_value);
  if (element_bytes == 1) {
    std::memset(destination, value, bytes);
    return;
  }
  auto* at = static_cast<std::byte*>(destination);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(at + i * element_bytes, &value, element_bytes);
}

// --- code

Module* Context::load_module(std::span<const std::byte> bytes) {
  const cubin::ByteView view{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  const auto wanted = static_cast<unsigned>(device_.major * 10 + device_.minor);
  // Machine code runs on devices of the same major version and at least its minor one.
  const auto runs = [&](unsigned sm) { return sm / 10 == wanted / 10 && sm <= wanted; };
  std::optional<cubin::Image> best;
  unsigned best_sm = 0;
  std::set<unsigned> there;
  if (bytes.size() >= 4 && std::memcmp(bytes.data(),
                                       "\x7f"
                                       "ELF",
                                       4) == 0) {
    cubin::Image image(cubin::Bytes(view.begin(), view.end()));
    const auto sm = static_cast<unsigned>(image.architecture());
    there.insert(sm);
    if (runs(sm)) best = std::move(image);
  } else {
    for (const cubin::FatbinEntry& entry : cubin::find_fatbin_entries(view)) {
      if (entry.kind != cubin::FatbinKind::cubin) continue;
      there.insert(entry.sm);
      if (!runs(entry.sm) || entry.sm < best_sm) continue;
      best = cubin::Image(cubin::extract(view, entry));
      best_sm = entry.sm;
    }
  }
  if (!best) {
    complain_about_missing_code(wanted, there);
    fail(Error::no_kernel_image_for_device);
  }

  auto module = std::make_shared<Module>(memory_, *best);
  Module* const handle = module.get();
  modules_[handle] = std::move(module);
  return handle;
}

void Context::unload_module(Module* module) {
  const auto found = modules_.find(module);
  if (found == modules_.end()) fail(Error::invalid_resource_handle);
  std::erase_if(functions_, [&](const auto& entry) { return entry.second->module == module; });
  modules_.erase(found);
}

Function* Context::function(Module& module, std::string_view name) {
  for (const cubin::Kernel& kernel : module.loaded().kernels) {
    if (kernel.name != name) continue;
    for (const auto& [handle, made] : functions_) {
      if (made->kernel == &kernel) return made.get();
    }
    auto made = std::make_unique<Function>(Function{&module, &kernel, 0});
    Function* const handle = made.get();
    functions_[handle] = std::move(made);
    return handle;
  }
  fail(Error::symbol_not_found);
}

Function* Context::checked_function(const void* handle) {
  const auto found = functions_.find(handle);
  if (found == functions_.end()) fail(Error::invalid_resource_handle);
  return found->second.get();
}

const cubin::LoadedVariable& Context::variable(Module& module, std::string_view name) {
  const cubin::LoadedVariable* variable = module.loaded().find_variable(name);
  if (variable == nullptr) fail(Error::symbol_not_found);
  return *variable;
}

// --- execution

std::vector<std::byte> Context::pack(const Function& function, void* const* arguments) const {
  std::vector<std::byte> block(function.kernel->parameter_bytes);
  for (const cubin::Parameter& parameter : function.kernel->parameters) {
    if (arguments == nullptr) fail(Error::invalid_value);
    if (std::uint64_t{parameter.offset} + parameter.size > block.size()) fail(Error::invalid_kernel_image);
    std::memcpy(block.data() + parameter.offset, arguments[parameter.ordinal], parameter.size);
  }
  return block;
}

Occupancy Context::occupancy(const Function& function, int block_threads, std::size_t shared_bytes) const {
  if (block_threads <= 0) fail(Error::invalid_value);
  const auto threads = static_cast<std::uint64_t>(block_threads);
  if (threads > device_.max_threads_per_block) return {0};
  const std::uint64_t warps = (threads + 31) / 32;
  std::uint64_t blocks =
      std::min<std::uint64_t>(device_.max_blocks_per_sm, device_.max_threads_per_sm / 32 / warps);
  // Each processing block of the SM has its part of the registers, and a block's warps are dealt out to all.
  const std::uint64_t registers =
      round_up(std::uint64_t{function.kernel->registers} * 32, device_.register_allocation_unit);
  if (registers != 0) {
    const std::uint64_t parts = std::max<std::uint32_t>(device_.warp_allocation_granularity, 1);
    if (round_up(warps, parts) * registers > device_.registers_per_block) return {0};
    blocks = std::min(blocks, device_.registers_per_sm / parts / registers * parts / warps);
  }
  const std::uint64_t shared =
      round_up(function.kernel->user_shared_bytes() + shared_bytes + device_.shared_reserved_per_block,
               device_.shared_allocation_unit);
  if (shared != 0) blocks = std::min(blocks, device_.shared_per_sm / shared);
  return {static_cast<int>(blocks)};
}

int Context::most_clusters(const Function& function, traces::Dim3 cluster, int block_threads,
                           std::size_t shared_bytes) const {
  // Of each GPC as many as have room there; the SMs of an H200 that join no larger clusters count as pairs.
  const auto size = static_cast<std::uint32_t>(cluster.count());
  const auto blocks = static_cast<std::uint32_t>(occupancy(function, block_threads, shared_bytes).blocks_per_sm);
  if (size == 0 || device_.major < 9) return 0;
  const std::uint32_t gpcs = std::max<std::uint32_t>(device_.gpc_count, 1);
  return static_cast<int>(gpcs * (device_.sm_count / gpcs * blocks / size));
}

void Context::check_shape(const KernelLaunch& launch) const {
  const Function& function = launch.function;
  const traces::Dim3 grid = launch.grid;
  const traces::Dim3 block = launch.block;
  const std::uint64_t shared_bytes = launch.shared_bytes;
  if (grid.count() == 0 || block.count() == 0) fail(Error::invalid_configuration);
  if (block.count() > device_.max_threads_per_block || block.x > 1024 || block.y > 1024 || block.z > 64) {
    fail(Error::invalid_configuration);
  }
  if (grid.x > 0x7fffffffU || grid.y > 0xffffU || grid.z > 0xffffU) fail(Error::invalid_configuration);
  const std::uint64_t allowed =
      std::max<std::uint64_t>(device_.shared_per_block, std::uint64_t{function.kernel->user_shared_bytes()} +
                                                            function.max_dynamic_shared_bytes);
  if (function.kernel->user_shared_bytes() + shared_bytes >
      std::min(allowed, device_.shared_per_block_optin)) {
    fail(Error::invalid_value);
  }
  const traces::Dim3 cluster = emulator::cluster_of(*function.kernel, function.cluster);
  if (cluster.count() == 0 || cluster.count() > function.most_cluster_blocks() ||
      (cluster.count() > 1 && device_.major < 9))
    fail(Error::invalid_cluster_size);
  if (function.kernel->cluster[0] != 0 && function.cluster.count() > 1 && function.cluster != cluster) fail(Error::invalid_cluster_size);
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) fail(Error::invalid_cluster_size);
  const int blocks = occupancy(function, static_cast<int>(block.count()), shared_bytes).blocks_per_sm;
  if (blocks == 0) fail(Error::launch_out_of_resources);
  if (launch.cooperative && grid.count() > std::uint64_t{static_cast<unsigned>(blocks)} * device_.sm_count) {
    fail(Error::cooperative_launch_too_large);
  }
}

void Context::launch(Function& function, traces::Dim3 grid, traces::Dim3 block, std::uint64_t shared_bytes,
                     void* const* arguments, Stream& stream, bool cooperative) {
  launch_block(function, grid, block, shared_bytes, pack(function, arguments), stream, cooperative);
}

void Context::launch_block(Function& function, traces::Dim3 grid, traces::Dim3 block,
                           std::uint64_t shared_bytes, std::vector<std::byte> parameters, Stream& stream,
                           bool cooperative) {
  Operation operation =
      kernel_operation(function, grid, block, shared_bytes, std::move(parameters), cooperative);
  check_shape(*operation.kernel);
  submit(stream, std::move(operation));
}

// An H200's driver (docs/h200.md, "Wishes for a carve-out"): the attribute counts before either configuration, a function's
// configuration before the device's; shared memory preferred is all of it, neither half of it, and the L1 a twentieth.
std::optional<std::uint8_t> Context::carveout_of(const Function& function) const {
  if (function.carveout_percent >= 0) return static_cast<std::uint8_t>(function.carveout_percent);
  switch (function.cache_config != CacheConfig::none ? function.cache_config : cache_config) {
    case CacheConfig::none:
      break;
    case CacheConfig::prefer_shared:
      return 100;
    case CacheConfig::prefer_equal:
      return 50;
    case CacheConfig::prefer_l1:
      return 5;
  }
  return std::nullopt;
}

Operation Context::kernel_operation(const Function& function, traces::Dim3 grid, traces::Dim3 block,
                                    std::uint64_t shared_bytes, std::vector<std::byte> parameters,
                                    bool cooperative) {
  constexpr int kernel_node = 0;
  const auto launch = std::make_shared<const KernelLaunch>(
      KernelLaunch{function, grid, block, shared_bytes, std::move(parameters), cooperative, carveout_of(function),
                   stack_limit});
  Operation operation{kernel_node, [this, launch](Stream& on) { run_now(*launch, on); }};
  operation.kernel = launch;
  return operation;
}

LaunchRequest Context::request_of(const KernelLaunch& launch) {
  const Function& function = launch.function;
  const auto& externals = function.module->loaded().externals;
  if (std::any_of(externals.begin(), externals.end(), [](const auto& e) { return e.name == "malloc"; }))
    heap().prepare();
  return {.module = modules_.at(function.module),
          .kernel = *function.kernel,
          .grid = launch.grid,
          .block = launch.block,
          .dynamic_shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes),
          .parameters = launch.parameters,
          .cooperative = launch.cooperative,
          .cluster = function.cluster,
          .names_clusters = function.names_clusters,
          .system_calls = &kernel_calls_,
          .carveout_percent = launch.carveout_percent,
          .stack_bytes = launch.stack_bytes,
          .index = launches_++};
}

void Context::run_now(const KernelLaunch& launch, Stream& stream) {
  check_shape(launch);
  const LaunchOutcome outcome = executor_->run(request_of(launch));
  const double start = std::max(stream.ready_ns, device_ready_ns_);
  stream.ready_ns = device_ready_ns_ = start + outcome.time_ns;
}

// --- streams and events

Stream* Context::create_stream(std::uint32_t flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  stream->name = std::to_string(++streams_made_);
  Stream* const handle = stream.get();
  streams_[handle] = std::move(stream);
  return handle;
}

void Context::destroy_stream(Stream* stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) fail(Error::invalid_resource_handle);
  if (stream->last && (stream->flags & Stream::non_blocking) == 0) orphans_.push_back({*stream->last});
  streams_.erase(found);
}

Stream& Context::stream(const void* handle) {
  constexpr std::uintptr_t legacy = 1;
  constexpr std::uintptr_t per_thread = 2;
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == per_thread && time_line_ != nullptr) {
    Stream& own = per_thread_[std::this_thread::get_id()];
    own.name = "per-thread";
    return own;
  }
  if (number == 0 || number == legacy || number == per_thread) return default_stream_;
  const auto found = streams_.find(handle);
  if (found == streams_.end()) fail(Error::invalid_resource_handle);
  return *found->second;
}

Event* Context::create_event(std::uint32_t flags) {
  auto event = std::make_shared<Event>();
  event->flags = flags;
  Event* const handle = event.get();
  events_[handle] = std::move(event);
  return handle;
}

void Context::destroy_event(Event* event) {
  if (events_.erase(event) == 0) fail(Error::invalid_resource_handle);
}

Event& Context::event(const void* handle) {
  const auto found = events_.find(handle);
  if (found == events_.end()) fail(Error::invalid_resource_handle);
  return *found->second;
}

std::shared_ptr<Graph> Context::end_capture(Stream& origin) {
  if (!origin.capture) fail(Error::illegal_state);
  const std::shared_ptr<Graph> graph = origin.capture;
  for (const auto& [handle, stream] : streams_) {
    if (stream->capture != graph) continue;
    stream->capture.reset();
    stream->captured.clear();
  }
  for (const auto& [handle, event] : events_) {
    if (event->capture != graph) continue;
    event->capture.reset();
    event->captured = nullptr;
  }
  return graph;
}

void Context::submit(Stream& stream, Operation operation) {
  if (stream.capture) {
    auto node = std::make_unique<GraphNode>();
    node->after = stream.captured;
    const Event* const waits_for = operation.waits_for.get();
    if (waits_for != nullptr && waits_for->capture == stream.capture && waits_for->captured != nullptr)
      node->after.push_back(waits_for->captured);
    if (operation.records) operation.records->captured = node.get();
    node->operation = std::move(operation);
    stream.captured = {node.get()};
    stream.capture->nodes.push_back(std::move(node));
  } else if (time_line_ == nullptr) {
    operation.run(stream);
  } else {
    defer(stream, std::move(operation));
  }
}

// --- the time line

std::vector<TimeLine::After> Context::before(const Stream& stream) const {
  std::vector<TimeLine::After> tasks;
  const auto add = [&](const Stream& other) {
    if (other.last) tasks.push_back({*other.last});
  };
  add(stream);
  if (&stream == &default_stream_) {
    const auto add_blocking = [&](const Stream& other) {
      if ((other.flags & Stream::non_blocking) == 0) add(other);
    };
    for (const auto& [handle, other] : streams_) add_blocking(*other);
    for (const auto& [thread, other] : per_thread_) add_blocking(other);
    tasks.insert(tasks.end(), orphans_.begin(), orphans_.end());
  } else if ((stream.flags & Stream::non_blocking) == 0) {
    add(default_stream_);
  }
  return tasks;
}

void Context::defer(Stream& stream, Operation operation) {
  const auto of_host = [&](const void* pointer) { return pointer != nullptr && allocation_of(pointer) == nullptr; };
  const bool reads_host = of_host(operation.source);
  const bool by_rows = operation.bytes == 0;
  if (reads_host && !by_rows) {
    const auto* const begin = static_cast<const std::byte*>(operation.source);
    operation.run = [kept = std::vector<std::byte>(begin, begin + operation.bytes),
                     to = operation.destination, this](Stream& on) { copy(to, kept.data(), kept.size(), on); };
  }
  const TimeLine::Task task = enqueue(stream, operation, before(stream));
  stream.last = task;
  if (&stream == &default_stream_) orphans_.clear();
  if (of_host(operation.destination) || (reads_host && by_rows)) time_line_->finish(task);
}

TimeLine::Task Context::enqueue(const Stream& stream, const Operation& operation,
                                std::vector<TimeLine::After> after) {
  if (operation.kernel) {
    check_shape(*operation.kernel);
    return time_line_->launch(request_of(*operation.kernel), operation.kernel->parameters, stream.priority,
                              stream.name, std::move(after));
  }
  if (operation.graph) {
    std::map<const GraphNode*, TimeLine::Task> tasks;
    std::vector<TimeLine::After> all = after;
    for (const GraphNode* node : operation.graph->ordered()) {
      std::vector<TimeLine::After> earlier;
      for (const GraphNode* other : node->after) earlier.push_back({tasks.at(other), true});
      tasks[node] = enqueue(stream, node->operation, node->after.empty() ? after : earlier);
      all.push_back({tasks[node]});
    }
    return time_line_->act({}, std::move(all));
  }
  if (operation.waits_for) {
    if (operation.waits_for->task) after.push_back({*operation.waits_for->task});
    return time_line_->act({}, std::move(after));
  }
  if (operation.records) {
    operation.records->recorded = true;
    operation.records->task = time_line_->act({}, std::move(after));
    return *operation.records->task;
  }
  return time_line_->act(
      [run = operation.run] {
        Stream on;
        run(on);
      },
      std::move(after));
}

void Context::finish_stream(Stream& stream) {
  if (time_line_ == nullptr) return;
  for (const TimeLine::After& earlier : before(stream)) time_line_->finish(earlier.task);
}

void Context::finish_event(const Event& event) {
  if (time_line_ != nullptr && event.task) time_line_->finish(*event.task);
}

void Context::finish_all() {
  if (time_line_ != nullptr && sticky_ == Error::success) time_line_->finish();
}

double Context::time_ns(const Event& event) {
  finish_event(event);
  return event.task ? time_line_->end_ns(*event.task) : event.time_ns;
}

double Context::latest_ns() const {
  double latest = std::max(device_ready_ns_, default_stream_.ready_ns);
  for (const auto& [handle, stream] : streams_) latest = std::max(latest, stream->ready_ns);
  return latest;
}

}  // namespace warpgauge::cuda
