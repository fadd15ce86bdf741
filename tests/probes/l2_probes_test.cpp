// Probes of the L2's slices and of what it keeps, on machines whose answer is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <list>
#include <map>
#include <set>
#include <unordered_map>

#include "fake_target.h"
#include "probes/draw.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

using testing::FakeTarget;

const Probe& probe(std::string_view name) {
  for (const Probe* each : all_probes()) {
    if (each->name == name) return *each;
  }
  throw std::runtime_error("no probe " + std::string(name));
}

template <class T>
T figure(const ProbeOutcome& outcome, const std::string& key) {
  for (const calib::Figure& each : outcome.result.figures) {
    if (each.key == key) return std::get<T>(each.value);
  }
  throw std::runtime_error("no figure " + key + ": " + outcome.complaint);
}

const calib::Series& series(const ProbeOutcome& outcome, const std::string& label) {
  for (const calib::Series& each : outcome.result.samples) {
    if (each.label == label) return each;
  }
  throw std::runtime_error("no series " + label);
}

// Where an address lies: stretches of 4 KiB have a partition by their number's parity; of each KiB the first and third
// 256 bytes have one slice, the second and fourth the next.
struct Sliced {
  unsigned partitions, of_each;
  double one_sm;                 // what one SM alone sends, of what a slice takes
  std::uint32_t keep_up = 1000;  // lines in a list that a partition's SMs keep up with

  [[nodiscard]] unsigned partition(std::uint64_t address) const {
    return partitions == 1 ? 0 : static_cast<unsigned>(std::popcount(address / 4096)) & 1U;
  }
  [[nodiscard]] unsigned slice(std::uint64_t address) const {
    const std::uint64_t stretch = address / 4096, pair = address / 1024 % 4;
    const std::uint64_t place = stretch * 5 + stretch / 7 + pair * 2 + address / 256 % 2;
    return partition(address) * of_each + static_cast<unsigned>(place % of_each);
  }

  double operator()(const FakeTarget::Call& call) const {
    const auto out = call.parameter<std::uint64_t>(0), lines = call.parameter<std::uint64_t>(8), ranks = call.parameter<std::uint64_t>(16);
    std::map<std::uint32_t, std::uint32_t> sm_of_rank;
    for (std::uint32_t sm = 0; sm < call.launch.grid.x; ++sm) {
      const auto rank = call.load<std::uint32_t>(ranks + 4 * sm);
      if (rank != 0xffffffff) sm_of_rank[rank] = sm;
    }
    if (call.kernel == "atomic_latency") {
      const auto count = call.parameter<std::uint32_t>(24);
      for (const auto& [rank, sm] : sm_of_rank) {
        for (std::uint32_t i = 0; i < count; ++i) {
          const bool near = partition(call.load<std::uint64_t>(lines + 8 * i)) == sm / 2 % partitions;
          call.store<std::uint32_t>(out + 4 * (rank * count + i), (near ? 1100 : 1900) + sm % 2 * 30);
        }
      }
    } else if (call.kernel == "red_lines") {
      EXPECT_EQ(call.parameter<std::uint32_t>(24), sm_of_rank.size());
      const auto count = call.parameter<std::uint32_t>(28), steps = call.parameter<std::uint32_t>(36);
      std::map<unsigned, unsigned> load;
      for (std::uint32_t i = 0; i < count; ++i) ++load[slice(call.load<std::uint64_t>(lines + 8 * i))];
      double most = 0;
      for (const auto& [slice, lines_of_it] : load) most = std::max<double>(most, lines_of_it);
      // Where there are lines enough that some have one SM for themselves, it is the SM that takes time.
      if (count > sm_of_rank.size() / 2) most = std::max(most, 1 / one_sm);
      if (count > keep_up && sm_of_rank.size() < call.launch.grid.x) most = std::max(most, 1.9);
      for (const auto& [rank, sm] : sm_of_rank) {
        call.store<std::uint64_t>(out + 16 * rank, 1000);
        call.store<std::uint64_t>(out + 16 * rank + 8, 1000 + 700 + static_cast<std::uint64_t>(10 * steps * most));
      }
    }
    return 1e-6;
  }
};

class Slices : public ::testing::TestWithParam<Sliced> {};

TEST_P(Slices, AreCountedAndFoundByAddress) {
  const Sliced machine = GetParam();
  FakeTarget target(machine);
  target.change_facts().sm_count = 40;
  const ProbeOutcome outcome = run_probe(target, probe("l2.slices"));
  EXPECT_EQ(figure<double>(outcome, "l2.slices"), machine.partitions * machine.of_each);
  EXPECT_EQ(figure<double>(outcome, "l2.partitions"), machine.partitions);
  EXPECT_EQ(figure<double>(outcome, "l2.interleave_piece"), 256);
  EXPECT_EQ(figure<double>(outcome, "l2.slice_interleave"), 512);
  if (machine.partitions == 2) {
    EXPECT_EQ(figure<double>(outcome, "l2.partition_interleave"), 4096);
  }
  // The first that the probe allocates is what it asks about.
  const std::uint64_t base = std::uint64_t{1} << 32;
  const calib::Series& met = series(outcome, "slices that a footprint meets");
  ASSERT_FALSE(met.x.empty());
  for (std::size_t i = 0; i < met.x.size(); ++i) {
    std::set<unsigned> slices;
    for (std::uint64_t at = 0; at < static_cast<std::uint64_t>(met.x[i]); at += 128) slices.insert(machine.slice(base + at));
    EXPECT_EQ(met.y[i], slices.size()) << met.x[i];
  }
}
INSTANTIATE_TEST_SUITE_P(Machines, Slices,
                         ::testing::Values(Sliced{1, 24, 1.2}, Sliced{2, 13, 1.2}, Sliced{2, 17, 0.7}, Sliced{2, 47, 0.9, 41}));

// An L2 that holds so many lines anywhere.
class Kept {
 public:
  enum class Goes { longest_unused, first_come, any };
  Kept(Goes goes, std::size_t room) : goes_(goes), room_(room) {}

  double operator()(const FakeTarget::Call& call) {
    if (call.kernel != "read_ranges") return 1e-6;
    order_.clear();
    where_.clear();
    places_.clear();
    const auto out = call.parameter<std::uint64_t>(0), ranges = call.parameter<std::uint64_t>(16), samples = call.parameter<std::uint64_t>(32);
    for (std::uint32_t r = 0; r < call.parameter<std::uint32_t>(24); ++r) {
      const auto word = [&](int i) { return call.load<std::uint32_t>(ranges + 16 * r + 4 * static_cast<std::uint64_t>(i)); };
      const std::uint32_t first = word(0), count = word(1), run = word(2), period = word(3);
      for (std::uint32_t i = 0; i < count; ++i) read(first + i / run * period + i % run);
    }
    for (std::uint32_t i = 0; i < call.parameter<std::uint32_t>(40); ++i)
      call.store<std::uint32_t>(out + 4 * i, read(call.load<std::uint32_t>(samples + 4 * i)) ? 300 : 800);
    return 1e-6;
  }

 private:
  bool read(std::uint32_t line) {
    if (goes_ == Goes::any) {
      const auto found = places_.find(line);
      if (found != places_.end()) return true;
      if (lines_.size() < room_ || places_.empty()) {
        if (places_.empty()) lines_.clear();
        lines_.push_back(line);
        places_[line] = lines_.size() - 1;
        return false;
      }
      const std::size_t place = draw_.below(room_);
      places_.erase(lines_[place]);
      lines_[place] = line;
      places_[line] = place;
      return false;
    }
    const auto found = where_.find(line);
    if (found != where_.end()) {
      if (goes_ == Goes::longest_unused) order_.splice(order_.end(), order_, found->second);
      return true;
    }
    if (order_.size() == room_) {
      where_.erase(order_.front());
      order_.pop_front();
    }
    where_[line] = order_.insert(order_.end(), line);
    return false;
  }

  Goes goes_;
  std::size_t room_;
  std::list<std::uint32_t> order_;
  std::unordered_map<std::uint32_t, std::list<std::uint32_t>::iterator> where_;
  std::vector<std::uint32_t> lines_;
  std::unordered_map<std::uint32_t, std::size_t> places_;
  Draw draw_{7};
};

TEST(WhatTheL2Keeps, TellsWhatMakesWay) {
  using Goes = Kept::Goes;
  for (const auto& [goes, name] : {std::pair{Goes::longest_unused, "lru"}, {Goes::first_come, "fifo"}, {Goes::any, "random"}}) {
    constexpr std::uint64_t l2_bytes = 2 << 20;
    FakeTarget target(Kept(goes, l2_bytes / 2 / 128));
    target.change_facts().l2_bytes = l2_bytes;
    EXPECT_EQ(figure<std::string>(run_probe(target, probe("l2.replacement")), "l2.replacement"), name);
  }
}

}  // namespace
}  // namespace warpgauge::probes
