// Functions that the driver brings: printf, malloc and free. Their code is not the program's, and nobody has it: the warp
// stands for as long as the card was seen to take, and the memory system says how long it waits for others' calls
// (docs/h200.md, functions of the driver).
#include <algorithm>
#include <utility>

#include "model/sm/sm.h"

namespace warpgauge::model {
namespace {

using Called = traces::DriverCall::Function;

const CallSpec::Function& function_of(const CallSpec& spec, Called function) {
  if (function == Called::allocate) return spec.allocate;
  return function == Called::release ? spec.release : spec.print;
}

unsigned sum(const CallSpec::Cost& cost, const traces::DriverCall& call, unsigned empty_arguments) {
  return cost.once + cost.lane * (call.lanes - 1U) + cost.passed_lane * call.passed + cost.character * call.characters +
         cost.string_character * call.string_characters + cost.empty_argument * empty_arguments;
}

}  // namespace

template <class Sink>
bool Sm<Sink>::begin_call(unsigned slot) {
  const traces::DriverCall& call = issued_.call;
  const CallSpec& spec = spec_.calls;
  const CallSpec::Function& function = function_of(spec, call.function);
  if (function.cycles.once == 0 || call.lanes == 0) return false;
  Warp& warp = warps_[slot];
  Kernel& kernel = *warp.kernel;
  const unsigned empty = spec.print_arguments - std::min<unsigned>(spec.print_arguments, call.arguments);
  const unsigned instructions = sum(function.instructions, call, empty);
  kernel.counters.issued += instructions;
  kernel.counters.retired += instructions;
  kernel.counters.thread_instructions += std::uint64_t{instructions} * call.lanes;
  // malloc and free have code and memory in common.
  bool& called = call.function == Called::print ? kernel.printed : kernel.used_heap;
  const unsigned first = std::exchange(called, true) ? 0 : function.first;
  MemoryRequest out;
  out.at = now_ + 1;
  out.id = call_request | slot;
  out.sm = static_cast<std::uint16_t>(id_);
  out.kind = RequestKind::call;
  out.lanes = call.lanes;
  out.launch = kernel.launch.number;
  out.words = sum(function.cycles, call, empty) + first;
  if (call.function == Called::print) {
    out.turns = 2;
    out.before_stores = spec.print_before_stores + first;
    out.line = std::uint64_t{empty} * spec.print_empty_argument_stores * call.lanes;
  } else {
    out.line = sum(function.interval, call, 0);
  }
  ++counters_.requests;
  memory_.outbox().push_back(out);
  // Nothing but the answer lets it go on.
  warp.at_barrier = true;
  warp.reason = Stall::long_scoreboard;
  return true;
}

template <class Sink>
void Sm<Sink>::end_call(unsigned slot) {
  ++counters_.replies;
  warps_[slot].at_barrier = false;
  wake(slot, now_ + 1);
}

// Of these members; sm.cpp has the others.
template class Sm<NullSink>;
template class Sm<TimelineSink>;

}  // namespace warpgauge::model
