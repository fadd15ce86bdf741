// C = A B for row-major matrices: A is m x k, B is k x n, C is m x n; m and n multiples of 64, k of 16. The grid is
// (n / 64, m / 64).
// Shows tiling on both levels: a block of 16 x 16 threads computes a 64 x 64 tile of C from slices of A and B in
// shared memory, and each thread keeps a 4 x 4 tile in registers, so that eight values from shared memory feed
// sixteen multiply-adds. The slice of A is stored transposed, which turns both reads into 128-bit ones.
extern "C" __global__ __launch_bounds__(256) void sgemm(int n, int k, const float* __restrict__ a,
                                                        const float* __restrict__ b, float* __restrict__ c) {
  constexpr int tile = 64;
  constexpr int depth = 16;
  __shared__ __align__(16) float a_slice[depth][tile + 4];
  __shared__ __align__(16) float b_slice[depth][tile];

  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int row = blockIdx.y * tile;
  const int column = blockIdx.x * tile;
  const int a_row = thread / 4;
  const int a_column = thread % 4 * 4;
  const int b_row = thread / 16;
  const int b_column = thread % 16 * 4;

  const float* a_from = a + static_cast<size_t>(row + a_row) * k + a_column;
  const float* b_from = b + static_cast<size_t>(b_row) * n + column + b_column;

  float sum[4][4] = {};
  for (int at = 0; at < k; at += depth) {
    const float4 from_a = *reinterpret_cast<const float4*>(a_from);
    const float4 from_b = *reinterpret_cast<const float4*>(b_from);
    a_from += depth;
    b_from += static_cast<size_t>(depth) * n;
    a_slice[a_column + 0][a_row] = from_a.x;
    a_slice[a_column + 1][a_row] = from_a.y;
    a_slice[a_column + 2][a_row] = from_a.z;
    a_slice[a_column + 3][a_row] = from_a.w;
    *reinterpret_cast<float4*>(&b_slice[b_row][b_column]) = from_b;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      const float4 left = *reinterpret_cast<const float4*>(&a_slice[i][threadIdx.y * 4]);
      const float4 right = *reinterpret_cast<const float4*>(&b_slice[i][threadIdx.x * 4]);
      const float l[4] = {left.x, left.y, left.z, left.w};
      const float r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int y = 0; y < 4; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) sum[y][x] += l[y] * r[x];
      }
    }
    __syncthreads();
  }

  for (int y = 0; y < 4; ++y) {
    float* to = c + static_cast<size_t>(row + threadIdx.y * 4 + y) * n + column + threadIdx.x * 4;
    *reinterpret_cast<float4*>(to) = make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
  }
}
