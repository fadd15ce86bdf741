// A scene of kernels in streams: what examples/validation/hardware/by_hand_h200.json, "streams", was taken with.
//
//   streams GATE stream|graph LAUNCH...      LAUNCH = kernel,blocks,threads,KiB,cycles,stream,priority,lag[,after...]
//
// Every launch is queued behind a kernel of GATE cycles. Prints each launch's first start, last start and last end in
// cycles from the first block's start: by the SMs' clocks where GATE is short, which only a model's agree on, and by the
// global timer at 1980 MHz where it is long.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(code));
  std::exit(1);
}

struct Block {
  long long clock[2];
  long long timer[2];
};

__device__ long long clock_now() {
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now));
  return now;
}

__device__ long long timer_now() {
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ void note(Block* blocks, int which) {
  if (which == 1) __syncthreads();
  if (threadIdx.x != 0) return;
  blocks[blockIdx.x].clock[which] = clock_now();
  blocks[blockIdx.x].timer[which] = timer_now();
}

// `Kind`: kernels with other attributes are other functions.
template <int Kind>
__global__ void spin(Block* blocks, long long cycles, float*) {
  note(blocks, 0);
  if (threadIdx.x == 0) {
    const long long begin = blocks[blockIdx.x].clock[0];
    while (clock_now() - begin < cycles) {
    }
  }
  note(blocks, 1);
}

__global__ void fma(Block* blocks, long long turns, float* out) {
  note(blocks, 0);
  float value[8];
  for (int i = 0; i < 8; ++i) value[i] = threadIdx.x + i;
  for (long long turn = 0; turn < turns; ++turn)
    for (int row = 0; row < 8; ++row)
      for (float& v : value) v = fmaf(v, 1.0001f, 0.5f);
  float sum = 0;
  for (const float v : value) sum += v;
  if (sum == 12345.f) out[0] = sum;
  note(blocks, 1);
}

__global__ void load(Block* blocks, long long turns, float* data) {
  note(blocks, 0);
  const auto* from = reinterpret_cast<const float4*>(data);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  long long at = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  float sum = 0;
  for (long long turn = 0; turn < turns; turn += 4, at += 4 * step) {
    float4 four[4];
    for (int i = 0; i < 4; ++i) four[i] = __ldg(from + at + i * step);
    for (const float4& f : four) sum += f.x + f.y + f.z + f.w;
  }
  if (sum == 12345.f) data[0] = sum;
  note(blocks, 1);
}

__global__ void shared(Block* blocks, long long turns, float* out) {
  __shared__ float words[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = i;
  __syncthreads();
  note(blocks, 0);
  const volatile float* from = words;
  float sum = 0;
  for (long long turn = 0; turn < turns; ++turn)
    for (int i = 0; i < 8; ++i) sum += from[(threadIdx.x + 32 * i) & 1023];
  if (sum == 12345.f) out[0] = sum;
  note(blocks, 1);
}

// 24 KiB of straight code.
template <int Kind>
__global__ void code(Block* blocks, long long turns, float* out) {
  note(blocks, 0);
  float value[8];
  for (int i = 0; i < 8; ++i) value[i] = threadIdx.x + i + Kind;
  for (long long turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int row = 0; row < 192; ++row)
#pragma unroll
      for (int i = 0; i < 8; ++i) value[i] = fmaf(value[i], 1.0001f, static_cast<float>(row * Kind));
  }
  float sum = 0;
  for (const float v : value) sum += v;
  if (sum == 12345.f) out[0] = sum;
  note(blocks, 1);
}

using Kernel = void (*)(Block*, long long, float*);

struct Launch {
  std::string name;
  std::vector<long long> numbers;  // blocks, threads, KiB, cycles, stream, priority, lag, after…
};

Launch parse(const char* text) {
  Launch launch;
  std::istringstream fields(text);
  std::getline(fields, launch.name, ',');
  for (std::string field; std::getline(fields, field, ',');) launch.numbers.push_back(std::atoll(field.c_str()));
  if (launch.numbers.size() < 7) std::exit(2);
  return launch;
}

Kernel kernel_of(const std::string& name, int index) {
  if (name == "spin") return index % 2 == 0 ? spin<0> : spin<1>;
  if (name == "fma") return fma;
  if (name == "load") return load;
  if (name == "shared") return shared;
  if (name == "code 1") return code<2>;
  if (name == "code 2") return code<3>;
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const long long gate = std::atoll(argv[1]);
  const bool as_graph = std::strcmp(argv[2], "graph") == 0;
  const bool on_card = gate > 100000;
  std::vector<Launch> launches;
  for (int i = 3; i < argc; ++i) launches.push_back(parse(argv[i]));

  constexpr std::size_t loaded = std::size_t{528} * 256 * 32 * sizeof(float4);
  float* data = nullptr;
  check(cudaMalloc(&data, 2 * loaded));
  Block* of_gates = nullptr;
  check(cudaMalloc(&of_gates, (1 + launches.size()) * sizeof(Block)));
  std::vector<Block*> blocks(launches.size());
  std::vector<cudaEvent_t> ended(launches.size());
  std::vector<cudaStream_t> streams(256, nullptr);
  std::vector<bool> joined(streams.size(), false);
  cudaEvent_t go;
  check(cudaEventCreateWithFlags(&go, cudaEventDisableTiming));
  cudaStream_t front;
  check(cudaStreamCreateWithFlags(&front, cudaStreamNonBlocking));
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto& n = launches[i].numbers;
    check(cudaMalloc(&blocks[i], n[0] * sizeof(Block)));
    check(cudaEventCreateWithFlags(&ended[i], cudaEventDisableTiming));
    if (launches[i].name == "spin")
      check(cudaFuncSetAttribute(kernel_of("spin", i), cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
    if (streams[n[4]] == nullptr)
      check(cudaStreamCreateWithPriority(&streams[n[4]], cudaStreamNonBlocking, n[5]));
  }

  const auto enqueue = [&] {
    check(cudaEventRecord(go, front));
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const auto& n = launches[i].numbers;
      const cudaStream_t stream = streams[n[4]];
      if (!joined[n[4]]) check(cudaStreamWaitEvent(stream, go, 0));
      joined[n[4]] = true;
      for (std::size_t after = 7; after < n.size(); ++after)
        check(cudaStreamWaitEvent(stream, ended[n[after]], 0));
      if (n[6] > 0) spin<2><<<1, 32, 0, stream>>>(of_gates + 1 + i, n[6], nullptr);
      const bool loads = launches[i].name == "load";
      const int dynamic_kib = launches[i].name == "spin" ? n[2] : 0;
      kernel_of(launches[i].name, i)<<<n[0], n[1], dynamic_kib << 10, stream>>>(
          blocks[i], n[3], loads && i > 0 ? data + loaded / sizeof(float) : data);
      check(cudaEventRecord(ended[i], stream));
    }
  };
  if (as_graph) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(front, cudaStreamCaptureModeGlobal));
    enqueue();
    for (const cudaEvent_t event : ended) check(cudaStreamWaitEvent(front, event, 0));
    check(cudaStreamEndCapture(front, &graph));
    check(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    spin<2><<<1, 32, 0, front>>>(of_gates, gate, nullptr);
    check(cudaGraphLaunch(executable, front));
  } else {
    spin<2><<<1, 32, 0, front>>>(of_gates, gate, nullptr);
    enqueue();
  }
  check(cudaDeviceSynchronize());

  std::vector<std::vector<Block>> all;
  long long begin = 0;
  const auto time = [&](const Block& block, int which) {
    return on_card ? block.timer[which] * 198 / 100 : block.clock[which];
  };
  for (std::size_t i = 0; i < launches.size(); ++i) {
    std::vector<Block> of_launch(launches[i].numbers[0]);
    check(cudaMemcpy(of_launch.data(), blocks[i], of_launch.size() * sizeof(Block), cudaMemcpyDeviceToHost));
    for (const Block& block : of_launch) begin = begin == 0 ? time(block, 0) : std::min(begin, time(block, 0));
    all.push_back(std::move(of_launch));
  }
  for (const auto& of_launch : all) {
    long long first = time(of_launch[0], 0), last = first, end = time(of_launch[0], 1);
    for (const Block& block : of_launch) {
      first = std::min(first, time(block, 0));
      last = std::max(last, time(block, 0));
      end = std::max(end, time(block, 1));
    }
    std::printf("%lld %lld %lld\n", first - begin, last - begin, end - begin);
  }
}
