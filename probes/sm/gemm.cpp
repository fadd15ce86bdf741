// Matrix products of our own, by precision.
#include <cmath>
#include <cstring>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

struct Precision {
  const char* kernel;             // gemm_<kernel>
  const char* fill;               // fill_<fill>
  std::uint32_t element, result;  // bytes
  std::uint32_t rows;             // of a block's tile; 128 columns
  std::uint32_t simulated_inner;
};
constexpr Precision precisions[] = {
    {"f16_f32", "half", 2, 4, 128, 128},    {"f16_f16", "half", 2, 2, 128, 128},
    {"bf16_f32", "bfloat", 2, 4, 128, 128}, {"tf32_f32", "float", 4, 4, 128, 64},
    {"s8_s32", "char", 1, 4, 128, 256},     {"f64_matrix", "double", 8, 8, 128, 32},
    {"f32", "float", 4, 4, 128, 16},        {"f64", "double", 8, 8, 64, 8}};
constexpr std::uint32_t tile_columns = 128;

int element(std::uint32_t i, std::uint32_t seed) {
  return static_cast<int>(((i * 2654435761U + seed) >> 20) % 7) - 3;
}

double number(const std::byte* at, const Precision& precision) {
  const std::string_view name = precision.kernel;
  if (name == "s8_s32") {
    std::int32_t value = 0;
    std::memcpy(&value, at, 4);
    return value;
  }
  if (precision.result == 8) {
    double value = 0;
    std::memcpy(&value, at, 8);
    return value;
  }
  if (precision.result == 4) {
    float value = 0;
    std::memcpy(&value, at, 4);
    return static_cast<double>(value);
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  const double magnitude =
      (bits & 0x7fff) < 0x400 ? 0 : std::ldexp(1024 + (bits & 0x3ff), (bits >> 10 & 31) - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

void measure(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const bool simulated = bench.facts().simulated;
  const std::uint64_t most = simulated ? 4096 : 8192;
  const Buffer a = bench.allocate(most * most * 8), b = bench.allocate(most * most * 8),
               c = bench.allocate(most * most * 8);
  for (const Precision& precision : precisions) {
    const std::string kernel = std::string("gemm_") + precision.kernel;
    if (!bench.has_kernel("gemm", kernel)) continue;
    struct Size {
      std::uint32_t rows, columns, inner;
    };
    std::vector<Size> sizes = {{2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};
    // One block an SM, as near as tiles allow, and few steps.
    if (simulated) sizes = {{precision.rows * (sms / 12), tile_columns * 12, precision.simulated_inner}};
    for (const Size& size : sizes) {
      const auto fill = [&](const Buffer& to, std::uint32_t count, std::uint32_t seed) {
        bench.run(bench.kernel("gemm", std::string("fill_") + precision.fill), {2 * sms}, {256},
                  Parameters().add(to.address()).add(count).add(seed));
      };
      fill(a, size.rows * size.inner, 1);
      fill(b, size.columns * size.inner, 2);
      const auto run = [&] {
        return bench.run(bench.kernel("gemm", kernel),
                         {size.columns / tile_columns, size.rows / precision.rows}, {256},
                         Parameters()
                             .add(c.address())
                             .add(a.address())
                             .add(b.address())
                             .add(size.columns)
                             .add(size.inner));
      };
      if (!simulated) run();
      double best = 0;
      for (int repeat = 0; repeat < (simulated ? 1 : 5); ++repeat) {
        const double operations = 2.0 * size.rows * size.columns * size.inner;
        const double rate = operations / run() / 1e12;
        findings.sample(std::string("throughput of a product, ") + precision.kernel, "rows", "TFLOP/s",
                        size.rows, rate);
        best = std::max(best, rate);
      }
      // A few elements against the host's sum.
      for (std::uint32_t check = 0; check < 8; ++check) {
        const std::uint32_t row = check * 977 % size.rows, column = check * 1549 % size.columns;
        double expected = 0;
        for (std::uint32_t k = 0; k < size.inner; ++k)
          expected += element(row * size.inner + k, 1) * element(column * size.inner + k, 2);
        std::byte bytes[8];
        bench.target().read(std::span(bytes).first(precision.result),
                            c.address() + (std::uint64_t{row} * size.columns + column) * precision.result);
        const double found = number(bytes, precision);
        // Sums in halves round; all others are exact in these numbers.
        if (std::abs(found - expected) > (precision.result == 2 ? 0.05 * std::abs(expected) + 16 : 0.5)) {
          throw ProbeRefusal(kernel + " gives " + std::to_string(found) + " where the sum is " +
                             std::to_string(expected));
        }
      }
    }
  }
}

}  // namespace

extern const Probe gemm_throughput{"gemm.throughput",
                                   "Matrix products by precision, on the matrix units and on the FMA pipes",
                                   "Jia2018 figure 4.8, table 5.2",
                                   70,
                                   measure,
                                   nullptr};

}  // namespace warpgauge::probes
