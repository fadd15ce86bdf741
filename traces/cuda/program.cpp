#include "traces/cuda/program.h"

#include <cstring>

#include "traces/cuda/abi.h"
#include "traces/cuda/guard.h"

namespace warpgauge::cuda {

Program& Program::instance() {
  static Program* const program = new Program;  // outlives the program's own static destructors
  return *program;
}

Program::Binary* Program::add_binary(const void* wrapper_pointer) {
  const auto* wrapper = static_cast<const abi::FatbinWrapper*>(wrapper_pointer);
  auto binary = std::make_unique<Binary>();
  if (wrapper->magic == abi::FatbinWrapper::expected_magic && wrapper->fatbin != nullptr) {
    const auto* header = static_cast<const std::byte*>(wrapper->fatbin);
    std::uint16_t header_bytes = 0;
    std::uint64_t entries_bytes = 0;
    std::memcpy(&header_bytes, header + 6, sizeof header_bytes);
    std::memcpy(&entries_bytes, header + 8, sizeof entries_bytes);
    binary->fatbin = wrapper->fatbin;
    binary->bytes = header_bytes + entries_bytes;
  }
  Binary* const handle = binary.get();
  binaries_[handle] = std::move(binary);
  return handle;
}

void Program::remove_binary(Binary* binary) {
  for (auto* symbols : {&functions_, &variables_}) {
    std::erase_if(*symbols, [&](const auto& entry) { return entry.second.binary == binary; });
  }
  std::erase_if(managed_, [&](const auto& entry) { return entry.second.binary == binary; });
  binaries_.erase(binary);
}

void Program::add_function(Binary* binary, const void* host, std::string name) {
  functions_[host] = {binary, std::move(name)};
}

void Program::add_variable(Binary* binary, const void* host, std::string name) {
  variables_[host] = {binary, std::move(name)};
}

void Program::add_managed(Binary* binary, void** host_pointer, std::string name) {
  managed_[host_pointer] = {binary, name};
  variables_[host_pointer] = {binary, std::move(name)};
}

Module& Program::load(Context& context, Binary& binary) {
  if (binary.module == nullptr) {
    require(binary.fatbin != nullptr, Error::invalid_kernel_image);
    binary.module = context.load_module({static_cast<const std::byte*>(binary.fatbin), binary.bytes});
    for (const auto& [host_pointer, symbol] : managed_) {
      if (symbol.binary != &binary) continue;
      *host_pointer = reinterpret_cast<void*>(context.variable(*binary.module, symbol.name).address);
    }
  }
  return *binary.module;
}

Function* Program::function(Context& context, const void* host) {
  const auto found = functions_.find(host);
  if (found == functions_.end()) {
    try {
      return context.checked_function(host);
    } catch (const Failure&) {
      throw Failure{Error::invalid_device_function};
    }
  }
  return context.function(load(context, *found->second.binary), found->second.name);
}

const cubin::LoadedVariable& Program::variable(Context& context, const void* host) {
  const auto found = variables_.find(host);
  require(found != variables_.end(), Error::invalid_symbol);
  return context.variable(load(context, *found->second.binary), found->second.name);
}

void* Program::address_in(Context& context, const void* host, std::size_t offset, std::size_t bytes) {
  const cubin::LoadedVariable& found = variable(context, host);
  require(offset <= found.size && bytes <= found.size - offset, Error::invalid_value);
  return reinterpret_cast<void*>(found.address + offset);
}

void Program::load_managed(Context& context) {
  for (const auto& [host_pointer, symbol] : managed_) load(context, *symbol.binary);
}

}  // namespace warpgauge::cuda
