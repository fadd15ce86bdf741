#include "cli/prediction.h"

#include <fmt/format.h>

#include "cli/failure.h"
#include "cli/prepared_launch.h"

namespace warpgauge::cli {

namespace {

// Machine code runs on its own major version, from its own minor version on.
bool runs_on(sass::Architecture code, const std::string& device) {
  const auto target = sass::parse_architecture(device);
  if (!target) return false;
  const auto c = static_cast<unsigned>(code);
  const auto d = static_cast<unsigned>(*target);
  return c / 10 == d / 10 && c <= d;
}

}  // namespace

model::KernelReport predict(const model::Machine& machine, const std::string& architecture,
                            const std::filesystem::path& cubin, const launch::Description& description,
                            const model::RunOptions& options) {
  PreparedLaunch prepared(cubin, description);
  return predict(machine, architecture, cubin, prepared, options);
}

void check_runs_on(sass::Architecture code, const std::string& device, const std::filesystem::path& name) {
  if (runs_on(code, device)) return;
  throw Failure(ExitCode::launch_does_not_fit, fmt::format("{}: code for {} does not run on a device of {}",
                                                           name.string(), sass::name(code), device));
}

model::KernelReport run_machine(const model::Machine& machine, traces::WarpStream& stream,
                                const model::RunOptions& options) {
  try {
    return machine.run(stream, options);
  } catch (const emulator::Fault& fault) {
    const bool unknown = fault.kind() == emulator::FaultKind::unknown_instruction ||
                         fault.kind() == emulator::FaultKind::unsupported_instruction;
    throw Failure(unknown ? ExitCode::unknown_instruction : ExitCode::program_fault, fault.what());
  } catch (const model::MachineError& error) {
    if (error.details().empty()) throw Failure(ExitCode::launch_does_not_fit, error.what());
    throw Failure(ExitCode::internal, fmt::format("{}\n{}", error.what(), error.details()));
  }
}

model::KernelReport predict(const model::Machine& machine, const std::string& architecture,
                            const std::filesystem::path& cubin, PreparedLaunch& prepared,
                            const model::RunOptions& options) {
  check_runs_on(prepared.architecture(), architecture, cubin);
  return run_machine(machine, prepared.emulator(), options);
}

}  // namespace warpgauge::cli
