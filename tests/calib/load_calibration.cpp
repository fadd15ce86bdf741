// Exits 0 when the loader accepts the file, 1 with its refusal on stderr when it does not.
#include <cstdio>

#include "calib/loader.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    (void)warpgauge::calib::load(arguments[1]);
  } catch (const warpgauge::calib::CalibrationError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
