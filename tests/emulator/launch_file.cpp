#include "tests/emulator/launch_file.h"

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "traces/launch_fill.h"

namespace warpgauge::emulator::testing {
namespace {

using nlohmann::json;

struct Arguments {
  std::vector<std::vector<std::uint8_t>> values;
  std::vector<std::pair<DeviceAddress, std::uint64_t>> buffers;
};

Arguments make_arguments(Device& device, const json& list) {
  Arguments arguments;
  for (const json& argument : list) {
    const auto only = argument.begin();
    const std::string& type = only.key();
    const json& value = only.value();
    if (type == "i32") {
      arguments.values.push_back(bytes_of(value.get<std::int32_t>()));
    } else if (type == "u32") {
      arguments.values.push_back(bytes_of(value.get<std::uint32_t>()));
    } else if (type == "i64") {
      arguments.values.push_back(bytes_of(value.get<std::int64_t>()));
    } else if (type == "u64") {
      arguments.values.push_back(bytes_of(value.get<std::uint64_t>()));
    } else if (type == "f32") {
      arguments.values.push_back(bytes_of(value.get<float>()));
    } else if (type == "f64") {
      arguments.values.push_back(bytes_of(value.get<double>()));
    } else if (type == "buffer") {
      launch::Fill fill;
      fill.name = value.at("fill").get<std::string>();
      fill.seed = value.value("seed", std::uint64_t{0});
      fill.min = value.value("min", 0.0);
      fill.max = value.value("max", 0.0);
      fill.step = value.value("step", 1.0);
      std::vector<unsigned char> bytes(value.at("bytes").get<std::size_t>());
      launch::fill_buffer(bytes.data(), bytes.size(), fill);
      const DeviceAddress address = device.upload(bytes);
      arguments.buffers.emplace_back(address, bytes.size());
      arguments.values.push_back(bytes_of(address));
    } else {
      throw std::runtime_error("an argument of unknown type " + type);
    }
  }
  return arguments;
}

// The thread's own time: other work on the machine does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

traces::Dim3 dim3(const json& list) {
  return {list[0].get<std::uint32_t>(), list[1].get<std::uint32_t>(), list[2].get<std::uint32_t>()};
}

}  // namespace

Suite read_suite(const std::string& path) {
  std::ifstream file(repository_file(path));
  const json document = json::parse(file);
  Suite suite;
  suite.folder = path.substr(0, path.find_last_of('/') + 1) + document.at("cubin_folder").get<std::string>();
  for (const json& entry : document.at("cases")) {
    SuiteCase one;
    one.name = entry.at("name");
    one.kernel = entry.at("kernel");
    one.size = entry.value("size", "");
    one.cubin = entry.at("cubin");
    one.minimum_architecture = entry.at("minimum_architecture");
    one.result = entry.value("result", "exact");
    one.launch = entry.at("launch").dump();
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

PreparedCase::PreparedCase(const std::string& cubin, const std::string& launch_json, HostLevel level) {
  const json description = json::parse(launch_json);
  const Arguments arguments = make_arguments(device_, description.at("arguments"));
  buffers_ = arguments.buffers;
  launch_.module = device_.load(cubin, level);
  launch_.kernel = description.at("kernel");
  launch_.grid = dim3(description.at("grid"));
  launch_.block = dim3(description.at("block"));
  launch_.dynamic_shared_bytes = description.value("dynamic_shared_bytes", 0U);
  launch_.cooperative = description.value("cooperative", false);
  launch_.parameters = pack_parameters(launch_.module->kernel(launch_.kernel), arguments.values);
  emulator_ = std::make_unique<Emulator>(launch_);
}

std::vector<std::uint64_t> PreparedCase::hashes() const {
  std::vector<std::uint64_t> hashes;
  for (const auto& [address, bytes] : buffers_) {
    const auto content = device_.download<std::uint8_t>(address, bytes);
    hashes.push_back(launch::fnv1a(content.data(), content.size()));
  }
  return hashes;
}

LaunchResult run_launch(const std::string& cubin, const std::string& launch_json, Mode mode,
                        HostLevel level) {
  PreparedCase prepared(cubin, launch_json, level);
  Emulator& emulator = prepared.emulator();
  LaunchResult result;
  const double begin = processor_seconds();
  if (mode == Mode::functional)
    emulator.run();
  else
    drive(emulator);
  result.seconds = processor_seconds() - begin;
  result.warp_instructions = emulator.warp_instructions();
  result.hashes = prepared.hashes();
  return result;
}

}  // namespace warpgauge::emulator::testing
