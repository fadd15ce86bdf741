// What an SM has on its calendar.
#pragma once

#include <cstdint>

namespace warpgauge::model {

enum class EventKind : std::uint8_t {
  release,         // a dependence counter of a warp falls by one, when LoadResults `value` are written
  done,            // the same, and the instruction is done
  reply,           // the memory system answers request `value`
  ack,             // the L2 has a store or reduction of generation `value` of a warp slot
  wake,            // a warp may be looked at again
  code,            // line `value` of the pending list arrives in the second level instruction cache
  walk,            // load of constants or MATCH `value` has its next turn
  slot,            // a place in a processing block's memory queue is free again
  constants_slot,  // or in that of its loads of constants
  fence,           // that of flight `value` comes to where accesses wait
  bulk,            // the next lines of bulk copy `value` are asked for
  patience,        // a warp has stood at a barrier object for as long as it does
  skipped,         // an access without lanes has its turn: `counter` that it writes, `value` as MemoryUnit has it
};

struct SmEvent {
  EventKind kind = EventKind::wake;
  std::uint8_t warp = 0;          // slot; for places in queues the processing block
  std::uint8_t counter = 7;       // 7: none
  std::uint8_t group = no_group;  // of asynchronous copies
  std::uint32_t value = 0;

  static constexpr std::uint8_t no_group = 0xff;
  // Of EventKind::release and done: the results wait for their cycles, for as many as the bits from 16 on
  // say, under the name in those below.
  static constexpr std::uint32_t waits = std::uint32_t{1} << 31;
};

}  // namespace warpgauge::model
