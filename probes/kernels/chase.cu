// Pointer chases: each loaded value is the next address, so the time of a step is the load's latency alone.
#include "common.cuh"

// `out` gets the cycles of the timed steps, their number, and the last pointer, which keeps the loads alive.
#define CHASE_GLOBAL(name, step)                                                  \
  extern "C" __global__ void name(u64* out, u64 p, u32 warm_rounds, u32 rounds) { \
    TIMED(warm_rounds, rounds, REP32(step), if (p == 1) out[3] = 0;)              \
    out[0] = end - start;                                                         \
    out[1] = 32ull * rounds;                                                      \
    out[2] = p;                                                                   \
  }

CHASE_GLOBAL(chase_ca64, asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");)
CHASE_GLOBAL(chase_cg64, asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");)
CHASE_GLOBAL(chase_nc64, asm volatile("ld.global.nc.u64 %0, [%0];" : "+l"(p)::"memory");)
CHASE_GLOBAL(chase_ca32,
             asm volatile("{ .reg .u32 l, h; mov.b64 {l, h}, %0; ld.global.ca.u32 l, [%0]; mov.b64 %0, {l, h}; }"
                          : "+l"(p)::"memory");)
CHASE_GLOBAL(chase_ca128, asm volatile("{ .reg .u64 h; ld.global.ca.v2.u64 {%0, h}, [%0]; }" : "+l"(p)::"memory");)
CHASE_GLOBAL(chase_generic64, asm volatile("ld.u64 %0, [%0];" : "+l"(p)::"memory");)

// The same on one SM of a grid that covers all.
extern "C" __global__ void chase_ca64_on(u64* out, u64 p, u32 warm_rounds, u32 rounds, u32 only) {
  if (elsewhere(only)) return;
  TIMED(warm_rounds, rounds, REP32(asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");),
        if (p == 1) out[3] = 0;)
  out[0] = end - start;
  out[1] = 32ull * rounds;
  out[2] = p;
}

// The fine-grained chase (Mei and Chu; Jia2018 figure 3.2): one latency a step, kept in shared memory until the end.
#define CHASE_FINE(name, load)                                                  \
  extern "C" __global__ void name(u64* out, u64 p, u32 warm_steps, u32 steps) { \
    extern __shared__ u32 latency[];                                            \
    _Pragma("unroll 1") for (u32 pass = 0; pass < 2; ++pass) {                  \
      const u32 count = pass == 0 ? warm_steps : steps;                         \
      _Pragma("unroll 1") for (u32 i = 0; i < count; ++i) {                     \
        u32 before, after;                                                      \
        const u32 slot = pass == 0 ? 0 : i;                                     \
        asm volatile("mov.u32 %0, %%clock;" : "=r"(before)::"memory");          \
        asm volatile(load : "+l"(p)::"memory");                                 \
        ((volatile u32*)latency)[slot] = (u32)p;                                \
        asm volatile("mov.u32 %0, %%clock;" : "=r"(after)::"memory");           \
        ((volatile u32*)latency)[slot] = after - before;                        \
      }                                                                         \
    }                                                                           \
    for (u32 i = 0; i < steps; ++i) out[i] = latency[i];                        \
    out[steps] = p;                                                             \
  }
CHASE_FINE(fine_ca64, "ld.global.ca.u64 %0, [%0];")
CHASE_FINE(fine_cg64, "ld.global.cg.u64 %0, [%0];")

// Shared memory: a ring of `elements` with `stride` bytes between, each holding the next one's address.
#define CHASE_SHARED(name, step)                                                                     \
  extern "C" __global__ void name(u64* out, u32 elements, u32 stride, u32 warm_rounds, u32 rounds) { \
    extern __shared__ u32 ring[];                                                                    \
    u32 base;                                                                                        \
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(base) : "l"(ring));    \
    for (u32 i = 0; i < elements; ++i) {                                                             \
      const u32 next = i + 1 == elements ? 0 : i + 1;                                                \
      ring[i * stride / 4] = base + next * stride;                                                   \
    }                                                                                                \
    __syncthreads();                                                                                 \
    u32 a = base;                                                                                    \
    TIMED(warm_rounds, rounds, REP32(step), if (a == 1) out[3] = 0;)                                 \
    out[0] = end - start;                                                                            \
    out[1] = 32ull * rounds;                                                                         \
    out[2] = a;                                                                                      \
  }
CHASE_SHARED(chase_shared32, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(a)::"memory");)
CHASE_SHARED(chase_shared64, asm volatile("{ .reg .u32 h; ld.shared.v2.u32 {%0, h}, [%0]; }" : "+r"(a)::"memory");)
CHASE_SHARED(chase_shared128,
             asm volatile("{ .reg .u32 h, i, j; ld.shared.v4.u32 {%0, h, i, j}, [%0]; }" : "+r"(a)::"memory");)

// Constant memory: the host writes a ring of byte offsets into constant_ring.
__constant__ u32 constant_ring[16384];
extern "C" __global__ void chase_constant(u64* out, u32 offset, u32 warm_rounds, u32 rounds) {
  u32 a = offset;
  TIMED(warm_rounds, rounds, REP32(a = *(const u32*)((const char*)constant_ring + a);), if (a == 1) out[3] = 0;)
  out[0] = end - start;
  out[1] = 32ull * rounds;
  out[2] = a;
}

// The same on one SM of a grid that covers all.
extern "C" __global__ void chase_constant_on(u64* out, u32 offset, u32 warm_rounds, u32 rounds, u32 only) {
  if (elsewhere(only)) return;
  u32 a = offset;
  TIMED(warm_rounds, rounds, REP32(a = *(const u32*)((const char*)constant_ring + a);), if (a == 1) out[3] = 0;)
  out[0] = end - start;
  out[1] = 32ull * rounds;
  out[2] = a;
}

// Every lane follows its own ring, so that n distinct rings make a constant load serialise n ways (figure 3.9 of
// Jia2019): lane l starts at offsets[l].
extern "C" __global__ void chase_constant_lanes(u64* out, const u32* offsets, u32 warm_rounds, u32 rounds) {
  u32 a = offsets[threadIdx.x & 31];
  TIMED(warm_rounds, rounds, REP32(a = *(const u32*)((const char*)constant_ring + a);), if (a == 1) out[3] = 0;)
  out[0] = end - start;
  out[1] = 32ull * rounds;
  out[2] = a;
}

// Writes a ring through memory: the i-th slot of `order` points to the next one's.
extern "C" __global__ void make_ring(u64 base, const u64* order, u64 count) {
  const u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
  if (i >= count) return;
  *(u64*)(base + order[i]) = base + order[i + 1 == count ? 0 : i + 1];
}

// Latency from every SM to every line of a list, past L1: each SM starts at another line, so that few SMs ask one
// slice at a time. Every line holds its own address. out[sm * line_count + line] is the cycles of four loads.
extern "C" __global__ void latency_map(u32* out, const u64* lines, u32 line_count, u32 repeats) {
  const u32 sm = sm_id();
#pragma unroll 1
  for (u32 k = 0; k < line_count; ++k) {
    const u32 line = (sm + k) % line_count;
    u64 p = lines[line];
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    u32 best = 0xffffffffu;
#pragma unroll 1
    for (u32 r = 0; r < repeats; ++r) {
      if (p == 1) out[0] = 0;
      const u64 start = clock_now();
      REP4(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");)
      if (p == 1) out[0] = 0;
      const u64 end = clock_now();
      const u32 cycles = (u32)(end - start);
      best = cycles < best ? cycles : best;
    }
    out[sm * line_count + line] = best;
  }
}

// The same of atomics, whose results the next one adds: what eight take more than four. A line's words change
// meanwhile.
extern "C" __global__ void atomic_map(u32* out, const u64* lines, u32 line_count, u32 repeats) {
  const u32 sm = sm_id();
#pragma unroll 1
  for (u32 k = 0; k < line_count; ++k) {
    const u32 line = (sm + k) % line_count;
    const u64 p = lines[line];
    u32 sum = 0;
    asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(p) : "memory");
    u32 four = 0xffffffffu, eight = 0xffffffffu;
#pragma unroll 1
    for (u32 r = 0; r < repeats; ++r) {
      if (sum == 0x7fffffffu) out[0] = 0;
      const u64 start = clock_now();
      REP4(asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(p) : "memory");)
      if (sum == 0x7fffffffu) out[0] = 0;
      const u64 middle = clock_now();
      REP4(asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(p) : "memory");)
      REP4(asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(p) : "memory");)
      if (sum == 0x7fffffffu) out[0] = 0;
      const u64 end = clock_now();
      four = min(four, (u32)(middle - start));
      eight = min(eight, (u32)(end - middle));
    }
    out[sm * line_count + line] = eight - four;
  }
}

// Cycles of one load.
#define TIME_LOAD(how, address, cycles)                                                       \
  {                                                                                           \
    u32 value;                                                                                \
    const u64 start = clock_now();                                                            \
    asm volatile("ld.global." how ".u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory"); \
    if (value == 0x7654321) out[0] = 1;                                                       \
    cycles = clock_now() - start;                                                             \
  }

// The same memory at two addresses. In the L1: a line that the first address has brought there, by the first and by
// the second. In the L2: another such line, and one that nobody has asked for.
extern "C" __global__ void two_addresses(u64* out, u64 first, u64 second) {
  u64 cycles[8];
  TIME_LOAD("cg", second + 65536, cycles[0]);  // the second address's page is known
  TIME_LOAD("ca", first, cycles[0]);
  TIME_LOAD("ca", first, cycles[1]);
  TIME_LOAD("ca", second, cycles[2]);
  TIME_LOAD("cg", first + 8192, cycles[3]);
  TIME_LOAD("cg", first + 8192, cycles[4]);
  TIME_LOAD("cg", second + 8192, cycles[5]);
  TIME_LOAD("cg", second + 16384, cycles[6]);
  for (u32 i = 1; i < 7; ++i) out[i] = cycles[i];
}
