#include "traces/cuda/guard.h"

#include <cstdio>
#include <set>
#include <string>

#include "traces/cubin/error.h"
#include "traces/emulator/fault.h"

namespace warpgauge::cuda {

int& last_error() {
  thread_local int code = 0;
  return code;
}

void complain(const char* message) {
  std::fprintf(stderr, "warpgauge: %s\n", message);
}

int unsupported(const char* name) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(name).second) {
    complain((std::string(name) + " is not supported; it returns \"operation not supported\"").c_str());
  }
  last_error() = static_cast<int>(Error::not_supported);
  return last_error();
}

int code_of_current_exception(Context& context) {
  try {
    throw;
  } catch (const Failure& failure) {
    return static_cast<int>(failure.code);
  } catch (const emulator::Fault& fault) {
    complain(fault.what());
    context.set_sticky_error(static_cast<Error>(fault.cuda_error()));
    return fault.cuda_error();
  } catch (const cubin::Error& error) {
    complain(error.what());
    return static_cast<int>(Error::invalid_kernel_image);
  } catch (const std::bad_alloc&) {
    return static_cast<int>(Error::memory_allocation);
  } catch (const std::exception& error) {
    complain(error.what());
    return static_cast<int>(Error::unknown);
  }
}

}  // namespace warpgauge::cuda
