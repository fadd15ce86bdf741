// Little-endian numbers, varints (7 bits a byte, lowest first) and zigzag varints in a buffer.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "traces/native/error.h"

namespace warpgauge::native {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

template <class T>
void put(Bytes& bytes, T value) {
  static_assert(std::is_integral_v<T>);
  const auto* const raw = reinterpret_cast<const std::uint8_t*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

inline void put_varint(Bytes& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

inline std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
inline std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (0 - (value & 1));
}
// Differences are taken modulo 2^64.
inline void put_signed(Bytes& bytes, std::uint64_t difference) {
  put_varint(bytes, zigzag(difference));
}

inline void put_text(Bytes& bytes, std::string_view text) {
  put_varint(bytes, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
}

// Reads from the front; every read checks what is left. `file_offset` is where the compressed data of the
// bytes begins in the file, for messages.
class Cursor {
 public:
  Cursor() = default;
  Cursor(ByteView bytes, std::uint64_t file_offset)
      : at_(bytes.data()), begin_(at_), end_(at_ + bytes.size()), file_offset_(file_offset) {}

  [[nodiscard]] bool empty() const { return at_ == end_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint8_t byte() {
    if (at_ == end_) fail("the data ends early");
    return *at_++;
  }
  template <class T>
  T get() {
    static_assert(std::is_integral_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fU} << shift;
      if ((next & 0x80) == 0) return value;
    }
    fail("a number of more than 64 bits");
  }
  std::uint64_t difference() { return unzigzag(varint()); }
  // A varint that must not exceed `most`.
  std::uint64_t bounded(std::uint64_t most, const char* what) {
    const std::uint64_t value = varint();
    if (value > most) fail(std::string(what) + " is out of range");
    return value;
  }
  std::uint32_t word(const char* what) { return static_cast<std::uint32_t>(bounded(0xffffffff, what)); }
  const std::uint8_t* take(std::size_t count) {
    if (left() < count) fail("the data ends early");
    const std::uint8_t* const from = at_;
    at_ += count;
    return from;
  }
  ByteView view(std::size_t count) { return {take(count), count}; }
  std::string text() {
    const ByteView bytes = view(static_cast<std::size_t>(bounded(left(), "the length of a text")));
    return {bytes.begin(), bytes.end()};
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(what + ", " + std::to_string(at_ - begin_) + " bytes into the data", file_offset_);
  }

 private:
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* begin_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint64_t file_offset_ = 0;
};

}  // namespace warpgauge::native
