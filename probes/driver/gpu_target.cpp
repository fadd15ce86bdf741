#include "probes/driver/gpu_target.h"

#include <array>
#include <cstdio>
#include <thread>

#include "probes/driver/cuda_driver.h"
#include "probes/driver/nvml.h"

namespace warpgauge::probes::driver {
namespace {

using namespace std::chrono_literals;

std::string uuid_text(const Uuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", uuid.bytes[i]);
    text += digits.data();
  }
  return text;
}

class GpuTarget final : public Target {
 public:
  GpuTarget(int ordinal, bool allow_shared) : api_(Driver::load()) {
    const Result initialised = api_->cuInit(0);
    int count = 0;
    if (initialised != success || api_->cuDeviceGetCount(&count) != success || count == 0) {
      throw TargetError("an NVIDIA driver is installed, but it finds no GPU" +
                        (initialised == success ? std::string() : " (error " + std::to_string(initialised) + ")"));
    }
    if (ordinal < 0 || ordinal >= count) {
      throw TargetError("there is no GPU " + std::to_string(ordinal) + ": this machine has " + std::to_string(count));
    }
    check(api_->cuDeviceGet(&device_, ordinal), "opening the GPU");
    read_facts();
    nvml_ = Nvml::open(facts_.uuid);
    if (nvml_ != nullptr) {
      facts_.driver = nvml_->driver_version();
      auto others = nvml_->other_processes();
      for (int wait = 0; wait < 20 && !others.empty() && !allow_shared; ++wait) {
        std::this_thread::sleep_for(100ms);  // a process that has just ended may still be listed
        others = nvml_->other_processes();
      }
      if (!others.empty() && !allow_shared) {
        throw TargetError("another process (pid " + std::to_string(others.front()) + ") computes on " + facts_.name +
                          "; measurements taken beside it would be wrong. Wait for it, or pass --allow-shared");
      }
    }
    Context context = nullptr;
    check(api_->cuDevicePrimaryCtxRetain(&context, device_), "creating a context on " + facts_.name);
    check(api_->cuCtxSetCurrent(context), "entering the context");
    context_ = context;
    devices_ = count;
    ordinal_ = ordinal;
    check(api_->cuStreamCreate(&stream_, 0), "creating a stream");
    check(api_->cuEventCreate(&before_, 0), "creating an event");
    check(api_->cuEventCreate(&after_, 0), "creating an event");
  }

  ~GpuTarget() override {
    if (hung_) return;  // every driver call would wait for the kernel that does not end
    for (const std::uint64_t texture : textures_) api_->cuTexObjectDestroy(texture);
    if (peer_context_ != nullptr) {
      for (const DevicePointer address : peer_memory_) api_->cuMemFree_v2(address);
      api_->cuDevicePrimaryCtxRelease_v2(peer_);
    }
    api_->cuEventDestroy_v2(before_);
    api_->cuEventDestroy_v2(after_);
    api_->cuStreamDestroy_v2(stream_);
    api_->cuDevicePrimaryCtxRelease_v2(device_);
  }

  [[nodiscard]] const TargetFacts& facts() const override { return facts_; }

  ModuleId load(std::span<const std::byte> cubin) override {
    Module module = nullptr;
    check(api_->cuModuleLoadData(&module, cubin.data()), "loading a cubin");
    modules_.push_back(module);
    return {modules_.size() - 1};
  }

  void unload(ModuleId module) override {
    check(api_->cuModuleUnload(modules_.at(module.index)), "unloading a cubin");
    modules_.at(module.index) = nullptr;
  }

  FunctionId function(ModuleId module, const std::string& name) override {
    Function function = nullptr;
    check(api_->cuModuleGetFunction(&function, modules_.at(module.index), name.c_str()), "finding kernel " + name);
    functions_.push_back(function);
    return {functions_.size() - 1};
  }

  DeviceAddress symbol(ModuleId module, const std::string& name) override {
    DevicePointer address = 0;
    std::size_t bytes = 0;
    check(api_->cuModuleGetGlobal_v2(&address, &bytes, modules_.at(module.index), name.c_str()), "finding " + name);
    return address;
  }

  DeviceAddress allocate(std::uint64_t bytes) override {
    DevicePointer address = 0;
    check(api_->cuMemAlloc_v2(&address, bytes), "allocating " + std::to_string(bytes >> 20) + " MiB");
    return address;
  }
  void release(DeviceAddress address) override { check(api_->cuMemFree_v2(address), "releasing memory"); }
  void write(DeviceAddress to, std::span<const std::byte> from) override {
    check(api_->cuMemcpyHtoD_v2(to, from.data(), from.size()), "copying to the GPU");
  }
  void read(std::span<std::byte> to, DeviceAddress from) override {
    check(api_->cuMemcpyDtoH_v2(to.data(), from, to.size()), "copying from the GPU");
  }
  void fill(DeviceAddress to, std::uint8_t value, std::uint64_t bytes) override {
    check(api_->cuMemsetD8_v2(to, value, bytes), "filling memory");
  }

  using Target::run;
  double run(std::span<const Launch> launches) override {
    for (const Launch& launch : launches) prepare(launch);
    check(api_->cuEventRecord(before_, stream_), "recording an event");
    for (const Launch& launch : launches) submit(launch);
    check(api_->cuEventRecord(after_, stream_), "recording an event");
    const auto deadline = std::chrono::steady_clock::now() + limit_;
    for (Result state = api_->cuEventQuery(after_); state != success; state = api_->cuEventQuery(after_)) {
      if (state != not_ready) {
        hung_ = true;
        check(state, "running a kernel");
      }
      if (std::chrono::steady_clock::now() > deadline) {
        hung_ = true;
        throw TargetTimeout("a kernel did not finish within " + std::to_string(limit_.count()) + " ms");
      }
      std::this_thread::sleep_for(20us);
    }
    float milliseconds = 0;
    check(api_->cuEventElapsedTime(&milliseconds, before_, after_), "reading events");
    return milliseconds / 1000.0;
  }

  [[nodiscard]] ClockReading read_clock() override { return nvml_ != nullptr ? nvml_->read() : ClockReading{}; }
  void limit_run(std::chrono::milliseconds limit) override { limit_ = limit; }

  std::uint64_t make_texture(DeviceAddress address, std::uint64_t words) override {
    TextureResource resource{};
    resource.type = resource_linear;
    resource.resource.linear = {address, format_u32, 1, words * 4};
    TextureDescription description{};
    description.flags = texture_read_as_integer;
    std::uint64_t texture = 0;
    check(api_->cuTexObjectCreate(&texture, &resource, &description, nullptr), "making a texture");
    textures_.push_back(texture);
    return texture;
  }

  std::pair<DeviceAddress, DeviceAddress> map_twice(std::uint64_t bytes) override {
    if (api_->cuMemCreate == nullptr || api_->cuMemGetAllocationGranularity == nullptr ||
        api_->cuMemAddressReserve == nullptr || api_->cuMemMap == nullptr || api_->cuMemSetAccess == nullptr)
      throw TargetError("this driver maps no memory by hand");
    MemoryProperties properties{};
    properties.type = memory_pinned;
    properties.location = {memory_on_device, device_};
    std::size_t granule = 0;
    check(api_->cuMemGetAllocationGranularity(&granule, &properties, 0), "asking for the size of a page");
    const std::size_t whole = (bytes + granule - 1) / granule * granule;
    std::uint64_t memory = 0;
    check(api_->cuMemCreate(&memory, whole, &properties, 0), "making memory to map");
    const MemoryAccess access{properties.location, memory_read_write};
    const auto map = [&] {
      DevicePointer at = 0;
      check(api_->cuMemAddressReserve(&at, whole, 0, 0, 0), "reserving addresses");
      check(api_->cuMemMap(at, whole, 0, memory, 0), "mapping memory");
      check(api_->cuMemSetAccess(at, whole, &access, 1), "opening mapped memory");
      return at;
    };
    const DevicePointer first = map();
    return {first, map()};
  }

  double copy(Link link, std::uint64_t bytes, int copies) override {
    const bool peer = link == Link::device_to_peer || link == Link::peer_to_device;
    const bool pinned = link == Link::host_to_device_pinned || link == Link::device_to_host_pinned;
    const DevicePointer here = allocate(bytes);
    const DevicePointer there = peer ? allocate_on_peer(bytes) : 0;
    void* host = nullptr;
    std::vector<std::byte> pageable(peer || pinned ? 0 : bytes, std::byte{1});
    if (pinned) check(api_->cuMemHostAlloc(&host, bytes, 0), "allocating pinned memory");
    if (!pinned) host = pageable.data();
    const auto once = [&] {
      switch (link) {
        case Link::host_to_device:
        case Link::host_to_device_pinned: return api_->cuMemcpyHtoDAsync_v2(here, host, bytes, stream_);
        case Link::device_to_host:
        case Link::device_to_host_pinned: return api_->cuMemcpyDtoHAsync_v2(host, here, bytes, stream_);
        case Link::device_to_peer: return api_->cuMemcpyPeerAsync(there, peer_context_, here, context_, bytes, stream_);
        case Link::peer_to_device: return api_->cuMemcpyPeerAsync(here, context_, there, peer_context_, bytes, stream_);
      }
      return success;
    };
    check(once(), "copying");
    check(api_->cuStreamSynchronize(stream_), "copying");
    // Copies of pageable memory are partly the host's work: its clock counts them, and it makes no difference to others.
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < copies; ++i) check(once(), "copying");
    check(api_->cuStreamSynchronize(stream_), "copying");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (pinned) check(api_->cuMemFreeHost(host), "releasing pinned memory");
    release(here);
    return seconds.count();
  }

  DeviceAddress allocate_on_peer(std::uint64_t bytes) override {
    open_peer();
    DevicePointer address = 0;
    check(api_->cuCtxSetCurrent(peer_context_), "entering the other device's context");
    const Result allocated = api_->cuMemAlloc_v2(&address, bytes);
    check(api_->cuCtxSetCurrent(context_), "entering the context");
    check(allocated, "allocating memory of the other device");
    peer_memory_.push_back(address);
    return address;
  }

 private:
  // The next device of the machine, reachable from this one.
  void open_peer() {
    if (peer_context_ != nullptr) return;
    if (devices_ < 2) throw TargetError("this machine has one GPU: there is no other to reach");
    int reachable = 0;
    check(api_->cuDeviceGet(&peer_, (ordinal_ + 1) % devices_), "opening the other GPU");
    check(api_->cuDeviceCanAccessPeer(&reachable, device_, peer_), "asking for the other GPU");
    if (reachable == 0) throw TargetError(facts_.name + " cannot reach the memory of the machine's other GPU");
    Context other = nullptr;
    check(api_->cuDevicePrimaryCtxRetain(&other, peer_), "creating a context on the other GPU");
    peer_context_ = other;
    check(api_->cuCtxEnablePeerAccess(other, 0), "reaching the other GPU");
  }

  void check(Result result, const std::string& what) const { api_->check(result, what); }

  [[nodiscard]] int attribute(int which) const {
    int value = 0;
    return api_->cuDeviceGetAttribute(&value, which, device_) == success ? value : 0;
  }

  void read_facts() {
    facts_.kind = "gpu";
    std::array<char, 256> name{};
    check(api_->cuDeviceGetName(name.data(), name.size(), device_), "naming the GPU");
    facts_.name = name.data();
    Uuid uuid{};
    if (api_->cuDeviceGetUuid(&uuid, device_) == success) facts_.uuid = uuid_text(uuid);
    int version = 0;
    if (api_->cuDriverGetVersion(&version) == success) facts_.attributes["cuda_version"] = version;
    facts_.sm = attribute(attribute_major) * 10 + attribute(attribute_minor);
    facts_.sm_count = attribute(attribute_sm_count);
    facts_.l2_bytes = static_cast<std::uint64_t>(attribute(attribute_l2_bytes));
    facts_.shared_bytes_per_sm = static_cast<std::uint32_t>(attribute(attribute_shared_per_sm));
    facts_.shared_bytes_per_block_optin = static_cast<std::uint32_t>(attribute(attribute_shared_optin));
    facts_.clock_mhz = attribute(attribute_clock_rate) / 1000.0;
    facts_.memory_clock_mhz = attribute(attribute_memory_clock_rate) / 1000.0;
    std::size_t bytes = 0;
    if (api_->cuDeviceTotalMem_v2(&bytes, device_) == success) facts_.memory_bytes = bytes;
    for (int i = 1; i <= 130; ++i) {
      const int value = attribute(i);
      if (value != 0) facts_.attributes["cu_device_attribute_" + std::to_string(i)] = value;
    }
  }

  void prepare(const Launch& launch) {
    const Function function = functions_.at(launch.function.index);
    if (launch.dynamic_shared_bytes > 48 * 1024) {
      check(api_->cuFuncSetAttribute(function, function_max_dynamic_shared,
                                     static_cast<int>(launch.dynamic_shared_bytes)),
            "asking for shared memory");
    }
    if (launch.carveout_percent) {
      check(api_->cuFuncSetAttribute(function, function_carveout, *launch.carveout_percent), "asking for a carve-out");
    }
    if (launch.cluster_x > 8) {
      check(api_->cuFuncSetAttribute(function, function_nonportable_cluster, 1), "asking for a large cluster");
    }
  }

  void submit(const Launch& launch) {
    const Function function = functions_.at(launch.function.index);
    std::size_t size = launch.parameters.bytes().size();
    void* extra[] = {launch_parameter_pointer, const_cast<std::byte*>(launch.parameters.bytes().data()),
                     launch_parameter_size, &size, launch_parameter_end};
    void** parameters = size == 0 ? nullptr : extra;
    if (launch.cluster_x <= 1) {
      check(api_->cuLaunchKernel(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                                 launch.block.z, launch.dynamic_shared_bytes, stream_, nullptr, parameters),
            "launching a kernel");
      return;
    }
    if (api_->cuLaunchKernelEx == nullptr) throw TargetError("this driver cannot launch clusters");
    LaunchAttribute cluster{};
    cluster.id = launch_attribute_cluster_dimension;
    cluster.value.cluster = {launch.cluster_x, 1, 1};
    const LaunchConfig config{launch.grid.x,  launch.grid.y,  launch.grid.z,
                              launch.block.x, launch.block.y, launch.block.z,
                              launch.dynamic_shared_bytes, stream_, &cluster, 1};
    check(api_->cuLaunchKernelEx(&config, function, nullptr, parameters), "launching a kernel of clusters");
  }

  std::shared_ptr<const Driver> api_;
  std::unique_ptr<Nvml> nvml_;
  TargetFacts facts_;
  Device device_ = 0;
  int ordinal_ = 0;
  int devices_ = 0;
  Context context_ = nullptr;
  Device peer_ = 0;
  Context peer_context_ = nullptr;
  std::vector<DevicePointer> peer_memory_;
  std::vector<std::uint64_t> textures_;
  Stream stream_ = nullptr;
  Event before_ = nullptr;
  Event after_ = nullptr;
  std::vector<Module> modules_;
  std::vector<Function> functions_;
  std::chrono::milliseconds limit_ = 20s;
  bool hung_ = false;
};

}  // namespace

std::unique_ptr<Target> open_gpu(int ordinal, bool allow_shared) {
  return std::make_unique<GpuTarget>(ordinal, allow_shared);
}

}  // namespace warpgauge::probes::driver
