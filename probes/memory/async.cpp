// Copies from global to shared memory beside the registers, and the sum of two vectors by width of access.
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;

void measure_async(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const Buffer memory = bench.allocate(64 * mib);
  memory.fill(0);
  const Buffer out = bench.allocate(std::uint64_t{sms} * 32 * 16);
  struct Kind {
    const char* kernel;
    std::uint32_t bytes;
    bool in_l1;
  };
  for (const Kind kind : {Kind{"async_ca4", 4, true}, Kind{"async_ca8", 8, true},
                          Kind{"async_ca16", 16, true}, Kind{"async_cg16", 16, false}}) {
    const std::string name = kind.kernel;
    for (int repeat = 0; repeat < 5; ++repeat) {
      // The same line again and again: it hits the L1 with .ca, the L2 with .cg.
      bench.run(bench.kernel("async", name + "_latency"), {1}, {32},
                Parameters()
                    .add(out.address())
                    .add(memory.address())
                    .add(std::uint32_t{0})
                    .add(std::uint32_t{4})
                    .add(std::uint32_t{16}),
                48 * 1024);
      findings.sample("latency of " + name + ", " + (kind.in_l1 ? "L1" : "L2"), "repetition", "cycles",
                      repeat, span_of(warp_records(out, 1)) / 16);
    }
    for (const std::uint32_t blocks : {1U, sms}) {
      for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
        constexpr std::uint32_t rounds = 8;
        bench.run(bench.kernel("async", name + "_rate"), {blocks}, {warps * 32},
                  Parameters()
                      .add(out.address())
                      .add(memory.address())
                      .add(std::uint32_t{mib * 16})
                      .add(std::uint32_t{2})
                      .add(rounds),
                  48 * 1024);
        double cycles = 0;
        for (const WarpRecord& warp : warp_records(out, std::size_t{blocks} * warps))
          cycles += static_cast<double>(warp.end - warp.start);
        cycles /= blocks * warps;
        findings.sample("bytes a cycle of an SM, " + name + (blocks == 1 ? ", one SM" : ", all SMs"), "warps",
                        "bytes/cycle", warps, 16.0 * rounds * warps * 32 * kind.bytes / cycles);
      }
    }
  }
}

void measure_saxpy(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const std::uint64_t most = bench.facts().simulated ? 4 * mib : 256 * mib;
  const Buffer x = bench.allocate(most), y = bench.allocate(most);
  x.fill(0);
  y.fill(0);
  for (std::uint64_t bytes = 4096; bytes <= most; bytes *= 4) {
    for (const auto& [kernel, width] : {std::pair{"saxpy_32", 4U}, {"saxpy_64", 8U}, {"saxpy_128", 16U}}) {
      const auto count = static_cast<std::uint32_t>(bytes / width);
      const std::uint32_t blocks = std::min(8 * sms, (count + 255) / 256);
      const auto run = [&] {
        return bench.run(bench.kernel("saxpy", kernel), {blocks}, {256},
                         Parameters().add(y.address()).add(x.address()).add(0.5F).add(count));
      };
      run();
      for (int repeat = 0; repeat < (bench.facts().simulated ? 1 : 5); ++repeat) {
        findings.sample("time of a sum of vectors, accesses of " + std::to_string(8 * width) + " bits",
                        "bytes", "us", static_cast<double>(bytes), run() * 1e6);
      }
    }
  }
}

}  // namespace

extern const Probe async_copies{"memory.async", "Latency and rate of copies from global to shared memory",
                                "LDGSTS",       80,
                                measure_async,  nullptr};
extern const Probe saxpy_widths{"memory.saxpy",       "Time of a sum of vectors by width of access",
                                "Jia2019 figure 1.1", 70,
                                measure_saxpy,        nullptr};

}  // namespace warpgauge::probes
