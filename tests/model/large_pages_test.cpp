#include "model/large_pages.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpgauge::model::test {
namespace {

struct Piece {
  unsigned char* begin;
  std::size_t bytes;
};

std::vector<Piece> filled_pieces() {
  std::vector<Piece> pieces;
  for (unsigned i = 0; i < 200; ++i) {
    const std::size_t bytes = 1 + std::size_t{i} * i * 75;  // from one to more than a large page
    auto* const begin = static_cast<unsigned char*>(take_large_pages(bytes));
    std::memset(begin, static_cast<int>(i), bytes);
    pieces.push_back({begin, bytes});
  }
  return pieces;
}

void expect_apart_and_give_back(const std::vector<Piece>& pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pieces[i].begin) % 64, 0U);
    EXPECT_EQ(pieces[i].begin[0], i);
    EXPECT_EQ(std::memcmp(pieces[i].begin, pieces[i].begin + 1, pieces[i].bytes - 1), 0);
    give_back_large_pages(pieces[i].begin, pieces[i].bytes);
  }
}

TEST(LargePages, PiecesBeginAtLinesOfTheHostsCachesAndDoNotOverlap) {
  expect_apart_and_give_back(filled_pieces());
}

TEST(LargePages, AProcessWithoutLargePagesGetsPiecesAllTheSame) {
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
  expect_apart_and_give_back(filled_pieces());
  prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

TEST(LargePages, WhatIsGivenBackIsTakenAgain) {
  const auto most_kib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const auto before = most_kib();
  for (unsigned round = 0; round < 1000; ++round) {
    for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{3} << 20}) {
      void* const piece = take_large_pages(bytes);
      std::memset(piece, 1, bytes);
      give_back_large_pages(piece, bytes);
    }
  }
  EXPECT_LT(most_kib() - before, 500 * 1024);
}

}  // namespace
}  // namespace warpgauge::model::test
