#include "calib/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace warpgauge::calib {
namespace {

// From values to 0..1 along an axis.
class Axis {
 public:
  Axis(double low, double high, bool logarithmic) : low_(low), high_(high), log_(logarithmic) {
    if (low_ == high_) {
      // One value lies in the middle.
      const double room = low_ == 0 ? 1 : std::abs(low_) / 2;
      low_ -= room;
      high_ += room;
    }
  }
  [[nodiscard]] double place(double value) const {
    if (log_) return std::log(value / low_) / std::log(high_ / low_);
    return (value - low_) / (high_ - low_);
  }
  [[nodiscard]] double value(double place) const {
    if (log_) return low_ * std::pow(high_ / low_, place);
    return low_ + place * (high_ - low_);
  }

 private:
  double low_;
  double high_;
  bool log_;
};

struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

Points drawable(const Series& series, bool log_x) {
  Points points;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i]) || (log_x && series.x[i] <= 0)) continue;
    points.x.push_back(series.x[i]);
    points.y.push_back(series.y[i]);
  }
  return points;
}

struct Frame {
  Axis x;
  Axis y;
};

std::optional<Frame> frame(const Points& points, const std::vector<Level>& levels, bool log_x) {
  if (points.x.empty()) return std::nullopt;
  const auto [least_x, most_x] = std::minmax_element(points.x.begin(), points.x.end());
  const auto [least_y, most_y] = std::minmax_element(points.y.begin(), points.y.end());
  double low = *least_y;
  double high = *most_y;
  for (const Level& level : levels) {
    low = std::min(low, level.y);
    high = std::max(high, level.y);
  }
  // A single x has no logarithmic axis.
  return Frame{Axis(*least_x, *most_x, log_x && *least_x < *most_x), Axis(low, high, false)};
}

std::size_t cell(double place, std::size_t cells) {
  const double scaled = std::clamp(place, 0.0, 1.0) * static_cast<double>(cells - 1);
  return static_cast<std::size_t>(std::lround(scaled));
}

// Short, and the same for the same number: 4 significant digits, thousands as they are.
std::string tick(double value) {
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

bool wants_log_x(const Series& series) {
  if (series.x.empty()) return false;
  const auto [least, most] = std::minmax_element(series.x.begin(), series.x.end());
  return *least > 0 && *most > 32 * *least;
}

std::string plot_text(const Series& series, const std::vector<Level>& levels, const PlotOptions& options) {
  const Points points = drawable(series, options.log_x);
  const std::optional<Frame> axes = frame(points, levels, options.log_x);
  std::string text = series.label + "\n";
  if (!axes) return text + "  no points\n";
  const std::size_t width = std::max<std::size_t>(options.width, 2);
  const std::size_t height = std::max<std::size_t>(options.height, 2);

  std::vector<std::string> rows(height, std::string(width, ' '));
  for (const Level& level : levels)
    rows[height - 1 - cell(axes->y.place(level.y), height)].assign(width, '-');
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    char& at =
        rows[height - 1 - cell(axes->y.place(points.y[i]), height)][cell(axes->x.place(points.x[i]), width)];
    at = at == '*' || at == '#' ? '#' : '*';
  }

  const std::size_t margin = std::max(tick(axes->y.value(0)).size(), tick(axes->y.value(1)).size());
  for (std::size_t row = 0; row < height; ++row) {
    const bool labelled = row == 0 || row == height - 1 || row == height / 2;
    const double value = axes->y.value(1 - static_cast<double>(row) / static_cast<double>(height - 1));
    text += fmt::format("{:>{}} |{}\n", labelled ? tick(value) : "", margin,
                        rows[row].substr(0, rows[row].find_last_not_of(' ') + 1));
  }
  text += fmt::format("{:>{}} +{:-<{}}\n", "", margin, "", width);
  const std::string left = tick(axes->x.value(0));
  const std::string right = tick(axes->x.value(1));
  text += fmt::format("{:>{}}  {}{:>{}}\n", "", margin, left, right,
                      width > left.size() ? width - left.size() : right.size());
  text += fmt::format("{:>{}}  {} against {}{}\n", "", margin, series.y_unit, series.x_unit,
                      options.log_x ? ", logarithmic" : "");
  for (const Level& level : levels)
    text += fmt::format("{:>{}}  --- {}: {}\n", "", margin, level.label, tick(level.y));
  return text;
}

std::string plot_svg(const Series& series, const std::vector<Level>& levels, const PlotOptions& options) {
  constexpr double width = 720;
  constexpr double height = 420;
  constexpr double left = 80;
  constexpr double right = 20;
  constexpr double top = 40;
  constexpr double bottom = 60;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"15\">{3}</text>\n",
      width, height, left, escape(series.label));
  const Points points = drawable(series, options.log_x);
  const std::optional<Frame> axes = frame(points, levels, options.log_x);
  if (!axes) return svg + fmt::format("<text x=\"{}\" y=\"{}\">no points</text>\n</svg>\n", left, height / 2);

  const auto at_x = [&](double place) { return left + place * (width - left - right); };
  const auto at_y = [&](double place) { return height - bottom - place * (height - top - bottom); };
  for (int i = 0; i <= 4; ++i) {
    const double place = i / 4.0;
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        at_x(0), at_x(1), at_y(place), left - 8, at_y(place) + 4, tick(axes->y.value(place)));
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", at_x(place),
                       height - bottom + 18, tick(axes->x.value(place)));
  }
  svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"black\"/>\n",
                     at_x(0), at_y(1), at_y(0), at_x(1));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}{}</text>\n", at_x(0.5),
                     height - 16, escape(series.x_unit), options.log_x ? " (logarithmic)" : "");
  svg +=
      fmt::format("<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                  at_y(0.5), escape(series.y_unit));
  for (const Level& level : levels)
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#c33\" "
        "stroke-dasharray=\"6 3\"/>\n"
        "<text x=\"{1:.1f}\" y=\"{3:.1f}\" text-anchor=\"end\" fill=\"#c33\">{4}: {5}</text>\n",
        at_x(0), at_x(1), at_y(axes->y.place(level.y)), at_y(axes->y.place(level.y)) - 4, escape(level.label),
        tick(level.y));
  for (std::size_t i = 0; i < points.x.size(); ++i)
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"#26c\"/>\n",
                       at_x(axes->x.place(points.x[i])), at_y(axes->y.place(points.y[i])));
  return svg + "</svg>\n";
}

}  // namespace warpgauge::calib
