// The shared library inside a program that `warpgauge run` starts: gives the CUDA interfaces their device and
// decides which launches the model times.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <regex>

#include "calib/loader.h"
#include "cli/failure.h"
#include "cli/run_settings.h"
#include "cli/shipped.h"
#include "model/machine.h"
#include "model/report/render.h"
#include "traces/cuda/context.h"
#include "traces/emulator/emulator.h"
#include "traces/native/record.h"

namespace warpgauge::cli {
namespace {

// --kernel-name as Nsight Compute takes it: an exact base name, or regex:EXPRESSION found anywhere in it.
class KernelFilter {
 public:
  explicit KernelFilter(const std::string& text) {
    constexpr std::string_view regex_prefix = "regex:";
    if (text.starts_with(regex_prefix)) {
      expression_ = std::regex(text.substr(regex_prefix.size()));
    } else {
      name_ = text;
    }
  }
  [[nodiscard]] bool matches(const cubin::Kernel& kernel) const {
    const std::string demangled = kernel.demangled_name();
    if (expression_) return std::regex_search(demangled, *expression_);
    const std::string base = demangled.substr(0, demangled.find_first_of("(<"));
    return name_.empty() || name_ == kernel.name || name_ == demangled || name_ == base;
  }

 private:
  std::string name_;
  std::optional<std::regex> expression_;
};

class ModelExecutor final : public cuda::Executor {
 public:
  ModelExecutor(RunSettings settings, const calib::Calibration& calibration)
      : settings_(std::move(settings)), filter_(settings_.kernel_name), machine_(calibration) {
    report_.device = calibration.device;
    report_.calibration_id = calibration.id;
    report_.calibration_hash = calib::hash(calibration);
    if (!settings_.trace_path.empty()) writer_ = std::make_unique<native::Writer>(settings_.trace_path);
  }

  cuda::LaunchOutcome run(const cuda::LaunchRequest& request) override {
    emulator::Launch launch;
    launch.module = request.module;
    launch.kernel = request.kernel.name;
    launch.grid = request.grid;
    launch.block = request.block;
    launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(request.parameters.data());
    launch.parameters.assign(bytes, bytes + request.parameters.size());
    launch.cooperative = request.cooperative;
    launch.system_calls = request.system_calls;
    emulator::DeviceMemory& memory = request.module->memory();
    memory.set_bounds(settings_.check_bounds ? emulator::DeviceMemory::Bounds::of_allocations
                                             : emulator::DeviceMemory::Bounds::of_pages);
    emulator::Emulator emulator(launch);
    const bool chosen = choose(request.kernel);
    const bool timed = chosen && !settings_.functional;
    if (chosen && writer_) {
      const std::function<void(traces::WarpStream&)> drive = [&](traces::WarpStream& stream) {
        time(stream, request.index);
      };
      record(launch, emulator, request.index, timed ? drive : std::function<void(traces::WarpStream&)>());
    } else if (timed) {
      time(emulator, request.index);
    } else {
      emulator.run();
    }
    if (!timed) pages_.assume_all_known();
    say_first_stray(memory.take_stray(), request);
    if (chosen && settings_.kill && matching_ - settings_.launch_skip == settings_.launch_count) {
      finish();
      std::fflush(nullptr);
      std::_Exit(0);
    }
    return {timed ? report_.kernels.back().time_us * 1000 : 0};
  }

  void finish() override {
    if (writer_) write([&] { writer_->finish(); });
    if (settings_.functional || report_.kernels.empty()) return;
    if (!settings_.json_path.empty()) {
      std::ofstream(settings_.json_path, std::ios::binary) << model::to_json(report_) << '\n';
    }
    if (settings_.quiet) return;
    std::fflush(stdout);
    fmt::print("{}", settings_.csv      ? model::to_csv(report_)
                     : settings_.source ? model::to_source_text(report_)
                                        : model::to_text(report_));
    std::fflush(stdout);
  }

 private:
  void time(traces::WarpStream& stream, std::uint32_t launch_index) {
    model::RunOptions options;
    options.launch_index = launch_index;
    options.threads = settings_.threads;
    options.per_instruction = settings_.source;
    if (settings_.first_touch) options.pages = &pages_;
    report_.kernels.push_back(machine_.run(stream, options));
  }

  void record(const emulator::Launch& launch, emulator::Emulator& emulator, std::uint32_t launch_index,
              const std::function<void(traces::WarpStream&)>& execute) {
    write([&] { native::record(*writer_, launch, emulator, launch_index, execute); });
  }

  // A card says nothing; what the kernel computes may depend on what lies there.
  void say_first_stray(const std::string& what, const cuda::LaunchRequest& request) {
    if (what.empty() || strayed_) return;
    strayed_ = true;
    std::fprintf(
        stderr,
        "warpgauge: kernel %s, launch %u: %s; it passes, as it would on the card, and so do others like it "
        "(--check-bounds stops there)\n",
        request.kernel.name.c_str(), request.index, what.c_str());
  }

  // The program has no use for what is wrong with the trace: it ends.
  template <class F>
  void write(F f) {
    try {
      f();
    } catch (const native::Error& error) {
      std::fprintf(stderr, "warpgauge: %s\n", error.what());
      std::_Exit(static_cast<int>(ExitCode::bad_file));
    }
  }

  bool choose(const cubin::Kernel& kernel) {
    if (!filter_.matches(kernel)) return false;
    const std::uint64_t nth = matching_++;
    return nth >= settings_.launch_skip && nth - settings_.launch_skip < settings_.launch_count;
  }

  RunSettings settings_;
  KernelFilter filter_;
  model::Machine machine_;
  model::PageHistory pages_;
  model::Report report_;
  std::unique_ptr<native::Writer> writer_;
  std::uint64_t matching_ = 0;
  bool strayed_ = false;
};

cuda::Device device_of(const calib::Calibration& c) {
  cuda::Device d;
  d.name = c.device;
  d.major = static_cast<int>(c.chip.compute_major);
  d.minor = static_cast<int>(c.chip.compute_minor);
  d.sm_count = c.chip.sm_count;
  d.max_threads_per_block = c.chip.max_threads_per_block;
  d.max_threads_per_sm = c.chip.max_threads_per_sm;
  d.max_blocks_per_sm = c.chip.max_blocks_per_sm;
  d.registers_per_block = c.chip.registers_per_block;
  d.registers_per_sm = c.chip.registers_per_sm;
  d.register_allocation_unit = c.chip.register_allocation_unit;
  d.warp_allocation_granularity = c.chip.warp_allocation_granularity;
  d.shared_per_block = c.chip.max_shared_per_block;
  d.shared_per_block_optin = c.chip.max_shared_per_block_optin;
  d.shared_per_sm = c.chip.max_shared_per_sm;
  d.shared_reserved_per_block = c.chip.shared_reserved_per_block;
  d.shared_allocation_unit = c.chip.shared_allocation_unit;
  d.l2_bytes = c.l2.size;
  d.memory_bytes = c.dram.size;
  d.sm_mhz = c.clocks.sm_max;
  d.memory_mhz = c.clocks.dram;
  // Two transfers a clock; buses come in multiples of 64 bits.
  const double bits = c.dram.peak_bandwidth * 1e9 * 8 / (2 * c.clocks.dram * 1e6);
  d.memory_bus_bits = static_cast<std::uint32_t>(std::lround(bits / 64)) * 64;
  return d;
}

}  // namespace
}  // namespace warpgauge::cli

namespace warpgauge::cuda {

std::unique_ptr<Context> make_context() {
  try {
    const cli::RunSettings settings = cli::RunSettings::from_environment();
    const calib::Calibration calibration = cli::read_calibration(settings.gpu, settings.changes);
    return std::make_unique<Context>(cli::device_of(calibration),
                                     std::make_unique<cli::ModelExecutor>(settings, calibration));
  } catch (const std::exception& error) {
    // There is no caller that could take an exception: the program is about to get its first device.
    std::fprintf(stderr, "warpgauge: %s\n", error.what());
    std::_Exit(static_cast<int>(cli::ExitCode::bad_calibration));
  }
}

}  // namespace warpgauge::cuda
