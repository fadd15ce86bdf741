// A program on the runtime interface, with the calls that a compiler puts into it written out.
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "tests/cuda/interface.h"

namespace warpgauge::cuda::testing {
namespace {

constexpr int to_device = 1;
constexpr int to_host = 2;
constexpr int invalid_value = 1;
void* const default_stream = nullptr;

// What stands for a kernel or a variable in a program is the address of something of the host's.
char twice_stub, toggle_stub, print_stub, heap_stub, check_stub, touch_stub, walk_stub, step_stub;
char counter_stub, factor_stub, steps_stub;
int* both = nullptr;

class Runtime : public ::testing::TestWithParam<const char*> {
 protected:
  struct Wrapper {
    int magic = 0x466243b1;
    int version = 1;
    const void* fatbin = nullptr;
    void* unused = nullptr;
  };

  Runtime() : cuda(GetParam()) {
    register_binary(small_, "tests/cubin/data/zstd.cuda13.fatbin",
                    {{&twice_stub, "twice"}, {&toggle_stub, "_Z6toggleILi3EEvPi"}});
    void** const calls = register_binary(calls_, "tests/cuda/data/calls.fatbin",
                                         {{&print_stub, "print"},
                                          {&heap_stub, "heap"},
                                          {&check_stub, "check"},
                                          {&touch_stub, "touch"},
                                          {&walk_stub, "walk"},
                                          {&step_stub, "step"}});
    for (const auto& [stub, name, bytes] : {std::tuple{&counter_stub, "counter", std::size_t{4}},
                                            {&factor_stub, "factor", std::size_t{4}},
                                            {&steps_stub, "steps", std::size_t{96}}}) {
      cuda.call<void>("__cudaRegisterVar", calls, stub, const_cast<char*>(name), name, 0, bytes, 0, 0);
    }
    cuda.call<void>("__cudaRegisterManagedVar", calls, reinterpret_cast<void**>(&both),
                    const_cast<char*>("both"), "both", 0, std::size_t{4}, 0, 0);
    cuda.call<char>("__cudaInitModule", calls);
  }
  ~Runtime() override {
    for (void** const handle : handles_) cuda.call<void>("__cudaUnregisterFatBinary", handle);
  }

  void** register_binary(std::vector<char>& bytes, const char* path,
                         const std::vector<std::pair<char*, const char*>>& kernels) {
    bytes = file_bytes(path);
    wrappers_.push_back(std::make_unique<Wrapper>());
    wrappers_.back()->fatbin = bytes.data();
    void** const handle =
        cuda.call<void**>("__cudaRegisterFatBinary", static_cast<void*>(wrappers_.back().get()));
    void* const none = nullptr;
    for (const auto& [stub, name] : kernels) {
      cuda.call<void>("__cudaRegisterFunction", handle, static_cast<const char*>(stub),
                      const_cast<char*>(name), name, -1, none, none, none, none, static_cast<int*>(nullptr));
    }
    cuda.call<void>("__cudaRegisterFatBinaryEnd", handle);
    handles_.push_back(handle);
    return handle;
  }

  int launch(const char& stub, Dim3 grid, Dim3 block, std::vector<void*> arguments, void* stream = nullptr) {
    return cuda.call("cudaLaunchKernel", static_cast<const void*>(&stub), grid, block, arguments.data(),
                     std::size_t{0}, stream);
  }
  template <class T>
  T* allocate(std::size_t count) {
    void* pointer = nullptr;
    EXPECT_EQ(cuda.call("cudaMalloc", &pointer, count * sizeof(T)), 0);
    return static_cast<T*>(pointer);
  }
  int copy(void* to, const void* from, std::size_t bytes, int kind) {
    return cuda.call("cudaMemcpy", to, from, bytes, kind);
  }

  Interface cuda;

 private:
  std::vector<char> small_;
  std::vector<char> calls_;
  std::vector<std::unique_ptr<Wrapper>> wrappers_;
  std::vector<void**> handles_;
};

TEST_P(Runtime, TheArrowSyntaxPushesPopsAndLaunches) {
  int* const data = allocate<int>(32);
  EXPECT_EQ(cuda.call("cudaMemset", static_cast<void*>(data), 0, std::size_t{128}), 0);
  EXPECT_EQ(
      cuda.call<unsigned>("__cudaPushCallConfiguration", Dim3{1}, Dim3{32}, std::size_t{0}, default_stream),
      0U);
  Dim3 grid, block;
  std::size_t shared = 1;
  void* stream = &grid;
  EXPECT_EQ(cuda.call("__cudaPopCallConfiguration", &grid, &block, &shared, static_cast<void*>(&stream)), 0);
  EXPECT_EQ(block.x, 32U);
  EXPECT_EQ(stream, nullptr);
  int* argument = data;
  EXPECT_EQ(launch(toggle_stub, grid, block, {&argument}, stream), 0);
  std::vector<int> result(32);
  EXPECT_EQ(copy(result.data(), data, 128, to_host), 0);
  EXPECT_EQ(result, std::vector<int>(32, 3));
  EXPECT_EQ(cuda.call("cudaFree", static_cast<void*>(data)), 0);
}

// As an H200's driver has it: a program that copies its result "to the device" keeps what the host had.
TEST_P(Runtime, ACopyWhoseKindMakesPageableMemoryTheDevicesIsRefusedAndCopiesNothing) {
  constexpr int host_to_host = 0, device_to_device = 3, whichever = 4;
  int* const device = allocate<int>(1);
  int host = 7;
  EXPECT_EQ(copy(device, &host, 4, to_device), 0);
  host = 1;
  for (const int kind : {to_device, device_to_device}) EXPECT_EQ(copy(&host, device, 4, kind), invalid_value) << kind;
  EXPECT_EQ(cuda.call("cudaMemcpyAsync", static_cast<void*>(&host), static_cast<const void*>(device), std::size_t{4}, to_device,
                      default_stream),
            invalid_value);
  EXPECT_EQ(host, 1);
  EXPECT_EQ(copy(device, &host, 4, to_host), invalid_value);
  for (const int kind : {host_to_host, to_host, whichever}) {
    host = 1;
    EXPECT_EQ(copy(&host, device, 4, kind), 0) << kind;
    EXPECT_EQ(host, 7) << kind;
  }
  EXPECT_EQ(cuda.call("cudaFree", static_cast<void*>(device)), 0);
}

TEST_P(Runtime, CacheConfigurationsAreKept) {
  int config = 7;
  EXPECT_EQ(cuda.call("cudaDeviceGetCacheConfig", &config), 0);
  EXPECT_EQ(config, 0);
  EXPECT_EQ(cuda.call("cudaDeviceSetCacheConfig", 2), 0);
  EXPECT_EQ(cuda.call("cudaDeviceGetCacheConfig", &config), 0);
  EXPECT_EQ(config, 2);
  EXPECT_EQ(cuda.call("cudaDeviceSetCacheConfig", 0), 0);
  constexpr int carveout = 9;
  EXPECT_EQ(cuda.call("cudaDeviceSetCacheConfig", 4), invalid_value);
  const void* const function = &toggle_stub;
  EXPECT_EQ(cuda.call("cudaFuncSetCacheConfig", function, 1), 0);
  EXPECT_EQ(cuda.call("cudaFuncSetAttribute", function, carveout, 50), 0);
  EXPECT_EQ(cuda.call("cudaFuncSetAttribute", function, carveout, 101), invalid_value);
  EXPECT_EQ(cuda.call("cudaFuncSetAttribute", function, carveout, -1), 0);
  EXPECT_EQ(cuda.call("cudaFuncSetCacheConfig", function, 0), 0);
}

TEST_P(Runtime, VariablesAreReachedBySymbolAndKernelsSeeWhatTheHostWrote) {
  const int three = 3;
  int before = 0;
  EXPECT_EQ(cuda.call("cudaMemcpyFromSymbol", static_cast<void*>(&before),
                      static_cast<const void*>(&counter_stub), std::size_t{4}, std::size_t{0}, to_host),
            0);
  EXPECT_EQ(cuda.call("cudaMemcpyToSymbol", static_cast<const void*>(&factor_stub),
                      static_cast<const void*>(&three), std::size_t{4}, std::size_t{0}, to_device),
            0);
  ASSERT_NE(both, nullptr);
  const int both_before = *both;
  EXPECT_EQ(launch(touch_stub, {1}, {64}, {}), 0);
  int after = 0;
  EXPECT_EQ(cuda.call("cudaMemcpyFromSymbol", static_cast<void*>(&after),
                      static_cast<const void*>(&counter_stub), std::size_t{4}, std::size_t{0}, to_host),
            0);
  EXPECT_EQ(after, before + 64 * 3);
  EXPECT_EQ(*both, both_before + 1);  // managed: the host reads it in place
  std::size_t bytes = 0;
  EXPECT_EQ(cuda.call("cudaGetSymbolSize", &bytes, static_cast<const void*>(&counter_stub)), 0);
  EXPECT_EQ(bytes, 4U);
  constexpr int invalid_symbol = 13;
  EXPECT_EQ(cuda.call("cudaGetSymbolSize", &bytes, static_cast<const void*>(&bytes)), invalid_symbol);
}

TEST_P(Runtime, ConstantsWhoseAddressIsTakenLieInGlobalMemory) {
  std::vector<int> steps(24);
  std::iota(steps.begin(), steps.end(), 11);
  const int three = 3;
  const std::size_t bytes = steps.size() * sizeof(int);
  const void* const symbol = &steps_stub;
  EXPECT_EQ(cuda.call("cudaMemcpyToSymbol", symbol, static_cast<const void*>(steps.data()), bytes,
                      std::size_t{0}, to_device),
            0);
  EXPECT_EQ(cuda.call("cudaMemcpyToSymbol", static_cast<const void*>(&factor_stub),
                      static_cast<const void*>(&three), std::size_t{4}, std::size_t{0}, to_device),
            0);
  int* const out = allocate<int>(4);
  int* const elsewhere = allocate<int>(24);
  const auto expect_walk = [&] {
    int* to = out;
    int* other = elsewhere;
    int count = 7;
    EXPECT_EQ(launch(walk_stub, {1}, {1}, {&to, &other, &count}), 0);
    std::vector<int> result(4);
    EXPECT_EQ(copy(result.data(), out, 16, to_host), 0);
    unsigned mixed = 0;
    for (const int step : steps) mixed = mixed * 3 + static_cast<unsigned>(step);
    EXPECT_EQ(result, (std::vector<int>{static_cast<int>(mixed), steps[5],
                                        std::accumulate(steps.begin(), steps.begin() + 7, 0), steps[7]}));
  };
  expect_walk();

  // What a kernel writes there by its address, the host and the next launch see, by pointer and as c[3][…]
  // alike.
  void* where = nullptr;
  EXPECT_EQ(cuda.call("cudaGetSymbolAddress", &where, symbol), 0);
  EXPECT_EQ(launch(step_stub, {1}, {24}, {&where}), 0);
  for (int i = 0; i < 24; ++i) steps[static_cast<std::size_t>(i)] += i;
  std::vector<int> now(24);
  EXPECT_EQ(cuda.call("cudaMemcpyFromSymbol", static_cast<void*>(now.data()), symbol, bytes, std::size_t{0},
                      to_host),
            0);
  EXPECT_EQ(now, steps);
  expect_walk();
}

TEST_P(Runtime, PinnedManagedAndRegisteredMemoryIsTheSameForHostAndKernel) {
  void* pinned = nullptr;
  void* managed = nullptr;
  std::vector<int> own(32, 5);
  EXPECT_EQ(cuda.call("cudaMallocHost", &pinned, std::size_t{128}), 0);
  EXPECT_EQ(cuda.call("cudaMallocManaged", &managed, std::size_t{128}, 1U), 0);
  EXPECT_EQ(cuda.call("cudaHostRegister", static_cast<void*>(own.data()), std::size_t{128}, 0U), 0);
  constexpr int already_registered = 712;
  EXPECT_EQ(cuda.call("cudaHostRegister", static_cast<void*>(own.data() + 1), std::size_t{8}, 0U),
            already_registered);
  for (void* const memory : {pinned, managed, static_cast<void*>(own.data())}) {
    int* values = static_cast<int*>(memory);
    values[31] = 8;
    EXPECT_EQ(launch(toggle_stub, {1}, {32}, {&values}), 0);
    EXPECT_EQ(values[31], 11);
  }
  EXPECT_EQ(cuda.call("cudaHostUnregister", static_cast<void*>(own.data())), 0);
  EXPECT_NE(cuda.call("cudaHostUnregister", static_cast<void*>(own.data())), 0);
  EXPECT_EQ(cuda.call("cudaFreeHost", pinned), 0);
  EXPECT_EQ(cuda.call("cudaFree", managed), 0);
  EXPECT_EQ(cuda.call("cudaFree", managed), invalid_value);
  EXPECT_EQ(cuda.call("cudaGetLastError"), invalid_value);
  EXPECT_EQ(cuda.call("cudaGetLastError"), 0);
}

TEST_P(Runtime, PitchedCopiesMoveRowsAndLeaveTheGaps) {
  void* device = nullptr;
  std::size_t pitch = 0;
  EXPECT_EQ(cuda.call("cudaMallocPitch", &device, &pitch, std::size_t{12}, std::size_t{3}), 0);
  EXPECT_EQ(pitch % 512, 0U);
  std::vector<char> from(36);
  std::iota(from.begin(), from.end(), char{1});
  EXPECT_EQ(cuda.call("cudaMemset", device, 0x55, pitch * 3), 0);
  EXPECT_EQ(cuda.call("cudaMemcpy2D", device, pitch, static_cast<const void*>(from.data()), std::size_t{12},
                      std::size_t{12}, std::size_t{3}, to_device),
            0);
  std::vector<char> whole(pitch * 3);
  EXPECT_EQ(copy(whole.data(), device, whole.size(), to_host), 0);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 12; ++i) ASSERT_EQ(whole[row * pitch + i], from[row * 12 + i]);
    ASSERT_EQ(whole[row * pitch + 12], 0x55);
  }
  constexpr int invalid_pitch = 12;
  EXPECT_EQ(cuda.call("cudaMemcpy2D", device, std::size_t{8}, static_cast<const void*>(from.data()),
                      std::size_t{12}, std::size_t{12}, std::size_t{3}, to_device),
            invalid_pitch);
  EXPECT_EQ(cuda.call("cudaFree", device), 0);
}

TEST_P(Runtime, ACapturedStreamRunsWhenItsGraphIsLaunchedAndAsOftenAsThat) {
  void* stream = nullptr;
  EXPECT_EQ(cuda.call("cudaStreamCreate", &stream), 0);
  int* data = allocate<int>(32);
  EXPECT_EQ(cuda.call("cudaMemset", static_cast<void*>(data), 0, std::size_t{128}), 0);
  EXPECT_EQ(cuda.call("cudaStreamBeginCapture", stream, 0), 0);
  EXPECT_EQ(launch(toggle_stub, {1}, {32}, {&data}, stream), 0);
  int results[2] = {-1, -1};
  EXPECT_EQ(cuda.call("cudaMemcpyAsync", static_cast<void*>(results), static_cast<const void*>(data),
                      std::size_t{8}, to_host, stream),
            0);
  void* graph = nullptr;
  EXPECT_EQ(cuda.call("cudaStreamEndCapture", stream, &graph), 0);
  EXPECT_EQ(results[0], -1);
  void* executable = nullptr;
  EXPECT_EQ(cuda.call("cudaGraphInstantiateWithFlags", &executable, graph, 0ULL), 0);
  std::size_t nodes = 0;
  EXPECT_EQ(cuda.call("cudaGraphGetNodes", graph, static_cast<void**>(nullptr), &nodes), 0);
  EXPECT_EQ(nodes, 2U);
  for (const int expected : {3, 0, 3}) {
    EXPECT_EQ(cuda.call("cudaGraphLaunch", executable, stream), 0);
    EXPECT_EQ(results[1], expected);
  }
  EXPECT_EQ(cuda.call("cudaGraphExecDestroy", executable), 0);
  EXPECT_EQ(cuda.call("cudaGraphDestroy", graph), 0);
  EXPECT_EQ(cuda.call("cudaStreamDestroy", stream), 0);
}

TEST_P(Runtime, WhatACapturedStreamAllocatesAndFreesIsThereForEachLaunchOfItsGraph) {
  void* stream = nullptr;
  EXPECT_EQ(cuda.call("cudaStreamCreate", &stream), 0);
  EXPECT_EQ(cuda.call("cudaStreamBeginCapture", stream, 0), 0);
  void* data = nullptr;
  EXPECT_EQ(cuda.call("cudaMallocAsync", &data, std::size_t{128}, stream), 0);
  EXPECT_EQ(cuda.call("cudaMemsetAsync", data, 0, std::size_t{128}, stream), 0);
  EXPECT_EQ(launch(toggle_stub, {1}, {32}, {&data}, stream), 0);
  int result = -1;
  EXPECT_EQ(cuda.call("cudaMemcpyAsync", static_cast<void*>(&result), static_cast<const void*>(data),
                      std::size_t{4}, to_host, stream),
            0);
  EXPECT_EQ(cuda.call("cudaFreeAsync", data, stream), 0);
  void* graph = nullptr;
  void* executable = nullptr;
  EXPECT_EQ(cuda.call("cudaStreamEndCapture", stream, &graph), 0);
  std::size_t nodes = 0;
  EXPECT_EQ(cuda.call("cudaGraphGetNodes", graph, static_cast<void**>(nullptr), &nodes), 0);
  EXPECT_EQ(nodes, 5U);
  EXPECT_EQ(cuda.call("cudaGraphInstantiateWithFlags", &executable, graph, 0ULL), 0);
  for (int i = 0; i < 2; ++i) {
    result = -1;
    EXPECT_EQ(cuda.call("cudaGraphLaunch", executable, stream), 0);
    EXPECT_EQ(result, 3);
    EXPECT_EQ(cuda.call("cudaFree", data), 0);
  }
  // Without a capture memory is given back at once.
  EXPECT_EQ(cuda.call("cudaMallocAsync", &data, std::size_t{128}, stream), 0);
  EXPECT_EQ(cuda.call("cudaFreeAsync", data, stream), 0);
  EXPECT_EQ(cuda.call("cudaFreeAsync", data, stream), invalid_value);
}

TEST_P(Runtime, AGraphKeepsTheEventsThatItRecords) {
  void* stream = nullptr;
  void* event = nullptr;
  EXPECT_EQ(cuda.call("cudaStreamCreate", &stream), 0);
  EXPECT_EQ(cuda.call("cudaEventCreate", &event), 0);
  EXPECT_EQ(cuda.call("cudaStreamBeginCapture", stream, 0), 0);
  EXPECT_EQ(cuda.call("cudaEventRecord", event, stream), 0);
  EXPECT_EQ(cuda.call("cudaStreamWaitEvent", stream, event, 0U), 0);
  void* graph = nullptr;
  void* executable = nullptr;
  EXPECT_EQ(cuda.call("cudaStreamEndCapture", stream, &graph), 0);
  EXPECT_EQ(cuda.call("cudaGraphInstantiateWithFlags", &executable, graph, 0ULL), 0);
  EXPECT_EQ(cuda.call("cudaEventDestroy", event), 0);
  EXPECT_EQ(cuda.call("cudaGraphDestroy", graph), 0);
  // Were the event's memory someone else's by now, the launch would write to it.
  std::vector<std::vector<double>> others(64, std::vector<double>(8, -1));
  EXPECT_EQ(cuda.call("cudaGraphLaunch", executable, stream), 0);
  for (const std::vector<double>& other : others) EXPECT_EQ(other, std::vector<double>(8, -1));
}

TEST_P(Runtime, AnExecutableGraphKeepsItsNodesUntilTheyAreChangedThroughIt) {
  int* data = allocate<int>(32);
  EXPECT_EQ(cuda.call("cudaMemset", static_cast<void*>(data), 0, std::size_t{128}), 0);
  struct {
    const void* function;
    Dim3 grid, block;
    unsigned shared = 0;
    void** arguments;
    void** extra = nullptr;
  } node_parameters;
  void* arguments[] = {&data};
  node_parameters.function = &toggle_stub;
  node_parameters.block = {32};
  node_parameters.arguments = arguments;
  void* graph = nullptr;
  void* node = nullptr;
  void* executable = nullptr;
  void* const* const first = nullptr;
  EXPECT_EQ(cuda.call("cudaGraphCreate", &graph, 0U), 0);
  EXPECT_EQ(cuda.call("cudaGraphAddKernelNode", &node, graph, first, std::size_t{0},
                      static_cast<const void*>(&node_parameters)),
            0);
  EXPECT_EQ(cuda.call("cudaGraphInstantiateWithFlags", &executable, graph, 0ULL), 0);
  const auto launched = [&] {
    EXPECT_EQ(cuda.call("cudaGraphLaunch", executable, default_stream), 0);
    std::vector<int> values(32);
    EXPECT_EQ(copy(values.data(), data, 128, to_host), 0);
    return std::pair{values[7], values[8]};
  };
  EXPECT_EQ(launched(), std::pair(3, 3));
  node_parameters.block = {8};
  EXPECT_EQ(cuda.call("cudaGraphKernelNodeSetParams", node, static_cast<const void*>(&node_parameters)), 0);
  EXPECT_EQ(launched(), std::pair(0, 0));
  EXPECT_EQ(cuda.call("cudaGraphExecKernelNodeSetParams", executable, node,
                      static_cast<const void*>(&node_parameters)),
            0);
  EXPECT_EQ(launched(), std::pair(3, 0));
  void* clone = nullptr;
  void* found = nullptr;
  EXPECT_EQ(cuda.call("cudaGraphClone", &clone, graph), 0);
  EXPECT_EQ(cuda.call("cudaGraphNodeFindInClone", &found, node, clone), 0);
  EXPECT_NE(found, node);
  EXPECT_EQ(cuda.call("cudaGraphDestroy", clone), 0);
  EXPECT_EQ(cuda.call("cudaGraphDestroy", graph), 0);
  EXPECT_EQ(launched(), std::pair(0, 0));  // it needs its graph no more
}

TEST_P(Runtime, AStreamThatWaitsForACapturingOneIsCapturedToo) {
  void* streams[2] = {};
  void* event = nullptr;
  for (void*& stream : streams) EXPECT_EQ(cuda.call("cudaStreamCreate", &stream), 0);
  EXPECT_EQ(cuda.call("cudaEventCreate", &event), 0);
  int* data = allocate<int>(32);
  EXPECT_EQ(cuda.call("cudaMemset", static_cast<void*>(data), 0, std::size_t{128}), 0);
  EXPECT_EQ(cuda.call("cudaStreamBeginCapture", streams[0], 0), 0);
  EXPECT_EQ(cuda.call("cudaEventRecord", event, streams[0]), 0);
  EXPECT_EQ(cuda.call("cudaStreamWaitEvent", streams[1], event, 0U), 0);
  EXPECT_EQ(launch(toggle_stub, {1}, {32}, {&data}, streams[1]), 0);
  void* graph = nullptr;
  EXPECT_EQ(cuda.call("cudaStreamEndCapture", streams[0], &graph), 0);
  int capturing = 1;
  EXPECT_EQ(cuda.call("cudaStreamIsCapturing", streams[1], &capturing), 0);
  EXPECT_EQ(capturing, 0);
  int value = -1;
  EXPECT_EQ(copy(&value, data, 4, to_host), 0);
  EXPECT_EQ(value, 0);
  void* executable = nullptr;
  EXPECT_EQ(cuda.call("cudaGraphInstantiateWithFlags", &executable, graph, 0ULL), 0);
  EXPECT_EQ(cuda.call("cudaGraphLaunch", executable, streams[0]), 0);
  EXPECT_EQ(copy(&value, data, 4, to_host), 0);
  EXPECT_EQ(value, 3);
}

TEST_P(Runtime, OccupancyCountsThreadsBlocksAndRegisters) {
  int blocks = 0;
  for (const auto& [threads, expected] : {std::pair{32, 32}, {128, 16}, {1024, 2}, {2048, 0}}) {
    EXPECT_EQ(cuda.call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", &blocks,
                        static_cast<const void*>(&twice_stub), threads, std::size_t{0}),
              0);
    EXPECT_EQ(blocks, expected) << threads;
  }
}

TEST_P(Runtime, TooManyBlocksForACooperativeLaunchAreRefused) {
  int* data = allocate<int>(32);
  void* arguments[] = {&data};
  constexpr int too_large = 720;
  EXPECT_EQ(
      cuda.call("cudaLaunchCooperativeKernel", static_cast<const void*>(&toggle_stub), Dim3{132 * 32 + 1},
                Dim3{32}, static_cast<void**>(arguments), std::size_t{0}, default_stream),
      too_large);
  EXPECT_EQ(cuda.call("cudaLaunchCooperativeKernel", static_cast<const void*>(&toggle_stub), Dim3{1},
                      Dim3{32}, static_cast<void**>(arguments), std::size_t{0}, default_stream),
            0);
  EXPECT_EQ(cuda.call("cudaGetLastError"), too_large);
}

TEST_P(Runtime, ErrorsHaveCudasNamesAndTexts) {
  EXPECT_STREQ(cuda.call<const char*>("cudaGetErrorName", 700), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cuda.call<const char*>("cudaGetErrorString", 9), "invalid configuration argument");
  EXPECT_STREQ(cuda.call<const char*>("cudaGetErrorName", 12345), "unrecognized error code");
  constexpr int invalid_configuration = 9;
  constexpr int invalid_function = 98;
  int* data = nullptr;
  EXPECT_EQ(launch(toggle_stub, {1}, {2000}, {&data}), invalid_configuration);
  const char unregistered = 0;
  EXPECT_EQ(launch(unregistered, {1}, {32}, {&data}), invalid_function);
  EXPECT_EQ(cuda.call("cudaPeekAtLastError"), invalid_function);
  EXPECT_EQ(cuda.call("cudaGetLastError"), invalid_function);
  EXPECT_EQ(cuda.call("cudaSetDevice", 1), 101);
  EXPECT_EQ(cuda.call("cudaGetLastError"), 101);
}

TEST_P(Runtime, PrintfInAKernelFormatsAsTheHostsDoes) {
  int number = -42;
  long long wide = 0x123456789abcLL;
  double real = 2.5;
  const char* text = nullptr;
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(launch(print_stub, {1}, {32}, {&number, &wide, &real, &text}), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "[0]   -42|7   |123456789abc|-3|q|%|2.500|   9\n"
            "[1]   -42|7   |123456789abc|-3|q|%|2.500|   9\n"
            "a text and 2.50e+00 0x1234\n");
}

TEST_P(Runtime, EveryThreadGetsMemoryOfItsOwnFromTheHeapOfTheKernels) {
  int* out = allocate<int>(256);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(launch(heap_stub, {1}, {256}, {&out}), 0);
    std::vector<int> sums(256);
    EXPECT_EQ(copy(sums.data(), out, 1024, to_host), 0);
    for (int i = 0; i < 256; ++i) ASSERT_EQ(sums[i], 64 * i + 28);
  }
}

TEST_P(Runtime, AFailedAssertionNamesItsThreadAndEndsTheContext) {
  const auto program = [&] {
    int limit = 31;
    constexpr int assertion = 710;
    const bool as_expected = launch(check_stub, {1}, {32}, {&limit}) == assertion &&
                             cuda.call("cudaDeviceSynchronize") == assertion;
    std::_Exit(as_expected ? 42 : 1);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(42),
              "calls.cu:[0-9]+: void check\\(int\\): block: \\[0,0,0\\], thread: \\[31,0,0\\] Assertion "
              "`threadIdx.x < limit` failed");
}

INSTANTIATE_TEST_SUITE_P(OfEveryVersion, Runtime,
                         ::testing::Values("libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"));

}  // namespace
}  // namespace warpgauge::cuda::testing
