#include "cli/sass_unsupported.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/sass_files.h"
#include "traces/cubin/load.h"
#include "traces/emulator/program.h"
#include "traces/emulator/system_call.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"

namespace warpgauge::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string architecture;
  std::string kernel;
};

struct Totals {
  std::uint64_t kernels = 0;
  std::uint64_t instructions = 0;
  std::uint64_t refused = 0;  // instructions, functions and kernels
};

std::string text_of(const sass::Instruction& instruction) {
  if (instruction.opcode != sass::Opcode::unknown) return sass::print(instruction);
  return fmt::format("{:#018x} {:#018x}", instruction.word.low, instruction.word.high);
}

// Where functions have sections of their own, all kernels share the module's code: it is looked at once.
void check_module(const cubin::Image& image, const std::string& place, const Options& options,
                  Totals& totals) {
  const cubin::LoadedModule module = cubin::load(image);
  std::map<std::uint64_t, std::string> seen;
  for (const cubin::Kernel& kernel : module.kernels) {
    const std::string name = kernel.demangled_name();
    if (!options.kernel.empty() && kernel.name.find(options.kernel) == std::string::npos &&
        name.find(options.kernel) == std::string::npos)
      continue;
    ++totals.kernels;
    std::vector<std::string> lines;
    if (std::uint64_t{kernel.cluster[0]} * kernel.cluster[1] * kernel.cluster[2] > 1)
      lines.emplace_back("launched in clusters of blocks");
    const cubin::KernelProgram code = cubin::program_of(module, kernel);
    if (seen.try_emplace(code.offset, name).second) {
      const emulator::Program program(sass::decode_section(code.code, module.architecture));
      totals.instructions += program.code().size();
      for (const emulator::Refusal& refusal : program.refusals())
        lines.push_back(fmt::format("/*{:04x}*/ {} ;  // {}", refusal.index * sass::instruction_bytes,
                                    text_of(program.code()[refusal.index]), refusal.reason));
    }
    if (lines.empty()) continue;
    totals.refused += lines.size();
    fmt::print("{}: {}\n", place, name);
    for (const std::string& line : lines) fmt::print("    {}\n", line);
  }
  for (const cubin::ExternalFunction& external : module.externals) {
    if (emulator::is_system_call(external.name)) continue;
    ++totals.refused;
    fmt::print("{}: calls {}, which is not served\n", place, external.name);
  }
}

void check(const Options& options) {
  const auto wanted = sm_number(options.architecture);
  Totals totals;
  for (const std::string& path : options.files) {
    const cubin::MappedFile file(path);
    std::size_t index = 0;
    for (const cubin::FatbinEntry& entry : entries_of(path, file)) {
      const std::size_t here = index++;
      if (entry.kind != cubin::FatbinKind::cubin || (wanted && entry.sm != *wanted)) continue;
      if (!sass::architecture_from_number(entry.sm)) continue;
      const std::string place =
          fmt::format("{}{}{} entry {}", path, entry.member.empty() ? "" : ":", entry.member, here);
      check_module(image_of(path, extracted(path, file, entry)), place, options, totals);
    }
  }
  if (totals.kernels == 0) throw Failure(ExitCode::no_such_kernel, "no kernel that can be decoded fits");
  fmt::print("{} kernels, {} instructions, {} not supported\n", totals.kernels, totals.instructions,
             totals.refused);
  if (totals.refused != 0)
    throw Failure(
        ExitCode::unknown_instruction,
        fmt::format("{} things in this code would stop a kernel that reaches them", totals.refused));
}

}  // namespace

void add_sass_unsupported(CLI::App& sass) {
  auto options = std::make_shared<Options>();
  CLI::App* command = sass.add_subcommand(
      "unsupported",
      "What would stop kernels that reach it: instructions that are not known or not executed, "
      "functions that are not served");
  command->add_option("FILE", options->files, "Cubins, fat binaries, executables, libraries")->required();
  command->add_option("--architecture", options->architecture, "Only cubins of this one: sm_90");
  command->add_option("--kernel-name", options->kernel, "Only kernels with this text in their name");
  command->callback([options] { check(*options); });
}

}  // namespace warpgauge::cli
