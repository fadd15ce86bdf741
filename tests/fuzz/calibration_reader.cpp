// Any bytes as a calibration, measurements, a paper's figures, and an assignment: refused with a
// CalibrationError or accepted, and what is accepted survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "calib/explain.h"
#include "calib/loader.h"
#include "calib/measurements.h"
#include "calib/reference.h"

namespace {

using namespace warpgauge::calib;

template <class F>
void attempt(F&& f) {
  try {
    f();
  } catch (const CalibrationError&) {
  }
}

void require(bool right) {
  if (!right) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const Calibration calibration = parse(text, "fuzz");
    require(parse(to_json(calibration), "again") == calibration);
  });
  attempt([&] {
    const Measurements measurements = parse_measurements(text, "fuzz");
    require(parse_measurements(to_json(measurements), "again") == measurements);
    for (const ProbeResult& probe : measurements.probes)
      for (const Figure& figure : probe.figures)
        attempt([&] { (void)explanation_svg(explain(Calibration{}, figure.key, &measurements)); });
  });
  attempt([&] { (void)parse_reference(text, "fuzz"); });
  attempt([&] {
    Calibration calibration;
    set(calibration, text);
    (void)hash(calibration);
  });
  return 0;
}
