// Operands of matrix instructions by rule: of a tile, a lane and a word of A, B and C. The card was given the
// same.
#pragma once
#include <cstdint>

namespace warpgauge::emulator::testing {

struct MatrixKind {
  const char* name;
  int a, b, c;
  int format;
  int c_format;
};  // words a lane
// formats: 0 f16 pairs, 1 bf16 pairs, 2 tf32 words, 3 f32 words, 4 f64 word pairs
constexpr MatrixKind matrix_kinds[] = {{"f16_f32_k16", 4, 2, 4, 0, 3},  {"f16_f32_k8", 2, 1, 4, 0, 3},
                                       {"f16_f16_k16", 4, 2, 2, 0, 0},  {"f16_f16_k8", 2, 1, 2, 0, 0},
                                       {"bf16_f32_k16", 4, 2, 4, 1, 3}, {"bf16_f32_k8", 2, 1, 4, 1, 3},
                                       {"tf32_f32_k8", 4, 2, 4, 2, 3},  {"tf32_f32_k4", 2, 1, 4, 2, 3},
                                       {"f64_k4", 2, 2, 4, 4, 4},       {"f64_k16", 16, 8, 8, 4, 4}};
inline std::uint64_t mix(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
// One value: width bits of exponent, fraction bits, spread about the bias.
inline std::uint64_t value(std::uint64_t r, int exponent_bits, int fraction_bits, int spread, bool zeros,
                           std::uint64_t scale) {
  const std::uint64_t sign = r & 1;
  r >>= 1;
  if (zeros && (r & 3) == 0) return sign << (exponent_bits + fraction_bits);
  r >>= 2;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int e = bias + static_cast<int>(scale) + static_cast<int>(r % static_cast<std::uint64_t>(2 * spread + 1)) -
          spread;
  r /= static_cast<std::uint64_t>(2 * spread + 1);
  if (e < 0) e = 0;
  if (e > 2 * bias) e = 2 * bias;
  const std::uint64_t fraction = mix(r) >> (64 - fraction_bits);
  return (sign << (exponent_bits + fraction_bits)) | (static_cast<std::uint64_t>(e) << fraction_bits) |
         fraction;
}
// Words of lane `lane` of tile `tile`: A, B, then C. Tile classes by tile % 16.
inline void lane_words(int kind, std::uint32_t tile, std::uint32_t lane, std::uint32_t* words) {
  static const int spreads[16] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 2, 4, 8, 24, 0};
  const MatrixKind& k = matrix_kinds[kind];
  const int cls = static_cast<int>(tile % 16);
  const int total = k.a + k.b + k.c;
  for (int i = 0; i < total; ++i) {
    const std::uint64_t seed = mix((((static_cast<std::uint64_t>(kind) << 20U) + tile) << 20) + (lane << 8) +
                                   static_cast<std::uint64_t>(i));
    const bool is_c = i >= k.a + k.b;
    const int format = is_c ? k.c_format : k.format;
    const bool zeros = cls >= 11 && cls <= 14;
    const int spread = spreads[cls] * (is_c ? 2 : 1);
    const std::uint64_t scale = is_c && cls % 3 == 1 ? 6 : 0;
    if (cls == 15 && (mix(seed + 7) & 7) == 0) {
      words[i] = static_cast<std::uint32_t>(seed);
      continue;
    }  // any bits at all
    const int s15 = cls == 15 ? 3 : spread;
    switch (format) {
      case 0:
        words[i] = static_cast<std::uint32_t>(value(seed, 5, 10, s15, zeros, scale) |
                                              value(mix(seed), 5, 10, s15, zeros, scale) << 16);
        break;
      case 1:
        words[i] = static_cast<std::uint32_t>(value(seed, 8, 7, s15, zeros, scale) |
                                              value(mix(seed), 8, 7, s15, zeros, scale) << 16);
        break;
      case 2:  // bits below the ten of tf32 are set too: the hardware must ignore them
      case 3:
        words[i] = static_cast<std::uint32_t>(value(seed, 8, 23, s15, zeros, scale));
        break;
      default: {
        const std::uint64_t pair_seed = mix((((static_cast<std::uint64_t>(kind) << 20U) + tile) << 20) +
                                            (lane << 8) + static_cast<std::uint64_t>(i & ~1));
        const std::uint64_t v = value(pair_seed, 11, 52, s15 * 3, zeros, scale);
        words[i] = static_cast<std::uint32_t>((i & 1) != 0 ? v >> 32 : v);
      }
    }
  }
}

}  // namespace warpgauge::emulator::testing
