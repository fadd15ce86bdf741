// What goes wrong while a kernel executes: one typed exception, worded as a memory checker would word it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "traces/warp_stream.h"

namespace warpgauge::emulator {

enum class FaultKind : std::uint8_t {
  unknown_instruction,      // no row of the opcode table matches the word
  unsupported_instruction,  // known, but not executed by this emulator
  illegal_instruction,      // known, but its fields make no sense together
  illegal_address,          // global memory outside every allocation
  misaligned_address,
  shared_out_of_range,
  local_out_of_range,
  constant_out_of_range,
  invalid_program_counter,
  barrier_deadlock,  // the warps that are left wait for each other
  assertion,
  trap,
  launch_failure,  // the launch itself is not possible: shapes, arguments
};

// The error code that the CUDA runtime gives the program for this fault.
int cuda_error(FaultKind kind);

// "illegal address", …
std::string_view describe(FaultKind kind);

// Where a fault happened. Fields that do not apply are left at their defaults.
struct FaultSite {
  std::string kernel;
  std::optional<traces::Dim3> block;  // coordinates, not sizes
  std::optional<traces::Dim3> thread;
  std::uint64_t code_offset = 0;  // of the instruction in its code section
  std::string instruction;        // its SASS text, or its encoding
  bool has_instruction = false;
};

// A message of one line and the facts that it was made from.
class Fault : public std::runtime_error {
 public:
  Fault(FaultKind kind, const std::string& what_happened, FaultSite site = {});

  [[nodiscard]] FaultKind kind() const { return kind_; }
  [[nodiscard]] int cuda_error() const { return emulator::cuda_error(kind_); }
  [[nodiscard]] const FaultSite& site() const { return site_; }
  [[nodiscard]] const std::string& what_happened() const { return what_happened_; }

 private:
  FaultKind kind_;
  std::string what_happened_;
  FaultSite site_;
};

}  // namespace warpgauge::emulator
