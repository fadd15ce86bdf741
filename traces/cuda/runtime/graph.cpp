// Graphs: recorded from a stream or built node by node, replayed in order.
#include <algorithm>
#include <functional>
#include <map>

#include "traces/cuda/abi.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"
#include "traces/cuda/program.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::copy;
using warpgauge::cuda::copy_box;
using warpgauge::cuda::Error;
using warpgauge::cuda::Event;
using warpgauge::cuda::fill_rows;
using warpgauge::cuda::Graph;
using warpgauge::cuda::GraphNode;
using warpgauge::cuda::guarded;
using warpgauge::cuda::host_function;
using warpgauge::cuda::MemoryKind;
using warpgauge::cuda::nothing;
using warpgauge::cuda::Operation;
using warpgauge::cuda::Program;
using warpgauge::cuda::record;
using warpgauge::cuda::require;
using warpgauge::cuda::Stream;
using warpgauge::cuda::submit;
using warpgauge::cuda::wait_for;
namespace abi = warpgauge::cuda::abi;

namespace {

// Handles to graphs; an executable graph has a copy of the graph that it was made from.
std::map<const void*, std::shared_ptr<Graph>>& graphs() {
  static auto* const all = new std::map<const void*, std::shared_ptr<Graph>>;
  return *all;
}

struct Executable {
  std::shared_ptr<Graph> graph;
};

std::map<const void*, std::unique_ptr<Executable>>& executables() {
  static auto* const all = new std::map<const void*, std::unique_ptr<Executable>>;
  return *all;
}

std::shared_ptr<Graph>& graph(const void* handle) {
  const auto found = graphs().find(handle);
  require(found != graphs().end(), Error::invalid_value);
  return found->second;
}

void* publish(std::shared_ptr<Graph> made) {
  void* const handle = made.get();
  graphs()[handle] = std::move(made);
  return handle;
}

int add_node(void** node, void* graph_handle, void* const* after, std::size_t after_count,
             Operation operation) {
  return guarded([&](Context&) {
    Graph& g = *graph(graph_handle);
    auto made = std::make_unique<GraphNode>();
    made->operation = std::move(operation);
    for (std::size_t i = 0; i < after_count; ++i) made->after.push_back(static_cast<GraphNode*>(after[i]));
    *node = made.get();
    g.nodes.push_back(std::move(made));
  });
}

void replay(const Graph& g, Stream& stream) {
  for (const GraphNode* node : g.ordered()) node->operation.run(stream);
}

Operation graph_operation(const std::shared_ptr<Graph>& g) {
  Operation operation{abi::node_graph, [g](Stream& stream) { replay(*g, stream); }};
  operation.graph = g;
  return operation;
}

int instantiate(void** executable, void* graph_handle) {
  return guarded([&](Context&) {
    auto made = std::make_unique<Executable>();
    made->graph = graph(graph_handle)->clone();
    static_cast<void>(made->graph->ordered());
    *executable = made.get();
    executables()[made.get()] = std::move(made);
  });
}

// Arguments are copied now, as the interface promises.
Operation kernel_operation(Context& context, const abi::KernelNodeParameters& p) {
  auto* const function = Program::instance().function(context, p.function);
  return context.kernel_operation(*function, {p.grid.x, p.grid.y, p.grid.z}, {p.block.x, p.block.y, p.block.z},
                                  p.shared_bytes, context.pack(*function, p.arguments), false);
}

Operation memset_operation(const abi::MemsetParameters& p) {
  return fill_rows(p.destination, {p.pitch, 0}, p.value, p.element_bytes, {p.width, p.height, 1});
}

Operation host_operation(const abi::HostNodeParameters& p) {
  return host_function(p.function, p.data);
}

int add_event_node(void** node, void* graph_handle, void* const* after, std::size_t count, void* event,
                   Operation (*make)(Event&)) {
  Operation operation;
  const int code = guarded([&](Context& context) { operation = make(context.event(event)); });
  return code != 0 ? code : add_node(node, graph_handle, after, count, std::move(operation));
}

// Gives a node another operation of its type: one of a graph, or the copy of it in an executable graph.
int change(void* executable, void* node, const std::function<Operation(Context&)>& make) {
  return guarded([&](Context& context) {
    auto* changed = static_cast<GraphNode*>(node);
    if (executable != nullptr) {
      const auto found = executables().find(executable);
      require(found != executables().end(), Error::invalid_value);
      changed = found->second->graph->find(changed);
    }
    Operation operation = make(context);
    require(changed != nullptr && changed->operation.node_type == operation.node_type, Error::invalid_value);
    changed->operation = std::move(operation);
  });
}

// What queries for several nodes have in common: without room, only their number.
void give(const std::vector<GraphNode*>& found, void** nodes, std::size_t* count) {
  if (nodes != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
  }
  if (nodes == nullptr || *count > found.size()) *count = found.size();
}

int begin_capture(void* stream_handle) {
  return guarded([&](Context& context) {
    Stream& stream = context.stream(stream_handle);
    require(stream_handle != nullptr, Error::stream_capture_unsupported);
    require(!stream.capture, Error::illegal_state);
    stream.capture = std::make_shared<Graph>();
  });
}

}  // namespace

extern "C" {

int cudaStreamBeginCapture(void* stream, int) {
  return begin_capture(stream);
}
int cudaStreamEndCapture(void* stream_handle, void** graph_handle) {
  return guarded(
      [&](Context& context) { *graph_handle = publish(context.end_capture(context.stream(stream_handle))); });
}
int cudaStreamIsCapturing(void* stream, int* status) {
  return guarded([&](Context& context) { *status = context.stream(stream).capture ? 1 : 0; });
}
int cudaThreadExchangeStreamCaptureMode(int*) {
  return 0;
}

int cudaGraphCreate(void** handle, unsigned) {
  return guarded([&](Context&) { *handle = publish(std::make_shared<Graph>()); });
}
int cudaGraphDestroy(void* handle) {
  return guarded([&](Context&) {
    graph(handle);
    graphs().erase(handle);
  });
}
int cudaGraphClone(void** copy, void* handle) {
  return guarded([&](Context&) { *copy = publish(graph(handle)->clone()); });
}
int cudaGraphNodeFindInClone(void** found, void* node, void* handle) {
  return guarded([&](Context&) {
    *found = graph(handle)->find(static_cast<GraphNode*>(node));
    require(*found != nullptr, Error::invalid_value);
  });
}
int cudaGraphGetNodes(void* handle, void** nodes, std::size_t* count) {
  return guarded([&](Context&) {
    std::vector<GraphNode*> all;
    for (const auto& node : graph(handle)->nodes) all.push_back(node.get());
    give(all, nodes, count);
  });
}
int cudaGraphGetRootNodes(void* handle, void** nodes, std::size_t* count) {
  return guarded([&](Context&) {
    std::vector<GraphNode*> roots;
    for (const auto& node : graph(handle)->nodes) {
      if (node->after.empty()) roots.push_back(node.get());
    }
    give(roots, nodes, count);
  });
}
int cudaGraphNodeGetType(void* node, int* type) {
  *type = static_cast<GraphNode*>(node)->operation.node_type;
  return 0;
}

int cudaGraphAddKernelNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                           const abi::KernelNodeParameters* p) {
  Operation run;
  const int code = guarded([&](Context& context) { run = kernel_operation(context, *p); });
  return code != 0 ? code : add_node(node, graph_handle, after, count, std::move(run));
}
int cudaGraphKernelNodeSetParams(void* node, const abi::KernelNodeParameters* p) {
  return change(nullptr, node, [&](Context& context) { return kernel_operation(context, *p); });
}
int cudaGraphExecKernelNodeSetParams(void* executable, void* node, const abi::KernelNodeParameters* p) {
  return change(executable, node, [&](Context& context) { return kernel_operation(context, *p); });
}
int cudaGraphAddMemcpyNode1D(void** node, void* graph_handle, void* const* after, std::size_t count,
                             void* destination, const void* source, std::size_t bytes, int) {
  return add_node(node, graph_handle, after, count, copy(destination, source, bytes));
}
int cudaGraphMemcpyNodeSetParams1D(void* node, void* destination, const void* source, std::size_t bytes,
                                   int) {
  return change(nullptr, node, [&](Context&) { return copy(destination, source, bytes); });
}
int cudaGraphExecMemcpyNodeSetParams1D(void* executable, void* node, void* destination, const void* source,
                                       std::size_t bytes, int) {
  return change(executable, node, [&](Context&) { return copy(destination, source, bytes); });
}
int cudaGraphAddMemcpyNodeToSymbol(void** node, void* graph_handle, void* const* after, std::size_t count,
                                   const void* symbol, const void* source, std::size_t bytes,
                                   std::size_t offset, int) {
  void* device = nullptr;
  const int code = guarded(
      [&](Context& context) { device = Program::instance().address_in(context, symbol, offset, bytes); });
  return code != 0 ? code
                   : cudaGraphAddMemcpyNode1D(node, graph_handle, after, count, device, source, bytes, 0);
}
int cudaGraphAddMemcpyNodeFromSymbol(void** node, void* graph_handle, void* const* after, std::size_t count,
                                     void* destination, const void* symbol, std::size_t bytes,
                                     std::size_t offset, int) {
  void* device = nullptr;
  const int code = guarded(
      [&](Context& context) { device = Program::instance().address_in(context, symbol, offset, bytes); });
  return code != 0
             ? code
             : cudaGraphAddMemcpyNode1D(node, graph_handle, after, count, destination, device, bytes, 0);
}
int cudaGraphAddMemcpyNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                           const abi::Copy3D* parameters) {
  if (parameters->source_array != nullptr || parameters->destination_array != nullptr) {
    return warpgauge::cuda::unsupported("cudaGraphAddMemcpyNode with an array");
  }
  return add_node(node, graph_handle, after, count, copy_box(*parameters));
}
int cudaGraphAddMemsetNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                           const abi::MemsetParameters* parameters) {
  return add_node(node, graph_handle, after, count, memset_operation(*parameters));
}
int cudaGraphMemsetNodeSetParams(void* node, const abi::MemsetParameters* parameters) {
  return change(nullptr, node, [&](Context&) { return memset_operation(*parameters); });
}
int cudaGraphExecMemsetNodeSetParams(void* executable, void* node, const abi::MemsetParameters* parameters) {
  return change(executable, node, [&](Context&) { return memset_operation(*parameters); });
}
int cudaGraphAddHostNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                         const abi::HostNodeParameters* parameters) {
  return add_node(node, graph_handle, after, count, host_operation(*parameters));
}
int cudaGraphHostNodeSetParams(void* node, const abi::HostNodeParameters* parameters) {
  return change(nullptr, node, [&](Context&) { return host_operation(*parameters); });
}
int cudaGraphExecHostNodeSetParams(void* executable, void* node, const abi::HostNodeParameters* parameters) {
  return change(executable, node, [&](Context&) { return host_operation(*parameters); });
}
// A graph's memory has one address for all launches: it is allocated when the node is made, and stays.
int cudaGraphAddMemAllocNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                             abi::MemAllocNodeParameters* parameters) {
  const int code = guarded([&](Context& context) {
    parameters->pointer = context.allocate(parameters->bytes, MemoryKind::device);
    context.keep(parameters->pointer);
  });
  return code != 0 ? code : add_node(node, graph_handle, after, count, nothing(abi::node_mem_alloc));
}
int cudaGraphAddMemFreeNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                            void* pointer) {
  const int code = guarded(
      [&](Context& context) { require(context.allocation_of(pointer) != nullptr, Error::invalid_value); });
  return code != 0 ? code : add_node(node, graph_handle, after, count, nothing(abi::node_mem_free));
}
int cudaGraphAddEventRecordNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                                void* handle) {
  return add_event_node(node, graph_handle, after, count, handle,
                        [](Event& event) { return record(event, false); });
}
int cudaGraphAddEventWaitNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                              void* handle) {
  return add_event_node(node, graph_handle, after, count, handle,
                        [](Event& event) { return wait_for(event); });
}
int cudaGraphAddEmptyNode(void** node, void* graph_handle, void* const* after, std::size_t count) {
  return add_node(node, graph_handle, after, count, nothing(abi::node_empty));
}
int cudaGraphAddChildGraphNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                               void* child) {
  std::shared_ptr<Graph> inner;
  const int code = guarded([&](Context&) { inner = graph(child); });
  if (code != 0) return code;
  return add_node(node, graph_handle, after, count,
                  graph_operation(inner));
}
#if WARPGAUGE_CUDART_VERSION < 13000
int cudaGraphAddDependencies(void*, void* const* from, void* const* to, std::size_t count) {
#else
int cudaGraphAddDependencies(void*, void* const* from, void* const* to, const void*, std::size_t count) {
#endif
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<GraphNode*>(to[i])->after.push_back(static_cast<GraphNode*>(from[i]));
  }
  return 0;
}

// The later arguments differ between CUDA 11 and 12 and are not needed.
int cudaGraphInstantiate(void** executable, void* graph_handle, ...) {
  return instantiate(executable, graph_handle);
}
int cudaGraphInstantiateWithFlags(void** executable, void* graph_handle, unsigned long long) {
  return instantiate(executable, graph_handle);
}
int cudaGraphExecDestroy(void* executable) {
  return guarded([&](Context&) { require(executables().erase(executable) == 1, Error::invalid_value); });
}
// How the result is told differs between CUDA 11 and 12; a program that gets success need not read it.
int cudaGraphExecUpdate(void* executable, void* graph_handle, void*, int* result_of_11) {
  return guarded([&](Context&) {
    const auto found = executables().find(executable);
    require(found != executables().end(), Error::invalid_value);
    Graph& old = *found->second->graph;
    const std::shared_ptr<Graph> made = graph(graph_handle)->clone();
    const auto same = [](const auto& a, const auto& b) { return a->operation.node_type == b->operation.node_type; };
    require(std::equal(old.nodes.begin(), old.nodes.end(), made->nodes.begin(), made->nodes.end(), same),
            Error::graph_exec_update_failure);
    // Handles to nodes stay those of the graph that the executable one was made from.
    for (std::size_t i = 0; i < old.nodes.size(); ++i) old.nodes[i]->operation = made->nodes[i]->operation;
#if WARPGAUGE_CUDART_VERSION < 12000
    if (result_of_11 != nullptr) *result_of_11 = 0;
#else
    static_cast<void>(result_of_11);
#endif
  });
}
int cudaDeviceGraphMemTrim(int) {
  return 0;
}
int cudaGraphUpload(void*, void*) {
  return 0;
}
int cudaGraphLaunch(void* executable, void* stream_handle) {
  return guarded([&](Context& context) {
    const auto found = executables().find(executable);
    require(found != executables().end(), Error::invalid_value);
    const std::shared_ptr<Graph> g = found->second->graph;
    submit(context, stream_handle, graph_operation(g));
  });
}

}  // extern "C"
