// The functions that compiled programs call before main() and at each `<<<>>>`.
#include <cstring>
#include <optional>
#include <vector>

#include "traces/cuda/abi.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"
#include "traces/cuda/program.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::guarded;
using warpgauge::cuda::Program;
namespace abi = warpgauge::cuda::abi;

namespace {

struct CallConfiguration {
  abi::Dim3 grid;
  abi::Dim3 block;
  std::size_t shared_bytes;
  void* stream;
};

std::vector<CallConfiguration>& configurations() {
  thread_local std::vector<CallConfiguration> stack;
  return stack;
}

warpgauge::traces::Dim3 dim3(const abi::Dim3& d) {
  return {d.x, d.y, d.z};
}

int launch(const void* function, abi::Dim3 grid, abi::Dim3 block, void** arguments, std::size_t shared_bytes,
           void* stream, bool cooperative, const warpgauge::cuda::LaunchWishes& wishes = {}) {
  return guarded([&](Context& context) {
    warpgauge::cuda::Function launched = *Program::instance().function(context, function);
    warpgauge::cuda::set_wishes(launched, wishes);
    context.launch(launched, dim3(grid), dim3(block), shared_bytes, arguments, context.stream(stream), cooperative);
  });
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(Program::instance().add_binary(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  Program::instance().remove_binary(reinterpret_cast<Program::Binary*>(handle));
}

char __cudaInitModule(void**) {
  guarded([](Context& context) { Program::instance().load_managed(context); });
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*,
                            void*, void*, int*) {
  Program::instance().add_function(reinterpret_cast<Program::Binary*>(handle), host, name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t, int, int) {
  Program::instance().add_variable(reinterpret_cast<Program::Binary*>(handle), host, name);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int, std::size_t,
                              int, int) {
  Program::instance().add_managed(reinterpret_cast<Program::Binary*>(handle), host_pointer, name);
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {
  warpgauge::cuda::unsupported("texture references");
}
void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {
  warpgauge::cuda::unsupported("surface references");
}

unsigned __cudaPushCallConfiguration(abi::Dim3 grid, abi::Dim3 block, std::size_t shared_bytes,
                                     void* stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

int __cudaPopCallConfiguration(abi::Dim3* grid, abi::Dim3* block, std::size_t* shared_bytes, void* stream) {
  if (configurations().empty()) return static_cast<int>(Error::missing_configuration);
  const CallConfiguration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<void**>(stream) = top.stream;
  return 0;
}

int __cudaGetKernel(void** kernel, const void* host) {
  // Resolved at the launch, so that an error is the launch's.
  *kernel = const_cast<void*>(host);
  return 0;
}

int __cudaLaunchKernel(void* kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                       std::size_t shared_bytes, void* stream) {
  return launch(kernel, grid, block, arguments, shared_bytes, stream, false);
}

int __cudaLaunchKernel_ptsz(void* kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                            std::size_t shared_bytes, void* stream) {
  return launch(kernel, grid, block, arguments, shared_bytes, stream, false);
}

int cudaLaunchKernel(const void* function, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                     std::size_t shared_bytes, void* stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, false);
}

int cudaLaunchCooperativeKernel(const void* function, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                                std::size_t shared_bytes, void* stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, true);
}

int cudaLaunchKernelExC(const abi::LaunchConfig* config, const void* function, void** arguments) {
  const auto wishes = warpgauge::cuda::launch_wishes({config->attributes, config->attribute_count});
  return launch(function, config->grid, config->block, arguments, config->shared_bytes, config->stream,
                wishes.cooperative, wishes);
}

int cudaGetFuncBySymbol(void** function, const void* symbol) {
  return guarded([&](Context& context) { *function = Program::instance().function(context, symbol); });
}

int cudaGetKernel(void** kernel, const void* symbol) {
  return guarded([&](Context& context) { *kernel = Program::instance().function(context, symbol); });
}

int cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return guarded([&](Context& context) {
    *pointer = reinterpret_cast<void*>(Program::instance().variable(context, symbol).address);
  });
}

int cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return guarded([&](Context& context) { *bytes = Program::instance().variable(context, symbol).size; });
}

}  // extern "C"
