// Runs probes on a target and collects what they bring back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calib/measurements.h"
#include "probes/probe.h"
#include "probes/target.h"

namespace warpgauge::probes {

struct ProbeOutcome {
  calib::ProbeResult result;
  std::string complaint;  // why the samples gave no figures; empty when they did
};

// One probe. Repeats it, at most `attempts` times in all, while the SM clock moved during it. Samples that allow no
// figures (the clock moved each time, no step where one is looked for) come back with a complaint. Throws ProbeRefusal
// when the probe cannot run on this target, and TargetError when the target fails.
ProbeOutcome run_probe(Target& target, const Probe& probe, int attempts = 3);

// The figures of samples that were taken before. The result's old figures are dropped.
void conclude_again(const TargetFacts& facts, const Probe& probe, calib::ProbeResult& result);

// The probes whose names are in `names`, or begin with one of them and a dot; all of them when `names` is empty.
// Throws TargetError for a name that fits none.
std::vector<const Probe*> select_probes(const std::vector<std::string>& names);

// "2026-11-21"
std::string today();

}  // namespace warpgauge::probes
