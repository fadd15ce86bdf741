// Programs that do what a memory checker reports. Built by build_cubins beside it.

extern "C" __global__ void store_at(unsigned* to, long long index) { to[index * (threadIdx.x == 5)] = 7; }
extern "C" __global__ void load_at(const char* from, unsigned* to, long long offset) { *to = *reinterpret_cast<const unsigned*>(from + offset); }
extern "C" __global__ void shared_at(unsigned* to, unsigned index) { extern __shared__ unsigned s[]; s[threadIdx.x * index] = 1; __syncthreads(); to[threadIdx.x] = s[threadIdx.x]; }
extern "C" __global__ void stop(unsigned code) { if (threadIdx.x == code) __trap(); }
extern "C" __global__ void missing_warp(unsigned* to) { if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); to[threadIdx.x] = 1; }
extern "C" __global__ void shared_atomic(unsigned* to, unsigned offset) { extern __shared__ unsigned s[]; atomicAdd(reinterpret_cast<unsigned*>(reinterpret_cast<char*>(s) + offset), 1u); to[0] = s[0]; }
