// Barrier objects in shared memory, and the copies that arrive at them.
#include <cstdint>

namespace {

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void init(std::uint64_t* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ std::uint64_t arrive(std::uint64_t* barrier) {
  std::uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(shared_address(barrier))
               : "memory");
  return state;
}
__device__ std::uint64_t arrive_without_end(std::uint64_t* barrier, unsigned count) {
  std::uint64_t state;
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(shared_address(barrier)), "r"(count)
               : "memory");
  return state;
}
__device__ std::uint64_t drop(std::uint64_t* barrier) {
  std::uint64_t state;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(shared_address(barrier))
               : "memory");
  return state;
}
__device__ std::uint64_t drop_without_end(std::uint64_t* barrier, unsigned count) {
  std::uint64_t state;
  asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(shared_address(barrier)), "r"(count)
               : "memory");
  return state;
}
__device__ unsigned pending(std::uint64_t state) {
  unsigned count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
  return count;
}
__device__ bool ended(std::uint64_t* barrier, std::uint64_t state) {
  unsigned answer;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(answer)
               : "r"(shared_address(barrier)), "l"(state)
               : "memory");
  return answer != 0;
}
__device__ void wait(std::uint64_t* barrier, std::uint64_t state) {
  while (!ended(barrier, state)) {
  }
}

}  // namespace

// Each round a thread hands a value to the next one, twice the value it had plus its round.
extern "C" __global__ void meet(unsigned* values, unsigned rounds) {
  __shared__ std::uint64_t barrier;
  __shared__ unsigned slots[1024];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = values[index];
  for (unsigned round = 0; round < rounds; ++round) {
    slots[threadIdx.x] = 2 * value + round;
    wait(&barrier, arrive(&barrier));
    value = slots[(threadIdx.x + blockDim.x - 1) % blockDim.x];
    wait(&barrier, arrive(&barrier));
  }
  values[index] = value;
}

// Sums of all words of a block's tiles, which come by asynchronous copies in two stages. `counted`: the
// copies' arrivals are part of what the barrier expects.
template <bool counted>
__device__ void sum_tiles(unsigned* sums, const uint4* in, unsigned tiles) {
  __shared__ std::uint64_t full[2];
  __shared__ uint4 stage[2][128];
  if (threadIdx.x < 2) init(&full[threadIdx.x], counted ? 2 * blockDim.x : blockDim.x);
  __syncthreads();
  const auto fetch = [&](unsigned tile) {
    const uint4* const from = in + (blockIdx.x * tiles + tile) * blockDim.x + threadIdx.x;
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&stage[tile % 2][threadIdx.x])),
        "l"(from)
        : "memory");
    if (counted)
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full[tile % 2]))
                   : "memory");
    else
      asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&full[tile % 2]))
                   : "memory");
  };
  unsigned sum = 0;
  fetch(0);
  for (unsigned tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) fetch(tile + 1);
    wait(&full[tile % 2], arrive(&full[tile % 2]));
    for (unsigned k = 0; k < blockDim.x; ++k) {
      const uint4 v = stage[tile % 2][(threadIdx.x + k) % blockDim.x];
      sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
    }
    __syncthreads();
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void sum_tiles_counted(unsigned* sums, const uint4* in, unsigned tiles) {
  sum_tiles<true>(sums, in, tiles);
}
extern "C" __global__ void sum_tiles_uncounted(unsigned* sums, const uint4* in, unsigned tiles) {
  sum_tiles<false>(sums, in, tiles);
}

// What arrivals of every kind leave to come, by one warp: see the test.
extern "C" __global__ void count_down(unsigned* out) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    init(&barrier, 100);
    out[0] = pending(arrive(&barrier));
    out[1] = pending(arrive_without_end(&barrier, 10));
    out[2] = pending(drop(&barrier));
    out[3] = pending(drop_without_end(&barrier, 8));
    const std::uint64_t state = arrive_without_end(&barrier, 79);
    out[4] = pending(state);
    out[5] = ended(&barrier, state) ? 1 : 0;
    const std::uint64_t last = arrive(&barrier);
    out[6] = pending(last);
    out[7] = ended(&barrier, last) ? 1 : 0;
    const std::uint64_t next = arrive(&barrier);
    out[8] = pending(next);
    out[9] = ended(&barrier, next) ? 1 : 0;
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
    init(&barrier, 1000);
  }
  __syncthreads();
  out[32 + threadIdx.x] = pending(arrive_without_end(&barrier, 3));
}

// Objects and counts that differ from lane to lane, in lanes that are no neighbours.
extern "C" __global__ void count_in_lanes(unsigned* out) {
  __shared__ std::uint64_t barriers[32];
  if (threadIdx.x % 3 == 1) return;
  init(&barriers[31 - threadIdx.x], 100 + threadIdx.x / 4);
  out[threadIdx.x] = pending(arrive_without_end(&barriers[31 - threadIdx.x], 2));
}

// One arrival is missing.
extern "C" __global__ void wait_for_nobody(unsigned* out) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x + 1);
  __syncthreads();
  wait(&barrier, arrive(&barrier));
  out[threadIdx.x] = 1;
}

#if __CUDA_ARCH__ >= 900
// A phase that ends once its bytes have come, by parity.
extern "C" __global__ void expect_bytes(unsigned* out) {
  __shared__ std::uint64_t barrier;
  const std::uint32_t at = shared_address(&barrier);
  const auto past = [&](unsigned parity) {
    unsigned answer;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(answer)
        : "r"(at), "r"(parity)
        : "memory");
    return answer;
  };
  if (threadIdx.x != 0) return;
  init(&barrier, 1);
  out[0] = past(0);
  out[1] = past(1);
  std::uint64_t state;
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 4096;"
               : "=l"(state)
               : "r"(at)
               : "memory");
  out[2] = past(0);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4000;" ::"r"(at) : "memory");
  out[3] = past(0);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 96;" ::"r"(at) : "memory");
  out[4] = past(0);
  out[5] = past(1);
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 1;" : "=l"(state) : "r"(at) : "memory");
  out[6] = past(1);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(at) : "memory");
  out[7] = past(1);
}
#endif
