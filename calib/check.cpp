#include "calib/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace warpgauge::calib {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view origin) : origin_(origin) {}

  void require(bool right, std::string_view key, std::string_view what) const {
    if (!right) throw CalibrationError(fmt::format("{}: {}: {}", origin_, key, what));
  }
  void positive(double value, std::string_view key) const { require(value > 0, key, "must be above 0"); }
  void power_of_two(std::uint64_t value, std::string_view key) const {
    require(std::has_single_bit(value), key, fmt::format("must be a power of two, got {}", value));
  }
  void multiple(std::uint64_t value, std::uint64_t of, std::string_view key, std::string_view of_key) const {
    require(of != 0 && value % of == 0, key,
            fmt::format("{} is not a multiple of {} ({})", value, of_key, of));
  }
  void same_length(const List& list, std::string_view key, const List& other,
                   std::string_view other_key) const {
    require(list.size() == other.size(), key,
            fmt::format("{} items, {} has {}", list.size(), other_key, other.size()));
  }

 private:
  std::string_view origin_;
};

void check_chip(const Chip& chip, const Checker& checker) {
  checker.positive(chip.sm_count, "chip.sm_count");
  checker.positive(chip.gpc_count, "chip.gpc_count");
  checker.positive(chip.sms_per_tpc, "chip.sms_per_tpc");
  checker.positive(chip.schedulers_per_sm, "chip.schedulers_per_sm");
  checker.positive(chip.max_warps_per_sm, "chip.max_warps_per_sm");
  checker.multiple(chip.max_warps_per_sm, chip.schedulers_per_sm, "chip.max_warps_per_sm",
                   "chip.schedulers_per_sm");
  checker.positive(chip.max_blocks_per_sm, "chip.max_blocks_per_sm");
  checker.positive(chip.max_threads_per_block, "chip.max_threads_per_block");
  checker.positive(chip.registers_per_sm, "chip.registers_per_sm");
  checker.positive(chip.register_allocation_unit, "chip.register_allocation_unit");
  checker.positive(chip.warp_allocation_granularity, "chip.warp_allocation_granularity");
  checker.positive(static_cast<double>(chip.shared_allocation_unit), "chip.shared_allocation_unit");
  checker.positive(chip.max_cluster_blocks, "chip.max_cluster_blocks");
  checker.positive(chip.max_grids, "chip.max_grids");
  checker.require(chip.gpc_sms.size() == chip.gpc_count, "chip.gpc_sms",
                  fmt::format("{} items, chip.gpc_count is {}", chip.gpc_sms.size(), chip.gpc_count));
  checker.require(chip.tpc_distances.size() % std::max<Integer>(chip.cpcs_per_gpc, 1) == 0, "chip.tpc_distances",
                  "must have as many items for each of cpcs_per_gpc");
  checker.require(!chip.gpc_partitions.empty(), "chip.gpc_partitions", "must have one item at least");
  checker.require(chip.loose_turns.size() == 2 && (chip.loose_turns[0] == 0) == (chip.loose_turns[1] == 0),
                  "chip.loose_turns", "must be two numbers, both or none of them 0");
  const std::uint64_t sum = std::accumulate(chip.gpc_sms.begin(), chip.gpc_sms.end(), std::uint64_t{0});
  checker.require(sum == chip.sm_count, "chip.gpc_sms",
                  fmt::format("sum is {}, chip.sm_count is {}", sum, chip.sm_count));
  checker.require(!chip.shared_carveouts.empty() &&
                      std::is_sorted(chip.shared_carveouts.begin(), chip.shared_carveouts.end()),
                  "chip.shared_carveouts", "must be sizes in rising order");
}

void check_caches(const Calibration& c, const Checker& checker) {
  checker.power_of_two(c.front_end.l0_line, "front_end.l0_line");
  checker.multiple(c.front_end.l0_bytes, c.front_end.l0_line * std::max<Bytes>(c.front_end.l0_ways, 1),
                   "front_end.l0_bytes", "l0_line × l0_ways");
  checker.positive(c.front_end.l0_ways, "front_end.l0_ways");
  checker.power_of_two(c.front_end.l1_line, "front_end.l1_line");
  checker.positive(c.front_end.l1_ways, "front_end.l1_ways");
  checker.multiple(c.front_end.l1_bytes, c.front_end.l1_line * std::max<Bytes>(c.front_end.l1_ways, 1),
                   "front_end.l1_bytes", "l1_line × l1_ways");
  checker.require(c.front_end.l0_prefetch_delay <= c.front_end.l1_latency, "front_end.l0_prefetch_delay",
                  fmt::format("is {}, front_end.l1_latency, of which it is a part, {}", c.front_end.l0_prefetch_delay,
                              c.front_end.l1_latency));
  checker.positive(c.front_end.fetch_per_cycle, "front_end.fetch_per_cycle");
  checker.positive(c.front_end.l1_sms, "front_end.l1_sms");
  checker.positive(c.front_end.l0_sms, "front_end.l0_sms");
  checker.require(c.front_end.l0_sms == 1 || c.front_end.l0_shared, "front_end.l0_sms",
                  fmt::format("is {}, but the processing blocks of an SM do not share it (front_end.l0_shared)", c.front_end.l0_sms));
  checker.power_of_two(c.constant.l1_line, "constant.l1_line");
  checker.positive(c.constant.l1_ways, "constant.l1_ways");
  checker.positive(c.issue.instruction_buffer_entries, "issue.instruction_buffer_entries");
  checker.positive(c.registers.banks, "registers.banks");
  checker.positive(c.registers.read_ports_per_bank, "registers.read_ports_per_bank");
  checker.positive(c.shared.banks, "shared.banks");
  checker.positive(static_cast<double>(c.shared.bank_bytes), "shared.bank_bytes");
  checker.positive(c.shared.bytes_per_cycle, "shared.bytes_per_cycle");
  checker.power_of_two(c.l1.line, "l1.line");
  checker.power_of_two(c.l1.sector, "l1.sector");
  checker.multiple(c.l1.line, c.l1.sector, "l1.line", "l1.sector");
  checker.positive(c.l1.sets, "l1.sets");
  if (c.l1.tag_ways != 0) checker.power_of_two(c.l1.sets, "l1.sets");
  checker.positive(c.l1.tag_lines_per_cycle, "l1.tag_lines_per_cycle");
  checker.require(c.l1.tag_bank_masks.empty() || std::uint64_t{1} << std::min<std::size_t>(c.l1.tag_bank_masks.size(), 63) == c.l1.tag_lines_per_cycle,
                  "l1.tag_bank_masks", "do not give each bank of l1.tag_lines_per_cycle a number");
  checker.positive(c.l1.bytes_per_cycle, "l1.bytes_per_cycle");
  checker.positive(c.l1.misses_in_flight, "l1.misses_in_flight");
  checker.require(c.l1.max_data_bytes <= c.l1.size, "l1.max_data_bytes", "is more than l1.size");
  checker.require(c.chip.shared_carveouts.back() <= c.l1.size, "chip.shared_carveouts",
                  "the largest is more than l1.size");
  checker.same_length(c.l1.detected_sizes, "l1.detected_sizes", c.chip.shared_carveouts,
                      "chip.shared_carveouts");
  checker.power_of_two(c.l2.line, "l2.line");
  checker.power_of_two(c.l2.sector, "l2.sector");
  checker.multiple(c.l2.line, c.l2.sector, "l2.line", "l2.sector");
  checker.positive(c.l2.ways, "l2.ways");
  checker.positive(c.l2.slices, "l2.slices");
  checker.positive(c.l2.partitions, "l2.partitions");
  checker.multiple(c.l2.slices, c.l2.partitions, "l2.slices", "l2.partitions");
  checker.positive(c.l2.slice_bytes_per_cycle, "l2.slice_bytes_per_cycle");
  checker.positive(c.l2.slice_write_bytes_per_cycle, "l2.slice_write_bytes_per_cycle");
  checker.require(c.l2.effective_size <= c.l2.size, "l2.effective_size", "is more than l2.size");
}

}  // namespace

void check(const Calibration& c, std::string_view origin) {
  const Checker checker(origin);
  const std::string_view architecture = c.architecture;
  checker.require(architecture.starts_with("sm_") && architecture.size() > 3 &&
                      architecture.find_first_not_of("0123456789", 3) == std::string_view::npos,
                  "architecture", fmt::format("expected sm_ and digits, got \"{}\"", architecture));
  checker.require(architecture.substr(3) == fmt::format("{}{}", c.chip.compute_major, c.chip.compute_minor),
                  "architecture", "is not chip.compute_major and chip.compute_minor");
  check_chip(c.chip, checker);
  checker.positive(c.clocks.sm, "clocks.sm");
  checker.positive(c.clocks.l2, "clocks.l2");
  checker.positive(c.clocks.dram, "clocks.dram");
  check_caches(c, checker);
  checker.positive(c.lsu.address_interval, "lsu.address_interval");
  checker.positive(c.lsu.result_bytes_per_cycle, "lsu.result_bytes_per_cycle");
  checker.positive(c.lsu.shared_result_bytes_per_cycle, "lsu.shared_result_bytes_per_cycle");
  checker.positive(c.lsu.store_bytes_per_cycle, "lsu.store_bytes_per_cycle");
  checker.positive(c.interconnect.sm_request_bytes_per_cycle, "interconnect.sm_request_bytes_per_cycle");
  checker.positive(c.interconnect.sm_reply_bytes_per_cycle, "interconnect.sm_reply_bytes_per_cycle");
  checker.positive(c.interconnect.gpc_reply_bytes_per_cycle, "interconnect.gpc_reply_bytes_per_cycle");
  checker.positive(c.dram.peak_bandwidth, "dram.peak_bandwidth");
  checker.positive(c.dram.channels, "dram.channels");
  checker.power_of_two(c.dram.access_bytes, "dram.access_bytes");
  checker.same_length(c.atomics.shared_latency, "atomics.shared_latency", c.atomics.contention,
                      "atomics.contention");
  checker.same_length(c.launch.l2_late_write_sectors, "launch.l2_late_write_sectors", c.launch.l2_late_times,
                      "launch.l2_late_times");
  checker.same_length(c.launch.l2_late_barrier_sectors, "launch.l2_late_barrier_sectors", c.launch.l2_late_times,
                      "launch.l2_late_times");
  checker.same_length(c.atomics.global_latency, "atomics.global_latency", c.atomics.contention,
                      "atomics.contention");
  checker.require(c.l2.hit_latency > c.l1.hit_latency, "l2.hit_latency", "is not above l1.hit_latency");
  checker.require(c.dram.latency > c.l2.hit_latency, "dram.latency", "is not above l2.hit_latency");
  visit(c, [&](const Key& key, const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Real>)
      if (key.unit == Unit::percent)
        checker.require(value <= 100, key.path, fmt::format("{} percent", value));
  });
}

}  // namespace warpgauge::calib
