// What the calib tests share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "calib/loader.h"

namespace warpgauge::calib {

inline const std::filesystem::path& devices() {
  static const std::filesystem::path folder =
      std::filesystem::path(WARPGAUGE_SOURCE_DIR) / "calib" / "devices";
  return folder;
}

// A calibration that is right in everything, to spoil in one place; one whose figures the papers fix.
inline const Calibration& sound() {
  static const Calibration calibration = load_device(devices(), "v100");
  return calibration;
}

inline std::string sound_json() {
  return to_json(sound());
}

// `text` with its first `from` replaced; fails the test when there is none.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "no " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// The message of the CalibrationError that f throws; empty and a failure when it throws none.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const CalibrationError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << "more than one line: " << message;
    return message;
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

inline std::string parse_refusal(const std::string& json) {
  return refusal([&] { (void)parse(json, "file.json"); });
}

}  // namespace warpgauge::calib
