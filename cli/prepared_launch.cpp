#include "cli/prepared_launch.h"

#include <fmt/format.h>

#include <cstring>

#include "cli/failure.h"

namespace warpgauge::cli {
namespace {

std::string only_kernel(const cubin::Image& image, const std::filesystem::path& file) {
  if (image.kernels().size() == 1) return image.kernels().front().name;
  std::string names;
  for (const cubin::Kernel& kernel : image.kernels()) names += (names.empty() ? "" : ", ") + kernel.name;
  throw Failure(ExitCode::usage, fmt::format("{}: holds {} kernels, say which: {}", file.string(),
                                             image.kernels().size(), names));
}

}  // namespace

std::vector<std::uint8_t> little_endian(std::uint64_t bits, std::uint8_t bytes) {
  std::vector<std::uint8_t> value(bytes);
  std::memcpy(value.data(), &bits, bytes);
  return value;
}

cubin::Image read_image(const std::filesystem::path& file) {
  try {
    return cubin::Image::read_file(file.string());
  } catch (const cubin::Error& error) {
    const std::string what = error.what();
    const std::string place = what.find(file.string()) == std::string::npos ? file.string() + ": " : "";
    throw Failure(ExitCode::bad_file, place + what);
  }
}

PreparedLaunch::PreparedLaunch(const std::filesystem::path& file, const launch::Description& description)
    : PreparedLaunch(read_image(file), file, description) {}

std::vector<std::uint8_t> PreparedLaunch::buffer_contents() {
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const std::size_t at = all.size();
    all.resize(at + buffer_bytes_[i]);
    if (buffer_bytes_[i] != 0) std::memcpy(all.data() + at, memory_->host(buffers_[i]), buffer_bytes_[i]);
  }
  return all;
}

PreparedLaunch::PreparedLaunch(const cubin::Image& image, const std::filesystem::path& file,
                               const launch::Description& description)
    : memory_(std::make_unique<emulator::DeviceMemory>(emulator::DeviceMemory::default_capacity,
                                                       emulator::DeviceMemory::Addresses::of_their_own,
                                                       emulator::DeviceMemory::Layout::as_driver)) {
  emulator::Launch& launch = launch_;
  launch.kernel = description.kernel.empty() ? only_kernel(image, file) : description.kernel;
  launch.grid = description.grid;
  launch.block = description.block;
  launch.dynamic_shared_bytes = description.dynamic_shared_bytes;
  try {
    module_ = std::make_shared<emulator::Module>(*memory_, image);
    const cubin::Kernel& kernel = module_->kernel(launch.kernel);
    std::vector<std::vector<std::uint8_t>> values;
    for (std::size_t i = 0; i < description.arguments.size(); ++i) {
      const launch::Argument& argument = description.arguments[i];
      if (const auto* scalar = std::get_if<launch::Scalar>(&argument)) {
        values.push_back(little_endian(scalar->bits, scalar->bytes));
        continue;
      }
      const auto& buffer = std::get<launch::Buffer>(argument);
      const auto address = memory_->allocate(buffer.bytes, fmt::format("argument {}", i));
      if (!address) {
        throw Failure(ExitCode::bad_arguments,
                      fmt::format("argument {}: {} bytes do not fit the device's memory", i, buffer.bytes));
      }
      if (buffer.bytes != 0) launch::fill_buffer(memory_->host(*address), buffer.bytes, buffer.fill);
      buffers_.push_back(*address);
      buffer_bytes_.push_back(buffer.bytes);
      values.push_back(little_endian(*address, 8));
    }
    launch.module = module_;
    try {
      launch.parameters = emulator::pack_parameters(kernel, values);
    } catch (const emulator::Fault& fault) {
      throw Failure(ExitCode::bad_arguments, fault.what_happened());
    }
    emulator_ = std::make_unique<emulator::Emulator>(launch);
  } catch (const cubin::KernelNotFound& error) {
    throw Failure(ExitCode::no_such_kernel, fmt::format("{}: {}", file.string(), error.what()));
  } catch (const cubin::Error& error) {
    throw Failure(ExitCode::bad_file, fmt::format("{}: {}", file.string(), error.what()));
  } catch (const launch::FillError& error) {
    throw Failure(ExitCode::bad_arguments, error.what());
  } catch (const emulator::Fault& fault) {
    throw Failure(ExitCode::launch_does_not_fit, fault.what());
  }
}

}  // namespace warpgauge::cli
