// From the text of .sass files to a cubin: what `warpgauge sass assemble` does, and the way back from
// disassemble().
#pragma once

#include <string_view>

#include "traces/cubin/write.h"
#include "traces/sass/sass_file.h"

namespace warpgauge::cubin {

KernelSource kernel_source(const sass::SassFile& file);

// The text may hold several kernels, each beginning with its .architecture line; all for the same one. Throws
// sass::AssemblyError with line and column for what cannot be read, Error for what no card could run.
Bytes assemble_cubin(std::string_view text);

}  // namespace warpgauge::cubin
