// The stale-value test: at which distance from its producer does a consumer read the new value?
#pragma once

#include <optional>
#include <string>
#include <span>
#include <utility>
#include <vector>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/sass/program.h"

namespace warpgauge::probes {

struct StaleTest {
  std::string name;                  // of the kernel
  std::vector<std::string> before;   // puts the old value in place
  std::string producer;              // the new one
  std::string consumer;              // leaves in R20, or through `after`, what it read
  std::vector<std::string> after;
  int producer_counter = -1;         // the counter that it holds until its result is written
  bool consumer_waits = false;       // the consumer waits for that counter
  bool consumer_counted = false;     // R20 comes with a dependence counter
  int most = 24;                     // distances 1 to this
};

// The kernel tries every distance in turn, twice over so that the code is in the instruction cache, and stores R20. At
// distance 0 there is no producer: what the consumer makes of the old value.
SassKernel stale_kernel(int sm, const StaleTest& test);

// Adds for each test a series: 1 at a distance where the consumer read what it reads at the largest distance, else 0.
// Nothing on a target whose results are never stale.
void run_stale_tests(Bench& bench, Findings& findings, const std::vector<StaleTest>& tests);

std::string stale_series(const std::string& test);

// The least distance from which on every larger one reads the new value. Nothing when the old value looks like the new one
// (distance 0 counts as new), when every distance reads the new one, for then the hardware itself holds the consumer back,
// or when only the largest distance reads it: then the step lies beyond.
std::optional<double> least_distance(const Findings& findings, const std::string& test);

// Adds a figure for each (key, test) whose least distance is known. Throws ProbeRefusal when no test has samples.
void conclude_distances(Findings& findings, std::span<const std::pair<std::string, std::string>> keys);

// "c[0x0][0x210]"
std::string parameter_base_text(int sm);

}  // namespace warpgauge::probes
