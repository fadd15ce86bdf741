#include "cli/trace_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/trace/trace.h"

namespace warpgauge::cli {
namespace {

void add_record(CLI::App& parent) {
  auto o = std::make_shared<trace::RecordOptions>();
  CLI::App* command = parent.add_subcommand(
      "record", "Record the launches of a program (after --), or of one cubin, without a GPU");
  command->add_option("--output,-o", o->run.trace_path, "The trace to write")->default_str("trace.wgt");
  command->add_option("--cubin", o->cubin, "Record a launch of this cubin instead of a program's");
  add_launch_options(*command, o->launch);
  command->add_flag("--timing", o->timing,
                    "Let the model decide the order of the warps and predict the kernels as well");
  command
      ->add_option("--gpu", o->run.gpu, "v100, t4, h200, or the path of a calibration: what the program sees")
      ->capture_default_str();
  command->add_option("--set", o->run.changes, "What if: KEY=VALUE changes the calibration");
  command->add_option("--launch-skip,-s", o->run.launch_skip,
                      "Matching launches to pass over before recording");
  command->add_option("--launch-count,-c", o->run.launch_count, "Matching launches to record");
  command->add_option("program", o->program, "The program and its arguments, after --");
  command->callback([o] { trace::record(*o); });
}

void add_info(CLI::App& parent) {
  auto o = std::make_shared<trace::InfoOptions>();
  CLI::App* command =
      parent.add_subcommand("info", "Instruction mix, lanes, address shapes and footprint of a trace");
  command->add_option("trace", o->trace, "A trace")->required();
  command->add_option("--kernel,--kernel-name", o->kernel, "Only kernels of this name");
  command->add_option("--json", o->json_path, "Write it as JSON to this file; - for standard output");
  command->callback([o] { trace::info(*o); });
}

void add_convert(CLI::App& parent) {
  auto o = std::make_shared<trace::ConvertOptions>();
  CLI::App* command = parent.add_subcommand(
      "convert", "A trace to a folder of Accel-Sim's .traceg files, or Accel-Sim's files to a trace");
  command->add_option("input", o->input, "A trace; or kernelslist.g, a .traceg, .traceg.xz or .tracez file")
      ->required();
  command->add_option("output", o->output, "A folder; or a trace")->required();
  command->add_option("--cubin", o->cubins,
                      "Machine code of imported kernels, which has the control words; may be given again");
  command->callback([o] { trace::convert(*o); });
}

void add_diff(CLI::App& parent) {
  auto o = std::make_shared<trace::DiffOptions>();
  CLI::App* command = parent.add_subcommand("diff", "The first difference between two traces");
  command->add_option("first", o->first, "A trace")->required();
  command->add_option("second", o->second, "Another trace")->required();
  command->callback([o] { trace::diff(*o); });
}

}  // namespace

void add_trace_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("trace", "Record what kernels execute, look at it, convert it, compare it");
  command->require_subcommand(1);
  add_record(*command);
  add_info(*command);
  add_convert(*command);
  add_diff(*command);
}

}  // namespace warpgauge::cli
