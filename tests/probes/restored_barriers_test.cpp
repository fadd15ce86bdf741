// BSYNC behind a BMOV that has brought its barrier back (docs/h200.md, branches).
#include <gtest/gtest.h>

#include <string>

#include "calib/loader.h"
#include "probes/model/model_target.h"
#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {
namespace {

// A region whose barrier is moved to a register and, if it is to be, back again, long before its end. Twice, so that the code is there.
SassKernel region_kernel(bool restored) {
  Program p(90);
  const std::string again = p.fresh_label("AGAIN"), end = p.fresh_label("END");
  p.begin();
  p.op(stall(15), "MOV R60, RZ");
  p.label(again);
  p.op(stall(15), "IADD3 R60, R60, 0x1, RZ");
  p.op(stall(5), "BSSY B0, `(" + end + ")");
  p.op(stall(15).writing(0), "BMOV.32 R30, B0");
  p.op(stall(15).waiting(1), "NOP");
  if (restored) p.op(stall(15), "BMOV.32 B0, R30");
  p.idle(100);
  p.start_clock(15);
  p.op(stall(5), "BSYNC B0");
  p.label(end);
  p.end_clock();
  p.op(stall(15), "ISETP.LT.U32.AND P6, PT, R60, 0x2, PT");
  p.op(stall(15), "@P6 BRA `(" + again + ")");
  p.finish();
  return p.kernel(restored ? "restored" : "begun");
}

// An H200 takes 36 to 37 cycles more for each BSYNC behind a call than the two executions of it take (by_hand_h200.json,
// indirect_branches).
TEST(RestoredBarriers, ABsyncOfABarrierThatABmovHasBroughtBackExecutesTwiceAndTakesLonger) {
  const auto calibration = calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/calibration.json");
  const auto target = open_model(calibration);
  Bench bench(*target);
  SassModule module(bench, {region_kernel(false), region_kernel(true)});
  const double begun = module.run("begun").cycles(), restored = module.run("restored").cycles();
  EXPECT_EQ(restored - begun, calibration.issue.divergence_switch_cost + calibration.issue.restored_reconverge_extra);
}

}  // namespace
}  // namespace warpgauge::probes
