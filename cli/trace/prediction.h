// Recorded launches, timed on a device.
#pragma once

#include <string>
#include <vector>

#include "calib/calibration.h"
#include "model/machine.h"
#include "model/report/report.h"

namespace warpgauge::cli::trace {

// Every kernel of the trace, or those named `kernel` (symbol or demangled name). Code without control words
// gets a scoreboard's, and a note says so. Throws Failure, native::Error.
std::vector<model::KernelReport> predict(const model::Machine& machine, const calib::Calibration& calibration,
                                         const std::string& path, const std::string& kernel,
                                         model::RunOptions options);

}  // namespace warpgauge::cli::trace
