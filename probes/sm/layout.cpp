// Which lane holds which element of a matrix fragment.
#include <algorithm>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr const char* fragments[] = {"a_row", "a_column", "b_row",     "b_column",
                                     "c_row", "c_column", "half_c_row"};
constexpr std::uint32_t count_at = 1023;

struct Instruction {
  const char* kernel;                // places_<kernel>
  std::uint32_t a_places, b_places;  // of a lane
};
constexpr Instruction instructions[] = {{"884", 4, 4}, {"1688", 4, 2}, {"16816", 8, 4}};

// The place of the lowest bit that is set in 32 lanes' masks, lane after lane.
double first_touched(const std::vector<std::uint32_t>& masks, std::size_t at) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t mask = masks[at * 32 + lane];
    if (mask == 0) continue;
    for (std::uint32_t bit = 0;; ++bit) {
      if ((mask >> bit & 1) != 0) return static_cast<double>(lane * 8 + bit);
    }
  }
  return -1;
}

double touched(const std::vector<std::uint32_t>& masks, std::size_t at) {
  int bits = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t mask = masks[at * 32 + lane]; mask != 0; mask &= mask - 1) ++bits;
  }
  return bits;
}

void measure(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  for (const char* fragment : fragments) {
    out.fill(0);
    bench.run(bench.kernel("layout", std::string("layout_") + fragment), {1}, {32},
              Parameters().add(out.address()));
    const auto words = out.read<std::uint32_t>(1024);
    const std::uint32_t elements = words[count_at];
    for (std::uint32_t i = 0; i < 32 * elements; ++i) {
      findings.sample(std::string("place in memory of lane and element, fragment ") + fragment,
                      "lane * elements + element", "place", i, words[i]);
    }
  }
  for (const Instruction& each : instructions) {
    const std::string kernel = std::string("places_") + each.kernel;
    if (!bench.has_kernel("layout", kernel)) continue;
    const std::uint32_t a_count = 32 * each.a_places, b_count = 32 * each.b_places;
    const Buffer a = bench.allocate(a_count * 128), b = bench.allocate(b_count * 128),
                 meet = bench.allocate(a_count * b_count * 4);
    bench.run(bench.kernel("layout", kernel), {1}, {32},
              Parameters()
                  .add(a.address())
                  .add(b.address())
                  .add(meet.address())
                  .add(std::uint32_t{0})
                  .add(a_count));
    const auto a_touches = a.read<std::uint32_t>(a_count * 32),
               b_touches = b.read<std::uint32_t>(b_count * 32),
               meets = meet.read<std::uint32_t>(a_count * b_count);
    const std::string of = std::string(", HMMA ") + each.kernel;
    for (std::uint32_t p = 0; p < a_count; ++p) {
      findings.sample("first element of D that A's place touches" + of, "lane * places + place",
                      "lane * 8 + element", p, first_touched(a_touches, p));
      findings.sample("elements of D that A's place touches" + of, "lane * places + place", "count", p,
                      touched(a_touches, p));
      // Of the places of B that it meets, the first: places of one k meet the same.
      const auto row = std::span(meets).subspan(std::size_t{p} * b_count, b_count);
      const auto found = std::find(row.begin(), row.end(), 1U);
      findings.sample("first place of B that A's place meets" + of, "lane * places + place",
                      "lane * places + place", p,
                      found == row.end() ? -1.0 : static_cast<double>(found - row.begin()));
    }
    for (std::uint32_t p = 0; p < b_count; ++p) {
      findings.sample("first element of D that B's place touches" + of, "lane * places + place",
                      "lane * 8 + element", p, first_touched(b_touches, p));
    }
  }
}

}  // namespace

extern const Probe matrix_layout{"matrix.layout",
                                 "Which lane holds which element of a matrix fragment",
                                 "Jia2018 figures 4.2 to 4.7",
                                 70,
                                 measure,
                                 nullptr};

}  // namespace warpgauge::probes
