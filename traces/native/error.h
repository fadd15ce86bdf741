// Whatever is wrong with a trace file is reported by one exception type.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpgauge::native {

// `offset` is the byte of the file at which reading failed; the message names it already.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  Error(const std::string& message, std::uint64_t offset)
      : std::runtime_error(message + " (at byte " + std::to_string(offset) + ")"), offset_(offset) {}
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  std::uint64_t offset_ = 0;
};

}  // namespace warpgauge::native
