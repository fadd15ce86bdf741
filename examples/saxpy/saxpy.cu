// y = a x + y, one element a thread.
// Shows the memory side alone: two coalesced loads and a store for one multiply-add, so that device memory sets the
// pace. The last block may be partial.
extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
