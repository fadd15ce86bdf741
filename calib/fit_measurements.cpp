// From measurements to a calibration: every figure to its key.
#include <fmt/format.h>

#include <set>

#include "calib/check.h"
#include "calib/loader.h"
#include "calib/measurements.h"
#include "calib/values.h"

namespace warpgauge::calib {
namespace {

// The figure's value in the key's type.
template <class T>
void assign(const Figure& figure, T& value) {
  const auto wrong = [](std::string_view what) {
    throw CalibrationError(fmt::format("the value must be {}", what));
  };
  if constexpr (std::is_same_v<T, Flag>) {
    if (const bool* flag = std::get_if<bool>(&figure.value))
      value = *flag;
    else
      wrong("true or false");
  } else if constexpr (std::is_same_v<T, List>) {
    const auto* numbers = std::get_if<std::vector<double>>(&figure.value);
    if (numbers == nullptr) return wrong("a list of numbers");
    value.clear();
    for (const double number : *numbers) from_number(number, value.emplace_back());
  } else if constexpr (std::is_enum_v<T>) {
    const auto* text = std::get_if<std::string>(&figure.value);
    if (text == nullptr) return wrong("a text");
    from_text(*text, value);
  } else {
    const double* number = std::get_if<double>(&figure.value);
    if (number == nullptr) return wrong("a number");
    from_number(*number, value);
  }
}

void apply(const ProbeResult& probe, const Figure& figure, const Measurements& measurements,
           Calibration& into) {
  const auto where = [&] { return fmt::format("probe {}: {}", probe.name, figure.key); };
  if (figure.n == 0) throw CalibrationError(fmt::format("{}: no samples", where()));
  bool found = false;
  try {
    found = with_key(into, figure.key, [&](const Key& key, auto& value) {
      if (figure.unit != key.unit)
        throw CalibrationError(fmt::format("the unit is {}, got {}", name(key.unit), name(figure.unit)));
      assign(figure, value);
    });
  } catch (const CalibrationError& error) {
    throw CalibrationError(fmt::format("{}: {}", where(), error.what()));
  }
  if (!found)
    throw CalibrationError(
        fmt::format("{}: unknown key; the nearest is {}", where(), nearest_key(figure.key)));
  Provenance provenance;
  provenance.source = Source::measured;
  provenance.reference = fmt::format("probe {} on {}, driver {}, {}", probe.name, measurements.device,
                                     measurements.driver, probe.date.empty() ? measurements.date : probe.date);
  provenance.method = fmt::format("machine code {}", probe.sass_hash);
  provenance.samples = figure.n;
  provenance.spread = figure.spread;
  into.provenance.insert_or_assign(figure.key, provenance);
}

// "NVIDIA H200" of 2026-11-21 is nvidia-h200-2026-11-21.
std::string identity(const Measurements& measurements) {
  std::string id;
  for (const char c : fmt::format("{} {}", measurements.device, measurements.date)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (plain || capital)
      id += capital ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  return id;
}

}  // namespace

Calibration fit(const Measurements& measurements, const Calibration& base) {
  if (measurements.architecture != base.architecture)
    throw CalibrationError(fmt::format("measurements of {} do not fit a calibration of {}",
                                       measurements.architecture, base.architecture));
  Calibration fitted = base;
  fitted.id = identity(measurements);
  fitted.device = measurements.device;
  for (const ProbeResult& probe : measurements.probes)
    for (const Figure& figure : probe.figures) {
      const auto found = base.provenance.find(figure.key);
      if (found != base.provenance.end() && !found->second.kept.empty()) continue;
      apply(probe, figure, measurements, fitted);
    }
  check(fitted, "fitted calibration");
  return fitted;
}

std::vector<std::string> unmeasured_keys(const Measurements& measurements) {
  std::set<std::string> measured;
  for (const ProbeResult& probe : measurements.probes)
    for (const Figure& figure : probe.figures) measured.insert(figure.key);
  std::vector<std::string> keys;
  for (const Key& key : all_keys())
    if (!measured.contains(key.path)) keys.push_back(key.path);
  return keys;
}

}  // namespace warpgauge::calib
