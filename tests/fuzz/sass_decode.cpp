// Any bytes are a code section: what is decoded must come back, and its exact text must be assembled to it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpgauge::sass;
  if (size < 17) return 0;
  const Architecture architecture = all_architectures[data[0] % std::size(all_architectures)];
  ++data;
  --size;
  const auto instructions = decode_section({data, size}, architecture);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    Word word;
    std::memcpy(&word.low, data + i * instruction_bytes, 8);
    std::memcpy(&word.high, data + i * instruction_bytes + 8, 8);
    const std::uint64_t offset = i * instruction_bytes;
    if (!(encode(instructions[i], offset) == word)) std::abort();
    const std::string text = print_exact(instructions[i], offset);
    if (!(assemble_instruction(text, architecture, offset).word == word)) std::abort();
  }
  return 0;
}
