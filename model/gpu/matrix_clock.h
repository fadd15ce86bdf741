// The clock of SMs whose matrix units work, beside that of the memory system.
//
// On an H200 a GPC's clock is slower for a while after each matrix instruction of one of its SMs, and slower
// still when that is the first one for long (docs/h200.md, a GPC whose matrix units work). L2 and memory keep
// theirs: to the SMs they are the faster. Both count cycles of the SMs' full clock here, the memory system as
// many as have gone by and the SMs those that they have had. The SMs of all GPCs have one clock, the mean of
// those whose matrix units have worked.
#pragma once

#include <cstdint>
#include <vector>

#include "model/sm/types.h"

namespace warpgauge::model {

struct MatrixClockSpec {
  double slow = 0;  // cycles lost for each that the SMs have while a matrix instruction holds the clock down; 0: none ever does
  Cycle hold = 0;   // for so long after it
  // Lost beside that by the first one after as long as that or longer:
  double start = 0;
  double start_more = 0;       // and these, but for 1/e
  double start_more_time = 1;  // of them where it is so many cycles longer
  Cycle start_time = 1;        // in so many cycles, evenly
  unsigned own_latency = 0;  // of an L2 hit's way there and back, what does not follow the SMs' clock
};

class MatrixClock {
 public:
  MatrixClock(const MatrixClockSpec& spec, std::vector<unsigned> gpc_of_sm);

  // How long a window of the SMs may be in which no more than `cycles` of the memory system's go by, whatever they do; `multiply`:
  // whether that may be matrix instructions.
  [[nodiscard]] Cycle window(Cycle cycles, bool multiply) const;

  // What has gone by has nothing to do with what comes: nothing holds the clock down.
  void forget();
  // An SM's first and last matrix instruction of a window that has not passed. Where they slow no clock down
  // nothing comes of it.
  void multiplied(unsigned sm, Cycle first, Cycle last);
  // A window of the SMs is over: all up to `until`.
  void pass(Cycle until);

  // The memory system's time of one of the last window or later, up; and the SMs' of one of the memory system's, to whom the past is
  // as if nothing had been lost since.
  [[nodiscard]] Cycle beyond(Cycle at) const;
  [[nodiscard]] Cycle within(Cycle at) const;
  // By how much an answer of the L2 is late in the SMs' time because part of its way has their clock: behind the last window.
  [[nodiscard]] Cycle way(unsigned round_trip) const;

  // Whether some were lost in the last window.
  [[nodiscard]] bool slowed() const { return share_ > 0; }
  // Cycles that the SMs' clock has lost by `at`, no sooner than the last window's end; and each GPC's.
  [[nodiscard]] double lost(Cycle at) const { return lost_ + losing(at); }
  [[nodiscard]] std::vector<double> lost_by_gpc(Cycle at) const;

 private:
  struct Gpc {
    bool held = false;  // a matrix instruction has been
    Cycle last = 0;     // when
    Cycle start = 0;    // the first one after a while
    double each = 0;  // cycles lost for each of start_time from there, with what was left of the start before
    // In the window that has not passed:
    bool again = false;
    Cycle next_first = 0;
    Cycle next_last = 0;
    double lost = 0;
  };
  // Cycles that a matrix instruction loses which comes so long after the last one, beside those for which it
  // holds the clock down.
  [[nodiscard]] double lost_at_start(double idle) const;
  // What a GPC loses between them, should nothing come.
  [[nodiscard]] double losing(const Gpc& gpc, Cycle from, Cycle until) const;
  // What those that have multiplied lose in the mean from the last window's end on.
  [[nodiscard]] double losing(Cycle until) const;

  MatrixClockSpec spec_;
  std::vector<unsigned> gpc_of_sm_;
  std::vector<Gpc> gpcs_;
  Cycle begin_ = 0;  // of the last window
  Cycle until_ = 0;
  unsigned held_ = 0;       // GPCs
  double lost_before_ = 0;  // it
  double share_ = 0;        // and in it, for each of its cycles
  double lost_ = 0;         // with it
};

}  // namespace warpgauge::model
