#include "cli/sass_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/sass_files.h"
#include "cli/sass_unsupported.h"
#include "traces/cubin/cubin.h"
#include "traces/sass/assemble.h"

namespace warpgauge::cli {

namespace {

using cubin::Bytes;
using cubin::FatbinEntry;
using cubin::FatbinKind;
using cubin::Image;
using cubin::Kernel;

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw CLI::ValidationError(option, why);
}

// Unsigned, decimal or 0x….
std::uint64_t number(std::string_view text, const std::string& option) {
  std::uint64_t value = 0;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size())
    refuse(option, fmt::format("\"{}\" is no number", text));
  return value;
}

std::string_view compression_name(cubin::Compression c) {
  switch (c) {
    case cubin::Compression::none:
      return "plain";
    case cubin::Compression::lz4:
      return "lz4";
    case cubin::Compression::zstd:
      return "zstd";
  }
  return "unknown";
}

// --- list ---

struct ListOptions {
  std::vector<std::string> files;
  std::string architecture;
  std::string kernel;
  bool json = false;
};

std::map<unsigned, std::size_t> bank_sizes(const Image& image, const Kernel& k) {
  std::map<unsigned, std::size_t> sizes;
  for (const auto& [bank, bytes] : image.constant_banks()) sizes[bank] = bytes.size();
  for (const auto& [bank, bytes] : k.constant_banks) sizes[bank] = bytes.size();
  return sizes;
}

nlohmann::json kernel_json(const Image& image, const Kernel& k) {
  nlohmann::json parameters = nlohmann::json::array();
  for (const cubin::Parameter& p : k.parameters) {
    parameters.push_back({{"ordinal", p.ordinal}, {"offset", p.offset}, {"bytes", p.size}});
  }
  nlohmann::json banks = nlohmann::json::object();
  for (const auto& [bank, size] : bank_sizes(image, k)) banks[std::to_string(bank)] = size;
  return {{"symbol", k.name},
          {"name", k.demangled_name()},
          {"registers", k.registers},
          {"shared_bytes", k.user_shared_bytes()},
          {"reserved_shared_bytes", k.reserved_shared_bytes},
          {"local_bytes", k.local_bytes()},
          {"barriers", k.barriers},
          {"constant_bytes", banks},
          {"parameter_base", k.parameter_base},
          {"parameters", parameters},
          {"code_bytes", k.code.size()}};
}

void print_kernels(const Image& image, const std::string& filter) {
  fmt::print("  {:>9} {:>7} {:>6} {:>8} {:>6}  {:<22} {:<16} {}\n", "registers", "shared", "local",
             "barriers", "code", "constant banks", "parameters", "kernel");
  for (const Kernel& k : image.kernels()) {
    if (!filter.empty() && k.name.find(filter) == std::string::npos &&
        k.demangled_name().find(filter) == std::string::npos) {
      continue;
    }
    std::vector<std::string> banks;
    for (const auto& [bank, size] : bank_sizes(image, k)) banks.push_back(fmt::format("{}:{}", bank, size));
    std::vector<std::uint32_t> sizes;
    for (const cubin::Parameter& p : k.parameters) sizes.push_back(p.size);
    fmt::print("  {:>9} {:>7} {:>6} {:>8} {:>6}  {:<22} {:<16} {}\n", k.registers, k.user_shared_bytes(),
               k.local_bytes(), k.barriers, k.code.size(), fmt::join(banks, " "),
               fmt::format("{}", fmt::join(sizes, ",")), k.demangled_name());
  }
}

nlohmann::json list_file(const std::string& path, const ListOptions& options) {
  const cubin::MappedFile file(path);
  const auto wanted = sm_number(options.architecture);
  nlohmann::json found = nlohmann::json::array();
  std::size_t index = 0;
  for (const FatbinEntry& e : entries_of(path, file)) {
    const std::size_t here = index++;
    if (wanted && e.sm != *wanted) continue;
    const std::string place =
        fmt::format("{}{}{} entry {}", path, e.member.empty() ? "" : ":", e.member, here);
    nlohmann::json entry = {{"file", path},
                            {"entry", here},
                            {"architecture", fmt::format("sm_{}", e.sm)},
                            {"compression", compression_name(e.compression)},
                            {"bytes", e.unpacked_bytes}};
    if (!e.member.empty()) entry["member"] = e.member;
    if (e.kind != FatbinKind::cubin) {
      const char* kind = e.kind == FatbinKind::ptx ? "ptx" : "other";
      entry["kind"] = kind;
      if (!options.json)
        fmt::print("{}: {} for compute_{}, {}\n", place, kind, e.sm, compression_name(e.compression));
      found.push_back(entry);
      continue;
    }
    entry["kind"] = "cubin";
    if (!sass::architecture_from_number(e.sm)) {
      if (!options.json) fmt::print("{}: cubin for sm_{}, which is not decoded\n", place, e.sm);
      found.push_back(entry);
      continue;
    }
    const Image image = image_of(path, extracted(path, file, e));
    entry["abi_version"] = image.abi_version();
    entry["kernels"] = nlohmann::json::array();
    if (!options.json) {
      fmt::print("{}: {} cubin for sm_{}, ABI {}, {} kernels\n", place, compression_name(e.compression), e.sm,
                 image.abi_version(), image.kernels().size());
      if (!image.kernels().empty()) print_kernels(image, options.kernel);
    } else {
      for (const Kernel& k : image.kernels()) entry["kernels"].push_back(kernel_json(image, k));
    }
    found.push_back(std::move(entry));
  }
  return found;
}

void list(const ListOptions& options) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& path : options.files) {
    for (auto& entry : list_file(path, options)) all.push_back(std::move(entry));
  }
  if (options.json)
    fmt::print("{}\n", nlohmann::json{{"schema", "warpgauge-cubins/1"}, {"entries", all}}.dump(2));
}

// --- disassemble ---

struct DisassembleCommand {
  std::string file;
  std::string architecture;
  std::string kernel;
  std::string output;
  bool raw = false;
  bool no_control = false;
  bool no_offsets = false;
  bool no_labels = false;
  bool words = false;
};

std::string disassemble_cubin(const Image& image, const DisassembleCommand& command,
                              const cubin::DisassembleOptions& options) {
  if (!command.kernel.empty()) return cubin::disassemble(image.kernel(command.kernel), options);
  std::string text;
  for (const Kernel& k : image.kernels()) {
    if (!text.empty()) text += '\n';
    text += cubin::disassemble(k, options);
  }
  return text;
}

void disassemble(const DisassembleCommand& command) {
  cubin::DisassembleOptions options;
  options.control = !command.no_control;
  options.offsets = !command.no_offsets;
  options.labels = !command.no_labels;
  options.words = command.words;
  const auto wanted = sm_number(command.architecture);
  std::string text;
  if (command.raw) {
    const auto architecture = wanted ? sass::architecture_from_number(*wanted) : std::nullopt;
    if (!architecture)
      refuse("--raw", "needs --architecture, one of sm_70, sm_75, sm_80, sm_86, sm_89, sm_90");
    text = cubin::disassemble(cubin::read_bytes(command.file), *architecture, options);
  } else {
    const cubin::MappedFile file(command.file);
    // A program has a cubin of each of its parts: the kernel is in one of them.
    std::optional<cubin::KernelNotFound> missed;
    for (const FatbinEntry& e : entries_of(command.file, file)) {
      if (e.kind != FatbinKind::cubin || !sass::architecture_from_number(e.sm)) continue;
      if (wanted && e.sm != *wanted) continue;
      const Image image = image_of(command.file, extracted(command.file, file, e));
      std::string part;
      try {
        part = disassemble_cubin(image, command, options);
      } catch (const cubin::KernelNotFound& miss) {
        if (!missed || !image.kernels().empty()) missed = miss;
        continue;
      }
      if (!text.empty() && !part.empty()) text += '\n';
      text += part;
    }
    if (text.empty() && missed) throw *missed;
    if (text.empty()) throw cubin::Error(fmt::format("{}: no cubin that can be decoded", command.file));
  }
  if (command.output.empty()) {
    fmt::print("{}", text);
  } else {
    cubin::write_bytes(command.output, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
}

// --- assemble ---

struct AssembleCommand {
  std::string file;
  std::string output;
};

void assemble(const AssembleCommand& command) {
  const cubin::MappedFile file(command.file);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  try {
    cubin::write_bytes(command.output, cubin::assemble_cubin(text));
  } catch (const sass::AssemblyError& e) {
    throw cubin::Error(fmt::format("{}: {}", command.file, e.what()));
  }
}

// --- extract ---

struct ExtractOptions {
  std::string file;
  std::string architecture;
  std::string folder = ".";
  std::string kernel;
};

void extract(const ExtractOptions& options) {
  const cubin::MappedFile file(options.file);
  const auto wanted = sm_number(options.architecture);
  std::filesystem::create_directories(options.folder);
  std::size_t index = 0;
  std::size_t written = 0;
  for (const FatbinEntry& e : entries_of(options.file, file)) {
    const std::size_t here = index++;
    if (e.kind != FatbinKind::cubin || (wanted && e.sm != *wanted)) continue;
    const Bytes bytes = extracted(options.file, file, e);
    if (!options.kernel.empty()) {
      if (!sass::architecture_from_number(e.sm)) continue;
      const Image image = image_of(options.file, bytes);
      const auto has = [&](const Kernel& k) {
        return k.name == options.kernel || k.demangled_name().find(options.kernel) != std::string::npos;
      };
      if (std::none_of(image.kernels().begin(), image.kernels().end(), has)) continue;
    }
    const std::string name =
        fmt::format("{}.{}.sm_{}.cubin", std::filesystem::path(options.file).filename().string(), here, e.sm);
    const std::string path = (std::filesystem::path(options.folder) / name).string();
    cubin::write_bytes(path, bytes);
    fmt::print("{}\n", path);
    ++written;
  }
  if (written == 0) throw cubin::Error(fmt::format("{}: no cubin fits", options.file));
}

// --- patch ---

struct PatchOptions {
  std::string file;
  std::string output;
  std::string kernel;
  std::optional<std::uint32_t> registers;
  std::optional<std::uint32_t> shared;
  std::optional<std::uint32_t> barriers;
  std::optional<std::uint32_t> frame;
  std::vector<std::uint32_t> max_threads;
  std::vector<std::string> words;
  std::vector<std::string> instructions;
};

void set_words(cubin::Patch& patch, const std::string& kernel, const std::vector<std::string>& words) {
  for (const std::string& text : words) {
    const auto equals = text.find('=');
    const auto comma = text.find(',', equals == std::string::npos ? 0 : equals);
    if (equals == std::string::npos || comma == std::string::npos) {
      refuse("--word", fmt::format("\"{}\" is not OFFSET=LOW,HIGH", text));
    }
    const std::string_view view = text;
    sass::Word word;
    word.low = number(view.substr(equals + 1, comma - equals - 1), "--word");
    word.high = number(view.substr(comma + 1), "--word");
    patch.set_word(kernel, number(view.substr(0, equals), "--word"), word);
  }
}

void set_instructions(cubin::Patch& patch, const Kernel& kernel,
                      const std::vector<std::string>& instructions) {
  for (const std::string& text : instructions) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) refuse("--instruction", fmt::format("\"{}\" is not OFFSET=TEXT", text));
    const std::uint64_t offset = number(std::string_view(text).substr(0, equals), "--instruction");
    try {
      const sass::Instruction i =
          sass::assemble_instruction(text.substr(equals + 1), kernel.architecture, offset);
      patch.set_word(kernel.name, offset, i.word);
    } catch (const sass::AssemblyError& e) {
      refuse("--instruction", fmt::format("\"{}\": {}", text.substr(equals + 1), e.what()));
    }
  }
}

void patch(const PatchOptions& options) {
  const Image image = Image::read_file(options.file);
  std::string kernel = options.kernel;
  if (kernel.empty()) {
    if (image.kernels().size() != 1) {
      refuse("--kernel", fmt::format("{} has {} kernels; name one", options.file, image.kernels().size()));
    }
    kernel = image.kernels()[0].name;
  }
  const auto bytes = image.elf().bytes();
  cubin::Patch patch(Bytes(bytes.begin(), bytes.end()));
  if (options.registers) patch.set_registers(kernel, *options.registers);
  if (options.shared) patch.set_shared_bytes(kernel, *options.shared);
  if (options.barriers) patch.set_barriers(kernel, *options.barriers);
  if (options.frame) patch.set_frame_bytes(kernel, *options.frame);
  if (!options.max_threads.empty()) {
    patch.set_max_threads(kernel, {options.max_threads[0], options.max_threads[1], options.max_threads[2]});
  }
  set_words(patch, kernel, options.words);
  set_instructions(patch, image.kernel(kernel), options.instructions);
  cubin::write_bytes(options.output, patch.bytes());
}

void add_list(CLI::App& sass) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      sass.add_subcommand("list", "Kernels of cubins, fat binaries, executables, libraries, archives");
  command->add_option("FILE", options->files, "Files to read")->required();
  command->add_option("--architecture", options->architecture, "Only cubins of this one: sm_90");
  command->add_option("--kernel-name", options->kernel, "Only kernels with this text in their name");
  command->add_flag("--json", options->json, "JSON instead of a table");
  command->callback([options] { list(*options); });
}

void add_disassemble(CLI::App& sass) {
  auto options = std::make_shared<DisassembleCommand>();
  CLI::App* command = sass.add_subcommand("disassemble", "Machine code as text");
  command->add_option("FILE", options->file, "Cubin, fat binary, executable or library")->required();
  command->add_option("--architecture", options->architecture, "Only cubins of this one: sm_90");
  command->add_option("--kernel-name", options->kernel, "Only this kernel");
  command->add_option("-o,--output", options->output, "File to write instead of the standard output");
  command->add_flag("--raw", options->raw, "FILE holds nothing but instruction words");
  command->add_flag("--no-control", options->no_control, "Leave the control words out");
  command->add_flag("--no-offsets", options->no_offsets, "Leave the offsets out");
  command->add_flag("--no-labels", options->no_labels, "Print branch targets as numbers");
  command->add_flag("--words", options->words, "Add each instruction's encoding");
  command->callback([options] { disassemble(*options); });
}

void add_assemble(CLI::App& sass) {
  auto options = std::make_shared<AssembleCommand>();
  CLI::App* command = sass.add_subcommand("assemble", "A .sass file to a cubin that a card loads");
  command->add_option("FILE", options->file, "The text")->required();
  command->add_option("-o,--output", options->output, "The cubin to write")->required();
  command->callback([options] { assemble(*options); });
}

void add_extract(CLI::App& sass) {
  auto options = std::make_shared<ExtractOptions>();
  CLI::App* command = sass.add_subcommand("extract", "Write the cubins inside a file to files of their own");
  command->add_option("FILE", options->file, "Executable, library, archive or fat binary")->required();
  command->add_option("--architecture", options->architecture, "Only cubins of this one: sm_90");
  command->add_option("--kernel-name", options->kernel, "Only cubins with such a kernel");
  command->add_option("--output-folder", options->folder, "Where to write (default: here)");
  command->callback([options] { extract(*options); });
}

void add_patch(CLI::App& sass) {
  auto options = std::make_shared<PatchOptions>();
  CLI::App* command = sass.add_subcommand("patch", "Change a cubin's code words and metadata in place");
  command->add_option("FILE", options->file, "The cubin")->required();
  command->add_option("-o,--output", options->output, "The cubin to write")->required();
  command->add_option("--kernel-name", options->kernel, "Which kernel; may be left out where there is one");
  command->add_option("--registers", options->registers, "Registers a thread, 1 to 255");
  command->add_option("--shared-bytes", options->shared, "Static shared memory of a block");
  command->add_option("--barriers", options->barriers, "Named barriers, 0 to 16");
  command->add_option("--frame-bytes", options->frame, "Local memory of a thread");
  command->add_option("--max-threads", options->max_threads, "Launch bounds: x y z")->expected(3);
  command->add_option("--word", options->words,
                      "OFFSET=LOW,HIGH: the instruction at OFFSET as two 64-bit halves");
  command->add_option("--instruction", options->instructions,
                      "OFFSET=TEXT: the instruction at OFFSET, assembled");
  command->callback([options] { patch(*options); });
}

}  // namespace

void add_sass_command(CLI::App& app) {
  CLI::App* sass = app.add_subcommand("sass", "Machine code and the files that hold it");
  sass->require_subcommand(1);
  add_list(*sass);
  add_disassemble(*sass);
  add_assemble(*sass);
  add_extract(*sass);
  add_patch(*sass);
  add_sass_unsupported(*sass);
}

}  // namespace warpgauge::cli
