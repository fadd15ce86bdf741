// The target that is the model: kernels are executed by the emulator and timed by a machine built from a calibration.
#pragma once

#include <memory>

#include "probes/target.h"

namespace warpgauge::calib {
struct Calibration;
}

namespace warpgauge::probes {

// The machine starts every kernel with cold caches, and has no sensors. Fixed-latency results are never stale: the
// emulator executes in order, so probes that look for stale values find none and say so.
std::unique_ptr<Target> open_model(const calib::Calibration& calibration);

}  // namespace warpgauge::probes
