#include <fmt/format.h>

#include <cstdio>

#include "cli/failure.h"
#include "cli/prepared_launch.h"
#include "cli/run_command.h"
#include "cli/shipped.h"
#include "cli/trace/trace.h"
#include "model/machine.h"
#include "model/report/render.h"
#include "traces/native/record.h"

namespace warpgauge::cli::trace {
namespace {

void record_cubin(const RecordOptions& options) {
  PreparedLaunch prepared(options.cubin, describe(options.launch));
  native::Writer writer(options.run.trace_path);
  try {
    if (options.timing) {
      const calib::Calibration calibration = read_calibration(options.run.gpu, options.run.changes);
      const model::Machine machine(calibration);
      model::Report report;
      report.device = calibration.device;
      native::record(writer, prepared.launch(), prepared.emulator(), 0, [&](traces::WarpStream& stream) {
        report.kernels.push_back(machine.run(stream, model::RunOptions{}));
      });
      fmt::print("{}", model::to_text(report));
    } else {
      native::record(writer, prepared.launch(), prepared.emulator(), 0);
    }
  } catch (const emulator::Fault& fault) {
    throw Failure(ExitCode::program_fault, fault.what());
  } catch (const model::MachineError& error) {
    throw Failure(ExitCode::launch_does_not_fit, error.what());
  }
  writer.finish();
}

}  // namespace

void record(RecordOptions& options) {
  if (options.run.trace_path.empty()) options.run.trace_path = "trace.wgt";
  if (options.cubin.empty() == options.program.empty())
    throw Failure(ExitCode::usage, "give a program after --, or a cubin (--cubin) and its launch");
  if (!options.cubin.empty()) {
    record_cubin(options);
    return;
  }
  options.run.kernel_name = options.launch.kernel;
  options.run.functional = !options.timing;
  start_program(options.run, options.program);
}

}  // namespace warpgauge::cli::trace
