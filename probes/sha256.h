// SHA-256 (FIPS 180-4), for the identity of machine code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpgauge::probes {

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes) { message_.insert(message_.end(), bytes.begin(), bytes.end()); }
  // Lower-case hexadecimal, 64 digits.
  [[nodiscard]] std::string hex() const;

 private:
  std::vector<std::byte> message_;
};

}  // namespace warpgauge::probes
