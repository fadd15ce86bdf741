// From the model's counters to metrics by Nsight Compute's names.
#pragma once

#include "model/machine_spec.h"
#include "model/memory/memory_system.h"
#include "model/report/report.h"
#include "model/sm/counters.h"

namespace warpgauge::model {

void add(SmCounters& sum, const SmCounters& other);

// report.cycles and report.occupancy are set.
void fill_metrics(KernelReport& report, const MachineSpec& spec, const SmCounters& sm,
                  const MemoryCounters& memory);

// Takes out what is counted for all launches that run at the same time together: code, constants, L2 and DRAM.
void drop_shared_metrics(KernelReport& report);

}  // namespace warpgauge::model
