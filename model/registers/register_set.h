// A set of general registers R0…R254, with the operations that dataflow needs.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace warpgauge::registers {

inline constexpr unsigned register_count = 255;  // R0…R254; 255 is RZ and never a member

// The hardware keeps the last two of a thread's registers, from Volta on: the compiler never names them (all kernels of
// the suite), and code that does is an illegal instruction on an H200 (REGCOUNT 64 and R63).
inline constexpr unsigned reserved_registers = 2;
// Registers R0…R(n-1) that code may name when its kernel declares `declared`.
constexpr unsigned usable_registers(unsigned declared) {
  return declared > reserved_registers ? declared - reserved_registers : 1;
}

class RegisterSet {
 public:
  void set(unsigned r) { words_[r >> 6] |= std::uint64_t{1} << (r & 63); }
  void reset(unsigned r) { words_[r >> 6] &= ~(std::uint64_t{1} << (r & 63)); }
  [[nodiscard]] bool test(unsigned r) const { return (words_[r >> 6] >> (r & 63) & 1) != 0; }
  [[nodiscard]] bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  [[nodiscard]] unsigned count() const {
    unsigned n = 0;
    for (const std::uint64_t w : words_) n += static_cast<unsigned>(std::popcount(w));
    return n;
  }

  // R0…R254.
  static RegisterSet all() {
    RegisterSet s;
    s.words_.fill(~std::uint64_t{0});
    s.reset(register_count);
    return s;
  }

  RegisterSet& operator|=(const RegisterSet& o) {
    for (unsigned i = 0; i < 4; ++i) words_[i] |= o.words_[i];
    return *this;
  }
  RegisterSet& operator&=(const RegisterSet& o) {
    for (unsigned i = 0; i < 4; ++i) words_[i] &= o.words_[i];
    return *this;
  }

  // Calls f(register) in rising order.
  template <class F>
  void for_each(F&& f) const {
    for (unsigned i = 0; i < 4; ++i)
      for (std::uint64_t w = words_[i]; w != 0; w &= w - 1)
        f(i * 64 + static_cast<unsigned>(std::countr_zero(w)));
  }

  friend bool operator==(const RegisterSet&, const RegisterSet&) = default;

 private:
  std::array<std::uint64_t, 4> words_{};
};

}  // namespace warpgauge::registers
