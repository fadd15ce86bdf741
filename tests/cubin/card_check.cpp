// Asks a real card what it makes of the cubins that this room writes: run by hand on a machine with a GPU of
// sm_70 or later, `cubin_card_check SOURCE_FOLDER`. It loads the examples' cubins for the card as they are,
// patched, and written anew, launches them and compares with the host's results. Exit code 0: all as
// expected. The driver is opened at run time, so it builds without CUDA.
#include <dlfcn.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "traces/cubin/cubin.h"

namespace {

using namespace warpgauge;
using cubin::Bytes;

class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr) throw cubin::Error("no driver: libcuda.so.1 cannot be opened");
    call("cuInit", 0U);
    call("cuDeviceGet", &device_, 0);
    void* context = nullptr;
    call("cuDevicePrimaryCtxRetain", &context, device_);
    call("cuCtxSetCurrent", context);
    int major = 0;
    int minor = 0;
    call("cuDeviceGetAttribute", &major, 75, device_);
    call("cuDeviceGetAttribute", &minor, 76, device_);
    sm_ = static_cast<unsigned>(major * 10 + minor);
    call("cuDriverGetVersion", &version_);
  }

  template <class... Arguments>
  void call(const char* name, Arguments... arguments) {
    auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
    if (function == nullptr) throw cubin::Error(fmt::format("the driver has no {}", name));
    if (const int code = function(arguments...); code != 0)
      throw cubin::Error(fmt::format("{}: error {}", name, code));
  }

  [[nodiscard]] unsigned sm() const { return sm_; }
  [[nodiscard]] int version() const { return version_; }

 private:
  void* library_;
  int device_ = 0;
  unsigned sm_ = 0;
  int version_ = 0;
};

class Buffer {
 public:
  Buffer(Driver& driver, const std::vector<float>& values) : driver_(driver), count_(values.size()) {
    driver_.call("cuMemAlloc_v2", &address_, count_ * sizeof(float));
    driver_.call("cuMemcpyHtoD_v2", address_, static_cast<const void*>(values.data()),
                 count_ * sizeof(float));
  }
  ~Buffer() { driver_.call("cuMemFree_v2", address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::vector<float> read() {
    std::vector<float> values(count_);
    driver_.call("cuMemcpyDtoH_v2", static_cast<void*>(values.data()), address_, count_ * sizeof(float));
    return values;
  }

 private:
  Driver& driver_;
  std::uint64_t address_ = 0;
  std::size_t count_;
};

struct Loaded {
  void* function = nullptr;
  int registers = 0;
  int shared = 0;
};

Loaded load(Driver& driver, const Bytes& file, const char* kernel) {
  Loaded loaded;
  void* module = nullptr;
  driver.call("cuModuleLoadData", &module, static_cast<const void*>(file.data()));
  driver.call("cuModuleGetFunction", &loaded.function, module, kernel);
  constexpr int shared_size_bytes = 1;
  constexpr int register_count = 4;
  driver.call("cuFuncGetAttribute", &loaded.shared, shared_size_bytes, loaded.function);
  driver.call("cuFuncGetAttribute", &loaded.registers, register_count, loaded.function);
  return loaded;
}

void launch(Driver& driver, const Loaded& k, unsigned grid_x, unsigned grid_y, unsigned block_x,
            unsigned block_y, std::vector<void*> arguments) {
  driver.call("cuLaunchKernel", k.function, grid_x, grid_y, 1U, block_x, block_y, 1U, 0U,
              static_cast<void*>(nullptr), arguments.data(), static_cast<void**>(nullptr));
  driver.call("cuCtxSynchronize");
}

std::vector<float> ramp(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = step * static_cast<float>(i % 64) - 1.0f;
  return values;
}

// How far the card's values are from the expected ones, at most.
double worst(const std::vector<float>& values, const std::function<double(std::size_t)>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double difference = std::abs(static_cast<double>(values[i]) - expected(i));
    largest = std::isnan(difference) ? 1e30 : std::max(largest, difference);
  }
  return largest;
}

double run_saxpy(Driver& driver, const Loaded& k, float sign) {
  int n = 100000;
  float a = 2.0f;
  const auto x = ramp(100000, 0.25f);
  const auto y = ramp(100000, 0.5f);
  Buffer on_card_x(driver, x);
  Buffer on_card_y(driver, y);
  std::uint64_t px = on_card_x.address();
  std::uint64_t py = on_card_y.address();
  launch(driver, k, 391, 1, 256, 1, {&n, &a, &px, &py});
  return worst(on_card_y.read(), [&](std::size_t i) { return 2.0 * x[i] + sign * y[i]; });
}

double run_reduction(Driver& driver, const Loaded& k) {
  int n = 1 << 16;
  const std::vector<float> x(static_cast<std::size_t>(n), 0.5f);
  Buffer on_card_x(driver, x);
  Buffer sums(driver, std::vector<float>(32));
  std::uint64_t px = on_card_x.address();
  std::uint64_t ps = sums.address();
  launch(driver, k, 32, 1, 256, 1, {&n, &px, &ps});
  return worst(sums.read(), [&](std::size_t) { return 0.5 * n / 32; });
}

double run_sgemm(Driver& driver, const Loaded& k) {
  int n = 128;
  const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto a = ramp(size, 0.125f);
  const auto b = ramp(size, 0.25f);
  Buffer on_card_a(driver, a);
  Buffer on_card_b(driver, b);
  Buffer on_card_c(driver, std::vector<float>(size));
  std::uint64_t pa = on_card_a.address();
  std::uint64_t pb = on_card_b.address();
  std::uint64_t pc = on_card_c.address();
  launch(driver, k, 2, 2, 16, 16, {&n, &n, &pa, &pb, &pc});
  return worst(on_card_c.read(), [&](std::size_t i) {
    const std::size_t row = i / 128;
    const std::size_t column = i % 128;
    double sum = 0;
    for (std::size_t j = 0; j < 128; ++j) sum += static_cast<double>(a[row * 128 + j]) * b[j * 128 + column];
    return sum;
  });
}

// Writes 17 and the cycles that sixteen dependent additions took.
double run_chain(Driver& driver, const Loaded& k) {
  Buffer data(driver, std::vector<float>(2));
  std::uint64_t address = data.address();
  launch(driver, k, 1, 1, 32, 1, {&address});
  const auto values = data.read();
  const auto cycles = std::bit_cast<std::uint32_t>(values[1]);
  fmt::print("     16 dependent additions took {} cycles\n", cycles);
  if (cycles < 64 || cycles > 128) return 1e30;
  return std::abs(static_cast<double>(values[0]) - 17.0);
}

// y = a x - y: bit 75 negates the addend of FFMA.
Bytes negate_the_addend(const Bytes& file) {
  cubin::Patch patch(file);
  const cubin::Image image(file);
  const Bytes& code = image.kernel("saxpy").code;
  for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
    const auto low = cubin::read_at<std::uint64_t>(code, at, "code");
    const auto high = cubin::read_at<std::uint64_t>(code, at + 8, "code");
    constexpr std::uint64_t ffma = 0x23;
    if ((low & 0x1ffU) == ffma) patch.set_word("saxpy", at, {low, high ^ (1U << 11U)});
  }
  return patch.bytes();
}

Bytes with_registers(const Bytes& file, const char* kernel, std::uint32_t registers) {
  cubin::Patch patch(file);
  patch.set_registers(kernel, registers);
  return patch.bytes();
}

Bytes written_anew(const Bytes& file) {
  const cubin::Image image(file);
  cubin::ModuleSource module;
  module.architecture = image.architecture();
  for (const cubin::Kernel& k : image.kernels()) {
    cubin::KernelSource s;
    s.name = k.name;
    s.code = k.code;
    s.registers = k.registers;
    s.shared_bytes = k.user_shared_bytes();
    s.frame_bytes = k.frame_bytes;
    s.barriers = k.barriers;
    s.max_threads = k.max_threads;
    s.parameters = k.parameters;
    module.kernels.push_back(std::move(s));
  }
  return cubin::write_cubin(module);
}

Bytes assembled(const Bytes& file, const char* kernel) {
  return cubin::assemble_cubin(cubin::disassemble(cubin::Image(file).kernel(kernel)));
}

int check(const std::string& folder) {
  Driver driver;
  fmt::print("driver {}, sm_{}\n", driver.version(), driver.sm());
  int failures = 0;
  const auto expect = [&](const std::string& what, const std::function<double(const Loaded&)>& run,
                          const Bytes& file, const char* kernel, int registers) {
    try {
      const Loaded loaded = load(driver, file, kernel);
      const double error = run(loaded);
      const bool good = error < 1e-3 && loaded.registers == registers;
      fmt::print("{:<4} {}: registers {} (expected {}), shared {}, largest error {:.3g}\n",
                 good ? "ok" : "BAD", what, loaded.registers, registers, loaded.shared, error);
      failures += good ? 0 : 1;
    } catch (const cubin::Error& e) {
      fmt::print("BAD  {}: {}\n", what, e.what());
      ++failures;
    }
  };
  const auto file_of = [&](const std::string& name) {
    return cubin::read_bytes(fmt::format("{0}/examples/{1}/{1}.sm_{2}.cubin", folder, name, driver.sm()));
  };
  const Bytes saxpy = file_of("saxpy");
  const Bytes reduction = file_of("reduction");
  const Bytes sgemm = file_of("sgemm");
  const auto registers = [](const Bytes& file, const char* kernel) {
    return static_cast<int>(cubin::Image(file).kernel(kernel).registers);
  };
  const auto plus = [&](const Loaded& k) { return run_saxpy(driver, k, 1.0f); };
  const auto minus = [&](const Loaded& k) { return run_saxpy(driver, k, -1.0f); };
  const auto reduce = [&](const Loaded& k) { return run_reduction(driver, k); };
  const auto multiply = [&](const Loaded& k) { return run_sgemm(driver, k); };
  expect("saxpy as compiled", plus, saxpy, "saxpy", registers(saxpy, "saxpy"));
  expect("saxpy with 77 registers", plus, with_registers(saxpy, "saxpy", 77), "saxpy", 77);
  expect("saxpy with a changed instruction", minus, negate_the_addend(saxpy), "saxpy",
         registers(saxpy, "saxpy"));
  expect("saxpy written anew", plus, written_anew(saxpy), "saxpy", registers(saxpy, "saxpy"));
  expect("reduction as compiled", reduce, reduction, "reduction", registers(reduction, "reduction"));
  expect("reduction with 40 registers", reduce, with_registers(reduction, "reduction", 40), "reduction", 40);
  expect("reduction written anew", reduce, written_anew(reduction), "reduction",
         registers(reduction, "reduction"));
  expect("sgemm as compiled", multiply, sgemm, "sgemm", registers(sgemm, "sgemm"));
  expect("sgemm written anew", multiply, written_anew(sgemm), "sgemm", registers(sgemm, "sgemm"));
  expect("saxpy through text and back", plus, assembled(saxpy, "saxpy"), "saxpy", registers(saxpy, "saxpy"));
  expect("reduction through text and back", reduce, assembled(reduction, "reduction"), "reduction",
         registers(reduction, "reduction"));
  expect("sgemm through text and back", multiply, assembled(sgemm, "sgemm"), "sgemm",
         registers(sgemm, "sgemm"));
  if (driver.sm() == 90) {
    const Bytes text = cubin::read_bytes(folder + "/tests/cubin/data/chain.sm_90.sass");
    const std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
    expect(
        "a chain written by hand", [&](const Loaded& k) { return run_chain(driver, k); },
        cubin::assemble_cubin(view), "chain", 16);
  }
  fmt::print("{} failures\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: cubin_card_check SOURCE_FOLDER\n");
    return 2;
  }
  try {
    return check(argv[1]);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
