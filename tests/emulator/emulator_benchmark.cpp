// Warp instructions a second of the run without timing, on one core: kernels of the validation suite with
// full warps (integer, float, memory, barriers), and the run that a model would drive.
#include <benchmark/benchmark.h>

#include "tests/emulator/launch_file.h"

namespace warpgauge::emulator::testing {
namespace {

void run_case(benchmark::State& state, const std::string& name, Mode mode) {
  const Suite suite = read_suite("examples/validation/suite.json");
  for (const SuiteCase& one : suite.cases) {
    if (one.name != name) continue;
    std::string cubin = one.cubin;
    cubin.replace(cubin.find("{architecture}"), 14, "90");
    std::uint64_t instructions = 0;
    for (auto _ : state) {
      const LaunchResult result = run_launch(suite.folder + "/" + cubin, one.launch, mode);
      state.SetIterationTime(result.seconds);
      instructions += result.warp_instructions;
    }
    state.counters["warp_instructions"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
    return;
  }
  state.SkipWithError("no such case");
}

#define WARPGAUGE_CASE(KERNEL, CASE) \
  BENCHMARK_CAPTURE(run_case, KERNEL, CASE, Mode::functional)->UseManualTime()->Unit(benchmark::kMillisecond)

WARPGAUGE_CASE(float_chains, "ffma_four_chains/full");
WARPGAUGE_CASE(integer_hash, "hash_words/under");
WARPGAUGE_CASE(mixed_pipes, "mixed_pipes/under");
WARPGAUGE_CASE(copy, "copy_32/l2");
WARPGAUGE_CASE(gemm_shared, "gemm_shared/l1");
WARPGAUGE_CASE(gemm_registers, "gemm_register8/under");
WARPGAUGE_CASE(stencil, "stencil_2d/l1");
BENCHMARK_CAPTURE(run_case, gemm_shared_issued, "gemm_shared/l1", Mode::issued)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpgauge::emulator::testing

BENCHMARK_MAIN();
