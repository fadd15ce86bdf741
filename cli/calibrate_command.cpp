#include "cli/calibrate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calib/check.h"
#include "calib/explain.h"
#include "calib/loader.h"
#include "calib/measurements.h"
#include "calib/reference.h"
#include "cli/failure.h"
#include "cli/shipped.h"

namespace warpgauge::cli {
namespace {

struct Options {
  std::string measurements;
  std::string gpu;
  std::string id;
  std::string output;
  std::string explain;
  std::string svg;
  std::vector<std::string> diff;
  std::vector<std::string> compare;
  bool compare_all = false;
  bool unmeasured = false;
  bool csv = false;
  bool markdown = false;
};

// What calib refuses about the files it was given.
template <class F>
auto reading(ExitCode code, F&& f) {
  try {
    return f();
  } catch (const calib::CalibrationError& error) {
    throw Failure(code, error.what());
  }
}

std::optional<calib::Measurements> read_measurements(const Options& options) {
  if (options.measurements.empty()) return std::nullopt;
  return reading(ExitCode::bad_file, [&] { return calib::load_measurements(options.measurements); });
}

// The calibration that --gpu names, else the shipped one of the measurements' architecture.
calib::Calibration base_of(const Options& options, const std::optional<calib::Measurements>& measurements) {
  if (!options.gpu.empty()) return read_calibration(options.gpu, {});
  if (!measurements) throw CLI::ValidationError("--gpu", "a device or a calibration is needed");
  for (const std::string& device : calib::list_devices(devices_folder())) {
    calib::Calibration shipped = read_calibration(device, {});
    if (shipped.architecture == measurements->architecture) return shipped;
  }
  throw Failure(ExitCode::bad_calibration,
                fmt::format("no calibration of {} is shipped to start from; name one with --gpu",
                            measurements->architecture));
}

calib::Calibration fitted(const Options& options, const std::optional<calib::Measurements>& measurements) {
  calib::Calibration calibration = base_of(options, measurements);
  if (measurements)
    calibration = reading(ExitCode::bad_calibration, [&] { return calib::fit(*measurements, calibration); });
  if (!options.id.empty()) calibration.id = options.id;
  return calibration;
}

void write(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text << std::flush;
  if (!stream) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", file));
}

void show(const Options& options, const calib::Comparison& comparison) {
  if (options.csv)
    fmt::print("{}", calib::comparison_csv(comparison));
  else if (options.markdown)
    fmt::print("{}", calib::comparison_markdown(comparison));
  else
    fmt::print("{}", calib::comparison_text(comparison));
}

void run_diff(const Options& options) {
  const calib::Calibration left = read_calibration(options.diff[0], {});
  const calib::Calibration right = read_calibration(options.diff[1], {});
  calib::Comparison table{{left.id, right.id, "ratio"}, {}};
  for (const calib::Difference& d : calib::diff(left, right))
    table.rows.push_back(
        {d.key, d.unit, {d.left, d.right, d.ratio == 0 ? std::string() : fmt::format("{:.3f}", d.ratio)}});
  show(options, table);
}

// "all", "jia2018", "k80" or "jia2018/k80".
std::vector<calib::Reference> chosen_references(const std::vector<std::string>& names) {
  std::vector<calib::Reference> all =
      reading(ExitCode::bad_file, [] { return calib::load_references(references_folder()); });
  std::vector<calib::Reference> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    for (const calib::Reference& reference : all)
      if (name == "all" || name == reference.paper || name == reference.name ||
          name == reference.paper + "/" + reference.name)
        chosen.push_back(reference);
    if (chosen.size() != before) continue;
    std::string known;
    for (const calib::Reference& reference : all)
      known += fmt::format("{}{}/{}", known.empty() ? "" : ", ", reference.paper, reference.name);
    throw Failure(ExitCode::bad_file,
                  fmt::format("no published figures named \"{}\"; there are all, {}", name, known));
  }
  return chosen;
}

void run_unmeasured(const Options& options, const calib::Calibration& calibration) {
  calib::Comparison table{{"value", "source", "reference"}, {}};
  for (const calib::Key& key : calib::all_keys()) {
    const calib::Provenance& provenance = calibration.provenance.at(key.path);
    if (provenance.source == calib::Source::measured) continue;
    table.rows.push_back({key.path,
                          key.unit,
                          {calib::get(calibration, key.path), std::string(calib::name(provenance.source)),
                           provenance.reference}});
  }
  show(options, table);
}

void run(const Options& options) {
  if (!options.diff.empty()) return run_diff(options);
  const std::optional<calib::Measurements> measurements = read_measurements(options);
  const calib::Calibration calibration = fitted(options, measurements);
  if (!options.output.empty()) write(options.output, calib::to_json(calibration));
  if (!options.explain.empty()) {
    const calib::Explanation explanation = reading(ExitCode::bad_calibration, [&] {
      return calib::explain(calibration, options.explain, measurements ? &*measurements : nullptr);
    });
    fmt::print("{}", calib::explanation_text(explanation));
    if (!options.svg.empty()) write(options.svg, calib::explanation_svg(explanation));
  } else if (!options.compare.empty()) {
    const std::vector<calib::Calibration> calibrations{calibration};
    show(options, calib::compare(calibrations, chosen_references(options.compare), options.compare_all));
  } else if (options.unmeasured) {
    run_unmeasured(options, calibration);
  } else if (options.output.empty()) {
    fmt::print("{}", calib::to_json(calibration));
  } else {
    const auto measured =
        std::count_if(calibration.provenance.begin(), calibration.provenance.end(),
                      [](const auto& p) { return p.second.source == calib::Source::measured; });
    fmt::print("{}: {} of {} values measured, hash {}\n", options.output, measured,
               calibration.provenance.size(), calib::hash(calibration));
  }
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("calibrate", "Fit measurements into a calibration, or look into one");
  command->add_option("measurements", options->measurements, "What `warpgauge probe` wrote");
  command->add_option("--gpu", options->gpu,
                      "The calibration to start from or to look into: a shipped device or a file");
  command->add_option("--id", options->id, "Name of the new calibration");
  command->add_option("-o,--output", options->output, "Write the calibration to this file instead of stdout");
  auto* explain =
      command->add_option("--explain", options->explain, "Show where this key's value comes from");
  command->add_option("--svg", options->svg, "With --explain: write the samples' plots to this file")
      ->needs(explain);
  auto* diff = command->add_option("--diff", options->diff, "Show the keys in which two calibrations differ")
                   ->expected(2)
                   ->type_name("A B");
  auto* compare =
      command
          ->add_option(
              "--compare", options->compare,
              "Set the calibration beside published figures: all, a paper (jia2018), a device (k80), or both")
          ->expected(1, -1);
  command->add_flag("--all-keys", options->compare_all, "With --compare: also the keys that no paper gives")
      ->needs(compare);
  auto* unmeasured =
      command->add_flag("--unmeasured", options->unmeasured, "List the keys that no probe has set");
  auto* csv = command->add_flag("--csv", options->csv, "Tables as CSV");
  command->add_flag("--markdown", options->markdown, "Tables as Markdown")->excludes(csv);
  explain->excludes(diff)->excludes(compare)->excludes(unmeasured);
  diff->excludes(compare)->excludes(unmeasured);
  compare->excludes(unmeasured);
  command->callback([options] { run(*options); });
}

}  // namespace warpgauge::cli
