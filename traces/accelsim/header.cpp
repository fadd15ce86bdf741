#include "traces/accelsim/header.h"

#include <fmt/format.h>

#include "traces/accelsim/number.h"

namespace warpgauge::accelsim {
namespace {

template <class T>
T number(std::string_view text, const TextSource& source, int base = 10) {
  return parse_number<T>(text, base, "a number", source);
}

traces::Dim3 dimensions(std::string_view text, const TextSource& source) {
  traces::Dim3 d;
  if (text.size() < 2 || text.front() != '(' || text.back() != ')')
    source.fail("dimensions without parentheses");
  text = text.substr(1, text.size() - 2);
  std::uint32_t* const parts[] = {&d.x, &d.y, &d.z};
  for (unsigned i = 0; i < 3; ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i == 2)) source.fail("dimensions that are not three");
    *parts[i] = number<std::uint32_t>(trimmed(text.substr(0, comma)), source);
    if (*parts[i] == 0) source.fail("a dimension of zero");
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  return d;
}

void check(const KernelHeader& h, const TextSource& source) {
  constexpr std::uint64_t most_threads = std::uint64_t{traces::max_warps_per_block} * traces::warp_size;
  constexpr std::uint64_t most_blocks = std::uint64_t{1} << 28;
  if (h.name.empty()) source.fail("a kernel without a name");
  if (h.lines.version < 3 || h.lines.version > 6)
    source.fail(fmt::format("a trace of tracer version {}; versions 3 to 6 are read", h.lines.version));
  if (std::uint64_t{h.block.x} * h.block.y > most_threads || h.block.z > most_threads ||
      h.block.count() > most_threads)
    source.fail("a block of more than 1024 threads");
  if (std::uint64_t{h.grid.x} * h.grid.y > most_blocks || h.grid.z > most_blocks ||
      h.grid.count() > most_blocks)
    source.fail("a grid of too many blocks");
  if (h.registers > 255) source.fail("more registers than a thread has");
}

}  // namespace

KernelHeader parse_header(TextSource& source) {
  KernelHeader h;
  std::string_view line;
  while (source.next(line)) {
    if (line.starts_with("#BEGIN_TB")) {
      source.back();
      break;
    }
    if (line.starts_with('#')) break;
    line = trimmed(line);
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (!line.starts_with('-') || equals == std::string_view::npos)
      source.fail("a line that is not part of a kernel's header");
    const std::string_view key = trimmed(line.substr(1, equals - 1));
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (key == "kernel name") {
      h.name = value;
    } else if (key == "kernel id") {
      h.id = number<std::uint32_t>(value, source);
    } else if (key == "grid dim") {
      h.grid = dimensions(value, source);
    } else if (key == "block dim") {
      h.block = dimensions(value, source);
    } else if (key == "shmem") {
      h.shared_bytes = number<std::uint32_t>(value, source);
    } else if (key == "nregs") {
      h.registers = number<std::uint32_t>(value, source);
    } else if (key == "binary version") {
      h.binary_version = number<unsigned>(value, source);
    } else if (key == "cuda stream id") {
      h.stream = number<std::uint64_t>(value, source);
    } else if (key == "shmem base_addr") {
      h.shared_base = number<std::uint64_t>(value, source, 16);
    } else if (key == "local mem base_addr") {
      h.local_base = number<std::uint64_t>(value, source, 16);
    } else if (key == "accelsim tracer version") {
      h.lines.version = number<unsigned>(value, source);
    } else if (key == "enable lineinfo") {
      h.lines.line_info = number<unsigned>(value, source) != 0;
    }
  }
  check(h, source);
  return h;
}

std::string format_header(const KernelHeader& h) {
  return fmt::format(
      "-kernel name = {}\n-kernel id = {}\n-grid dim = ({},{},{})\n-block dim = ({},{},{})\n-shmem = "
      "{}\n-nregs = {}\n"
      "-binary version = {}\n-cuda stream id = {}\n-shmem base_addr = 0x{:016x}\n-local mem base_addr = "
      "0x{:016x}\n"
      "-nvbit version = none\n-accelsim tracer version = {}\n-enable lineinfo = {}\n\n"
      "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [address_mode] "
      "[mem_addresses] immediate\n\n",
      h.name, h.id, h.grid.x, h.grid.y, h.grid.z, h.block.x, h.block.y, h.block.z, h.shared_bytes,
      h.registers, h.binary_version, h.stream, h.shared_base, h.local_base, h.lines.version,
      h.lines.line_info ? 1 : 0);
}

std::vector<Command> parse_list(TextSource& source) {
  std::vector<Command> commands;
  std::string_view line;
  while (source.next(line)) {
    line = trimmed(line);
    if (line.empty()) continue;
    Command command;
    if (line.starts_with("MemcpyHtoD")) {
      const std::size_t first = line.find(',');
      const std::size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
      if (second == std::string_view::npos) source.fail("a copy without an address and a size");
      command.kind = Command::Kind::copy_to_device;
      command.address =
          number<std::uint64_t>(trimmed(line.substr(first + 1, second - first - 1)), source, 16);
      command.bytes = number<std::uint64_t>(trimmed(line.substr(second + 1)), source);
    } else if (line.starts_with("kernel")) {
      command.kind = Command::Kind::kernel;
      command.file = line;
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace warpgauge::accelsim
