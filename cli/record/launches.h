// Runs cases of a suite on this machine's card through the CUDA driver. The recording starts this program for
// it, alone or under Nsight Compute, so that a case that kills it costs that case.
#pragma once

#include <string>
#include <vector>

#include "cli/validate/suite.h"

namespace warpgauge::cli::record {

// What the driver says of the first card; no context is made.
struct Card {
  std::string name;
  std::string driver;  // as the management library tells it, or CUDA's version
  unsigned architecture = 0;
  int multiprocessors = 0;
  int l2_bytes = 0;
  int cuda_driver = 0;
  double sm_mhz = 0;  // now; 0 where it cannot be read
};

// Throws Failure (no_target).
Card read_card();

enum class Mode {
  hash,    // each case once from fresh buffers: the FNV-1a hash of every buffer afterwards
  events,  // launches after a first one, between two events
  profile  // the same between cuProfilerStart and cuProfilerStop, for `ncu --profile-from-start off`
};

// Appends to the log, a line a fact, each written out at once:
//   begin CASE | done CASE | failed CASE WHY
//   hash CASE ARGUMENT HEXADECIMAL
//   event CASE REPETITION MICROSECONDS
//   launch CASE REPETITION KERNEL GX GY GZ BX BY BZ
// Returns false after an error that the context does not survive; the last `begin` names the case.
bool run_launches(const Suite& suite, const std::vector<const SuiteCase*>& cases, unsigned architecture,
                  Mode mode, unsigned repetitions, const std::string& log);

}  // namespace warpgauge::cli::record
