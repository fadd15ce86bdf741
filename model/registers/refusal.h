// Why a kernel's registers cannot be analysed or changed: the address in its code section, and the reason.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpgauge::registers {

class Refusal : public std::runtime_error {
 public:
  // what() reads "0x0120: the targets of this BRX are not listed".
  Refusal(std::uint64_t address, const std::string& reason);
  [[nodiscard]] std::uint64_t address() const { return address_; }

 private:
  std::uint64_t address_;
};

}  // namespace warpgauge::registers
