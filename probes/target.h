// What a probe runs on: a GPU through the driver, or the model. A probe cannot tell which.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::probes {

// The target cannot do what was asked of it (no driver, no device, a launch that failed). One line, for the user.
class TargetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A launch did not finish within the limit. The target is not usable afterwards.
class TargetTimeout : public TargetError {
 public:
  using TargetError::TargetError;
};

using DeviceAddress = std::uint64_t;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

// A loaded cubin and a kernel of it; only the target that made them knows what the numbers mean.
struct ModuleId {
  std::size_t index = 0;
};
struct FunctionId {
  std::size_t index = 0;
};

// Kernel parameters, each at its natural alignment, as the ABI packs them.
class Parameters {
 public:
  template <typename T>
  Parameters& add(T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back(std::byte{0});
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  // Bytes that are packed already.
  Parameters& append(std::span<const std::byte> packed) {
    bytes_.insert(bytes_.end(), packed.begin(), packed.end());
    return *this;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

struct Launch {
  FunctionId function;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t cluster_x = 1;          // blocks of a cluster; 1 launches without clusters
  std::optional<int> carveout_percent;  // of the L1 and shared memory, for shared memory; unset: the driver's choice
  Parameters parameters;
};

struct TargetFacts {
  std::string kind;  // "gpu" or "model"
  std::string name;  // as the device names itself
  std::string uuid;
  std::string driver;  // version, empty for the model
  int sm = 0;          // 70, 75, 90
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::uint32_t shared_bytes_per_block_optin = 0;
  std::uint32_t shared_bytes_per_sm = 0;
  bool simulated = false;       // a cycle costs the host microseconds: probes take fewer points
  bool never_stale = false;     // results are in registers at once, so that no distance reads an old value
  double clock_mhz = 0;         // the SM clock's maximum
  double memory_clock_mhz = 0;  // likewise
  std::map<std::string, std::int64_t> attributes;
};

// What the board's sensors say at one moment; unset where the target has no such sensor.
struct ClockReading {
  std::optional<double> sm_mhz;
  std::optional<double> memory_mhz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  // NVML's bit mask
};

// Ways of data into or out of the device. Host memory is pinned where that is said, else as malloc gives it.
enum class Link { host_to_device, device_to_host, host_to_device_pinned, device_to_host_pinned, device_to_peer, peer_to_device };

class Target {
 public:
  virtual ~Target() = default;

  [[nodiscard]] virtual const TargetFacts& facts() const = 0;

  virtual ModuleId load(std::span<const std::byte> cubin) = 0;
  virtual void unload(ModuleId module) = 0;
  virtual FunctionId function(ModuleId module, const std::string& name) = 0;
  virtual DeviceAddress symbol(ModuleId module, const std::string& name) = 0;

  virtual DeviceAddress allocate(std::uint64_t bytes) = 0;
  virtual void release(DeviceAddress address) = 0;
  virtual void write(DeviceAddress to, std::span<const std::byte> from) = 0;
  virtual void read(std::span<std::byte> to, DeviceAddress from) = 0;
  virtual void fill(DeviceAddress to, std::uint8_t value, std::uint64_t bytes) = 0;

  // Runs the launches one after the other in one stream and waits; seconds between an event before and one after.
  virtual double run(std::span<const Launch> launches) = 0;
  double run(const Launch& launch) { return run(std::span(&launch, 1)); }

  [[nodiscard]] virtual ClockReading read_clock() = 0;

  // The longest that one run may take before TargetTimeout.
  virtual void limit_run(std::chrono::milliseconds limit) = 0;

  // What not every target has; these throw TargetError.
  // A texture of `words` texels of 32 bits in a row, read as they are; it lasts as long as the target.
  virtual std::uint64_t make_texture(DeviceAddress, std::uint64_t /*words*/) {
    throw TargetError(facts().name + " has no textures here");
  }
  // Seconds of `copies` copies one after the other, of `bytes` each.
  virtual double copy(Link, std::uint64_t /*bytes*/, int /*copies*/) {
    throw TargetError(facts().name + " has no link to a host or to another device here");
  }
  // The same memory, of `bytes` or more, at two addresses; both last as long as the target.
  virtual std::pair<DeviceAddress, DeviceAddress> map_twice(std::uint64_t /*bytes*/) {
    throw TargetError(facts().name + " has memory at one address only");
  }
  // Memory of another device that kernels of this one can read and write; it lasts as long as the target.
  virtual DeviceAddress allocate_on_peer(std::uint64_t /*bytes*/) {
    throw TargetError("there is no second device that " + facts().name + " reaches");
  }
};

}  // namespace warpgauge::probes
