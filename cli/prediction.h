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

// Throws Failure (launch_does_not_fit) where a device of that architecture does not run the code.
void check_runs_on(sass::Architecture code, const std::string& device, const std::filesystem::path& name);

// Times a stream; what goes wrong becomes a Failure.
model::KernelReport run_machine(const model::Machine& machine, traces::WarpStream& stream,
                                const model::RunOptions& options);

// The same for a launch that is prepared already; `name` is the cubin's in messages. The launch is used up.
model::KernelReport predict(const model::Machine& machine, const std::string& architecture,
                            const std::filesystem::path& name, PreparedLaunch& prepared,
                            const model::RunOptions& options);

}  // namespace warpgauge::cli
