// A kernel of a cubin as the register what-if sees it, and back into a cubin.
#pragma once

#include <string>
#include <vector>

#include "model/machine_spec.h"
#include "model/registers/analysis.h"
#include "model/registers/conflicts.h"
#include "traces/cubin/cubin.h"

namespace warpgauge::cli::whatif {

struct KernelCode {
  std::string symbol;
  std::string name;        // demangled
  unsigned registers = 0;  // that the compiler counted
  std::vector<sass::Instruction> code;
  std::vector<registers::BranchTargets> indirect;
};

// `kernel` may be empty when there is only one. Throws Failure: usage, no_such_kernel.
KernelCode kernel_code(const cubin::Image& image, const std::string& file, const std::string& kernel);

// The cubin with the kernel's words replaced where they differ, and with another register count unless that
// is 0.
cubin::Bytes patched(const cubin::Bytes& file, const KernelCode& kernel,
                     std::span<const sass::Instruction> code, unsigned register_count);

// Banks and ports of the machine, and how long its pipes take for each opcode of the code.
registers::RegisterFile register_file(const model::MachineSpec& spec,
                                      std::span<const sass::Instruction> code);

}  // namespace warpgauge::cli::whatif
