// Which lanes of a warp run together: groups of lanes at one instruction, convergence barriers (BSSY, BSYNC,
// BREAK), WARPSYNC and exits. Lanes are scheduled independently: a group that spins lets the others run.
//
// The rules were found out on an H200, from the order in which groups of lanes log what they do and from how
// often each kernel's instructions are executed (docs/emulator.md):
// - Where a branch parts lanes, the smaller part runs on; of two of the same size, the one that does not
// branch.
// - The other part is set aside, and runs again when the running group waits or exits. There is one such
// place: a
//   group that is in it already is let go, and only its lanes' program counters are kept.
// - When nothing is set aside, all lanes that are at the instruction of the group that was let go last run
//   together, wherever they came from, also those that wait there at a BSYNC.
// - Bn is one mask for the warp. BSSY adds to it, and who goes on empties it.
#pragma once

#include <cstdint>

#include "traces/emulator/block.h"

namespace warpgauge::emulator {

// BMOV's numbers of thread states: B0…B15 come first.
inline constexpr unsigned state_exited = 24;  // MEXITED
inline constexpr unsigned state_active = 26;  // MACTIVE

// After this many instructions of one group, a backward branch lets another group of the warp run: it may
// wait for it. A group that polls memory gets a shorter turn.
inline constexpr std::uint32_t group_turn = 65536;
inline constexpr std::uint32_t polling_turn = 256;

// `taken` of the running lanes go to `target`, the others on to warp.pc. To go back is a loop's turn, unless it is a call.
void branch(Warp& warp, std::uint32_t taken, std::uint32_t target, bool calls = false);

// A jump to targets that registers hold goes to that of the lowest lane; lanes that go elsewhere execute the
// jump, at `again`, once more (the card counts an instruction for each target). The smaller part runs first.
void branch_indirect(Warp& warp, std::uint32_t mask, const std::uint32_t* targets, std::uint32_t again);

// Takes `mask` off the running group; its lanes go on at `resume` once something releases them.
void suspend(Warp& warp, std::uint32_t mask, std::uint32_t resume);

// Lanes that waited can run again, each at its warp.apart->resume.
void release(Warp& warp, std::uint32_t mask);

// Lets another group run if there is one, for a while: NANOSLEEP, and what may be a loop that waits for it.
void take_turns(Warp& warp);

// YIELD: as take_turns, and nobody waits for the group meanwhile. Lanes at a BSYNC for which only it is
// missing, and others that stand back, go on before it, unless it comes to that BSYNC next.
void yield_group(Warp& warp);

// Makes the group that was set aside the running one, or gathers lanes that can run.
void choose_group(Warp& warp);

void begin_convergence(Warp& warp, unsigned barrier, std::uint32_t mask);        // BSSY
void restore_convergence(Warp& warp, unsigned barrier, std::uint32_t mask);      // BMOV
void converge(Warp& warp, unsigned barrier, std::uint32_t mask);                 // BSYNC
void leave_convergence(Warp& warp, unsigned barrier, std::uint32_t mask);        // BREAK
// All of `mask` name lanes of `mask` alone. At a WARPSYNC they go on as one, whoever names whom: an H200 counts one EXIT
// behind one at which each lane names the lanes with its own value (HeCBench's atomicAggregate).
bool among_themselves(const Warp& warp, std::uint32_t mask, const std::uint32_t* members);
// WARPSYNC.EXCLUSIVE at `again`: of lanes that are all here, those that name one mask go on, and the others execute it again
// when their turn comes; an H200 counts it once for each mask. Returns false, and does nothing, where they name one, or
// some have yet to come.
bool one_mask_goes_on(Warp& warp, std::uint32_t mask, const std::uint32_t* members, std::uint32_t again);
void synchronize(Warp& warp, std::uint32_t mask, const std::uint32_t* members);  // WARPSYNC
// WARPSYNC.COLLECTIVE: as WARPSYNC, but those who meet run together whichever of these instructions they came
// to, at the code behind that of the lowest lane, until end_collective sends each to its own target.
void synchronize_collective(Warp& warp, std::uint32_t mask, const std::uint32_t* members,
                            std::uint32_t target);
void end_collective(Warp& warp, std::uint32_t mask);
void exit_lanes(Block& block, Warp& warp, std::uint32_t mask);

// Block barriers.
enum class BarrierReduce : std::uint8_t { popc, and_, or_ };
struct Arrival {
  unsigned barrier = 0;
  std::uint32_t threads = 0;  // 0: all of the block
  bool waits = true;
  bool reduces = false;
  std::uint32_t predicate = 0;
  BarrierReduce reduce = BarrierReduce::popc;
};
void arrive(Block& block, Warp& warp, std::uint32_t mask, const Arrival& arrival);

}  // namespace warpgauge::emulator
