// A device in memory, kernels from cubins of the repository, and a driver that issues warps as a model would.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/cubin/kernel_of_text.h"
#include "traces/emulator/emulator.h"

namespace warpgauge::emulator::testing {

inline std::string repository_file(const std::string& path) {
  return std::string(WARPGAUGE_SOURCE_DIR "/") + path;
}

template <class T>
std::vector<std::uint8_t> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// How a test runs a launch: at once, or issue by issue.
enum class Mode { functional, issued };

class Device {
 public:
  explicit Device(std::uint64_t capacity = std::uint64_t{8} << 30) : memory(capacity) {}

  std::shared_ptr<Module> load(const std::string& path, HostLevel level = host_level()) {
    return std::make_shared<Module>(memory, cubin::Image::read_file(repository_file(path)), level);
  }

  template <class T>
  DeviceAddress upload(const std::vector<T>& values) {
    const DeviceAddress address = *memory.allocate(values.size() * sizeof(T), "test's buffer");
    memory.write(address, std::as_bytes(std::span(values)));
    return address;
  }

  template <class T>
  std::vector<T> download(DeviceAddress address, std::size_t count) const {
    std::vector<T> values(count);
    memory.read(address, std::as_writable_bytes(std::span(values)));
    return values;
  }

  DeviceMemory memory;
};

// A kernel "k" of sm_90 from its text, which may use 16 registers and one barrier, with parameters of these
// sizes.
inline std::shared_ptr<Module> assembled(Device& device, const std::string& text,
                                         std::vector<std::uint32_t> parameters = {}) {
  cubin::KernelSource kernel = cubin::testing::kernel_of(text, sass::Architecture::sm90);
  kernel.parameters = cubin::lay_out_parameters(parameters);
  return std::make_shared<Module>(device.memory,
                                  cubin::Image(cubin::write_cubin({sass::Architecture::sm90, {kernel}, {}})),
                                  host_level());
}

template <class... Arguments>
Launch make_launch(std::shared_ptr<Module> module, const std::string& kernel, traces::Dim3 grid,
                   traces::Dim3 block, const Arguments&... arguments) {
  Launch launch;
  launch.module = std::move(module);
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  const std::vector<std::vector<std::uint8_t>> values{bytes_of(arguments)...};
  launch.parameters = pack_parameters(launch.module->kernel(kernel), values);
  return launch;
}

// Issues one instruction of each warp in turn; `blocks` are resident at the same time. Returns warp
// instructions.
inline std::uint64_t drive(traces::WarpStream& stream, unsigned blocks = 2) {
  const traces::LaunchShape& shape = stream.shape();
  const std::uint64_t total = shape.grid.count();
  std::vector<traces::BlockHandle> resident;
  std::uint64_t begun = 0;
  std::uint64_t cycle = 0;
  std::uint64_t issues = 0;
  traces::Issued issued;
  while (begun < total || !resident.empty()) {
    while (begun < total && resident.size() < blocks) resident.push_back(stream.begin_block(begun++, {}));
    bool moved = false;
    for (std::size_t b = 0; b < resident.size();) {
      bool finished = true;
      for (unsigned w = 0; w < shape.warps_per_block(); ++w) {
        const traces::NextInstruction next = stream.next(resident[b], w);
        finished = finished && next.status == traces::WarpStatus::exited;
        if (next.status != traces::WarpStatus::ready) continue;
        stream.issue(resident[b], w, cycle++, issued);
        ++issues;
        moved = true;
      }
      if (finished) {
        stream.end_block(resident[b]);
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(b));
        moved = true;
      } else {
        ++b;
      }
    }
    if (!moved) throw std::runtime_error("no warp can move");
  }
  return issues;
}

inline void run(const Launch& launch, Mode mode = Mode::functional) {
  Emulator emulator(launch);
  if (mode == Mode::functional)
    emulator.run();
  else
    drive(emulator);
}

inline std::vector<float> random_floats(std::size_t count, unsigned seed, float low = -1.0F,
                                        float high = 1.0F) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  // Written out, since the library's distributions differ from one standard library to the next.
  for (float& value : values) value = low + (high - low) * (static_cast<float>(generator() >> 8) * 0x1p-24F);
  return values;
}

}  // namespace warpgauge::emulator::testing
