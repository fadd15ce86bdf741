// Whether caches go by the address of a program or by that of the memory behind it: the same memory at two addresses.
#include <algorithm>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;
// In the order in which the kernel times them, from 1 on.
constexpr const char* what[] = {"",
                                "an L1 line by the address that brought it",
                                "an L1 line by the other address",
                                "a line that nobody has asked for, by the first address",
                                "an L2 line by the address that brought it",
                                "an L2 line by the other address",
                                "a line that nobody has asked for, by the other address"};

void measure_two_addresses(Bench& bench, Findings& findings) {
  std::pair<DeviceAddress, DeviceAddress> memory;
  try {
    memory = bench.target().map_twice(2 * mib);
  } catch (const TargetError& why) {
    throw ProbeRefusal(why.what());
  }
  const Buffer out = bench.allocate(64);
  const Buffer flush = bench.allocate_flush();
  bench.target().fill(memory.first, 0, 2 * mib);
  for (int repeat = 0; repeat < 9; ++repeat) {
    flush.fill(0);
    bench.run(bench.kernel("chase", "two_addresses"), {}, {1},
              Parameters().add(out.address()).add(memory.first).add(memory.second));
    const auto cycles = out.read<std::uint64_t>(7);
    for (std::size_t i = 1; i < cycles.size(); ++i)
      findings.sample(std::string("cycles of ") + what[i], "repetition", "cycles", repeat,
                      static_cast<double>(cycles[i]));
  }
}

void conclude_two_addresses(const TargetFacts&, Findings& findings) {
  const auto cycles = [&](int which) {
    return calib::median(findings.at(std::string("cycles of ") + what[which]).y);
  };
  // By the other address: as fast as by the one that brought the line, or as slow as from the level behind?
  const double l1_limit = (cycles(1) + cycles(4)) / 2, l2_limit = (cycles(4) + cycles(6)) / 2;
  const auto flag = [&](const char* key, bool value, int which) {
    findings.result.figures.push_back(
        {key, value, calib::Unit::flag, 0, 9, std::string("cycles of ") + what[which]});
  };
  flag("l1.virtually_indexed", cycles(2) > l1_limit, 2);
  flag("l2.physically_indexed", cycles(5) < l2_limit, 5);
}

}  // namespace

extern const Probe memory_two_addresses{"memory.two_addresses",
                                        "Whether L1 and L2 know memory by the program's address or by its own",
                                        "Jia2018 section 3.8",
                                        70,
                                        measure_two_addresses,
                                        conclude_two_addresses};

}  // namespace warpgauge::probes
