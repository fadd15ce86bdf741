// registers_sweep FILE…: recolours every kernel in cubins, executables and libraries, encodes the result and
// has the checker prove it. One line a faulty kernel, the refusals by reason, and the totals. Not a test of
// its own: what it is run over is not in the repository. Exit code 1 when any kernel is faulty.
//
//   registers_sweep [--sm N] [--skip N] [--most N] [--evaluations N] [--largest INSTRUCTIONS]
//                   [--verbose] FILE…

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <string>

#include "model/registers/checker.h"
#include "model/registers/recolour.h"
#include "model/registers/rewrite.h"
#include "traces/cubin/cubin.h"
#include "traces/sass/decode.h"

namespace warpgauge::registers {
namespace {

struct Totals {
  std::uint64_t kernels = 0;
  std::uint64_t instructions = 0;
  std::uint64_t proved = 0;
  std::uint64_t faulty = 0;
  std::uint64_t changed = 0;
  std::uint64_t skipped = 0;
  double lost_before = 0;
  double lost_after = 0;
  double issue = 0;
  std::uint64_t registers_before = 0;
  std::uint64_t registers_lowest = 0;
  std::map<std::string, std::uint64_t> refused;
  double seconds = 0;
  double slowest = 0;
  std::string slowest_name;
};

struct Settings {
  unsigned sm = 0;
  std::uint64_t skip = 0;
  std::uint64_t most = ~std::uint64_t{0};
  std::uint64_t evaluations = 5'000;
  std::size_t largest = 30'000;
  bool verbose = false;
};

std::vector<BranchTargets> branch_targets(const cubin::Kernel& kernel) {
  std::vector<BranchTargets> targets;
  for (const cubin::IndirectBranch& b : kernel.indirect_branches) {
    BranchTargets t{b.offset / 16, {}};
    for (const std::uint32_t address : b.targets) t.targets.push_back(address / 16);
    targets.push_back(std::move(t));
  }
  return targets;
}

void prove(const cubin::Kernel& kernel, const std::string& where, const Settings& settings, Totals& totals) {
  const std::vector<sass::Instruction> code = sass::decode_section(kernel.code, kernel.architecture);
  totals.instructions += code.size();
  CheckOptions check_options;
  check_options.indirect = branch_targets(kernel);
  check_options.limit = usable_registers(kernel.registers);
  const Analysis analysis = analyse(code, 0, check_options.indirect);
  const auto report = [&](const char* what, const std::vector<Fault>& faults) {
    if (faults.empty()) return true;
    fmt::print("{} {}: {}: 0x{:04x}: {}\n", where, kernel.name, what, faults[0].address, faults[0].what);
    return false;
  };
  bool sound = report("unchanged", check(code, code, check_options));
  for (const bool lower : {false, true}) {
    RecolourOptions options;
    const bool one_cycle = kernel.architecture >= sass::Architecture::sm86;
    options.file =
        register_file(2, 1, {.fp32 = one_cycle ? 32U : 16U, .integer = 16, .half = 32, .fp64 = 16});
    options.limit = usable_registers(kernel.registers);
    options.candidates = 1;
    options.search.evaluations = settings.evaluations;
    options.lower = lower;
    options.yields = Yields::drop_for_reuse;
    Recoloured r = recolour(analysis, options);
    encode_changes(code, r.code);
    const std::vector<sass::Instruction> back = sass::decode_section(code_bytes(r.code), kernel.architecture);
    sound = report(lower ? "lower" : "both", check(code, back, check_options)) && sound;
    if (lower) {
      totals.registers_before += r.registers_before;
      totals.registers_lowest += r.registers_after;
    } else {
      if (settings.verbose)
        fmt::print(
            "{} {}: lost {:.4g} -> {:.4g} of {:.4g} issue cycles, {} webs moved, {} flags set, {} cleared\n",
            where, kernel.name, r.before.lost_cycles, r.after.lost_cycles, r.before.issue_cycles,
            r.webs_moved, r.flags_set, r.flags_cleared);
      totals.lost_before += r.before.lost_cycles;
      totals.lost_after += r.after.lost_cycles;
      totals.issue += r.before.issue_cycles;
      totals.changed += r.webs_moved != 0 || r.flags_set != 0 ? 1 : 0;
    }
  }
  ++(sound ? totals.proved : totals.faulty);
}

void sweep_image(const cubin::Image& image, const std::string& where, const Settings& settings,
                 Totals& totals) {
  for (const cubin::Kernel& kernel : image.kernels()) {
    if (kernel.code.size() / 16 > settings.largest) {
      ++totals.skipped;
      continue;
    }
    ++totals.kernels;
    const auto start = std::chrono::steady_clock::now();
    try {
      prove(kernel, where, settings, totals);
    } catch (const Refusal& refusal) {
      std::string reason = refusal.what();
      reason = reason.substr(reason.find(": ") + 2);
      const std::size_t word = reason.find("(word");
      if (word != std::string::npos) {  // the opcode bits tell unknown instructions apart
        const std::uint64_t low = std::stoull(reason.substr(word + 23, 16), nullptr, 16);
        reason = fmt::format("an instruction that is not known: opcode {:03x}", low & 0xfff);
      }
      ++totals.refused[reason];
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    totals.seconds += took.count();
    if (took.count() > totals.slowest) {
      totals.slowest = took.count();
      totals.slowest_name = fmt::format("{} ({} instructions)", kernel.name, kernel.code.size() / 16);
    }
  }
}

void sweep_file(const std::string& path, const Settings& settings, Totals& totals) {
  const cubin::MappedFile file(path);
  std::uint64_t number = 0;
  for (const cubin::FatbinEntry& entry : cubin::find_fatbin_entries(file.bytes())) {
    if (entry.kind != cubin::FatbinKind::cubin || (settings.sm != 0 && entry.sm != settings.sm)) continue;
    if (number++ < settings.skip) continue;
    if (totals.kernels >= settings.most) break;
    try {
      sweep_image(cubin::Image(cubin::extract(file.bytes(), entry)), path, settings, totals);
    } catch (const cubin::Error& error) {
      fmt::print("{}: {}\n", path, error.what());
    }
  }
}

int run(int count, char** arguments) {
  Settings settings;
  Totals totals;
  for (int k = 1; k < count; ++k) {
    const std::string argument = arguments[k];
    const auto value = [&] { return k + 1 < count ? std::stoull(arguments[++k]) : 0ULL; };
    if (argument == "--sm")
      settings.sm = static_cast<unsigned>(value());
    else if (argument == "--skip")
      settings.skip = value();
    else if (argument == "--most")
      settings.most = value();
    else if (argument == "--evaluations")
      settings.evaluations = value();
    else if (argument == "--verbose")
      settings.verbose = true;
    else if (argument == "--largest")
      settings.largest = value();
    else
      sweep_file(argument, settings, totals);
  }
  std::uint64_t refused = 0;
  for (const auto& [reason, n] : totals.refused) {
    fmt::print("refused {:6}: {}\n", n, reason);
    refused += n;
  }
  fmt::print("{} kernels, {} instructions: {} proved ({} changed), {} refused, {} faulty, {} too large\n",
             totals.kernels, totals.instructions, totals.proved, totals.changed, refused, totals.faulty,
             totals.skipped);
  fmt::print(
      "lost cycles a warp, by loop depth: {:.0f} -> {:.0f} of {:.0f} issue cycles; registers {} -> {}\n",
      totals.lost_before, totals.lost_after, totals.issue, totals.registers_before, totals.registers_lowest);
  fmt::print("{:.1f} s, the slowest {:.1f} s: {}\n", totals.seconds, totals.slowest, totals.slowest_name);
  return totals.faulty == 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpgauge::registers

int main(int count, char** arguments) {
  return warpgauge::registers::run(count, arguments);
}
