// Each lane waits for those that hold its value.
extern "C" __global__ void wait_for_equals(unsigned* out, const unsigned* values) {
  const unsigned lane = threadIdx.x;
  const unsigned equals = __match_any_sync(0xffffffffu, values[lane]);
  out[lane] = equals;
  __syncwarp(equals);
  out[32 + lane] = out[__ffs(equals) - 1] + 1;
}
