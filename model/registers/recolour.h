// The what-if itself: from a kernel's code to the same code with other registers and reuse flags.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <vector>

#include "model/registers/colouring.h"
#include "model/registers/reuse.h"

namespace warpgauge::registers {

enum class Change : std::uint8_t {
  banks,  // registers move, the compiler's reuse flags stay where they are still right
  reuse,  // registers stay, flags are set anew
  both,
  plant,  // the opposite: as many conflicts as can be had and no reuse flags, to see what they cost
};

// What becomes of the requests to give way to another warp, which empty the reuse cache.
enum class Yields : std::uint8_t {
  keep,
  drop_for_reuse,  // those that stand between a flag and the read that it serves
  drop,            // all that may be dropped
};

// Predicted cycles of the kernel with this code. Called from one thread.
using Judge = std::function<double(std::span<const sass::Instruction>)>;

struct RecolourOptions {
  Change change = Change::both;
  Yields yields = Yields::keep;  // a judge may keep more of them than this allows
  RegisterFile file;
  std::vector<double> weights;      // how often a warp runs each instruction; empty: by loop depth
  unsigned limit = register_count;  // the thread's registers; a new assignment stays below
  bool lower = false;               // use as few registers as the colouring can
  SearchOptions search;             // its `limit` is set here
  unsigned candidates = 4;  // assignments that are compared: other seeds, and a stricter view of the ports
  std::chrono::milliseconds judge_time{60'000};  // no further candidate after that
  Judge judge;                                   // none: the static count of lost cycles decides
};

struct Recoloured {
  std::vector<sass::Instruction> code;  // words already encoded only after encode_changes()
  Assignment assignment;
  ConflictReport before;
  ConflictReport after;
  unsigned registers_before = 0;
  unsigned registers_after = 0;
  std::size_t webs_moved = 0;
  std::size_t flags_set = 0;  // reuse flags that the original did not have
  std::size_t flags_cleared = 0;
  std::size_t yields_dropped = 0;
  double judged_before = 0;  // cycles, 0 without a judge
  double judged_after = 0;
};

// Except for Change::plant never worse than the original in the judge's eyes, or without one in lost cycles;
// except that `lower` may trade lost cycles for registers.
Recoloured recolour(const Analysis& analysis, const RecolourOptions& options);

}  // namespace warpgauge::registers
