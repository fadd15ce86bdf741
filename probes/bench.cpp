#include "probes/bench.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "probes/kernels/embedded.h"

namespace warpgauge::probes {

Buffer::Buffer(Target& target, std::uint64_t bytes)
    : target_(&target), address_(target.allocate(bytes)), size_(bytes) {}

Buffer::Buffer(Buffer&& other) noexcept : target_(other.target_), address_(other.address_), size_(other.size_) {
  other.address_ = 0;
}

Buffer::~Buffer() {
  if (address_ == 0) return;
  try {
    target_->release(address_);
  } catch (const TargetError&) {
    // The target is already broken, and whoever broke it has said so.
  }
}

Bench::Loaded& Bench::loaded(const std::string& file) {
  const auto found = modules_.find(file);
  if (found != modules_.end()) return found->second;
  const std::vector<std::byte> cubin = embedded_cubin(file, facts().sm);
  if (cubin.empty()) {
    throw ProbeRefusal("this program carries no kernels of \"" + file + "\" for sm_" + std::to_string(facts().sm));
  }
  const auto* first = reinterpret_cast<const std::uint8_t*>(cubin.data());
  Loaded loaded{target_.load(cubin), cubin::ElfFile(cubin::Bytes(first, first + cubin.size()))};
  return modules_.emplace(file, std::move(loaded)).first->second;
}

FunctionId Bench::kernel(const std::string& file, const std::string& name) {
  used_.insert({file, name});
  const std::string key = file + "/" + name;
  const auto found = functions_.find(key);
  if (found != functions_.end()) return found->second;
  return functions_.emplace(key, target_.function(loaded(file).module, name)).first->second;
}

bool Bench::has_kernel(const std::string& file, const std::string& name) {
  return has_embedded_cubin(file, facts().sm) && loaded(file).elf.find_section(".text." + name) != nullptr;
}

DeviceAddress Bench::symbol(const std::string& file, const std::string& name) {
  return target_.symbol(loaded(file).module, name);
}

Buffer Bench::allocate_flush() {
  constexpr std::uint64_t least = 64 << 20;
  return allocate(std::max<std::uint64_t>(4 * facts().l2_bytes, least));
}

void Bench::make_ring(const Buffer& memory, const std::vector<std::uint64_t>& order) {
  const Buffer list = allocate(order.size() * sizeof(std::uint64_t));
  list.write(order);
  constexpr std::uint32_t threads = 256;
  run(kernel("chase", "make_ring"), {static_cast<std::uint32_t>((order.size() + threads - 1) / threads)}, {threads},
      Parameters().add(memory.address()).add(list.address()).add(std::uint64_t{order.size()}));
}

double Bench::run(FunctionId function, Dim3 grid, Dim3 block, const Parameters& parameters, std::uint32_t shared_bytes,
                  std::optional<int> carveout, std::uint32_t cluster) {
  return target_.run(Launch{function, grid, block, shared_bytes, cluster, carveout, parameters});
}

ModuleId Bench::load_made(std::span<const std::byte> cubin) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(cubin.data());
  const cubin::ElfFile elf(cubin::Bytes(first, first + cubin.size()));
  for (const cubin::Section& section : elf.sections()) {
    if (!section.name.starts_with(".text.")) continue;
    made_.add(std::as_bytes(std::span(section.name)));
    made_.add(std::as_bytes(std::span(section.bytes)));
  }
  any_made_ = true;
  return target_.load(cubin);
}

std::string Bench::take_sass_hash() {
  Sha256 hash = std::exchange(made_, {});
  for (const auto& [file, name] : used_) {
    hash.add(std::as_bytes(std::span(name)));
    const cubin::Section* code = loaded(file).elf.find_section(".text." + name);
    if (code != nullptr) hash.add(std::as_bytes(std::span(code->bytes)));
  }
  const bool any = !used_.empty() || std::exchange(any_made_, false);
  used_.clear();
  return any ? hash.hex() : std::string();
}

std::vector<std::uint64_t> random_order(std::uint64_t count, std::uint64_t stride, std::uint64_t seed) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::mt19937_64 random(seed);
  for (std::uint64_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (std::uint64_t& offset : order) offset *= stride;
  return order;
}

}  // namespace warpgauge::probes
