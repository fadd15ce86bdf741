#include "traces/cubin/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "traces/sass/assemble.h"

namespace warpgauge::cubin {

namespace {

constexpr std::string_view first_directive = ".architecture";

// Each kernel's text, with the lines before it left blank so that errors name the line of the whole.
std::vector<std::string> split_kernels(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(" \t\r");
    const bool begins = first != std::string_view::npos && line.substr(first).starts_with(first_directive);
    const bool only_blank_before = parts.size() == 1 && parts[0].find(first_directive) == std::string::npos;
    if (parts.empty() || (begins && !only_blank_before)) parts.emplace_back(lines, '\n');
    parts.back().append(line);
    parts.back().push_back('\n');
    ++lines;
    at = end + 1;
  }
  if (parts.empty()) parts.emplace_back();
  return parts;
}

std::vector<Parameter> parameters(const std::vector<sass::SassParameter>& declared) {
  std::vector<std::uint32_t> sizes;
  sizes.reserve(declared.size());
  for (const sass::SassParameter& p : declared) sizes.push_back(p.size);
  std::vector<Parameter> result = lay_out_parameters(sizes);
  for (std::size_t i = 0; i < declared.size(); ++i)
    result[i].offset = declared[i].offset.value_or(result[i].offset);
  return result;
}

}  // namespace

KernelSource kernel_source(const sass::SassFile& file) {
  KernelSource k;
  k.name = file.kernel;
  for (const sass::Word& word : file.code) {
    append(k.code, word.low);
    append(k.code, word.high);
  }
  k.registers = file.registers;
  k.shared_bytes = file.shared_bytes;
  k.frame_bytes = file.frame_bytes;
  k.barriers = file.barriers;
  k.max_threads = file.max_threads;
  k.parameters = parameters(file.parameters);
  k.constant2 = file.constant2;
  return k;
}

Bytes assemble_cubin(std::string_view text) {
  ModuleSource module;
  for (const std::string& part : split_kernels(text)) {
    const sass::SassFile file = sass::parse_sass_file(part);
    if (!module.kernels.empty() && file.architecture != module.architecture) {
      throw Error(fmt::format("{} is for {}, the kernels before it for {}", file.kernel,
                              sass::name(file.architecture), sass::name(module.architecture)));
    }
    module.architecture = file.architecture;
    module.kernels.push_back(kernel_source(file));
  }
  return write_cubin(module);
}

}  // namespace warpgauge::cubin
