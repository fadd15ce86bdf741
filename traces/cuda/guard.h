// What every entry point does around its work: one lock, exceptions turned into CUDA's codes, the last error
// kept.
#pragma once

#include <exception>
#include <mutex>
#include <new>

#include "traces/cuda/context.h"
#include "traces/cuda/error.h"

namespace warpgauge::cuda {

// The calling thread's last error, which cudaGetLastError reads and clears.
int& last_error();

// One line on stderr.
void complain(const char* message);

// Says once for each name that it is not there, and gives the code for it.
int unsupported(const char* name);

// The code for the exception that is in flight; a kernel's fault becomes the context's sticky error.
int code_of_current_exception(Context& context);

template <class Work>
int guarded(Work&& work) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  int code = static_cast<int>(context.sticky_error());
  if (code == 0) {
    try {
      work(context);
    } catch (...) {
      code = code_of_current_exception(context);
    }
  }
  if (code != 0) last_error() = code;
  return code;
}

// After a call that is not asynchronous, in the default stream, has been asked for.
inline int wait(int code) {
  return code != 0 ? code : guarded([](Context& context) { context.finish_stream(context.stream(nullptr)); });
}

// For calls whose answer is no error: a query that says "not ready", say.
inline void require(bool condition, Error code) {
  if (!condition) throw Failure{code};
}

}  // namespace warpgauge::cuda
