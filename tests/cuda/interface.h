// CUDA's interfaces as a program meets them: shared libraries with functions to look up by name.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgauge::cuda::testing {

class Interface {
 public:
  explicit Interface(const std::string& file_name) {
    // Before the context is made, with the first call.
    setenv("WARPGAUGE_RUN_GPU", "h200", 0);
    setenv("WARPGAUGE_RUN_QUIET", "1", 0);
    handle_ = dlopen((std::string(WARPGAUGE_CUDA_FOLDER "/") + file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }

  // Calls `name`; arguments must have exactly the types of its C declaration.
  template <class Result = int, class... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    void* const function = dlsym(handle_, name);
    if (function == nullptr) throw std::runtime_error(std::string("no ") + name);
    return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
  }
  [[nodiscard]] bool has(const char* name) const { return dlsym(handle_, name) != nullptr; }
  [[nodiscard]] bool has(const char* name, const char* version) const {
    return dlvsym(handle_, name, version) != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

inline std::vector<char> file_bytes(const std::string& path) {
  std::ifstream in(std::string(WARPGAUGE_SOURCE_DIR "/") + path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace warpgauge::cuda::testing
