// A module with everything that a loader has to deal with, as small as it goes.
#include <cstdio>

__device__ int counter[4] = {1, 2, 3, 4};
__device__ int* pointer = counter + 1;  // an address in initialised data
__device__ float* where;                // zeros
__constant__ float weights[16] = {1, 2, 3};
__constant__ int choice[4];

struct Record {
  int number;
  double value;
  char text[5];
};

__device__ __noinline__ float halve(float x) { return x * 0.5f; }
__device__ __noinline__ float square(float x) { return x * x + 1.0f; }
__device__ __noinline__ float weigh(float x, int n) {
  float sum = x;
  for (int i = 0; i < n; ++i) sum += sum * weights[i & 15];
  return sum;
}

using Function = float (*)(float);
__device__ Function functions[2] = {halve, square};  // addresses of code in data

// Static shared memory, a barrier, launch bounds, a parameter of 24 bytes and a call.
extern "C" __global__ __launch_bounds__(128) void gather(float* data, int n, Record record, float factor) {
  __shared__ float tile[64];
  tile[threadIdx.x & 63] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = weigh(tile[(threadIdx.x + 1) & 63], n) + record.number + record.text[2] + factor + choice[n & 3];
  atomicAdd(&counter[n & 3], 1);
  where = data;
  *pointer = 2;
}

// A template, an indirect call, a call to a function outside the module, and a jump table.
template <class T>
__global__ void dispatch(T* data, int i, int j) {
  data[0] = functions[i](data[1]);
  printf("%d\n", i);
  switch (i) {
    case 0: data[3] = j * 3; break;
    case 1: data[4] = j - 3; break;
    case 2: data[5] = data[j]; break;
    case 3: data[6] = j % 7; break;
    case 4: data[7] = j ^ i; break;
    case 5: data[8] += j; break;
    case 6: data[9] = j / 3; break;
    case 7: data[1] = j; break;
  }
}
template __global__ void dispatch<float>(float*, int, int);

// A frame in local memory, and all three parts of the block's index.
extern "C" __global__ void frame(int* data, int n) {
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = data[i + blockIdx.z];
  for (int i = 0; i < n; ++i) local[local[i & 15] & 15] += i;
  data[n] = local[n & 15] + blockIdx.y;
}
