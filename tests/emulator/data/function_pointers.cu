// Calls whose target only the data tells. Built by build_cubins beside it.

#include <new>

typedef unsigned (*Function)(unsigned, unsigned);

__device__ __noinline__ unsigned add(unsigned a, unsigned b) { return a + b; }
__device__ __noinline__ unsigned multiply(unsigned a, unsigned b) { return a * b; }
__device__ __noinline__ unsigned rotate(unsigned a, unsigned b) { return __funnelshift_l(a, a, b); }
// Calls others and itself, up to three deep.
__device__ unsigned descend(unsigned a, unsigned b);

__device__ Function table[4] = {add, multiply, rotate, descend};
__device__ Function chosen = multiply;

__device__ __noinline__ unsigned descend(unsigned a, unsigned b) {
  return b % 4 == 0 ? a : table[b % 3](a, b) ^ table[3](a + 1, b - 1);
}

extern "C" __global__ void through_table(const unsigned* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = in[i];
  out[i] = table[x % 4](x, x >> 8);
}

extern "C" __global__ void through_variable(const unsigned* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = chosen(in[i], i);
}
// Also by a pointer that the host read from the table and hands back.
extern "C" __global__ void choose(unsigned entry, Function* seen) { *seen = chosen = table[entry]; }
extern "C" __global__ void through_argument(const unsigned* in, unsigned* out, Function function) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = function(in[i], i);
}

struct Shape {
  __device__ virtual unsigned area(unsigned scale) const = 0;
};
struct Square final : Shape {
  unsigned side;
  __device__ explicit Square(unsigned s) : side(s) {}
  __device__ unsigned area(unsigned scale) const override { return side * side * scale; }
};
struct Bar final : Shape {
  unsigned length;
  __device__ explicit Bar(unsigned s) : length(s) {}
  __device__ unsigned area(unsigned scale) const override { return length + scale; }
};

// Objects in memory that another kernel made: their virtual functions are found in tables of the module.
extern "C" __global__ void make_shapes(const unsigned* in, unsigned long long* places, char* storage) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  char* const place = storage + 16 * i;
  Shape* const made = in[i] % 3 == 0 ? static_cast<Shape*>(new (place) Bar(in[i])) : static_cast<Shape*>(new (place) Square(in[i]));
  places[i] = reinterpret_cast<unsigned long long>(made);
}
extern "C" __global__ void through_virtual(const unsigned long long* places, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = reinterpret_cast<const Shape*>(places[i])->area(i);
}
