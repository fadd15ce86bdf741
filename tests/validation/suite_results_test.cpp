// The suite's kernels compute what their names say: checked against plain code on the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "tests/validation/suite_runner.h"

namespace warpgauge::validation {
namespace {

using testing::SuiteCase;
using Words = std::vector<std::uint32_t>;

Words inclusive_sums(const Words& in, std::size_t group) {
  Words sums = in;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i % group != 0) sums[i] += sums[i - 1];
  }
  return sums;
}

TEST(SuiteResults, ScansGivePrefixSums) {
  const SuiteCase warp("scan_warp/under");
  EXPECT_EQ(warp.after<std::uint32_t>(1), inclusive_sums(warp.before<std::uint32_t>(0), 32));
  const SuiteCase block("scan_block/under");
  EXPECT_EQ(block.after<std::uint32_t>(1), inclusive_sums(block.before<std::uint32_t>(0), 1024));
  const SuiteCase whole("scan_look_back/wave");
  EXPECT_EQ(whole.after<std::uint32_t>(1), inclusive_sums(whole.before<std::uint32_t>(0), 1U << 30));
}

TEST(SuiteResults, TheTwoSweepsGiveExclusiveSumsOf1024Words) {
  const SuiteCase sweeps("scan_sweeps/under");
  const Words in = sweeps.before<std::uint32_t>(0);
  const Words inclusive = inclusive_sums(in, 1024);
  const Words out = sweeps.after<std::uint32_t>(1);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], inclusive[i] - in[i]) << i;
}

TEST(SuiteResults, ReductionsGiveTheSum) {
  const SuiteCase tree("reduce_shared/under");
  const Words in = tree.before<std::uint32_t>(0);
  const Words partial = tree.after<std::uint32_t>(1);
  EXPECT_EQ(std::accumulate(partial.begin(), partial.end(), 0U), std::accumulate(in.begin(), in.end(), 0U));
  const SuiteCase shuffle("reduce_shuffle/l1");
  const Words words = shuffle.before<std::uint32_t>(0);
  const Words sums = shuffle.after<std::uint32_t>(1);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0U), std::accumulate(words.begin(), words.end(), 0U));
}

TEST(SuiteResults, HistogramsCountEveryByte) {
  const SuiteCase low("histogram_warps/under");
  Words counts(256);
  for (const std::uint32_t word : low.before<std::uint32_t>(0)) ++counts[word & 255];
  EXPECT_EQ(low.after<std::uint32_t>(1), counts);
  const SuiteCase all("histogram_shared/l1");
  std::fill(counts.begin(), counts.end(), 0);
  for (const std::uint8_t byte : all.before<std::uint8_t>(0)) ++counts[byte];
  EXPECT_EQ(all.after<std::uint32_t>(1), counts);
}

TEST(SuiteResults, SortsSort) {
  const SuiteCase bitonic("bitonic_block/under");
  Words blocks = bitonic.before<std::uint32_t>(0);
  for (auto at = blocks.begin(); at != blocks.end(); at += 1024) std::sort(at, at + 1024);
  EXPECT_EQ(bitonic.after<std::uint32_t>(1), blocks);

  const SuiteCase radix("radix_block/under");
  Words groups = radix.before<std::uint32_t>(0);
  for (auto at = groups.begin(); at != groups.end(); at += 256) {
    std::stable_sort(at, at + 256, [](auto a, auto b) { return (a & 0xFFFF) < (b & 0xFFFF); });
  }
  EXPECT_EQ(radix.after<std::uint32_t>(1), groups);

  const SuiteCase merging("merge_rank/l1");
  Words merged = merging.before<std::uint32_t>(0);
  const Words second = merging.before<std::uint32_t>(1);
  merged.insert(merged.end(), second.begin(), second.end());
  std::sort(merged.begin(), merged.end());
  EXPECT_EQ(merging.after<std::uint32_t>(2), merged);
}

TEST(SuiteResults, TransposesSwapRowsAndColumns) {
  for (const char* name : {"transpose_naive/l1", "transpose_tiled/l1", "transpose_padded/l1"}) {
    const SuiteCase one(name);
    const auto width = static_cast<std::size_t>(one.integer(2));
    const auto height = static_cast<std::size_t>(one.integer(3));
    const auto in = one.before<std::uint32_t>(0);
    const auto out = one.after<std::uint32_t>(1);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i % width * height + i / width], in[i]) << name << " at " << i;
    }
  }
}

TEST(SuiteResults, MatrixProductsAreProducts) {
  for (const char* name : {"gemm_naive/l1", "gemm_shared/l1", "gemm_register4/under"}) {
    const SuiteCase one(name);
    const auto n = static_cast<std::size_t>(one.integer(4));
    const auto k = static_cast<std::size_t>(one.integer(5));
    const auto a = one.before<float>(0);
    const auto b = one.before<float>(1);
    const auto c = one.after<float>(2);
    // k products of numbers below one, each rounded to 24 bits: the sum is within k^2 / 2^24.
    const double allowed = static_cast<double>(k * k) * 0x1p-24;
    for (std::size_t at = 0; at < c.size(); at += 37) {
      double sum = 0;
      for (std::size_t i = 0; i < k; ++i) sum += double{a[at / n * k + i]} * double{b[i * n + at % n]};
      ASSERT_NEAR(c[at], sum, allowed) << name << " at " << at;
    }
  }
}

TEST(SuiteResults, FourierTransformsAgreeWithTheDefinition) {
  for (const auto& [name, size] :
       {std::pair{"fft_radix2/under", 512U}, std::pair{"fft_radix4/under", 1024U}}) {
    const SuiteCase one(name);
    const auto in = one.before<float>(0);
    const auto out = one.after<float>(1);
    for (const unsigned k : {0U, 1U, 2U, 77U, size / 2, size - 1}) {
      std::complex<double> sum = 0;
      for (unsigned i = 0; i < size; ++i) {
        const double angle = -2.0 * std::numbers::pi * static_cast<double>(i * k % size) / size;
        sum += std::complex<double>(in[2 * i], in[2 * i + 1]) * std::polar(1.0, angle);
      }
      // The fast sine is good to about 2^-21; the sum of `size` such terms stays far below 0.01.
      EXPECT_NEAR(out[2 * k], sum.real(), 0.01) << name << " " << k;
      EXPECT_NEAR(out[2 * k + 1], sum.imag(), 0.01) << name << " " << k;
    }
  }
}

TEST(SuiteResults, SparseProductsAgreeWithADenseLoop) {
  for (const char* name : {"spmv_csr_scalar/l1", "spmv_csr_vector/l1"}) {
    const SuiteCase one(name);
    const auto rows = one.before<std::uint32_t>(0);
    const auto columns = one.before<std::uint32_t>(1);
    const auto values = one.before<float>(2);
    const auto x = one.before<float>(3);
    const auto y = one.after<float>(4);
    for (std::size_t row = 0; row < y.size(); ++row) {
      double sum = 0;
      for (std::uint32_t i = rows[row]; i < rows[row + 1]; ++i)
        sum += double{values[i]} * double{x[columns[i]]};
      ASSERT_NEAR(y[row], sum, 1e-4) << name << " row " << row;
    }
  }
}

TEST(SuiteResults, ABreadthFirstLevelReachesTheNeighboursOfTheFrontier) {
  const SuiteCase one("bfs_level/late");
  const auto rows = one.before<std::uint32_t>(0);
  const auto edges = one.before<std::uint32_t>(1);
  const auto distance = one.before<std::uint32_t>(2);
  Words next = one.before<std::uint32_t>(3);
  for (std::size_t node = 0; node < distance.size(); ++node) {
    if (distance[node] != 1) continue;
    for (std::uint32_t i = rows[node]; i < rows[node + 1]; ++i) {
      if (distance[edges[i]] > 1) next[edges[i]] = 2;
    }
  }
  EXPECT_EQ(one.after<std::uint32_t>(3), next);
}

TEST(SuiteResults, LocalAlignmentsScoreAsTheRecurrenceSays) {
  const SuiteCase one("smith_waterman/under");
  const auto first = one.before<std::uint32_t>(0);
  const auto second = one.before<std::uint32_t>(1);
  const auto best = one.after<std::int32_t>(2);
  for (std::size_t pair = 0; pair < best.size(); ++pair) {
    std::vector<int> above(257);
    int top = 0;
    for (std::size_t r = 0; r < 256; ++r) {
      std::vector<int> row(257);
      for (std::size_t c = 0; c < 256; ++c) {
        const bool same = ((first[pair * 256 + r] ^ second[pair * 256 + c]) & 3) == 0;
        row[c + 1] = std::max({0, above[c] + (same ? 3 : -2), above[c + 1] - 1, row[c] - 1});
        top = std::max(top, row[c + 1]);
      }
      above = row;
    }
    EXPECT_EQ(best[pair], top) << pair;
  }
}

TEST(SuiteResults, CommonSubsequencesHaveTheirLength) {
  const SuiteCase one("lcs_warp/under");
  const auto first = one.before<std::uint32_t>(0);
  const auto second = one.before<std::uint32_t>(1);
  const auto best = one.after<std::int32_t>(2);
  const auto length = static_cast<std::size_t>(one.integer(3));
  for (std::size_t pair = 0; pair < best.size(); ++pair) {
    std::vector<int> above(33);
    for (std::size_t r = 0; r < length; ++r) {
      std::vector<int> row(33);
      for (std::size_t c = 0; c < 32; ++c) {
        const bool same = ((second[pair * length + r] ^ first[pair * 32 + c]) & 3) == 0;
        row[c + 1] = same ? above[c] + 1 : std::max(above[c + 1], row[c]);
      }
      above = row;
    }
    ASSERT_EQ(best[pair], above[32]) << pair;
  }
}

TEST(SuiteResults, EightQueensHave92Placements) {
  const SuiteCase one("queens/under");
  const auto counts = one.after<std::uint32_t>(0);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.begin() + 64, 0U), 92U);
}

TEST(SuiteResults, FibonacciByRecursion) {
  const SuiteCase one("recursive_fibonacci/under");
  const auto values = one.after<std::uint32_t>(0);
  const std::uint32_t expected[] = {13, 21, 34, 55};
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], expected[i % 4]) << i;
}

TEST(SuiteResults, CollatzStepsAreCounted) {
  const SuiteCase one("collatz/under");
  const auto steps = one.after<std::uint32_t>(0);
  for (std::size_t i = 0; i < steps.size(); i += 101) {
    std::uint64_t value = 1000000 + i;
    std::uint32_t expected = 0;
    for (; value > 1; ++expected) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    ASSERT_EQ(steps[i], expected) << i;
  }
}

TEST(SuiteResults, ThePointerChaseFollowsTheCycle) {
  const SuiteCase one("pointer_chase/l1");
  const auto next = one.before<std::uint32_t>(0);
  const auto out = one.after<std::uint32_t>(1);
  for (std::size_t thread = 0; thread < out.size(); ++thread) {
    std::uint32_t at = static_cast<std::uint32_t>(thread * 7919 % next.size());
    for (int i = 0; i < one.integer(2); ++i) at = next[at];
    ASSERT_EQ(out[thread], at) << thread;
  }
}

// A kernel's three builds differ in every instruction, and still give the same bits.
TEST(SuiteResults, VoltaTuringAndHopperBuildsAgree) {
  for (const char* name :
       {"gemm_shared/l1", "softmax_warp/under", "nbody_tiled/under", "special_accurate/under",
        "fp64_divide/under", "half2_polynomial/one_warp", "integer_divide_64/under"}) {
    const std::size_t output =
        std::string(name).starts_with("gemm")                                               ? 2
        : std::string(name).starts_with("special") || std::string(name).starts_with("fp64") ? 0
                                                                                            : 1;
    const auto turing = SuiteCase(name, 75).after<std::uint32_t>(output);
    EXPECT_EQ(SuiteCase(name, 70).after<std::uint32_t>(output), turing) << name;
    EXPECT_EQ(SuiteCase(name, 90).after<std::uint32_t>(output), turing) << name;
  }
}

}  // namespace
}  // namespace warpgauge::validation
