// sums[b] = the sum of block b's share of x; the host adds the blocks' sums.
// Shows warp shuffles, shared memory and a block-wide barrier: each thread sums a strided part of the input, a warp
// folds its 32 sums with shuffles, and the first warp folds the warps' sums, which travelled through shared memory.
// The block size must be a multiple of 32, 1024 at most.
namespace {

__device__ __forceinline__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

}  // namespace

extern "C" __global__ void reduction(int n, const float* __restrict__ x, float* __restrict__ sums) {
  __shared__ float warp_sums[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;

  float value = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += x[i];

  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  if (warp != 0) return;
  value = lane < blockDim.x / 32 ? warp_sums[lane] : 0.0f;
  value = warp_sum(value);
  if (lane == 0) sums[blockIdx.x] = value;
}
