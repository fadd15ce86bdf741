// Waits that never end: what they wait for does not come. Built by build_cubins beside it.

// A block barrier that lane 7 does not reach: it waits for a flag of the lanes behind the barrier.
extern "C" __global__ void lane_waits_before_barrier(volatile unsigned* flag) {
  if (threadIdx.x == 7) {
    while (*flag == 0) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
// The same without memory: lane 7 meets lane 0, which is behind the barrier, by name.
extern "C" __global__ void lane_skips_barrier(unsigned* out) {
  if (threadIdx.x % 32 == 7) {
    asm volatile("bar.warp.sync 0x81;");
  } else {
    asm volatile("barrier.sync 1;");
  }
  if (threadIdx.x % 32 == 0) asm volatile("bar.warp.sync 0x81;");
  out[threadIdx.x] = 1;
}
// Lane 3 is named and never comes.
extern "C" __global__ void lane_misses_warp(unsigned* out, volatile unsigned* flag) {
  if (threadIdx.x == 3) {
    while (*flag == 0) {
    }
  } else {
    __syncwarp();
    if (threadIdx.x == 0) *flag = 1;
  }
  out[threadIdx.x] = 1;
}
// Two halves that wait for each other by name.
extern "C" __global__ void halves_miss_each_other(unsigned* out) {
  if (threadIdx.x < 16) {
    asm volatile("bar.warp.sync 0xffffffff;");
    asm volatile("barrier.sync 1, 64;");
  } else {
    asm volatile("barrier.sync 2, 64;");
    asm volatile("bar.warp.sync 0xffffffff;");
  }
  out[threadIdx.x] = 1;
}
extern "C" __global__ void spin(volatile unsigned* flag, unsigned* out) {
  unsigned turns = 0;
  while (*flag == 0) ++turns;
  out[threadIdx.x] = turns;
}
extern "C" __global__ void spin_asleep(volatile unsigned* flag, unsigned* out) {
  while (*flag == 0) __nanosleep(100);
  out[threadIdx.x] = 1;
}
extern "C" __global__ void spin_on_atomic(unsigned* flag, unsigned* out) {
  while (atomicCAS(flag, 1, 2) != 1) {
  }
  out[threadIdx.x] = 1;
}
extern "C" __global__ void spin_in_shared(unsigned* out) {
  __shared__ volatile unsigned flag;
  flag = 0;
  __syncthreads();
  while (flag == 0) {
  }
  out[threadIdx.x] = 1;
}
// Takes a lock and never gives it back; the others try until they have it.
extern "C" __global__ void lock_twice(unsigned* lock, unsigned* out) {
  while (atomicExch(lock, 1) != 0) {
  }
  out[blockIdx.x] = 1;
}
// Ends: a ballot among lanes that do not all name the same ones.
extern "C" __global__ void ballot_among(unsigned* out, unsigned kind, unsigned pattern) {
  const unsigned lane = threadIdx.x;
  unsigned mask = 0xffffffffu;
  if (kind == 0) mask = (1u << lane) - 1;
  if (kind == 1) mask = (2u << lane) - 1;
  if (kind == 2) mask = lane < 16 ? 0xffffu : 0xffff0000u;
  if (kind == 3) mask = ~(1u << lane);
  if (kind == 4) mask = 0x11111111u << (lane % 4);
  out[lane] = __ballot_sync(mask, pattern >> lane & 1);
  out[32 + lane] = __shfl_sync(mask, lane * 100, lane ^ 1);
}
// Ends: block 0 waits for the last one, which takes its time.
extern "C" __global__ void wait_for_last(volatile unsigned* flag, unsigned* out, unsigned rounds) {
  if (blockIdx.x == gridDim.x - 1) {
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    while (*flag == 0) {
    }
  }
}
extern "C" __global__ void branch_to_itself(volatile unsigned* flag, unsigned* out) {
  if (*flag == 0) {
    for (;;) asm volatile("");
  }
  out[threadIdx.x] = 1;
}
