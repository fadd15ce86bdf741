// Stores that come for lines which other stores have just written, as an H200 took them (tests/stores).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "model/machine.h"
#include "tests/emulator/device_fixture.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using emulator::Emulator;
using emulator::Launch;
using emulator::testing::Device;
using emulator::testing::make_launch;
using emulator::testing::repository_file;
using nlohmann::json;

json on_the_card(const char* what) {
  return json::parse(std::ifstream(repository_file("tests/stores/h200.json"))).at(what).at("rows");
}

struct Kernels {
  Device device;
  std::shared_ptr<emulator::Module> module = device.load("tests/stores/stores.sm_90.cubin");
  emulator::DeviceAddress words = device.upload(std::vector<std::uint32_t>(132 * 16384 + 64));
};

double missing(const KernelReport& report, const std::string& operation) {
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_" + operation;
  return report.metrics.at(sectors + ".sum") - report.metrics.at(sectors + "_lookup_hit.sum");
}

KernelReport run(const Machine& machine, Kernels& kernels, const json& row) {
  const std::string name = row.at(0);
  const auto arguments = row.at(4).get<std::vector<int>>();
  const traces::Dim3 grid{row.at(1)};
  const traces::Dim3 block{row.at(2), row.at(3)};
  const Launch launch =
      name == "turns"
          ? make_launch(kernels.module, name, grid, block, kernels.words, arguments.at(0), arguments.at(1),
                        arguments.at(2), arguments.at(3))
          : make_launch(kernels.module, name, grid, block, kernels.words, arguments.at(0), arguments.at(1));
  Emulator stream(launch);
  return machine.run(stream);
}

// Rows of words, squares and structs whose lines warps share at their ends: they took up to twice the model's
// time while no store took a line that had been stored a moment before.
TEST(StoresOfNeighbours, TakeLinesFromTheL1) {
  const Machine machine(device_spec("h200"));
  Kernels kernels;
  double error = 0;
  double worst = 0;
  double hits_off = 0;
  unsigned count = 0;
  for (const json& row : on_the_card("loops")) {
    const KernelReport report = run(machine, kernels, row);
    ASSERT_EQ(report.metrics.at("smsp__inst_executed.sum"), row.at(6).get<double>()) << row;
    const double off = std::abs(static_cast<double>(report.cycles) / row.at(5).get<double>() - 1);
    error += off;
    worst = std::max(worst, off);
    hits_off += std::abs(missing(report, "st") - row.at(8).get<double>()) /
                report.metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
    ++count;
  }
  ASSERT_EQ(count, 58U);
  EXPECT_LT(error / count, 0.075);  // 0.14 before
  EXPECT_LT(worst, 0.7);
  EXPECT_LT(hits_off / count, 0.015);  // 0.034 before
}

// Two warps' stores to the same lines, so many cycles apart: how many lines are lost.
TEST(StoresOfNeighbours, LoseLinesAsLongAsTheseLeave) {
  const Machine machine(device_spec("h200"));
  Kernels kernels;
  using Pair = std::tuple<int, int, int, int>;
  std::map<Pair, std::map<int, double>> card;
  for (const json& row : on_the_card("pairs"))
    card[{row.at(0), row.at(1), row.at(2), row.at(3)}][row.at(4)] = row.at(6);
  ASSERT_EQ(card.size(), 14U);
  for (const auto& [pair, lost_at] : card) {
    const auto [lines, second, first, bytes] = pair;
    constexpr int trials = 250;
    const emulator::DeviceAddress seen = kernels.device.upload(std::vector<std::uint32_t>(2 * trials));
    Emulator stream(make_launch(kernels.module, "pairs", {1}, {192}, kernels.words, seen, lines, second,
                                first, bytes, trials));
    (void)machine.run(stream);
    const auto said = kernels.device.download<std::uint32_t>(seen, 2 * trials);
    unsigned compared = 0;
    double off = 0;
    for (std::size_t k = 64; k < trials; ++k) {
      const auto later = lost_at.find(static_cast<int>(said[2 * k]));
      if (later == lost_at.end()) continue;
      ++compared;
      off += std::abs(std::popcount(said[2 * k + 1]) - later->second) / std::max(lines, second);
    }
    EXPECT_GE(compared, 70U);
    // 24 lines begin to leave sooner than they should by those of 16, and no more than eight leave at a time.
    EXPECT_LT(off / compared, lines == 24 ? 0.32 : 0.14)
        << lines << " lines and then " << second << " from " << first << " on, bytes " << bytes;
  }
}

}  // namespace
}  // namespace warpgauge::model::test
