// Text back to machine words: nvdisasm's text, with or without control words, labels and header lines.
// The grammar is in docs/sass.md.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::sass {

// Line and column count from one.
class AssemblyError : public std::runtime_error {
 public:
  AssemblyError(std::size_t line, std::size_t column, const std::string& what);
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::size_t column() const { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

// Code only: instructions, labels and comments. Throws AssemblyError at the first thing that it cannot read.
std::vector<Word> assemble(std::string_view text, Architecture architecture);

// One instruction at a byte offset of its section; without control text it stalls for one cycle, sets no
// barrier and waits for none.
Instruction assemble_instruction(std::string_view text, Architecture architecture, std::uint64_t offset = 0);

// Control text, instruction text, and where the two do not determine the word (nvdisasm forgets the payload
// of a NaN, the reuse flags of an address …) what is left of it: assembling this gives the same word for
// every instruction.
std::string print_exact(const Instruction& instruction, std::uint64_t offset = 0);

}  // namespace warpgauge::sass
