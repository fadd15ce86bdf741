// Runs the validation suite's cases on a card through the CUDA driver API alone.
//
//   recorder MANIFEST CUBIN_FOLDER LOG MODE [REPETITIONS]
//
// MODE hash:   each case once from fresh buffers; logs the FNV-1a hash of every buffer.
// MODE events: each case REPETITIONS times after one warming launch; logs microseconds by CUDA events.
// MODE profile: the same launches between cuProfilerStart and cuProfilerStop, for Nsight Compute with
//              --profile-from-start off; logs one line a launch, so that rows can be matched to cases.
//
// The manifest is suite.json flattened by the `record` script, a line a fact:
//   case NAME CUBIN KERNEL GX GY GZ BX BY BZ DYNAMIC_SHARED_BYTES RESET
//   arg i32|u32|i64|f32|f64 VALUE
//   arg buffer BYTES FILL SEED MIN MAX STEP
//   end
// RESET 1 says that a launch must not see what an earlier one wrote: buffers are filled anew each time.
//
// A case that the driver refuses is logged and skipped. After an error that poisons the context the
// program exits with status 3 and the log's last `begin` line names the case, so the caller goes on
// without it.

#include <cuda.h>
#include <cudaProfiler.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "traces/launch_fill.h"

namespace {

using warpgauge::launch::Fill;
using warpgauge::launch::fill_buffer;
using warpgauge::launch::fnv1a;

struct DriverError : std::runtime_error {
  DriverError(const std::string& message, bool is_fatal) : std::runtime_error(message), fatal(is_fatal) {}
  bool fatal;
};

void check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) {
    return;
  }
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  const bool fatal = result >= CUDA_ERROR_ILLEGAL_ADDRESS && result != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
                     result != CUDA_ERROR_NOT_SUPPORTED && result != CUDA_ERROR_NOT_PERMITTED;
  throw DriverError(what + ": " + (name != nullptr ? name : "unknown error"), fatal);
}

struct Argument {
  bool is_buffer = false;
  std::uint64_t bits = 0;  // a scalar's bytes, or the buffer's device address once allocated
  std::size_t bytes = 0;
  Fill fill;
};

struct Case {
  std::string name, cubin, kernel;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  bool reset = false;
  std::vector<Argument> arguments;
};

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

Argument parse_argument(std::istringstream& line) {
  Argument argument;
  std::string type;
  line >> type;
  if (type == "buffer") {
    std::string min, max, step;
    argument.is_buffer = true;
    line >> argument.bytes >> argument.fill.name >> argument.fill.seed >> min >> max >> step;
    argument.fill.min = std::strtod(min.c_str(), nullptr);
    argument.fill.max = std::strtod(max.c_str(), nullptr);
    argument.fill.step = std::strtod(step.c_str(), nullptr);
    return argument;
  }
  std::string value;
  line >> value;
  if (type == "i32") {
    argument.bits = bits_of(static_cast<std::int32_t>(std::strtol(value.c_str(), nullptr, 10)));
  } else if (type == "u32") {
    argument.bits = bits_of(static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10)));
  } else if (type == "i64") {
    argument.bits = bits_of(static_cast<std::int64_t>(std::strtoll(value.c_str(), nullptr, 10)));
  } else if (type == "f32") {
    argument.bits = bits_of(static_cast<float>(std::strtod(value.c_str(), nullptr)));
  } else if (type == "f64") {
    argument.bits = bits_of(std::strtod(value.c_str(), nullptr));
  } else {
    throw std::runtime_error("manifest: unknown argument type " + type);
  }
  return argument;
}

std::vector<Case> read_manifest(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  std::vector<Case> cases;
  std::string text, word;
  while (std::getline(file, text)) {
    std::istringstream line(text);
    line >> word;
    if (word == "case") {
      Case one;
      line >> one.name >> one.cubin >> one.kernel;
      line >> one.grid[0] >> one.grid[1] >> one.grid[2] >> one.block[0] >> one.block[1] >> one.block[2];
      line >> one.shared >> one.reset;
      if (!line) {
        throw std::runtime_error("manifest: cannot read " + text);
      }
      cases.push_back(one);
    } else if (word == "arg") {
      cases.back().arguments.push_back(parse_argument(line));
    }
  }
  return cases;
}

class Runner {
 public:
  Runner(std::string folder, const std::string& log, std::string mode, int repetitions)
      : folder_(std::move(folder)), mode_(std::move(mode)), repetitions_(repetitions) {
    log_ = std::fopen(log.c_str(), "a");
    if (log_ == nullptr) {
      throw std::runtime_error("cannot write " + log);
    }
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device_, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    check(cuEventCreate(&start_, CU_EVENT_DEFAULT), "cuEventCreate");
    check(cuEventCreate(&stop_, CU_EVENT_DEFAULT), "cuEventCreate");
  }

  void describe() {
    char name[256] = {};
    int driver = 0, multiprocessors = 0, clock = 0, memory_clock = 0, major = 0, minor = 0, l2 = 0;
    cuDeviceGetName(name, sizeof name, device_);
    cuDriverGetVersion(&driver);
    cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_);
    cuDeviceGetAttribute(&clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device_);
    cuDeviceGetAttribute(&memory_clock, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device_);
    cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_);
    cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_);
    cuDeviceGetAttribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device_);
    std::fprintf(log_,
                 "device driver=%d multiprocessors=%d clock_khz=%d memory_clock_khz=%d sm=%d%d l2=%d %s\n",
                 driver, multiprocessors, clock, memory_clock, major, minor, l2, name);
  }

  // Returns false when the context cannot be used any more.
  bool run(const Case& one) {
    std::fprintf(log_, "begin %s\n", one.name.c_str());
    std::fflush(log_);
    std::vector<CUdeviceptr> allocated;
    bool usable = true;
    try {
      run_checked(one, allocated);
      std::fprintf(log_, "done %s\n", one.name.c_str());
    } catch (const DriverError& error) {
      std::fprintf(log_, "failed %s %s\n", one.name.c_str(), error.what());
      usable = !error.fatal;
    } catch (const std::exception& error) {
      std::fprintf(log_, "failed %s %s\n", one.name.c_str(), error.what());
    }
    std::fflush(log_);
    if (usable) {
      for (const CUdeviceptr at : allocated) {
        cuMemFree(at);
      }
    }
    return usable;
  }

 private:
  CUfunction function(const Case& one) {
    CUmodule& module = modules_[one.cubin];
    if (module == nullptr) {
      const std::string path = folder_ + "/" + one.cubin;
      check(cuModuleLoad(&module, path.c_str()), "cuModuleLoad " + one.cubin);
    }
    CUfunction kernel = nullptr;
    check(cuModuleGetFunction(&kernel, module, one.kernel.c_str()), "cuModuleGetFunction " + one.kernel);
    if (one.shared > 48U * 1024U) {
      check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(one.shared)),
            "cuFuncSetAttribute");
    }
    return kernel;
  }

  void upload(const Argument& argument) {
    std::vector<unsigned char> host(argument.bytes);
    fill_buffer(host.data(), host.size(), argument.fill);
    check(cuMemcpyHtoD(argument.bits, host.data(), host.size()), "cuMemcpyHtoD");
  }

  void launch(const Case& one, CUfunction kernel, std::vector<Argument>& arguments) {
    std::vector<void*> pointers;
    for (Argument& argument : arguments) {
      pointers.push_back(&argument.bits);
    }
    check(cuLaunchKernel(kernel, one.grid[0], one.grid[1], one.grid[2], one.block[0], one.block[1],
                         one.block[2], one.shared, nullptr, pointers.data(), nullptr),
          "cuLaunchKernel");
  }

  void run_checked(const Case& one, std::vector<CUdeviceptr>& allocated) {
    const CUfunction kernel = function(one);
    std::vector<Argument> arguments = one.arguments;
    const auto refill = [&] {
      for (const Argument& argument : arguments) {
        if (argument.is_buffer) {
          upload(argument);
        }
      }
    };
    for (Argument& argument : arguments) {
      if (argument.is_buffer) {
        CUdeviceptr at = 0;
        check(cuMemAlloc(&at, argument.bytes), "cuMemAlloc");
        allocated.push_back(at);
        argument.bits = at;
      }
    }
    refill();
    launch(one, kernel, arguments);
    check(cuCtxSynchronize(), "kernel");
    if (mode_ == "hash") {
      log_hashes(one, arguments);
      return;
    }
    for (int i = 0; i < repetitions_; ++i) {
      if (one.reset) {
        refill();
      }
      if (mode_ == "profile") {
        check(cuProfilerStart(), "cuProfilerStart");
        launch(one, kernel, arguments);
        check(cuCtxSynchronize(), "kernel");
        check(cuProfilerStop(), "cuProfilerStop");
        std::fprintf(log_, "launch %s %d\n", one.name.c_str(), i);
      } else {
        check(cuEventRecord(start_, nullptr), "cuEventRecord");
        launch(one, kernel, arguments);
        check(cuEventRecord(stop_, nullptr), "cuEventRecord");
        check(cuCtxSynchronize(), "kernel");
        float milliseconds = 0;
        check(cuEventElapsedTime(&milliseconds, start_, stop_), "cuEventElapsedTime");
        std::fprintf(log_, "event %s %d %.3f\n", one.name.c_str(), i, double{milliseconds} * 1000.0);
      }
    }
  }

  void log_hashes(const Case& one, const std::vector<Argument>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_buffer) {
        continue;
      }
      std::vector<unsigned char> host(arguments[i].bytes);
      check(cuMemcpyDtoH(host.data(), arguments[i].bits, host.size()), "cuMemcpyDtoH");
      std::fprintf(log_, "hash %s %zu %016llx\n", one.name.c_str(), i,
                   static_cast<unsigned long long>(fnv1a(host.data(), host.size())));
    }
  }

  std::string folder_;
  std::string mode_;
  int repetitions_;
  std::FILE* log_ = nullptr;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
  std::map<std::string, CUmodule> modules_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: recorder MANIFEST CUBIN_FOLDER LOG hash|events|profile [REPETITIONS]\n");
    return 2;
  }
  try {
    const std::vector<Case> cases = read_manifest(argv[1]);
    Runner runner(argv[2], argv[3], argv[4], argc > 5 ? std::atoi(argv[5]) : 3);
    runner.describe();
    for (const Case& one : cases) {
      if (!runner.run(one)) {
        return 3;
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "recorder: %s\n", error.what());
    return 1;
  }
  return 0;
}
