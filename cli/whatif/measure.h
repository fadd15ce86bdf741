// Two versions of one kernel, run on a target in turn: what each takes and whether they leave the same bytes.
#pragma once

#include <cstdint>

#include "probes/target.h"
#include "traces/cubin/cubin.h"
#include "traces/launch_file.h"

namespace warpgauge::cli::whatif {

struct Measurement {
  double before_us = 0;  // medians, launch included, by events around it
  double after_us = 0;
  double before_spread = 0;  // from the first to the third quartile, a share of the median
  double after_spread = 0;
  double clock_mhz = 0;           // SM clock meanwhile; 0 where there is no sensor
  std::uint64_t before_hash = 0;  // FNV-1a over all buffers
  std::uint64_t after_hash = 0;

  [[nodiscard]] double change_percent() const { return 100 * (after_us - before_us) / before_us; }
};

// `description` names the kernel. Runs both `repetitions` times, one after the other, each time on buffers
// filled anew; one more run of each goes ahead and does not count. Throws probes::TargetError, Failure
// (bad_arguments).
Measurement measure(probes::Target& target, const cubin::Bytes& before, const cubin::Bytes& after,
                    const launch::Description& description, int repetitions);

}  // namespace warpgauge::cli::whatif
