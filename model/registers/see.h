// Showing what the register file does: an annotated listing, and two pictures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/registers/analysis.h"
#include "model/registers/conflicts.h"

namespace warpgauge::registers {

// What a run of the model adds to a listing, by instruction; empty where nothing ran.
struct Executions {
  std::vector<std::uint64_t> issued;           // warp instructions
  std::vector<std::uint64_t> conflict_cycles;  // lost at the register ports, as the model saw them
};

// One line an instruction: address, runs (the static weight where nothing ran), live registers, reads of each
// bank, reads that the reuse cache serves, cycles lost a run, cycles lost in the model, the instruction.
// Marked with '!' where it loses cycles. Only what can be reached.
std::string listing(std::span<const sass::Instruction> code, const Analysis& analysis,
                    const ConflictReport& report, const RegisterFile& file,
                    const Executions& executions = {});

// Instructions [first, end) that the picture shows.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// The innermost stretch of code that loses most, or that runs most; at most `longest` instructions.
Range hottest_range(const Analysis& analysis, const ConflictReport& report, std::uint32_t longest = 256);

// A column an instruction, a row a register: where values live (light, in the colour of the bank), are
// written (a bar) and read (a dot, hollow where the reuse cache serves it); instructions that lose cycles
// have a red head. An SVG document.
std::string register_map_svg(std::span<const sass::Instruction> code, const Analysis& analysis,
                             const ConflictReport& report, const RegisterFile& file, const Range& range,
                             const std::string& title);

// The picture of Jia2018 figure 1.1: where FFMAs of one block form an outer product, the two slices as the
// margins of a table and the accumulators as its cells, in the colours of their banks; cells whose three
// registers lie in one bank have a red frame, filled where the instruction really loses cycles. `codes` are
// drawn one below the other under their titles. Empty where there is no outer product.
struct TitledCode {
  std::string title;
  std::span<const sass::Instruction> code;
  const ConflictReport* report = nullptr;
};
std::string tile_svg(std::span<const TitledCode> codes, const Analysis& analysis, const RegisterFile& file);

}  // namespace warpgauge::registers
