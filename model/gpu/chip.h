// All SMs, the memory system and the block scheduler, window by window.
#pragma once

#include "model/machine.h"
#include "model/machine_spec.h"

namespace warpgauge::model {

// Runs a kernel to its end; Sink is NullSink or TimelineSink.
template <class Sink>
KernelReport run_kernel(const MachineSpec& spec, traces::WarpStream& stream, const RunOptions& options,
                        Sink& sink);

}  // namespace warpgauge::model
