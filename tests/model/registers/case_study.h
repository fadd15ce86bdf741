// The listings of Jia2018 table 1.1 (probes/sass/case_study_listing.h) as code.
#pragma once

#include <string>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::registers::kit {

// `which` is "compiler" or "improved". They stand in a loop as in the paper's kernel: four 128-bit loads from
// shared memory for the two slices, the 64 FFMAs, a branch back, then EXIT. The paper does not print control
// words. These are the ones that NVIDIA's compiler writes for such code on sm_70: every FFMA stalls for the
// two cycles of its pipe, and every sixth asks the scheduler to give way, which is where runs of reuse flags
// in the left column break off (the 4th, 10th, …, 64th FFMA have none). In the right column no run breaks
// off, so that nothing gives way.
std::vector<sass::Instruction> case_study(const std::string& which);

}  // namespace warpgauge::registers::kit
