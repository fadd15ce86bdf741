#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/failure.h"
#include "cli/trace/trace.h"
#include "traces/native/reader.h"
#include "traces/native/summary.h"

namespace warpgauge::cli::trace {
namespace {

using native::Summary;

constexpr const char* space_names[] = {"none", "global", "shared", "local", "constant", "texture"};
constexpr const char* shape_names[] = {"uniform", "stride", "tile", "list"};

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

nlohmann::ordered_json to_json(const native::KernelTrace& trace, const Summary& s) {
  const native::KernelInfo& info = trace.info();
  const traces::LaunchShape& shape = info.shape;
  nlohmann::ordered_json json;
  json["name"] = shape.demangled;
  json["symbol"] = shape.kernel;
  json["launch_index"] = info.launch_index;
  json["architecture"] = sass::name(shape.architecture);
  json["grid"] = {shape.grid.x, shape.grid.y, shape.grid.z};
  json["block"] = {shape.block.x, shape.block.y, shape.block.z};
  json["control_words"] = info.control_words == native::ControlWords::compiler;
  json["warp_instructions"] = s.warp_instructions;
  json["thread_instructions"] = s.thread_instructions;
  json["stored_bytes"] = trace.stored_bytes();
  json["opcodes"] = s.opcodes;
  json["lanes"] = s.lanes;
  json["branches_taken"] = s.branches;
  json["divergent_branches"] = s.divergent;
  for (std::size_t i = 1; i < Summary::spaces; ++i) {
    const Summary::Space& space = s.by_space[i];
    if (space.accesses == 0) continue;
    auto& one = json["accesses"][space_names[i]];
    one["count"] = space.accesses;
    one["bytes"] = space.bytes;
    for (std::size_t k = 0; k < space.shapes.size(); ++k) one["shapes"][shape_names[k]] = space.shapes[k];
  }
  json["footprint"] = {{"sectors", s.sectors}, {"lines", s.lines}, {"sector_requests", s.sector_requests}};
  return json;
}

void print(const native::KernelTrace& trace, const Summary& s) {
  const native::KernelInfo& info = trace.info();
  const traces::LaunchShape& shape = info.shape;
  fmt::print("{} ({}, {}, {})x({}, {}, {}), launch {}, {}{}\n", shape.demangled, shape.grid.x, shape.grid.y,
             shape.grid.z, shape.block.x, shape.block.y, shape.block.z, info.launch_index,
             sass::name(shape.architecture),
             info.control_words == native::ControlWords::absent ? ", without control words" : "");
  fmt::print("    {:<34}{:>16}\n", "Warp instructions", s.warp_instructions);
  fmt::print("    {:<34}{:>16.2f}\n", "Lanes an instruction",
             ratio(s.thread_instructions, s.warp_instructions));
  fmt::print("    {:<34}{:>16}\n", "Instructions of all lanes", s.lanes[traces::warp_size]);
  fmt::print("    {:<34}{:>16}\n", "Instructions of no lane", s.lanes[0]);
  fmt::print("    {:<34}{:>16}\n", "Branches taken", s.branches);
  fmt::print("    {:<34}{:>16}\n", "Branches that part lanes", s.divergent);
  fmt::print("    {:<34}{:>16}  {:.3f} a warp instruction\n", "Bytes in the file", trace.stored_bytes(),
             ratio(trace.stored_bytes(), s.warp_instructions));
  fmt::print("    {:<34}{:>16}  {} lines, {:.2f} MiB\n", "Sectors of global memory touched", s.sectors,
             s.lines, static_cast<double>(s.sectors) * 32 / (1 << 20));
  for (std::size_t i = 1; i < Summary::spaces; ++i) {
    const Summary::Space& space = s.by_space[i];
    if (space.accesses == 0) continue;
    fmt::print("    {:<34}{:>16}  uniform {}, stride {}, tile {}, list {}\n",
               fmt::format("Accesses, {}", space_names[i]), space.accesses, space.shapes[0], space.shapes[1],
               space.shapes[2], space.shapes[3]);
  }
  std::vector<std::pair<std::uint64_t, std::string>> mix;
  for (const auto& [name, count] : s.opcodes) mix.emplace_back(count, name);
  std::sort(mix.begin(), mix.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (const auto& [count, name] : mix)
    fmt::print("    {:<34}{:>16}  {:.1f} %\n", name, count, 100 * ratio(count, s.warp_instructions));
  fmt::print("\n");
}

}  // namespace

void info(const InfoOptions& options) {
  const native::Reader reader(options.trace);
  nlohmann::ordered_json json;
  json["schema"] = "warpgauge-trace-info/1";
  json["file_bytes"] = reader.file_bytes();
  json["kernels"] = nlohmann::ordered_json::array();
  bool any = false;
  for (std::size_t k = 0; k < reader.kernels(); ++k) {
    const auto trace = reader.kernel(k);
    const traces::LaunchShape& shape = trace->info().shape;
    if (!options.kernel.empty() && options.kernel != shape.kernel && options.kernel != shape.demangled)
      continue;
    any = true;
    const Summary summary = native::summarize(*trace);
    json["kernels"].push_back(to_json(*trace, summary));
    if (options.json_path != "-") print(*trace, summary);
  }
  if (!any && !options.kernel.empty())
    throw Failure(ExitCode::no_such_kernel,
                  fmt::format("{}: holds no kernel {}", options.trace, options.kernel));
  if (options.json_path == "-") {
    fmt::print("{}\n", json.dump(2));
  } else if (!options.json_path.empty()) {
    std::ofstream out(options.json_path, std::ios::binary);
    out << json.dump(2) << '\n';
    if (!out.flush())
      throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", options.json_path));
  }
}

}  // namespace warpgauge::cli::trace
