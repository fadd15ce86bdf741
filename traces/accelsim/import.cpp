#include "traces/accelsim/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "traces/accelsim/pseudo_code.h"
#include "traces/accelsim/tracez.h"
#include "traces/accelsim/warp_import.h"
#include "traces/cubin/load.h"
#include "traces/cubin/write.h"
#include "traces/native/reader.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"

namespace warpgauge::accelsim {
namespace {

// Code of more instructions than any kernel has: a damaged place.
constexpr std::uint64_t most_instructions = std::uint64_t{1} << 18;

sass::Architecture architecture_of(const KernelLines& lines) {
  const auto architecture = sass::architecture_from_number(lines.header().binary_version);
  if (!architecture)
    lines.fail(fmt::format("code of sm_{}, which is not read", lines.header().binary_version));
  return *architecture;
}

// The instructions that the lines name, by their place.
class Listing {
 public:
  // Reads all of the kernel.
  explicit Listing(KernelLines& lines) {
    std::uint64_t block = 0;
    unsigned warp = 0;
    TraceLine line;
    while (lines.next_block(block)) {
      while (lines.next_warp(warp)) {
        while (lines.lines().next(line)) add(line, lines.lines());
        end_run();
      }
    }
    if (instructions_.empty()) lines.fail("a kernel without instructions");
  }

  [[nodiscard]] std::vector<std::uint8_t> code(sass::Architecture architecture,
                                               std::uint64_t& unknown) const {
    const std::uint64_t count = instructions_.rbegin()->first + 1;
    const PseudoInstruction nothing{
        .opcode = "NOP", .destination = no_register, .sources = {}, .guarded = false};
    bool known = false;
    std::vector<sass::Word> words(count, pseudo_word(nothing, architecture, known));
    for (const auto& [index, instruction] : instructions_) {
      words[index] = pseudo_word(instruction, architecture, known);
      if (!known) ++unknown;
    }
    std::vector<std::uint8_t> bytes(count * sizeof(sass::Word));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
  }
  [[nodiscard]] unsigned registers() const { return registers_; }

 private:
  void add(const TraceLine& line, const WarpLines& lines) {
    const std::uint64_t index = line.pc / sass::instruction_bytes;
    if (line.pc % sass::instruction_bytes != 0 || index >= most_instructions)
      lines.fail(fmt::format("an instruction at {:#x}, which is not a place in a kernel", line.pc));
    PseudoInstruction& known = instructions_[index];
    if (known.opcode.empty()) {
      known.opcode = line.opcode;
      known.destination = line.destination;
      known.sources.assign(line.sources.begin(), line.sources.begin() + line.source_count);
      for (const std::uint16_t r : known.sources)
        registers_ = std::max<unsigned>(registers_, r == 255 ? 0 : r + 1U);
      if (line.destination < 255) registers_ = std::max<unsigned>(registers_, line.destination + 1U);
    } else if (known.opcode != line.opcode) {
      lines.fail(fmt::format("{} and {} at {:#x}: a kernel that calls other functions needs its cubin",
                             known.opcode, line.opcode, line.pc));
    }
    if (!run_.empty() && index != run_.back().first + 1) end_run();
    run_.emplace_back(index, line.mask);
  }
  // In instructions that follow each other the lanes change by guards alone.
  void end_run() {
    std::uint32_t joined = 0;
    for (const auto& [index, mask] : run_) joined |= mask;
    for (const auto& [index, mask] : run_)
      if (mask != joined) instructions_[index].guarded = true;
    run_.clear();
  }

  std::map<std::uint64_t, PseudoInstruction> instructions_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> run_;
  unsigned registers_ = 0;
};

cubin::Bytes make_cubin(KernelLines& lines, std::uint64_t& unknown) {
  const KernelHeader header = lines.header();
  const sass::Architecture architecture = architecture_of(lines);
  const Listing listing(lines);
  cubin::KernelSource kernel;
  kernel.name = header.name;
  kernel.code = listing.code(architecture, unknown);
  kernel.registers = std::clamp(std::max(header.registers, listing.registers()), 1U, 255U);
  kernel.shared_bytes = header.shared_bytes;
  kernel.barriers = 16;
  return cubin::write_cubin({architecture, {kernel}, {}});
}

struct FoundModule {
  native::ModuleImage image;
  cubin::LoadedModule loaded;
};

FoundModule load_module(const cubin::ElfFile& file) {
  FoundModule found;
  const cubin::ByteView bytes = file.bytes().first(file.extent());
  found.image.cubin.assign(bytes.begin(), bytes.end());
  found.loaded = cubin::load(cubin::Image(found.image.cubin));
  found.image.code_base = found.loaded.code_base;
  for (const cubin::DataSegment& segment : found.loaded.segments)
    found.image.segments.push_back(segment.address);
  return found;
}

ImportedCode imported(std::span<const sass::Instruction> code, bool check_names, const KernelHeader& header) {
  ImportedCode result;
  result.code = code;
  result.map = native::make_code_map(code, native::classify(code));
  result.shared_base = header.shared_base;
  result.local_base = header.local_base;
  TraceLine line;
  std::string text;
  for (const sass::Instruction& i : code) {
    result.accesses.push_back(static_access(i));
    result.barriers.push_back(static_barrier(i));
    if (!check_names) continue;
    describe(line, text, i);
    result.opcodes.push_back(text.substr(0, text.find('.')));
  }
  return result;
}

void import_blocks(KernelLines& lines, const ImportedCode& code, native::KernelWriter& kernel) {
  const traces::LaunchShape& shape = kernel.info().shape;
  const unsigned warps = shape.warps_per_block();
  WarpImport import(code);
  std::uint64_t blocks = 0;
  std::uint64_t linear = 0;
  for (; lines.next_block(linear); ++blocks) {
    if (kernel.has(linear)) lines.fail("a block comes twice");
    traces::BlockObserver& block = kernel.begin_block(linear);
    std::uint32_t found = 0;
    for (unsigned warp = 0; lines.next_warp(warp);) {
      if (warp >= warps || (found >> warp & 1U) != 0)
        lines.fail(fmt::format("warp {} is not the block's", warp));
      found |= 1U << warp;
      import.run(lines.lines(), warp, native::initial_lanes(shape.threads_per_block(), warp), block);
    }
    if (static_cast<unsigned>(std::popcount(found)) != warps) lines.fail("a block without all of its warps");
    kernel.end_block(block);
  }
  if (blocks != shape.grid.count()) lines.fail("the trace ends before its last block");
}

bool is_tracez(const std::string& path) {
  return path.ends_with(".tracez");
}

OpenKernel opener(const std::string& path) {
  if (is_tracez(path)) return [path] { return read_tracez(native::open_file(path), path); };
  return [path] { return read_traceg(open_text(path)); };
}

bool is_kernel_file(const std::string& path) {
  return path.ends_with(".traceg") || path.ends_with(".traceg.xz") || is_tracez(path);
}

}  // namespace

void import_kernel(const OpenKernel& open, std::uint32_t launch_index, const ImportOptions& options,
                   native::Writer& writer, ImportSummary& summary) {
  std::unique_ptr<KernelLines> lines = open();
  const KernelHeader header = lines->header();
  const cubin::Image* with = nullptr;
  for (const auto& image : options.cubins)
    for (const cubin::Kernel& kernel : image->kernels())
      if (kernel.name == header.name) with = image.get();
  native::KernelInfo info;
  FoundModule module;
  if (with != nullptr) {
    module = load_module(with->elf());
  } else {
    module = load_module(cubin::ElfFile(make_cubin(*lines, summary.unknown_opcodes)));
    lines = open();
    info.control_words = native::ControlWords::absent;
    ++summary.without_code;
  }
  const cubin::Kernel& kernel = module.loaded.kernel(header.name);
  const cubin::KernelProgram program = cubin::program_of(module.loaded, kernel);
  const std::vector<sass::Instruction> code = sass::decode_section(program.code, module.loaded.architecture);
  info.launch_index = launch_index;
  info.entry = program.entry;
  traces::LaunchShape& shape = info.shape;
  shape.kernel = kernel.name;
  shape.demangled = kernel.demangled_name();
  shape.architecture = module.loaded.architecture;
  shape.grid = header.grid;
  shape.block = header.block;
  shape.registers_per_thread = kernel.registers;
  shape.static_shared_bytes = std::min(kernel.user_shared_bytes(), header.shared_bytes);
  shape.dynamic_shared_bytes = header.shared_bytes - shape.static_shared_bytes;
  constexpr std::uint32_t most_local = std::uint32_t{1} << 24;
  shape.local_bytes_per_thread = std::min(kernel.local_bytes(), most_local);
  shape.barriers = with != nullptr ? kernel.barriers : 1;
  shape.code_address = program.address;
  info.module = writer.add_module(std::move(module.image));
  const ImportedCode with_facts = imported(code, with != nullptr, header);
  const std::unique_ptr<native::KernelWriter> output = writer.begin_kernel(std::move(info), code);
  import_blocks(*lines, with_facts, *output);
  output->finish();
  ++summary.kernels;
}

ImportSummary import_run(const std::string& path, const ImportOptions& options, native::Writer& writer) {
  ImportSummary summary;
  if (is_kernel_file(path)) {
    import_kernel(opener(path), 0, options, writer, summary);
    return summary;
  }
  const std::unique_ptr<TextSource> list = open_text(path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const Command& command : parse_list(*list)) {
    if (command.kind == Command::Kind::copy_to_device) ++summary.copies;
    if (command.kind != Command::Kind::kernel) continue;
    if (!is_kernel_file(command.file))
      throw Error(fmt::format("{}: \"{}\" is not a kernel's trace", path, command.file));
    import_kernel(opener((folder / command.file).string()), static_cast<std::uint32_t>(summary.kernels),
                  options, writer, summary);
  }
  if (summary.kernels == 0) throw Error(path + ": names no kernels");
  return summary;
}

}  // namespace warpgauge::accelsim
