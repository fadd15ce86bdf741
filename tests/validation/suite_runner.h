// Runs a case of the validation suite on the emulator and hands out its buffers, before and after.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "traces/emulator/emulator.h"
#include "traces/launch_file.h"

namespace warpgauge::validation::testing {

class SuiteCase {
 public:
  using Execute = std::function<void(emulator::Emulator&)>;

  // `name` as in suite.json ("kernel/size"), from the cubin for `architecture`.
  // `execute` runs the launch; without timing unless given.
  explicit SuiteCase(const std::string& name, int architecture = 75, Execute execute = run_functionally)
      : memory_(std::uint64_t{1} << 30), execute_(std::move(execute)) {
    const std::filesystem::path folder =
        std::filesystem::path(WARPGAUGE_SOURCE_DIR) / "examples" / "validation";
    std::ifstream file(folder / "suite.json");
    const nlohmann::json suite = nlohmann::json::parse(file);
    for (const nlohmann::json& one : suite.at("cases")) {
      if (one.at("name") != name) continue;
      std::string cubin = one.at("cubin");
      const std::string placeholder = "{architecture}";
      cubin.replace(cubin.find(placeholder), placeholder.size(), std::to_string(architecture));
      run(launch::parse(one.at("launch").dump(), name), (folder / "cubins" / cubin).string());
      return;
    }
    throw std::runtime_error("the suite has no case " + name);
  }

  [[nodiscard]] std::uint64_t warp_instructions() const { return warp_instructions_; }

  // The argument's buffer as the launch found it.
  template <class T>
  [[nodiscard]] std::vector<T> before(std::size_t argument) const {
    const auto& buffer = std::get<launch::Buffer>(description_.arguments.at(argument));
    std::vector<T> values(buffer.bytes / sizeof(T));
    launch::fill_buffer(values.data(), values.size() * sizeof(T), buffer.fill);
    return values;
  }

  // The argument's buffer as the launch left it.
  template <class T>
  [[nodiscard]] std::vector<T> after(std::size_t argument) const {
    const auto& buffer = std::get<launch::Buffer>(description_.arguments.at(argument));
    std::vector<T> values(buffer.bytes / sizeof(T));
    memory_.read(addresses_.at(argument), std::as_writable_bytes(std::span(values)));
    return values;
  }

  [[nodiscard]] std::int32_t integer(std::size_t argument) const {
    return static_cast<std::int32_t>(std::get<launch::Scalar>(description_.arguments.at(argument)).bits);
  }

  // What the launch left in all buffers, one after the other.
  [[nodiscard]] std::vector<std::byte> memory_after() const {
    std::vector<std::byte> all;
    for (std::size_t i = 0; i < description_.arguments.size(); ++i) {
      if (!std::holds_alternative<launch::Buffer>(description_.arguments[i])) continue;
      const auto bytes = after<std::byte>(i);
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

 private:
  static void run_functionally(emulator::Emulator& machine) { machine.run(); }

  void run(launch::Description description, const std::string& cubin) {
    description_ = std::move(description);
    emulator::Launch launched;
    launched.module = std::make_shared<emulator::Module>(memory_, cubin::Image::read_file(cubin));
    launched.kernel = description_.kernel;
    launched.grid = description_.grid;
    launched.block = description_.block;
    launched.dynamic_shared_bytes = description_.dynamic_shared_bytes;
    std::vector<std::vector<std::uint8_t>> values;
    for (const launch::Argument& argument : description_.arguments) {
      std::uint64_t bits = 0;
      std::size_t bytes = sizeof bits;
      if (const auto* scalar = std::get_if<launch::Scalar>(&argument)) {
        bits = scalar->bits;
        bytes = scalar->bytes;
      } else {
        const auto& buffer = std::get<launch::Buffer>(argument);
        bits = memory_.allocate(buffer.bytes, "argument " + std::to_string(values.size())).value();
        launch::fill_buffer(memory_.host(bits), buffer.bytes, buffer.fill);
      }
      addresses_.push_back(bits);
      values.emplace_back(bytes);
      std::memcpy(values.back().data(), &bits, bytes);
    }
    launched.parameters = emulator::pack_parameters(launched.module->kernel(description_.kernel), values);
    emulator::Emulator machine(launched);
    execute_(machine);
    warp_instructions_ = machine.warp_instructions();
  }

  emulator::DeviceMemory memory_;
  Execute execute_;
  launch::Description description_;
  std::vector<emulator::DeviceAddress> addresses_;  // an entry an argument; a scalar's is its value
  std::uint64_t warp_instructions_ = 0;
};

}  // namespace warpgauge::validation::testing
