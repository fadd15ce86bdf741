#include "probes/result_json.h"

#include <array>
#include <charconv>
#include <cmath>

namespace warpgauge::probes {
namespace {

// The shortest text that reads back as the same number.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

std::string numbers(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + number(values[i]);
  return text + "]";
}

struct ValueText {
  std::string operator()(double value) const { return number(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const { return json_string(value); }
  std::string operator()(const std::vector<double>& value) const { return numbers(value); }
};

}  // namespace

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += "\\u00";
      quoted += digits[static_cast<unsigned char>(c) >> 4];
      quoted += digits[static_cast<unsigned char>(c) & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string to_json(const calib::ProbeResult& result) {
  std::string text = "{\"name\":" + json_string(result.name) + ",\"asks\":" + json_string(result.asks) +
                     ",\"cites\":" + json_string(result.cites) + ",\"sass_hash\":" + json_string(result.sass_hash) +
                     ",\"clock_mhz\":" + number(result.clock_mhz) + ",\n \"samples\":[";
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    const calib::Series& series = result.samples[i];
    text += (i == 0 ? "\n" : ",\n");
    text += "  {\"label\":" + json_string(series.label) + ",\"x_unit\":" + json_string(series.x_unit) +
            ",\"y_unit\":" + json_string(series.y_unit) + ",\"x\":" + numbers(series.x) + ",\"y\":" + numbers(series.y) + "}";
  }
  text += "],\n \"figures\":[";
  for (std::size_t i = 0; i < result.figures.size(); ++i) {
    const calib::Figure& figure = result.figures[i];
    text += (i == 0 ? "\n" : ",\n");
    text += "  {\"key\":" + json_string(figure.key) + ",\"value\":" + std::visit(ValueText{}, figure.value) +
            ",\"unit\":" + json_string(std::string(calib::name(figure.unit))) + ",\"spread\":" + number(figure.spread) +
            ",\"n\":" + std::to_string(figure.n) + ",\"series\":" + json_string(figure.series) + "}";
  }
  return text + "]}";
}

}  // namespace warpgauge::probes
