// Hashes and tables: murmur-like and SHA-256 in registers, bytes, CRC tables, probing.

#include <cstdint>

__device__ __forceinline__ uint32_t finish(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6BU;
  h ^= h >> 13;
  h *= 0xC2B2AE35U;
  return h ^ (h >> 16);
}

extern "C" __global__ void hash_words(const uint32_t* in, uint32_t* out, int words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  uint32_t h = 0x9747B28CU;
  for (int w = 0; w < words; ++w) {
    uint32_t k = in[w * n + i] * 0xCC9E2D51U;
    k = __funnelshift_l(k, k, 15) * 0x1B873593U;
    h ^= k;
    h = __funnelshift_l(h, h, 13) * 5U + 0xE6546B64U;
  }
  out[i] = finish(h);
}

// FNV-1a over 64 consecutive bytes a thread: byte loads with a stride.
extern "C" __global__ void hash_bytes(const uint8_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  uint32_t h = 2166136261U;
  for (int b = 0; b < 64; ++b) {
    h = (h ^ in[i * 64 + b]) * 16777619U;
  }
  out[i] = h;
}

__constant__ uint32_t kRound[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

__device__ __forceinline__ uint32_t rotate(uint32_t v, int by) { return __funnelshift_r(v, v, by); }

// SHA-256's compression of one 64-byte block a thread, fully unrolled.
extern "C" __global__ void sha256_block(const uint32_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  uint32_t w[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    w[k] = in[k * n + i];
  }
  const uint32_t start[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                             0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  uint32_t s[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    s[k] = start[k];
  }
#pragma unroll
  for (int r = 0; r < 64; ++r) {
    if (r >= 16) {
      const uint32_t p = w[(r + 1) % 16];
      const uint32_t q = w[(r + 14) % 16];
      w[r % 16] += (rotate(p, 7) ^ rotate(p, 18) ^ (p >> 3)) + w[(r + 9) % 16] +
                   (rotate(q, 17) ^ rotate(q, 19) ^ (q >> 10));
    }
    const uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                        ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRound[r] + w[r % 16];
    const uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s[7] = s[6];
    s[6] = s[5];
    s[5] = s[4];
    s[4] = s[3] + t1;
    s[3] = s[2];
    s[2] = s[1];
    s[1] = s[0];
    s[0] = t1 + t2;
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    out[k * n + i] = s[k] + start[k];
  }
}

// CRC-32 by a table that the block computes into shared memory: random bank conflicts.
extern "C" __global__ void crc32_table(const uint32_t* in, uint32_t* out, int words, int n) {
  __shared__ uint32_t table[256];
  for (int e = threadIdx.x; e < 256; e += blockDim.x) {
    uint32_t v = static_cast<uint32_t>(e);
    for (int b = 0; b < 8; ++b) {
      v = (v & 1U) != 0 ? (v >> 1) ^ 0xEDB88320U : v >> 1;
    }
    table[e] = v;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  uint32_t crc = 0xFFFFFFFFU;
  for (int w = 0; w < words; ++w) {
    uint32_t v = in[w * n + i];
    for (int b = 0; b < 4; ++b) {
      crc = table[(crc ^ v) & 255U] ^ (crc >> 8);
      v >>= 8;
    }
  }
  out[i] = ~crc;
}

// Keys put into an open table by compare-and-swap; which slot a key gets depends on who comes first.
extern "C" __global__ void table_insert(const uint32_t* keys, uint32_t* table, int log_slots, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  const uint32_t key = keys[i] | 1U;
  const uint32_t mask = (1U << log_slots) - 1U;
  uint32_t slot = finish(key) & mask;
  while (true) {
    const uint32_t old = atomicCAS(&table[slot], 0U, key);
    if (old == 0U || old == key) {
      return;
    }
    slot = (slot + 1U) & mask;
  }
}

// Probes a table of consecutive keys until the key or an odd slot is met.
extern "C" __global__ void table_probe(const uint32_t* keys, const uint32_t* table, uint32_t* found, int log_slots,
                                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  const uint32_t mask = (1U << log_slots) - 1U;
  uint32_t slot = finish(keys[i]) & mask;
  uint32_t steps = 0;
  while ((table[slot] & 7U) != 0 && steps < 64) {
    slot = (slot + 1U) & mask;
    ++steps;
  }
  found[i] = slot ^ (steps << 24);
}
