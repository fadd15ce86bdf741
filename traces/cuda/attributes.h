// Device attributes, whose numbers the runtime and the driver interface share.
#pragma once

#include <optional>

#include "traces/cuda/device.h"

namespace warpgauge::cuda {

// Nothing for an attribute that does not exist. What a GPU of this kind has but is not modelled (textures,
// interprocess handles) is 0.
std::optional<int> attribute(const Device& device, int number);

}  // namespace warpgauge::cuda
