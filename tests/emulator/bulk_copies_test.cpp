// Bulk copies: what they leave in memory, what they tell the model, and what stops them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "tests/emulator/device_fixture.h"
#include "traces/emulator/fault.h"
#include "traces/emulator/tensor_map.h"

namespace warpgauge::emulator::testing {
namespace {

struct alignas(64) Map {
  TensorMapWords words;
};

using Kind = traces::BulkCopy::Kind;

class BulkCopies : public ::testing::Test {
 protected:
  BulkCopies() : module(device.load("tests/emulator/data/bulk_copies.sm_90.cubin")) {}

  // Issues a warp at a time, all blocks at once, each on an SM of its own; windows end after so many issues.
  std::vector<traces::BulkCopy> in_windows(const Launch& launch, unsigned window) {
    Emulator emulator(launch);
    const auto blocks = static_cast<unsigned>(launch.grid.count());
    emulator.begin_windows(blocks);
    std::vector<traces::BlockHandle> handles;
    for (unsigned sm = 0; sm < blocks; ++sm) {
      traces::Placement placement;
      placement.sm = sm;
      handles.push_back(emulator.begin_block(sm, placement));
    }
    std::vector<traces::BulkCopy> copies;
    // What has been asked for lands a while later, a copy at a time or all together.
    constexpr std::size_t most_on_their_way = 3;
    constexpr std::uint64_t landing = 64;
    std::vector<std::pair<traces::BlockHandle, std::uint32_t>> on_their_way;
    traces::Issued issued;
    std::uint64_t cycle = 0;
    for (bool left = true; left;) {
      left = false;
      for (const traces::BlockHandle handle : handles) {
        for (unsigned warp = 0; warp < emulator.shape().warps_per_block(); ++warp) {
          const traces::NextInstruction next = emulator.next(handle, warp);
          left = left || next.status != traces::WarpStatus::exited;
          if (next.status != traces::WarpStatus::ready) continue;
          emulator.issue(handle, warp, cycle, issued);
          if (issued.bulk == nullptr) continue;
          copies.push_back(*issued.bulk);
          if (issued.bulk->kind == Kind::load) on_their_way.push_back({handle, issued.bulk->number});
          if (on_their_way.size() > most_on_their_way) {
            emulator.landed(on_their_way.front().first, on_their_way.front().second);
            on_their_way.erase(on_their_way.begin());
          }
        }
      }
      if (++cycle % window == 0) emulator.end_window();
      if (cycle % landing != 0) continue;
      for (const auto& [handle, number] : on_their_way) emulator.landed(handle, number);
      on_their_way.clear();
    }
    emulator.end_window();
    for (const traces::BlockHandle handle : handles) emulator.end_block(handle);
    return copies;
  }

  Device device;
  std::shared_ptr<Module> module;
};

TEST_F(BulkCopies, OfBytesAreSeenByThoseThatFollow) {
  constexpr unsigned blocks = 3;
  std::vector<unsigned> values(std::size_t{blocks} * 256);
  std::iota(values.begin(), values.end(), 5U);
  std::vector<unsigned> wanted = values;
  for (unsigned& value : wanted) value *= 6;
  const DeviceAddress from = device.upload(values);
  for (const unsigned window : {0U, 1U, 7U, 1U << 30}) {
    const DeviceAddress to = device.upload(std::vector<unsigned>(values.size(), 99));
    const DeviceAddress seen = device.upload(std::vector<unsigned>(values.size()));
    const Launch launch = make_launch(module, "through", {blocks}, {256}, from, to, seen);
    std::vector<traces::BulkCopy> copies;
    if (window == 0)
      run(launch);
    else
      copies = in_windows(launch, window);
    EXPECT_EQ(device.download<unsigned>(to, values.size()), wanted) << window;
    EXPECT_EQ(device.download<unsigned>(seen, values.size()), wanted) << window;
    if (window == 0) continue;
    std::map<Kind, unsigned> kinds;
    for (const traces::BulkCopy& copy : copies) {
      ++kinds[copy.kind];
      ASSERT_EQ(copy.rows.size(), 1U);
      EXPECT_EQ(copy.rows[0].bytes, 1024U);
      EXPECT_EQ(copy.bytes, 1024U);
      EXPECT_EQ(copy.blocks, 0U);
      EXPECT_EQ(copy.map, 0U);
    }
    EXPECT_EQ(kinds, (std::map<Kind, unsigned>{
                         {Kind::load, 2 * blocks}, {Kind::store, blocks}, {Kind::reduction, 2 * blocks}}));
  }
}

TEST_F(BulkCopies, TakeLongerThanWhatOtherWarpsDoMeanwhile) {
  constexpr unsigned count = 7;
  std::vector<unsigned> values(std::size_t{count} * 64);
  std::iota(values.begin(), values.end(), 3U);
  std::vector<unsigned> wanted;
  for (unsigned half = 0; half < 2 * count; ++half)
    wanted.push_back(std::accumulate(values.begin() + half * 32, values.begin() + half * 32 + 32, 0U));
  const DeviceAddress from = device.upload(values);
  const DeviceAddress sums = device.upload(std::vector<unsigned>(2 * count));
  const Launch launch = make_launch(module, "tiles_ahead", {1}, {64}, from, count, sums);
  run(launch);
  EXPECT_EQ(device.download<unsigned>(sums, 2 * count), wanted);
  in_windows(launch, 1);
  EXPECT_EQ(device.download<unsigned>(sums, 2 * count), wanted);
}

TEST_F(BulkCopies, AreThereOnceTheyHaveLanded) {
  const DeviceAddress from = device.upload(std::vector<unsigned>(64, 5));
  const DeviceAddress sums = device.upload(std::vector<unsigned>(2));
  Emulator emulator(make_launch(module, "tiles_ahead", {1}, {64}, from, 1U, sums));
  const traces::BlockHandle block = emulator.begin_block(0, {});
  traces::Issued issued;
  std::uint32_t copy = 0;
  // Both warps until they stand at the object.
  std::array<bool, 2> stands{};
  for (unsigned cycle = 0; !stands[0] || !stands[1]; ++cycle) {
    ASSERT_LT(cycle, 1000U);
    const unsigned warp = cycle % 2;
    if (stands[warp] || emulator.next(block, warp).status != traces::WarpStatus::ready) continue;
    emulator.issue(block, warp, cycle, issued);
    if (issued.bulk != nullptr) copy = issued.bulk->number;
    stands[warp] = issued.object == traces::Issued::Object::phase_lasts;
    ASSERT_NE(issued.object, traces::Issued::Object::phase_ended);
  }
  EXPECT_FALSE(emulator.phase_has_ended(block, 0));
  emulator.landed(block, copy + 1);
  EXPECT_FALSE(emulator.phase_has_ended(block, 0)) << "another copy";
  emulator.landed(block, copy);
  EXPECT_TRUE(emulator.phase_has_ended(block, 0));
  EXPECT_TRUE(emulator.phase_has_ended(block, 1));
  for (unsigned cycle = 0; cycle < 2000; ++cycle)
    if (emulator.next(block, cycle % 2).status == traces::WarpStatus::ready)
      emulator.issue(block, cycle % 2, 1000 + cycle, issued);
  emulator.end_block(block);
  EXPECT_EQ(device.download<unsigned>(sums, 2), (std::vector<unsigned>{160, 160}));
}

TEST_F(BulkCopies, AndOthersNameTheirOwnBlockByItsRank) {
  std::vector<unsigned> values(128);
  std::iota(values.begin(), values.end(), 9U);
  const DeviceAddress from = device.upload(values);
  const DeviceAddress to = device.upload(std::vector<unsigned>(128));
  run(make_launch(module, "copied_by_rank", {4}, {32}, from, to));
  std::vector<unsigned> wanted = values;
  for (unsigned block = 0; block < 4; ++block)
    std::reverse(wanted.begin() + block * 32, wanted.begin() + block * 32 + 32);
  EXPECT_EQ(device.download<unsigned>(to, 128), wanted);
}

TEST_F(BulkCopies, AsideGenericAdditionsOfFloatsInSharedMemoryAreNotedForTheModel) {
  const DeviceAddress to = device.upload(std::vector<float>(1));
  const Launch launch = make_launch(module, "generic_additions", {1}, {32}, to);
  run(launch);
  EXPECT_EQ(device.download<float>(to, 1), std::vector<float>{32});
  Emulator emulator(launch);
  const traces::BlockHandle block = emulator.begin_block(0, {});
  traces::Issued issued;
  unsigned seen = 0;
  for (unsigned cycle = 0; cycle < 10'000; ++cycle) {
    const traces::NextInstruction next = emulator.next(block, 0);
    if (next.status != traces::WarpStatus::ready) break;
    emulator.issue(block, 0, cycle, issued);
    if (emulator.code()[next.index].opcode != sass::Opcode::ATOM || issued.executed_mask == 0) continue;
    ++seen;
    EXPECT_EQ(issued.space, traces::MemorySpace::shared) << "even one that does nothing but say so";
    EXPECT_NE(issued.addresses, nullptr);
  }
  EXPECT_GE(seen, 1U);
  emulator.end_block(block);
}

TEST_F(BulkCopies, OfBoxesFillWhatLiesOutsideWithZerosAndStoreWholePieces) {
  // 6 by 8 words, in rows of 8.
  std::vector<unsigned> memory(64);
  std::iota(memory.begin(), memory.end(), 100U);
  TensorMap map;
  map.type = TensorMap::Type::u32;
  map.rank = 2;
  map.sizes = {6, 8};
  map.strides = {32};
  map.box = {4, 3};
  map.steps = {1, 1};
  for (const unsigned window : {0U, 5U}) {
    map.address = device.upload(memory);
    const DeviceAddress out = device.upload(std::vector<unsigned>(12));
    const Launch launch = make_launch(module, "box", {1}, {32}, Map{encode(map)}, 4, -1, out);
    std::vector<traces::BulkCopy> copies;
    if (window == 0)
      run(launch);
    else
      copies = in_windows(launch, window);
    EXPECT_EQ(device.download<unsigned>(out, 12),
              (std::vector<unsigned>{0, 0, 0, 0, 104, 105, 0, 0, 112, 113, 0, 0}));
    std::vector<unsigned> wanted = memory;
    // Pieces of 16 bytes that begin inside are stored to their ends, as an H200 does.
    for (unsigned row = 2; row < 5; ++row)
      for (unsigned column = 4; column < 8; ++column)
        wanted[row * 8 + column] = row == 2 || column > 5 ? 1U : memory[(row - 3) * 8 + column] + 1;
    EXPECT_EQ(device.download<unsigned>(map.address, 64), wanted);
    if (window == 0) continue;
    ASSERT_EQ(copies.size(), 2U);
    EXPECT_EQ(copies[0].kind, Kind::load);
    EXPECT_NE(copies[0].map, 0U);
    EXPECT_EQ(copies[0].bytes, 48U);
    ASSERT_EQ(copies[0].rows.size(), 2U);
    EXPECT_EQ(copies[0].rows[0].address, map.address + 16);
    EXPECT_EQ(copies[0].rows[0].bytes, 8U);
    EXPECT_EQ(copies[1].kind, Kind::store);
    EXPECT_EQ(copies[1].rows.size(), 3U);
    EXPECT_EQ(copies[1].rows[2].address, map.address + 4 * 32 + 16);
  }
}

TEST_F(BulkCopies, OfWholeRowsThatTouchAreOneRow) {
  TensorMap map;
  map.type = TensorMap::Type::u32;
  map.rank = 2;
  map.sizes = {4, 8};
  map.strides = {16};
  map.box = {4, 3};
  map.steps = {1, 1};
  map.address = device.upload(std::vector<unsigned>(32, 7));
  const DeviceAddress out = device.upload(std::vector<unsigned>(12));
  const auto copies = in_windows(make_launch(module, "box", {1}, {32}, Map{encode(map)}, 0, 0, out), 5);
  ASSERT_EQ(copies.size(), 2U);
  ASSERT_EQ(copies[0].rows.size(), 1U);
  EXPECT_EQ(copies[0].rows[0].bytes, 48U);
}

TEST_F(BulkCopies, FindTheMapAmongParametersThatHaveAnAddress) {
  std::array<unsigned, 40> many{};
  std::iota(many.begin(), many.end(), 1000U);
  const DeviceAddress out = device.upload(std::vector<unsigned>(40));
  run(make_launch(module, "parameter", {1}, {40}, many, out));
  EXPECT_EQ(device.download<unsigned>(out, 40), std::vector<unsigned>(many.begin(), many.end()));
}

TEST_F(BulkCopies, StopWhereNothingIsAtAnAddress) {
  const DeviceAddress from = device.upload(std::vector<unsigned>(64));
  const auto fault = [&](DeviceAddress address, unsigned offset, unsigned bytes) {
    try {
      run(make_launch(module, "astray", {1}, {1}, address, offset, bytes));
    } catch (const Fault& found) {
      return found.kind();
    }
    return FaultKind::trap;
  };
  EXPECT_EQ(fault(from, 0, 256), FaultKind::trap);
  EXPECT_EQ(fault(from, 0, 272), FaultKind::illegal_address);
  EXPECT_EQ(fault(from + 8, 0, 16), FaultKind::misaligned_address);
  EXPECT_EQ(fault(from, 8, 16), FaultKind::misaligned_address);
  EXPECT_EQ(fault(from, 1U << 20, 16), FaultKind::shared_out_of_range);
  EXPECT_EQ(fault(from, 1U << 24, 16), FaultKind::illegal_address);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
