// The stored words with the oracle's text: tests/sass/data, made by tests/sass/tools/make_corpus.sh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::sass::tests {

struct Entry {
  Word word;
  std::uint64_t offset = 0;
  std::string text;
  bool mutated = false;  // made by flipping bits of compiled code
};

// Throws std::runtime_error when the file is not there or broken.
std::vector<Entry> load_corpus(Architecture architecture);

}  // namespace warpgauge::sass::tests
