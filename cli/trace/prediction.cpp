#include "cli/trace/prediction.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "cli/failure.h"
#include "cli/prediction.h"
#include "model/machine_spec.h"
#include "model/sm/decoded.h"
#include "traces/accelsim/scoreboard.h"
#include "traces/native/replay.h"

namespace warpgauge::cli::trace {
namespace {

std::vector<sass::Instruction> scoreboard(const native::KernelTrace& trace, const model::SmSpec& spec) {
  return accelsim::with_scoreboard(trace.code(), [&](const sass::Instruction& instruction) {
    return unsigned{model::predecode({&instruction, 1}, spec)[0].latency};
  });
}

}  // namespace

std::vector<model::KernelReport> predict(const model::Machine& machine, const calib::Calibration& calibration,
                                         const std::string& path, const std::string& kernel,
                                         model::RunOptions options) {
  const native::Reader reader(path);
  std::vector<model::KernelReport> reports;
  for (std::size_t k = 0; k < reader.kernels(); ++k) {
    const auto trace = reader.kernel(k);
    const native::KernelInfo& info = trace->info();
    if (!kernel.empty() && kernel != info.shape.kernel && kernel != info.shape.demangled) continue;
    check_runs_on(info.shape.architecture, calibration.architecture, path);
    options.launch_index = info.launch_index;
    const bool guessed = info.control_words == native::ControlWords::absent;
    const std::unique_ptr<native::ReplayStream> stream =
        guessed ? std::make_unique<native::ReplayStream>(
                      *trace, scoreboard(*trace, model::machine_spec(calibration).sm))
                : std::make_unique<native::ReplayStream>(*trace);
    reports.push_back(run_machine(machine, *stream, options));
    if (guessed)
      reports.back().notes.emplace_back(
          "imported without machine code: a scoreboard on registers stands for the control words; constants, "
          "predicates and uniform registers are unknown, and texels, whose fetches are timed as hits");
  }
  if (reports.empty())
    throw Failure(ExitCode::no_such_kernel, kernel.empty()
                                                ? fmt::format("{}: holds no kernels", path)
                                                : fmt::format("{}: holds no kernel {}", path, kernel));
  return reports;
}

}  // namespace warpgauge::cli::trace
