// Memory for blocks' registers, shared and local memory: zero until it is written, and costing the host
// nothing before. A launch may have tens of thousands of warps resident, most of whose stacks are never
// touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgauge::emulator {

class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Zeroes, aligned to 64 bytes, until the arena goes. Throws std::bad_alloc.
  std::byte* take(std::size_t bytes);

 private:
  struct Region {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Region> regions_;
  std::size_t used_ = 0;  // of the last region
};

}  // namespace warpgauge::emulator
