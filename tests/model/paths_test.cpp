// How many paths of a warp are at hand (docs/h200.md, nested_branches: ifs nested on an H200).
#include <gtest/gtest.h>

#include "model/sm/paths.h"

namespace warpgauge::model {
namespace {

// A branch whose two sides part again, and so on: each side runs to its end before the other begins. Returns how often a
// path had to go away.
unsigned nest(Paths& paths, unsigned levels, unsigned held) {
  if (levels == 0) return 0;
  unsigned away = paths.part(held) ? 1 : 0;
  away += nest(paths, levels - 1, held);
  paths.leave();  // the first side waits at the BSYNC
  return away + nest(paths, levels - 1, held);
}

TEST(PathsTest, TwoSidesAreAtHand) {
  Paths paths;
  EXPECT_EQ(nest(paths, 1, 2), 0U);
}

TEST(PathsTest, AThirdPathMakesOneGoAwayAndComeBack) {
  Paths paths;
  EXPECT_EQ(nest(paths, 2, 2), 1U);
}

TEST(PathsTest, ThreeLevelsMakeThreeGoAway) {
  Paths paths;
  EXPECT_EQ(nest(paths, 3, 2), 3U);
}

TEST(PathsTest, ItIsSoAgainTheNextTime) {
  Paths paths;
  for (int turn = 0; turn < 100; ++turn) EXPECT_EQ(nest(paths, 3, 2), 3U);
}

TEST(PathsTest, WithRoomForThreeOneLevelMoreIsFree) {
  Paths paths;
  EXPECT_EQ(nest(paths, 2, 3), 0U);
  EXPECT_EQ(nest(paths, 3, 3), 1U);
}

TEST(PathsTest, WhereAllAreHeldNoneGoesAway) {
  Paths paths;
  EXPECT_EQ(nest(paths, 5, 0), 0U);
}

TEST(PathsTest, OneThatStandsBackLeavesThePlaceOfAThird) {
  Paths paths;
  paths.together(0xffffffff);
  EXPECT_FALSE(paths.part(2));
  EXPECT_TRUE(paths.stand_back(0xff, 0xffffff00)) << "the other side is at hand";
  EXPECT_FALSE(paths.part(2));
  EXPECT_TRUE(paths.stand_back(0xff00, 0xffff0000));
  EXPECT_FALSE(paths.stand_back(0xffff0000, 0xff)) << "who has stood back is not";
}

TEST(PathsTest, WhoStoodBackComesBackOnce) {
  Paths paths;
  paths.together(0xff);
  EXPECT_FALSE(paths.any_back());
  paths.part(2);
  paths.stand_back(0xf, 0xf0);
  EXPECT_TRUE(paths.any_back());
  EXPECT_TRUE(paths.comes_back(0xf));
  EXPECT_FALSE(paths.comes_back(0xf));
}

TEST(PathsTest, AllLanesTogetherAreOnePathWhereverTheyMet) {
  Paths paths;
  for (int turn = 0; turn < 4; ++turn) {
    paths.together(0xff);
    EXPECT_FALSE(paths.part(2)) << turn;
  }
  paths.together(0xf);  // of whom the others have not exited
  EXPECT_TRUE(paths.part(2));
  paths.exited(0xf0);
  paths.together(0xf);
  EXPECT_FALSE(paths.part(2));
}

TEST(MeetingPlacesTest, LanesThatMetInOnePlaceStayTogether) {
  MeetingPlaces places;
  places.meet();
  EXPECT_EQ(places.end(0xff), 0U);
  EXPECT_FALSE(places.apart());
  EXPECT_EQ(places.end(0xff00), 0U);
}

TEST(MeetingPlacesTest, EachFurtherPlaceIsGoneBackTo) {
  MeetingPlaces places;
  for (int path = 0; path < 3; ++path) places.meet();
  EXPECT_EQ(places.end(0xffffffff), 2U);
  places.together(0xffff);
  EXPECT_TRUE(places.apart());
  places.together(0xffffffff);
  EXPECT_FALSE(places.apart());
}

TEST(MeetingPlacesTest, LanesThatHaveLeftAreNotMissed) {
  MeetingPlaces places;
  for (int path = 0; path < 2; ++path) places.meet();
  EXPECT_EQ(places.end(0xff), 1U);
  places.exited(0xf0);
  places.together(0x0f);
  EXPECT_FALSE(places.apart());
}

}  // namespace
}  // namespace warpgauge::model
