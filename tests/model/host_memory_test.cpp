// Memory of the host's, and functions of the driver that use it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/model/by_hand.h"
#include "tests/model/memory_requests.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

MemorySpec with_bus() {
  MemorySpec spec = small();
  spec.bus = small_bus();
  return spec;
}

// Lines 100 to 199 are the host's.
constexpr traces::AddressRange host_bytes{100 * 128, 200 * 128};

TEST(HostMemory, TheL2KeepsNothingOfIt) {
  MemorySystem memory(with_bus());
  memory.map_host({&host_bytes, 1});
  EXPECT_EQ(serve(memory, {request(10, 100)})[0].at, 10 + 200 + 2000U);
  EXPECT_EQ(serve(memory, {request(10'000, 100)})[0].at, 10'000 + 200 + 2000U);
  EXPECT_EQ(memory.counters().l2_sectors, 8U);
  EXPECT_EQ(memory.counters().l2_hit_sectors, 0U);
  EXPECT_EQ(memory.counters().dram_read_bytes, 0U);
}

TEST(HostMemory, LinesBesideItAreTheDevices) {
  MemorySystem memory(with_bus());
  memory.map_host({&host_bytes, 1});
  EXPECT_EQ(serve(memory, {request(10, 99)})[0].at, 10 + 200 + 300U);
  EXPECT_EQ(serve(memory, {request(10'000, 200)})[0].at, 10'000 + 200 + 300U);
  EXPECT_EQ(serve(memory, {request(20'000, 199)})[0].at, 20'000 + 200 + 2000U);
}

TEST(HostMemory, IsAsTheDevicesWhereNoBusIsKnown) {
  MemorySystem memory(small());
  memory.map_host({&host_bytes, 1});
  EXPECT_EQ(serve(memory, {request(10, 100)})[0].at, 10 + 200 + 300U);
}

TEST(HostMemory, ReductionsAreAcknowledgedAtOnceAndAtomicsWhenTheyAreBack) {
  MemorySystem memory(with_bus());
  memory.map_host({&host_bytes, 1});
  EXPECT_EQ(serve(memory, {request(10, 100, RequestKind::reduction)})[0].at, 10 + 200U);
  EXPECT_EQ(memory.bus_drained(), 10 + 1500U);
  EXPECT_EQ(serve(memory, {request(20, 100, RequestKind::atomic)})[0].at, 200 + 10 + 2 * 1500U);
}

// What a launch of one block takes whose lanes do this and end.
Cycle launch(const MachineSpec& spec, std::vector<FakeOp> body, std::vector<traces::AddressRange> host = {}, unsigned blocks = 1,
             unsigned threads = 32) {
  body.push_back(exit_op().waits(0x3f));
  FakeStream stream(std::move(body));
  stream.launch(blocks, threads);
  stream.mutable_shape().host_memory = std::move(host);
  return Machine(spec).run(stream).cycles;
}

constexpr std::uint64_t buffer = std::uint64_t{1} << 40;
std::uint64_t of_thread(const Where& where) { return buffer + where.block * 1024 + where.warp * 128 + where.lane * 4; }

// by_hand_h200.json, "host_kernels": the sum of two arrays of 32 words takes an H200 1,400 to 1,700 cycles more where they are the host's.
TEST(HostMemory, ALoadOfItTakesAsMuchMoreAsItsWayOverTheBus) {
  const MachineSpec spec = device_spec("h200");
  const std::vector<FakeOp> body{load(sass::Opcode::LDG, 4, 2, 4, of_thread).writes(0).stall(2)};
  const Cycle device = launch(spec, body);
  const Cycle host = launch(spec, body, {{buffer, buffer + 4096}});
  EXPECT_NEAR(static_cast<double>(host - device), 1780, 100);
}

TEST(HostMemory, TheEndOfALaunchWaitsForWhatItHasStoredThere) {
  const MachineSpec spec = device_spec("h200");
  std::vector<FakeOp> body;
  for (std::uint64_t i = 0; i < 16; ++i)
    body.push_back(store(sass::Opcode::STG, 2, 4, 4, [i](const Where& where) { return of_thread(where) + (i << 16); }).stall(2));
  const Cycle device = launch(spec, body, {}, 64, 256);
  const Cycle host = launch(spec, body, {{buffer, buffer + (1 << 24)}}, 64, 256);
  // 1 MiB at 52.5 GB/s, with an SM clock of 1,980 MHz.
  EXPECT_GT(host, device + 32'000);
  EXPECT_LT(host, device + 42'000);
}

traces::DriverCall printing(unsigned lanes, unsigned characters, unsigned arguments, unsigned passed = 0) {
  traces::DriverCall call;
  call.function = traces::DriverCall::Function::print;
  call.lanes = static_cast<std::uint8_t>(lanes);
  call.passed = static_cast<std::uint8_t>(passed);
  call.characters = static_cast<std::uint16_t>(characters);
  call.arguments = static_cast<std::uint8_t>(arguments);
  return call;
}

FakeOp calls(const traces::DriverCall& call) {
  FakeOp made = op(sass::Opcode::NOP);
  made.call = call;
  return made;
}

TEST(DriverCalls, APrintfTakesAnH200WhatItDid) {
  const MachineSpec spec = device_spec("h200");
  unsigned compared = 0;
  double worst = 0;
  double sum = 0;
  const nlohmann::json rows = by_hand("printf")["rows"];
  for (const nlohmann::json& row : rows) {  // what, grid, block, cycles_one_pass, cycles, ...
    if (row[0] != R"(Hello from block %d, thread %d\n)") continue;
    const unsigned blocks = row[1][0];
    const unsigned threads = row[2][0];
    if (blocks * threads > 1024) continue;
    const Cycle cycles = launch(spec, {calls(printing(std::min(threads, 32U), 31, 2))}, {}, blocks, threads);
    const double error = static_cast<double>(cycles) / row[4].get<double>() - 1;
    worst = std::max(worst, std::abs(error));
    sum += std::abs(error);
    ++compared;
  }
  EXPECT_GE(compared, 20U);
  EXPECT_LT(sum / compared, 0.08);
  EXPECT_LT(worst, 0.25);
}

TEST(DriverCalls, ItsInstructionsAreCountedAsTheCards) {
  FakeStream stream({calls(printing(1, 22, 0)), exit_op()});
  const KernelReport report = Machine(device_spec("h200")).run(stream);
  // by_hand_h200.json, "printf": 7,147 with what is around the call.
  EXPECT_NEAR(report.metrics.at("smsp__inst_executed.sum"), 7147, 60);
}

TEST(DriverCalls, OnlyAnSmsFirstOneFindsItsCodeNowhere) {
  const MachineSpec spec = device_spec("h200");
  const FakeOp one = calls(printing(1, 8, 1));
  const Cycle once = launch(spec, {one});
  const Cycle twice = launch(spec, {one, one});
  const Cycle thrice = launch(spec, {one, one, one});
  EXPECT_NEAR(static_cast<double>(thrice - twice), 40'300, 800);
  EXPECT_NEAR(static_cast<double>(thrice - twice), static_cast<double>(twice - once), 5);
  EXPECT_GT(once, thrice - twice + 10'000);
}

TEST(DriverCalls, ManyWarpsWaitForEachOthersAtomics) {
  const MachineSpec spec = device_spec("h200");
  const Cycle few = launch(spec, {calls(printing(1, 8, 1, 0))}, {}, 132);
  const Cycle many = launch(spec, {calls(printing(1, 8, 1, 0))}, {}, 512);
  // by_hand_h200.json, "printf": 3,970 cycles a call from 132 to 512 blocks.
  EXPECT_NEAR(static_cast<double>(many - few) / (512 - 132), 3970, 250);
}

TEST(DriverCalls, TakeNoTimeWhereNoneIsKnown) {
  MachineSpec spec = device_spec("h200");
  spec.sm.calls = {};
  EXPECT_LT(launch(spec, {calls(printing(32, 30, 2))}), 5000U);
}

TEST(DriverCalls, MallocAndFreeTakeAWarpTheLongerTheMoreLanesCall) {
  const MachineSpec spec = device_spec("h200");
  traces::DriverCall call;
  call.function = traces::DriverCall::Function::allocate;
  call.lanes = 1;
  const Cycle one = launch(spec, {calls(call)});
  call.lanes = 32;
  const Cycle all = launch(spec, {calls(call)});
  // by_hand_h200.json, "heap", heapone of one block: 28,918 and 138,073 cycles.
  EXPECT_NEAR(static_cast<double>(one), 28'918, 2'500);
  EXPECT_NEAR(static_cast<double>(all), 138'073, 14'000);
  call.function = traces::DriverCall::Function::release;
  EXPECT_NEAR(static_cast<double>(launch(spec, {calls(call)})), 47'769, 8'000);
}

}  // namespace
}  // namespace warpgauge::model::test
