#include "probes/driver/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>

namespace warpgauge::probes::driver {
namespace {

constexpr unsigned clock_sm = 1;
constexpr unsigned clock_memory = 2;
constexpr unsigned temperature_gpu = 0;

struct ProcessInfo {  // nvmlProcessInfo_t, version 3
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

struct Nvml::Functions {
  int (*init)();
  int (*shutdown)();
  int (*handle_by_uuid)(const char*, void**);
  int (*clock_info)(void*, unsigned, unsigned*);
  int (*power_usage)(void*, unsigned*);
  int (*temperature)(void*, unsigned, unsigned*);
  int (*throttle_reasons)(void*, unsigned long long*);
  int (*driver_version)(char*, unsigned);
  int (*compute_processes)(void*, unsigned*, ProcessInfo*);
};

Nvml::Nvml(std::unique_ptr<Functions> functions, void* device) : functions_(std::move(functions)), device_(device) {}

Nvml::~Nvml() { functions_->shutdown(); }

std::unique_ptr<Nvml> Nvml::open(const std::string& gpu_uuid) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto functions = std::make_unique<Functions>();
  bool complete = true;
  const auto bind = [&](auto& function, const char* name) {
    void* symbol = dlsym(library, name);
    complete = complete && symbol != nullptr;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  bind(functions->init, "nvmlInit_v2");
  bind(functions->shutdown, "nvmlShutdown");
  bind(functions->handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  bind(functions->clock_info, "nvmlDeviceGetClockInfo");
  bind(functions->power_usage, "nvmlDeviceGetPowerUsage");
  bind(functions->temperature, "nvmlDeviceGetTemperature");
  bind(functions->throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  bind(functions->driver_version, "nvmlSystemGetDriverVersion");
  bind(functions->compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (!complete || functions->init() != 0) return nullptr;
  void* device = nullptr;
  if (functions->handle_by_uuid(gpu_uuid.c_str(), &device) != 0) {
    functions->shutdown();
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions), device));
}

ClockReading Nvml::read() const {
  ClockReading reading;
  unsigned value = 0;
  if (functions_->clock_info(device_, clock_sm, &value) == 0) reading.sm_mhz = value;
  if (functions_->clock_info(device_, clock_memory, &value) == 0) reading.memory_mhz = value;
  if (functions_->power_usage(device_, &value) == 0) reading.power_w = value / 1000.0;
  if (functions_->temperature(device_, temperature_gpu, &value) == 0) reading.temperature_c = value;
  unsigned long long reasons = 0;
  if (functions_->throttle_reasons(device_, &reasons) == 0) reading.throttle_reasons = reasons;
  return reading;
}

std::vector<unsigned> Nvml::other_processes() const {
  std::array<ProcessInfo, 64> infos{};
  unsigned count = infos.size();
  if (functions_->compute_processes(device_, &count, infos.data()) != 0) return {};
  std::vector<unsigned> pids;
  for (unsigned i = 0; i < count && i < infos.size(); ++i) {
    if (infos[i].pid != static_cast<unsigned>(getpid())) pids.push_back(infos[i].pid);
  }
  return pids;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (functions_->driver_version(text.data(), text.size()) != 0) return {};
  return text.data();
}

}  // namespace warpgauge::probes::driver
