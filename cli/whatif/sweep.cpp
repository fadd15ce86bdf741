#include "cli/whatif/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/failure.h"
#include "cli/prediction.h"
#include "cli/shipped.h"
#include "cli/whatif/kernel_code.h"

namespace warpgauge::cli::whatif {
namespace {

constexpr std::string_view register_key = "registers";

struct Axis {
  std::string key;
  std::vector<std::string> values;
};

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Failure(ExitCode::usage, fmt::format("--vary {}: not of the form KEY=VALUE,VALUE…", text));
  Axis axis{text.substr(0, equals), {}};
  for (std::size_t at = equals + 1; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma == at) throw Failure(ExitCode::usage, fmt::format("--vary {}: an empty value", text));
    axis.values.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return axis;
}

unsigned register_count(const std::string& text) {
  unsigned count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == 0 || count > 255)
    throw Failure(ExitCode::usage, fmt::format("registers={}: a thread has 1 to 255", text));
  return count;
}

struct Point {
  std::vector<std::string> values;  // by axis
  model::KernelReport report;
  std::string refusal;  // why there is no report
};

model::KernelReport predict_changed(const std::string& gpu, const std::vector<std::string>& changes,
                                    const std::string& file, const cubin::Bytes& bytes,
                                    const launch::Description& description) {
  const calib::Calibration calibration = read_calibration(gpu, changes);
  const model::Machine machine(calibration);
  PreparedLaunch prepared(cubin::Image(bytes), file, description);
  return cli::predict(machine, calibration.architecture, file, prepared, {});
}

cubin::Bytes read_cubin(const std::string& path) {
  try {
    return cubin::read_bytes(path);
  } catch (const cubin::Error& error) {
    throw Failure(ExitCode::bad_file, error.what());
  }
}

Point measure(const SweepOptions& options, const std::vector<Axis>& axes, std::vector<std::string> values,
              const cubin::Bytes& bytes, const KernelCode& kernel, const launch::Description& description) {
  Point point{std::move(values), {}, {}};
  std::vector<std::string> changes = options.changes;
  cubin::Bytes file = bytes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].key == register_key) {
      const unsigned count = register_count(point.values[a]);
      if (count < kernel.registers) {
        point.refusal = fmt::format("the code names {} registers", kernel.registers);
        return point;
      }
      file = patched(bytes, kernel, kernel.code, count);
    } else {
      changes.push_back(axes[a].key + "=" + point.values[a]);
    }
  }
  try {
    point.report = predict_changed(options.gpu, changes, options.cubin, file, description);
  } catch (const Failure& failure) {
    if (failure.code() != ExitCode::launch_does_not_fit) throw;
    point.refusal = failure.what();
  }
  return point;
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", path));
}

// Cycles over the first axis; one line for each combination of the others.
std::string plot(const std::vector<Axis>& axes, const std::vector<Point>& points, const std::string& title) {
  constexpr const char* colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"};
  constexpr double width = 560, height = 300, left = 80, top = 40;
  std::uint64_t most = 1;
  for (const Point& p : points) most = std::max(most, p.report.cycles);
  const std::size_t columns = axes.front().values.size();
  const auto x = [&](std::size_t c) {
    return left + width * (columns == 1 ? 0.5 : static_cast<double>(c) / static_cast<double>(columns - 1));
  };
  const auto y = [&](std::uint64_t cycles) {
    return top + height * (1 - static_cast<double>(cycles) / static_cast<double>(most));
  };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"400\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"860\" height=\"400\" fill=\"white\"/>\n<text x=\"10\" y=\"20\" "
      "font-size=\"13\">{}: cycles by {}</text>\n",
      title, axes.front().key);
  for (unsigned k = 0; k <= 4; ++k) {
    const std::uint64_t value = most * k / 4;
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/><text x=\"{3}\" "
        "y=\"{2:.1f}\" text-anchor=\"end\">{4}</text>\n",
        left, left + width, y(value), left - 6, value);
  }
  for (std::size_t c = 0; c < columns; ++c)
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(c),
                       top + height + 18, axes.front().values[c]);
  std::vector<std::vector<std::string>> series;
  for (const Point& p : points) {
    const std::vector<std::string> rest(p.values.begin() + 1, p.values.end());
    if (std::find(series.begin(), series.end(), rest) == series.end()) series.push_back(rest);
  }
  for (std::size_t s = 0; s < series.size(); ++s) {
    const char* colour = colours[s % std::size(colours)];
    std::string line;
    for (const Point& p : points) {
      if (!p.refusal.empty() || !std::equal(p.values.begin() + 1, p.values.end(), series[s].begin()))
        continue;
      const auto c = static_cast<std::size_t>(
          std::find(axes.front().values.begin(), axes.front().values.end(), p.values.front()) -
          axes.front().values.begin());
      line += fmt::format("{:.1f},{:.1f} ", x(c), y(p.report.cycles));
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(c),
                         y(p.report.cycles), colour);
    }
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", line, colour);
    std::string label;
    for (std::size_t a = 1; a < axes.size(); ++a)
      label += fmt::format("{}={} ", axes[a].key, series[s][a - 1]);
    out += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", left + width + 12,
                       top + 14 * static_cast<double>(s + 1), colour, label);
  }
  return out + "</svg>\n";
}

}  // namespace

void run_sweep(const SweepOptions& options) {
  std::vector<Axis> axes;
  for (const std::string& text : options.vary) axes.push_back(parse_axis(text));
  launch::Description description = describe(options.launch);
  const cubin::Bytes bytes = read_cubin(options.cubin);
  const KernelCode kernel = kernel_code(cubin::Image(bytes), options.cubin, description.kernel);
  description.kernel = kernel.symbol;

  std::vector<Point> points;
  std::vector<std::size_t> at(axes.size(), 0);
  for (bool more = true; more;) {
    std::vector<std::string> values;
    for (std::size_t a = 0; a < axes.size(); ++a) values.push_back(axes[a].values[at[a]]);
    points.push_back(measure(options, axes, values, bytes, kernel, description));
    more = false;
    for (std::size_t a = axes.size(); a-- > 0 && !more;) {
      more = ++at[a] < axes[a].values.size();
      if (!more) at[a] = 0;
    }
  }

  nlohmann::ordered_json json;
  json["schema"] = "warpgauge-whatif-sweep/1";
  json["kernel"] = kernel.name;
  json["points"] = nlohmann::ordered_json::array();
  std::string text;
  const char* separator = options.csv ? "," : "  ";
  for (const Axis& a : axes) text += fmt::format("{:>{}}{}", a.key, options.csv ? 0 : 20, separator);
  text += options.csv ? "cycles,ratio,warps_per_sm\n"
                      : fmt::format("{:>14}  {:>8}  {:>8}\n", "cycles", "ratio", "warps/SM");
  const auto first =
      std::find_if(points.begin(), points.end(), [](const Point& p) { return p.refusal.empty(); });
  for (const Point& p : points) {
    nlohmann::ordered_json entry;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      text += fmt::format("{:>{}}{}", p.values[a], options.csv ? 0 : 20, separator);
      entry["values"][axes[a].key] = p.values[a];
    }
    if (!p.refusal.empty()) {
      text += (options.csv ? ",," : p.refusal) + '\n';
      entry["refused"] = p.refusal;
    } else {
      const double ratio = static_cast<double>(p.report.cycles) /
                           static_cast<double>(std::max<std::uint64_t>(1, first->report.cycles));
      text += options.csv
                  ? fmt::format("{},{:.4f},{}\n", p.report.cycles, ratio, p.report.occupancy.warps_per_sm)
                  : fmt::format("{:>14}  {:>8.4f}  {:>8}\n", p.report.cycles, ratio,
                                p.report.occupancy.warps_per_sm);
      entry["cycles"] = p.report.cycles;
      entry["warps_per_sm"] = p.report.occupancy.warps_per_sm;
    }
    json["points"].push_back(std::move(entry));
  }
  if (options.json != "-") fmt::print("{}", text);
  if (!options.json.empty()) write_text(options.json, json.dump(2) + "\n");
  if (!options.svg.empty()) write_text(options.svg, plot(axes, points, kernel.name));
}

void run_diff(const DiffOptions& options) {
  const std::string other_cubin = options.other_cubin.empty() ? options.cubin : options.other_cubin;
  const std::string other_gpu = options.other_gpu.empty() ? options.gpu : options.other_gpu;
  launch::Description description = describe(options.launch);
  const auto run = [&](const std::string& gpu, const std::vector<std::string>& changes,
                       const std::string& file, const std::string& kernel_name) {
    const cubin::Bytes bytes = read_cubin(file);
    const KernelCode kernel = kernel_code(cubin::Image(bytes), file, kernel_name);
    launch::Description one = description;
    one.kernel = kernel.symbol;
    return predict_changed(gpu, changes, file, bytes, one);
  };
  const model::KernelReport a = run(options.gpu, options.changes, options.cubin, description.kernel);
  const model::KernelReport b = run(other_gpu, options.other_changes, other_cubin,
                                    options.other_kernel.empty() ? description.kernel : options.other_kernel);

  nlohmann::ordered_json json;
  json["schema"] = "warpgauge-whatif-diff/1";
  std::string text = fmt::format("{:<64}{:>16}{:>16}{:>11}\n", "", "A", "B", "change");
  const auto row = [&](const std::string& label, double x, double y) {
    json["values"][label] = {x, y};
    text += fmt::format("{:<64}{:>16.6g}{:>16.6g}{:>11}\n", label, x, y,
                        x == 0 ? (y == 0 ? "" : "new") : fmt::format("{:+.2f} %", 100 * (y - x) / x));
  };
  row("cycles", static_cast<double>(a.cycles), static_cast<double>(b.cycles));
  row("time_us", a.time_us, b.time_us);
  row("registers_per_thread", a.registers_per_thread, b.registers_per_thread);
  row("warps_per_sm", a.occupancy.warps_per_sm, b.occupancy.warps_per_sm);
  for (std::size_t s = 0; s < model::stall_count; ++s)
    if (a.stalls[s] != 0 || b.stalls[s] != 0)
      row(fmt::format("warp-cycles {}", model::name(static_cast<model::Stall>(s))),
          static_cast<double>(a.stalls[s]), static_cast<double>(b.stalls[s]));
  for (const auto& [metric, value] : a.metrics)
    if (const auto found = b.metrics.find(metric);
        found != b.metrics.end() && (value != 0 || found->second != 0))
      row(metric, value, found->second);
  if (options.json != "-") fmt::print("{}", text);
  if (!options.json.empty()) write_text(options.json, json.dump(2) + "\n");
}

}  // namespace warpgauge::cli::whatif
