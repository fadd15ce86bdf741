// Graphs: recorded from a stream or built node by node, replayed in order.
#include <map>

#include "traces/cuda/abi.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/program.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::Graph;
using warpgauge::cuda::GraphNode;
using warpgauge::cuda::guarded;
using warpgauge::cuda::Program;
using warpgauge::cuda::require;
using warpgauge::cuda::Stream;
namespace abi = warpgauge::cuda::abi;

namespace {

// Handles to graphs; an executable graph shares the graph that it was made from.
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

int add_node(void** node, void* graph_handle, void* const* after, std::size_t after_count, int type,
             std::function<void(Stream&)> run) {
  return guarded([&](Context&) {
    Graph& g = *graph(graph_handle);
    auto made = std::make_unique<GraphNode>();
    made->type = type;
    made->run = std::move(run);
    for (std::size_t i = 0; i < after_count; ++i) made->after.push_back(static_cast<GraphNode*>(after[i]));
    *node = made.get();
    g.nodes.push_back(std::move(made));
  });
}

void replay(const Graph& g, Stream& stream) {
  for (const GraphNode* node : g.ordered()) node->run(stream);
}

int instantiate(void** executable, void* graph_handle) {
  return guarded([&](Context&) {
    auto made = std::make_unique<Executable>();
    made->graph = graph(graph_handle);
    static_cast<void>(made->graph->ordered());
    *executable = made.get();
    executables()[made.get()] = std::move(made);
  });
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
  return guarded([&](Context& context) {
    Stream& stream = context.stream(stream_handle);
    require(stream.capture != nullptr, Error::illegal_state);
    *graph_handle = publish(std::move(stream.capture));
    stream.capture.reset();
  });
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
int cudaGraphGetNodes(void* handle, void** nodes, std::size_t* count) {
  return guarded([&](Context&) {
    const Graph& g = *graph(handle);
    if (nodes != nullptr) {
      for (std::size_t i = 0; i < *count && i < g.nodes.size(); ++i) nodes[i] = g.nodes[i].get();
    }
    if (nodes == nullptr || *count > g.nodes.size()) *count = g.nodes.size();
  });
}
int cudaGraphNodeGetType(void* node, int* type) {
  *type = static_cast<GraphNode*>(node)->type;
  return 0;
}

int cudaGraphAddKernelNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                           const abi::KernelNodeParameters* p) {
  std::function<void(Stream&)> run;
  const int code = guarded([&](Context& context) {
    auto* const function = Program::instance().function(context, p->function);
    // Arguments are copied now, as the interface promises.
    run = [=, &context, block = context.pack(*function, p->arguments), grid = p->grid, threads = p->block,
           shared = p->shared_bytes](Stream& stream) {
      context.launch_block(*function, {grid.x, grid.y, grid.z}, {threads.x, threads.y, threads.z}, shared,
                           block, stream, false);
    };
  });
  return code != 0 ? code : add_node(node, graph_handle, after, count, abi::node_kernel, std::move(run));
}
int cudaGraphAddMemcpyNode1D(void** node, void* graph_handle, void* const* after, std::size_t count,
                             void* destination, const void* source, std::size_t bytes, int) {
  return add_node(node, graph_handle, after, count, abi::node_memcpy,
                  [=](Stream& stream) { Context::instance().copy(destination, source, bytes, stream); });
}
int cudaMemcpy3DAsync(const abi::Copy3D* parameters, void* stream);
int cudaGraphAddMemcpyNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                           const abi::Copy3D* parameters) {
  return add_node(node, graph_handle, after, count, abi::node_memcpy, [copy = *parameters](Stream&) {
    const int code = cudaMemcpy3DAsync(&copy, nullptr);
    require(code == 0, static_cast<Error>(code));
  });
}
int cudaGraphAddMemsetNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                           const abi::MemsetParameters* parameters) {
  return add_node(node, graph_handle, after, count, abi::node_memset, [p = *parameters](Stream& stream) {
    for (std::size_t y = 0; y < p.height; ++y) {
      Context::instance().fill(static_cast<std::byte*>(p.destination) + y * p.pitch,
                               static_cast<int>(p.value), p.element_bytes, p.width, stream);
    }
  });
}
int cudaGraphAddHostNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                         const abi::HostNodeParameters* parameters) {
  return add_node(node, graph_handle, after, count, abi::node_host,
                  [p = *parameters](Stream&) { p.function(p.data); });
}
int cudaGraphAddEmptyNode(void** node, void* graph_handle, void* const* after, std::size_t count) {
  return add_node(node, graph_handle, after, count, abi::node_empty, [](Stream&) {});
}
int cudaGraphAddChildGraphNode(void** node, void* graph_handle, void* const* after, std::size_t count,
                               void* child) {
  std::shared_ptr<Graph> inner;
  const int code = guarded([&](Context&) { inner = graph(child); });
  if (code != 0) return code;
  return add_node(node, graph_handle, after, count, abi::node_graph,
                  [inner](Stream& stream) { replay(*inner, stream); });
}
int cudaGraphAddDependencies(void*, void* const* from, void* const* to, std::size_t count, ...) {
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
int cudaGraphUpload(void*, void*) {
  return 0;
}
int cudaGraphLaunch(void* executable, void* stream_handle) {
  return guarded([&](Context& context) {
    const auto found = executables().find(executable);
    require(found != executables().end(), Error::invalid_value);
    const std::shared_ptr<Graph> g = found->second->graph;
    context.submit(context.stream(stream_handle), abi::node_graph,
                   [g](Stream& stream) { replay(*g, stream); });
  });
}

}  // extern "C"
