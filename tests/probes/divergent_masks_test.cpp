// BRA.DIV with masks that differ from lane to lane, as an H200 executes it (docs/emulator.md): votes of groups, and warps of which
// some lanes have left.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "calib/loader.h"
#include "probes/model/model_target.h"
#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t together = 1, apart = 2;

// Each lane's mask is parameter a, shifted by the bits of its number that parameter b has; lanes from parameter c on leave. What a
// lane leaves is the way that it went.
SassKernel masks_kernel() {
  Program p(90);
  const std::string slow = p.fresh_label("APART"), end = p.fresh_label("END");
  p.begin();
  p.op(stall(15), "MOV R10, " + p.parameter(Parameter::a));
  p.op(stall(15), "MOV R11, " + p.parameter(Parameter::b));
  p.op(stall(15), "MOV R12, " + p.parameter(Parameter::c));
  p.op(stall(15), "ISETP.GE.AND P1, PT, R0, R12, PT");
  p.op(stall(5), "@P1 EXIT");
  p.op(stall(15), "LOP3.LUT R11, R0, R11, RZ, 0xc0, !PT");
  p.op(stall(15), "SHF.L.U32 R10, R10, R11, RZ");
  p.op(stall(15).writing(0), "REDUX.OR UR6, R10");
  p.op(stall(15).waiting(1), "R2UR P0, URZ, R10");
  p.op(stall(5), "@!P0 BRA.DIV UR6, `(" + slow + ")");
  p.op(stall(15), "MOV R13, 0x1");
  p.op(stall(5), "BRA `(" + end + ")");
  p.label(slow);
  p.op(stall(15), "MOV R13, 0x2");
  p.label(end);
  p.store_result(13, 0);
  p.finish();
  return p.kernel("masks");
}

// The way of all lanes that are left, or 0 where they went different ones.
std::uint32_t way(std::uint32_t mask, std::uint32_t shifts, std::uint32_t left) {
  const auto target =
      open_model(calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/calibration.json"));
  Bench bench(*target);
  SassModule module(bench, {masks_kernel()});
  SassArguments arguments;
  arguments.a = mask;
  arguments.b = shifts;
  arguments.c = left;
  arguments.results = 1;
  const SassOutcome outcome = module.run("masks", arguments);
  const auto first = outcome.lanes.begin();
  return std::all_of(first, first + left, [&](std::uint32_t lane) { return lane == *first; }) ? *first : 0;
}

TEST(DivergentMasks, LanesThatAllNameTheSameOnesGoOnTogether) { EXPECT_EQ(way(0xffffffff, 0, 32), together); }

TEST(DivergentMasks, GroupsWithMasksOfTheirOwnAllGoTheOtherWay) {
  EXPECT_EQ(way(0xf, 0x1c, 32), apart);
  EXPECT_EQ(way(0xffff, 0x10, 32), apart);
}

TEST(DivergentMasks, LanesThatHaveLeftAreNotMissed) {
  EXPECT_EQ(way(0xffffffff, 0, 24), together);
  EXPECT_EQ(way(0xff, 0x18, 8), together) << "of four groups one is left";
}

}  // namespace
}  // namespace warpgauge::probes
