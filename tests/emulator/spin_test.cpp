// ATOMS.CAST.SPIN, with which compilers add floats in shared memory: what it tries at a time.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "traces/emulator/effects.h"
#include "traces/emulator/memory_access.h"

namespace warpgauge::emulator {
namespace {

class Spin : public ::testing::Test {
 protected:
  // Lanes whose swap of what is there for their own number took place.
  std::uint32_t tried(AtomicType type) {
    MicroOp op;
    op.mode = static_cast<std::uint8_t>(AtomicFunction::compare_and_swap);
    op.mode2 = static_cast<std::uint8_t>(type);
    op.mode3 = 1;
    op.extra = atomic_returns | atomic_success | atomic_spin;
    std::array<std::uint32_t, 2 * lanes> expected{}, fresh{}, result{};
    result.fill(7);
    for (unsigned i = 0; i < lanes; ++i) fresh[i] = i + 1;
    update_cells(op, ~0U, addresses.data(), {expected.data(), fresh.data(), result.data()},
                 reinterpret_cast<std::byte*>(shared.data()), 0, true);
    std::uint32_t done = 0;
    for (unsigned i = 0; i < lanes; ++i) {
      EXPECT_LE(result[i], 1U) << "lane " << i;
      done |= result[i] << i;
    }
    return done;
  }

  std::array<std::uint64_t, lanes> addresses{};
  std::array<std::uint32_t, 1024> shared{};
};

TEST_F(Spin, OfLanesOnOneWordOneIsTried) {
  EXPECT_EQ(tried(AtomicType::u32), 1U);
  EXPECT_EQ(shared[0], 1U);
}

TEST_F(Spin, LanesOnWordsOfTheirOwnBanksAreAllTried) {
  for (unsigned i = 0; i < lanes; ++i) addresses[i] = 4 * i;
  EXPECT_EQ(tried(AtomicType::u32), ~0U);
}

TEST_F(Spin, OfLanesOnTwoWordsOfABankOneIsTried) {
  for (unsigned i = 0; i < lanes; ++i) addresses[i] = 4 * (i % 16) + 128 * (i / 16);
  EXPECT_EQ(tried(AtomicType::u32), 0xffffU);
  EXPECT_EQ(shared[32], 0U) << "the second word of the bank";
}

TEST_F(Spin, OfLanesOnOneDoubleOneIsTried) {
  addresses.fill(64);
  EXPECT_EQ(tried(AtomicType::u64), 1U);
}

}  // namespace
}  // namespace warpgauge::emulator
