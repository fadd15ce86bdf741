// Speed of model and emulator together, in warp instructions a second all SMs of the H200, on one thread and
// two.
#include <benchmark/benchmark.h>

#include "model/machine.h"
#include "tests/model/example_launch.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

template <class Make>
void predict(benchmark::State& state, Make make) {
  const Machine machine(device_spec("h200"));
  double instructions = 0;
  double cycles = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto example = make();
    state.ResumeTiming();
    RunOptions options;
    options.threads = static_cast<unsigned>(state.range(0));
    const KernelReport report = machine.run(*example->stream, options);
    instructions += report.metrics.at("smsp__inst_executed.sum");
    cycles = static_cast<double>(report.cycles);
  }
  state.counters["warp_instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
  state.counters["predicted_cycles"] = cycles;
}

void saxpy_on_h200(benchmark::State& state) {
  predict(state, [] { return saxpy("sm_90", 1 << 20); });
}
BENCHMARK(saxpy_on_h200)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

// What a kernel costs that does nothing: the chip itself.
void one_block_on_h200(benchmark::State& state) {
  predict(state, [] { return saxpy("sm_90", 256); });
}
BENCHMARK(one_block_on_h200)->ArgName("threads")->Arg(1)->Unit(benchmark::kMillisecond);

void reduction_on_h200(benchmark::State& state) {
  predict(state, [] { return reduction("sm_90", 1 << 20, 512); });
}
BENCHMARK(reduction_on_h200)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void sgemm_on_h200(benchmark::State& state) {
  predict(state, [] { return sgemm("sm_90", 512); });
}
BENCHMARK(sgemm_on_h200)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void sgemm_emulated_alone(benchmark::State& state) {
  double instructions = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto example = sgemm("sm_90", 512);
    state.ResumeTiming();
    example->stream->run();
    instructions += static_cast<double>(example->stream->warp_instructions());
  }
  state.counters["warp_instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}
BENCHMARK(sgemm_emulated_alone)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpgauge::model::test

BENCHMARK_MAIN();
