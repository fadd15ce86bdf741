// The Volta report's opening case (Jia2018 chapter 1): a step of a matrix product, 64 FFMAs on eight by eight
// values from shared memory, with the registers and reuse flags that the compiler chose and with those of the
// authors.
//
// The report prints the FFMAs without their control words and without what is around them. As the compiler
// writes this loop for sm_70: FFMAs have a stall count of two; every sixth gives way, which are those whose
// operands the listing shows without a flag although the next FFMA reads one of them again; four steps to a
// turn of the loop. A load stands as soon as the registers that it overwrites have been read, in both
// listings: the authors changed the FFMAs of a finished program, and what is around them was the same.
#pragma once

#include <string>

#include "probes/sass/program.h"

namespace warpgauge::probes {

enum class CaseStudy { compiler, authors };

// `steps`, a multiple of four, between two readings of the clock. A block is 128 threads in the report.
SassKernel case_study_kernel(int sm, const std::string& name, CaseStudy whose, int steps);

}  // namespace warpgauge::probes
