// Several launches on one chip: who waits for whom, who shares what, and that the outcome is always the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/concurrent.h"
#include "model/report/render.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using After = ConcurrentRun::After;
using Id = ConcurrentRun::Id;

// A loop over eight instructions with `stall`, `length` of them altogether.
std::vector<FakeOp> loop(unsigned length, unsigned stall) {
  std::vector<FakeOp> body;
  for (int i = 0; i < 7; ++i) body.push_back(ffma(10 + i, 2, 4, 6).stall(stall));
  body.push_back(branch_to(0, length / 8 - 1).stall(5));
  body.push_back(exit_op());
  return body;
}

// As long for one warp as for the few that a scheduler can hide behind it.
std::vector<FakeOp> chain(unsigned length) {
  return loop(length, 4);
}

struct Grid {
  std::uint32_t blocks = 1;
  std::uint32_t threads = 32;
  std::uint32_t shared = 0;
};

std::unique_ptr<traces::WarpStream> kernel(const std::vector<FakeOp>& body, const Grid& grid) {
  auto stream = std::make_unique<FakeStream>(body);
  stream->launch(grid.blocks, grid.threads);
  stream->mutable_shape().static_shared_bytes = grid.shared;
  return stream;
}

class Concurrent : public testing::Test {
 protected:
  Id add(const std::vector<FakeOp>& body, const Grid& grid, std::vector<After> after = {}, int priority = 0) {
    ConcurrentRun::Launch launch;
    launch.make = [body, grid] { return kernel(body, grid); };
    launch.priority = priority;
    launch.stream = std::to_string(reports_.size() + 1);
    const std::size_t place = reports_.size();
    reports_.emplace_back();
    launch.ended = [this, place](const KernelReport& report) { reports_[place] = report; };
    return run().add_launch(std::move(launch), std::move(after));
  }
  ConcurrentRun& run() {
    if (!run_) run_.emplace(machine_, ConcurrentRun::Options{});
    return *run_;
  }
  // Of the launch that was added as `place`.
  std::uint64_t start(std::size_t place) const { return reports_[place].span->start; }
  std::uint64_t end(std::size_t place) const { return reports_[place].span->end; }
  std::uint64_t alone(const std::vector<FakeOp>& body, const Grid& grid) const {
    return machine_.run(*kernel(body, grid)).cycles;
  }

  static MachineSpec with_places(unsigned launches) {
    MachineSpec spec = device_spec("h200");
    spec.launch.max_running = launches;
    return spec;
  }

  Machine machine_{with_places(6)};
  std::optional<ConcurrentRun> run_;
  std::vector<KernelReport> reports_;
};

constexpr unsigned sms = 132;

TEST_F(Concurrent, ALaunchBesideNoneIsWhatItIsAlone) {
  add(chain(500), {200, 256});
  run().finish();
  const KernelReport same = machine_.run(*kernel(chain(500), {200, 256}));
  EXPECT_EQ(reports_[0].cycles, same.cycles);
  EXPECT_EQ(reports_[0].stalls, same.stalls);
  EXPECT_EQ(start(0), 0U);
  EXPECT_EQ(end(0), same.cycles);
  EXPECT_EQ(reports_[0].metrics.at("smsp__inst_executed.sum"), same.metrics.at("smsp__inst_executed.sum"));
  EXPECT_EQ(reports_[0].metrics.at("sm__cycles_active.avg"), same.metrics.at("sm__cycles_active.avg"));
}

TEST_F(Concurrent, TwoThatFillHalfOfTheSmsEachTakeAsLongAsOne) {
  const std::vector<FakeOp> body = chain(1000);
  add(body, {sms / 2, 256});
  add(body, {sms / 2, 256});
  run().finish();
  const std::uint64_t one = alone(body, {sms / 2, 256});
  EXPECT_EQ(reports_[0].cycles, one);
  EXPECT_EQ(start(1), machine_.spec().launch.launch_interval);
  // What the second waits for is the launch before it, and the way to its SMs: no cycle of them is shared.
  EXPECT_LT(end(1), one + machine_.spec().launch.launch_interval + 50);
}

TEST_F(Concurrent, TheBlocksOfAFullOneGoFirst) {
  const std::vector<FakeOp> body = chain(320);
  const Grid full{sms * 8, 256};
  add(body, full);
  add(body, full);
  run().finish();
  const std::uint64_t one = alone(body, full);
  // Its last blocks share SMs with the next launch's first.
  EXPECT_LT(reports_[0].cycles, one * 11 / 10);
  // The second has the room when the first one's blocks end, so that only beginning and end overlap.
  const std::uint64_t overheads = machine_.spec().launch.begin_overhead + machine_.spec().launch.end_overhead;
  EXPECT_GT(end(1), 2 * (one - overheads));
  EXPECT_LT(end(1), 2 * one);
}

// H200: a launch of one priority waits for the last block of the one before, even where it would fit.
TEST_F(Concurrent, RoomThatOnlyALaterLaunchFitsIntoStaysEmptyUntilItsTurn) {
  const std::vector<FakeOp> body = chain(1000);
  add(body, {2 * sms, 128, 200 << 10});  // one block an SM, twice
  add(body, {10, 128});
  run().finish();
  const std::uint64_t one_wave = alone(body, {sms, 128, 200 << 10});
  const std::uint64_t overheads = machine_.spec().launch.begin_overhead + machine_.spec().launch.end_overhead;
  EXPECT_GT(end(1) - overheads, 2 * (one_wave - overheads));
}

TEST_F(Concurrent, AHigherPriorityTakesThatRoomAtOnceAndOvertakesBlocksThatWait) {
  const std::vector<FakeOp> body = chain(1000);
  add(body, {2 * sms, 128, 200 << 10});
  add(body, {10, 128}, {}, -5);
  run().finish();
  EXPECT_LT(end(1), alone(body, {10, 128}) * 5 / 4);

  run_.reset();
  reports_.clear();
  const std::vector<FakeOp> brief = chain(240);
  add(brief, {sms * 8 * 3, 256});
  add(brief, {sms, 256}, {}, -1);
  run().finish();
  const std::uint64_t three = alone(brief, {sms * 8 * 3, 256});
  EXPECT_GT(end(0), three);
  EXPECT_LT(end(1), three * 3 / 4);
}

// H200: a launch that needs more shared memory than an SM is divided to does not share it.
TEST_F(Concurrent, AnSmThatIsDividedOtherwiseIsNotShared) {
  const std::vector<FakeOp> body = chain(1000);
  const std::uint64_t one = alone(body, {sms, 128});
  const std::uint64_t overheads = machine_.spec().launch.begin_overhead + machine_.spec().launch.end_overhead;
  add(body, {sms, 128});
  add(body, {sms, 128, 100 << 10});
  run().finish();
  EXPECT_GT(end(1) - overheads, 2 * (one - overheads));

  run_.reset();
  reports_.clear();
  add(body, {sms, 128, 100 << 10});
  add(body, {sms, 128});
  run().finish();
  EXPECT_LT(end(1) - overheads, 3 * (one - overheads) / 2);
}

TEST_F(Concurrent, ALaunchBeginsWhenWhatItWaitsForHasEnded) {
  const Id first = add(chain(1000), {4, 64});
  const Id event = run().add_action({}, {{first}});
  add(chain(1000), {4, 64}, {{event}});
  run().finish();
  EXPECT_EQ(run().end(event), end(0));
  EXPECT_EQ(start(1), end(0) + machine_.spec().launch.launch_interval) << "taken up as one more launch";
  // The second finds its code in the caches.
  EXPECT_LE(reports_[1].cycles, reports_[0].cycles);
}

TEST_F(Concurrent, InAGraphWhatComesBeforeTheFirstInstructionIsHidden) {
  const auto pair = [&](bool in_graph) {
    run_.reset();
    reports_.clear();
    const Id first = add(chain(1000), {4, 64});
    add(chain(1000), {4, 64}, {{first, in_graph}});
    run().finish();
    return end(1);
  };
  const LaunchSpec& launch = machine_.spec().launch;
  EXPECT_EQ(pair(false) - pair(true), launch.begin_overhead + launch.launch_interval - launch.graph_edge);
}

TEST_F(Concurrent, ActionsSeeWhatIsBeforeThemDoneAndNothingBehindThemBegun) {
  std::vector<int> order;
  ConcurrentRun::Launch launch;
  launch.make = [&] {
    order.push_back(1);
    return kernel(chain(10), {});
  };
  launch.ended = [&](const KernelReport&) { order.push_back(2); };
  const Id before = run().add_action([&] { order.push_back(0); }, {});
  const Id id = run().add_launch(launch, {{before}});
  run().add_action([&] { order.push_back(3); }, {{id}});
  EXPECT_TRUE(order.empty());
  run().finish();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(Concurrent, WhoWaitsForOneTaskLeavesTheOthersUnderWay) {
  const Id brief = add(chain(100), {1, 32});
  const Id lasting = add(chain(20000), {1, 32});
  run().finish(brief);
  EXPECT_TRUE(run().has_ended(brief));
  EXPECT_FALSE(run().has_ended(lasting));
  add(chain(100), {1, 32});
  run().finish();
  EXPECT_GE(start(2), end(0));
  EXPECT_LT(end(2), end(1));
}

TEST_F(Concurrent, MoreLaunchesThanTheDeviceRunsAtATimeWaitForOthers) {
  const unsigned most = machine_.spec().launch.max_running;
  for (unsigned i = 0; i <= most; ++i) add(chain(8000), {1, 32});
  run().finish();
  std::vector<std::uint64_t> ends;
  for (unsigned i = 0; i < most; ++i) ends.push_back(end(i));
  const LaunchSpec& launch = machine_.spec().launch;
  const std::uint64_t first_end = *std::min_element(ends.begin(), ends.end());
  EXPECT_GE(start(most) + launch.begin_overhead, first_end);
  EXPECT_LE(start(most), first_end);
  EXPECT_LT(start(most - 1), ends[0]);
}

// A kernel that fills the schedulers leaves one that begins later what it does not issue.
TEST_F(Concurrent, WarpsOfTheLaunchThatBeganEarlierIssueFirst) {
  const std::vector<FakeOp> body = loop(800, 1);
  const Grid half{sms * 2, 512};
  add(body, half);
  add(body, half);
  run().finish();
  const std::uint64_t one = alone(body, half);
  EXPECT_LT(reports_[0].cycles, one * 5 / 4);
  EXPECT_GT(end(1), one * 7 / 4);
}

TEST_F(Concurrent, TheReportsAreTheSameEveryTimeAndForTwoThreads) {
  const AddressOf lines = [](const Where& w) {
    return 0x40000000ULL + (w.block * 7 + w.warp + w.iteration) * 512 + 16ULL * w.lane;
  };
  std::vector<FakeOp> body = chain(40);
  body.insert(body.begin(), load(sass::Opcode::LDG, 8, 4, 16, lines).stall(2).writes(0));
  body.insert(body.begin() + 1, op(sass::Opcode::MUFU, 30, {8}).waits(1).stall(2).writes(2));
  std::string first;
  for (const unsigned threads : {1U, 2U, 1U}) {
    reports_.clear();
    run_.emplace(machine_, ConcurrentRun::Options{threads, nullptr});
    for (unsigned i = 0; i < 4; ++i) add(body, {100 + 50 * i, 64 + 32 * i});
    run().finish();
    Report report;
    report.kernels = reports_;
    const std::string text = to_json(report) + to_text(report);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
  }
}

TEST_F(Concurrent, AFaultLeavesTheTaskEnded) {
  const Id faulty = run().add_action([] { throw std::runtime_error("no"); }, {});
  EXPECT_THROW(run().finish(), std::runtime_error);
  EXPECT_TRUE(run().has_ended(faulty));
  const Id too_large = add(chain(10), {1, 128, 300 << 10});
  EXPECT_THROW(run().finish(too_large), MachineError);
  EXPECT_TRUE(run().has_ended(too_large));
}

}  // namespace
}  // namespace warpgauge::model::test
