// A launch description made real: cubin loaded, buffers allocated and filled, arguments packed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "traces/emulator/emulator.h"
#include "traces/launch_file.h"

namespace warpgauge::cli {

class PreparedLaunch {
 public:
  // `kernel` of the description may be empty when the cubin holds one kernel only. Throws Failure: bad_file,
  // no_such_kernel, bad_arguments, launch_does_not_fit.
  PreparedLaunch(const std::filesystem::path& cubin, const launch::Description& description);
  // The same for a cubin in memory; `name` stands for it in messages.
  PreparedLaunch(const cubin::Image& image, const std::filesystem::path& name,
                 const launch::Description& description);

  emulator::Emulator& emulator() { return *emulator_; }
  [[nodiscard]] const emulator::Launch& launch() const { return launch_; }
  [[nodiscard]] emulator::DeviceMemory& memory() { return *memory_; }
  // The description's buffers, in order.
  [[nodiscard]] const std::vector<emulator::DeviceAddress>& buffers() const { return buffers_; }
  // What the buffers hold now, one behind the other.
  [[nodiscard]] std::vector<std::uint8_t> buffer_contents();
  [[nodiscard]] sass::Architecture architecture() const { return module_->loaded().architecture; }

 private:
  std::unique_ptr<emulator::DeviceMemory> memory_;
  std::shared_ptr<emulator::Module> module_;
  emulator::Launch launch_;
  std::vector<emulator::DeviceAddress> buffers_;
  std::vector<std::uint64_t> buffer_bytes_;
  std::unique_ptr<emulator::Emulator> emulator_;
};

// The lowest `bytes` bytes of `bits`, as a kernel's parameter holds them.
std::vector<std::uint8_t> little_endian(std::uint64_t bits, std::uint8_t bytes);

// Throws Failure (bad_file).
cubin::Image read_image(const std::filesystem::path& file);

}  // namespace warpgauge::cli
