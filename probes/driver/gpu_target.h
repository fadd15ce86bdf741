// The target that is a GPU, reached through the CUDA driver.
#pragma once

#include <memory>
#include <string>

#include "probes/target.h"

namespace warpgauge::probes::driver {

// Opens GPU number `ordinal`. Throws TargetError: no driver, no GPU, or a GPU that another process computes on
// (unless `allow_shared`).
std::unique_ptr<Target> open_gpu(int ordinal = 0, bool allow_shared = false);

}  // namespace warpgauge::probes::driver
