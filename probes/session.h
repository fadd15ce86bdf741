// A whole run of probes, each kept from harming the others: they run in a worker process, and one that hangs the card
// is ended with its process while the rest go on in a new one.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "probes/target.h"

namespace warpgauge::probes {

struct SessionOptions {
  std::chrono::seconds probe_limit{120};  // the longest that one probe may take
  // Called in this process for each probe: its name, and why it brought no figures ("" when it did).
  std::function<void(const std::string& probe, const std::string& missing, double seconds)> progress;
};


// Throws TargetError when `open` cannot open the target at all. The worker process opens its own.
calib::Measurements run_session(const std::function<std::unique_ptr<Target>()>& open, const std::vector<const Probe*>& probes,
                          const SessionOptions& options);

}  // namespace warpgauge::probes
