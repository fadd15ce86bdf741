// How a command ends without success.
#pragma once

#include <stdexcept>
#include <string>

#include "cli/exit_code.h"

namespace warpgauge::cli {

// One line on stderr and this exit code.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace warpgauge::cli
