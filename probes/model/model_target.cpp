#include "probes/model/model_target.h"

#include "calib/calibration.h"
#include "model/machine.h"
#include "traces/emulator/emulator.h"
#include "traces/emulator/fault.h"

namespace warpgauge::probes {
namespace {

traces::Dim3 dimensions(const Dim3& from) { return {from.x, from.y, from.z}; }

class ModelTarget final : public Target {
 public:
  explicit ModelTarget(const calib::Calibration& calibration)
      : machine_(calibration),
        memory_(calibration.dram.size, emulator::DeviceMemory::Addresses::of_their_own,
                emulator::DeviceMemory::Layout::as_driver),
        clock_mhz_(calibration.clocks.sm) {
    facts_.kind = "model";
    facts_.name = calibration.device;
    facts_.driver = "model of calibration " + calibration.id;
    facts_.sm = static_cast<int>(calibration.chip.compute_major * 10 + calibration.chip.compute_minor);
    facts_.sm_count = static_cast<int>(calibration.chip.sm_count);
    facts_.memory_bytes = calibration.dram.size;
    facts_.l2_bytes = calibration.l2.size;
    facts_.shared_bytes_per_block_optin = static_cast<std::uint32_t>(calibration.chip.max_shared_per_block_optin);
    facts_.shared_bytes_per_sm = static_cast<std::uint32_t>(calibration.chip.max_shared_per_sm);
    facts_.simulated = true;
    facts_.never_stale = true;
    facts_.clock_mhz = calibration.clocks.sm_max;
    facts_.memory_clock_mhz = calibration.clocks.dram;
  }

  [[nodiscard]] const TargetFacts& facts() const override { return facts_; }

  ModuleId load(std::span<const std::byte> cubin) override {
    const auto* first = reinterpret_cast<const std::uint8_t*>(cubin.data());
    return asking("loading a cubin", [&] {
      modules_.push_back(std::make_shared<emulator::Module>(memory_, cubin::Image(cubin::Bytes(first, first + cubin.size()))));
      return ModuleId{modules_.size() - 1};
    });
  }
  void unload(ModuleId module) override { modules_.at(module.index).reset(); }

  std::uint64_t make_texture(DeviceAddress address, std::uint64_t words) override {
    emulator::Texture texture;
    texture.image.address = address;
    texture.image.format = {1, 4, emulator::TexelFormat::Kind::unsigned_};
    texture.image.width = static_cast<std::uint32_t>(words);
    return memory_.textures().add(texture);
  }

  FunctionId function(ModuleId module, const std::string& name) override {
    return asking("finding kernel " + name, [&] {
      static_cast<void>(modules_.at(module.index)->kernel(name));
      functions_.push_back({module.index, name});
      return FunctionId{functions_.size() - 1};
    });
  }

  DeviceAddress symbol(ModuleId module, const std::string& name) override {
    const auto* variable = modules_.at(module.index)->loaded().find_variable(name);
    if (variable == nullptr) throw TargetError("the cubin has no variable " + name);
    return variable->address;
  }

  DeviceAddress allocate(std::uint64_t bytes) override {
    const auto address = memory_.allocate(bytes);
    if (!address) throw TargetError("the device's memory has no room for " + std::to_string(bytes >> 20) + " MiB");
    return *address;
  }
  void release(DeviceAddress address) override { memory_.release(address); }
  void write(DeviceAddress to, std::span<const std::byte> from) override {
    asking("copying to the device", [&] { memory_.write(to, from); });
  }
  void read(std::span<std::byte> to, DeviceAddress from) override {
    asking("copying from the device", [&] { memory_.read(from, to); });
  }
  void fill(DeviceAddress to, std::uint8_t value, std::uint64_t bytes) override {
    asking("filling memory", [&] { memory_.fill(to, value, bytes); });
  }

  using Target::run;
  double run(std::span<const Launch> launches) override {
    double seconds = 0;
    for (const Launch& launch : launches) {
      if (launch.cluster_x > 1) throw TargetError("the model does not run clusters");
      const Function& function = functions_.at(launch.function.index);
      seconds += asking("running " + function.name, [&] {
        emulator::Launch made;
        made.module = modules_.at(function.module);
        made.kernel = function.name;
        made.grid = dimensions(launch.grid);
        made.block = dimensions(launch.block);
        made.dynamic_shared_bytes = launch.dynamic_shared_bytes;
        const auto bytes = launch.parameters.bytes();
        const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
        made.parameters.assign(first, first + bytes.size());
        if (launch.carveout_percent) made.carveout_percent = static_cast<std::uint8_t>(*launch.carveout_percent);
        emulator::Emulator stream(made);
        model::RunOptions options;
        options.max_cycles = most_cycles_;
        options.code_at_hand = true;  // probes launch their kernels again and again
        return static_cast<double>(machine_.run(stream, options).cycles) / (clock_mhz_ * 1e6);
      });
    }
    return seconds;
  }

  [[nodiscard]] ClockReading read_clock() override { return {}; }

  // The model's time is not the host's: the limit counts simulated time.
  void limit_run(std::chrono::milliseconds limit) override {
    most_cycles_ = static_cast<std::uint64_t>(static_cast<double>(limit.count()) * clock_mhz_ * 1000);
  }

 private:
  struct Function {
    std::size_t module;
    std::string name;
  };

  // Runs `action`; what the emulator, the model or the cubin reader throws becomes a TargetError.
  template <class Action>
  auto asking(const std::string& what, Action action) -> decltype(action()) {
    try {
      return action();
    } catch (const emulator::Fault& fault) {
      throw TargetError(what + ": " + fault.what());
    } catch (const model::MachineError& error) {
      throw TargetError(what + ": " + error.what());
    } catch (const cubin::Error& error) {
      throw TargetError(what + ": " + error.what());
    }
  }

  model::Machine machine_;
  emulator::DeviceMemory memory_;
  double clock_mhz_;
  TargetFacts facts_;
  std::vector<std::shared_ptr<emulator::Module>> modules_;
  std::vector<Function> functions_;
  std::uint64_t most_cycles_ = 0;
};

}  // namespace

std::unique_ptr<Target> open_model(const calib::Calibration& calibration) {
  return std::make_unique<ModelTarget>(calibration);
}

}  // namespace warpgauge::probes
