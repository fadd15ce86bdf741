// The repository's examples, launched on the emulator with sizes of choice.
#pragma once

#include <memory>
#include <string>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::model::test {

struct Example {
  emulator::testing::Device device;
  emulator::Launch launch;
  std::unique_ptr<emulator::Emulator> stream;

  void make() { stream = std::make_unique<emulator::Emulator>(launch); }
};

inline std::string example_cubin(const std::string& name, const std::string& architecture) {
  return "examples/" + name + "/" + name + "." + architecture + ".cubin";
}

inline std::unique_ptr<Example> saxpy(const std::string& architecture, int n) {
  auto e = std::make_unique<Example>();
  const auto x = e->device.upload(std::vector<float>(static_cast<std::size_t>(n), 1.0F));
  const auto y = e->device.upload(std::vector<float>(static_cast<std::size_t>(n), 2.0F));
  e->launch =
      emulator::testing::make_launch(e->device.load(example_cubin("saxpy", architecture)), "saxpy",
                                     {static_cast<std::uint32_t>((n + 255) / 256)}, {256}, n, 2.0F, x, y);
  e->make();
  return e;
}

inline std::unique_ptr<Example> reduction(const std::string& architecture, int n, std::uint32_t blocks) {
  auto e = std::make_unique<Example>();
  const auto x = e->device.upload(std::vector<float>(static_cast<std::size_t>(n), 1.0F));
  const auto sums = e->device.upload(std::vector<float>(blocks));
  e->launch = emulator::testing::make_launch(e->device.load(example_cubin("reduction", architecture)),
                                             "reduction", {blocks}, {256}, n, x, sums);
  e->make();
  return e;
}

// Square matrices of n rows, n a multiple of 64.
inline std::unique_ptr<Example> sgemm(const std::string& architecture, int n) {
  auto e = std::make_unique<Example>();
  const std::size_t count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto a = e->device.upload(std::vector<float>(count, 1.0F));
  const auto b = e->device.upload(std::vector<float>(count, 0.5F));
  const auto c = e->device.upload(std::vector<float>(count));
  const auto tiles = static_cast<std::uint32_t>(n / 64);
  e->launch = emulator::testing::make_launch(e->device.load(example_cubin("sgemm", architecture)), "sgemm",
                                             {tiles, tiles}, {16, 16}, n, n, a, b, c);
  e->make();
  return e;
}

}  // namespace warpgauge::model::test
