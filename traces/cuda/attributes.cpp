#include "traces/cuda/attributes.h"

#include <algorithm>

namespace warpgauge::cuda {

std::optional<int> attribute(const Device& d, int number) {
  switch (number) {
    case 1:
      return static_cast<int>(d.max_threads_per_block);
    case 2:
    case 3:
      return 1024;
    case 4:
      return 64;
    case 5:
      return 0x7fffffff;
    case 6:
    case 7:
      return 65535;
    case 8:
      return static_cast<int>(d.shared_per_block);
    case 9:
      return 65536;  // constant memory
    case 10:
      return 32;  // warp size
    case 11:
      return 0x7fffffff;
    case 12:
      return static_cast<int>(d.registers_per_block);
    case 13:
      return static_cast<int>(d.sm_mhz * 1000);
    case 14:
      return 512;  // texture alignment
    case 15:
      return 1;  // overlap
    case 16:
      return static_cast<int>(d.sm_count);
    case 19:
      return 1;  // maps host memory
    case 31:
      return 1;  // concurrent kernels
    case 36:
      return static_cast<int>(d.memory_mhz * 1000);
    case 37:
      return static_cast<int>(d.memory_bus_bits);
    case 38:
      return static_cast<int>(d.l2_bytes);
    case 39:
      return static_cast<int>(d.max_threads_per_sm);
    case 40:
      return 3;  // copy engines
    case 41:
      return 1;  // unified addressing
    case 51:
      return 32;  // texture pitch alignment
    case 75:
      return d.major;
    case 76:
      return d.minor;
    case 78:
    case 79:
    case 80:
      return 1;  // stream priorities, L1 for global and local
    case 81:
      return static_cast<int>(d.shared_per_sm);
    case 82:
      return static_cast<int>(d.registers_per_sm);
    case 83:
      return 1;  // managed memory
    case 87:
      return d.major == 7 && d.minor == 5 ? 32 : 2;  // single to double rate
    case 89:
    case 90:
    case 91:
    case 95:
      return 1;  // concurrent managed access, preemption, registered pointers, cooperative launch
    case 97:
      return static_cast<int>(d.shared_per_block_optin);
    case 99:
      return 1;  // host registration
    case 106:
      return static_cast<int>(d.max_blocks_per_sm);
    case 111:
      return static_cast<int>(d.shared_reserved_per_block);
    case 115:
      return 1;  // memory pools
    default:
      break;
  }
  return number >= 1 && number <= 147 ? std::optional(0) : std::nullopt;
}

}  // namespace warpgauge::cuda
