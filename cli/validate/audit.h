// How many cases' counters lie within what is asked of the memory system, and which one lies farthest off.
#pragma once

#include <string>
#include <vector>

#include "cli/validate/comparison.h"

namespace warpgauge::cli {

struct AuditRow {
  std::string counter;
  bool points =
      false;  // rates: limit and deviation are percentage points; else fractions of what was measured
  double limit = 0;
  std::size_t cases = 0;
  std::size_t within = 0;
  std::string worst;     // the case that lies farthest off; empty if all are within
  double deviation = 0;  // its own, predicted against measured
};

// L1 sectors 1 %, hit rates 3 points, L2 sectors 3 %, DRAM bytes 10 %, over the cases that have a prediction
// and the counters. Left out are hit rates measured above 100 %, which the profiler gives where a launch's
// own traffic outweighs the kernel's. DRAM bytes are also within if they differ by no more than 64 KiB, which
// a launch itself moves.
std::vector<AuditRow> audit(const std::vector<Comparison>& comparisons);

std::string audit_text(const std::vector<AuditRow>& rows);
std::string audit_markdown(const std::vector<AuditRow>& rows);

}  // namespace warpgauge::cli
