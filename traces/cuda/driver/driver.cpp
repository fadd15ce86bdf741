// The public driver interface, on the same context as the runtime.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "traces/cuda/abi.h"
#include "traces/cuda/attributes.h"
#include "traces/cuda/guard.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::Event;
using warpgauge::cuda::Function;
using warpgauge::cuda::guarded;
using warpgauge::cuda::MemoryKind;
using warpgauge::cuda::Module;
using warpgauge::cuda::require;
using warpgauge::cuda::Stream;
namespace abi = warpgauge::cuda::abi;

namespace {

using DevicePointer = unsigned long long;

void* pointer(DevicePointer address) {
  return reinterpret_cast<void*>(address);
}

// There is one context; these are the handles that programs see.
int the_context;

bool is_elf(const std::byte* bytes) {
  return std::memcmp(bytes,
                     "\x7f"
                     "ELF",
                     4) == 0;
}

template <class T>
T read_at(const std::byte* bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

// The interface passes images without their length: it stands in their headers.
std::span<const std::byte> image_bytes(const void* image) {
  require(image != nullptr, Error::invalid_value);
  const auto* bytes = static_cast<const std::byte*>(image);
  if (is_elf(bytes)) {
    const auto sections = read_at<std::uint64_t>(bytes, 0x28);
    const auto entry_bytes = read_at<std::uint16_t>(bytes, 0x3a);
    const auto count = read_at<std::uint16_t>(bytes, 0x3c);
    std::uint64_t end = sections + std::uint64_t{entry_bytes} * count;
    const auto segments = read_at<std::uint64_t>(bytes, 0x20);
    if (segments != 0) {
      end = std::max(end, segments + std::uint64_t{read_at<std::uint16_t>(bytes, 0x36)} *
                                         read_at<std::uint16_t>(bytes, 0x38));
    }
    return {bytes, end};
  }
  constexpr std::uint32_t fatbin_magic = 0xba55ed50;
  if (read_at<std::uint32_t>(bytes, 0) == fatbin_magic) {
    return {bytes, read_at<std::uint16_t>(bytes, 6) + read_at<std::uint64_t>(bytes, 8)};
  }
  const auto* wrapper = static_cast<const abi::FatbinWrapper*>(image);
  if (wrapper->magic == abi::FatbinWrapper::expected_magic) return image_bytes(wrapper->fatbin);
  throw warpgauge::cuda::Failure{Error::invalid_kernel_image};  // PTX, or nothing that is known
}

int launch(void* function_handle, warpgauge::traces::Dim3 grid, warpgauge::traces::Dim3 block,
           unsigned shared_bytes, void* stream, void** arguments, void** extra, bool cooperative) {
  const int code = guarded([&](Context& context) {
    Function& function = *context.checked_function(function_handle);
    if (extra == nullptr) {
      context.launch(function, grid, block, shared_bytes, arguments, context.stream(stream), cooperative);
      return;
    }
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    constexpr std::uintptr_t end = 0;
    constexpr std::uintptr_t buffer_pointer = 1;
    constexpr std::uintptr_t buffer_size = 2;
    for (std::size_t i = 0; reinterpret_cast<std::uintptr_t>(extra[i]) != end; i += 2) {
      const auto key = reinterpret_cast<std::uintptr_t>(extra[i]);
      if (key == buffer_pointer) buffer = extra[i + 1];
      if (key == buffer_size) bytes = *static_cast<std::size_t*>(extra[i + 1]);
    }
    std::vector<std::byte> parameters(function.kernel->parameter_bytes);
    require(bytes <= parameters.size(), Error::invalid_value);
    if (bytes != 0) std::memcpy(parameters.data(), buffer, bytes);
    context.launch_block(function, grid, block, shared_bytes, std::move(parameters), context.stream(stream),
                         cooperative);
  });
  // An impossible shape has no code of its own in this interface.
  return code == static_cast<int>(Error::invalid_configuration) ? static_cast<int>(Error::invalid_value)
                                                                : code;
}

int allocate(DevicePointer* out, std::size_t bytes, MemoryKind kind) {
  return guarded([&](Context& context) {
    require(bytes != 0, Error::invalid_value);
    *out = reinterpret_cast<DevicePointer>(context.allocate(bytes, kind));
  });
}

int copy(void* destination, const void* source, std::size_t bytes, void* stream_handle) {
  return guarded([&](Context& context) {
    context.submit(context.stream(stream_handle), abi::node_memcpy,
                   [=, &context](Stream& stream) { context.copy(destination, source, bytes, stream); });
  });
}

int fill(DevicePointer destination, unsigned value, std::size_t element_bytes, std::size_t count,
         void* handle) {
  return guarded([&](Context& context) {
    context.submit(context.stream(handle), abi::node_memset, [=, &context](Stream& stream) {
      context.fill(pointer(destination), static_cast<int>(value), element_bytes, count, stream);
    });
  });
}

struct Copy2D {  // CUDA_MEMCPY2D
  std::size_t source_x, source_y;
  int source_type;
  const void* source_host;
  DevicePointer source_device;
  void* source_array;
  std::size_t source_pitch;
  std::size_t destination_x, destination_y;
  int destination_type;
  void* destination_host;
  DevicePointer destination_device;
  void* destination_array;
  std::size_t destination_pitch;
  std::size_t width, height;
};
constexpr int host_memory = 1;
constexpr int array_memory = 3;

int copy_2d(const Copy2D* c, void* stream) {
  if (c->source_type == array_memory || c->destination_type == array_memory) {
    return warpgauge::cuda::unsupported("cuMemcpy2D with an array");
  }
  const auto* from = static_cast<const std::byte*>(c->source_type == host_memory ? c->source_host
                                                                                 : pointer(c->source_device));
  auto* to = static_cast<std::byte*>(c->destination_type == host_memory ? c->destination_host
                                                                        : pointer(c->destination_device));
  const std::size_t from_pitch = c->source_pitch != 0 ? c->source_pitch : c->width + c->source_x;
  const std::size_t to_pitch = c->destination_pitch != 0 ? c->destination_pitch : c->width + c->destination_x;
  for (std::size_t y = 0; y < c->height; ++y) {
    const int code = copy(to + (y + c->destination_y) * to_pitch + c->destination_x,
                          from + (y + c->source_y) * from_pitch + c->source_x, c->width, stream);
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return guarded([](Context&) {});
}
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  return guarded([&](Context&) {
    require(ordinal == 0, Error::invalid_device);
    *device = 0;
  });
}
int cuDeviceGetName(char* name, int length, int) {
  return guarded([&](Context& context) {
    require(length > 0, Error::invalid_value);
    std::strncpy(name, context.device().name.c_str(), static_cast<std::size_t>(length));
    name[length - 1] = '\0';
  });
}
int cuDeviceGetUuid(void* uuid, int) {
  std::memset(uuid, 0, 16);
  return 0;
}
int cuDeviceGetUuid_v2(void* uuid, int device) {
  return cuDeviceGetUuid(uuid, device);
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  return guarded([&](Context& context) { *bytes = context.memory().capacity(); });
}
int cuDeviceGetAttribute(int* value, int number, int) {
  return guarded([&](Context& context) {
    const auto found = warpgauge::cuda::attribute(context.device(), number);
    require(found.has_value(), Error::invalid_value);
    *value = *found;
  });
}
int cuDeviceComputeCapability(int* major, int* minor, int) {
  return guarded([&](Context& context) {
    *major = context.device().major;
    *minor = context.device().minor;
  });
}
int cuDeviceGetPCIBusId(char* id, int length, int) {
  std::strncpy(id, "0000:01:00.0", static_cast<std::size_t>(length));
  return 0;
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return 0;
}

int cuCtxCreate_v2(void** context, unsigned, int) {
  *context = &the_context;
  return 0;
}
int cuCtxCreate_v3(void** context, void*, int, unsigned, int) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuCtxCreate_v4(void** context, void*, unsigned, int) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuCtxDestroy_v2(void*) {
  return 0;
}
int cuCtxGetCurrent(void** context) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuCtxSetCurrent(void*) {
  return 0;
}
int cuCtxPushCurrent_v2(void*) {
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  return context == nullptr ? 0 : cuCtxCreate_v2(context, 0, 0);
}
int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cuCtxGetFlags(unsigned* flags) {
  *flags = 0;
  return 0;
}
int cuCtxGetApiVersion(void*, unsigned* version) {
  *version = 13000;
  return 0;
}
int cuCtxSynchronize() {
  return guarded([](Context&) {});
}
int cuCtxSynchronize_v2(void*) {
  return cuCtxSynchronize();
}
int cuCtxGetDevice_v2(int* device, void*) {
  return cuCtxGetDevice(device);
}
int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return 0;
}
int cuCtxGetCacheConfig(int* config) {
  *config = 0;
  return 0;
}
int cuCtxGetLimit(std::size_t* value, int limit) {
  return guarded([&](Context& context) {
    constexpr std::size_t defaults[] = {1024, std::size_t{1} << 20, 0, 2, 2048, 128, 0};
    constexpr int heap = 2;
    require(limit >= 0 && limit < 7, Error::unsupported_limit);
    *value = limit == heap ? context.heap().limit() : defaults[limit];
  });
}
int cuCtxSetLimit(int limit, std::size_t value) {
  return guarded([&](Context& context) {
    constexpr int heap = 2;
    if (limit == heap) require(context.heap().set_limit(value), Error::invalid_value);
  });
}
int cuCtxSetCacheConfig(int) {
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return 0;
}
int cuDevicePrimaryCtxReset_v2(int) {
  return 0;
}
int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) {
  return 0;
}
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return 0;
}

int cuModuleLoadData(void** module, const void* image) {
  return guarded([&](Context& context) { *module = context.load_module(image_bytes(image)); });
}
int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  return cuModuleLoadData(module, image);
}
int cuModuleLoadFatBinary(void** module, const void* image) {
  return cuModuleLoadData(module, image);
}
int cuModuleLoad(void** module, const char* path) {
  return guarded([&](Context& context) {
    std::ifstream in(path, std::ios::binary);
    require(static_cast<bool>(in), Error::file_not_found);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    *module = context.load_module(std::as_bytes(std::span(bytes)));
  });
}
int cuModuleUnload(void* module) {
  return guarded([&](Context& context) { context.unload_module(static_cast<Module*>(module)); });
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return guarded(
      [&](Context& context) { *function = context.function(*static_cast<Module*>(module), name); });
}
int cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, void* module, const char* name) {
  return guarded([&](Context& context) {
    const auto& variable = context.variable(*static_cast<Module*>(module), name);
    if (address != nullptr) *address = variable.address;
    if (bytes != nullptr) *bytes = variable.size;
  });
}
int cuModuleGetLoadingMode(int* mode) {
  *mode = 1;
  return 0;
}
int cuLibraryLoadData(void** library, const void* image, int*, void**, unsigned, int*, void**, unsigned) {
  return cuModuleLoadData(library, image);
}
int cuLibraryUnload(void* library) {
  return cuModuleUnload(library);
}
int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  return cuModuleGetFunction(kernel, library, name);
}
int cuLibraryGetModule(void** module, void* library) {
  *module = library;
  return 0;
}
int cuLibraryGetGlobal(DevicePointer* address, std::size_t* bytes, void* library, const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
int cuKernelGetFunction(void** function, void* kernel) {
  *function = kernel;
  return 0;
}

int cuFuncGetAttribute(int* value, int number, void* handle) {
  return guarded([&](Context& context) {
    const Function& function = *context.checked_function(handle);
    const auto& kernel = *function.kernel;
    switch (number) {
      case 0:
        *value = static_cast<int>(context.device().max_threads_per_block);
        break;
      case 1:
        *value = static_cast<int>(kernel.user_shared_bytes());
        break;
      case 2:
        *value = 0;
        break;
      case 3:
        *value = static_cast<int>(kernel.local_bytes());
        break;
      case 4:
        *value = static_cast<int>(kernel.registers);
        break;
      case 5:
      case 6:
        *value = static_cast<int>(kernel.architecture);
        break;
      case 7:
        *value = 0;
        break;
      case 8:
        *value = static_cast<int>(function.max_dynamic_shared_bytes);
        break;
      default:
        require(number <= 15, Error::invalid_value);
        *value = 0;
    }
  });
}
int cuFuncSetAttribute(void* handle, int number, int value) {
  return guarded([&](Context& context) {
    constexpr int max_dynamic_shared = 8;
    Function& function = *context.checked_function(handle);
    if (number != max_dynamic_shared) return;
    require(value >= 0 && static_cast<std::uint64_t>(value) + function.kernel->user_shared_bytes() <=
                              context.device().shared_per_block_optin,
            Error::invalid_value);
    function.max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
  });
}
int cuFuncSetCacheConfig(void*, int) {
  return 0;
}
int cuFuncGetModule(void** module, void* handle) {
  return guarded([&](Context& context) { *module = context.checked_function(handle)->module; });
}
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* handle, int threads,
                                                         std::size_t shared_bytes, unsigned) {
  return guarded([&](Context& context) {
    *blocks = context.occupancy(*context.checked_function(handle), threads, shared_bytes).blocks_per_sm;
  });
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int threads,
                                                std::size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared_bytes, 0);
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** arguments,
                   void** extra) {
  return launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream,
                arguments, extra, false);
}
int cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                              void* stream, void** arguments) {
  return launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream,
                arguments, nullptr, true);
}
int cuLaunchKernelEx(const abi::DriverLaunchConfig* c, void* function, void** arguments, void** extra) {
  bool cooperative = false;
  for (unsigned i = 0; i < c->attribute_count; ++i) {
    if (c->attributes[i].id == abi::attribute_cooperative)
      cooperative = c->attributes[i].value.cooperative != 0;
    const auto& cluster = c->attributes[i].value.cluster;
    if (c->attributes[i].id == abi::attribute_cluster && std::size_t{cluster.x} * cluster.y * cluster.z > 1) {
      return warpgauge::cuda::unsupported("a launch with clusters");
    }
  }
  return launch(function, {c->grid_x, c->grid_y, c->grid_z}, {c->block_x, c->block_y, c->block_z},
                c->shared_bytes, c->stream, arguments, extra, cooperative);
}
int cuLaunchHostFunc(void* stream_handle, abi::HostFunction function, void* data) {
  return guarded([&](Context& context) {
    context.submit(context.stream(stream_handle), abi::node_host, [=](Stream&) { function(data); });
  });
}

int cuMemAlloc_v2(DevicePointer* out, std::size_t bytes) {
  return allocate(out, bytes, MemoryKind::device);
}
int cuMemAllocAsync(DevicePointer* out, std::size_t bytes, void*) {
  return allocate(out, bytes, MemoryKind::device);
}
int cuMemAllocManaged(DevicePointer* out, std::size_t bytes, unsigned) {
  return allocate(out, bytes, MemoryKind::managed);
}
int cuMemAllocPitch_v2(DevicePointer* out, std::size_t* pitch, std::size_t width, std::size_t height,
                       unsigned) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(out, *pitch * height, MemoryKind::device);
}
int cuMemFree_v2(DevicePointer address) {
  return guarded([&](Context& context) { context.release(pointer(address)); });
}
int cuMemFreeAsync(DevicePointer address, void*) {
  return cuMemFree_v2(address);
}
int cuMemHostAlloc(void** out, std::size_t bytes, unsigned) {
  return guarded([&](Context& context) { *out = context.allocate(bytes, MemoryKind::host); });
}
int cuMemAllocHost_v2(void** out, std::size_t bytes) {
  return cuMemHostAlloc(out, bytes, 0);
}
int cuMemFreeHost(void* host) {
  return guarded([&](Context& context) { context.release(host); });
}
int cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned) {
  return guarded([&](Context& context) { context.register_host(host, bytes); });
}
int cuMemHostUnregister(void* host) {
  return guarded([&](Context& context) { context.unregister_host(host); });
}
int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host, unsigned) {
  return guarded([&](Context& context) {
    require(context.allocation_of(host) != nullptr, Error::invalid_value);
    *address = reinterpret_cast<DevicePointer>(host);
  });
}
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return guarded([&](Context& context) {
    *total_bytes = context.memory().capacity();
    *free_bytes = context.memory().capacity() - context.memory().used();
  });
}
int cuMemGetAddressRange_v2(DevicePointer* begin, std::size_t* bytes, DevicePointer address) {
  return guarded([&](Context& context) {
    const auto* allocation = context.allocation_of(pointer(address));
    require(allocation != nullptr, Error::invalid_value);
    if (begin != nullptr) *begin = allocation->begin;
    if (bytes != nullptr) *bytes = allocation->bytes;
  });
}
int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return copy(pointer(to), from, bytes, nullptr);
}
int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return copy(to, pointer(from), bytes, nullptr);
}
int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, nullptr);
}
int cuMemcpy(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, void* stream) {
  return copy(pointer(to), from, bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, void* stream) {
  return copy(to, pointer(from), bytes, stream);
}
int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, void* stream) {
  return copy(pointer(to), pointer(from), bytes, stream);
}
int cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, void* stream) {
  return copy(pointer(to), pointer(from), bytes, stream);
}
int cuMemcpy2D_v2(const Copy2D* parameters) {
  return copy_2d(parameters, nullptr);
}
int cuMemcpy2DUnaligned_v2(const Copy2D* parameters) {
  return copy_2d(parameters, nullptr);
}
int cuMemcpy2DAsync_v2(const Copy2D* parameters, void* stream) {
  return copy_2d(parameters, stream);
}
int cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t count) {
  return fill(to, value, 1, count, nullptr);
}
int cuMemsetD16_v2(DevicePointer to, unsigned short value, std::size_t count) {
  return fill(to, value, 2, count, nullptr);
}
int cuMemsetD32_v2(DevicePointer to, unsigned value, std::size_t count) {
  return fill(to, value, 4, count, nullptr);
}
int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count, void* stream) {
  return fill(to, value, 1, count, stream);
}
int cuMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count, void* stream) {
  return fill(to, value, 2, count, stream);
}
int cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, void* stream) {
  return fill(to, value, 4, count, stream);
}
int cuPointerGetAttribute(void* out, int number, DevicePointer address) {
  return guarded([&](Context& context) {
    const auto kind = context.kind_of(pointer(address));
    require(kind.has_value(), Error::invalid_value);
    switch (number) {
      case 1:
        *static_cast<void**>(out) = &the_context;
        break;
      case 2:
        *static_cast<unsigned*>(out) = *kind == MemoryKind::host ? 1 : 2;
        break;
      case 3:
        *static_cast<DevicePointer*>(out) = address;
        break;
      case 4:
        *static_cast<void**>(out) = pointer(address);
        break;
      case 8:
        *static_cast<int*>(out) = *kind == MemoryKind::managed ? 1 : 0;
        break;
      case 9:
        *static_cast<int*>(out) = 0;
        break;
      default:
        throw warpgauge::cuda::Failure{Error::not_supported};
    }
  });
}

int cuStreamCreate(void** stream, unsigned flags) {
  return guarded([&](Context& context) { *stream = context.create_stream(flags, 0); });
}
int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return guarded([&](Context& context) { *stream = context.create_stream(flags, priority); });
}
int cuStreamDestroy_v2(void* stream) {
  return guarded([&](Context& context) { context.destroy_stream(static_cast<Stream*>(stream)); });
}
int cuStreamSynchronize(void* stream) {
  return guarded([&](Context& context) { context.stream(stream); });
}
int cuStreamQuery(void* stream) {
  return cuStreamSynchronize(stream);
}
int cuStreamWaitEvent(void* stream_handle, void* event_handle, unsigned) {
  return guarded([&](Context& context) {
    const Event& event = context.event(event_handle);
    Stream& stream = context.stream(stream_handle);
    if (event.recorded) stream.ready_ns = std::max(stream.ready_ns, event.time_ns);
  });
}
int cuEventCreate(void** event, unsigned flags) {
  return guarded([&](Context& context) { *event = context.create_event(flags); });
}
int cuEventDestroy_v2(void* event) {
  return guarded([&](Context& context) { context.destroy_event(static_cast<Event*>(event)); });
}
int cuEventRecord(void* event_handle, void* stream_handle) {
  return guarded([&](Context& context) {
    Event& event = context.event(event_handle);
    event.recorded = true;
    event.time_ns = stream_handle == nullptr ? context.latest_ns() : context.stream(stream_handle).ready_ns;
  });
}
int cuEventSynchronize(void* event) {
  return guarded([&](Context& context) { context.event(event); });
}
int cuEventQuery(void* event) {
  return cuEventSynchronize(event);
}
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  return guarded([&](Context& context) {
    const Event& first = context.event(start);
    const Event& last = context.event(end);
    require(first.recorded && last.recorded, Error::invalid_resource_handle);
    *milliseconds = static_cast<float>((last.time_ns - first.time_ns) * 1e-6);
  });
}
int cuEventElapsedTime_v2(float* milliseconds, void* start, void* end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

int cuGetErrorName(int code, const char** text) {
  *text = warpgauge::cuda::driver_name(code);
  return *text == nullptr ? static_cast<int>(Error::invalid_value) : 0;
}
int cuGetErrorString(int code, const char** text) {
  *text = warpgauge::cuda::describe(code);
  return *text == nullptr ? static_cast<int>(Error::invalid_value) : 0;
}

int cuProfilerStart() {
  return 0;
}
int cuProfilerStop() {
  return 0;
}

// A name without its version suffix means the newest one that the version of the caller knows.
int cuGetProcAddress(const char* name, void** function, int version, unsigned long long) {
  void* const self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* const scope = self != nullptr ? self : RTLD_DEFAULT;
  // Those that take other arguments than their predecessors.
  constexpr std::string_view since_13[] = {"cuCtxCreate_v3", "cuCtxCreate_v4", "cuCtxSynchronize_v2",
                                           "cuCtxGetDevice_v2"};
  constexpr int version_13 = 13000;
  for (const char* suffix : {"_v4", "_v3", "_v2", ""}) {
    const std::string full = std::string(name) + suffix;
    const bool newer = std::find(std::begin(since_13), std::end(since_13), full) != std::end(since_13);
    if (newer && version < version_13) continue;
    *function = dlsym(scope, full.c_str());
    if (*function != nullptr) return 0;
  }
  warpgauge::cuda::unsupported(name);
  return static_cast<int>(Error::symbol_not_found);
}
int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags,
                        int* status) {
  const int code = cuGetProcAddress(name, function, version, flags);
  if (status != nullptr) *status = code == 0 ? 0 : 1;
  return code;
}

}  // extern "C"
