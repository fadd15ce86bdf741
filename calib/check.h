// What a calibration's values owe each other, whatever the device.
#pragma once

#include <string_view>

#include "calib/calibration.h"
#include "calib/errors.h"

namespace warpgauge::calib {

// Throws CalibrationError, one line with the origin and the key: a size that must not be 0, lists that must
// be of one length, a part larger than its whole, a percentage above 100, an architecture that is not "sm_"
// and digits. The loader calls it; call it again after changing values with set().
void check(const Calibration& calibration, std::string_view origin);

}  // namespace warpgauge::calib
