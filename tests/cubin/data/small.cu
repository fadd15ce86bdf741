// The content of the fat binaries: two kernels, one of them a template.
extern "C" __global__ void twice(float* data, int n) {
  for (int i = 0; i < n; ++i) data[i] = data[i] * 2.0f + i;
}
template <int mask>
__global__ void toggle(int* data) {
  data[threadIdx.x] ^= mask;
}
template __global__ void toggle<3>(int*);
