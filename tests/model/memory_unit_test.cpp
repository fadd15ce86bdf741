// The memory pipeline of the SM: queue and shared unit, latencies, bank passes, L1.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdio>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "model/memory/sector_cache.h"
#include "model/sm/coalescer.h"
#include "model/sm/decoded.h"
#include "model/sm/queued_op.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Opcode;
using traces::MemoryAccess;

AddressOf shared_stride(unsigned words) {
  return [words](const Where& w) { return std::uint64_t{4} * words * w.lane; };
}

AddressOf global_line(std::uint64_t line) {
  return [line](const Where& w) { return 0x10000000ULL + line * 128 + 4ULL * w.lane; };
}

// The issue cycles of independent loads on 1 to 4 processing blocks: Huerta et al., MICRO 2025, table of
// section 4.
TEST(MemoryUnit, IndependentMemoryInstructionsIssueAsOnAmpere) {
  MachineSpec spec = one_sm();
  spec.sm.memory.shared_unit_interval = 2;  // Ampere's A6000
  spec.sm.memory.address_interval_shared_load = 4;
  spec.sm.memory.queue_entries = 5;
  spec.sm.memory.slot_release = 10;  // and one more for an address of four cycles
  const std::array<std::array<unsigned, 2>, 4> sixth_and_seventh{{{11, 15}, {13, 17}, {15, 21}, {17, 25}}};
  for (unsigned blocks = 1; blocks <= 4; ++blocks) {
    std::vector<FakeOp> body;
    for (unsigned i = 0; i < 10; ++i) body.push_back(load(Opcode::LDS, 8, 4, 4, shared_stride(1)));
    const auto turns = second_turn(spec, body, blocks);
    std::array<std::uint64_t, 2> last{};
    for (unsigned warp = 0; warp < blocks; ++warp) {
      const auto& turn = turns[warp];
      for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(turn[i], i) << "warp " << warp;
      last = {std::max(last[0], turn[5]), std::max(last[1], turn[6])};
      if (turn.size() > 9) {
        EXPECT_EQ(turn[9] - turn[8], std::max(4U, 2 * blocks));
      }
    }
    EXPECT_EQ(last[0], sixth_and_seventh[blocks - 1][0]) << blocks << " blocks";
    EXPECT_EQ(last[1], sixth_and_seventh[blocks - 1][1]) << blocks << " blocks";
  }
}

TEST(MemoryUnit, LoadsAreBackAfterTheirCalibratedLatency) {
  for (const char* device : {"v100", "t4", "h200"}) {
    const MachineSpec spec = one_sm(device);
    const auto expect = [&](FakeOp made, unsigned raw, unsigned war) {
      const auto result = second_turn(spec, {made.stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
      EXPECT_EQ(result[1] - result[0], raw) << device;
      FakeOp source = made;
      source.instruction.control.write_barrier = sass::Control::no_barrier;
      const auto released = second_turn(spec, {source.stall(2).reads(1), op(Opcode::NOP).waits(2)})[0];
      EXPECT_EQ(released[1] - released[0], war) << device;
    };
    const auto access = [&](Access a) { return spec.sm.access[static_cast<std::size_t>(a)]; };
    expect(load(Opcode::LDS, 8, 4, 4, shared_stride(1)), access(Access::load_shared_32).raw,
           access(Access::load_shared_32).war);
    expect(load(Opcode::LDS, 8, -1, 4, shared_stride(1)), access(Access::load_shared_32).raw_uniform,
           access(Access::load_shared_32).war_uniform);
    expect(load(Opcode::LDG, 8, 4, 4, global_line(3)), access(Access::load_global_32).raw,
           access(Access::load_global_32).war);
    expect(load(Opcode::LDG, 8, 4, 4, global_line(3)), access(Access::load_global_32).raw,
           access(Access::load_global_32).war);
  }
}

TEST(MemoryUnit, ALoadThatMissesTheL1TakesTheWayToTheL2) {
  MachineSpec spec = one_sm();
  spec.sm.memory.queue_entries = 5;
  // The first turn brings the line to the L2, a second line of the same set evicts nothing of it there; the
  // L1 is made so small that it holds one line.
  spec.sm.l1.sets = 1;
  spec.sm.l1.carveouts.clear();
  spec.sm.l1.max_data_bytes = 128;
  const auto turn = second_turn(
      spec, {load(Opcode::LDG, 8, 4, 4, global_line(1)).stall(2).writes(0), op(Opcode::NOP).waits(1).stall(2),
             load(Opcode::LDG, 8, 4, 4, global_line(64)).stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
  const unsigned hit = spec.sm.access[static_cast<std::size_t>(Access::load_global_32)].raw;
  const std::uint64_t near_by = hit + spec.memory.crossbar.round_trip;
  for (const unsigned i : {0U, 2U}) {
    const std::uint64_t latency = turn[i + 1] - turn[i];
    EXPECT_TRUE(latency == near_by || latency == near_by + spec.memory.l2.far_extra) << latency;
  }
}

std::array<std::uint64_t, 32> lanes(const std::function<std::uint64_t(unsigned)>& at) {
  std::array<std::uint64_t, 32> addresses{};
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = at(lane);
  return addresses;
}

FakeOp end_of_copies() {
  return op(Opcode::LDGDEPBAR).stall(2).writes(0);
}

TEST(MemoryUnit, AWaitForCopiesEndsWithTheLastHoweverManyGroupsTheyAre) {
  for (const unsigned groups : {1U, 15U, 16U, 17U, 63U, 64U, 150U}) {
    std::vector<FakeOp> program;
    for (unsigned i = 0; i < groups; ++i) {
      program.push_back(async_copy(4, 4, global_line(i)));
      program.push_back(end_of_copies());
    }
    program.push_back(op(Opcode::NOP).waits(1));
    program.push_back(exit_op());
    FakeStream stream(program);
    const MachineSpec spec = one_sm();
    std::vector<IssueEvent> timeline;
    Machine(spec).run(stream, {}, timeline);
    ASSERT_EQ(timeline.size(), program.size()) << groups << " groups";
    const std::uint64_t wait = timeline[2 * groups].cycle - timeline[2 * groups - 2].cycle;
    EXPECT_GT(wait, spec.memory.crossbar.round_trip) << groups << " groups";
  }
}

TEST(MemoryUnit, AWarpWaitsToEndA64thGroupOfCopiesUnderWay) {
  std::vector<FakeOp> program{async_copy(4, 4, global_line(0))};
  for (unsigned i = 0; i < 70; ++i) program.push_back(end_of_copies());
  program.push_back(exit_op());
  FakeStream stream(program);
  const MachineSpec spec = one_sm();
  std::vector<IssueEvent> timeline;
  Machine(spec).run(stream, {}, timeline);
  const std::uint64_t begun = timeline[0].cycle;
  EXPECT_LT(timeline[63].cycle - begun, spec.memory.crossbar.round_trip);
  EXPECT_GT(timeline[64].cycle - begun, spec.memory.crossbar.round_trip);
}

// So many copies past the L1 of 16 bytes a lane, from `lines` lines each, then a load that hits: how long after the first.
std::uint64_t hit_behind_copies(unsigned copies, unsigned lines) {
  const unsigned together = 32 / lines;
  const auto from = [together](const Where& w) { return 0x20000000ULL + w.lane / together * 128 + w.lane % together * 16; };
  std::vector<FakeOp> body(copies, async_copy(4, 16, from));
  body.push_back(load(Opcode::LDG, 8, 4, 4, global_line(0)).stall(2).writes(1));
  body.push_back(op(Opcode::NOP).waits(2));
  body.push_back(end_of_copies());
  body.push_back(op(Opcode::NOP).waits(1));
  const auto turn = second_turn(one_sm(), body)[0];
  return turn[copies + 1] - turn[0];
}

TEST(MemoryUnit, ACopyPastTheL1TakesFiveCyclesOfTheTagsAndNineOfSixteenthsOfItsLines) {
  for (const unsigned lines : {4U, 8U, 16U, 32U})
    EXPECT_EQ(hit_behind_copies(4, lines) - hit_behind_copies(3, lines), 5 + 9 * lines / 16) << lines;
}

TEST(MemoryUnit, ACopyPastTheL1TakesOfTheDataArrayWhatItsBytesTakeWhateverBanksTheyLieIn) {
  const SmSpec spec = one_sm().sm;
  const auto passes = [&](FakeOp made, unsigned stride) {
    const StaticOp op = predecode(std::span(&made.instruction, 1), spec)[0];
    const auto addresses = lanes([stride](unsigned l) { return 0x10000ULL + std::uint64_t{stride} * l; });
    const std::array<std::uint64_t, 32> shared{};
    traces::Issued issued;
    issued.active_mask = issued.executed_mask = ~0U;
    issued.space = made.space;
    issued.access = made.access;
    issued.bytes_per_lane = made.bytes;
    issued.addresses = addresses.data();
    issued.shared_addresses = shared.data();
    QueuedOp entry;
    make_queued(entry, spec, op, issued, {});
    return entry.data_passes;
  };
  for (const unsigned stride : {16U, 128U}) EXPECT_EQ(passes(async_copy(4, 16, nullptr), stride), 4U) << stride;
  EXPECT_EQ(passes(load(Opcode::LDG, 8, 4, 16, nullptr), 128), 32U) << "a load reads the banks";
}

// Probe lsu.backlog on an H200: a lone warp's passes come every second cycle.
TEST(MemoryUnit, ALoneWarpsSharedLoadTakesTwoCyclesForEveryWordOfItsBusiestBank) {
  const MachineSpec spec = one_sm();
  for (const unsigned stride : {1U, 2U, 4U, 8U, 16U, 32U, 3U, 33U}) {
    std::vector<FakeOp> body;
    // So many that what may wait for the data stage is long full in the second half.
    for (unsigned i = 0; i < 128; ++i)
      body.push_back(load(Opcode::LDS, 8, 4, 4, shared_stride(stride)).stall(1));
    const unsigned passes = stride % 2 == 1 ? 1 : stride;
    const double expected =
        std::max(passes * spec.sm.memory.conflict_pass_latency, spec.sm.memory.address_interval_shared_load);
    EXPECT_NEAR(cycles_each(spec, body), expected, 0.01) << "stride " << stride;
  }
}

// Probe shared.patterns on an H200: 23 cycles, and two more for every word beyond the first in one bank.
TEST(MemoryUnit, AConflictDelaysTheResultByTwoCyclesAPass) {
  const MachineSpec spec = one_sm();
  for (const unsigned words : {1U, 2U, 4U, 8U, 16U, 32U}) {
    const auto turn = second_turn(spec, {load(Opcode::LDS, 8, 4, 4, shared_stride(words)).stall(2).writes(0),
                                         op(Opcode::NOP).waits(1)})[0];
    EXPECT_EQ(turn[1] - turn[0], 23 + 2 * (words - 1)) << words << " words in a bank";
  }
}

// By hand on an H100 (wide_loads_of_shared_words): eight loads in a chain of loads and waits.
TEST(MemoryUnit, AWideLoadOfWordsThatLanesShareIsBackSoonerByThreeCyclesAPass) {
  const MachineSpec spec = one_sm();
  const auto cycles = [&](unsigned bytes, unsigned words_apart) {
    FakeOp made = load(Opcode::LDS, 8, 4, bytes, shared_stride(words_apart));
    const auto turn = second_turn(spec, {made.stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
    return turn[1] - turn[0];
  };
  EXPECT_EQ(cycles(8, 0), 23U) << "a word of 64 bits for all lanes: one pass";
  EXPECT_EQ(cycles(8, 2), 26U) << "two passes";
  EXPECT_EQ(cycles(8, 4), 30U) << "two more: a conflict's take two cycles each";
  EXPECT_EQ(cycles(16, 0), 26U) << "128 bits for all lanes: two passes";
  EXPECT_EQ(cycles(16, 4), 32U) << "four passes";
  EXPECT_EQ(cycles(16, 8), 40U) << "four more";
}

TEST(BankPasses, FollowTheRulesByWidth) {
  constexpr std::uint32_t all = ~0U;
  const auto passes = [&](unsigned bytes, bool merge, const std::function<std::uint64_t(unsigned)>& at) {
    return bank_passes(lanes(at).data(), all, bytes, 32, 4, merge);
  };
  EXPECT_EQ(passes(4, false, [](unsigned l) { return l * 4ULL; }), 1U);
  EXPECT_EQ(passes(4, false, [](unsigned) { return 64ULL; }), 1U);
  EXPECT_EQ(passes(4, false, [](unsigned l) { return l * 128ULL; }), 32U);
  EXPECT_EQ(passes(1, false, [](unsigned l) { return l * 1ULL; }), 1U);
  EXPECT_EQ(passes(8, false, [](unsigned l) { return l * 8ULL; }), 2U);
  EXPECT_EQ(passes(16, false, [](unsigned l) { return l * 16ULL; }), 4U);
  EXPECT_EQ(passes(8, false, [](unsigned) { return 0ULL; }), 2U);
  EXPECT_EQ(passes(8, true, [](unsigned) { return 0ULL; }), 1U);
  EXPECT_EQ(passes(8, true, [](unsigned l) { return l / 2 * 8ULL; }), 1U);
  EXPECT_EQ(passes(8, true, [](unsigned l) { return l % 16 * 8ULL; }), 2U)
      << "half warps alike, neighbours not";
  EXPECT_EQ(passes(16, true, [](unsigned) { return 0ULL; }), 2U);
  EXPECT_EQ(passes(16, false, [](unsigned l) { return l * 128ULL; }), 32U);
}

// What 350 patterns of all kinds take on the card: tests/model/data/shared_passes.csv says how that was
// measured.
TEST(BankPasses, AreThoseOfTheCardForEveryPattern) {
  std::ifstream file(std::string(WARPGAUGE_SOURCE_DIR) + "/tests/model/data/shared_passes.csv");
  ASSERT_TRUE(file);
  unsigned patterns = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    unsigned bytes = 0;
    char kind[8] = {};
    std::uint32_t mask = 0;
    double cycles = 0;
    int read = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%u,%7[a-z],%x,%lf,%n", &bytes, kind, &mask, &cycles, &read), 4)
        << line;
    std::istringstream words(line.substr(static_cast<std::size_t>(read)));
    std::array<std::uint64_t, 32> addresses{};
    for (std::uint64_t& address : addresses) {
      ASSERT_TRUE(words >> address) << line;
      address *= bytes;
    }
    const unsigned passes = bank_passes(addresses.data(), mask, bytes, 32, 4, std::string(kind) == "load");
    // The first and the last access of a run wait less than those between.
    EXPECT_NEAR(cycles, passes, 0.1 + 0.055 * passes) << line;
    ++patterns;
  }
  EXPECT_EQ(patterns, 350U);
}

// Against a direct count of the distinct words of each bank.
TEST(BankPasses, AgreeWithACountOfDistinctWords) {
  std::uint64_t state = 12345;
  const auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return state >> 33;
  };
  for (unsigned round = 0; round < 300; ++round) {
    std::array<std::uint64_t, 32> addresses{};
    for (auto& address : addresses) address = next() % 512 * 4;
    const auto mask = static_cast<std::uint32_t>(next());
    std::array<std::vector<std::uint64_t>, 32> words;
    unsigned expected = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (((mask >> lane) & 1) == 0) continue;
      auto& bank = words[addresses[lane] / 4 % 32];
      const std::uint64_t word = addresses[lane] / 4;
      if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
      expected = std::max(expected, static_cast<unsigned>(bank.size()));
    }
    EXPECT_EQ(bank_passes(addresses.data(), mask, 4, 32, 4, true), expected);
  }
}

TEST(Coalescer, ContiguousLanesShareLinesAndSectors) {
  std::array<LineAccess, max_lines_per_access> lines;
  const auto aligned = lanes([](unsigned l) { return 0x1000 + l * 4ULL; });
  EXPECT_EQ(coalesce(aligned.data(), ~0U, 4, 128, 32, lines).sectors, 4U);
  const auto shifted = lanes([](unsigned l) { return 0x1004 + l * 4ULL; });
  const Coalesced two = coalesce(shifted.data(), ~0U, 4, 128, 32, lines);
  EXPECT_EQ(two.lines, 2U);
  EXPECT_EQ(two.sectors, 5U);
  EXPECT_EQ(lines[0].lanes, 31);
  EXPECT_EQ(lines[1].lanes, 1);
  const auto wide = lanes([](unsigned l) { return 0x1000 + l * 16ULL; });
  EXPECT_EQ(coalesce(wide.data(), ~0U, 16, 128, 32, lines).lines, 4U);
  const auto apart = lanes([](unsigned l) { return l * 4096ULL; });
  const Coalesced scattered = coalesce(apart.data(), ~0U, 4, 128, 32, lines);
  EXPECT_EQ(scattered.lines, 32U);
  EXPECT_EQ(scattered.sectors, 32U);
  const auto same = lanes([](unsigned) { return 0x2040ULL; });
  const Coalesced uniform = coalesce(same.data(), ~0U, 4, 128, 32, lines);
  EXPECT_TRUE(uniform.uniform);
  EXPECT_EQ(uniform.sectors, 1U);
  EXPECT_EQ(lines[0].sectors, 4);
}

TEST(Coalescer, ACopyAsksForASectorMoreWhereItsPlaceInSharedMemoryBeginsInASectorsMiddle) {
  // Rows of 64 bytes, four lanes each, to rows of `pitch` bytes.
  const auto sectors = [](unsigned row_lanes, unsigned pitch) {
    std::array<std::uint64_t, 32> from{};
    std::array<std::uint64_t, 32> to{};
    for (unsigned lane = 0; lane < 32; ++lane) {
      from[lane] = 0x10000ULL * (1 + lane / row_lanes) + 16ULL * (lane % row_lanes);
      to[lane] = std::uint64_t{pitch} * (lane / row_lanes) + 16ULL * (lane % row_lanes);
    }
    std::array<LineAccess, max_lines_per_access> lines;
    Coalesced c = coalesce(from.data(), ~0U, 16, 128, 32, lines);
    const unsigned whole = c.lines;
    const unsigned more = split_copy(from.data(), to.data(), ~0U, 128, 32, lines, c);
    EXPECT_EQ(more, c.lines - whole);
    unsigned asked = 0;
    for (unsigned i = 0; i < c.lines; ++i) asked += static_cast<unsigned>(std::popcount(lines[i].sectors));
    return std::array{c.sectors, asked, c.lines};
  };
  EXPECT_EQ(sectors(4, 64), (std::array{16U, 16U, 8U}));
  EXPECT_EQ(sectors(4, 80), (std::array{20U, 24U, 16U})) << "as an H200 counts them at the tags and at its port: every second row begins in a sector's middle";
  EXPECT_EQ(sectors(4, 96), (std::array{16U, 16U, 8U}));
  EXPECT_EQ(sectors(8, 144), (std::array{18U, 24U, 12U}));
}

// by_hand_h200.json, "copies_to_shared_memory": 32 warps of one SM, where the L2 is not what they wait for.
TEST(Coalescer, ACopyPastTheL1TakesAsLongAsOnAnH200HoweverItsRowsLieInSharedMemory) {
  const nlohmann::json data = by_hand("copies_to_shared_memory");
  unsigned rows = 0;
  for (const auto& row : data["rows"]) {
    const unsigned bytes = row[1], pitch = row[2];
    const double card = row[5];
    if (row[0] != ".cg, 16 bytes" || row[3] != 32 || row[4] != 1) continue;
    const auto from = lanes([&](unsigned l) { return l * 16 / bytes * 1024ULL + l * 16 % bytes; });
    const auto to = lanes([&](unsigned l) { return std::uint64_t{l * 16 / bytes} * pitch + l * 16 % bytes; });
    EXPECT_NEAR(copy_cycles(from.data(), to.data(), ~0U, 128), card, 0.11 * card) << row;
    ++rows;
  }
  EXPECT_EQ(rows, 6U);
}

TEST(Coalescer, ACopyOfWholeLinesTakesAThirdOfACycleASectorOrSo) {
  const auto in_a_row = lanes([](unsigned l) { return l * 16ULL; });
  EXPECT_EQ(copy_cycles(in_a_row.data(), in_a_row.data(), ~0U, 128), 6U);
  const auto swapped = lanes([](unsigned l) { return (l ^ 1) * 16ULL; });
  EXPECT_EQ(copy_cycles(in_a_row.data(), swapped.data(), ~0U, 128), 6U) << "halves that change places";
  const auto shifted = lanes([](unsigned l) { return l * 16ULL + 16; });
  EXPECT_EQ(copy_cycles(in_a_row.data(), shifted.data(), ~0U, 128), 15U);
}

// by_hand_h200.json, "wavefronts_of_matrices": LDSM and STSM of any addresses.
TEST(BankPasses, OfMatricesAreThoseOfAnH200) {
  const nlohmann::json data = by_hand("wavefronts_of_matrices");
  unsigned rows = 0;
  for (const auto& row : data["rows"]) {
    const std::string name = row[0];
    const unsigned matrices = name.ends_with('4') ? 4 : name.ends_with('2') ? 2 : 1;
    const std::vector<std::uint64_t> units = row[1];
    const auto addresses = lanes([&](unsigned l) { return units[l] * 16; });
    unsigned passes = 0;
    for (unsigned g = 0; g < matrices; ++g) passes += bank_passes(addresses.data(), 0xffU << 8 * g, 4, 8, 16, false);
    EXPECT_EQ(passes, row[2].get<unsigned>()) << row;
    ++rows;
  }
  EXPECT_EQ(rows, 498U);
}

TEST(Coalescer, AtomicsComeBackToASectorForEveryLaneOnItsBusiestWord) {
  std::array<LineAccess, max_lines_per_access> lines;
  const auto turns = [&](const std::array<std::uint64_t, 32>& addresses) {
    const Coalesced c = coalesce(addresses.data(), ~0U, 4, 128, 32, lines);
    return atomic_turns(addresses.data(), ~0U, 4, 128, 32, lines, c.lines);
  };
  EXPECT_EQ(turns(lanes([](unsigned l) { return l * 4ULL; })), 4U);
  EXPECT_EQ(turns(lanes([](unsigned) { return 64ULL; })), 32U);
  EXPECT_EQ(turns(lanes([](unsigned l) { return l % 8 * 4ULL; })), 4U);
  EXPECT_EQ(turns(lanes([](unsigned l) { return l % 2 * 128ULL; })), 32U);
  EXPECT_EQ(lines[0].turns, 16);
  EXPECT_EQ(lines[1].turns, 16);
}

TEST(Coalescer, LinesOfOneTagBankAreLookedUpInTurn) {
  std::array<LineAccess, max_lines_per_access> lines;
  for (unsigned i = 0; i < 8; ++i) lines[i] = {i, 1, 1, 0, 0, 0};
  const TagBanks modulo(4);
  EXPECT_EQ(lookup_passes(lines, 8, modulo), 2U);
  EXPECT_EQ(lookup_passes(lines, 5, modulo), 2U);
  EXPECT_EQ(lookup_passes(lines, 4, modulo), 1U);
  for (unsigned i = 0; i < 8; ++i) lines[i].line = 4 * i;
  EXPECT_EQ(lookup_passes(lines, 8, modulo), 8U);
}

// Cycles of a load of 16 and of 32 lines at a stride, by 16 warps of an H200 (docs/h200.md, "Banks of the L1's tags").
TEST(Coalescer, LinesAtAStrideLieInTheBanksOfTheHash) {
  const TagBanks banks = one_sm().sm.l1.tag_banks;
  ASSERT_EQ(banks.count(), 4U);
  struct Stride {
    unsigned lines;
    unsigned sixteen;
    unsigned thirty_two;
  };
  for (const Stride& s : {Stride{1, 4, 8}, Stride{2, 4, 8}, Stride{3, 7, 11}, Stride{4, 4, 8}, Stride{5, 7, 10}, Stride{6, 6, 11},
                          Stride{7, 7, 14}, Stride{8, 4, 8}, Stride{9, 7, 14}, Stride{12, 8, 14}, Stride{16, 4, 8},
                          Stride{24, 6, 11}, Stride{32, 4, 8}, Stride{33, 8, 16}, Stride{48, 8, 14}, Stride{64, 4, 8},
                          Stride{65, 4, 8}, Stride{96, 6, 11}, Stride{128, 4, 8}, Stride{129, 8, 16}, Stride{192, 6, 13},
                          Stride{256, 4, 8}}) {
    std::array<LineAccess, max_lines_per_access> lines;
    for (unsigned i = 0; i < 32; ++i) lines[i] = {std::uint64_t{i} * s.lines, 1, 1, 0, 0, 0};
    EXPECT_EQ(lookup_passes(lines, 16, banks), s.sixteen) << s.lines;
    EXPECT_EQ(lookup_passes(lines, 32, banks), s.thirty_two) << s.lines;
  }
}

// Wavefronts of loads that miss, by the mean over 16 lines of each warp's 32 rows; by_hand_h200.json, "lines_read_in_turns".
TEST(Coalescer, LinesThatComeAreReadInTheTurnsOfTheirTags) {
  const TagBanks banks = one_sm().sm.l1.tag_banks;
  const auto mean = [&](std::uint64_t stride, unsigned warps, unsigned bytes) {
    unsigned passes = 0;
    for (unsigned warp = 0; warp < warps; ++warp) {
      for (unsigned round = 0; round < 16; ++round) {
        const auto rows = lanes([&](unsigned l) { return (warp * 32ULL + l) * stride + round * 128ULL; });
        std::array<LineAccess, max_lines_per_access> lines;
        const Coalesced c = coalesce(rows.data(), ~0U, bytes, 128, 32, lines);
        passes += turn_passes(rows.data(), ~0U, bytes, 128, 32, 4, lines, c.lines, banks, false);
      }
    }
    return passes / (16.0 * warps);
  };
  struct Rows {
    std::uint64_t stride;
    unsigned warps;
    double card;
  };
  for (const Rows& r : {Rows{512, 1, 32.0}, Rows{4160, 1, 16.2}, Rows{4160, 4, 19.9}, Rows{4160, 32, 20.6}, Rows{4128, 1, 8.2},
                        Rows{4128, 4, 10.1}, Rows{4128, 32, 14.4}, Rows{4224, 4, 32.2}, Rows{4100, 4, 8.1}})
    EXPECT_NEAR(mean(r.stride, r.warps, 4), r.card, 0.03 * r.card) << r.stride << ", " << r.warps;
  EXPECT_NEAR(mean(4160, 4, 8), 20.4, 0.7) << "of 64 bits a lane";
}

// Wavefronts of 32 lanes that add to words drawn at random (docs/h200.md, "Lines that are read in turns").
TEST(Coalescer, AdditionsCountEveryLaneOfABankInEachTurnOfTheTags) {
  const TagBanks banks = one_sm().sm.l1.tag_banks;
  const auto mean = [&](unsigned words, unsigned step) {
    std::uint32_t state = 1;
    unsigned passes = 0;
    for (unsigned i = 0; i < 512; ++i) {
      const auto drawn = lanes([&](unsigned) {
        state = state * 1664525 + 1013904223;
        return std::uint64_t{(state >> 8) % words} * step * 4;
      });
      std::array<LineAccess, max_lines_per_access> lines;
      const Coalesced c = coalesce(drawn.data(), ~0U, 4, 128, 32, lines);
      passes += turn_passes(drawn.data(), ~0U, 4, 128, 32, 4, lines, c.lines, banks, true);
    }
    return passes / 512.0;
  };
  struct Words {
    unsigned words;
    unsigned step;
    double card;
  };
  for (const Words& w : {Words{1, 1, 32}, Words{2, 1, 18.4}, Words{8, 1, 7.25}, Words{32, 1, 3.6}, Words{256, 1, 5.5},
                         Words{4096, 1, 11.7}, Words{8, 8, 11.7}, Words{8, 32, 32}, Words{256, 8, 18}, Words{256, 32, 32}})
    EXPECT_NEAR(mean(w.words, w.step), w.card, 0.12 * w.card) << w.words << " by " << w.step;
}

TEST(Coalescer, AtomicsOnSharedMemoryCountEveryLaneOfABank) {
  // Pairs of lanes on one word; lanes on words of one bank; lanes of 64 bits.
  EXPECT_EQ(bank_lanes(lanes([](unsigned l) { return 4ULL * (l / 2); }).data(), ~0U, 4, 32, 4), 2U);
  EXPECT_EQ(bank_lanes(lanes([](unsigned l) { return 128ULL * l; }).data(), ~0U, 4, 32, 4), 32U);
  EXPECT_EQ(bank_lanes(lanes([](unsigned l) { return 4ULL * l; }).data(), ~0U, 4, 32, 4), 1U);
  EXPECT_EQ(bank_lanes(lanes([](unsigned) { return 64ULL; }).data(), 0xffU, 4, 32, 4), 8U);
  // Of 64 bits: all on one word, two on each of sixteen, each on its own.
  EXPECT_EQ(bank_lanes(lanes([](unsigned) { return 64ULL; }).data(), ~0U, 8, 32, 4), 32U);
  EXPECT_EQ(bank_lanes(lanes([](unsigned l) { return 8ULL * (l % 16); }).data(), ~0U, 8, 32, 4), 2U);
  EXPECT_EQ(bank_lanes(lanes([](unsigned l) { return 8ULL * l; }).data(), ~0U, 8, 32, 4), 2U);
}

TEST(Coalescer, TakesTheFastWayOnlyWhereItGivesTheSameLines) {
  std::array<LineAccess, max_lines_per_access> fast;
  std::array<LineAccess, max_lines_per_access> slow;
  for (const unsigned bytes : {1U, 2U, 4U, 8U, 16U}) {
    for (std::uint64_t base = 0; base < 256; base += bytes) {
      const auto addresses = lanes([&](unsigned l) { return 0x8000 + base + l * std::uint64_t{bytes}; });
      const Coalesced whole = coalesce(addresses.data(), ~0U, bytes, 128, 32, fast);
      // The same lanes in two parts that are not whole warps.
      Coalesced parts = coalesce(addresses.data(), 0x7fffffffU, bytes, 128, 32, slow);
      unsigned last = 0;
      while (last < parts.lines && slow[last].line != addresses[31] / 128) ++last;
      if (last == parts.lines) {
        ++parts.lines;
        slow[last] = {addresses[31] / 128, 0, 0, 0, 0, 0};
      }
      for (unsigned byte = 0; byte < bytes; byte += 4)
        slow[last].words |= std::uint32_t{1} << (addresses[31] % 128 + byte) / 4;
      slow[last].sectors |= static_cast<std::uint8_t>(1U << (addresses[31] % 128 / 32));
      ++slow[last].lanes;
      ASSERT_EQ(whole.lines, parts.lines);
      for (unsigned i = 0; i < whole.lines; ++i) {
        EXPECT_EQ(fast[i].line, slow[i].line);
        EXPECT_EQ(fast[i].sectors, slow[i].sectors);
        EXPECT_EQ(fast[i].lanes, slow[i].lanes);
        EXPECT_EQ(fast[i].words, slow[i].words);
      }
    }
  }
}

TEST(Coalescer, FindsTheSameWhetherItIsToldHowAddressesLieOrLooks) {
  std::array<LineAccess, max_lines_per_access> told;
  std::array<LineAccess, max_lines_per_access> looked;
  for (const unsigned bytes : {1U, 4U, 8U, 16U}) {
    for (const bool row : {false, true}) {
      const traces::LanePlaces places{!row, row};
      const auto addresses = lanes([&](unsigned l) { return 0x8040 + (row ? l * std::uint64_t{bytes} : 0); });
      const Coalesced a = coalesce(addresses.data(), ~0U, bytes, 128, 32, told, places);
      const Coalesced b = coalesce(addresses.data(), ~0U, bytes, 128, 32, looked);
      EXPECT_EQ(a.uniform, b.uniform);
      EXPECT_EQ(a.contiguous, b.contiguous);
      EXPECT_EQ(a.sectors, b.sectors);
      ASSERT_EQ(a.lines, b.lines);
      for (unsigned i = 0; i < a.lines; ++i) {
        EXPECT_EQ(told[i].line, looked[i].line);
        EXPECT_EQ(told[i].sectors, looked[i].sectors);
        EXPECT_EQ(told[i].lanes, looked[i].lanes);
        EXPECT_EQ(told[i].words, looked[i].words);
      }
      for (const bool merge : {false, true})
        EXPECT_EQ(bank_passes(addresses.data(), ~0U, bytes, 32, 4, merge, places),
                  bank_passes(addresses.data(), ~0U, bytes, 32, 4, merge));
    }
  }
}

TEST(SectorCache, EvictsTheLeastRecentlyUsedLine) {
  SectorCache cache(1, 4);
  SectorCache::Evicted evicted;
  for (std::uint64_t line = 0; line < 4; ++line) cache.at(cache.allocate(line, evicted)).valid = 1;
  EXPECT_NE(cache.find(0), SectorCache::none);
  cache.allocate(9, evicted);
  EXPECT_TRUE(evicted.happened);
  EXPECT_EQ(evicted.tag, 1U);
  EXPECT_EQ(cache.find(1), SectorCache::none);
  EXPECT_NE(cache.find(0), SectorCache::none);
}

// Lines of one tag set of two ways, one hit: a new one counts as hit two hits ago, and so the next drives it out.
TEST(SectorCache, PutsNewLinesBehindThoseThatWereHitSince) {
  for (const unsigned new_age : {0U, 2U}) {
    SectorCache cache(1, 64, Victim::oldest, {1, 2, new_age});
    SectorCache::Evicted evicted;
    const auto bring = [&](std::uint64_t line) {
      if (cache.find(line) == SectorCache::none) cache.at(cache.allocate(line, evicted)).valid = 1;
    };
    for (const std::uint64_t line : {1, 1, 2, 3}) bring(line);
    EXPECT_EQ(cache.peek(1) != SectorCache::none, new_age == 2);
    EXPECT_EQ(cache.peek(2) != SectorCache::none, new_age == 0);
    EXPECT_NE(cache.peek(3), SectorCache::none);
    // After two hits of another line the one that was hit before lies as far back.
    for (const std::uint64_t line : {3, 3, 3, 4}) bring(line);
    EXPECT_NE(cache.peek(3), SectorCache::none);
    EXPECT_NE(cache.peek(4), SectorCache::none);
  }
}

// Of a set that is visited in turn and too large, a cache that draws its victims among unused lines keeps a
// part (the H200's L1 finds 72 % at 1.064 times its size and 30 % at 1.25), one that evicts the oldest
// nothing.
// What walking through scattered lines again and again shows on an H200: half of what the data has room for
// already loses some.
TEST(SectorCache, HoldsNoMoreLinesOfOneTagSetThanItHasTags) {
  SectorCache cache(1, 64, Victim::unused, {8, 2});
  SectorCache::Evicted evicted;
  // As many consecutive lines as there are sets have a set each: two runs of eight fit, whatever they are.
  for (std::uint64_t line = 0; line < 8; ++line) cache.allocate(1000 * 8 + line, evicted);
  for (std::uint64_t line = 0; line < 8; ++line) cache.allocate(5 * 8 + line, evicted);
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_NE(cache.find(1000 * 8 + line), SectorCache::none);
  // A third one drives out the run that was used longest ago, although the data has room for all.
  for (std::uint64_t line = 0; line < 8; ++line) {
    cache.allocate(77 * 8 + line, evicted);
    EXPECT_EQ(evicted.tag / 8, 5U);
  }
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_EQ(cache.peek(5 * 8 + line), SectorCache::none);
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_NE(cache.peek(1000 * 8 + line), SectorCache::none);
}

TEST(SectorCache, KeepsPartOfASetThatIsTooLargeIfVictimsAreDrawn) {
  for (const Victim victim : {Victim::unused, Victim::oldest}) {
    SectorCache cache(1, 1000, victim);
    unsigned hits = 0;
    for (unsigned round = 0; round < 60; ++round) {
      for (std::uint64_t line = 0; line < 1150; ++line) {
        SectorCache::Evicted evicted;
        if (cache.find(line) != SectorCache::none) {
          hits += round >= 20 ? 1 : 0;
        } else {
          cache.at(cache.allocate(line, evicted)).valid = 1;
        }
      }
    }
    EXPECT_NEAR(hits / (40.0 * 1150), victim == Victim::unused ? 0.564 : 0, 0.03);
  }
}

TEST(SectorCache, KeepsLinesThatWaitForASector) {
  SectorCache cache(1, 2);
  SectorCache::Evicted evicted;
  cache.at(cache.allocate(1, evicted)).pending = 1;
  cache.at(cache.allocate(2, evicted)).pending = 1;
  EXPECT_EQ(cache.allocate(3, evicted), SectorCache::none);
  cache.at(cache.find(1)).pending = 0;
  EXPECT_NE(cache.allocate(3, evicted), SectorCache::none);
  EXPECT_EQ(cache.find(1), SectorCache::none);
}

// By hand on an H100 (scattered_loads_of_many_warps): of four rounds through 1,024, 1,536 and 2,048 scattered lines, all of which are
// asked for before the first comes, 66.7, 52.7 and 31.5 to 35.8 % are found.
TEST(SectorCache, DrivesOutLinesThatWaitForASectorLikeOthersWhereItMay) {
  for (const auto& [lines, found] : {std::pair{1024U, 66.7}, {1536U, 52.7}, {2048U, 35.0}}) {
    SectorCache cache(1, 1936, Victim::unused, {512, 4, 2});
    std::uint64_t state = lines;
    std::vector<std::uint64_t> walk;
    for (unsigned i = 0; i < lines; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      walk.push_back(state >> 33 & 0xffff);
    }
    unsigned hits = 0;
    for (unsigned round = 0; round < 4; ++round) {
      for (const std::uint64_t line : walk) {
        if (cache.find(line) != SectorCache::none) {
          ++hits;
        } else {
          cache.at(cache.allocate_over_pending(line)).pending = 1;
        }
      }
    }
    EXPECT_NEAR(100.0 * hits / (4 * lines), found, 2.5) << lines << " lines";
  }
}

TEST(SectorCache, ForgetsAllButWhatIsOnItsWay) {
  SectorCache cache(2, 4);
  SectorCache::Evicted evicted;
  for (std::uint64_t line = 0; line < 6; ++line) cache.at(cache.allocate(line, evicted)).valid = 0xf;
  cache.at(cache.find(5)).pending = 3;
  cache.invalidate_all();
  for (std::uint64_t line = 0; line < 6; ++line) {
    const std::uint32_t entry = cache.find(line);
    if (entry != SectorCache::none) {
      EXPECT_EQ(cache.at(entry).valid, 0);
    }
  }
  EXPECT_EQ(cache.at(cache.find(5)).pending, 3);
}

// Against a list that is searched from its recent end.
TEST(SectorCache, BehavesLikeAListOfRecentLines) {
  constexpr unsigned ways = 7;
  SectorCache cache(1, ways);
  std::vector<std::uint64_t> recent;
  std::uint64_t state = 7;
  for (unsigned i = 0; i < 5000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t line = (state >> 40) % 12;
    const auto known = std::find(recent.begin(), recent.end(), line);
    std::uint32_t entry = cache.find(line);
    ASSERT_EQ(entry != SectorCache::none, known != recent.end()) << "access " << i;
    if (known != recent.end()) recent.erase(known);
    recent.insert(recent.begin(), line);
    if (entry == SectorCache::none) {
      SectorCache::Evicted evicted;
      entry = cache.allocate(line, evicted);
      cache.at(entry).valid = 1;
    }
    if (recent.size() > ways) recent.pop_back();
  }
}

// ld.volatile, ld.relaxed: what another SM has written must be seen.
TEST(MemoryUnit, AStrongLoadAsksTheL2WhateverTheL1Has) {
  const MachineSpec spec = one_sm();
  const auto latency = [&](bool strong) {
    FakeOp read = load(Opcode::LDG, 8, 4, 4, global_line(0)).stall(2).writes(0);
    constexpr unsigned strong_gpu = 7;
    if (strong) read.modifier(sass::Modifier::ordering, strong_gpu);
    const auto turn = second_turn(spec, {read, op(Opcode::NOP).waits(1)})[0];
    return turn[1] - turn[0];
  };
  EXPECT_LT(latency(false), 40U);
  EXPECT_GT(latency(true), 200U);
}

// Probe l1.stored on an H200: the line of `stored`, then a load of `bytes` a lane from `offset` on; what that takes.
std::uint64_t load_behind(const FakeOp& stored, unsigned lane_bytes, std::uint64_t offset) {
  // A line of its own in each turn.
  const auto at = [=](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + offset + lane_bytes * w.lane; };
  std::vector<FakeOp> body(1, stored);
  for (unsigned i = 0; i < 40; ++i) body.push_back(op(Opcode::NOP).stall(11));
  body.push_back(load(Opcode::LDG, 8, 4, 4, at).stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  const auto turn = second_turn(one_sm(), body)[0];
  return turn[turn.size() - 1] - turn[turn.size() - 2];
}

FakeOp store_in_turn(unsigned bytes, unsigned lane_bytes) {
  const auto at = [=](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + lane_bytes * w.lane; };
  return store(Opcode::STG, 4, 12, bytes, at).stall(2);
}

TEST(MemoryUnit, ALoadFindsInTheL1TheWordsThatWereStored) {
  EXPECT_LT(load_behind(store_in_turn(4, 4), 4, 0), 50U) << "a whole line";
  EXPECT_LT(load_behind(store_in_turn(4, 0), 0, 0), 50U) << "one word";
  EXPECT_LT(load_behind(store_in_turn(4, 8), 8, 0), 50U) << "every other word";
}

TEST(MemoryUnit, ALoadOfOtherWordsOfAStoredSectorGoesToTheL2) {
  EXPECT_GT(load_behind(store_in_turn(4, 0), 0, 4), 200U);
  EXPECT_GT(load_behind(store_in_turn(4, 8), 8, 4), 200U);
  EXPECT_GT(load_behind(store_in_turn(1, 0), 0, 0), 200U) << "a byte is no word";
}

TEST(MemoryUnit, AnAtomicDropsItsWholeLineFromTheL1) {
  const auto at = [](std::uint64_t offset) {
    return [offset](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + offset; };
  };
  // Of a load of what `first` has brought to the L1, behind an atomic on the word at `changed`.
  const auto latency = [&](FakeOp first, std::uint64_t changed, MemoryAccess access) {
    FakeOp change = store(Opcode::RED, 4, 12, 4, at(changed)).stall(2);
    change.access = access;
    std::vector<FakeOp> body{first.stall(2).writes(0), op(Opcode::NOP).waits(1), change};
    for (unsigned i = 0; i < 40; ++i) body.push_back(op(Opcode::NOP).stall(11));
    body.push_back(load(Opcode::LDG, 8, 4, 4, at(96)).stall(2).writes(0));
    body.push_back(op(Opcode::NOP).waits(1));
    const auto turn = second_turn(one_sm(), body)[0];
    return turn[turn.size() - 1] - turn[turn.size() - 2];
  };
  for (const FakeOp& first : {load(Opcode::LDG, 8, 4, 4, at(96)), store(Opcode::STG, 4, 12, 4, at(96))}) {
    for (const MemoryAccess access : {MemoryAccess::atomic, MemoryAccess::reduction}) {
      EXPECT_GT(latency(first, 0, access), 200U) << "another sector of the line";
      EXPECT_LT(latency(first, 128, access), 50U) << "another line";
    }
  }
}

// What a fence or an acquire ends with (probe issue.fences).
TEST(MemoryUnit, AnInvalidationEmptiesTheL1ForAllWarps) {
  const MachineSpec spec = one_sm();
  const auto latency = [&](const FakeOp& between) {
    const FakeOp read = load(Opcode::LDG, 8, 4, 4, global_line(0)).stall(2).writes(0);
    const auto turn =
        second_turn(spec, {read, op(Opcode::NOP).waits(1), between, read, op(Opcode::NOP).waits(1)})[0];
    return turn[4] - turn[3];
  };
  EXPECT_LT(latency(op(Opcode::CCTL).stall(2)), 40U);
  EXPECT_GT(latency(invalidation()), 200U);
  FakeOp of_nobody = invalidation();
  of_nobody.off = true;
  EXPECT_LT(latency(of_nobody), 40U);
}

// Loads that miss, of which the L1 has room for few, stand before what follows in the queue.
std::vector<FakeOp> behind_loads_without_room(FakeOp last) {
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < 4; ++i) {
    const auto at = [i](const Where& w) {
      return 0x10000000ULL + (1000 * (w.iteration + 1) + 7 * i) * 128 + 4ULL * w.lane;
    };
    body.push_back(load(Opcode::LDG, 8 + static_cast<int>(i), 4, 4, at));
  }
  body.push_back(last.stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  return body;
}

std::uint64_t wait_behind_loads(const FakeOp& last) {
  MachineSpec spec = one_sm();
  spec.sm.l1.misses_in_flight = 1;
  const auto turn = second_turn(spec, behind_loads_without_room(last))[0];
  return turn[5] - turn[4];
}

// On an H200 a load of shared memory, of constants, and one whose guard holds for no lane, behind loads of
// DRAM that fill what the L1 can wait for: 8,500, 250 and 190 cycles for sixteen.
TEST(MemoryUnit, ASharedLoadWaitsForLoadsThatTheL1HasNoRoomFor) {
  EXPECT_GT(wait_behind_loads(load(Opcode::LDS, 20, 4, 4, shared_stride(1))), 500U);
}

TEST(MemoryUnit, ALoadOfConstantsDoesNotWaitForLoadsThatTheL1HasNoRoomFor) {
  const auto at = [](const Where&) { return std::uint64_t{0}; };
  EXPECT_EQ(wait_behind_loads(load(Opcode::LDC, 20, 4, 4, at)), one_sm().sm.constant.l1_latency);
}

TEST(MemoryUnit, AnAccessOfNobodyDoesNotWaitForLoadsThatTheL1HasNoRoomFor) {
  FakeOp nobody = load(Opcode::LDS, 20, 4, 4, shared_stride(1));
  nobody.off = true;
  EXPECT_LT(wait_behind_loads(nobody), 40U);
}

// A chain of sixteen on an H200: 31.6 cycles where a load of shared memory that all lanes execute takes 32.6, and as many for
// one of global memory, which takes 49.6 with an address that is longer to make.
TEST(MemoryUnit, WhatNobodyLoadsIsThereACycleBeforeWhatSomebodyLoadsFromSharedMemory) {
  const auto until_there = [](Opcode opcode, bool nobody) {
    FakeOp loads = load(opcode, 20, 4, 4, shared_stride(1));
    loads.off = nobody;
    const auto turn = second_turn(one_sm(), {loads.stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
    return turn[1] - turn[0];
  };
  const std::uint64_t shared = until_there(Opcode::LDS, false);
  EXPECT_EQ(until_there(Opcode::LDS, true), shared - 1);
  EXPECT_EQ(until_there(Opcode::LDG, true), shared - 1);
}

// On an H200 up to 32 warps with 128 such instructions each take 4.0 to 4.4 cycles of a processing block for
// each.
TEST(MemoryUnit, AnAccessOfNobodyTakesFourCyclesOfItsProcessingBlocksQueue) {
  for (const Opcode opcode : {Opcode::LDS, Opcode::LDG}) {
    FakeOp nobody = load(opcode, 20, 4, 4, shared_stride(1));
    nobody.off = true;
    const std::vector<FakeOp> body(128, nobody);
    // Four warps of a processing block take turns.
    for (const unsigned warps : {1U, 4U, 16U})
      EXPECT_NEAR(cycles_each(one_sm(), body, warps), 4 * std::max(1U, warps / 4), 0.1);
  }
}

}  // namespace
}  // namespace warpgauge::model::test
