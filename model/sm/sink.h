// Where an SM reports what happens, chosen at compile time: the null sink costs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "model/machine.h"
#include "model/sm/types.h"

namespace warpgauge::model {

struct NullSink {
  void issue(Cycle, unsigned, unsigned, std::uint32_t, Stall) {}
};

struct TimelineSink {
  std::vector<IssueEvent> events;
  void issue(Cycle cycle, unsigned sm, unsigned warp, std::uint32_t index, Stall waited_for) {
    events.push_back({cycle, sm, warp, index, waited_for});
  }
};

}  // namespace warpgauge::model
