// What atomics take of the L1's data array on their way out and back, as an H200 counts and times it
// (by_hand_h200.json, "wavefronts_of_atomics").
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <string>

#include "model/machine.h"
#include "tests/emulator/device_fixture.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

struct Pattern {
  unsigned lanes = 32;
  unsigned apart = 4;    // bytes
  unsigned sharing = 1;  // lanes beside each other
};

// So many ATOMs of each warp, each with so many loads of shared memory behind it, and the wait for them at
// the end.
std::string atomics(const std::string& type, const Pattern& pattern, unsigned count, unsigned loads) {
  std::string text =
      "[B------:R-:W0:-:S01] S2R R0, SR_TID.X ;\n"
      "[B------:R-:W-:-:S02] ULDC.64 UR4, c[0x0][0x208] ;\n"
      "[B------:R-:W1:-:S02] LDC.64 R2, c[0x0][0x210] ;\n"
      "[B0-----:R-:W-:Y:S15] LOP3.LUT R4, R0, 0x1f, RZ, 0xc0, !PT ;\n"
      "[B------:R-:W-:Y:S15] ISETP.LT.U32.AND P1, PT, R4, " +
      std::to_string(pattern.lanes) +
      ", PT ;\n"
      "[B------:R-:W-:Y:S15] LOP3.LUT R5, R0, 0xffffffe0, RZ, 0xc0, !PT ;\n"
      "[B------:R-:W-:Y:S15] SHF.R.U32.HI R4, RZ, " +
      std::to_string(std::countr_zero(pattern.sharing)) +
      ", R4 ;\n"
      "[B-1----:R-:W-:Y:S15] IMAD.WIDE.U32 R2, R5, 0x80, R2 ;\n"
      "[B------:R-:W-:Y:S15] IMAD.WIDE.U32 R2, R4, " +
      std::to_string(pattern.apart) + ", R2 ;\n";
  for (unsigned i = 0; i < count; ++i) {
    text += "[B------:R-:W2:-:S02] @P1 ATOMG.E.ADD." + type + ".STRONG.GPU PT, R8, desc[UR4][R2.64], R12 ;\n";
    for (unsigned l = 0; l < loads; ++l) text += "[B------:R-:W3:-:S02] LDS R6, [RZ] ;\n";
  }
  return text + "[B--23--:R-:W-:-:S05] EXIT ;\n";
}

KernelReport run(const std::string& text, unsigned warps) {
  emulator::testing::Device device;
  const auto module = emulator::testing::assembled(device, text, {8});
  const emulator::DeviceAddress words = device.upload(std::vector<std::uint32_t>(32768));
  emulator::Emulator stream(emulator::testing::make_launch(module, "k", {1}, {warps * 32}, words));
  return Machine(device_spec("h200")).run(stream);
}

TEST(AtomicsOnTheArray, CountAWavefrontForEachTurnOnEitherWay) {
  const std::map<std::string, std::string> names{{"f32", "F32.FTZ.RN"},
                                                 {"f16x2", "F16x2.RN"},
                                                 {"bf16x2", "BF16x2.RN"},
                                                 {"v2.f16x2", "F16x4.RN"},
                                                 {"v4.f16x2", "F16x8.RN"}};
  constexpr unsigned count = 8;
  unsigned rows = 0;
  const nlohmann::json card = by_hand("wavefronts_of_atomics");
  for (const auto& row : card.at("rows")) {
    const auto name = names.find(row.at(1).get<std::string>());
    if (row.at(0) != "ATOM" || name == names.end()) continue;
    const std::string text = atomics(name->second, {row.at(2), row.at(3), row.at(4)}, count, 0);
    const double found = run(text, 1).metrics.at("l1tex__data_pipe_lsu_wavefronts.sum") / count;
    const double due = row.at(5);
    EXPECT_NEAR(found, due, 0.1 * due) << row;
    ++rows;
  }
  EXPECT_EQ(rows, 80U);
}

// 100 cycles an ATOM of 32 turns that has 32 loads of shared memory behind it, with eight warps: 32 for these
// and 64 for it.
TEST(AtomicsOnTheArray, KeepLoadsOfSharedMemoryFromItOnTheirWayBack) {
  for (const Pattern& pattern : {Pattern{32, 0, 1}, Pattern{32, 128, 1}}) {
    const auto cycles = [&](unsigned count) {
      return static_cast<double>(run(atomics("F32.FTZ.RN", pattern, count, 32), 8).cycles);
    };
    EXPECT_NEAR((cycles(24) - cycles(8)) / (16 * 8), 98, 12) << pattern.apart;
  }
}

}  // namespace
}  // namespace warpgauge::model::test
