// What a compiler makes of the language's own constructs: launches with arrows, symbols, managed variables, templates,
// streams and events, graphs, cooperative groups, occupancy, errors. Ends with the number of the first check that fails.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) {                                        \
      std::printf("line %d: %s\n", __LINE__, #condition);      \
      return 1;                                                \
    }                                                          \
  } while (false)
#define RUNS(call) CHECK((call) == cudaSuccess)

__device__ int counter = 1;
__constant__ int addend;
__managed__ int both = 5;

__device__ __noinline__ int triple(int x) { return 3 * x; }

struct Pair {
  char small;
  double large;
};

template <class T>
__global__ void transform(T* data, int n, Pair pair) {
  extern __shared__ int tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i;
  __syncthreads();
  if (i < n) data[i] = static_cast<T>(triple(tile[blockDim.x - 1 - threadIdx.x]) + addend + pair.large + pair.small);
  if (i == 0) {
    atomicAdd(&counter, 41);
    both *= 2;
  }
}

// Prefetches of what is there, of nothing, and of what lies behind everything: nobody is told.
__global__ void fetched_ahead(const double* data, double* sum) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(data + threadIdx.x));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(data + threadIdx.x));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const double*>(nullptr)));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(data + (1ull << 36)));
  if (threadIdx.x == 0) *sum = data[0] + data[31];
}

__global__ void across_the_grid(int* sums, int* total) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) sums[blockIdx.x] = blockIdx.x + 1;
  grid.sync();
  if (grid.thread_rank() == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += sums[b];
    *total = sum;
  }
}

__global__ void increment(int* value) { ++*value; }
// Constants whose address is taken: read by __ldg and by a function that any pointer may come to.
__constant__ unsigned long long rounds[24];
__device__ __noinline__ unsigned long long sum_of(const unsigned long long* values, int count) {
  unsigned long long sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}
__global__ void walk(unsigned long long* out, const unsigned long long* elsewhere, int count) {
  unsigned long long mixed = 0;
#pragma unroll 1
  for (int i = 0; i < 24; ++i) mixed = mixed * 31 + __ldg(rounds + i);
  out[0] = mixed;
  out[1] = sum_of(count > 3 ? rounds : elsewhere, count);
}

__global__ void wild(int* pointer) { *pointer = 1; }

int main() {
  constexpr int n = 1000;
  const int ten = 10;
  RUNS(cudaMemcpyToSymbol(addend, &ten, sizeof ten));
  double* data = nullptr;
  RUNS(cudaMalloc(&data, n * sizeof(double)));
  transform<double><<<(n + 127) / 128, 128, 128 * sizeof(int)>>>(data, n, Pair{2, 0.5});
  RUNS(cudaGetLastError());
  std::vector<double> result(n);
  RUNS(cudaMemcpy(result.data(), data, n * sizeof(double), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) CHECK(result[i] == 3 * (i / 128 * 128 + 127 - i % 128) + 12.5);
  int value = 0;
  RUNS(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 42 && both == 10);

  double* ahead = nullptr;
  RUNS(cudaMallocManaged(&ahead, sizeof *ahead));
  fetched_ahead<<<1, 32>>>(data, ahead);
  RUNS(cudaDeviceSynchronize());
  CHECK(*ahead == result[0] + result[31]);

  unsigned long long mixed = 0, sum = 0, ours[24];
  for (int i = 0; i < 24; ++i) {
    ours[i] = 7ull << i;
    mixed = mixed * 31 + ours[i];
    sum += i < 9 ? ours[i] : 0;
  }
  RUNS(cudaMemcpyToSymbol(rounds, ours, sizeof ours));
  unsigned long long* walked = nullptr;
  RUNS(cudaMallocManaged(&walked, 2 * sizeof *walked));
  walk<<<1, 1>>>(walked, walked, 9);
  RUNS(cudaDeviceSynchronize());
  CHECK(walked[0] == mixed && walked[1] == sum);

  int* sums = nullptr;
  int* total = nullptr;
  RUNS(cudaMallocManaged(&sums, 64 * sizeof(int)));
  RUNS(cudaMallocHost(&total, sizeof(int)));
  void* arguments[] = {&sums, &total};
  RUNS(cudaLaunchCooperativeKernel(across_the_grid, dim3(64), dim3(64), arguments, 0, nullptr));
  RUNS(cudaDeviceSynchronize());
  CHECK(*total == 64 * 65 / 2);

  cudaStream_t stream;
  cudaEvent_t start, end;
  RUNS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  RUNS(cudaEventCreate(&start));
  RUNS(cudaEventCreate(&end));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  *total = 0;
  RUNS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 5; ++i) increment<<<1, 1, 0, stream>>>(total);
  RUNS(cudaStreamEndCapture(stream, &graph));
  CHECK(*total == 0);
  RUNS(cudaGraphInstantiate(&executable, graph, 0));
  RUNS(cudaEventRecord(start, stream));
  for (int i = 0; i < 3; ++i) RUNS(cudaGraphLaunch(executable, stream));
  RUNS(cudaEventRecord(end, stream));
  RUNS(cudaEventSynchronize(end));
  CHECK(*total == 15);
  float milliseconds = -1;
  RUNS(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds >= 0);

  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 1;
  config.stream = stream;
  RUNS(cudaLaunchKernelEx(&config, increment, total));
  RUNS(cudaStreamSynchronize(stream));
  CHECK(*total == 16);

  int blocks = 0;
  int block = 0;
  RUNS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0));
  CHECK(blocks >= 4);
  RUNS(cudaOccupancyMaxPotentialBlockSize(&blocks, &block, increment, 0, 0));
  CHECK(block == 1024);
  cudaFuncAttributes attributes;
  RUNS(cudaFuncGetAttributes(&attributes, transform<double>));
  CHECK(attributes.numRegs > 0 && attributes.maxThreadsPerBlock == 1024);

  increment<<<1, 4096>>>(total);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);
  wild<<<1, 1>>>(nullptr);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaMalloc(&data, 8) == cudaErrorIllegalAddress);
  std::printf("all as it should be\n");
  return 0;
}
