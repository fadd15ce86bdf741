#include "tests/sass/corpus.h"

#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace warpgauge::sass::tests {
namespace {

std::string unpacked(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  std::string out(std::size_t{64} << 20, '\0');
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0) throw std::runtime_error(path + ": " + ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::uint64_t hex(std::string_view& line) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  if (error != std::errc{}) throw std::runtime_error("a number is missing in '" + std::string(line) + "'");
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return value;
}

}  // namespace

std::vector<Entry> load_corpus(Architecture architecture) {
  const std::string text = unpacked(std::string(WARPGAUGE_SOURCE_DIR) + "/tests/sass/data/" +
                                    std::string(name(architecture)) + ".txt.zst");
  std::vector<Entry> entries;
  bool mutated = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.starts_with('#')) {
      mutated = line != "# compiled";
      continue;
    }
    Entry entry;
    entry.word.low = hex(line);
    entry.word.high = hex(line);
    entry.offset = hex(line);
    entry.text = line;
    entry.mutated = mutated;
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace warpgauge::sass::tests
