// When each line of straight-line code arrives: a clock read at the head of every line, on the first pass
// over code that no cache holds and on later ones. Shows the latency of each level, what the prefetcher runs
// ahead, and its lines.
#include <algorithm>
#include <cmath>
#include <string>

#include "probes/records.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int most_stamps = 160;
constexpr int first_stamp = 64;
constexpr int instruction_bytes = 16;
constexpr std::uint64_t more_than_the_l2 = std::uint64_t{256} << 20;

struct Layout {
  std::string name;
  int group;  // instructions from one clock read to the next that runs
  int hop;    // groups from one that runs to the next: the others are jumped over
  int stamps = most_stamps;
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> list = [] {
    std::vector<Layout> all = {{"each 128 bytes", 8, 1},         {"each 64 bytes", 4, 1},
                               {"every second 128 bytes", 8, 2}, {"every fourth 128 bytes", 8, 4},
                               {"every ninth 128 bytes", 8, 9},  {"every 33rd 128 bytes", 8, 33},
                               {"40 of every second", 8, 2, 40}, {"40 of every fourth", 8, 4, 40}};
    // Lines of one set, whatever the number of sets up to 64: some are still there on a later pass.
    for (const int lines : {2, 4, 8, 12, 16, 24, 32, 48}) {
      all.push_back({std::to_string(lines) + " of every 64th", 8, 64, lines});
    }
    return all;
  }();
  return list;
}

std::string kernel_name(std::size_t layout) {
  return "timeline" + std::to_string(layout);
}

// The passes are parameter b; the stamps of the last one are stored.
SassKernel timeline_kernel(int sm, std::size_t index) {
  const Layout& layout = layouts()[index];
  Program program(sm);
  program.begin();
  program.only_on_sm();
  program.op(stall(15), "MOV R60, " + program.parameter(Parameter::b));
  program.op(stall(15), "MOV R61, RZ");
  const std::string top = program.fresh_label("PASS");
  program.label(top);
  program.start_clock(15);
  program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
  const auto line = static_cast<std::ptrdiff_t>(layout.group);
  const auto count = [&] { return std::count(program.text().begin(), program.text().end(), ';'); };
  while (count() % line != 0) program.op(stall(1), "NOP");
  for (int i = 0; i < layout.stamps; ++i) {
    program.op(stall(1), "CS2R.32 " + reg(first_stamp + i) + ", SR_CLOCKLO");
    int filled = 1;
    std::string next;
    if (layout.hop > 1) {
      next = program.fresh_label("NEXT");
      program.op(stall(1), "BRA `(" + next + ")");
      ++filled;
    }
    // What follows the last one lies in the next line: of another set than the lines that the pass visits.
    const int room = i + 1 == layout.stamps ? layout.group : layout.group * layout.hop;
    for (; filled < room; ++filled) program.op(stall(1), "NOP");
    if (layout.hop > 1) program.label(next);
  }
  program.end_clock();
  program.op(stall(15), "ISETP.LT.U32.AND P6, PT, R61, R60, PT");
  program.op(stall(15), "@P6 BRA `(" + top + ")");
  program.idle(30);
  for (int i = 0; i < layout.stamps; ++i) program.store_result(first_stamp + i, i);
  program.finish();
  SassKernel kernel = program.kernel(kernel_name(index));
  kernel.registers = 240;
  return kernel;
}

// Cycles from each stamp to the next.
std::vector<double> steps_of(const Findings& findings, const std::string& label) {
  const calib::Series& series = findings.at(label);
  std::vector<double> cycles;
  for (std::size_t i = 2; i < series.y.size(); ++i) cycles.push_back(series.y[i] - series.y[i - 1]);
  return cycles;
}

// Lines of straight-line code from one that is waited for to the next, and the cycles between.
struct Stream {
  std::size_t waits = 0;
  double lines = 0;
  double cycles = 0;
  double flowing = 0;  // cycles of a line that is not waited for
};

std::optional<Stream> stream_of(const std::vector<double>& lines) {
  const double flowing = *std::min_element(lines.begin(), lines.end());
  std::vector<std::size_t> waits;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] > 2 * flowing) waits.push_back(i);
  }
  if (waits.size() < 8) return std::nullopt;
  const auto groups = static_cast<double>(waits.size() - 1);
  double cycles = 0;
  for (std::size_t i = waits.front(); i < waits.back(); ++i) cycles += lines[i];
  return Stream{waits.size(), static_cast<double>(waits.back() - waits.front()) / groups, cycles / groups,
                flowing};
}

// A hop that takes longer leaves the SM.
constexpr double leaves_the_sm = 150;
constexpr std::size_t least_hops = 16;
constexpr std::size_t straight_layout = 0, far_layout = 5;
constexpr const char* straight_series = "each 128 bytes, first launch";
constexpr const char* stream_by_sm = "cycles of a wait of straight code and the lines that it brings, by SM";
constexpr const char* lines_by_sm = "lines from one wait of straight code to the next, by SM";
constexpr const char* l2_by_sm = "cycles of a hop to code in the L2, by SM";
constexpr const char* memory_by_sm = "cycles of a hop to code in memory, by SM";

void empty_l2(Bench& bench) {
  const Buffer large = bench.allocate(std::min(more_than_the_l2, bench.facts().memory_bytes / 4));
  large.fill(1);
  large.fill(2);
}

// The steps of one SM over a layout's code.
std::optional<std::vector<double>> steps_on(SassModule& module, std::size_t layout, std::uint32_t sm) {
  SassArguments arguments;
  arguments.sm = sm;
  arguments.b = 1;
  arguments.results = static_cast<std::size_t>(layouts()[layout].stamps);
  const SassOutcome outcome = module.run(kernel_name(layout), arguments);
  if (!outcome.answered()) return std::nullopt;
  std::vector<double> steps;
  for (std::size_t k = 1; k < outcome.results.size(); ++k) {
    steps.push_back(outcome.results[k] - outcome.results[k - 1]);
  }
  return steps;
}

void measure_timeline_of_each_sm(Bench& bench, Findings& findings) {
  const TargetFacts& facts = bench.facts();
  // On some SMs the lines come in longer groups than on others: what is asked is a wait and the group that
  // the L0 asks for.
  const auto first = stream_of(steps_of(findings, straight_series));
  SassModule straight(bench, {timeline_kernel(facts.sm, straight_layout)});
  sample_each_sm(facts, findings, stream_by_sm, "cycles", [&](std::uint32_t sm) -> std::optional<double> {
    const auto steps = steps_on(straight, straight_layout, sm);
    const auto stream = steps ? stream_of(*steps) : std::nullopt;
    if (!stream || !first) return std::nullopt;
    findings.sample(lines_by_sm, "SM", "lines", sm == any_sm ? 0 : sm, stream->lines);
    return stream->cycles - (stream->lines - std::round(first->lines)) * stream->flowing;
  });
  SassModule far(bench, {timeline_kernel(facts.sm, far_layout)});
  const auto hop = [&](std::uint32_t sm) -> std::optional<double> {
    auto steps = steps_on(far, far_layout, sm);
    if (!steps) return std::nullopt;
    std::erase_if(*steps, [](double cycles) { return cycles <= leaves_the_sm; });
    return steps->size() < least_hops ? std::nullopt : std::optional(middle_mean(*steps));
  };
  static_cast<void>(hop(any_sm));  // brings the code into the L2
  sample_each_sm(facts, findings, l2_by_sm, "cycles", hop);
  sample_each_sm(facts, findings, memory_by_sm, "cycles", [&](std::uint32_t sm) {
    empty_l2(bench);
    return hop(sm);
  });
}

void measure_timeline(Bench& bench, Findings& findings) {
  for (std::size_t i = 0; i < layouts().size(); ++i) {
    const Layout& layout = layouts()[i];
    SassModule module(bench, {timeline_kernel(bench.facts().sm, i)});
    const auto take = [&](const std::string& when, std::uint32_t passes) {
      SassArguments arguments;
      arguments.b = passes;
      arguments.results = static_cast<std::size_t>(layout.stamps);
      const SassOutcome outcome = module.run(kernel_name(i), arguments);
      const std::string label = layout.name + ", " + when;
      findings.sample(
          label, "stamp", "cycles", -1,
          static_cast<double>(outcome.results[0] - static_cast<std::uint32_t>(outcome.warps[0].start)));
      for (int k = 0; k < layout.stamps; ++k) {
        findings.sample(label, "stamp", "cycles", k,
                        outcome.results[static_cast<std::size_t>(k)] - outcome.results[0]);
      }
    };
    take("first launch", 1);
    take("second launch", 1);
    take("second pass", 2);
    take("third pass", 3);
    empty_l2(bench);
    take("L2 emptied", 1);
  }
  measure_timeline_of_each_sm(bench, findings);
}

// The middle mean over the SMs to which a wait brings `lines`. Where it brings more, which on an H200 is the second SM of each
// pair, the wait is some cycles longer than the lines beyond account for. Over all SMs where few or none are of the first kind.
calib::Estimate first_level_of(const Findings& findings, double lines) {
  const calib::Series& all = findings.at(stream_by_sm);
  const calib::Series& brought = findings.at(lines_by_sm);
  std::vector<double> cycles;
  for (std::size_t i = 0; i < all.y.size(); ++i) {
    const std::vector<double> of_sm = values_at(brought, all.x[i]);
    if (!of_sm.empty() && std::abs(of_sm.front() - lines) < 0.5) cycles.push_back(all.y[i]);
  }
  constexpr std::size_t least_share = 4;
  return cycles.size() * least_share < all.y.size() ? over_sms(findings, stream_by_sm)
                                                    : calib::bootstrap(cycles, middle_mean);
}

void conclude_timeline(const TargetFacts&, Findings& findings) {
  using calib::Unit;
  constexpr double line_bytes = 128;
  // Straight-line code out of the second level: the lines and the cycles from one wait to the next.
  const auto stream = stream_of(steps_of(findings, straight_series));
  if (!stream)
    throw ProbeRefusal("straight-line code waits for no line: nothing is known of the stream buffer");
  findings.figure("front_end.l0_prefetch_lines", std::round(stream->lines), Unit::count, 0, stream->waits,
                  straight_series);
  const calib::Estimate first_level = first_level_of(findings, std::round(stream->lines));
  findings.figure("front_end.l1_latency", std::round(first_level.value), Unit::cycles,
                  first_level.half_width(), first_level.samples, stream_by_sm);

  // What a jump to a line costs that is there. (How many of these layouts' lines all hit shows what a processing block holds
  // itself, of any set.)
  const auto one_set = std::find_if(layouts().begin(), layouts().end(), [](const Layout& layout) { return layout.hop == 64; });
  const double jump = steps_of(findings, one_set->name + ", third pass").front();
  // What a launch brings, and what lies behind it.
  const std::string warm = "every 33rd 128 bytes, second launch";
  const std::vector<double> hops = steps_of(findings, warm);
  const auto far = std::count_if(hops.begin(), hops.end(), [](double hop) { return hop > leaves_the_sm; });
  if (far < static_cast<std::ptrdiff_t>(least_hops)) return;
  const double near_hops = static_cast<double>(most_stamps - 1 - static_cast<int>(far));
  constexpr double granule = 16 * 1024;
  findings.figure("front_end.launch_prefetch_bytes",
                  std::ceil(near_hops * 33 * line_bytes / granule) * granule, Unit::bytes, 0, 1, warm);
  const auto behind = [&](const std::string& key, const char* label) {
    const calib::Estimate hop = over_sms(findings, label);
    findings.figure(key, std::round(hop.value - jump), Unit::cycles, hop.half_width(), hop.samples, label);
  };
  behind("front_end.l2_latency", l2_by_sm);
  behind("front_end.memory_latency", memory_by_sm);
}

// Bytes of constant bank 0 up to the end of the parameters.
int constant_bytes(int sm) {
  return sm >= 90 ? 0x220 : 0x180;
}

// What one constant operand costs the first time that its line is read, then again.
SassKernel constants_kernel(int sm) {
  Program program(sm);
  program.begin();
  program.only_on_sm();
  int stamp = first_stamp;
  const auto clock = [&] { program.op(stall(15), "CS2R.32 " + reg(stamp++) + ", SR_CLOCKLO"); };
  program.start_clock(15);
  clock();
  for (int again = 0; again < 2; ++again) {
    for (int at = 0; at < constant_bytes(sm); at += 0x20) {
      program.op(stall(15), "MOV R20, c[0x0][" + hex(static_cast<std::uint64_t>(at)) + "]");
      clock();
    }
  }
  program.end_clock();
  program.idle(30);
  for (int i = first_stamp; i < stamp; ++i) program.store_result(i, i - first_stamp);
  program.finish();
  SassKernel kernel = program.kernel("constants");
  kernel.registers = 240;
  return kernel;
}

constexpr double least_miss = 8;  // cycles beyond a hit's
constexpr const char* miss_by_sm = "cycles that the first read of a constant operand's line adds, by SM";

void measure_constant_operands(Bench& bench, Findings& findings) {
  SassModule module(bench, {constants_kernel(bench.facts().sm)});
  const int operands = 2 * (constant_bytes(bench.facts().sm) / 0x20);
  for (const char* when : {"first launch", "second launch", "third launch"}) {
    SassArguments arguments;
    arguments.results = static_cast<std::size_t>(operands) + 1;
    const SassOutcome outcome = module.run("constants", arguments);
    for (int i = 0; i < operands; ++i) {
      const auto k = static_cast<std::size_t>(i);
      findings.sample(std::string(when) + (i < operands / 2 ? ", first read" : ", second read"), "bytes",
                      "cycles", i % (operands / 2) * 0x20, outcome.results[k + 1] - outcome.results[k]);
    }
  }
  sample_each_sm(bench.facts(), findings, miss_by_sm, "cycles",
                 [&](std::uint32_t sm) -> std::optional<double> {
                   SassArguments arguments;
                   arguments.sm = sm;
                   arguments.results = static_cast<std::size_t>(operands) + 1;
                   SassOutcome outcome;
                   for (int launch = 0; launch < 3; ++launch) outcome = module.run("constants", arguments);
                   if (!outcome.answered()) return std::nullopt;
                   std::vector<double> first, again;
                   for (std::size_t k = 0; k < static_cast<std::size_t>(operands); ++k) {
                     (k < static_cast<std::size_t>(operands / 2) ? first : again)
                         .push_back(outcome.results[k + 1] - outcome.results[k]);
                   }
                   const double hit = calib::median(again);
                   std::erase_if(first, [&](double cycles) { return cycles <= hit + least_miss; });
                   return first.empty() ? std::nullopt : std::optional(calib::median(first) - hit);
                 });
}

void conclude_constant_operands(const TargetFacts&, Findings& findings) {
  const calib::Series& first = findings.at("third launch, first read");
  const double hit = calib::median(findings.at("third launch, second read").y);
  std::vector<double> at;
  for (std::size_t i = 0; i < first.y.size(); ++i) {
    if (first.y[i] > hit + least_miss) at.push_back(first.x[i]);
  }
  if (at.size() < 3) throw ProbeRefusal("no constant operand's first read is slow");
  const calib::Estimate delay = over_sms(findings, miss_by_sm);
  findings.figure("constant.l0_miss_delay", std::round(delay.value), calib::Unit::cycles, delay.half_width(),
                  delay.samples, miss_by_sm);
  findings.figure("constant.l0_line", at[2] - at[1], calib::Unit::bytes, 0, at.size(), first.label);
}

// How often an SM's constant unit takes an LDC whose lanes read n addresses.
constexpr std::uint32_t most_warps = 28;  // of 72 registers a thread
constexpr int loads_short = 8, loads_long = 24;

SassKernel divergent_kernel(int sm, int loads) {
  Program program(sm);
  program.begin();
  // Lane l reads word l & parameter b.
  program.op(stall(15), "MOV R20, " + program.parameter(Parameter::b));
  program.op(stall(15), "LOP3.LUT R20, R0, R20, RZ, 0xc0, !PT");
  program.op(stall(15), "SHF.L.U32 R20, R20, 0x2, RZ");
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < loads; ++i)
      program.op(stall(1).writing(i % 4), "LDC " + reg(24 + i % 16) + ", c[0x0][R20+0x0]");
    program.op(stall(15).waiting(0xf), "NOP");
    program.end_clock();
    program.idle(600);
  });
  program.finish();
  return program.kernel("divergent" + std::to_string(loads), 0, 1);
}

std::string divergent_series(std::uint32_t addresses) {
  return "cycles of LDC with " + std::to_string(addresses) + " addresses against warps";
}

void measure_divergent(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  SassModule module(bench, {divergent_kernel(sm, loads_short), divergent_kernel(sm, loads_long)});
  for (const std::uint32_t addresses : {1U, 2U, 4U, 8U, 16U, 32U}) {
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, most_warps}) {
      SassArguments arguments;
      arguments.warps = warps;
      arguments.a = 0xffffffff;
      arguments.b = addresses - 1;
      const double few = span_of(module.run("divergent" + std::to_string(loads_short), arguments).warps);
      const double many = span_of(module.run("divergent" + std::to_string(loads_long), arguments).warps);
      findings.sample(divergent_series(addresses), "warps", "cycles", warps,
                      (many - few) / (loads_long - loads_short) / warps);
    }
  }
}

// Cycles of the unit an address, once warps enough keep it busy.
void conclude_divergent(const TargetFacts&, Findings& findings) {
  const auto busy = [&](std::uint32_t addresses) {
    return calib::median(values_at(findings.at(divergent_series(addresses)), most_warps));
  };
  findings.figure("constant.address_interval", (busy(32) - busy(8)) / 24, calib::Unit::cycles, 0, 4,
                  divergent_series(32));
}

// When the warps of a block leave a barrier: they arrive together, or one after the other.
// An instruction or two issue before the barrier holds the warp: so there are several clock reads behind it.
constexpr int after_barrier = 4;

SassKernel barrier_kernel(int sm, bool together) {
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R60, RZ");
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(200);
    if (!together) {
      program.op(stall(15), "MOV R61, RZ");
      const std::string top = program.fresh_label("LATER");
      program.label(top);
      program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
      program.op(stall(15), "ISETP.LE.U32.AND P4, PT, R61, R1, PT");
      program.op(stall(15), "@P4 BRA `(" + top + ")");
    }
    program.start_clock();
    program.op(stall(2), "CS2R.32 R20, SR_CLOCKLO");
    // As compiled code has it: an instruction sooner than that issues before the warp is held.
    program.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
    for (int later = 0; later < after_barrier; ++later) {
      // A load cannot pass the barrier; register instructions do.
      if (later % 2 == 1) program.op(stall(4).writing(0), "LDS R30, [RZ]");
      program.op(stall(4).waiting(1), "CS2R.32 " + reg(21 + later) + ", SR_CLOCKLO");
    }
    program.end_clock();
    program.idle(200);
  });
  for (int k = 0; k <= after_barrier; ++k) program.store_result_of_warp(20 + k, k, 1 + after_barrier);
  program.finish();
  return program.kernel(together ? "together" : "apart", 1024, 1);
}

void measure_release(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  SassModule module(bench, {barrier_kernel(sm, true), barrier_kernel(sm, false)});
  for (const char* kernel : {"together", "apart"}) {
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, most_warps}) {
      SassArguments arguments;
      arguments.warps = warps;
      constexpr std::uint32_t slots = 1 + after_barrier;
      arguments.results = slots * warps;
      const SassOutcome outcome = module.run(kernel, arguments);
      std::uint32_t last = outcome.results[0];
      for (std::uint32_t w = 0; w < warps; ++w) {
        if (static_cast<std::int32_t>(outcome.results[slots * w] - last) > 0)
          last = outcome.results[slots * w];
      }
      const std::string of = std::string(", ") + kernel + ", " + std::to_string(warps) + " warps";
      for (std::uint32_t w = 0; w < warps; ++w) {
        findings.sample("arrival before the last" + of, "warp", "cycles", w,
                        static_cast<std::int32_t>(last - outcome.results[slots * w]));
        for (std::uint32_t k = 1; k < slots; ++k) {
          findings.sample("clock read " + std::to_string(k) + " after the last arrival" + of, "warp",
                          "cycles", w, static_cast<std::int32_t>(outcome.results[slots * w + k] - last));
        }
      }
    }
  }
}

}  // namespace

extern const Probe fetch_timeline{"fetch.timeline",
                                  "When each line of code arrives, first in no cache, then in each",
                                  "Huerta et al. 2025, section 5.2",
                                  70,
                                  measure_timeline,
                                  conclude_timeline};
extern const Probe constant_operands{"constant.operands",
                                     "Cost of a constant operand whose line is read for the first time",
                                     "Huerta et al. 2025, section 5.1",
                                     70,
                                     measure_constant_operands,
                                     conclude_constant_operands};
extern const Probe constant_divergent{
    "constant.divergent", "Interval of LDC by the number of addresses and of warps",
    "Jia2018 figure 3.9", 70,
    measure_divergent,    conclude_divergent};
extern const Probe barrier_release{
    "issue.release", "When the warps of a block leave a barrier", "barriers", 70, measure_release, nullptr};

}  // namespace warpgauge::probes
