// Instruction fetch: the L0 cache of each processing block with its stream buffer, the second level of the
// SM, and what lies behind it.
//
// Fetch follows the warps line by line: as long as a warp stays in a line that it holds, its buffer of
// decoded instructions keeps up with issue, since both move one instruction a cycle. A warp that enters
// another line looks it up when its fetch pointer gets there, which is buffer_entries instructions before
// issue does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/large_pages.h"
#include "model/memory/servers.h"
#include "model/sm/spec.h"

namespace warpgauge::model {

// Set-associative tags with least-recently-used replacement: small, for code and constants.
class TagCache {
 public:
  TagCache(unsigned lines, unsigned ways);
  // True if the line is there, which makes it the most recent.
  bool touch(std::uint64_t line);
  [[nodiscard]] bool contains(std::uint64_t line) const;
  void insert(std::uint64_t line);
  void clear();

 private:
  [[nodiscard]] std::size_t set_of(std::uint64_t line) const {
    return static_cast<std::size_t>(line % sets_) * ways_;
  }
  unsigned sets_;
  unsigned ways_;
  LargeVector<std::uint64_t> tags_;  // line + 1; each set most recent first
};

// A line that has to come from beyond the SM.
struct CodeRequest {
  std::uint64_t line = 0;  // device address / line bytes
  Cycle at = 0;
};

// The second level of one SM: what it holds, and when it can next deliver.
class InstructionL1 {
 public:
  explicit InstructionL1(const FrontEndSpec& spec);

  // When the line asked for at `now` is in the L0, or `never` if it must come from the L2: then `leaves` is
  // the cycle of the request for the first to ask, `never` for others, and arrived() tells when the line is
  // here.
  Cycle request(std::uint64_t line, Cycle now, Cycle& leaves);
  // Where a cluster's SMs have one second level in common, all of them hold the same code, so that each may have tags of its
  // own; but its lines are given out one after the other: those that others have asked for come first. The chip says how
  // long that takes, for what has been asked for (take_asked()) until now.
  void queue(Cycle cycles) { queue_ = cycles; }
  // The lines asked for since the last time, in place of what `lines` has.
  void take_asked(std::vector<std::uint64_t>& lines) {
    lines.clear();
    lines.swap(asked_);
  }

  // A launch brings lines `first` up to `end`, one after the other from `at` on: whoever asks for one earlier waits, or has it
  // from memory if that is sooner.
  void bring(std::uint64_t first, std::uint64_t end, Cycle at);
  // Nothing is delivered before `at`.
  void begin(Cycle at) { begins_ = std::max(begins_, at); }

  // Asks the L2 for a line that is neither here nor under way; returns when, `never` if there is no need.
  Cycle prefetch(std::uint64_t line, Cycle now);
  // One of those who asked for a line does not want it any more. If nobody else does and its turn has not come, who asks
  // next has it: a jump does not wait for what was fetched ahead of where it came from.
  void give_up(std::uint64_t line, Cycle now);
  // When a line that the L2 has given at `now` gets its turn to the SM.
  Cycle deliver(std::uint64_t line, Cycle now);
  // A line has come from the L2.
  void arrived(std::uint64_t line);
  [[nodiscard]] bool holds(std::uint64_t line) const { return tags_.contains(line); }
  [[nodiscard]] bool pending(std::uint64_t line) const;
  [[nodiscard]] bool idle() const { return pending_.empty(); }

  std::uint64_t hits = 0;
  std::uint64_t misses = 0;

 private:
  Cycle fetch(std::uint64_t line, Cycle now);
  // When a line is here that the tags hold.
  [[nodiscard]] Cycle brought(std::uint64_t line, Cycle now) const;
  // When a line gets its turn to the SM: the first time from `now` on at which no other has it. Streams ask for what lies ahead
  // from a time on at which they will be there, and others may go before.
  double deliver_turn(std::uint64_t line, Cycle now);

  FrontEndSpec spec_;
  TagCache tags_;
  std::vector<std::uint64_t> pending_;
  // Lines on their way to the SM: who asks for one meanwhile takes it as well.
  struct Delivery {
    std::uint64_t line = ~std::uint64_t{0};
    Cycle ready = 0;
    unsigned wanted = 0;  // by so many
    double turn = 0;
  };
  std::array<Delivery, 8> deliveries_{};
  struct {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    Cycle at = 0;
  } brought_;
  unsigned next_delivery_ = 0;
  Cycle queue_ = 0;
  std::vector<std::uint64_t> asked_;
  Cycle begins_ = 0;
  std::vector<double> turns_;  // the last ones and those to come, in order
  Server l2_;  // asked for one line after the other
};

// The L0 of one processing block, with its stream buffer.
//
// Lines come in groups of prefetch_lines. A miss fetches the line asked for and those behind it that complete
// a group; some cycles (prefetch_delay) after the first access to a group the next one is asked for, wherever
// in the group that access falls. So straight-line code takes one latency of the second level and that delay
// for each group, and a jump that lands in the group ahead finds it on its way (probe fetch.timeline on an
// H200: of straight-line code three lines of 128 bytes arrive every 48 cycles; of jumps over four lines every
// third takes the whole latency). What has been asked for comes, and takes a place, whether a warp gets there or
// not (by hand, stretches_of_code: loops of stretches of two lines, six lines apart, are out of 32 KiB when there
// are more than 42 of them; each takes 69 cycles then, also where a target is the last line of the group ahead,
// from which the next one is asked for before it has come). The second level asks the L2 for one
// group more, so that code from there takes half a latency of the L2 for each group (probe fetch.spread: 45
// cycles a line for each of one to four warps that run code of their own).
//
// Where processing blocks share one, each has some lines of its own before it: what is among them needs not be
// in the shared one.
class InstructionL0 {
 public:
  // `lines`: what it holds, of its own or that of all processing blocks.
  InstructionL0(const FrontEndSpec& spec, TagCache& lines);

  struct Lookup {
    Cycle ready = 0;  // `never`: comes from beyond the SM, ask again after arrived()
  };

  // Looks a line up at `now` for one of the processing block's warps; lines that have to come from beyond the
  // SM are added to `requests`.
  Lookup lookup(std::uint64_t line, unsigned warp, Cycle now, InstructionL1& next,
                std::vector<CodeRequest>& requests);
  // The same for a branch's target. Before a shared L0 each processing block holds some lines itself; what straight-line code
  // enters has come from there in time, a target has not.
  Lookup target(std::uint64_t line, unsigned warp, Cycle now, InstructionL1& next, std::vector<CodeRequest>& requests);
  // A branch has left the line before this one, into which fetch has run ahead.
  void pass(std::uint64_t line);
  // Lines that have arrived by `now` move into the cache.
  void settle(Cycle now) {
    if (now >= settles_at_) settle_flights(now);
  }
  void arrived(std::uint64_t line, Cycle ready, InstructionL1& next, std::vector<CodeRequest>& requests);

  std::uint64_t hits = 0;
  std::uint64_t misses = 0;

 private:
  struct Flight {
    std::uint64_t line = 0;
    Cycle asked = 0;
    Cycle ready = never;
    bool ahead = false;     // of the group that no access has entered
    std::uint8_t warp = 0;  // whose stream it is
  };
  // Each warp's straight-line code is a stream of its own (probe fetch.spread: two warps of a block that run
  // code of their own take turns without loss).
  struct Stream {
    std::uint64_t ahead = 0;  // first line of the group ahead
    std::uint64_t last_line = ~std::uint64_t{0};
    std::uint64_t awaited = ~std::uint64_t{0};  // line that it entered a group with, on its way from the L2
  };
  Flight* in_flight(std::uint64_t line);
  void settle_flights(Cycle now);
  void fetch_group(std::uint64_t first, unsigned warp, Cycle at, bool ahead, InstructionL1& next,
                   std::vector<CodeRequest>& requests);
  void prefetch_group(std::uint64_t first, Cycle at, InstructionL1& next, std::vector<CodeRequest>& requests);

  // The group behind the one that a warp's stream has entered is asked for, some cycles after `at`.
  void run_ahead(unsigned warp, Cycle at, InstructionL1& next, std::vector<CodeRequest>& requests);
  // Of its own, and come.
  bool holds(std::uint64_t line);
  // A line that is here: if it is of the group ahead, whoever has brought that, its stream goes on.
  Lookup hit(std::uint64_t line, unsigned warp, Cycle now, InstructionL1& next, std::vector<CodeRequest>& requests);
  // A line that is not among its own; settle() has been called.
  Lookup find(std::uint64_t line, unsigned warp, bool jump, Cycle now, InstructionL1& next,
              std::vector<CodeRequest>& requests);

  FrontEndSpec spec_;
  unsigned group_;
  TagCache& tags_;
  TagCache own_;  // before a shared L0
  // The line behind the last target that was not among them.
  std::uint64_t behind_target_ = ~std::uint64_t{0};
  Cycle behind_target_at_ = 0;
  std::vector<Flight> flights_;
  Cycle settles_at_ = never;  // none of them moves into the cache before
  std::array<Stream, max_warps_per_subcore> streams_{};
};

}  // namespace warpgauge::model
