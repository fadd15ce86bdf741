// A kernel for a test, from its machine code as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/cubin/write.h"
#include "traces/sass/assemble.h"

namespace warpgauge::cubin::testing {

// "k", which may use 16 registers and one barrier.
inline KernelSource kernel_of(const std::string& text, sass::Architecture architecture) {
  const std::vector<sass::Word> words = sass::assemble(text, architecture);
  KernelSource kernel;
  kernel.name = "k";
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  kernel.code.assign(bytes, bytes + words.size() * sizeof(sass::Word));
  kernel.registers = 16;
  kernel.barriers = 1;
  return kernel;
}

}  // namespace warpgauge::cubin::testing
