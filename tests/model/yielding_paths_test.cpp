// Parts of a warp that stand back for each other at YIELDs: clocks of each, as an H200 read them
// (by_hand_h200.json, "paths_that_yield").
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/machine.h"
#include "tests/emulator/device_fixture.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using emulator::DeviceAddress;
using emulator::Emulator;
using emulator::testing::assembled;
using emulator::testing::Device;
using emulator::testing::make_launch;

constexpr unsigned first_clock = 5, most_clocks = 8;

struct Text {
  std::string text;
  void op(unsigned stall, const std::string& what, const char* waits = "------", char writes = '-') {
    text += std::string("[B") + waits + ":R-:W" + writes + (stall > 11 ? ":Y:S" : ":-:S") +
            (stall < 10 ? "0" : "") + std::to_string(stall) + "] " + what + " ;\n";
  }
  void label(const std::string& name) { text += ".L_" + name + ":\n"; }
  void clock(unsigned number) { op(5, "CS2R.32 R" + std::to_string(first_clock + number) + ", SR_CLOCKLO"); }
};

// Lanes below the first of `ends` branch off, then those below the second that are left, and so on; each path
// reads the clock before each of its YIELDs and behind the last. Three times, so that the code is there.
std::string parted(const std::vector<unsigned>& ends, unsigned yields) {
  Text t;
  t.op(1, "S2R R0, SR_TID.X", "------", '0');
  t.op(2, "ULDC.64 UR4, c[0x0][0x208]");
  t.op(2, "LDC.64 R2, c[0x0][0x210]", "------", '1');
  t.op(15, "LOP3.LUT R4, R0, 0x1f, RZ, 0xc0, !PT", "0-----");
  t.op(15, "IMAD.WIDE.U32 R2, R0, 0x20, R2", "-1----");
  for (std::size_t i = 0; i < ends.size(); ++i)
    t.op(15, "ISETP.LT.U32.AND P" + std::to_string(i + 1) + ", PT, R4, " + std::to_string(ends[i]) + ", PT");
  t.op(15, "MOV R14, RZ");
  t.label("again");
  for (int i = 0; i < 4; ++i) t.op(10, "NOP");
  t.op(5, "BSSY B1, `(.L_join)");
  t.clock(0);
  for (std::size_t i = 1; i <= ends.size(); ++i)
    t.op(5, "@P" + std::to_string(i) + " BRA `(.L_side" + std::to_string(i) + ")");
  for (std::size_t path = 0; path <= ends.size(); ++path) {
    if (path != 0) t.label("side" + std::to_string(path));
    for (unsigned i = 1; i <= yields; ++i) {
      t.clock(i);
      t.op(5, "YIELD");
    }
    t.clock(yields + 1);
    if (path != ends.size()) t.op(5, "BRA `(.L_sync)");
  }
  t.label("sync");
  t.op(5, "BSYNC B1");
  t.label("join");
  t.op(5, "CS2R.32 R15, SR_CLOCKLO");
  for (int i = 0; i < 2; ++i) t.op(10, "NOP");
  t.op(5, "WARPSYNC.ALL");
  t.op(15, "IADD3 R14, R14, 0x1, RZ");
  t.op(15, "ISETP.LT.U32.AND P0, PT, R14, 0x3, PT");
  t.op(5, "@P0 BRA `(.L_again)");
  for (unsigned i = 0; i < most_clocks; ++i)
    t.op(4, "STG.E desc[UR4][R2.64+" + std::to_string(4 * i) + "], R" + std::to_string(first_clock + i));
  t.op(5, "EXIT");
  return t.text;
}

// Clocks before each YIELD and behind the last since all lanes were together, of these lanes.
std::vector<std::vector<unsigned>> clocks(const std::vector<unsigned>& ends, unsigned yields,
                                          const std::vector<unsigned>& lanes, unsigned warps = 1) {
  Device device;
  const auto module = assembled(device, parted(ends, yields), {8});
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(warps * 32 * most_clocks));
  const emulator::Launch launch = make_launch(module, "k", {1}, {warps * 32}, out);
  Emulator stream(launch);
  Machine(device_spec("h200")).run(stream);
  const auto found = device.download<std::uint32_t>(out, warps * 32 * most_clocks);
  std::vector<std::vector<unsigned>> by_lane;
  for (const unsigned lane : lanes) {
    by_lane.emplace_back();
    for (unsigned i = 1; i <= yields + 1; ++i)
      by_lane.back().push_back(found[lane * most_clocks + i] - found[lane * most_clocks]);
  }
  return by_lane;
}

TEST(YieldingPaths, TakeTheCardsCycles) {
  unsigned cases = 0;
  const nlohmann::json card = by_hand("paths_that_yield");
  for (const auto& row : card.at("rows")) {
    const auto ends = row.at(0).get<std::vector<unsigned>>();
    const auto lanes = row.at(1).get<std::vector<unsigned>>();
    const auto due = row.at(2).get<std::vector<std::vector<unsigned>>>();
    EXPECT_EQ(clocks(ends, static_cast<unsigned>(due.front().size()) - 1, lanes), due) << row;
    ++cases;
  }
  EXPECT_EQ(cases, 3U);
}

// Sixteen warps' YIELDs take 64 cycles each, 4 of a unit that they share, and eight warps' what one's take.
TEST(YieldingPaths, OfManyWarpsTakeTurns) {
  const auto spacing = [](unsigned warps) {
    const auto found = clocks({}, 6, {0}, warps).front();
    return (found[6] - found[2]) / 4.0;
  };
  EXPECT_NEAR(spacing(8), 56, 1);
  EXPECT_NEAR(spacing(16), 64, 1);
}

}  // namespace
}  // namespace warpgauge::model::test
