// How many SMs the clusters of the chip have: the blocks of a thread-block cluster lie in one of them, so that SMs which were
// seen in one are of one cluster of the chip. SMs that take part in no thread-block cluster leave it open where they belong.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/records.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t largest = 16;  // more than 8 are not portable: a device may refuse them
constexpr const char* together = "SMs of one cluster of the chip";

std::size_t root(const std::vector<std::size_t>& parent, std::size_t at) {
  while (parent[at] != at) at = parent[at];
  return at;
}

void measure(Bench& bench, Findings& findings) {
  if (bench.facts().simulated) throw ProbeRefusal("the model does not run clusters");
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  std::vector<std::size_t> parent(sms);
  std::iota(parent.begin(), parent.end(), 0);
  for (std::uint32_t size = 2; size <= largest; ++size) {
    const std::uint32_t blocks = 4 * sms / size * size;
    const Buffer out = bench.allocate(std::uint64_t{blocks} * 40);
    try {
      bench.run(bench.kernel("launch", "place"), {blocks}, {1024}, Parameters().add(out.address()).add(std::uint64_t{5000}),
                shared_bytes_of_one_block_an_sm(bench.facts()), std::nullopt, size);
    } catch (const TargetError&) {
      if (size <= 8) throw;
      break;
    }
    const auto records = block_records(out, blocks);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::size_t first = records[block / size * size].sm, here = records[block].sm;
      if (first >= sms || here >= sms) throw ProbeRefusal("an SM's number is beyond the SMs of the device");
      parent[root(parent, here)] = root(parent, first);
    }
  }
  for (std::uint32_t sm = 0; sm < sms; ++sm) findings.sample(together, "SM", "first of them", sm, static_cast<double>(root(parent, sm)));
}

void conclude(const TargetFacts&, Findings& findings) {
  const calib::Series& series = findings.at(together);
  std::map<double, double> sizes;
  for (const double first : series.y) ++sizes[first];
  std::vector<double> list;
  for (const auto& [first, size] : sizes) list.push_back(size);
  std::sort(list.begin(), list.end());
  if (list.front() <= 2) return;
  findings.result.figures.push_back({"chip.gpc_sms", list, calib::Unit::count, 0, series.x.size(), series.label});
}

}  // namespace

extern const Probe launch_clusters{"launch.clusters", "Which SMs lie in one cluster of the chip", "clusters", 90, measure, conclude, false};

}  // namespace warpgauge::probes
