// The state of one warp while it executes. Plain data, see micro_op.h.
#pragma once

#include <cstdint>

#include "traces/emulator/micro_op.h"

namespace warpgauge::emulator {

inline constexpr unsigned convergence_registers = 16;
inline constexpr unsigned named_barriers = 16;

// Lanes that are at the same instruction and could run it.
struct Group {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  bool alone = false;  // what follows is for just these lanes: others at the same instruction do not join them
};

// What counts only for lanes that wait, or groups that do: few warps ever have any.
struct LanesApart {
  Group groups[lanes] = {};
  std::uint32_t synchronize_mask[lanes] = {};   // for whom a lane waits
  std::uint32_t resume[lanes] = {};             // where a lane that waits goes on
  std::uint32_t collective_target[lanes] = {};  // where ENDCOLLECTIVE sends a lane
};

// What every instruction asks for comes first and lies together.
struct alignas(64) Warp {
  std::uint32_t* rows = nullptr;        // see Row
  const std::uint32_t* pool = nullptr;  // of the launch
  // The group that runs. While lanes are converged, there is no other state of control flow than this.
  std::uint32_t pc = 0;
  std::uint32_t active = 0;    // 0: no group can run
  std::uint32_t alive = 0;     // lanes that have not exited
  std::uint32_t ahead = 0;     // lanes that came to a barrier together and wait there, while no other can run
  bool wants_switch = false;   // YIELD, NANOSLEEP: let another group or warp run
  bool gathered = false;       // the running group was gathered from lanes' own program counters
  std::uint64_t executed = 0;  // instructions
  std::uint32_t predicates[Predicate::count] = {};

  std::uint32_t index = 0;    // in the block
  std::uint32_t slot = 0;     // on the SM
  std::uint32_t initial = 0;  // lanes that exist
  std::uint32_t polls = 0;    // see poll()
  std::uint32_t loops = 0;    // backward branches since the warp was chosen to run
  std::uint32_t group_count = 0;
  std::uint32_t group_age = 0;  // instructions since the running group was chosen
  // Others that could run: the one that was set aside last, and before it those of which only their lanes'
  // own program counters are known (`groups`, the next one last).
  Group aside = {};

  std::uint32_t yielded = 0;            // who stands back at a YIELD: a BSYNC does not wait for them
  std::uint32_t last_to_wait = 0;       // who came last to a BSYNC and had to wait
  std::uint32_t restored = 0;           // bit n: Bn comes from a BMOV, not from a BSSY
  std::uint32_t synchronizing = 0;      // who waits at a WARPSYNC
  std::uint32_t collective = 0;         // who has met at a WARPSYNC.COLLECTIVE, or waits there
  std::uint32_t barriers_touched = 0;   // bit b: barrier_waiting[b] or barrier_arrived[b] is not empty
  std::uint32_t barrier_result = 0;     // of the last BAR.RED
  std::uint32_t barrier_predicate = 0;
  std::uint32_t convergence[convergence_registers] = {};  // B0…B15: who takes part
  std::uint32_t converging[convergence_registers] = {};   // who waits at a BSYNC
  std::uint32_t barrier_waiting[named_barriers] = {};     // lanes that wait at a block barrier
  std::uint32_t barrier_arrived[named_barriers] = {};     // lanes counted towards this warp's arrival

  std::uint32_t cluster_arrived = 0;  // lanes that have arrived at the cluster's barrier and it has not opened since
  std::uint32_t cluster_waiting = 0;  // all of the warp's lanes, which wait there
  bool cluster_counted = false;       // its lanes that are left have all arrived

  // The last check of a barrier object that found its phase to last, of lanes that agree about object and phase.
  const std::uint8_t* checked = nullptr;  // its state
  std::uint32_t checked_phase = 0;        // the upper bit
  std::uint32_t checked_mask = 0;         // lanes
  std::uint8_t checked_predicate = 0;     // that they wait to see set

  // What its fields do not name counts for nothing, and stays from block to block.
  LanesApart* apart = nullptr;
};

inline std::uint32_t* row(Warp& warp, Row r) {
  return warp.rows + r.bits;
}

inline const std::uint32_t* source(const Warp& warp, Row r) {
  return (r.bits & Row::pool_flag) != 0 ? warp.pool + (r.bits & ~Row::pool_flag) : warp.rows + r.bits;
}

inline std::uint32_t value(const Warp& warp, Predicate p) {
  return warp.predicates[p.index] ^ (0U - p.negate);
}

inline void set_predicate(Warp& warp, std::uint8_t index, std::uint32_t bits, std::uint32_t mask) {
  warp.predicates[index] = (warp.predicates[index] & ~mask) | (bits & mask);
}

}  // namespace warpgauge::emulator
