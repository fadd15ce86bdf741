// Records launches of the emulator.
#pragma once

#include <cstdint>
#include <functional>

#include "traces/emulator/emulator.h"
#include "traces/native/writer.h"

namespace warpgauge::native {

// Records what `execute` does with the stream, or, without it, what the emulator does when it runs alone.
// `emulator` was made from `launch`. Whatever `execute` throws leaves no kernel in the file.
void record(Writer& writer, const emulator::Launch& launch, emulator::Emulator& emulator,
            std::uint32_t launch_index, const std::function<void(traces::WarpStream&)>& execute = {});

}  // namespace warpgauge::native
