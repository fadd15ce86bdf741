// The shared library inside a program that `warpgauge run` starts: gives the CUDA interfaces their device and
// decides which launches the model times.
#include <fmt/format.h>

#include <algorithm>
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
#include "model/concurrent.h"
#include "model/machine.h"
#include "model/machine_spec.h"
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

emulator::Launch launch_of(const cuda::LaunchRequest& request, std::span<const std::byte> parameters) {
  emulator::Launch launch;
  launch.module = request.module;
  launch.kernel = request.kernel.name;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.carveout_percent = request.carveout_percent;
  launch.stack_bytes = request.stack_bytes;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(parameters.data());
  launch.parameters.assign(bytes, bytes + parameters.size());
  launch.cooperative = request.cooperative;
  launch.cluster = request.cluster;
  launch.names_clusters = request.names_clusters;
  launch.system_calls = request.system_calls;
  return launch;
}

class ModelExecutor final : public cuda::Executor {
 public:
  ModelExecutor(RunSettings settings, const calib::Calibration& calibration)
      : settings_(std::move(settings)), filter_(settings_.kernel_name), machine_(calibration) {
    report_.device = calibration.device;
    report_.calibration_id = calibration.id;
    report_.calibration_hash = calib::hash(calibration);
    if (settings_.concurrent) time_line_.emplace(*this);
    if (!settings_.trace_path.empty()) writer_ = std::make_unique<native::Writer>(settings_.trace_path);
  }

  cuda::LaunchOutcome run(const cuda::LaunchRequest& request) override {
    const emulator::Launch launch = launch_of(request, request.parameters);
    set_bounds(request.module->memory());
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
    say_first_stray(request.module->memory(), request.kernel.name, request.index);
    if (chosen && settings_.kill && matching_ - settings_.launch_skip == settings_.launch_count) {
      finish();
      std::fflush(nullptr);
      std::_Exit(0);
    }
    return {timed ? report_.kernels.back().time_us * 1000 : 0};
  }

  cuda::TimeLine* time_line() override { return time_line_ ? &*time_line_ : nullptr; }

  void finish() override {
    if (writer_) write([&] { writer_->finish(); });
    if (settings_.functional || report_.kernels.empty()) return;
    // Beside each other they end in any order.
    std::ranges::stable_sort(report_.kernels, {}, &model::KernelReport::launch_index);
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
  // Launches that are not timed execute at the time line's moments and take no time.
  class ModelTimeLine final : public cuda::TimeLine {
   public:
    explicit ModelTimeLine(ModelExecutor& executor)
        : executor_(executor),
          run_(executor.machine_, {executor.settings_.threads, executor.settings_.first_touch ? &executor.pages_ : nullptr}) {}

    Task launch(cuda::LaunchRequest request, std::vector<std::byte> parameters, int priority, std::string stream,
                std::vector<After> after) override {
      emulator::Launch launch = launch_of(request, parameters);
      executor_.set_bounds(request.module->memory());
      const std::uint32_t index = request.index;
      if (!executor_.choose(request.kernel) || executor_.settings_.functional) {
        return run_.add_action(
            [this, index, launch = std::move(launch)] {
              emulator::Emulator(launch).run();
              executor_.pages_.assume_all_known();
              executor_.say_first_stray(launch.module->memory(), launch.kernel, index);
            },
            translated(after));
      }
      model::ConcurrentRun::Launch task;
      task.options.launch_index = index;
      task.options.per_instruction = executor_.settings_.source;
      task.priority = priority;
      task.stream = std::move(stream);
      task.ended = [this, index, module = launch.module, kernel = launch.kernel](const model::KernelReport& report) {
        executor_.report_.kernels.push_back(report);
        executor_.say_first_stray(module->memory(), kernel, index);
      };
      task.make = [launch = std::move(launch)] { return std::make_unique<emulator::Emulator>(launch); };
      return run_.add_launch(std::move(task), translated(after));
    }
    Task act(std::function<void()> action, std::vector<After> after) override {
      return run_.add_action(std::move(action), translated(after));
    }
    void finish(Task task) override { run_.finish(task); }
    void finish() override { run_.finish(); }
    [[nodiscard]] double end_ns(Task task) const override {
      return static_cast<double>(run_.end(task)) * 1000 / executor_.machine_.spec().sm_mhz;
    }

   private:
    static std::vector<model::ConcurrentRun::After> translated(const std::vector<After>& after) {
      std::vector<model::ConcurrentRun::After> tasks;
      for (const After& before : after) tasks.push_back({before.task, before.in_graph});
      return tasks;
    }

    ModelExecutor& executor_;
    model::ConcurrentRun run_;
  };

  void set_bounds(emulator::DeviceMemory& memory) const {
    memory.set_bounds(settings_.check_bounds ? emulator::DeviceMemory::Bounds::of_allocations
                                             : emulator::DeviceMemory::Bounds::of_pages);
  }

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
  void say_first_stray(emulator::DeviceMemory& memory, const std::string& kernel, std::uint32_t index) {
    const std::string what = memory.take_stray();
    if (what.empty() || strayed_) return;
    strayed_ = true;
    std::fprintf(
        stderr,
        "warpgauge: kernel %s, launch %u: %s; it passes, as it would on the card, and so do others like it "
        "(--check-bounds stops there)\n",
        kernel.c_str(), index, what.c_str());
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
  std::optional<ModelTimeLine> time_line_;
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
  d.gpc_count = c.chip.gpc_count;
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
    Device device = cli::device_of(calibration);
    if (settings.check_bounds) device.layout = emulator::DeviceMemory::Layout::apart;
    return std::make_unique<Context>(std::move(device),
                                     std::make_unique<cli::ModelExecutor>(settings, calibration));
  } catch (const std::exception& error) {
    // There is no caller that could take an exception: the program is about to get its first device.
    std::fprintf(stderr, "warpgauge: %s\n", error.what());
    std::_Exit(static_cast<int>(cli::ExitCode::bad_calibration));
  }
}

}  // namespace warpgauge::cuda
