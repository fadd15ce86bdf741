// PTX prefetch, CCTL.PF1 and .PF2 of the machine code (docs/h200.md, "Prefetches of lines").
#include <gtest/gtest.h>

#include <vector>

#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Opcode;

// Of lane l the first word of line l, and so many bytes further on; each turn has lines of its own.
AddressOf lines(unsigned further = 0) {
  return [further](const Where& w) { return 0x10000000ULL + w.iteration * 0x100000 + w.lane * 128ULL + further; };
}

FakeOp prefetch(const AddressOf& at) {
  constexpr unsigned pf2 = 1;
  return load(Opcode::CCTL, -1, 4, 1, at).modifier(sass::Modifier::cctl_op, pf2).stall(2);
}

// What a load waits for that comes 2,200 cycles behind `first`.
std::uint64_t latency_behind(const FakeOp& first, const AddressOf& at) {
  std::vector<FakeOp> body{first};
  for (unsigned i = 0; i < 200; ++i) body.push_back(op(Opcode::NOP).stall(11));
  body.push_back(load(Opcode::LDG, 8, 4, 4, at).stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  const auto turn = second_turn(one_sm(), body)[0];
  return turn[turn.size() - 1] - turn[turn.size() - 2];
}

TEST(Prefetches, ALoadFindsInTheL2WhatHasBeenFetchedAhead) {
  const std::uint64_t from_memory = latency_behind(op(Opcode::NOP).stall(2), lines());
  const std::uint64_t fetched = latency_behind(prefetch(lines()), lines());
  EXPECT_GT(from_memory, 600U);
  EXPECT_LT(fetched + 250, from_memory);
  EXPECT_GT(fetched, 200U) << "and not in the L1";
}

TEST(Prefetches, TheyBringWholeLines) {
  EXPECT_EQ(latency_behind(prefetch(lines()), lines(96)), latency_behind(prefetch(lines(96)), lines(96)));
  EXPECT_LT(latency_behind(prefetch(lines()), lines(96)) + 250, latency_behind(op(Opcode::NOP).stall(2), lines(96)));
}

TEST(Prefetches, TheirWarpWaitsForNothing) {
  const auto turn = second_turn(one_sm(), {prefetch(lines()).reads(1), op(Opcode::NOP).waits(2).stall(2)})[0];
  EXPECT_LT(turn[1] - turn[0], 60U);
}

TEST(Prefetches, NoLaunchsEndWaitsForThem) {
  const auto cycles = [](const std::vector<FakeOp>& body) {
    std::vector<FakeOp> program = body;
    program.push_back(exit_op());
    FakeStream stream(program);
    return Machine(one_sm()).run(stream, {}).cycles;
  };
  const auto nothing = cycles({op(Opcode::NOP).stall(2)});
  EXPECT_LT(cycles({prefetch(lines())}), nothing + 100);
  EXPECT_GT(cycles({load(Opcode::LDG, 8, 4, 4, lines()).stall(2)}), nothing + 400);
}

TEST(Prefetches, TheTagsCountWhatTheyNameAndTheL2AllOfTheLine) {
  const auto metric = [](const FakeOp& first, const char* name) {
    FakeStream stream({first, exit_op()});
    return Machine(one_sm()).run(stream, {}).metrics.at(name);
  };
  const FakeOp nothing = op(Opcode::NOP).stall(2);
  EXPECT_EQ(metric(prefetch(lines()), "l1tex__t_sectors.sum"), 32);
  EXPECT_GE(metric(prefetch(lines()), "lts__t_sectors.sum") - metric(nothing, "lts__t_sectors.sum"), 128);
  EXPECT_EQ(metric(prefetch(lines()), "lts__t_sectors_op_read.sum"), metric(nothing, "lts__t_sectors_op_read.sum"));
}

}  // namespace
}  // namespace warpgauge::model::test
