// Any bytes given as a cubin: read, load, patch and write back must end in a result or in cubin::Error.
#include <cstddef>
#include <cstdint>

#include "traces/cubin/cubin.h"

using namespace warpgauge::cubin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file(data, data + size);
  try {
    const Image image(file);
    (void)image.elf().extent();
    Patch patch(file);
    for (const Kernel& k : image.kernels()) {
      patch.set_code(k.name, k.code);
      patch.set_registers(k.name, 64);
      patch.set_barriers(k.name, 2);
      patch.set_max_threads(k.name, {32, 1, 1});
    }
    (void)Image(patch.bytes());
    (void)load(image);
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
