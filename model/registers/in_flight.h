// Registers that an issued instruction has still to read or to write.
//
// Instructions of variable latency read their sources and write their results some time after they issue; the
// compiler guards a later writer of such a register with a dependence counter in the control word. Where it
// saw no later writer, it set no counter. A new assignment puts other writers there, so a register in flight
// must count as occupied: until an instruction waits for the counter that covers it, or without one until the
// thread ends. Fixed-latency instructions are covered by the pipeline's order, except a result that nothing
// reads (it could land after a later, quicker one) and matrix instructions, which read for several cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "model/registers/control_flow.h"
#include "model/registers/effects.h"

namespace warpgauge::registers {

// Upper bounds on how long after its issue a fixed-latency instruction may still touch a register, in issue
// cycles of its own warp. Longer than any published latency (Jia2018 table 4.1: 4…8 for arithmetic; matrix
// instructions up to 33 cycles in Raihan 2019), so that the bound can only cost freedom.
struct InFlightBounds {
  unsigned arithmetic_write = 16;
  unsigned matrix_read = 24;
  unsigned matrix_write = 48;
};

// Calls `f(writer, in_flight, access)` for every instruction `writer` that writes a register while access
// number `access` (of AccessTable::all()) of the instruction `in_flight` may be pending. Pairs come in a
// fixed order and may repeat. An access of the writer itself is never reported.
using InFlightVisitor =
    std::function<void(std::uint32_t writer, std::uint32_t in_flight, std::size_t access)>;
void for_each_write_in_flight(std::span<const sass::Instruction> code, const ControlFlow& flow,
                              const AccessTable& accesses, const InFlightVisitor& f,
                              const InFlightBounds& bounds = {});

}  // namespace warpgauge::registers
