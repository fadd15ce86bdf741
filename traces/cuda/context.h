// The one context behind the runtime and the driver interface: memory, modules, streams, events, launches.
//
// Where the executor has no time line, everything executes in the order in which the program asks for it, at the time of
// the call; "asynchronous" is a matter of the clocks only. Stream s has a clock of its own: an operation starts when the
// stream's earlier ones have ended, and kernels do not overlap each other.
//
// Where it has one, operations of streams become its tasks, each after those that CUDA has it wait for: the stream's last
// one, events, edges of graphs, and, of the legacy default stream, what other blocking streams have been asked before. They
// execute when the host waits for one of them, or for what it would see: a finish_…() does. Memory that the host reads
// without asking, as soon as a kernel has written it, stays as it was until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "traces/cubin/cubin.h"
#include "traces/cuda/arrays.h"
#include "traces/cuda/device.h"
#include "traces/cuda/error.h"
#include "traces/cuda/executor.h"
#include "traces/cuda/kernel_calls.h"
#include "traces/emulator/launch.h"
#include "traces/emulator/memory.h"

namespace warpgauge::cuda {

// Ends an API call with this error code.
struct Failure {
  Error code;
};

enum class MemoryKind : std::uint8_t { host, device, managed };

using Module = emulator::Module;

// A kernel as the interfaces hand it out. Its address is the handle.
// cudaFuncCache and CUfunc_cache, the older wish: what the L1 and shared memory get.
enum class CacheConfig : int { none, prefer_shared, prefer_l1, prefer_equal };

struct Function {
  Module* module = nullptr;
  const cubin::Kernel* kernel = nullptr;
  std::uint32_t max_dynamic_shared_bytes = 0;  // raised by the opt-in attribute
  int carveout_percent = -1;                   // preferred, of the shared memory; -1: no wish
  CacheConfig cache_config = CacheConfig::none;
  traces::Dim3 cluster = {};         // of a launch's wishes; the kernel's own goes first
  bool names_clusters = false;       // the same, be they of one block
  bool wide_clusters = false;        // of more blocks than every device of the architecture can hold
  [[nodiscard]] unsigned most_cluster_blocks() const {
    constexpr unsigned of_every_device = 8;
    return wide_clusters ? traces::most_cluster_blocks : of_every_device;
  }
};

struct Graph;
struct GraphNode;
struct Event;

struct Stream {
  static constexpr std::uint32_t non_blocking = 1;  // of flags: has nothing to do with the legacy default stream
  std::uint32_t flags = 0;
  int priority = 0;
  double ready_ns = 0;             // when everything asked of it so far has ended
  std::shared_ptr<Graph> capture;  // being recorded into, instead of executed
  std::vector<GraphNode*> captured;  // the last of it, which come before what is captured next
  std::optional<TimeLine::Task> last;  // of its operations
  std::string name = "default";       // for the report
};

// A graph that records it or waits for it keeps it.
struct Event : std::enable_shared_from_this<Event> {
  std::uint32_t flags = 0;
  bool recorded = false;
  double time_ns = 0;
  std::shared_ptr<Graph> capture;  // recorded in a stream that was capturing into this graph
  GraphNode* captured = nullptr;   // where
  std::optional<TimeLine::Task> task;  // its last record
};

struct KernelLaunch {
  Function function;
  traces::Dim3 grid;
  traces::Dim3 block;
  std::uint64_t shared_bytes = 0;
  std::vector<std::byte> parameters;
  bool cooperative = false;
  std::optional<std::uint8_t> carveout_percent;  // traces::LaunchShape's
  std::uint32_t stack_bytes = 0;
};

// What a stream does, or a node of a graph.
struct Operation {
  int node_type = 0;                 // cudaGraphNodeType
  std::function<void(Stream&)> run;  // here and now
  // What a time line has to know of it.
  std::shared_ptr<const KernelLaunch> kernel = nullptr;  // it is this launch
  std::shared_ptr<const Graph> graph = nullptr;          // it is all nodes of this graph
  std::shared_ptr<Event> records = nullptr;
  std::shared_ptr<Event> waits_for = nullptr;
  // Of copies: the host's own memory is read when the copy is asked for, and written before the call returns.
  void* destination = nullptr;
  const void* source = nullptr;
  std::size_t bytes = 0;  // one after the other; 0: rows
};

// One operation of a graph, and what must come before it. Replayed in an order that keeps `after`.
struct GraphNode {
  Operation operation;
  std::vector<GraphNode*> after;
  const GraphNode* original = nullptr;  // the node that this one was copied from
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  // Nodes in an order in which each comes after its dependencies; earliest added first. Throws Failure for a
  // cycle.
  [[nodiscard]] std::vector<GraphNode*> ordered() const;
  [[nodiscard]] std::shared_ptr<Graph> clone() const;
  // The node itself, or its copy in this graph; null when there is none.
  [[nodiscard]] GraphNode* find(const GraphNode* node) const;
};

struct Occupancy {
  int blocks_per_sm = 0;
};

class Context {
 public:
  Context(Device device, std::unique_ptr<Executor> executor);
  ~Context();

  // The process's context, made on the first call.
  static Context& instance();

  // Serialises calls from several host threads.
  std::recursive_mutex& mutex() { return mutex_; }

  [[nodiscard]] const Device& device() const { return device_; }
  emulator::DeviceMemory& memory() { return memory_; }
  Arrays& arrays() { return arrays_; }

  // A fault leaves the context unusable: every later call answers with its code.
  [[nodiscard]] Error sticky_error() const { return sticky_; }
  void set_sticky_error(Error error) { sticky_ = error; }

  // --- memory. Device and host addresses are the same number for everything that is allocated here.
  void* allocate(std::size_t bytes, MemoryKind kind);
  void* allocate_in_order(std::size_t bytes);  // the device's, of a stream
  void release(void* pointer);  // null is allowed; throws invalid_value for what was not allocated
  // From now on release() leaves it as it is: a graph's memory has one address for all of its launches.
  void keep(const void* pointer);
  void register_host(void* pointer, std::size_t bytes);
  void unregister_host(void* pointer);
  [[nodiscard]] std::optional<MemoryKind> kind_of(const void* pointer) const;
  [[nodiscard]] const emulator::Allocation* allocation_of(const void* pointer) const;
  void copy(void* destination, const void* source, std::size_t bytes, Stream& stream);
  void fill(void* destination, int value, std::size_t element_bytes, std::size_t count, Stream& stream);

  // --- code
  Module* load_module(std::span<const std::byte> bytes);  // cubin or fatbin
  void unload_module(Module* module);
  Function* function(Module& module, std::string_view name);  // throws not found
  Function* checked_function(const void* handle);             // throws invalid handle
  const cubin::LoadedVariable& variable(Module& module, std::string_view name);

  // --- execution
  CacheConfig cache_config = CacheConfig::none;  // of functions without one of their own
  std::uint32_t stack_limit = 1024;              // of each thread of launches from now on
  void launch(Function& function, traces::Dim3 grid, traces::Dim3 block, std::uint64_t shared_bytes,
              void* const* arguments, Stream& stream, bool cooperative);
  void launch_block(Function& function, traces::Dim3 grid, traces::Dim3 block, std::uint64_t shared_bytes,
                    std::vector<std::byte> parameters, Stream& stream, bool cooperative);
  std::vector<std::byte> pack(const Function& function, void* const* arguments) const;
  // How many clusters of such a launch the device holds at once.
  [[nodiscard]] int most_clusters(const Function& function, traces::Dim3 cluster, int block_threads,
                                  std::size_t shared_bytes) const;
  [[nodiscard]] Occupancy occupancy(const Function& function, int block_threads,
                                    std::size_t shared_bytes) const;

  // The heap of the kernels' malloc; fixed from the first launch of a kernel that may use it.
  DeviceHeap& heap() { return kernel_calls_.heap(); }

  // --- streams and events. Null and the two special handles name the default stream.
  Stream* create_stream(std::uint32_t flags, int priority);
  void destroy_stream(Stream* stream);
  Stream& stream(const void* handle);
  Event* create_event(std::uint32_t flags);
  void destroy_event(Event* event);
  Event& event(const void* handle);
  // Ends what `origin` captures, also for the streams that have joined in. Throws illegal_state when it does
  // not.
  std::shared_ptr<Graph> end_capture(Stream& origin);
  // Runs `operation` now, or records it into the stream's graph when it captures, or makes it a task of the time line.
  void submit(Stream& stream, Operation operation);
  // What its launches wish for: traces::LaunchShape's.
  [[nodiscard]] std::optional<std::uint8_t> carveout_of(const Function& function) const;
  // A kernel's, checked: its arguments are copied now, as the interface promises.
  Operation kernel_operation(const Function& function, traces::Dim3 grid, traces::Dim3 block,
                             std::uint64_t shared_bytes, std::vector<std::byte> parameters, bool cooperative);
  // With a time line: until what the stream has been asked is done, what the event stands for, or everything.
  void finish_stream(Stream& stream);
  void finish_event(const Event& event);
  void finish_all();
  [[nodiscard]] double time_ns(const Event& event);  // of its record; finishes it
  [[nodiscard]] double latest_ns() const;  // when everything asked so far has ended

  void finish();

 private:
  void* allocate(std::size_t bytes, MemoryKind kind, emulator::MemoryPool pool);
  void check_shape(const KernelLaunch& launch) const;
  [[nodiscard]] LaunchRequest request_of(const KernelLaunch& launch);
  void run_now(const KernelLaunch& launch, Stream& stream);
  // What an operation of the stream waits for.
  [[nodiscard]] std::vector<TimeLine::After> before(const Stream& stream) const;
  void defer(Stream& stream, Operation operation);
  TimeLine::Task enqueue(const Stream& stream, const Operation& operation, std::vector<TimeLine::After> after);

  std::recursive_mutex mutex_;
  Device device_;
  std::unique_ptr<Executor> executor_;
  emulator::DeviceMemory memory_;
  KernelCalls kernel_calls_;
  Arrays arrays_{memory_};
  Error sticky_ = Error::success;
  std::map<std::uint64_t, MemoryKind> kinds_;  // by the begin of the allocation
  std::set<std::uint64_t> kept_;               // begins of allocations
  std::map<Module*, std::shared_ptr<Module>> modules_;
  std::map<const void*, std::unique_ptr<Function>> functions_;
  std::map<const void*, std::unique_ptr<Stream>> streams_;
  std::map<const void*, std::shared_ptr<Event>> events_;
  Stream default_stream_;
  double device_ready_ns_ = 0;
  TimeLine* time_line_ = nullptr;
  std::map<std::thread::id, Stream> per_thread_;  // cudaStreamPerThread, with a time line
  std::vector<TimeLine::After> orphans_;          // last operations of blocking streams that are gone
  std::uint32_t streams_made_ = 0;
  std::uint32_t launches_ = 0;
  bool finished_ = false;
};

// Defined by whoever links the interfaces to a device and an executor.
std::unique_ptr<Context> make_context();

}  // namespace warpgauge::cuda
