// What calib refuses, as one line that names the file and the key.
#pragma once

#include <stdexcept>
#include <string>

namespace warpgauge::calib {

class CalibrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpgauge::calib
