// What the compiler registers before main() runs: fat binaries, and the host addresses that stand for kernels
// and variables. Nothing is loaded until it is used.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "traces/cuda/context.h"

namespace warpgauge::cuda {

class Program {
 public:
  static Program& instance();

  struct Binary {
    const void* fatbin = nullptr;
    std::size_t bytes = 0;
    Module* module = nullptr;  // once loaded
  };

  Binary* add_binary(const void* wrapper);
  void remove_binary(Binary* binary);
  void add_function(Binary* binary, const void* host, std::string name);
  void add_variable(Binary* binary, const void* host, std::string name);
  void add_managed(Binary* binary, void** host_pointer, std::string name);

  // The kernel behind a host stub, or a handle that the interface gave out. Throws invalid_device_function.
  Function* function(Context& context, const void* host);
  // Throws invalid_symbol.
  const cubin::LoadedVariable& variable(Context& context, const void* host);
  // Where [offset, offset + bytes) of a variable lies; throws Failure when it is not inside.
  void* address_in(Context& context, const void* host, std::size_t offset, std::size_t bytes);
  // Loads what holds managed variables, whose host pointers must be valid before a kernel runs.
  void load_managed(Context& context);

 private:
  struct Symbol {
    Binary* binary = nullptr;
    std::string name;
  };
  Module& load(Context& context, Binary& binary);

  std::map<Binary*, std::unique_ptr<Binary>> binaries_;
  std::map<const void*, Symbol> functions_;
  std::map<const void*, Symbol> variables_;
  std::map<void**, Symbol> managed_;
};

}  // namespace warpgauge::cuda
