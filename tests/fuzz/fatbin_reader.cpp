// Any bytes given as an executable, library, archive or fat binary: the search and the unpacking must end in a
// result or in cubin::Error.
#include <cstddef>
#include <cstdint>

#include "traces/cubin/cubin.h"

using namespace warpgauge::cubin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(data, size);
  constexpr std::uint64_t most_bytes = 1U << 22U;  // a declared size beyond this only costs time
  try {
    for (const FatbinEntry& entry : find_fatbin_entries(file)) {
      if (entry.unpacked_bytes > most_bytes) continue;
      try {
        (void)extract(file, entry);
      } catch (const Error&) {
        continue;
      }
    }
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
