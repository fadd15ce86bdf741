#include "cli/probe_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "calib/measurements.h"
#include "cli/failure.h"
#include "cli/shipped.h"
#include "probes/driver/gpu_target.h"
#include "probes/model/model_target.h"
#include "probes/run.h"
#include "probes/session.h"

namespace warpgauge::cli {
namespace {

struct Options {
  std::vector<std::string> names;
  bool list = false;
  std::string target = "gpu";
  std::string gpu = "h200";  // whose model
  std::vector<std::string> changes;
  int device = 0;
  bool allow_shared = false;
  int limit_s = 120;
  std::string output = "measurements.json";
};

void print_list() {
  for (const probes::Probe* probe : probes::all_probes()) {
    fmt::print("{:<24} {}\n{:<24} from sm_{}; {}\n", probe->name, probe->asks, "", probe->from_sm, probe->cites);
  }
}

std::function<std::unique_ptr<probes::Target>()> opener(const Options& options) {
  if (options.target == "gpu") {
    return [device = options.device, shared = options.allow_shared] { return probes::driver::open_gpu(device, shared); };
  }
  const calib::Calibration calibration = read_calibration(options.gpu, options.changes);
  return [calibration] { return probes::open_model(calibration); };
}

void run(const Options& options) {
  if (options.list) {
    print_list();
    return;
  }
  try {
    const auto selected = probes::select_probes(options.names);
    probes::SessionOptions session;
    session.probe_limit = std::chrono::seconds(options.limit_s);
    session.progress = [](const std::string& probe, const std::string& missing, double seconds) {
      fmt::print(stderr, "{:<24} {:6.1f} s  {}\n", probe, seconds, missing.empty() ? "ok" : missing);
    };
    const calib::Measurements measurements = probes::run_session(opener(options), selected, session);
    calib::save(measurements, options.output);
    std::size_t figures = 0;
    for (const auto& probe : measurements.probes) figures += probe.figures.size();
    fmt::print("{}: {} of {} probes, {} figures, {} missing\n", options.output, measurements.probes.size(), selected.size(), figures,
               measurements.missing.size());
  } catch (const probes::TargetError& error) {
    throw Failure(ExitCode::no_target, error.what());
  } catch (const calib::CalibrationError& error) {
    throw Failure(ExitCode::bad_file, error.what());
  }
}

}  // namespace

void add_probe_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("probe", "Measure a GPU, or the model, and write measurements.json");
  command->add_option("PROBE", options->names, "Probes by name, or by the part before the dot; default: all");
  command->add_flag("--list", options->list, "Print what probes there are, and stop");
  command->add_option("--target", options->target, "What to ask")->check(CLI::IsMember({"gpu", "model"}))->capture_default_str();
  command->add_option("--gpu", options->gpu, "Whose model: a shipped device or a calibration's file")->capture_default_str();
  command->add_option("--set", options->changes, "KEY=VALUE: a changed calibration for the model");
  command->add_option("--device", options->device, "Which GPU of the machine")->capture_default_str();
  command->add_flag("--allow-shared", options->allow_shared, "Measure although another process computes on the GPU");
  command->add_option("--limit", options->limit_s, "Seconds after which a probe is given up")->check(CLI::Range(1, 100000))->capture_default_str();
  command->add_option("-o,--output", options->output, "File to write")->capture_default_str();
  command->callback([options] { run(*options); });
}

}  // namespace warpgauge::cli
