// Dynamic programming: wavefronts in shared memory, a warp's wavefront by shuffles, shortest paths.

#include <cstdint>

// Smith-Waterman of 256 x 256 letters a block of 256 threads, a thread a column, one diagonal a step.
extern "C" __global__ void smith_waterman(const uint32_t* first, const uint32_t* second, int* best) {
  __shared__ int diagonal[3][257];
  __shared__ uint32_t letters[256];
  const int t = threadIdx.x;
  letters[t] = first[blockIdx.x * 256 + t] & 3U;
  const uint32_t mine = second[blockIdx.x * 256 + t] & 3U;
  for (int d = 0; d < 3; ++d) {
    diagonal[d][t + 1] = 0;
    if (t == 0) {
      diagonal[d][0] = 0;
    }
  }
  __syncthreads();
  int top = 0;
  for (int step = 0; step < 511; ++step) {
    const int row = step - t;
    int score = 0;
    if (row >= 0 && row < 256) {
      const int* last = diagonal[(step + 2) % 3];
      const int* before = diagonal[(step + 1) % 3];
      const int match = (row == 0 ? 0 : before[t]) + (letters[row] == mine ? 3 : -2);
      const int up = row == 0 ? 0 : last[t + 1];
      score = max(max(0, match), max(up, last[t]) - 1);
      top = max(top, score);
    }
    diagonal[step % 3][t + 1] = score;
    __syncthreads();
  }
  diagonal[0][t] = top;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      diagonal[0][t] = max(diagonal[0][t], diagonal[0][t + half]);
    }
    __syncthreads();
  }
  if (t == 0) {
    best[blockIdx.x] = diagonal[0][0];
  }
}

// Longest common subsequence of 32 letters against `length`, a warp a pair, a lane a column.
extern "C" __global__ void lcs_warp(const uint32_t* first, const uint32_t* second, int* best, int length, int pairs) {
  const int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (pair >= pairs) {
    return;
  }
  const uint32_t mine = first[pair * 32 + lane] & 3U;
  int here = 0;
  int left_before = 0;
  for (int step = 0; step < length + 31; ++step) {
    const int row = step - lane;
    int left = __shfl_up_sync(0xFFFFFFFFU, here, 1);
    if (lane == 0) {
      left = 0;
    }
    if (row >= 0 && row < length) {
      const bool same = (second[pair * length + row] & 3U) == mine;
      here = same ? left_before + 1 : max(here, left);
    }
    left_before = left;
  }
  if (lane == 31) {
    best[pair] = here;
  }
}

// One step of Floyd and Warshall from one matrix into another.
extern "C" __global__ void floyd_step(const uint32_t* in, uint32_t* out, int n, int through) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    out[i * n + j] = min(in[i * n + j], in[i * n + through] + in[through * n + j]);
  }
}

// A pyramid of minima: the block's strip of 512 columns shrinks by two a row; `rows` rows at once.
extern "C" __global__ void path_finder(const int* cost, int* out, int columns, int rows) {
  __shared__ int line[2][512];
  const int t = threadIdx.x;
  const int x = blockIdx.x * (512 - 2 * rows) + t - rows;
  const bool inside = x >= 0 && x < columns;
  line[0][t] = inside ? 0 : 1 << 28;
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    const int* from = line[r % 2];
    int v = from[t];
    v = min(v, from[max(t - 1, 0)]);
    v = min(v, from[min(t + 1, 511)]);
    line[1 - r % 2][t] = inside ? v + cost[r * columns + x] : 1 << 28;
    __syncthreads();
  }
  if (inside && t >= rows && t < 512 - rows) {
    out[x] = line[rows % 2][t];
  }
}
