#include "cli/sass_files.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

namespace warpgauge::cli {

std::optional<unsigned> sm_number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::string_view digits = text;
  for (const std::string_view prefix : {"sm_", "sm"}) {
    if (digits.starts_with(prefix)) {
      digits.remove_prefix(prefix.size());
      break;
    }
  }
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size())
    throw CLI::ValidationError("--architecture", text + " is no architecture");
  return number;
}

std::vector<cubin::FatbinEntry> entries_of(const std::string& path, const cubin::MappedFile& file) {
  try {
    auto entries = cubin::find_fatbin_entries(file.bytes());
    if (entries.empty()) throw cubin::Error("neither a cubin nor a file with GPU code in it");
    return entries;
  } catch (const cubin::Error& e) {
    throw cubin::Error(fmt::format("{}: {}", path, e.what()));
  }
}

cubin::Bytes extracted(const std::string& path, const cubin::MappedFile& file,
                       const cubin::FatbinEntry& entry) {
  try {
    return cubin::extract(file.bytes(), entry);
  } catch (const cubin::Error& e) {
    throw cubin::Error(fmt::format("{}: {}", path, e.what()));
  }
}

cubin::Image image_of(const std::string& path, const cubin::Bytes& bytes) {
  try {
    return cubin::Image(bytes);
  } catch (const cubin::Error& e) {
    throw cubin::Error(fmt::format("{}: {}", path, e.what()));
  }
}

}  // namespace warpgauge::cli
