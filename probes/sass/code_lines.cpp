// Where a line of code begins, and whether a kernel finds what the one before it has fetched: a jump to code that is in no
// first level, and from there to the instruction before it, which has come with the first unless that begins a line.
#include <algorithm>
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int instruction_bytes = 16;
constexpr int far = 256;    // instructions from the kernel's first to the code that is jumped to
constexpr int places = 40;  // first instructions that are tried, one a kernel: lines of up to 512 bytes
constexpr const char* back = "to code and to the instruction before it";
constexpr const char* again = "to code and to the instruction before it, second launch";

std::string kernel_name(int place) { return "lines" + std::to_string(place); }

SassKernel lines_kernel(int sm, int place) {
  Program program(sm);
  program.begin();
  // What a launch brings to the second level has come when this is over.
  program.loop(40, [&] { program.idle(150); });
  program.start_clock();
  program.op(stall(5), "BRA `(THERE)");
  program.label("BACK");
  program.end_clock();
  program.finish();
  while (std::count(program.text().begin(), program.text().end(), ';') < far + place - 1) program.op(stall(1), "NOP");
  program.label("BEFORE");
  program.op(stall(5), "BRA `(BACK)");
  program.label("THERE");
  program.op(stall(5), "BRA `(BEFORE)");
  return program.kernel(kernel_name(place));
}

void measure(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  for (int place = 0; place < places; ++place) kernels.push_back(lines_kernel(bench.facts().sm, place));
  SassModule module(bench, kernels);
  for (int place = 0; place < places; ++place) {
    for (const char* launch : {back, again}) {
      findings.sample(launch, "bytes", "cycles", place * instruction_bytes, module.run(kernel_name(place)).cycles());
    }
  }
}

void conclude(const TargetFacts&, Findings& findings) {
  const calib::Series& first = findings.at(back);
  const double within = calib::median(first.y), most = *std::max_element(first.y.begin(), first.y.end());
  if (most < within + 20) throw ProbeRefusal("no place is farther from the one before it than others");
  const double between = (within + most) / 2;
  std::vector<double> begins;
  for (std::size_t i = 0; i < first.x.size(); ++i) {
    if (first.y[i] > between) begins.push_back(first.x[i]);
  }
  if (begins.size() < 2) throw ProbeRefusal("no two lines begin among the places");
  double line = begins[1] - begins[0];
  for (std::size_t i = 1; i < begins.size(); ++i) line = std::min(line, begins[i] - begins[i - 1]);
  findings.figure("front_end.l0_line", line, calib::Unit::bytes, 0, first.x.size(), first.label);
  // What a kernel that runs a second time has to fetch again.
  const calib::Series& second = findings.at(again);
  const double change = calib::median(second.y) - calib::median(first.y);
  findings.result.figures.push_back({"front_end.flushed_at_launch", change > -20, calib::Unit::flag, 0, second.x.size(), second.label});
}

}  // namespace

extern const Probe fetch_lines{"fetch.lines", "Where lines of code begin, and whether a launch keeps them", "Jia2018 section 3.3", 70, measure, conclude};

}  // namespace warpgauge::probes
