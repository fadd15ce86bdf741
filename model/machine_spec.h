// All that a machine is built from. machine_spec() is the only place where a calibration becomes specs.
#pragma once

#include <string>

#include "model/gpu/block_scheduler.h"
#include "model/gpu/matrix_clock.h"
#include "model/gpu/occupancy.h"
#include "model/memory/spec.h"
#include "model/sm/spec.h"

namespace warpgauge::calib {
struct Calibration;
}

namespace warpgauge::model {

struct MachineSpec {
  std::string device;
  double sm_mhz = 1000;
  MatrixClockSpec matrix_clock;
  double dram_peak_bytes_per_cycle = 0;
  SmSpec sm;
  MemorySpec memory;
  OccupancySpec occupancy;
  LaunchSpec launch;
};

MachineSpec machine_spec(const calib::Calibration& calibration);

}  // namespace warpgauge::model
