// What the texture units take of a fetch: passes over the tags and the data, the filter, the way back.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "model/sm/decoded.h"
#include "model/sm/queued_op.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using Way = traces::TexelAccess::Way;

class TextureUnits : public ::testing::Test {
 protected:
  // One request for these bytes.
  void ask(const std::vector<std::uint64_t>& addresses) {
    for (const std::uint64_t address : addresses) texels.pieces[end++] = address / 16 * 16;
    texels.ends[texels.requests++] = end;
  }
  const QueuedOp& made() {
    StaticOp op;
    op.kind = Kind::texture;
    op.queued = QueuedKind::data;
    traces::Issued issued;
    issued.space = traces::MemorySpace::texture;
    issued.access = traces::MemoryAccess::load;
    issued.executed_mask = 0xffffffffU;
    issued.texels = &texels;
    make_queued(entry, sm, op, issued, {});
    return entry;
  }
  void begin(Way way) {
    texels.way = way;
    texels.requests = 0;
    texels.filter_cycles = texels.return_cycles = 1;
    end = 0;
  }
  // The same request from all groups of lanes, each so many bytes behind the one before.
  void ask_all(unsigned requests, std::uint64_t distance, const std::vector<std::uint64_t>& addresses) {
    for (unsigned r = 0; r < requests; ++r) {
      std::vector<std::uint64_t> moved;
      for (const std::uint64_t address : addresses) moved.push_back(address + r * distance);
      ask(moved);
    }
  }

  SmSpec sm = one_sm("h200").sm;
  traces::TexelAccess texels;
  std::uint16_t end = 0;
  QueuedOp entry;
};

// by_hand_h200.json, textures_that_hit: 4.2 cycles of the card.
TEST_F(TextureUnits, TexelsOfARowByNumberTakeACycleForEachEightLanes) {
  begin(Way::texel);
  ask_all(4, 32, {0, 16});
  EXPECT_EQ(made().passes, 4U);
  EXPECT_EQ(entry.line_count, 1U);
  EXPECT_EQ(entry.sector_count, 4U);
  EXPECT_EQ(entry.raw, sm.texture.texel_latency + 3 * sm.texture.request_interval);
}

// 32.9 cycles of the card, and of every fourth word of a row 8.3.
TEST_F(TextureUnits, TexelsOfOneBankTakeTurnsAndSoDoMoreThanFourPieces) {
  begin(Way::texel);
  std::vector<std::uint64_t> column, fourth;
  for (std::uint64_t lane = 0; lane < 8; ++lane) {
    column.push_back(lane * 128);
    fourth.push_back(lane * 16);
  }
  ask_all(4, 1024, column);
  EXPECT_EQ(made().passes, 32U);
  EXPECT_EQ(entry.line_count, 32U);
  begin(Way::texel);
  ask_all(4, 128, fourth);
  EXPECT_EQ(made().passes, 8U);
  EXPECT_EQ(entry.raw, sm.texture.texel_latency + 3 * sm.texture.request_interval + 4);
}

// Lines at a distance of 512 bytes are in one bank of the texture units' tags: 28.5 cycles of the card for 32 lines.
TEST_F(TextureUnits, LinesOfOneBankOfTheTagsTakeTurns) {
  begin(Way::texel);
  ask_all(8, 2048, {0, 512 + 16, 1024 + 32, 1536 + 48});
  EXPECT_EQ(made().passes, 32U);
}

// 8.2 cycles of the card; four-channel floats 16.4, weighted 32.8; volumes of floats 17.
TEST_F(TextureUnits, QuadsTakeACycleOrWhatTheFilterAndTheWayBackTake) {
  begin(Way::nearest);
  ask_all(8, 16, {0});
  EXPECT_EQ(made().passes, 8U);
  EXPECT_EQ(entry.raw, sm.texture.nearest_latency + 7 * sm.texture.request_interval);
  texels.return_cycles = 2;
  EXPECT_EQ(made().passes, 16U);
  texels.filter_cycles = 4;
  texels.way = Way::linear;
  EXPECT_EQ(made().passes, 32U);
  EXPECT_EQ(entry.raw, sm.texture.linear_latency + 7 * sm.texture.request_interval + 24);
}

TEST_F(TextureUnits, EachRequestCountsItsSectorsAndTheirLineIsAskedForOnce) {
  begin(Way::linear);
  ask_all(8, 0, {0, 16, 64});
  EXPECT_EQ(made().texture_requests, 8U);
  EXPECT_EQ(entry.texture_sectors, 16U);
  EXPECT_EQ(entry.line_count, 1U);
  EXPECT_EQ(entry.sector_count, 2U);
  EXPECT_EQ(entry.lines[0].sectors, 0b101);
}

TEST_F(TextureUnits, AFetchThatReadsNothingAsksNoTags) {
  StaticOp op;
  op.kind = Kind::texture;
  op.queued = QueuedKind::data;
  make_queued(entry, sm, op, traces::Issued{}, {});
  EXPECT_EQ(entry.kind, QueuedKind::simple);
}

}  // namespace
}  // namespace warpgauge::model::test
