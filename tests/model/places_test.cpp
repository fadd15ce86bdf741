// Where the warps of blocks go, and the room of those that have ended (by hand on an H200, docs/h200.md,
// "Where warps go").
#include <gtest/gtest.h>

#include <vector>

#include "model/gpu/block_scheduler.h"
#include "model/gpu/sm_room.h"
#include "model/machine.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

Fit of_warps(unsigned warps, std::uint64_t registers_of_a_warp = 0) {
  Fit fit;
  fit.block_warps = warps;
  fit.warp_registers = registers_of_a_warp;
  return fit;
}

// Processing blocks of the first warps of blocks that follow each other, from the first one's on, as %warpid
// modulo 4 says.
TEST(SmRoom, FirstWarpsFollowTheLastBlocksLastOneAndMoveOnWhereThatIsBesideItsFirst) {
  const std::vector<std::pair<unsigned, std::vector<unsigned>>> card{{1, {0, 1, 2, 3, 0, 1, 2, 3}},
                                                                     {2, {0, 2, 0, 2, 0, 2}},
                                                                     {3, {0, 3, 2, 1, 0, 3}},
                                                                     {4, {0, 1, 2, 3, 0, 1, 2, 3}},
                                                                     {5, {0, 1, 2, 3, 0, 1}},
                                                                     {6, {0, 2, 0, 2, 0, 2}},
                                                                     {7, {0, 3, 2, 1, 0, 3, 2, 1}},
                                                                     {8, {0, 1, 2, 3, 0, 1}},
                                                                     {12, {0, 1, 2, 3, 0}},
                                                                     {15, {0, 3, 2, 1}},
                                                                     {16, {0, 1, 2, 3}},
                                                                     {32, {0, 1}}};
  for (const auto& [warps, expected] : card) {
    SmRoom room{OccupancySpec{}};
    std::vector<unsigned> first;
    while (first.size() < expected.size()) first.push_back(room.take(0, of_warps(warps)).first);
    EXPECT_EQ(first, expected) << warps << " warps";
  }
}

TEST(SmRoom, FirstWarpsGoOnInTurnWhicheverProcessingBlocksHaveTheFewestWarps) {
  SmRoom room{OccupancySpec{}};
  const Fit fit = of_warps(1);
  for (unsigned block = 0; block < 4; ++block) room.take(0, fit);
  room.leave(fit, 3);
  room.give_back(0, fit);
  EXPECT_EQ(room.take(0, fit).first, 0U);
}

// 21 blocks of three warps leave a slot on the processing block whose turn is next, 3.
TEST(SmRoom, ABlockWaitsWhereOneOfItsProcessingBlocksIsFull) {
  const auto fits_without = [](unsigned block) {
    SmRoom room{OccupancySpec{}};
    const Fit fit = of_warps(3);
    std::vector<unsigned> first;
    while (first.size() < 21) first.push_back(room.take(0, fit).first);
    EXPECT_FALSE(room.fits(0, fit));
    for (unsigned warp = 0; warp < 3; ++warp) room.leave(fit, (first[block] + warp) % 4);
    room.give_back(0, fit);
    return room.fits(0, fit);
  };
  EXPECT_TRUE(fits_without(0)) << "the next block's warps go to 3, 0 and 1; this one's were on 0, 1 and 2";
  EXPECT_TRUE(fits_without(1)) << "3, 0 and 1";
  EXPECT_FALSE(fits_without(2)) << "2, 3 and 0: 1 is full";
  EXPECT_FALSE(fits_without(3)) << "1, 2 and 3: 0 is full";
}

// Blocks of four warps with 128 registers a thread, of which a processing block holds four warps.
TEST(SmRoom, WarpsThatHaveEndedLeaveTheirRegistersToo) {
  SmRoom room{OccupancySpec{}};
  const Fit fit = of_warps(4, 128 * 32);
  for (unsigned block = 0; block < 4; ++block) room.take(0, fit);
  EXPECT_FALSE(room.fits(0, fit));
  for (unsigned subcore = 0; subcore < 3; ++subcore) room.leave(fit, subcore);
  EXPECT_FALSE(room.fits(0, fit));
  room.leave(fit, 3);
  EXPECT_TRUE(room.fits(0, fit)) << "four blocks are here, and one warp of each has ended";
}

TEST(SmRoom, BlocksKeepTheirSharedMemoryUntilTheyEnd) {
  OccupancySpec spec;
  SmRoom room{spec};
  Fit fit = of_warps(8);
  fit.shared_per_block = 32 << 10;
  fit.division = fit.carveout = 64 << 10;
  for (unsigned block = 0; block < 2; ++block) room.take(0, fit);
  for (unsigned warp = 0; warp < 7; ++warp) room.leave(fit, warp % 4);
  EXPECT_FALSE(room.fits(0, fit));
}

// Two SMs of a TPC or of two TPCs with eight blocks of eight warps each, of which seven have ended on both.
std::vector<unsigned> blocks_after_an_end(unsigned sms_per_tpc, Cycle warps_end) {
  LaunchSpec spec;
  spec.sms_per_tpc = sms_per_tpc;
  OccupancySpec sms;
  sms.sms = 2;
  BlockScheduler scheduler(spec, sms);
  scheduler.begin(0, of_warps(8), 100, 0, 0);
  std::vector<std::vector<unsigned>> starts(2);
  scheduler.place(0, [&](const BlockScheduler::Placed& p) { starts[p.sm].push_back(p.first); });
  EXPECT_EQ(starts[0].size() + starts[1].size(), 16U);
  for (unsigned sm = 0; sm < 2; ++sm) {
    for (const unsigned start : starts[sm]) {
      for (unsigned warp = 1; warp < 8; ++warp) scheduler.left(0, sm, (start + warp) % 4, warps_end);
    }
  }
  std::vector<unsigned> more(2);
  const auto count = [&](const BlockScheduler::Placed& p) { ++more[p.sm]; };
  scheduler.place(400, count);
  EXPECT_EQ(more, (std::vector<unsigned>{0, 0})) << "no block has ended";
  scheduler.left(0, 0, starts[0][0], 500);
  scheduler.freed(0, 0, 500);
  scheduler.place(500, count);
  return more;
}

TEST(BlockScheduler, RoomOfWarpsThatHaveEndedIsTakenWhenABlockOfTheTpcEnds) {
  EXPECT_EQ(blocks_after_an_end(2, 100), (std::vector<unsigned>{7, 7}));
  EXPECT_EQ(blocks_after_an_end(1, 100), (std::vector<unsigned>{7, 0}))
      << "of another TPC's end nothing is learnt";
  EXPECT_EQ(blocks_after_an_end(2, 600), (std::vector<unsigned>{0, 0}))
      << "but the one block's last warp all are there";
}

// Blocks of three and eight warps, as %warpid says.
TEST(Chip, WarpsTakeTheLowestSlotsOfTheirProcessingBlocks) {
  const auto slots = [](std::uint32_t blocks, std::uint32_t threads) {
    FakeStream stream({op(sass::Opcode::NOP).stall(11), op(sass::Opcode::NOP).stall(11), exit_op()});
    stream.launch(blocks, threads);
    Machine(one_sm()).run(stream, {});
    return stream.warps_placed_on;
  };
  using Blocks = std::vector<std::vector<unsigned>>;
  EXPECT_EQ(slots(5, 96), (Blocks{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}, {12, 13, 14}}));
  EXPECT_EQ(
      slots(3, 256),
      (Blocks{{0, 1, 2, 3, 4, 5, 6, 7}, {9, 10, 11, 8, 13, 14, 15, 12}, {18, 19, 16, 17, 22, 23, 20, 21}}));
}

// Seven warps of a block find one line again and again, the first one asks DRAM each time, but for block 0's.
TEST(Chip, BlocksTakeTheRoomOfWarpsThatHaveEndedBesideOneThatGoesOn) {
  const auto cycles = [](std::uint32_t blocks) {
    const AddressOf lines = [](const Where& w) {
      const bool far = w.warp == 0 && w.block != 7;
      return 0x40000000ULL + (far ? (w.block * 64 + w.iteration + 1) * 4096 : 0) + 4ULL * w.lane;
    };
    FakeStream stream({load(sass::Opcode::LDG, 8, 4, 4, lines).stall(2).writes(0),
                       op(sass::Opcode::NOP).waits(1).stall(5), branch_to(0, 40).stall(5), exit_op()});
    stream.launch(blocks, 256);
    return static_cast<double>(Machine(one_sm()).run(stream, {}).cycles);
  };
  const double one_round = cycles(8);
  // Block 7 asks last for the line that all others' warps but their first have, so that those have ended before it does.
  EXPECT_LT(cycles(15), 1.4 * one_round) << "seven more come when block 7 ends";
}

}  // namespace
}  // namespace warpgauge::model::test
