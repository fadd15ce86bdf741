// The exit codes of `warpgauge`, one a kind of failure, so that scripts can tell them apart.
#pragma once

namespace warpgauge::cli {

enum class ExitCode : int {
  ok = 0,
  internal = 1,        // a fault of Warpgauge itself
  usage = 2,           // options that do not fit together
  bad_file = 3,        // not a cubin, truncated, of an unknown architecture, malformed JSON, not readable
  no_such_kernel = 4,  // the file does not hold that kernel
  launch_does_not_fit = 5,  // more threads, registers or shared bytes than the card holds
  bad_arguments = 6,        // the argument list does not match the kernel's parameters
  unknown_instruction = 7,  // the kernel executes something that is not known or not modelled
  program_fault = 8,        // the kernel itself is wrong: out of bounds, misaligned, deadlock
  bad_calibration = 9,      // unknown device, or a calibration that does not load
  no_target = 10,           // no driver, no GPU, or one that is in use
  difference = 11,          // `trace diff` found one
  over_budget = 12,         // `validate --budget`: errors have grown
};

}  // namespace warpgauge::cli
