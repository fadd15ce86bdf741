#include "cli/whatif_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/whatif/registers.h"
#include "cli/whatif/sweep.h"

namespace warpgauge::cli {
namespace {

constexpr const char* gpu_help = "v100, t4, h200, or the path of a calibration";
constexpr const char* set_help = "KEY=VALUE changes the calibration, e.g. l1.size_kib=256";

void add_registers(CLI::App& whatif) {
  auto o = std::make_shared<whatif::RegistersOptions>();
  CLI::App* command = whatif.add_subcommand("registers", "Give a kernel other registers and reuse flags");
  command->add_option("cubin", o->cubin, "Machine code: a cubin for the GPU's architecture")->required();
  command->add_option("--gpu", o->gpu, gpu_help)->capture_default_str();
  command->add_option("--set", o->changes, set_help);
  add_launch_options(*command, o->launch);
  command
      ->add_option("--change", o->change,
                   "What may change: none, banks (registers), reuse (flags) or both; plant looks for "
                   "conflicts instead")
      ->check(CLI::IsMember({"none", "banks", "reuse", "both", "plant"}))
      ->capture_default_str();
  command
      ->add_option(
          "--yields", o->yields,
          "Requests to give way to another warp: keep, reuse (drop those in the way of a reuse flag) or drop")
      ->check(CLI::IsMember({"keep", "reuse", "drop"}))
      ->capture_default_str();
  command->add_flag("--lower", o->lower, "Use as few registers as possible");
  command->add_option("--registers", o->registers, "What if a thread had this many registers")
      ->check(CLI::Range(1, 255));
  command->add_option("--banks", o->banks, "What if the register file had this many banks")
      ->check(CLI::Range(1, 4));
  command->add_option("--ports", o->ports, "What if a bank had this many read ports")
      ->check(CLI::Range(1, 4));
  command->add_flag("--no-reuse", o->no_reuse, "What if there were no reuse cache");
  command->add_option("--seed", o->seed, "Of the search; the same seed gives the same code")
      ->capture_default_str();
  command->add_option("--candidates", o->candidates, "Assignments that are tried on the model")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--seconds", o->seconds, "Try no further one after this time")->capture_default_str();
  command
      ->add_option("--run", o->run,
                   "Measure both versions on this machine's GPU, so often (20 unless told)")
      ->expected(0, 1)
      ->default_str("20")
      ->check(CLI::Range(1, 100'000));
  command->add_flag("--see", o->see, "Print the machine code with bank reads, conflicts and reuse hits");
  command->add_option("--svg", o->svg, "Draw which registers live, are read and written where");
  command->add_option("--tile-svg", o->tile_svg,
                      "Draw the registers of an outer product of FFMAs as a table");
  command->add_option("--json", o->json, "Write the outcome as JSON to this file; - for standard output");
  command->add_option("--output,-o", o->output, "Write the changed cubin");
  command->callback([o] { whatif::run_registers(*o); });
}

void add_sweep(CLI::App& whatif) {
  auto o = std::make_shared<whatif::SweepOptions>();
  CLI::App* command =
      whatif.add_subcommand("sweep", "Predict one launch on machines that differ in a few values");
  command->add_option("cubin", o->cubin, "Machine code: a cubin for the GPU's architecture")->required();
  command->add_option("--gpu", o->gpu, gpu_help)->capture_default_str();
  command->add_option("--set", o->changes, set_help);
  add_launch_options(*command, o->launch);
  command
      ->add_option(
          "--vary", o->vary,
          "KEY=VALUE,VALUE…: a key of the calibration, or `registers` for the thread's register count")
      ->required();
  command->add_flag("--csv", o->csv, "Print comma-separated values");
  command->add_option("--json", o->json, "Write the table as JSON to this file; - for standard output");
  command->add_option("--svg", o->svg, "Draw cycles over the first key");
  command->callback([o] { whatif::run_sweep(*o); });
}

void add_diff(CLI::App& whatif) {
  auto o = std::make_shared<whatif::DiffOptions>();
  CLI::App* command =
      whatif.add_subcommand("diff", "Predict two kernels, or one on two machines, side by side");
  command->add_option("cubin", o->cubin, "Machine code A")->required();
  command->add_option("other", o->other_cubin, "Machine code B; the same when not given");
  command->add_option("--gpu", o->gpu, gpu_help)->capture_default_str();
  command->add_option("--other-gpu", o->other_gpu, "The machine of B; the same when not given");
  command->add_option("--set", o->changes, set_help);
  command->add_option("--other-set", o->other_changes, "The same for the machine of B");
  add_launch_options(*command, o->launch);
  command->add_option("--other-kernel", o->other_kernel, "Kernel of B; the same name when not given");
  command->add_option("--json", o->json, "Write the comparison as JSON to this file; - for standard output");
  command->callback([o] { whatif::run_diff(*o); });
}

}  // namespace

void add_whatif_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("whatif", "Change the machine or the machine code, and predict again");
  command->require_subcommand(1);
  add_registers(*command);
  add_sweep(*command);
  add_diff(*command);
}

}  // namespace warpgauge::cli
