#include "cli/whatif/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/failure.h"
#include "cli/prepared_launch.h"
#include "traces/cubin/image.h"
#include "traces/emulator/fault.h"
#include "traces/emulator/launch.h"
#include "traces/launch_fill.h"

namespace warpgauge::cli::whatif {
namespace {

// A launch's buffers on the target, and what they are filled with.
class Buffers {
 public:
  Buffers(probes::Target& target, const launch::Description& description) : target_(target) {
    for (const launch::Argument& argument : description.arguments) {
      if (const auto* scalar = std::get_if<launch::Scalar>(&argument)) {
        values_.push_back(little_endian(scalar->bits, scalar->bytes));
        continue;
      }
      const auto& buffer = std::get<launch::Buffer>(argument);
      contents_.emplace_back(buffer.bytes);
      if (buffer.bytes != 0) launch::fill_buffer(contents_.back().data(), buffer.bytes, buffer.fill);
      addresses_.push_back(target_.allocate(std::max<std::uint64_t>(buffer.bytes, 1)));
      values_.push_back(little_endian(addresses_.back(), 8));
    }
  }
  ~Buffers() {
    for (const probes::DeviceAddress address : addresses_) target_.release(address);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  void fill() const {
    for (std::size_t i = 0; i < addresses_.size(); ++i) target_.write(addresses_[i], contents_[i]);
  }
  [[nodiscard]] std::uint64_t hash() const {
    std::vector<std::byte> all;
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      const std::size_t at = all.size();
      all.resize(at + contents_[i].size());
      target_.read(std::span(all).subspan(at), addresses_[i]);
    }
    return launch::fnv1a(all.data(), all.size());
  }
  [[nodiscard]] const std::vector<std::vector<std::uint8_t>>& values() const { return values_; }

 private:
  probes::Target& target_;
  std::vector<probes::DeviceAddress> addresses_;
  std::vector<std::vector<std::byte>> contents_;
  std::vector<std::vector<std::uint8_t>> values_;
};

probes::Launch launch_of(probes::Target& target, const cubin::Bytes& file,
                         const launch::Description& description, const Buffers& buffers) {
  const cubin::Image image(file);
  const cubin::Kernel& kernel = image.kernel(description.kernel);
  probes::Launch launch;
  const auto bytes = std::as_bytes(std::span(file));
  launch.function = target.function(target.load(bytes), kernel.name);
  launch.grid = {description.grid.x, description.grid.y, description.grid.z};
  launch.block = {description.block.x, description.block.y, description.block.z};
  launch.dynamic_shared_bytes = description.dynamic_shared_bytes;
  try {
    const auto packed = emulator::pack_parameters(kernel, buffers.values());
    launch.parameters.append(std::as_bytes(std::span(packed)));
  } catch (const emulator::Fault& fault) {
    throw Failure(ExitCode::bad_arguments, fault.what_happened());
  }
  return launch;
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

Measurement measure(probes::Target& target, const cubin::Bytes& before, const cubin::Bytes& after,
                    const launch::Description& description, int repetitions) {
  const Buffers buffers(target, description);
  const probes::Launch launches[] = {launch_of(target, before, description, buffers),
                                     launch_of(target, after, description, buffers)};
  Measurement result;
  std::vector<double> times[2];
  for (int k = -1; k < repetitions; ++k) {
    for (const int which : {0, 1}) {
      buffers.fill();
      const double seconds = target.run(launches[which]);
      if (k >= 0) times[which].push_back(seconds * 1e6);
      if (k == 0) (which == 0 ? result.before_hash : result.after_hash) = buffers.hash();
    }
  }
  result.clock_mhz = target.read_clock().sm_mhz.value_or(0);
  for (std::vector<double>& each : times) std::sort(each.begin(), each.end());
  const auto spread = [](const std::vector<double>& each) {
    return (quantile(each, 0.75) - quantile(each, 0.25)) / quantile(each, 0.5);
  };
  result.before_us = quantile(times[0], 0.5);
  result.after_us = quantile(times[1], 0.5);
  result.before_spread = spread(times[0]);
  result.after_spread = spread(times[1]);
  return result;
}

}  // namespace warpgauge::cli::whatif
