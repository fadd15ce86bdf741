// One prediction: a launch, timed on a device.
#pragma once

#include <filesystem>
#include <string>

#include "cli/prepared_launch.h"
#include "model/machine.h"
#include "model/report/report.h"
#include "traces/launch_file.h"

namespace warpgauge::cli {

// `architecture` is the machine's ("sm_90"); code for another is refused as a card refuses it. Throws Failure
// with the exit code for what is wrong.
model::KernelReport predict(const model::Machine& machine, const std::string& architecture,
                            const std::filesystem::path& cubin, const launch::Description& description,
                            const model::RunOptions& options);

// The same for a launch that is prepared already; `name` is the cubin's in messages. The launch is used up.
model::KernelReport predict(const model::Machine& machine, const std::string& architecture,
                            const std::filesystem::path& name, PreparedLaunch& prepared,
                            const model::RunOptions& options);

}  // namespace warpgauge::cli
