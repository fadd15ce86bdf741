// Machines and measurements that the tests of the model share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/machine_spec.h"
#include "tests/model/fake_stream.h"

namespace warpgauge::model::test {

// The shipped calibration of "h200", "v100" or "t4".
MachineSpec device_spec(const std::string& device);

// The same with one SM: what happens there does not depend on the others.
MachineSpec one_sm(const std::string& device = "h200");

// The same machine with all slices of the L2 as far as the round trip says.
inline MachineSpec slices_alike(MachineSpec spec) {
  spec.memory.crossbar.slice_spread = spec.memory.crossbar.slice_far_extra = spec.memory.crossbar.slice_mean_extra = 0;
  return spec;
}

// Runs `body` twice in a loop, so that code and constants are in their caches, and gives the issue cycles of
// each warp's second turn, relative to the first issue of that turn on the SM.
std::vector<std::vector<std::uint64_t>> second_turn(const MachineSpec& spec, std::vector<FakeOp> body,
                                                    unsigned warps = 1);

// Cycles an instruction of `body`, in a loop of `trips` turns, counted in the steady state of warp 0.
double cycles_each(const MachineSpec& spec, const std::vector<FakeOp>& body, unsigned warps = 1);

}  // namespace warpgauge::model::test
