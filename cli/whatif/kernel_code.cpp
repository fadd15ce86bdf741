#include "cli/whatif/kernel_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/failure.h"
#include "model/sm/decoded.h"
#include "traces/sass/decode.h"

namespace warpgauge::cli::whatif {

KernelCode kernel_code(const cubin::Image& image, const std::string& file, const std::string& kernel) {
  if (kernel.empty() && image.kernels().size() != 1) {
    std::vector<std::string> names;
    for (const cubin::Kernel& k : image.kernels()) names.push_back(k.name);
    throw Failure(ExitCode::usage, fmt::format("{}: holds {} kernels, say which: {}", file, names.size(),
                                               fmt::join(names, ", ")));
  }
  const cubin::Kernel* found = nullptr;
  try {
    found = kernel.empty() ? &image.kernels().front() : &image.kernel(kernel);
  } catch (const cubin::KernelNotFound& error) {
    throw Failure(ExitCode::no_such_kernel, fmt::format("{}: {}", file, error.what()));
  }
  KernelCode code{found->name, found->demangled_name(), found->registers, {}, {}};
  code.code = sass::decode_section(found->code, found->architecture);
  for (const cubin::IndirectBranch& b : found->indirect_branches) {
    registers::BranchTargets targets{static_cast<std::uint32_t>(b.offset / sass::instruction_bytes), {}};
    for (const std::uint32_t t : b.targets)
      targets.targets.push_back(static_cast<std::uint32_t>(t / sass::instruction_bytes));
    code.indirect.push_back(std::move(targets));
  }
  return code;
}

cubin::Bytes patched(const cubin::Bytes& file, const KernelCode& kernel,
                     std::span<const sass::Instruction> code, unsigned register_count) {
  cubin::Patch patch(file);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code[i].word != kernel.code[i].word)
      patch.set_word(kernel.symbol, i * sass::instruction_bytes, code[i].word);
  if (register_count != 0 && register_count != kernel.registers)
    patch.set_registers(kernel.symbol, register_count);
  return patch.bytes();
}

registers::RegisterFile register_file(const model::MachineSpec& spec,
                                      std::span<const sass::Instruction> code) {
  registers::RegisterFile file;
  file.banks = std::clamp(spec.sm.registers.banks, 1U, registers::max_banks);
  file.ports_per_bank = std::max(1U, spec.sm.registers.ports_per_bank);
  file.issue_cycles.fill(1);
  const std::vector<model::StaticOp> ops = model::predecode(code, spec.sm);
  for (std::size_t i = 0; i < code.size(); ++i) {
    unsigned cycles = std::max<unsigned>(1, ops[i].interval);
    if (ops[i].other_unit != model::Unit::none) {  // either of two pipes takes it: they add up
      const unsigned other = std::max<unsigned>(1, ops[i].other_interval);
      cycles = std::max(1U, cycles * other / (cycles + other));
    }
    file.issue_cycles[static_cast<std::size_t>(code[i].opcode)] =
        static_cast<std::uint8_t>(std::min(cycles, 255U));
  }
  return file;
}

}  // namespace warpgauge::cli::whatif
