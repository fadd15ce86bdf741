#include "cli/validate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "cli/failure.h"
#include "cli/record/launches.h"
#include "cli/record/recording.h"
#include "cli/shipped.h"
#include "cli/validate/ablation.h"
#include "cli/validate/budget.h"
#include "cli/validate/page.h"
#include "cli/validate/roofline.h"
#include "cli/validate/validation.h"

namespace warpgauge::cli {
namespace {

namespace fs = std::filesystem;

struct ValidateOptions {
  std::string gpu = "h200";
  std::vector<std::string> changes;
  std::string suite;
  std::string hardware;
  Selection selection;
  std::string half;  // empty: not given
  std::string ablate;
  std::string from;
  std::string json_path;
  std::string html_path;
  std::string budget;
  std::string new_budget;
  std::string markdown;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  bool csv = false;
  record::Options record;
  // Set where --record starts this program again.
  std::string launch_cases;
  std::string launch_mode;
  std::string launch_log;
  unsigned launch_code = 0;
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", path));
}

void write(const ValidateOptions& options, const Validation& validation) {
  if (!options.json_path.empty()) write_file(options.json_path, to_json(validation));
  if (!options.html_path.empty()) write_file(options.html_path, to_html(validation));
  if (!options.markdown.empty()) write_file(options.markdown, to_markdown(validation));
  fmt::print("{}", options.csv ? to_csv(validation) : to_text(validation));
  if (!options.new_budget.empty()) write_file(options.new_budget, to_json(make_budget(validation)));
  if (options.budget.empty()) return;
  const std::vector<std::string> worse = over_budget(read_budget(options.budget), validation);
  for (const std::string& sentence : worse) fmt::print("over budget: {}\n", sentence);
  if (!worse.empty()) {
    throw Failure(ExitCode::over_budget,
                  fmt::format("{} figures are worse than {} allows", worse.size(), options.budget));
  }
}

void run_ablation(const ValidateOptions& options, const calib::Calibration& calibration, const Suite& suite,
                  const Hardware& hardware, const std::vector<const SuiteCase*>& cases) {
  const std::vector<const Mechanism*> chosen = find_mechanisms(options.ablate);
  const std::vector<Comparison> as_it_is = compare(calibration, suite, hardware, cases, options.threads);
  std::vector<Ablation> ablations;
  for (const Mechanism* mechanism : chosen) {
    Ablation ablation{mechanism, {}, {}};
    const calib::Calibration changed = idealised(calibration, *mechanism, ablation.changes);
    ablation.comparisons =
        ablation.changes.empty() ? as_it_is : compare(changed, suite, hardware, cases, options.threads);
    ablations.push_back(std::move(ablation));
  }
  if (!options.json_path.empty()) write_file(options.json_path, ablation_json(as_it_is, ablations));
  fmt::print("{}", options.csv ? ablation_csv(as_it_is, ablations) : ablation_text(as_it_is, ablations));
}

int launch_cases(const ValidateOptions& options) {
  const Suite suite = read_suite(options.suite);
  std::vector<const SuiteCase*> cases;
  std::ifstream list(options.launch_cases);
  for (std::string name; std::getline(list, name);) {
    for (const SuiteCase& c : suite.cases) {
      if (c.name == name) cases.push_back(&c);
    }
  }
  const record::Mode mode = options.launch_mode == "hash"     ? record::Mode::hash
                            : options.launch_mode == "events" ? record::Mode::events
                                                              : record::Mode::profile;
  return record::run_launches(suite, cases, options.launch_code, mode, options.record.repetitions,
                              options.launch_log)
             ? 0
             : static_cast<int>(ExitCode::program_fault);
}

// Of a device whose results nobody has recorded. False where no paper has figures of it either.
bool show_roofline(const ValidateOptions& options, const calib::Calibration& calibration, const Suite& suite,
                   const Selection& selection) {
  const std::vector<Rate> rates =
      published_rates(calibration, options.gpu, calib::load_references(references_folder()));
  if (rates.empty()) return false;
  const bool measured_needed = !options.ablate.empty() || !options.html_path.empty() ||
                               !options.json_path.empty() || !options.budget.empty() ||
                               !options.new_budget.empty();
  if (measured_needed) {
    throw Failure(ExitCode::usage,
                  fmt::format("no card's results are stored for {}: predictions beside published "
                              "rates are all there is, as text, --csv or --markdown",
                              options.gpu));
  }
  const std::vector<const SuiteCase*> cases = select(suite, nullptr, calibration.architecture, selection);
  if (cases.empty()) throw Failure(ExitCode::usage, "no case of the suite is chosen");
  const Roofline result = roofline(calibration, rates, suite, cases, options.threads);
  if (!options.markdown.empty()) write_file(options.markdown, to_markdown(result));
  fmt::print("{}", options.csv ? to_csv(result) : to_text(result));
  return true;
}

void run_validate(const ValidateOptions& options) {
  if (!options.from.empty()) {
    write(options, read_validation(options.from));
    return;
  }
  if (!options.launch_cases.empty()) std::exit(launch_cases(options));
  if (!options.record.output.empty()) {
    record::Options recording = options.record;
    recording.suite =
        options.suite.empty() ? examples_folder() / "validation/suite.json" : fs::path(options.suite);
    recording.selection = options.selection;
    recording.selection.half = options.half.empty() ? "both" : options.half;
    record::record_suite(recording);
    return;
  }
  const calib::Calibration calibration = read_calibration(options.gpu, options.changes);
  if (options.ablate == "list") {
    fmt::print("{}", mechanism_text(calibration));
    return;
  }
  if (!options.ablate.empty()) find_mechanisms(options.ablate);  // a wrong name is said before anything runs
  const fs::path folder = examples_folder() / "validation";
  const Suite suite = read_suite(options.suite.empty() ? folder / "suite.json" : fs::path(options.suite));
  Selection selection = options.selection;
  // An ablation looks into the model; the half that is kept back is looked into only when it is asked for.
  selection.half = !options.half.empty() ? options.half : options.ablate.empty() ? "both" : "open";
  const fs::path stored =
      options.hardware.empty() ? folder / "hardware" / (options.gpu + ".json") : fs::path(options.hardware);
  if (options.hardware.empty() && !fs::exists(stored) &&
      show_roofline(options, calibration, suite, selection)) {
    return;
  }
  const Hardware hardware = read_hardware(stored);
  const std::vector<const SuiteCase*> cases = select(suite, &hardware, calibration.architecture, selection);
  if (cases.empty()) throw Failure(ExitCode::usage, "no case of the suite is chosen");
  if (!options.ablate.empty()) {
    run_ablation(options, calibration, suite, hardware, cases);
    return;
  }
  write(options, {hardware.device, hardware.driver, hardware.date, calibration.id,
                  compare(calibration, suite, hardware, cases, options.threads)});
}

}  // namespace

void add_validate_command(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Compare predictions with stored hardware results, worst first");
  command->add_option("--gpu", options->gpu, "A device whose hardware results are stored")
      ->capture_default_str();
  command->add_option("--set", options->changes, "What if: KEY=VALUE changes the calibration");
  command->add_option("--suite", options->suite, "Suite file; the shipped one by default");
  command->add_option("--hardware", options->hardware,
                      "Hardware results; those shipped for the device by default");
  command->add_option("--only", options->selection.only, "Cases whose name contains this");
  command->add_option("--half", options->half, "open, held_out or both; both by default, open for --ablate")
      ->check(CLI::IsMember({"open", "held_out", "both"}));
  command->add_option("--family", options->selection.families, "Cases of these families only")
      ->delimiter(',');
  command->add_option("--every", options->selection.every, "Every Nth case only")->check(CLI::PositiveNumber);
  command->add_flag("--tenth", options->selection.tenth,
                    "The fixed tenth of the suite that is checked at every change");
  command->add_option("--threads", options->threads, "Cases that run at the same time")
      ->check(CLI::PositiveNumber);
  command->add_option("--json", options->json_path, "Write the comparison as JSON to this file");
  auto* html =
      command->add_option("--html", options->html_path, "Write the comparison as one HTML page to this file");
  command->add_option(
      "--markdown", options->markdown,
      "Write the summary as Markdown to this file; of a GPU without stored results, the predictions "
      "beside published rates");
  command->add_flag("--csv", options->csv, "Print comma-separated values");
  command->add_option("--from", options->from, "Do not run: show what --json wrote earlier");
  auto* budget = command->add_option(
      "--budget", options->budget,
      "Fail if errors have grown beyond this file's; see examples/validation/budget.json");
  auto* new_budget =
      command->add_option("--write-budget", options->new_budget, "Write these errors as a budget");
  command
      ->add_option("--ablate", options->ablate,
                   "Run again with each of these mechanisms idealised: NAME,NAME… or all; list tells them")
      ->excludes(html)
      ->excludes(budget)
      ->excludes(new_budget)
      ->excludes("--from");
  command->add_option(
      "--record", options->record.output,
      "Run the suite on this machine's GPU under Nsight Compute and store the results in this folder");
  command
      ->add_option("--repetitions", options->record.repetitions,
                   "--record: launches of each case whose cycles are taken")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seconds", options->record.seconds, "--record: time for everything")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--stages", options->record.stages,
                   "--record: some of hashes,events,cold,warm,cold_counters,warm_counters")
      ->delimiter(',');
  command->add_option("--onto", options->record.onto,
                      "--record: add to these results, of the same machine code");
  command->add_option("--ncu", options->record.profiler, "--record: Nsight Compute")->capture_default_str();
  // For the process that --record starts, alone or under Nsight Compute.
  command->add_option("--launch-cases", options->launch_cases)->group("");
  command->add_option("--launch-mode", options->launch_mode)->group("");
  command->add_option("--launch-log", options->launch_log)->group("");
  command->add_option("--launch-code", options->launch_code)->group("");
  command->callback([options] { run_validate(*options); });
}

}  // namespace warpgauge::cli
