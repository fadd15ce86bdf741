// The ways on which the SMs of a CPC send what they store and add to the L2.
//
// A CPC has several, a few of them for each of some kinds of stretches of addresses: what goes to one stretch shares its few, whichever SM sends it
// and to whichever slice. An SM's messages go in order, so that one whose way is taken holds up all behind it. So SMs of a CPC that write to the same
// 128 KiB are in each other's way, and those of other CPCs, or with stretches of other kinds, are not. On an H200 the stretches take turns as if
// they stood 17 places apart around a ring of 47 (docs/h200.md, "Stores and atomics of a CPC"). Loads, which send no data, hinder nobody.
#pragma once

#include <cstdint>
#include <vector>

#include "model/memory/request.h"
#include "model/memory/servers.h"
#include "model/memory/spec.h"

namespace warpgauge::model {

class CpcWays {
 public:
  CpcWays() = default;
  // No ways where there is no such limit.
  explicit CpcWays(const CrossbarSpec& spec);

  // When what leaves its SM at `at` has its turn. `bytes`: of the SM's port.
  double pass(const MemoryRequest& request, double bytes, double at) {
    if (of_stretch_ == 0 || !has_operands(request.kind)) return at;
    return servers_[first_of_sm_[request.sm] + way_of(request.line)].serve(at, bytes);
  }

  // Among a CPC's.
  [[nodiscard]] unsigned way_of(std::uint64_t line) const;

 private:
  unsigned kinds_ = 1;
  unsigned of_stretch_ = 0;
  std::uint64_t stretch_lines_ = 1;
  std::vector<unsigned> first_of_sm_;
  std::vector<Server> servers_;  // by CPC and way
};

}  // namespace warpgauge::model
