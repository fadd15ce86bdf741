#include "traces/sass/architecture.h"

#include <gtest/gtest.h>

namespace warpgauge::sass {
namespace {

TEST(Architecture, EveryNameParsesBackToItself) {
  for (const Architecture a : all_architectures) EXPECT_EQ(parse_architecture(name(a)), a);
}

TEST(Architecture, AnUnknownOneIsRefused) {
  EXPECT_EQ(parse_architecture("sm_60"), std::nullopt);
  EXPECT_EQ(parse_architecture("sm_90a"), std::nullopt);
  EXPECT_EQ(parse_architecture(""), std::nullopt);
}

}  // namespace
}  // namespace warpgauge::sass
