// What the host brings into its caches while it does something else.
#pragma once

#include <cstddef>

namespace warpgauge::model {

// All of a thing that will be read and written soon.
template <class T>
void bring_along(const T& thing) {
  constexpr std::size_t line = 64;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&thing);
  for (std::size_t at = 0; at < sizeof(T); at += line) __builtin_prefetch(bytes + at, 1);
}

}  // namespace warpgauge::model
