// Which lines the L1 keeps: its sets, what makes way where its data is full, and what the operators of loads and stores say; against
// what an H200 did (examples/validation/hardware/by_hand_h200.json).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

#include "model/machine.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Modifier;
using sass::Opcode;

TEST(L1Lines, ThatDriveEachOtherOutHaveOneSet) {
  const L1Spec l1 = device_spec("h200").sm.l1;
  unsigned groups = 0;
  const nlohmann::json five = by_hand("sets_of_the_l1");
  for (const auto& row : five["rows"]) {
    // Bits of the address above 38 are the same in all five.
    for (const auto& line : row) EXPECT_EQ(l1.set_hash.of(line), l1.set_hash.of(row[0])) << row;
    ++groups;
  }
  EXPECT_EQ(groups, 240U);
}

TEST(L1Lines, AreDealtOutEvenlyToSets) {
  const L1Spec l1 = device_spec("h200").sm.l1;
  for (const std::uint64_t first : {0ULL, 512ULL, 1ULL << 20, 77ULL << 9}) {
    std::vector<unsigned> lines(l1.sets);
    for (std::uint64_t line = first; line < first + l1.sets; ++line) ++lines[l1.set_hash.of(line)];
    EXPECT_EQ(std::ranges::count(lines, 1U), l1.sets) << first;
  }
}

// A random ring through so many lines, twice and then once more: hits in percent (probe l1.carveouts of 2026-11-24). Where the oldest
// line of all made way there would be none beyond the data's size, where a drawn one did 10 to 25 more in the middle.
TEST(L1Lines, MakeWayForOthersSetBySetWhereTheDataIsFull) {
  const L1Spec l1 = device_spec("h200").sm.l1;
  struct Point {
    unsigned places, lines;
    double hits;
  };
  constexpr Point points[] = {{176, 192, 75},    {176, 256, 32},    {176, 320, 2},     {432, 448, 88},    {432, 576, 41},
                              {432, 704, 27},    {432, 800, 7},     {688, 768, 72},    {688, 928, 44},    {688, 1184, 14},
                              {944, 1056, 65},   {944, 1280, 24},   {944, 1536, 7},    {1200, 1376, 62},  {1200, 1504, 32},
                              {1200, 1760, 13},  {1488, 1632, 68},  {1488, 1792, 42},  {1488, 2016, 19},  {1744, 1888, 72},
                              {1744, 2048, 45},  {1936, 1984, 86},  {1936, 2112, 60}};
  for (const auto& [places, lines, hits] : points) {
    double found = 0;
    constexpr unsigned rings = 8;
    for (unsigned seed = 0; seed < rings; ++seed) {
      SectorCache cache(1, places, l1.victim, {l1.sets, l1.tag_ways, l1.new_line_age, l1.evicted_at_once, &l1.set_hash});
      std::vector<std::uint64_t> ring(lines);
      std::iota(ring.begin(), ring.end(), 8192);
      std::ranges::shuffle(ring, std::mt19937(seed));
      for (unsigned lap = 0; lap < 3; ++lap) {
        for (const std::uint64_t line : ring) {
          if (cache.find(line) == SectorCache::none) {
            cache.allocate_over_pending(line);
          } else if (lap == 2) {
            ++found;
          }
        }
      }
    }
    EXPECT_NEAR(100 * found / rings / lines, hits, 6) << lines << " lines, room for " << places;
  }
}

// Nine lines of one set.
std::vector<std::uint64_t> one_set(const L1Spec& l1) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t line = 0x10000000 / 128; lines.size() < 9; ++line)
    if (l1.set_hash.of(line) == 37) lines.push_back(line * 128);
  return lines;
}

FakeOp access(const std::string& name, std::uint64_t line) {
  const AddressOf word = [=](const Where&) { return line; };
  const AddressOf row = [=](const Where& w) { return line + 4 * w.lane; };
  const auto with = [](FakeOp made, unsigned eviction, unsigned ordering = 0) {
    return made.modifier(Modifier::cache_eviction, eviction).modifier(Modifier::ordering, ordering);
  };
  constexpr unsigned ef = 0, as_others = 1, el = 2, lu = 3, eu = 4, na = 5, strong_gpu = 7, strong_sys = 10;
  const FakeOp read = load(Opcode::LDG, 8, 4, 4, word);
  const FakeOp write = store(Opcode::STG, 4, 6, 4, row);
  if (name == "LDG.EF" || name == "LDG.EF (.cs)") return with(read, ef);
  if (name == "LDG.EL") return with(read, el);
  if (name == "LDG.EU") return with(read, eu);
  if (name == "LDG.NA" || name == "LDG.NA.CONSTANT") return with(read, na);
  if (name == "LDG.LU") return with(read, lu);
  if (name == "LDG.STRONG.GPU") return with(read, as_others, strong_gpu);
  if (name == "LDG.STRONG.SYS (volatile)") return with(read, as_others, strong_sys);
  if (name == "STG of a word") return store(Opcode::STG, 4, 6, 4, word);
  if (name == "STG.EF" || name == "STG.EF (.cs)") return with(write, ef);
  if (name == "STG.NA") return with(write, na);
  if (name.starts_with("STG")) return write;
  if (name == "RED") {
    FakeOp add = store(Opcode::RED, 4, 6, 4, row);
    add.access = traces::MemoryAccess::reduction;
    return add;
  }
  return read;
}

TEST(L1Lines, GoAndStayAsTheirOperatorsSay) {
  const MachineSpec spec = device_spec("h200");
  const std::vector<std::uint64_t> lines = one_set(spec.sm.l1);
  Machine machine(spec);
  std::map<std::string, std::pair<unsigned, unsigned>> right;
  unsigned index = 0;
  const nlohmann::json sequences = by_hand("operators_of_the_l1");
  for (const auto& row : sequences["rows"]) {
    if (index++ % 7 != 0) continue;
    const std::string text = row[0], gone = row[1];
    if (text.find("CCTL") != std::string::npos) continue;  // it brings nothing to the L1 (prefetches_test.cpp)
    std::vector<FakeOp> body;
    std::string name, used, with = "LDG";
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word.size() != 1) {
        name += (name.empty() ? "" : " ") + word;
        continue;
      }
      // "STG of a word b": the article is no line.
      if (word == "a" && name == "STG of") {
        name += " a";
        continue;
      }
      if (!name.empty()) with = name;
      FakeOp made = access(name.empty() ? "LDG" : name, lines[static_cast<std::size_t>(word[0] - 'a')]).stall(2);
      if (made.access == traces::MemoryAccess::load) made.writes(0);
      body.push_back(made);
      body.push_back(op(Opcode::NOP).waits(1).stall(15));
      for (unsigned i = 0; i < 60; ++i) body.push_back(op(Opcode::NOP).stall(15));  // 300 cycles on the card: all is done
      name.clear();
      if (used.find(word) == std::string::npos) used += word;
    }
    const auto hits = [&](std::vector<FakeOp> program) {
      program.push_back(exit_op());
      FakeStream stream(std::move(program));
      return machine.run(stream).metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum");
    };
    const double before = hits(body);
    for (const char line : used) {
      std::vector<FakeOp> probed = body;
      probed.push_back(access("LDG", lines[static_cast<std::size_t>(line - 'a')]).writes(0));
      probed.push_back(op(Opcode::NOP).waits(1));
      const bool stays = hits(probed) > before;
      auto& [good, all] = right[with];
      good += stays == (gone.find(line) == std::string::npos) ? 1 : 0;
      ++all;
    }
  }
  ASSERT_GE(right.size(), 17U);
  for (const auto& [operation, counts] : right)
    EXPECT_GE(counts.first, operation == "LDG.EU" ? counts.second - 2 : counts.second) << operation << " of " << counts.second;
}

// A local word, three lines of its set, an access to it, a fourth: LDL.LU lets it go, and a store to it keeps it.
TEST(L1Lines, OfSpilledRegistersGoAfterTheirLastUse) {
  SectorCache cache(1, 64, Victim::unused, {1, 4, 2});
  const auto bring = [&](std::uint64_t line) {
    if (cache.find(line) == SectorCache::none) cache.allocate_over_pending(line);
  };
  for (const bool stored_again : {false, true}) {
    for (const std::uint64_t line : {1, 2, 3, 4}) bring(line);
    cache.let_go_next(cache.find(1));
    if (stored_again) bring(1);
    bring(5);
    EXPECT_EQ(cache.peek(1) != SectorCache::none, stored_again);
    cache.invalidate_all();
  }
}

TEST(L1Lines, OfLocalMemoryStayWhenTheOthersAreInvalidated) {
  SectorCache cache(1, 64, Victim::unused, {8, 4, 2});
  for (const std::uint64_t line : {std::uint64_t{5}, local_lines + 5}) cache.at(cache.allocate_over_pending(line)).valid = 0xf;
  cache.invalidate_all(local_lines);
  EXPECT_EQ(cache.peek(5), SectorCache::none);
  EXPECT_NE(cache.peek(local_lines + 5), SectorCache::none);
  cache.invalidate_all();
  EXPECT_EQ(cache.peek(local_lines + 5), SectorCache::none);
}

}  // namespace
}  // namespace warpgauge::model::test
