// Decodes and encodes every instruction of the files that it is given, and says what share the tables know.
//   sass_sweep SECONDS FILE…
// Fails when a decoded word does not come back, or when fewer than 99.9 % of the instructions are known. It
// stops after SECONDS.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <set>
#include <utility>

#include "tests/sass/tools/code_reader.h"
#include "traces/sass/decode.h"

namespace warpgauge::sass {
namespace {

struct Tally {
  std::uint64_t instructions = 0;
  std::uint64_t known = 0;
  std::uint64_t changed = 0;
  std::set<std::pair<std::uint64_t, std::uint64_t>> unknown;  // the first few: low and high half
};

struct TimeIsUp {};

void sweep(Architecture architecture, std::span<const std::uint8_t> code, Tally& tally) {
  for (std::uint64_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    Word word;
    std::memcpy(&word.low, code.data() + at, 8);
    std::memcpy(&word.high, code.data() + at + 8, 8);
    const Instruction instruction = decode(word, architecture, at);
    ++tally.instructions;
    constexpr std::size_t few = 5;
    if (instruction.opcode != Opcode::unknown) {
      ++tally.known;
    } else if (tally.unknown.size() < few) {
      tally.unknown.emplace(word.low, word.high);
    }
    if (!(encode(instruction, at) == word)) ++tally.changed;
  }
}

int run(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  if (argc < 3) {
    std::fputs("usage: sass_sweep SECONDS FILE…\n", stderr);
    return 2;
  }
  const auto until = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  std::map<Architecture, Tally> tallies;
  try {
    for (int i = 2; i < argc; ++i) {
      tools::visit_code(argv[i], 0, [&](unsigned sm, std::span<const std::uint8_t> code) {
        if (Clock::now() > until) throw TimeIsUp{};
        if (const auto architecture = architecture_from_number(sm))
          sweep(*architecture, code, tallies[*architecture]);
      });
    }
  } catch (const TimeIsUp&) {
    std::puts("stopped at the time limit");
  }
  bool good = !tallies.empty();
  for (const auto& [architecture, tally] : tallies) {
    const double share = 100.0 * static_cast<double>(tally.known) / static_cast<double>(tally.instructions);
    std::printf("%s: %llu instructions, %.4f%% known, %llu changed by decoding and encoding\n",
                std::string(name(architecture)).c_str(), static_cast<unsigned long long>(tally.instructions),
                share, static_cast<unsigned long long>(tally.changed));
    for (const auto& [low, high] : tally.unknown) {
      std::printf("    unknown %016llx %016llx\n", static_cast<unsigned long long>(low),
                  static_cast<unsigned long long>(high));
    }
    good = good && tally.changed == 0 && share >= 99.9;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace warpgauge::sass

int main(int argc, char** argv) {
  try {
    return warpgauge::sass::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sass_sweep: %s\n", error.what());
    return 1;
  }
}
