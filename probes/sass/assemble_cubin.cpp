#include <algorithm>

#include "probes/sass/run_kernel.h"
#include "traces/cubin/write.h"
#include "traces/sass/assemble.h"

namespace warpgauge::probes {
namespace {

cubin::Bytes bytes_of(const std::vector<sass::Word>& words) {
  cubin::Bytes bytes;
  bytes.reserve(words.size() * sass::instruction_bytes);
  for (const sass::Word& word : words) {
    for (const std::uint64_t half : {word.low, word.high}) {
      for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::uint8_t>(half >> shift));
    }
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> assemble_cubin(int sm, const std::vector<SassKernel>& kernels,
                                      const std::vector<std::uint32_t>& constants) {
  const auto architecture = sass::architecture_from_number(static_cast<unsigned>(sm));
  if (!architecture) throw ProbeRefusal("no assembler for sm_" + std::to_string(sm));
  cubin::ModuleSource module;
  module.architecture = *architecture;
  for (const std::uint32_t word : constants) {
    for (int shift = 0; shift < 32; shift += 8) module.constant3.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  for (const SassKernel& kernel : kernels) {
    cubin::KernelSource source;
    source.name = kernel.name;
    source.registers = kernel.registers;
    source.shared_bytes = kernel.shared_bytes;
    source.barriers = kernel.barriers;
    source.frame_bytes = kernel.frame_bytes;
    source.parameters = cubin::lay_out_parameters(kernel_parameters);
    try {
      source.code = bytes_of(sass::assemble(kernel.text, *architecture));
    } catch (const sass::AssemblyError& error) {
      throw ProbeRefusal(kernel.name + ": " + error.what());
    }
    module.kernels.push_back(std::move(source));
  }
  const cubin::Bytes cubin = cubin::write_cubin(module);
  const auto* first = reinterpret_cast<const std::byte*>(cubin.data());
  return {first, first + cubin.size()};
}

}  // namespace warpgauge::probes
