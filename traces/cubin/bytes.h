// Bounded little-endian access to untrusted bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "traces/cubin/error.h"

namespace warpgauge::cubin {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

// `what` names the thing being read, for the message of the error.
inline ByteView slice(ByteView bytes, std::uint64_t offset, std::uint64_t size, const char* what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    throw Error(std::string(what) + " reaches beyond the end of the file", offset);
  }
  return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

template <class T>
T read_at(ByteView bytes, std::uint64_t offset, const char* what) {
  static_assert(std::is_integral_v<T>);
  T value;
  std::memcpy(&value, slice(bytes, offset, sizeof(T), what).data(), sizeof(T));
  return value;
}

template <class T>
void write_at(std::span<std::uint8_t> bytes, std::uint64_t offset, T value, const char* what) {
  static_assert(std::is_integral_v<T>);
  slice(bytes, offset, sizeof(T), what);
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

template <class T>
void append(Bytes& bytes, T value) {
  static_assert(std::is_integral_v<T>);
  const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

}  // namespace warpgauge::cubin
