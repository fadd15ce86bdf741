// .tracez: the lines of each warp in zstd frames, with an index of blocks and warps behind them. The layout
// is that of Accel-Sim 2's tracer version 6, as docs/traces.md has it.
#pragma once

#include <memory>
#include <string>

#include "traces/accelsim/import.h"
#include "traces/native/reader.h"

namespace warpgauge::accelsim {

// `name` is the file's in messages. Throws Error.
std::unique_ptr<KernelLines> read_tracez(std::unique_ptr<native::Source> source, const std::string& name);

}  // namespace warpgauge::accelsim
