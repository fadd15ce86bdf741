#include "traces/emulator/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "traces/emulator/cluster.h"
#include "traces/emulator/fault.h"
#include "traces/sass/decode.h"

namespace warpgauge::emulator {
namespace {

[[noreturn]] void fail(const cubin::Kernel& kernel, const std::string& what) {
  FaultSite site;
  site.kernel = kernel.demangled_name();
  throw Fault(FaultKind::launch_failure, what, site);
}

}  // namespace

Module::Module(DeviceMemory& memory, const cubin::Image& image, HostLevel level)
    : memory_(&memory), level_(level), file_(image.elf()) {
  cubin::LoadOptions options;
  options.allocate = [&](std::uint64_t size, std::uint64_t) {
    const auto address = memory.allocate(size, "module's variables", MemoryPool::variables);
    if (!address) throw cubin::Error("the device's memory cannot hold the module's variables");
    segments_.push_back(*address);
    return *address;
  };
  loaded_ = cubin::load(image, options);
  for (const cubin::DataSegment& segment : loaded_.segments)
    memory.write(segment.address, std::as_bytes(std::span(segment.bytes)));
}

Module::~Module() {
  for (const DeviceAddress address : segments_) memory_->release(address);
}

Module::Code Module::code(const cubin::Kernel& kernel) {
  const cubin::KernelProgram found = cubin::program_of(loaded_, kernel);
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<const Program>& program = programs_[found.offset];
  if (program == nullptr)
    program = std::make_shared<const Program>(sass::decode_section(found.code, loaded_.architecture), level_);
  return {program, found.entry, found.address};
}

traces::Dim3 cluster_of(const cubin::Kernel& kernel, const traces::Dim3& wish) {
  if (kernel.cluster[0] == 0) return wish;
  return {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
}

void check(const Launch& launch) {
  constexpr std::uint64_t most_threads = 1024;
  const cubin::Kernel& kernel = launch.module->kernel(launch.kernel);
  const std::uint64_t threads = launch.block.count();
  if (threads == 0 || launch.grid.count() == 0) fail(kernel, "a grid or a block of no threads");
  if (threads > most_threads)
    fail(kernel, fmt::format("{} threads a block; {} is the most", threads, most_threads));
  const std::uint64_t bound =
      std::uint64_t{kernel.max_threads[0]} * kernel.max_threads[1] * kernel.max_threads[2];
  if (bound != 0 && threads > bound)
    fail(kernel, fmt::format("{} threads a block; the kernel is compiled for at most {}", threads, bound));
  if (kernel.required_threads[0] != 0 &&
      launch.block !=
          traces::Dim3{kernel.required_threads[0], kernel.required_threads[1], kernel.required_threads[2]})
    fail(kernel, "the kernel is compiled for another block size");
  const traces::Dim3 cluster = cluster_of(kernel, launch.cluster);
  if (cluster.count() == 0 || cluster.count() > most_cluster_blocks)
    fail(kernel, fmt::format("{} blocks a cluster; {} is the most", cluster.count(), most_cluster_blocks));
  if (launch.grid.x % cluster.x != 0 || launch.grid.y % cluster.y != 0 || launch.grid.z % cluster.z != 0)
    fail(kernel, "a grid that is not whole clusters");
  if (kernel.cluster[0] != 0 && launch.cluster.count() > 1 && launch.cluster != cluster)
    fail(kernel, "the kernel is compiled for another cluster size");
  if (launch.parameters.size() != kernel.parameter_bytes)
    fail(kernel, fmt::format("{} bytes of parameters; the kernel takes {}", launch.parameters.size(),
                             kernel.parameter_bytes));
}

std::vector<std::uint8_t> pack_parameters(const cubin::Kernel& kernel,
                                          std::span<const std::vector<std::uint8_t>> values) {
  if (values.size() != kernel.parameters.size())
    fail(kernel, fmt::format("{} arguments; the kernel takes {}", values.size(), kernel.parameters.size()));
  std::vector<std::uint8_t> bytes(kernel.parameter_bytes, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const cubin::Parameter& parameter = kernel.parameters[i];
    if (values[i].size() != parameter.size)
      fail(kernel,
           fmt::format("argument {} has {} bytes; the kernel takes {}", i, values[i].size(), parameter.size));
    if (parameter.offset + std::size_t{parameter.size} > bytes.size())
      fail(kernel, fmt::format("parameter {} lies outside the parameter block", i));
    std::copy(values[i].begin(), values[i].end(), bytes.begin() + parameter.offset);
  }
  return bytes;
}

}  // namespace warpgauge::emulator
