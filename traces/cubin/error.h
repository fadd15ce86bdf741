// Everything that is wrong with an input file is reported by one exception type.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace warpgauge::cubin {

// `offset` is the byte offset in the file (or in the buffer that was given) at which reading failed, where
// there is one; the message names it already.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  Error(const std::string& message, std::uint64_t offset);
  [[nodiscard]] std::optional<std::uint64_t> offset() const { return offset_; }

 private:
  std::optional<std::uint64_t> offset_;
};

// The file holds no kernel of that name, or several; the message lists them.
class KernelNotFound : public Error {
 public:
  using Error::Error;
};

}  // namespace warpgauge::cubin
