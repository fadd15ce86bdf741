// A target that stands in for a simple machine: it never executes code. A script answers each launch by the kernel's name
// and its parameters, so that a probe's own arithmetic can be checked from launch to figure.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "probes/target.h"

namespace warpgauge::probes::testing {

class FakeTarget final : public Target {
 public:
  // What a launch left in memory: writes through `memory`; returns seconds.
  struct Call {
    std::string kernel;
    Launch launch;
    FakeTarget* target;

    template <typename T>
    [[nodiscard]] T parameter(std::size_t offset) const {
      T value{};
      std::memcpy(&value, launch.parameters.bytes().data() + offset, sizeof(T));
      return value;
    }
    template <typename T>
    void store(DeviceAddress address, T value) const {
      target->write(address, std::as_bytes(std::span(&value, 1)));
    }
    template <typename T>
    [[nodiscard]] T load(DeviceAddress address) const {
      T value{};
      target->read(std::as_writable_bytes(std::span(&value, 1)), address);
      return value;
    }
    // What record_warp and record_block of kernels/common.cuh leave.
    void record_warp(DeviceAddress out, std::uint64_t warp, std::uint64_t start, std::uint64_t end) const {
      store(out + 16 * warp, start);
      store(out + 16 * warp + 8, end);
    }
    void record_block(DeviceAddress out, std::uint64_t block, std::uint64_t sm, std::uint64_t start, std::uint64_t end) const {
      const std::uint64_t words[] = {sm, start, start, end, end};  // a timer of one step a cycle
      for (std::size_t i = 0; i < 5; ++i) store(out + 40 * block + 8 * i, words[i]);
    }
  };
  using Script = std::function<double(const Call&)>;

  explicit FakeTarget(Script script) : script_(std::move(script)) {
    facts_.kind = "model";
    facts_.name = "fake";
    facts_.sm = 90;
    facts_.sm_count = 4;
    facts_.memory_bytes = std::uint64_t{1} << 40;
    facts_.l2_bytes = 32 << 20;
    facts_.shared_bytes_per_block_optin = 232448;
    facts_.shared_bytes_per_sm = 233472;
    facts_.clock_mhz = 1000;
  }

  TargetFacts& change_facts() { return facts_; }
  [[nodiscard]] const TargetFacts& facts() const override { return facts_; }
  ModuleId load(std::span<const std::byte> cubin) override {
    loaded.emplace_back(cubin.begin(), cubin.end());
    return {loaded.size() - 1};
  }
  void unload(ModuleId) override {}
  FunctionId function(ModuleId, const std::string& name) override {
    names_.push_back(name);
    return {names_.size() - 1};
  }
  DeviceAddress symbol(ModuleId, const std::string&) override { return allocate(1 << 16); }

  // Sparse: pages of what was written; everything else reads as zero.
  DeviceAddress allocate(std::uint64_t bytes) override {
    const DeviceAddress address = next_;
    next_ += (bytes + 4095) / 4096 * 4096 + 4096;
    return address;
  }
  void release(DeviceAddress) override {}
  void write(DeviceAddress to, std::span<const std::byte> from) override {
    for (std::size_t i = 0; i < from.size();) {
      auto& page = pages_[(to + i) / page_bytes];
      if (page.empty()) page.resize(page_bytes);
      const std::size_t at = (to + i) % page_bytes;
      const std::size_t count = std::min<std::size_t>(page_bytes - at, from.size() - i);
      std::memcpy(page.data() + at, from.data() + i, count);
      i += count;
    }
  }
  void read(std::span<std::byte> to, DeviceAddress from) override {
    for (std::size_t i = 0; i < to.size();) {
      const std::size_t at = (from + i) % page_bytes;
      const std::size_t count = std::min<std::size_t>(page_bytes - at, to.size() - i);
      const auto found = pages_.find((from + i) / page_bytes);
      if (found == pages_.end()) {
        std::memset(to.data() + i, 0, count);
      } else {
        std::memcpy(to.data() + i, found->second.data() + at, count);
      }
      i += count;
    }
  }
  void fill(DeviceAddress, std::uint8_t, std::uint64_t) override {}

  using Target::run;
  double run(std::span<const Launch> launches) override {
    double seconds = 0;
    for (const Launch& launch : launches) seconds += script_({names_.at(launch.function.index), launch, this});
    return seconds;
  }
  [[nodiscard]] ClockReading read_clock() override { return clock; }
  void limit_run(std::chrono::milliseconds) override {}

  std::vector<std::vector<std::byte>> loaded;
  ClockReading clock;

 private:
  static constexpr std::size_t page_bytes = 4096;
  Script script_;
  TargetFacts facts_;
  std::vector<std::string> names_;
  std::map<std::uint64_t, std::vector<std::byte>> pages_;
  DeviceAddress next_ = std::uint64_t{1} << 32;
};

}  // namespace warpgauge::probes::testing
