#include "traces/emulator/fault.h"

#include <fmt/format.h>

namespace warpgauge::emulator {
namespace {

std::string message(FaultKind kind, const std::string& what_happened, const FaultSite& site) {
  std::string text = fmt::format("{}: {}", describe(kind), what_happened);
  if (site.has_instruction) text += fmt::format(", at {:#06x} {}", site.code_offset, site.instruction);
  if (!site.kernel.empty()) text += fmt::format(", in kernel {}", site.kernel);
  if (site.thread)
    text += fmt::format(", by thread ({},{},{})", site.thread->x, site.thread->y, site.thread->z);
  if (site.block) text += fmt::format(" of block ({},{},{})", site.block->x, site.block->y, site.block->z);
  return text;
}

}  // namespace

// The numbers are those of the CUDA runtime's cudaError_t.
int cuda_error(FaultKind kind) {
  switch (kind) {
    case FaultKind::unknown_instruction:
    case FaultKind::illegal_instruction:
      return 715;  // cudaErrorIllegalInstruction
    case FaultKind::unsupported_instruction:
      return 801;  // cudaErrorNotSupported
    case FaultKind::illegal_address:
    case FaultKind::shared_out_of_range:
    case FaultKind::local_out_of_range:
    case FaultKind::constant_out_of_range:
      return 700;  // cudaErrorIllegalAddress
    case FaultKind::misaligned_address:
      return 716;  // cudaErrorMisalignedAddress
    case FaultKind::invalid_program_counter:
      return 718;  // cudaErrorInvalidPc
    case FaultKind::barrier_deadlock:
      return 702;  // cudaErrorLaunchTimeout
    case FaultKind::assertion:
      return 710;  // cudaErrorAssert
    case FaultKind::trap:
    case FaultKind::launch_failure:
      return 719;  // cudaErrorLaunchFailure
  }
  return 719;
}

std::string_view describe(FaultKind kind) {
  switch (kind) {
    case FaultKind::unknown_instruction:
      return "unknown instruction";
    case FaultKind::unsupported_instruction:
      return "unsupported instruction";
    case FaultKind::illegal_instruction:
      return "illegal instruction";
    case FaultKind::illegal_address:
      return "illegal address";
    case FaultKind::misaligned_address:
      return "misaligned address";
    case FaultKind::shared_out_of_range:
      return "shared memory access out of range";
    case FaultKind::local_out_of_range:
      return "local memory access out of range";
    case FaultKind::constant_out_of_range:
      return "constant memory access out of range";
    case FaultKind::invalid_program_counter:
      return "invalid program counter";
    case FaultKind::barrier_deadlock:
      return "deadlock";
    case FaultKind::assertion:
      return "assertion failed";
    case FaultKind::trap:
      return "trap";
    case FaultKind::launch_failure:
      return "launch failure";
  }
  return "fault";
}

Fault::Fault(FaultKind kind, const std::string& what_happened, FaultSite site)
    : std::runtime_error(message(kind, what_happened, site)),
      kind_(kind),
      what_happened_(what_happened),
      site_(std::move(site)) {}

}  // namespace warpgauge::emulator
