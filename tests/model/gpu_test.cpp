// Occupancy, placement, the run of a whole chip: balance, determinism, what the report says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "model/gpu/block_scheduler.h"
#include "model/gpu/occupancy.h"
#include "model/machine.h"
#include "model/report/render.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

traces::LaunchShape shape(std::uint32_t threads, std::uint32_t registers, std::uint32_t shared = 0,
                          std::uint32_t blocks = 100000) {
  traces::LaunchShape s;
  s.kernel = "k";
  s.grid = {blocks, 1, 1};
  s.block = {threads, 1, 1};
  s.registers_per_thread = registers;
  s.static_shared_bytes = shared;
  return s;
}

traces::LaunchShape wishing(traces::LaunchShape launch, std::uint8_t carveout_percent) {
  launch.carveout_percent = carveout_percent;
  return launch;
}

// The figures of the CUDA occupancy calculator.
TEST(Occupancy, FollowsTheLimitsOfEachDevice) {
  struct Case {
    const char* device;
    traces::LaunchShape shape;
    unsigned blocks;
    const char* limiter;
  };
  const std::vector<Case> cases{
      {"h200", shape(256, 32), 8, "warps"},
      {"h200", shape(32, 16), 32, "blocks"},
      {"h200", shape(256, 64), 4, "registers"},
      {"h200", shape(256, 128), 2, "registers"},
      {"h200", shape(1024, 64), 1, "registers"},
      {"h200", shape(256, 33), 6, "registers"},
      // Blocks of fewer warps than there are processing blocks: as Nsight Compute gives them of launches on an H200.
      {"h200", shape(64, 26), 32, "warps"},
      {"h200", shape(64, 54), 18, "registers"},
      {"h200", shape(32, 24), 32, "blocks"},
      {"h200", shape(128, 32, 40960), 5, "shared_memory"},
      {"h200", shape(128, 32, 231424), 1, "shared_memory"},
      {"t4", shape(256, 32), 4, "warps"},
      {"t4", shape(64, 32), 16, "warps"},
      {"t4", shape(128, 32, 16384), 4, "shared_memory"},
      {"v100", shape(256, 32), 8, "warps"},
      {"v100", shape(128, 32, 12288), 8, "shared_memory"},
      {"h200", shape(256, 32, 0, 132), 8, "grid"},
  };
  for (const Case& c : cases) {
    const Fit fit = occupancy(device_spec(c.device).occupancy, c.shape);
    EXPECT_EQ(fit.occupancy.blocks_per_sm, c.blocks)
        << c.device << " " << c.shape.threads_per_block() << " threads";
    EXPECT_EQ(fit.occupancy.limiter, c.limiter)
        << c.device << " " << c.shape.threads_per_block() << " threads";
  }
}

// tests/model/data/occupancy_h200.txt says how its figures were taken.
TEST(Occupancy, IsWhatTheRuntimeSaysOfAnH200ForEveryNumberOfWarps) {
  const OccupancySpec h200 = device_spec("h200").occupancy;
  std::ifstream file(std::string(WARPGAUGE_SOURCE_DIR) + "/tests/model/data/occupancy_h200.txt");
  unsigned rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    unsigned registers = 0;
    words >> registers;
    unsigned warps = 0;
    for (unsigned blocks = 0; words >> blocks;) {
      ++warps;
      const traces::LaunchShape launch = shape(32 * warps, registers);
      if (blocks == 0) {
        EXPECT_THROW(occupancy(h200, launch), MachineError) << warps << " warps of " << registers << " registers";
      } else {
        EXPECT_EQ(occupancy(h200, launch).occupancy.blocks_per_sm, blocks)
            << warps << " warps of " << registers << " registers";
      }
    }
    EXPECT_EQ(warps, 32U);
    ++rows;
  }
  EXPECT_EQ(rows, 31U);
}

TEST(Occupancy, TakesTheSmallestCarveOutThatHoldsTheBlocks) {
  const OccupancySpec h200 = device_spec("h200").occupancy;
  EXPECT_EQ(occupancy(h200, shape(1024, 32)).carveout,
            8U << 10);  // two blocks, 1 KiB of each is the system's
  EXPECT_EQ(occupancy(h200, shape(1024, 32, 31 << 10)).carveout, 64U << 10);
}

TEST(Occupancy, AWishedCarveOutIsTheLeastThatGrantsItAndHoldsABlock) {
  const OccupancySpec h200 = device_spec("h200").occupancy;
  EXPECT_EQ(occupancy(h200, wishing(shape(1024, 32), 43)).carveout, 100U << 10);
  EXPECT_EQ(occupancy(h200, wishing(shape(1024, 32), 0)).carveout, 8U << 10);  // the system keeps 1 KiB of each block
  // One block of 31 KiB and its 1 KiB; without the wish the SM makes room for two.
  const Fit fit = occupancy(h200, wishing(shape(1024, 32, 31 << 10), 0));
  EXPECT_EQ(fit.carveout, 32U << 10);
  EXPECT_EQ(fit.occupancy.blocks_per_sm, 1U);
}

// launch__shared_mem_config_size of five kernels with ten wishes each (by_hand_h200.json, "wishes_for_carveouts").
TEST(Occupancy, DividesAnSmAsAnH200DoesWhateverIsWished) {
  const nlohmann::json data = by_hand("wishes_for_carveouts");
  const OccupancySpec h200 = device_spec("h200").occupancy;
  unsigned rows = 0;
  for (const auto& row : data["rows"]) {
    const int percent = row[2];
    traces::LaunchShape launch = shape(row[1], 16, row[0]);
    if (percent >= 0) launch = wishing(launch, static_cast<std::uint8_t>(percent));
    EXPECT_EQ(occupancy(h200, launch).occupancy.shared_config_bytes, row[3].get<std::uint64_t>()) << row;
    ++rows;
  }
  EXPECT_EQ(rows, 50U);
}

TEST(Occupancy, RefusesWhatTheDeviceCannotHoldInOneLine) {
  const OccupancySpec h200 = device_spec("h200").occupancy;
  for (const auto& s : {shape(2048, 32), shape(1024, 128), shape(32, 300), shape(128, 32, 300 << 10),
                        shape(0, 32), shape(32, 32, 0, 0)}) {
    try {
      occupancy(h200, s);
      ADD_FAILURE() << "accepted";
    } catch (const MachineError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("kernel k"), std::string::npos);
    }
  }
}

OccupancySpec of_sms(unsigned sms) {
  OccupancySpec spec;
  spec.sms = sms;
  return spec;
}

// Blocks of a warp, of which an SM holds so many.
Fit holding(unsigned blocks) {
  Fit fit;
  fit.most_blocks = blocks;
  fit.block_warps = 1;
  return fit;
}

// A block of a warp, the first of its SM's processing blocks if nothing else is said, ends.
Cycle end_block(BlockScheduler& scheduler, std::uint8_t launch, unsigned sm, Cycle at, unsigned subcore = 0) {
  scheduler.left(launch, sm, subcore, at);
  return scheduler.freed(launch, sm, at);
}

TEST(BlockScheduler, GivesEverySmABlockBeforeAnyGetsASecond) {
  for (const PlacementOrder order : {PlacementOrder::linear, PlacementOrder::tpc_first,
                                     PlacementOrder::gpc_interleaved, PlacementOrder::most_room}) {
    LaunchSpec spec;
    spec.order = order;
    spec.gpc_sms = {6, 4, 4};
    BlockScheduler scheduler(spec, of_sms(14));
    scheduler.begin(0, holding(2), 28, 0, 0);
    std::vector<unsigned> sms;
    scheduler.place(0, [&](const BlockScheduler::Placed& placed) { sms.push_back(placed.sm); });
    ASSERT_EQ(sms.size(), 28U);
    EXPECT_EQ(std::set<unsigned>(sms.begin(), sms.begin() + 14).size(), 14U);
    EXPECT_EQ(std::set<unsigned>(sms.begin() + 14, sms.end()).size(), 14U);
  }
}

// 132 SMs as the H200's: eight that no cluster of blocks has, the eight others of their GPC, then 16 or 18 a GPC.
LaunchSpec most_room() {
  LaunchSpec spec;
  spec.order = PlacementOrder::most_room;
  spec.gpc_sms = {16, 16, 16, 16, 16, 16, 18, 18};
  spec.loose_sms = 8;
  spec.loose_first = 5;
  spec.loose_every = 6;
  return spec;
}

TEST(BlockScheduler, FewBlocksFillTheLooseSmsThenGoToOneGpcEach) {
  const LaunchSpec spec = most_room();
  EXPECT_EQ(spread(spec, 132, 3), (std::vector<unsigned>{0, 2, 4}));
  EXPECT_EQ(spread(spec, 132, 6), (std::vector<unsigned>{0, 1, 2, 3, 4, 6}));
  EXPECT_EQ(spread(spec, 132, 16), (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 48, 64, 80, 96, 114}));
  EXPECT_EQ(spread(spec, 132, 132).size(), 132U);
}

// Blocks of each GPC for kernels of 48, 66, 72 and 96 blocks on an H200: SMs 124 to 131, then the eight GPCs.
TEST(BlockScheduler, SpreadsBlocksOverGpcsAsTheH200Does) {
  const LaunchSpec spec = most_room();
  const std::vector<std::pair<unsigned, std::vector<unsigned>>> card{{48, {8, 4, 6, 5, 5, 5, 5, 5, 5}},
                                                                     {66, {8, 4, 8, 8, 8, 8, 8, 7, 7}},
                                                                     {72, {8, 5, 9, 8, 8, 8, 8, 9, 9}},
                                                                     {96, {8, 8, 12, 11, 11, 11, 11, 12, 12}}};
  const std::vector<unsigned> ends{8, 16, 32, 48, 64, 80, 96, 114, 132};
  for (const auto& [blocks, expected] : card) {
    std::vector<unsigned> count(ends.size());
    for (const unsigned sm : spread(spec, 132, blocks))
      ++count[static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), sm) - ends.begin())];
    EXPECT_EQ(count, expected) << blocks;
  }
}

TEST(BlockScheduler, WhatIsLeftOfAWaveIsSpreadToo) {
  BlockScheduler scheduler(most_room(), of_sms(132));
  scheduler.begin(0, holding(4), 148, 0, 0);
  std::vector<unsigned> sms;
  scheduler.place(0, [&](const BlockScheduler::Placed& placed) { sms.push_back(placed.sm); });
  ASSERT_EQ(sms.size(), 148U);
  EXPECT_EQ(std::set<unsigned>(sms.begin(), sms.begin() + 132).size(), 132U);
  EXPECT_EQ(std::vector<unsigned>(sms.begin() + 132, sms.end()), spread(most_room(), 132, 16));
}

// Turns of a kernel's first blocks on an H200 (probe launch.placement): 0 for SMs 124 to 131, then the eight GPCs by number.
TEST(BlockScheduler, TheLooseSmsAreAheadOfTheClustersWhichTakeTurns) {
  const std::vector<unsigned> ends{8, 16, 32, 48, 64, 80, 96, 114, 132};
  const std::vector<unsigned> one{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<unsigned> two{0, 1, 2, 3, 4, 5, 0, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<unsigned> four{0, 1, 2, 3, 4, 5, 0, 6, 7, 8, 1, 2, 3, 0, 4, 5, 6, 7, 8, 1, 0, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<unsigned> full{0, 1, 2, 3, 4, 5, 0, 6, 7, 8, 1, 2, 3, 0, 4, 5, 6, 7, 8, 1, 0, 2, 3, 4, 5, 6, 7, 0, 8, 1, 2, 3, 4, 5, 0, 6};
  for (const auto& [blocks, turns] : std::vector<std::pair<unsigned, std::vector<unsigned>>>{{132, one}, {264, two}, {528, four}, {4224, full}}) {
    BlockScheduler scheduler(most_room(), of_sms(132));
    scheduler.begin(0, holding(32), blocks, 0, 0);
    std::vector<unsigned> seen;
    unsigned left = 0;  // of a turn
    scheduler.place(0, [&](const BlockScheduler::Placed& placed) {
      const auto group = static_cast<unsigned>(std::upper_bound(ends.begin(), ends.end(), placed.sm) - ends.begin());
      if (left == 0) {
        seen.push_back(group);
        left = ends[group] - (group == 0 ? 0 : ends[group - 1]);
      }
      EXPECT_EQ(group, seen.back());
      --left;
    });
    EXPECT_EQ(left, 0U);
    ASSERT_GE(seen.size(), turns.size());
    seen.resize(turns.size());
    EXPECT_EQ(seen, turns) << blocks << " blocks";
  }
}

// 32 warps a block: the first SMs of the TPCs start together, the second ones 49 cycles later (probe launch.placement).
TEST(BlockScheduler, TheTwoSmsOfATpcTakeTurns) {
  LaunchSpec spec;
  spec.sm_block_interval = 24;
  spec.sm_warp_interval = 3.06;
  BlockScheduler scheduler(spec, of_sms(4));
  Fit fit = holding(2);
  fit.block_warps = 32;
  scheduler.begin(0, fit, 8, 0, 0);
  std::vector<std::pair<unsigned, Cycle>> starts;
  scheduler.place(0, [&](const BlockScheduler::Placed& placed) { starts.emplace_back(placed.sm, placed.at); });
  const std::vector<std::pair<unsigned, Cycle>> expected{{0, 0}, {1, 48}, {2, 0}, {3, 48}, {0, 97}, {1, 145}, {2, 97}, {3, 145}};
  EXPECT_EQ(starts, expected);
}

TEST(BlockScheduler, TakesOneSmOfEachTpcFirst) {
  LaunchSpec spec;
  spec.order = PlacementOrder::tpc_first;
  const auto order = placement_order(spec, 6);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 2, 4, 1, 3, 5}));
}

TEST(BlockScheduler, SendsBlocksAtItsRateAndTheFirstWhenItsLaunchBegins) {
  LaunchSpec spec;
  spec.block_start_latency = 50;
  spec.block_interval = 2;
  BlockScheduler scheduler(spec, of_sms(10));
  scheduler.begin(0, holding(1), 10, 0, 1000);
  std::vector<Cycle> starts;
  scheduler.place(0, [&](const BlockScheduler::Placed& placed) { starts.push_back(placed.at); });
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(starts[i], 1000 + 2 * i);
}

TEST(BlockScheduler, SmsTakeBlocksSideBySideAndFreedPlacesOneByOne) {
  LaunchSpec spec;
  spec.block_interval = 0;
  spec.block_end_interval = 2;
  spec.sm_block_interval = 24;
  spec.sms_per_tpc = 1;
  BlockScheduler scheduler(spec, of_sms(10));
  scheduler.begin(0, holding(2), 40, 0, 0);
  std::vector<BlockScheduler::Placed> placed;
  const auto note = [&](const BlockScheduler::Placed& p) { placed.push_back(p); };
  scheduler.place(0, note);
  ASSERT_EQ(placed.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(placed[i].at, i < 10 ? 0U : 24U);
  for (unsigned sm = 0; sm < 10; ++sm) EXPECT_EQ(end_block(scheduler, 0, sm, 1000), 1002 + 2 * sm);
  scheduler.place(0, note);
  ASSERT_EQ(placed.size(), 30U);
  for (std::size_t i = 20; i < 30; ++i) EXPECT_EQ(placed[i].at, 1002 + 2 * (i - 20));
}

TEST(BlockScheduler, ReplacesABlockWhereRoomComesFirst) {
  LaunchSpec spec;
  spec.block_replace_latency = 30;
  BlockScheduler scheduler(spec, of_sms(3));
  scheduler.begin(0, holding(1), 5, 0, 0);
  std::vector<BlockScheduler::Placed> placed;
  const auto note = [&](const BlockScheduler::Placed& p) { placed.push_back(p); };
  scheduler.place(0, note);
  end_block(scheduler, 0, 1, 500);
  end_block(scheduler, 0, 2, 700);
  scheduler.place(600, note);
  EXPECT_EQ(placed[3].sm, 1U);
  EXPECT_EQ(placed[3].at, 600U);  // no earlier than the window that follows
  EXPECT_EQ(placed[4].sm, 2U);
  EXPECT_EQ(placed[4].at, 730U);
  EXPECT_TRUE(scheduler.done());
}

TEST(BlockScheduler, TheNextLaunchsBlocksFollowAndGoToTheEmptiestSms) {
  BlockScheduler scheduler(LaunchSpec{}, of_sms(4));
  std::vector<BlockScheduler::Placed> placed;
  const auto note = [&](const BlockScheduler::Placed& p) { placed.push_back(p); };
  scheduler.begin(0, holding(4), 6, 0, 0);
  scheduler.begin(1, holding(4), 3, 0, 0);
  scheduler.place(0, note);
  ASSERT_EQ(placed.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(placed[i].launch, i < 6 ? 0 : 1);
  EXPECT_EQ(placed[6].sm, 2U);
  EXPECT_EQ(placed[7].sm, 3U);
  EXPECT_EQ(placed[8].sm, 0U);
}

TEST(BlockScheduler, HigherPrioritiesGoFirstAndKeepTheOthersWaitingForRoom) {
  BlockScheduler scheduler(LaunchSpec{}, of_sms(1));
  std::vector<unsigned> order;
  const auto note = [&](const BlockScheduler::Placed& p) { order.push_back(p.launch); };
  Fit large = holding(1);
  large.block_warps = 60;
  scheduler.begin(0, holding(8), 10, 0, 0);
  scheduler.place(0, note);
  scheduler.begin(1, holding(2), 1, 1, 0);
  scheduler.place(0, note);
  scheduler.begin(2, large, 1, 2, 0);  // no room beside blocks of the first
  scheduler.place(0, note);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 0, 0, 0, 0, 0, 0, 0, 1}));
  for (unsigned i = 0; i < 4; ++i) end_block(scheduler, 0, 0, 100 + i, i);
  scheduler.place(0, note);
  EXPECT_EQ(order.size(), 9U);  // a processing block has two of the five warps left, and 15 of its 60 to come
  end_block(scheduler, 1, 0, 104);
  scheduler.place(0, note);
  EXPECT_EQ(order.size(), 10U);
  EXPECT_EQ(order.back(), 2U);
  for (unsigned warp = 0; warp < large.block_warps; ++warp) scheduler.left(2, 0, warp % 4, 105);
  scheduler.freed(2, 0, 105);
  scheduler.place(0, note);
  EXPECT_EQ(order.size(), 12U);
  EXPECT_TRUE(scheduler.done());
}

// What an H200 did with kernels that begin beside others (examples/validation/hardware/by_hand_h200.json, "division").
TEST(SmRoom, IsSharedByTheSameKernelsAsOnAnH200) {
  const nlohmann::json division = by_hand("streams")["division"];
  const std::vector<std::uint32_t> seconds = division["second, of 1024 threads"];
  const OccupancySpec h200 = device_spec("h200").occupancy;
  unsigned pairs = 0;
  for (const auto& row : division["rows: threads and KiB of the first"]) {
    const Fit first = occupancy(h200, shape(row[0], 16, row[1].get<std::uint32_t>() << 10));
    const std::string shares = row[2];
    ASSERT_EQ(shares.size(), seconds.size());
    for (std::size_t i = 0; i < seconds.size(); ++i, ++pairs) {
      SmRoom room(h200);
      room.take(0, first);
      EXPECT_EQ(room.fits(1, occupancy(h200, shape(1024, 16, seconds[i] << 10))), shares[i] == 's')
          << row << " and " << seconds[i] << " KiB";
    }
  }
  EXPECT_EQ(pairs, 36U * 18U);
}

std::vector<FakeOp> mixed_program() {
  const AddressOf lines = [](const Where& w) {
    return 0x40000000ULL + (w.block * 7 + w.warp + w.iteration) * 512 + 16ULL * w.lane;
  };
  const AddressOf words = [](const Where& w) { return 4ULL * w.lane * (1 + w.iteration % 3); };
  std::vector<FakeOp> body;
  body.push_back(load(sass::Opcode::LDG, 8, 4, 16, lines).stall(2).writes(0));
  body.push_back(load(sass::Opcode::LDS, 9, 5, 4, words).stall(2).writes(1));
  for (int i = 0; i < 12; ++i) body.push_back(ffma(10 + i, 2, 4, 6 + i));
  body.push_back(op(sass::Opcode::MUFU, 30, {8}).waits(3).stall(2).writes(2));
  body.push_back(store(sass::Opcode::STG, 4, 8, 4, lines).stall(2).reads(3).waits(4));
  body.push_back(barrier().stall(6).waits(8));
  body.push_back(branch_to(0, 7).stall(5));
  body.push_back(exit_op());
  return body;
}

TEST(Chip, PredictsTheSameBytesEveryTime) {
  const Machine machine(device_spec("h200"));
  std::string first;
  for (unsigned round = 0; round < 2; ++round) {
    FakeStream stream(mixed_program());
    stream.launch(300, 160);
    RunOptions options;
    options.per_instruction = true;
    Report report;
    report.kernels.push_back(machine.run(stream, options));
    const std::string json = to_json(report);
    if (round == 0) first = json;
    EXPECT_EQ(json, first);
  }
}

// Cycles beyond those of a launch that ends with its last EXIT.
std::uint64_t beyond_last_exit(const std::vector<FakeOp>& body, unsigned end_acknowledged) {
  const auto cycles = [&](unsigned end, unsigned acknowledged) {
    MachineSpec spec = one_sm();
    spec.launch.end_overhead = end;
    spec.launch.end_acknowledged = acknowledged;
    FakeStream stream(body);
    return Machine(spec).run(stream, {}).cycles;
  };
  return cycles(1000, end_acknowledged) - cycles(0, 0);
}

TEST(Chip, TheEndTakesAsLongWhetherAKernelHasAccessedMemoryOrNot) {
  const AddressOf words = [](const Where& w) { return 0x40000000ULL + 4ULL * w.lane; };
  const std::vector<FakeOp> loads = {load(sass::Opcode::LDG, 8, 4, 4, words).stall(2).writes(0),
                                     op(sass::Opcode::NOP).waits(1), exit_op()};
  const std::vector<FakeOp> none = {op(sass::Opcode::NOP), exit_op()};
  EXPECT_EQ(beyond_last_exit(loads, 0), 1000U);
  EXPECT_EQ(beyond_last_exit(none, 0), 1000U);
}

TEST(Chip, TheEndRunsBesideStoresThatAreUnderWay) {
  const AddressOf words = [](const Where& w) { return 0x40000000ULL + 4ULL * w.lane; };
  const std::vector<FakeOp> stores = {store(sass::Opcode::STG, 4, 8, 4, words).stall(2), exit_op()};
  const std::uint64_t hidden = beyond_last_exit(stores, 0);
  EXPECT_LT(hidden, 1000U) << "without an end the launch waits for the store";
  EXPECT_EQ(beyond_last_exit(stores, 1000), 1000U) << "the store's acknowledgement is the later one";
}

TEST(Chip, TheEndWaitsForABarrierOfEachSmAtEachSliceThatItHasAddressed) {
  const AddressOf lines = [](const Where& w) { return 0x40000000ULL + 4096ULL * w.lane; };
  const auto cycles = [](double interval, const std::vector<FakeOp>& body) {
    MachineSpec spec = one_sm();
    spec.memory.launch_barriers = 0;
    spec.memory.launch_sm_barriers = spec.memory.l2.slices;
    spec.memory.launch_barrier_interval = interval;
    FakeStream stream(body);
    return Machine(spec).run(stream, {}).cycles;
  };
  const auto end = [&](const std::vector<FakeOp>& body) { return cycles(100, body) - cycles(0, body); };
  const AddressOf word = [](const Where&) { return 0x40000000ULL; };
  EXPECT_EQ(end({op(sass::Opcode::NOP), exit_op()}), 0U);
  const FakeOp one = load(sass::Opcode::LDG, 8, 4, 4, word).stall(2).writes(0);
  EXPECT_EQ(end({one, op(sass::Opcode::NOP).waits(1), exit_op()}), 100U) << "one slice";
  const FakeOp many = load(sass::Opcode::LDG, 8, 4, 4, lines).stall(2).writes(0);
  EXPECT_GT(end({many, op(sass::Opcode::NOP).waits(1), exit_op()}), 1000U);
}

// A warp a block that multiplies matrices for a while, by the first so many SMs or all.
KernelReport multiplied(std::uint32_t blocks, double slow, sass::Opcode opcode = sass::Opcode::HMMA) {
  MachineSpec spec = device_spec("h200");
  spec.sm_mhz = 2000;
  spec.matrix_clock = {};
  spec.matrix_clock.slow = slow;
  spec.matrix_clock.hold = 100;
  FakeStream stream({op(opcode, 8, {2, 4, 8}).stall(10), branch_to(0, 200).stall(5), exit_op()});
  stream.launch(blocks, 32);
  return Machine(spec).run(stream, {});
}

TEST(Chip, AGpcsClockIsSlowerWhileItsMatrixUnitsWork) {
  const KernelReport full = multiplied(132, 0);
  const KernelReport slow = multiplied(132, 1);
  EXPECT_NEAR(static_cast<double>(slow.cycles), static_cast<double>(full.cycles), 120) << "all GPCs alike, whose cycles are counted";
  // Twice as long from the first instruction to a hundred cycles behind the last.
  EXPECT_GT(slow.time_us - full.time_us, 200 * 10 / 2000.0);
  EXPECT_LT(slow.time_us, 2 * full.time_us);
  EXPECT_EQ(multiplied(132, 1, sass::Opcode::FFMA).time_us, multiplied(132, 0, sass::Opcode::FFMA).time_us);
}

TEST(Chip, TheMostCyclesAreThoseOfAGpcWhoseMatrixUnitsDoNot) {
  const KernelReport full = multiplied(2, 0);
  const KernelReport slow = multiplied(2, 1);
  EXPECT_NEAR(static_cast<double>(slow.cycles) / 2000, slow.time_us, 0.001);
  EXPECT_GT(slow.cycles, full.cycles + 200 * 10);
}

// Loads of 200 lines of memory, one after the other, with an instruction before each, of one SM of each GPC.
KernelReport loaded_beside(sass::Opcode opcode, double slow, unsigned own_latency = 0) {
  MachineSpec spec = device_spec("h200");
  spec.matrix_clock = {};
  spec.matrix_clock.slow = slow;
  spec.matrix_clock.hold = 5000;
  spec.matrix_clock.own_latency = own_latency;
  std::vector<FakeOp> body;
  for (std::uint64_t i = 0; i < 200; ++i) {
    body.push_back(op(opcode, 8, {2, 4, 8}).stall(2));
    body.push_back(load(sass::Opcode::LDG, 16, 4, 4, [i](const Where&) { return 0x10000000 + i * 4096 * 33; }).stall(2).writes(0));
    body.push_back(op(sass::Opcode::NOP).waits(1));
  }
  body.push_back(exit_op());
  FakeStream stream(body);
  stream.launch(8, 32);
  return Machine(spec).run(stream, {});
}

TEST(Chip, MemoryIsTheFasterTheSlowerTheSmsClockIs) {
  const KernelReport full = loaded_beside(sass::Opcode::HMMA, 0, 1000);
  const KernelReport slow = loaded_beside(sass::Opcode::HMMA, 0.25, 1000);
  // Nearly all of it is loads', whose time stays the same.
  const auto active = [](const KernelReport& report) { return report.metrics.at("sm__cycles_active.max"); };
  EXPECT_NEAR(active(slow), active(full) / 1.25, 0.04 * active(full));
  EXPECT_NEAR(slow.time_us, full.time_us, 0.04 * full.time_us);
  EXPECT_EQ(loaded_beside(sass::Opcode::FFMA, 0.25).cycles, loaded_beside(sass::Opcode::FFMA, 0).cycles);
}

TEST(Chip, WhatOfTheWayToTheL2FollowsTheSmsClockTakesAsManyCyclesAsEver) {
  const auto cycles = [](unsigned own) {
    return loaded_beside(sass::Opcode::HMMA, 0.25, own).metrics.at("sm__cycles_active.max");
  };
  EXPECT_NEAR(cycles(144) - cycles(244), 200 * 100 * 0.25 / 1.25, 600);
}

TEST(Chip, SmsEndUnevenlyByTheLogarithmOfTheirNumber) {
  const auto cycles = [](double spread, std::uint32_t blocks) {
    MachineSpec spec = device_spec("h200");
    spec.launch.sm_spread = spread;
    FakeStream stream({op(sass::Opcode::NOP), exit_op()});
    stream.launch(blocks, 32);
    return Machine(spec).run(stream, {}).cycles;
  };
  for (const std::uint32_t blocks : {1U, 8U, 132U, 264U}) {
    const double sms = std::min(blocks, 132U);
    EXPECT_NEAR(static_cast<double>(cycles(1000, blocks) - cycles(0, blocks)), 1000 * std::log(sms), 1) << blocks;
  }
}

// By cluster: when its first warp issues, and when its last one does.
std::vector<std::pair<Cycle, Cycle>> first_issues(const MachineSpec& spec, unsigned nops) {
  std::vector<FakeOp> program{exit_op()};
  for (unsigned i = 0; i < nops; ++i) program.push_back(op(sass::Opcode::NOP));
  FakeStream stream(program);
  stream.launch(spec.occupancy.sms, 32);
  std::vector<IssueEvent> timeline;
  Machine(spec).run(stream, {}, timeline);
  const std::vector<unsigned>& gpcs = spec.memory.crossbar.gpc_of_sm;
  std::vector<std::pair<Cycle, Cycle>> of_clusters(gpcs.back() + 1, {never, 0});
  for (const IssueEvent& event : timeline) {
    auto& [first, last] = of_clusters[gpcs[event.sm]];
    first = std::min(first, event.cycle);
    last = std::max(last, event.cycle);
  }
  return of_clusters;
}

// An H200's clusters get a kernel's first line 140 cycles apart, and 1.3 more for each line of the kernel, up to 32 KiB
// (by_hand_h200.json, first_code_by_size and starts_of_clusters).
TEST(Chip, ClustersGetALaunchsFirstCodeOneAfterTheOtherTheLaterTheMoreCodeThereIs) {
  MachineSpec spec = device_spec("h200");
  std::ranges::fill(spec.memory.crossbar.distances, 0);
  const auto spread = [](const std::vector<std::pair<Cycle, Cycle>>& clusters) {
    Cycle first = never, last = 0;
    for (const auto& cluster : clusters) {
      first = std::min(first, cluster.first);
      last = std::max(last, cluster.first);
    }
    return static_cast<double>(last - first);
  };
  const auto small = first_issues(spec, 0), large = first_issues(spec, 8192);
  spec.launch.first_code_spread = 0;
  spec.launch.first_code_spread_line = 0;
  const auto together = first_issues(spec, 0);
  EXPECT_LT(spread(together), 40);
  EXPECT_NEAR(spread(small), 140, 40);
  EXPECT_NEAR(spread(large) - spread(small), 1.3 * 256, 40) << "32 KiB of 128";
  for (std::size_t gpc = 0; gpc < small.size(); ++gpc) {
    EXPECT_LT(large[gpc].second - large[gpc].first, together[gpc].second - together[gpc].first + 20) << "SMs of a cluster begin together";
  }
}

TEST(Chip, ExecutesEveryInstructionOnceAndEndsEveryBlock) {
  const Machine machine(device_spec("t4"));
  FakeStream stream(mixed_program());
  stream.launch(500, 96);
  const KernelReport report = machine.run(stream, {});
  const std::uint64_t expected = 500ULL * 3 * (18 * 8 + 1);
  EXPECT_EQ(stream.executed, expected);
  EXPECT_EQ(report.metrics.at("smsp__inst_executed.sum"), static_cast<double>(expected));
  EXPECT_EQ(report.metrics.at("launch__block_count"), 500);
  EXPECT_EQ(stream.placed_on.size(), 500U);
}

TEST(Chip, InstructionsSumUpToTheKernel) {
  const Machine machine(device_spec("h200"));
  FakeStream stream(mixed_program());
  stream.launch(140, 64);
  RunOptions options;
  options.per_instruction = true;
  const KernelReport report = machine.run(stream, options);
  std::uint64_t issued = 0;
  std::array<std::uint64_t, stall_count> stalls{};
  for (const InstructionReport& i : report.instructions) {
    issued += i.issued;
    for (std::size_t s = 0; s < stall_count; ++s) stalls[s] += i.stalls[s];
  }
  EXPECT_EQ(static_cast<double>(issued), report.metrics.at("smsp__inst_executed.sum"));
  EXPECT_EQ(stalls, report.stalls);
}

TEST(Chip, SectorsFollowFromTheAddresses) {
  const Machine machine(device_spec("h200"));
  const AddressOf own_line = [](const Where& w) {
    return 0x40000000ULL + (w.block * 8 + w.warp) * 128 + 4ULL * w.lane;
  };
  FakeStream stream({load(sass::Opcode::LDG, 8, 4, 4, own_line).stall(2).writes(0),
                     store(sass::Opcode::STG, 4, 8, 4, own_line).stall(2).waits(1), exit_op()});
  stream.launch(1000, 256);
  const KernelReport report = machine.run(stream, {});
  EXPECT_EQ(report.metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 1000 * 8 * 4);
  EXPECT_EQ(report.metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 1000 * 8 * 4);
  EXPECT_GE(report.metrics.at("lts__t_sectors_op_read.sum"), 1000 * 8 * 4);  // and the code
  // A slice of the other partition counts what has its home there once more.
  EXPECT_GT(report.metrics.at("lts__t_sectors_op_write.sum"), 1000 * 8 * 4);
  EXPECT_LT(report.metrics.at("lts__t_sectors_op_write.sum"), 2 * 1000 * 8 * 4);
  EXPECT_GE(report.metrics.at("dram__bytes_read.sum"), 1000 * 8 * 128);
}

TEST(Chip, AStreamingKernelStaysBelowTheDramsPeak) {
  const MachineSpec spec = device_spec("h200");
  const AddressOf line = [](const Where& w) {
    return 0x40000000ULL + ((w.block * 8 + w.warp) * 16 + w.iteration) * 512 + 16ULL * w.lane;
  };
  FakeStream stream({load(sass::Opcode::LDG, 8, 4, 16, line).stall(2).writes(0),
                     op(sass::Opcode::NOP).waits(1), branch_to(0, 15).stall(5), exit_op()});
  stream.launch(2000, 256);
  const KernelReport report = Machine(spec).run(stream, {});
  const double bytes = report.metrics.at("dram__bytes_read.sum");
  EXPECT_GE(bytes, 2000.0 * 8 * 16 * 512);
  EXPECT_GE(static_cast<double>(report.cycles), bytes / spec.dram_peak_bytes_per_cycle);
  EXPECT_LE(report.metrics.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
            100 * spec.memory.dram.read_efficiency);
}

TEST(Chip, AKernelThatRunsTooLongIsGivenUpWithItsQueues) {
  FakeStream stream({op(sass::Opcode::NOP), branch_to(0, ~std::uint64_t{0}), exit_op()});
  RunOptions options;
  options.max_cycles = 5000;
  try {
    Machine(one_sm()).run(stream, options);
    ADD_FAILURE() << "ended";
  } catch (const MachineError& error) {
    EXPECT_NE(error.details().find("warp 0"), std::string::npos);
  }
}

TEST(Chip, AWarpThatNobodyReleasesIsAStandstill) {
  // The second warp leaves before the barrier that the first waits at, and the stream does not let it pass.
  FakeStream stream({barrier(), op(sass::Opcode::NOP), exit_op()});
  stream.launch(1, 64);
  stream.strand_last_warp = true;
  try {
    Machine(one_sm()).run(stream, {});
    ADD_FAILURE() << "ended";
  } catch (const MachineError& error) {
    EXPECT_NE(error.details().find("at a barrier"), std::string::npos);
  }
}

TEST(Report, JsonHasItsSchemaAndReasons) {
  FakeStream stream(mixed_program());
  Report report;
  report.device = "device \"x\"";
  report.kernels.push_back(Machine(one_sm()).run(stream, {}));
  const std::string json = to_json(report);
  EXPECT_NE(json.find("\"schema\": \"warpgauge-report/1\""), std::string::npos);
  EXPECT_NE(json.find("\"long_scoreboard\""), std::string::npos);
  EXPECT_NE(json.find("device \\\"x\\\""), std::string::npos);
}

TEST(Report, CsvQuotesNames) {
  Report report;
  report.device = "d";
  KernelReport kernel;
  kernel.name = "f<\"a\", 1>";
  kernel.metrics["m"] = 2.5;
  report.kernels.push_back(kernel);
  EXPECT_NE(to_csv(report).find("\"f<\"\"a\"\", 1>\""), std::string::npos);
  EXPECT_NE(to_csv(report).find("\"m\",\"2.5\""), std::string::npos);
}

TEST(Report, TextShowsCyclesOccupancyAndStalls) {
  FakeStream stream(mixed_program());
  stream.launch(4, 64);
  Report report;
  RunOptions options;
  options.per_instruction = true;
  report.kernels.push_back(Machine(one_sm()).run(stream, options));
  const std::string text = to_text(report);
  for (const char* part :
       {"Elapsed Cycles", "Achieved Occupancy", "L2 Hit Rate", "DRAM Read", "long_scoreboard"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  const std::string source = to_source_text(report);
  EXPECT_EQ(std::count(source.begin(), source.end(), '\n'),
            1 + 1 + static_cast<long>(stream.code().size()) + 1);
}

}  // namespace
}  // namespace warpgauge::model::test
