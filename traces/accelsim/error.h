// Whatever is wrong with a foreign trace is reported by one exception type.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpgauge::accelsim {

// The message names the file and the byte, counted after decompression, at which reading failed.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpgauge::accelsim
