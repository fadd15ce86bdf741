// How many instructions a second one core decodes, encodes, prints and assembles, over the stored corpus.
#include <benchmark/benchmark.h>

#include "tests/sass/corpus.h"
#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"

namespace warpgauge::sass {
namespace {

constexpr Architecture architecture = Architecture::sm90;

const std::vector<tests::Entry>& entries() {
  static const std::vector<tests::Entry> corpus = tests::load_corpus(architecture);
  return corpus;
}

void count(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * entries().size()));
}

void Decode(benchmark::State& state) {
  entries();
  for (auto _ : state) {
    for (const tests::Entry& entry : entries()) {
      benchmark::DoNotOptimize(decode(entry.word, architecture, entry.offset));
    }
  }
  count(state);
}
BENCHMARK(Decode)->Unit(benchmark::kMillisecond);

void DecodeAndEncode(benchmark::State& state) {
  entries();
  for (auto _ : state) {
    for (const tests::Entry& entry : entries()) {
      benchmark::DoNotOptimize(encode(decode(entry.word, architecture, entry.offset), entry.offset));
    }
  }
  count(state);
}
BENCHMARK(DecodeAndEncode)->Unit(benchmark::kMillisecond);

void Disassemble(benchmark::State& state) {
  entries();
  std::string text;
  for (auto _ : state) {
    for (const tests::Entry& entry : entries()) {
      text.clear();
      print_to(text, decode(entry.word, architecture, entry.offset));
      benchmark::DoNotOptimize(text.data());
    }
  }
  count(state);
}
BENCHMARK(Disassemble)->Unit(benchmark::kMillisecond);

void Assemble(benchmark::State& state) {
  std::vector<std::string> lines;
  for (const tests::Entry& entry : entries())
    lines.push_back(print(decode(entry.word, architecture, entry.offset)));
  for (auto _ : state) {
    for (const std::string& line : lines) {
      benchmark::DoNotOptimize(assemble_instruction(line, architecture));
    }
  }
  count(state);
}
BENCHMARK(Assemble)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpgauge::sass

BENCHMARK_MAIN();
