#include "traces/accelsim/export.h"

#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <vector>

#include "traces/accelsim/header.h"
#include "traces/accelsim/instruction_facts.h"
#include "traces/emulator/block.h"
#include "traces/native/walk.h"

namespace warpgauge::accelsim {
namespace {

using native::advance;
using native::BlockStreams;

constexpr std::size_t piece_bytes = std::size_t{1} << 18;

// What stays the same for every execution of an instruction.
struct StaticLine {
  std::string opcode;
  TraceLine line;
  StaticAccess access;
};

std::vector<StaticLine> static_lines(std::span<const sass::Instruction> code) {
  std::vector<StaticLine> lines(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    describe(lines[i].line, lines[i].opcode, code[i]);
    lines[i].line.pc = i * sass::instruction_bytes;
    lines[i].access = static_access(code[i]);
    // The uniform datapath's loads carry no addresses in this format.
    if (!lines[i].access.uniform) lines[i].line.width = lines[i].access.bytes;
    if (lines[i].line.width != 0) lines[i].line.immediate = 0;
  }
  for (StaticLine& line : lines) line.line.opcode = line.opcode;
  return lines;
}

std::vector<std::uint64_t> count_instructions(BlockStreams& streams) {
  std::vector<std::uint64_t> counts(streams.warps(), 0);
  traces::Issued issued;
  for (unsigned w = 0; w < streams.warps(); ++w)
    for (; !streams.warp(w).exited(); ++counts[w]) advance(streams, w, issued);
  return counts;
}

void fill_addresses(TraceLine& line, const StaticAccess& access, const traces::Issued& issued) {
  std::uint64_t window = 0;
  if (access.generic && issued.space == traces::MemorySpace::shared) window = emulator::shared_window;
  if (access.generic && issued.space == traces::MemorySpace::local) window = emulator::local_window;
  for (std::uint32_t rest = line.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    line.addresses[lane] = issued.addresses == nullptr ? 0 : issued.addresses[lane] + window;
  }
}

}  // namespace

void export_kernel(const native::KernelTrace& trace, std::uint32_t id,
                   const std::function<void(std::string_view)>& write) {
  const traces::LaunchShape& shape = trace.info().shape;
  KernelHeader header;
  header.name = shape.kernel;
  header.id = id;
  header.grid = shape.grid;
  header.block = shape.block;
  header.shared_bytes = shape.static_shared_bytes + shape.dynamic_shared_bytes;
  header.registers = shape.registers_per_thread;
  header.binary_version = static_cast<unsigned>(shape.architecture);
  header.shared_base = emulator::shared_window;
  header.local_base = emulator::local_window;
  std::string out = format_header(header);
  std::vector<StaticLine> lines = static_lines(trace.code());
  BlockStreams streams;
  traces::Issued issued;
  for (std::uint64_t block = 0; block < trace.blocks(); ++block) {
    // A warp's lines come after their number: each block is read twice.
    streams.begin(trace, block);
    const std::vector<std::uint64_t> counts = count_instructions(streams);
    streams.begin(trace, block);
    out += fmt::format("#BEGIN_TB\n\nthread block = {},{},{}\n", block % shape.grid.x,
                       block / shape.grid.x % shape.grid.y, block / shape.grid.x / shape.grid.y);
    for (unsigned w = 0; w < streams.warps(); ++w) {
      out += fmt::format("\nwarp = {}\ninsts = {}\n", w, counts[w]);
      while (!streams.warp(w).exited()) {
        StaticLine& instruction = lines[advance(streams, w, issued)];
        // The uniform datapath works once for all lanes; a tracer sees those that are active.
        instruction.line.mask =
            instruction.access.uniform ? issued.executed_mask & issued.active_mask : issued.executed_mask;
        if (instruction.line.width != 0) fill_addresses(instruction.line, instruction.access, issued);
        append_line(out, instruction.line);
        if (out.size() < piece_bytes) continue;
        write(out);
        out.clear();
      }
    }
    out += "\n#END_TB\n\n";
  }
  write(out);
}

void export_run(const native::Reader& reader, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto write_to = [&](const std::string& name, const auto& produce) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (file)
      produce(
          [&](std::string_view text) { file.write(text.data(), static_cast<std::streamsize>(text.size())); });
    file.flush();
    if (!file) throw Error(path + ": cannot be written");
  };
  std::string list;
  for (std::size_t k = 0; k < reader.kernels(); ++k) {
    const std::string name = fmt::format("kernel-{}.traceg", k + 1);
    const auto trace = reader.kernel(k);
    write_to(name,
             [&](const auto& write) { export_kernel(*trace, static_cast<std::uint32_t>(k + 1), write); });
    list += name + "\n";
  }
  write_to("kernelslist.g", [&](const auto& write) { write(list); });
}

}  // namespace warpgauge::accelsim
