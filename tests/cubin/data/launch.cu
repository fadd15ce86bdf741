// What newer launches declare: a cluster, and more than four kilobytes of parameters.
struct Large {
  char bytes[5000];
};
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(float* data) { data[blockIdx.x] = 1; }
extern "C" __global__ void large(const __grid_constant__ Large large, float* data) { data[0] = large.bytes[threadIdx.x]; }
