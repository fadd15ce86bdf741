// Another program, run to its end or to a limit of time.
#pragma once

#include <string>
#include <vector>

namespace warpgauge::cli::record {

struct ProcessResult {
  int status = 0;  // exit status; 124: over the limit; 127: could not be started; 128 + n: ended by signal n
  std::string output;  // standard output and error together
};

// Looks the program up in $PATH unless its name has a slash. Over the limit, it and its children are ended.
ProcessResult run_process(const std::vector<std::string>& command, double limit_seconds);

// The program's path, or empty where $PATH has none of that name.
std::string find_program(const std::string& name);

}  // namespace warpgauge::cli::record
