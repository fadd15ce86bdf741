// What probes share while they measure: kernels by name, memory that is given back, rings, records.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "probes/sha256.h"
#include "probes/target.h"
#include "traces/cubin/elf.h"

namespace warpgauge::probes {

// Device memory that is released with its holder.
class Buffer {
 public:
  Buffer(Target& target, std::uint64_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;

  [[nodiscard]] DeviceAddress address() const { return address_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  template <typename T>
  [[nodiscard]] std::vector<T> read(std::size_t count) const {
    std::vector<T> values(count);
    target_->read(std::as_writable_bytes(std::span(values)), address_);
    return values;
  }
  template <typename T>
  void write(const std::vector<T>& values) const {
    target_->write(address_, std::as_bytes(std::span(values)));
  }
  void fill(std::uint8_t value) const { target_->fill(address_, value, size_); }

 private:
  Target* target_;
  DeviceAddress address_ = 0;
  std::uint64_t size_ = 0;
};

// What a block recorded of itself (kernels/common.cuh).
struct BlockRecord {
  std::uint64_t sm, clock_start, timer_start, clock_end, timer_end;
};
struct WarpRecord {
  std::uint64_t start, end;
};

class Bench {
 public:
  explicit Bench(Target& target) : target_(target) {}

  [[nodiscard]] Target& target() { return target_; }
  [[nodiscard]] const TargetFacts& facts() const { return target_.facts(); }

  // Kernel `name` of the shipped cubin `file` for the target's architecture. Remembers that it was used.
  FunctionId kernel(const std::string& file, const std::string& name);
  DeviceAddress symbol(const std::string& file, const std::string& name);
  [[nodiscard]] bool has_kernel(const std::string& file, const std::string& name);

  // Loads a cubin that the probe made; its code counts as used.
  ModuleId load_made(std::span<const std::byte> cubin);

  [[nodiscard]] Buffer allocate(std::uint64_t bytes) { return Buffer(target_, bytes); }

  // Memory whose filling drives out of the L2 all that was there.
  [[nodiscard]] Buffer allocate_flush();

  // Writes a ring through `memory`: slot order[i] points to slot order[i + 1], the last to the first.
  void make_ring(const Buffer& memory, const std::vector<std::uint64_t>& order);

  // Seconds of one launch.
  double run(FunctionId function, Dim3 grid, Dim3 block, const Parameters& parameters,
             std::uint32_t shared_bytes = 0, std::optional<int> carveout = std::nullopt, std::uint32_t cluster = 1);

  // SHA-256, in hexadecimal, over the code of the kernels used since the last call, by name.
  std::string take_sass_hash();

 private:
  struct Loaded {
    ModuleId module;
    cubin::ElfFile elf;
  };
  Loaded& loaded(const std::string& file);

  Target& target_;
  std::map<std::string, Loaded> modules_;
  std::map<std::string, FunctionId> functions_;
  std::set<std::pair<std::string, std::string>> used_;
  Sha256 made_;
  bool any_made_ = false;
};

// Offsets 0, stride, 2 stride … of `count` slots in a random cycle; the same one for the same seed.
std::vector<std::uint64_t> random_order(std::uint64_t count, std::uint64_t stride, std::uint64_t seed);

}  // namespace warpgauge::probes
