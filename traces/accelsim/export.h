// Writes native traces as Accel-Sim reads them: .traceg of tracer version 5, and kernelslist.g.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "traces/native/reader.h"

namespace warpgauge::accelsim {

// Gives the kernel's text piece by piece. `id` counts from 1. Throws native::Error for a damaged trace.
void export_kernel(const native::KernelTrace& trace, std::uint32_t id,
                   const std::function<void(std::string_view)>& write);

// kernel-1.traceg … and kernelslist.g in a folder, which is made. Throws Error.
void export_run(const native::Reader& reader, const std::string& folder);

}  // namespace warpgauge::accelsim
