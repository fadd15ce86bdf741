// Asks one SM of a card at a time. What lies beyond an SM is nearer to some of them than to others, so that a
// probe whose one block lands anywhere gives another figure on another card: it asks all of them and reports
// their middle mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calib/statistics.h"
#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/target.h"

namespace warpgauge::probes {

// The SM that a kernel is told when it may run wherever it lands (elsewhere() of kernels/common.cuh,
// Program::only_on_sm).
inline constexpr std::uint32_t any_sm = 0xffffffff;

// Every SM of a card; any_sm alone of a simulated device, whose SMs are alike.
std::vector<std::uint32_t> sms_to_ask(const TargetFacts& facts);

// Shared memory of a block that leaves room for no other on its SM.
std::uint32_t shared_bytes_of_one_block_an_sm(const TargetFacts& facts);

// A grid that leaves a block on every SM: each asks for most of the shared memory, and those that are not
// asked wait until all are placed. One block for any_sm.
struct Placement {
  std::uint32_t blocks = 1;
  std::uint32_t shared_bytes = 0;
};
Placement placement_on(const TargetFacts& facts, std::uint32_t sm);

// Cycles a step of a chase on one SM: its kernel takes `parameters` and the SM, and leaves cycles and steps, two
// 64-bit words, in `out`. Nothing where the block of that SM left no record.
std::optional<double> step_on(Bench& bench, FunctionId kernel, Parameters parameters, const Buffer& out,
                              std::uint32_t sm);

// Samples `label` against the SM. `ask` gives what one SM answers, or nothing where the block of that SM left
// no record. Throws ProbeRefusal when more than a tenth of the SMs do not answer.
void sample_each_sm(const TargetFacts& facts, Findings& findings, const std::string& label,
                    const std::string& y_unit,
                    const std::function<std::optional<double>(std::uint32_t sm)>& ask);

// The mean of the middle four fifths: as robust as the median against a few outliers, and of samples in
// groups (a near and a far partition, clusters at their distances), where the median would be one group's or
// the next's, it lies between.
double middle_mean(std::span<const double> values);

// The middle mean of the samples with its bootstrapped interval, and a figure of it.
calib::Estimate over_sms(const Findings& findings, const std::string& label);
void report_over_sms(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label);

}  // namespace warpgauge::probes
