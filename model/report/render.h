// A report as text, JSON or comma-separated values. Each rendering is a function of the report alone, byte
// for byte.
#pragma once

#include <string>

#include "model/report/report.h"

namespace warpgauge::model {

// Sections in the manner of Nsight Compute's details page: speed, launch, occupancy, instructions, memory,
// stalls.
std::string to_text(const Report& report);

// {"schema": "warpgauge-report/1", "device", "calibration": {"id", "hash"}, "kernels": […]}: keys in a fixed
// order, numbers in their shortest form, no newline at the end.
std::string to_json(const Report& report);

// A line a metric: kernel index, name, grid, block, metric, value; a header first. Fields are quoted (RFC
// 4180).
std::string to_csv(const Report& report);

// The machine code, an instruction a line: issues, share of the warp-cycles, reasons of the largest stalls,
// bank conflicts, reuse hits. Empty where a kernel's report has no instructions.
std::string to_source_text(const Report& report);

}  // namespace warpgauge::model
