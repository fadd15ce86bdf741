#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/failure.h"
#include "cli/shipped.h"
#include "cli/validate/ablation.h"
#include "cli/validate/validation.h"

namespace warpgauge::cli {
namespace {

TEST(Mechanisms, HaveNamesOfTheirOwnAndASentence) {
  std::set<std::string> names;
  for (const Mechanism& m : mechanisms()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_EQ(std::string(m.idealised).back(), '.') << m.name;
  }
  EXPECT_GE(names.size(), 10u);
}

TEST(Mechanisms, IdealisedAreStillACalibrationOfEveryDevice) {
  for (const char* gpu : {"v100", "t4", "h200"}) {
    const calib::Calibration calibration = read_calibration(gpu, {});
    for (const Mechanism& m : mechanisms()) {
      std::vector<calib::Difference> changes;
      EXPECT_NO_THROW((void)idealised(calibration, m, changes)) << gpu << " " << m.name;
      EXPECT_TRUE(std::string_view(gpu) != "h200" || !changes.empty()) << m.name;
    }
  }
}

TEST(Mechanisms, AreFoundByName) {
  EXPECT_EQ(find_mechanisms("tlb,launch").size(), 2u);
  EXPECT_STREQ(find_mechanisms("tlb,launch")[1]->name, "launch");
  EXPECT_EQ(find_mechanisms("all").size(), mechanisms().size());
  EXPECT_THROW(find_mechanisms("tlb,"), Failure);
}

// Every mechanism does something to a kernel that uses it.
struct Worth {
  const char* mechanism;
  const char* suite_case;
  std::vector<std::string> before = {};  // changes without which the case is too small to need it
};
class MechanismWorth : public ::testing::TestWithParam<Worth> {};

TEST_P(MechanismWorth, ChangesTheCyclesOfAKernelThatUsesIt) {
  const auto [name, suite_case, change] = GetParam();
  const calib::Calibration calibration = read_calibration("h200", change);
  const std::filesystem::path folder = examples_folder() / "validation";
  const Suite suite = read_suite(folder / "suite.json");
  const Hardware hardware = read_hardware(folder / "hardware/h200.json");
  Selection selection;
  selection.only = suite_case;
  const auto cases = select(suite, &hardware, "sm_90", selection);
  ASSERT_EQ(cases.size(), 1u);
  std::vector<calib::Difference> changes;
  const calib::Calibration changed = idealised(calibration, *find_mechanisms(name).front(), changes);
  const double before = compare(calibration, suite, hardware, cases, 1).front().predicted;
  const double after = compare(changed, suite, hardware, cases, 1).front().predicted;
  EXPECT_GT(before, 0);
  EXPECT_GT(after, 0);
  EXPECT_NE(before, after);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, MechanismWorth,
    ::testing::Values(
        Worth{"register_ports", "gemm_register4/under"}, Worth{"reuse_cache", "gemm_register4/under"},
        Worth{"math_pipes", "bits/more"}, Worth{"matrix_clock", "wmma_f16_shared/under"}, Worth{"prefetch", "tiny_barrier/wave"},
        Worth{"instruction_caches", "switch_ways/one"}, Worth{"constant_caches", "constant_wide/under"},
        Worth{"constant_addresses", "constant_divergent/two"}, Worth{"branches", "mandelbrot/under"},
        Worth{"barriers", "tiny_barrier/wave"}, Worth{"memory_queue", "conv_2d_tiled/l1"},
        Worth{"address_units", "softmax_block/under"}, Worth{"shared_conflicts", "bank_stride/all"},
        Worth{"l1_tags", "transpose_naive/l2"}, Worth{"l1_sets", "table_probe/l1", {"l1.sets=64"}},
        Worth{"l1_misses", "gather_32/l1", {"l1.misses_in_flight=16"}}, Worth{"l1_stores", "bfs_level/late", {"l1.size_kib=232"}},
        Worth{"crossbar", "copy_128/l1"}, Worth{"l2_slices", "gather_32/l2"},
        Worth{"far_partition", "copy_128/l1"}, Worth{"tlb", "gather_twice/l2", {"tlb.l1.page=2097152", "tlb.l1.coverage=2097152"}},
        Worth{"dram_latency", "copy_128/l1"}, Worth{"dram_refresh", "copy_128/l1"},
        Worth{"dram_rows", "copy_128/l1", {"dram.row_miss_extra=2000"}},
        Worth{"dram_turnaround", "gather_32/l1", {"dram.read_efficiency=1"}},
        Worth{"atomics", "atomic_hot/under"}, Worth{"launch", "tiny_barrier/wave"},
        Worth{"block_launch", "tiny_store/many"}),
    [](const auto& each) { return std::string(each.param.mechanism); });

}  // namespace
}  // namespace warpgauge::cli
