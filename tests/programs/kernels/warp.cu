// Votes, shuffles, matches and other warp-wide operations.
#include "program.h"

PROGRAM(vote_modes, { const bool a = x & 1; o[0] = __ballot_sync(~0u, a); o[1] = __any_sync(~0u, (x & 31) == 0); o[2] = __all_sync(~0u, (y & 31) != 0); int u; asm volatile("{ .reg .pred p, q; setp.ne.u32 q, %1, 0; vote.sync.uni.pred p, q, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(u) : "r"(z >> 27)); o[3] = static_cast<unsigned>(u); })
PROGRAM(shuffle_modes, { o[0] = __shfl_sync(~0u, x, static_cast<int>(y)); o[1] = __shfl_up_sync(~0u, x, 3); o[2] = __shfl_down_sync(~0u, x, y & 31); o[3] = __shfl_xor_sync(~0u, x, 21); o[4] = __shfl_sync(~0u, x, 5, 8); o[5] = __shfl_up_sync(~0u, x, 2, 16); o[6] = __shfl_down_sync(~0u, x, 1, 4); o[7] = __shfl_xor_sync(~0u, x, 3, 8); })
PROGRAM(shuffle_in_range, { unsigned v, p; asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(v), "=r"(p) : "r"(x), "r"(y & 31), "r"((z & 3) << 11)); o[0] = v; o[1] = p; asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(v), "=r"(p) : "r"(x), "r"(y & 31), "r"(((z & 3) << 11) | 31)); o[2] = v; o[3] = p; put(o + 4, __shfl_xor_sync(~0u, u64(x, y), 9)); })
PROGRAM(match_values, { o[0] = __match_any_sync(~0u, x & 7); int p; o[1] = __match_all_sync(~0u, y >> 31 | (threadIdx.x / 32) << 8, &p); o[2] = static_cast<unsigned>(p); o[3] = __match_any_sync(~0u, u64(x & 1, y & 3)); o[4] = __match_all_sync(~0u, u64(z & 0, 5), &p); o[5] = static_cast<unsigned>(p); })
PROGRAM(divergent_groups, {
  unsigned r = 0;
  if (x & 1) { r = __activemask(); r ^= __shfl_xor_sync(r, x, 0); for (unsigned k = 0; k < (y & 7); ++k) r = r * 3 + k; }
  else if (x & 2) { r = __popc(__ballot_sync(__activemask(), y & 1)); }
  else { r = 2; }
  __syncwarp();
  o[0] = r; o[1] = __ballot_sync(~0u, r & 1);
})
PROGRAM(partial_masks, { const unsigned lane = threadIdx.x & 31; unsigned r = 0; if (lane < 16) { r = __shfl_sync(0xffffu, x, static_cast<int>(y & 15)); r += __ballot_sync(0xffffu, x & 2); } else { r = __shfl_down_sync(0xffff0000u, x, 4); r += __any_sync(0xffff0000u, (y & 63) == 0); } o[0] = r; __syncwarp(); o[1] = __shfl_sync(~0u, r, 31 - static_cast<int>(lane)); })
PROGRAM(lane_masks, { unsigned a; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(a)); o[0] = a; asm("mov.u32 %0, %%lanemask_ge;" : "=r"(a)); o[1] = a; asm("mov.u32 %0, %%lanemask_eq;" : "=r"(a)); o[2] = a; asm("mov.u32 %0, %%laneid;" : "=r"(a)); o[3] = a; o[4] = blockIdx.x * 1000 + threadIdx.x; asm("mov.u32 %0, %%lanemask_le;" : "=r"(a)); o[5] = a; asm("mov.u32 %0, %%lanemask_gt;" : "=r"(a)); o[6] = a; })
PROGRAM(warp_scan, { unsigned v = x & 0xffff; for (unsigned d = 1; d < 32; d *= 2) { const unsigned t = __shfl_up_sync(~0u, v, d); if ((threadIdx.x & 31) >= d) v += t; } o[0] = v; unsigned m = y; for (int d = 16; d; d /= 2) m = max(m, __shfl_xor_sync(~0u, m, d)); o[1] = m; })
