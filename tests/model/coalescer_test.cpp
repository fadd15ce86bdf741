// From the addresses of a warp's lanes to lines, sectors, turns of the tags and passes over banks.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/sm/coalescer.h"
#include "tests/model/by_hand.h"
#include "tests/model/lanes.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

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
    const unsigned pieces = split_copy(from.data(), to.data(), ~0U, 128, 32, lines, c);
    EXPECT_EQ(pieces, c.lines == whole ? 0 : row_lanes / 2 + 1);
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

// Lines of an atomic by how its lanes lie: each alone on its sector, or several on words of one.
std::uint32_t padded(std::initializer_list<bool> alone) {
  std::array<LineAccess, max_lines_per_access> lines{};
  unsigned count = 0;
  for (const bool one : alone) lines[count++] = {count, 1, static_cast<std::uint8_t>(one ? 1 : 3), 1, 1, 1};
  return padded_lines(lines, count);
}

// On an H200 a lane beside lines with several takes what they take, one beside another like it half of that (by_hand_h200.json,
// accesses_by_sectors).
TEST(PaddedLines, AreTheLastOfAnOddNumberOfLonelyLanesBeforeALineWithSeveral) {
  EXPECT_EQ(padded({true, false}), 1U);
  EXPECT_EQ(padded({true, false, true, false}), 0b101U);
  EXPECT_EQ(padded({true, true, false}), 0U);
  EXPECT_EQ(padded({true, true, true, false}), 0b100U);
  EXPECT_EQ(padded({false, true, true}), 0U);
  EXPECT_EQ(padded({true, true, true}), 0U) << "the next instruction's follow";
  EXPECT_EQ(padded({}), 0U);
}

}  // namespace
}  // namespace warpgauge::model::test
