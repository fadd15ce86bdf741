#include "cli/predict_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>

#include "calib/loader.h"
#include "cli/failure.h"
#include "cli/launch_options.h"
#include "cli/prediction.h"
#include "cli/shipped.h"
#include "cli/trace/prediction.h"
#include "model/report/render.h"
#include "traces/native/reader.h"

namespace warpgauge::cli {
namespace {

struct PredictOptions {
  std::string cubin;
  std::string gpu = "h200";
  std::vector<std::string> changes;
  LaunchOptions launch;
  std::string json_path;
  bool csv = false;
  std::string page = "details";
  unsigned threads = 1;
};

void write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}\n", text);
    return;
  }
  std::ofstream out(path, std::ios::binary);
  out << text << '\n';
  if (!out.flush()) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", path));
}

model::Report start_report(const calib::Calibration& calibration) {
  model::Report report;
  report.device = calibration.device;
  report.calibration_id = calibration.id;
  report.calibration_hash = calib::hash(calibration);
  return report;
}

void run_predict(const PredictOptions& options) {
  const bool recorded = native::is_trace(options.cubin);
  if (recorded && (options.launch.given() || !options.launch.arguments.empty()))
    throw Failure(ExitCode::usage, "a trace has its launches in it: --kernel chooses, nothing else applies");
  const launch::Description description = recorded ? launch::Description{} : describe(options.launch);
  const calib::Calibration calibration = read_calibration(options.gpu, options.changes);
  const model::Machine machine(calibration);
  model::RunOptions run;
  run.threads = options.threads;
  run.per_instruction = options.page == "source" || !options.json_path.empty();
  model::Report report = start_report(calibration);
  if (recorded)
    report.kernels = trace::predict(machine, calibration, options.cubin, options.launch.kernel, run);
  else
    report.kernels.push_back(predict(machine, calibration.architecture, options.cubin, description, run));
  if (!options.json_path.empty()) write_file(options.json_path, model::to_json(report));
  if (options.json_path == "-") return;
  if (options.csv) {
    fmt::print("{}", model::to_csv(report));
  } else if (options.page == "source") {
    fmt::print("{}", model::to_source_text(report));
  } else {
    fmt::print("{}", model::to_text(report));
  }
}

void run_demo(const std::string& folder) {
  const std::filesystem::path examples = folder.empty() ? examples_folder() : std::filesystem::path(folder);
  for (const char* gpu : {"v100", "t4", "h200"}) {
    const calib::Calibration calibration = read_calibration(gpu, {});
    const model::Machine machine(calibration);
    model::Report report = start_report(calibration);
    for (const char* name : {"saxpy", "reduction", "sgemm"}) {
      const std::filesystem::path example = examples / name;
      const std::string cubin = fmt::format("{}.{}.cubin", name, calibration.architecture);
      launch::Description description;
      try {
        description = launch::read((example / "launch.json").string());
      } catch (const launch::Error& error) {
        throw Failure(ExitCode::bad_file, error.what());
      }
      report.kernels.push_back(predict(machine, calibration.architecture, example / cubin, description, {}));
    }
    fmt::print("{}\n", model::to_text(report));
    std::fflush(stdout);
  }
}

}  // namespace

void add_predict_command(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Predict the cycles of one kernel launch, or of a trace's");
  command->add_option("cubin", options->cubin, "Machine code: a cubin for the GPU's architecture; or a trace")->required();
  command->add_option("--gpu", options->gpu, "v100, t4, h200, or the path of a calibration")->capture_default_str();
  command->add_option("--set", options->changes, "What if: KEY=VALUE changes the calibration, e.g. l1.size_kib=256");
  add_launch_options(*command, options->launch);
  command->add_option("--json", options->json_path, "Write the report as JSON to this file; - for standard output");
  command->add_flag("--csv", options->csv, "Print comma-separated values");
  command->add_option("--page", options->page, "details, or source for the annotated machine code")
      ->check(CLI::IsMember({"details", "source"}))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads that share the SMs; the report stays the same")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->callback([options] { run_predict(*options); });
}

void add_demo_command(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("demo", "Predict three example kernels on three GPUs");
  command->add_option("--examples", *folder, "Folder with the examples");
  command->callback([folder] { run_demo(*folder); });
}

}  // namespace warpgauge::cli
