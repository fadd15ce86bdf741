#include "probes/sass/walk.h"

namespace warpgauge::probes {
namespace {

const char* walk_name(Space space) {
  return space == Space::global ? "walk_global" : "walk_constant";
}

// A load of 32 bits that asks the L2, whatever the L1 holds.
std::string past_l1(const Program& p, int to, int address) {
  const std::string from = p.sm() >= 80 ? "desc[UR4][" + reg(address) + ".64]" : "[" + reg(address) + "]";
  return "LDG.E.STRONG.GPU " + reg(to) + ", " + from;
}

}  // namespace

SassKernel walk_kernel(int sm, Space space) {
  Program p(sm);
  p.begin();
  const auto add = [&](int to, std::uint64_t by) {
    p.op(stall(15), "IADD3 " + reg(to) + ", " + reg(to) + ", " + hex(by) + ", RZ");
  };
  const auto again_below_r17 = [&](int counter, const std::string& top) {
    p.op(stall(15), "ISETP.LT.U32.AND P4, PT, " + reg(counter) + ", R17, PT");
    p.op(stall(15), "@P4 BRA `(" + top + ")");
  };
  // R16: 4 * lane, and on in steps of a row; R17: bytes of the list.
  const auto whole_list = [&](const auto& body) {
    p.op(stall(15), "SHF.L.U32 R16, R0, 0x2, RZ");
    const std::string top = p.fresh_label("LIST");
    p.label(top);
    body();
    add(16, 128);
    again_below_r17(16, top);
  };
  const auto pointer = [&](int to, Parameter which) {
    p.op(stall(15), "MOV " + reg(to) + ", " + p.parameter(which));
    p.op(stall(15), "MOV " + reg(to + 1) + ", " + p.parameter(which, 1));
  };
  pointer(8, Parameter::in);
  pointer(26, Parameter::out);
  p.op(stall(15), "MOV R10, " + p.parameter(Parameter::b));
  p.op(stall(15), "MOV R11, " + p.parameter(Parameter::c));
  p.op(stall(15), "MOV R17, " + p.parameter(Parameter::a));
  p.op(stall(15), "SHF.L.U32 R17, R17, 0x2, RZ");
  p.op(stall(15), "MOV R18, 0x1");
  whole_list([&] {  // every lane moves as many
    p.op(stall(15), "IMAD.WIDE.U32 R12, R16, R18, R8");
    p.op(stall(2).writing(0), past_l1(p, 20, 12));
    p.op(stall(15).waiting(1).reading(1), "STS [R16], R20");
    p.op(stall(15).waiting(2), "NOP");
  });
  p.idle(1000);
  p.start_clock(15);
  p.op(stall(15), "MOV R19, RZ");
  const std::string top = p.fresh_label("STEP");
  p.label(top);
  p.op(stall(2).writing(0), "LDS R20, [R19]");
  p.op(stall(15).waiting(1), "IMAD.WIDE.U32 R12, R20, R18, R10");
  p.clock_into(14, 15);
  p.op(stall(2).writing(0), space == Space::global ? p.load_global(32, 21, 12) : "LDC R21, c[0x3][R20]");
  p.op(stall(15).waiting(1), "CS2R.32 R15, SR_CLOCKLO");
  p.op(stall(15), "IADD3 R22, R15, -R14, RZ");
  p.op(stall(15).reading(1), "STS [R19], R22");
  p.op(stall(15).waiting(2), "NOP");
  add(19, 4);
  again_below_r17(19, top);
  p.end_clock();
  whole_list([&] {
    p.op(stall(15).writing(0), "LDS R20, [R16]");
    p.op(stall(15), "IMAD.WIDE.U32 R12, R16, R18, R26");
    p.op(stall(15).waiting(1).reading(1), p.store_global(32, 12, 20, 0x1000));
    p.op(stall(15).waiting(2), "NOP");
  });
  p.finish();
  return p.kernel(walk_name(space), most_steps * 4);
}

std::vector<std::uint32_t> Walk::operator()(const std::vector<std::uint32_t>& places) {
  // The lanes of a warp move the list together: whole rows of them.
  std::vector<std::uint32_t> rows = places;
  rows.resize((places.size() + 31) / 32 * 32, places.back());
  list_.write(rows);
  SassArguments arguments;
  arguments.in = list_.address();
  arguments.a = static_cast<std::uint32_t>(rows.size());
  arguments.b = static_cast<std::uint32_t>(base_);
  arguments.c = static_cast<std::uint32_t>(base_ >> 32);
  arguments.carveout = carveout_;
  arguments.results = rows.size() / 32;
  SassOutcome outcome = module_.run(walk_name(space_), arguments);
  outcome.lanes.resize(places.size());
  return outcome.lanes;
}

}  // namespace warpgauge::probes
