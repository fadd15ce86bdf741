// Any text is assembled or refused with a line and a column; what is assembled is printed and assembled again
// alike.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"
#include "traces/sass/sass_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpgauge::sass;
  if (size < 1) return 0;
  const Architecture architecture = all_architectures[data[0] % std::size(all_architectures)];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    std::uint64_t offset = 0;
    for (const Word& word : assemble(text, architecture)) {
      const Instruction instruction = decode(word, architecture, offset);
      if (!(assemble_instruction(print_exact(instruction, offset), architecture, offset).word == word))
        std::abort();
      offset += instruction_bytes;
    }
  } catch (const AssemblyError& error) {
    if (error.line() == 0 || error.column() == 0) std::abort();
  }
  try {
    parse_sass_file(text);
  } catch (const AssemblyError& error) {
    if (error.line() == 0 || error.column() == 0) std::abort();
  }
  return 0;
}
