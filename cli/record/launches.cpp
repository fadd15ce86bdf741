#include "cli/record/launches.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>

#include "cli/failure.h"
#include "probes/driver/cuda_driver.h"
#include "probes/driver/nvml.h"

namespace warpgauge::cli::record {
namespace {

using probes::driver::Driver;
namespace driver = probes::driver;

// CUresult: from "illegal address" on, the context is lost, but for three that say "not here".
constexpr int illegal_address = 700;
constexpr int launch_out_of_resources = 701;
constexpr int not_permitted = 800;
constexpr int not_supported = 801;

struct LaunchError : std::runtime_error {
  LaunchError(const std::string& message, int code)
      : std::runtime_error(message),
        fatal(code >= illegal_address && code != launch_out_of_resources && code != not_permitted &&
              code != not_supported) {}
  bool fatal;
};

std::string uuid_text(const driver::Uuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

class Runner {
 public:
  Runner(const Suite& suite, unsigned architecture, Mode mode, unsigned repetitions, const std::string& log)
      : suite_(suite),
        architecture_(*sass::parse_architecture(fmt::format("sm_{}", architecture))),
        mode_(mode),
        repetitions_(repetitions),
        log_(std::fopen(log.c_str(), "a")),
        api_(Driver::load()) {
    if (log_ == nullptr) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", log));
    driver::Device device = 0;
    driver::Context context = nullptr;
    check(api_->cuInit(0), "cuInit");
    check(api_->cuDeviceGet(&device, 0), "cuDeviceGet");
    check(api_->cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(api_->cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(api_->cuEventCreate(&start_, 0), "cuEventCreate");
    check(api_->cuEventCreate(&stop_, 0), "cuEventCreate");
  }
  ~Runner() {
    if (log_ != nullptr) std::fclose(log_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  bool run(const SuiteCase& c) {
    say("begin {}", c.name);
    std::vector<driver::DevicePointer> buffers;
    bool usable = true;
    try {
      run_checked(c, buffers);
      say("done {}", c.name);
    } catch (const LaunchError& error) {
      say("failed {} {}", c.name, error.what());
      usable = !error.fatal;
    } catch (const std::exception& error) {
      say("failed {} {}", c.name, error.what());
    }
    for (const driver::DevicePointer buffer : buffers) {
      if (usable) api_->cuMemFree_v2(buffer);
    }
    return usable;
  }

 private:
  template <class... T>
  void say(fmt::format_string<T...> form, T&&... values) {
    fmt::print(log_, "{}\n", fmt::format(form, std::forward<T>(values)...));
    std::fflush(log_);
  }

  void check(int result, const std::string& what) const {
    if (result == driver::success) return;
    const char* name = nullptr;
    api_->cuGetErrorName(result, &name);
    throw LaunchError(fmt::format("{}: {}", what, name != nullptr ? name : fmt::format("error {}", result)),
                      result);
  }

  driver::Function function(const SuiteCase& c) {
    const std::filesystem::path file = suite_.cubin(c, architecture_);
    driver::Module& module = modules_[file.string()];
    if (module == nullptr) {
      std::vector<char> image;
      std::FILE* const in = std::fopen(file.c_str(), "rb");
      if (in == nullptr) throw std::runtime_error(file.filename().string() + " cannot be read");
      std::array<char, 65536> bytes;
      for (std::size_t n = 0; (n = std::fread(bytes.data(), 1, bytes.size(), in)) > 0;)
        image.insert(image.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
      std::fclose(in);
      check(api_->cuModuleLoadData(&module, image.data()), "loading " + file.filename().string());
    }
    driver::Function kernel = nullptr;
    check(api_->cuModuleGetFunction(&kernel, module, c.launch.kernel.c_str()), "finding " + c.launch.kernel);
    if (c.launch.dynamic_shared_bytes > 48U * 1024U) {
      check(api_->cuFuncSetAttribute(kernel, driver::function_max_dynamic_shared,
                                     static_cast<int>(c.launch.dynamic_shared_bytes)),
            "asking for shared memory");
    }
    return kernel;
  }

  void run_checked(const SuiteCase& c, std::vector<driver::DevicePointer>& buffers) {
    const driver::Function kernel = function(c);
    std::vector<std::uint64_t> values;
    for (const launch::Argument& argument : c.launch.arguments) {
      if (const auto* scalar = std::get_if<launch::Scalar>(&argument)) {
        values.push_back(scalar->bits);
        continue;
      }
      driver::DevicePointer at = 0;
      check(api_->cuMemAlloc_v2(&at, std::get<launch::Buffer>(argument).bytes), "cuMemAlloc");
      buffers.push_back(at);
      values.push_back(at);
    }
    std::vector<void*> pointers;
    for (std::uint64_t& value : values) pointers.push_back(&value);
    const auto fill = [&] {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto* buffer = std::get_if<launch::Buffer>(&c.launch.arguments[i]);
        if (buffer == nullptr) continue;
        std::vector<unsigned char> host(buffer->bytes);
        launch::fill_buffer(host.data(), host.size(), buffer->fill);
        check(api_->cuMemcpyHtoD_v2(values[i], host.data(), host.size()), "cuMemcpyHtoD");
      }
    };
    const auto start = [&] {
      const launch::Description& l = c.launch;
      check(api_->cuLaunchKernel(kernel, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z,
                                 l.dynamic_shared_bytes, nullptr, pointers.data(), nullptr),
            "cuLaunchKernel");
    };
    const auto finish = [&] { check(api_->cuStreamSynchronize(nullptr), "kernel"); };
    fill();
    start();
    finish();
    if (mode_ == Mode::hash) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto* buffer = std::get_if<launch::Buffer>(&c.launch.arguments[i]);
        if (buffer == nullptr) continue;
        std::vector<unsigned char> host(buffer->bytes);
        check(api_->cuMemcpyDtoH_v2(host.data(), values[i], host.size()), "cuMemcpyDtoH");
        say("hash {} {} {:016x}", c.name, i, launch::fnv1a(host.data(), host.size()));
      }
      return;
    }
    for (unsigned i = 0; i < repetitions_; ++i) {
      if (c.reset) fill();
      if (mode_ == Mode::profile) {
        check(api_->cuProfilerStart(), "cuProfilerStart");
        start();
        finish();
        check(api_->cuProfilerStop(), "cuProfilerStop");
        const launch::Description& l = c.launch;
        say("launch {} {} {} {} {} {} {} {} {}", c.name, i, l.kernel, l.grid.x, l.grid.y, l.grid.z, l.block.x,
            l.block.y, l.block.z);
        continue;
      }
      check(api_->cuEventRecord(start_, nullptr), "cuEventRecord");
      start();
      check(api_->cuEventRecord(stop_, nullptr), "cuEventRecord");
      finish();
      float milliseconds = 0;
      check(api_->cuEventElapsedTime(&milliseconds, start_, stop_), "cuEventElapsedTime");
      say("event {} {} {:.3f}", c.name, i, double{milliseconds} * 1000);
    }
  }

  const Suite& suite_;
  sass::Architecture architecture_;
  Mode mode_;
  unsigned repetitions_;
  std::FILE* log_;
  std::shared_ptr<const Driver> api_;
  driver::Event start_ = nullptr;
  driver::Event stop_ = nullptr;
  std::map<std::string, driver::Module> modules_;
};

}  // namespace

Card read_card() {
  std::shared_ptr<const Driver> api;
  try {
    api = Driver::load();
  } catch (const probes::TargetError&) {
    throw Failure(ExitCode::no_target,
                  "--record needs a machine with an NVIDIA GPU: libcuda.so.1, the driver, cannot be loaded");
  }
  int count = 0;
  driver::Device device = 0;
  if (api->cuInit(0) != driver::success || api->cuDeviceGetCount(&count) != driver::success || count == 0 ||
      api->cuDeviceGet(&device, 0) != driver::success) {
    throw Failure(ExitCode::no_target, "--record needs a machine with an NVIDIA GPU: the driver finds none");
  }
  Card card;
  std::array<char, 256> name{};
  api->cuDeviceGetName(name.data(), static_cast<int>(name.size()), device);
  card.name = name.data();
  const auto attribute = [&](int which) {
    int value = 0;
    api->cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  card.architecture =
      static_cast<unsigned>(10 * attribute(driver::attribute_major) + attribute(driver::attribute_minor));
  card.multiprocessors = attribute(driver::attribute_sm_count);
  card.l2_bytes = attribute(driver::attribute_l2_bytes);
  api->cuDriverGetVersion(&card.cuda_driver);
  card.driver = fmt::format("CUDA {}.{}", card.cuda_driver / 1000, card.cuda_driver % 1000 / 10);
  driver::Uuid uuid{};
  if (api->cuDeviceGetUuid(&uuid, device) == driver::success) {
    if (const auto nvml = driver::Nvml::open(uuid_text(uuid))) {
      card.driver = nvml->driver_version();
      card.sm_mhz = nvml->read().sm_mhz.value_or(0);
    }
  }
  return card;
}

bool run_launches(const Suite& suite, const std::vector<const SuiteCase*>& cases, unsigned architecture,
                  Mode mode, unsigned repetitions, const std::string& log) {
  Runner runner(suite, architecture, mode, repetitions, log);
  for (const SuiteCase* c : cases) {
    if (!runner.run(*c)) return false;
  }
  return true;
}

}  // namespace warpgauge::cli::record
