// Calls of the driver interface by name, as a program makes them that has no CUDA headers.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

// Ends the program with code 100 where the call fails.
template <class... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
  void* const function = dlsym(library, name);
  const int code = function == nullptr ? -1 : reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
  if (code != 0) {
    std::printf("%s gave %d\n", name, code);
    std::exit(100);
  }
}
