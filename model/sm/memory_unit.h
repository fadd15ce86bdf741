// The memory pipeline of an SM up to the L1 tags.
//
// Each processing block has a short queue and an address unit; one unit, shared by all blocks, takes their
// instructions in turn. What an instruction waits for there delays everything that it does by as much: its
// place in the queue, its source registers and its result become free a fixed time after the start of its
// service. Passes over the data array, of shared memory and of the L1, follow each other without overlap; an
// instruction's result waits for its turn there, and so many cycles of waiting passes hold the shared unit
// back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/large_pages.h"
#include "model/memory/request.h"
#include "model/memory/sector_cache.h"
#include "model/pool.h"
#include "model/sm/calendar.h"
#include "model/sm/cluster.h"
#include "model/sm/constant_cache.h"
#include "model/sm/counters.h"
#include "model/sm/data_stage.h"
#include "model/sm/event.h"
#include "model/sm/queued_op.h"
#include "model/sm/stored_lines.h"
#include "model/sm/way_out.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

class MemoryUnit {
 public:
  // `data_bytes`: of the data cache, what shared memory leaves of the unified memory. `constants_beyond`:
  // what an LDC from the L2 takes beyond a request's way there and back.
  MemoryUnit(const SmSpec& spec, unsigned sm, unsigned cpc, unsigned data_bytes, Cycle constants_beyond,
             Calendar<SmEvent>& calendar, ConstantCaches& constants, SmCounters& counters);

  // Whose the warp is that is in a slot from now on: where its accesses are counted (requests and replies are the
  // SM's), and the number that its launch's requests carry.
  void assign(unsigned warp, SmCounters& counters, std::uint8_t launch, std::uint8_t block, ClusterState* cluster) {
    owners_[warp] = {&counters, launch, block, cluster};
  }
  [[nodiscard]] ClusterPorts& ports() { return ports_; }
  void read_by_others(Cycle at, double passes) {
    read_by_others_ += passes;
    const auto whole = static_cast<unsigned>(read_by_others_);
    if (whole == 0) return;
    read_by_others_ -= whole;
    data_.read_by_others(at, whole);
  }
  // Barrier objects of the SM's blocks, as others of the cluster touch them.
  [[nodiscard]] BarrierObjects& objects() { return objects_; }
  // A copy into the block's memory is there at `at`.
  void landed(const BarrierObjects::Place& object, std::uint32_t copy, Cycle at);
  // Something may have ended phases of the block's objects; who stands there is told at `at`.
  void tell_waiters(std::uint8_t block, Cycle at);
  // The warp has stood at a barrier object for as long as it does (EventKind::patience).
  void lose_patience(std::uint8_t warp, std::uint8_t counter, Cycle now);
  // A warpgroup product that begins then takes so many passes of the data array.
  void product_reads(double begin, unsigned passes) { data_.product(begin, passes); }
  void ask(PhaseSource& phases) { phases_ = &phases; }
  // The next lines of a bulk copy are asked for.
  void step_bulk(std::uint32_t which, Cycle now);
  // What a launch's first block finds in an SM: nothing of the L1 that is valid, since others may have written meanwhile.
  void begin_launch();
  // Another division between the L1 and shared memory, of an SM without warps.
  void set_data_bytes(unsigned data_bytes);

  // Whether the queue of a processing block takes no more: that to the L1 and shared memory, that of loads of
  // constants.
  [[nodiscard]] bool full(unsigned subcore) const { return is_full(accesses_.queues[subcore]); }
  [[nodiscard]] bool constants_full(unsigned subcore) const {
    return is_full(constant_loads_.queues[subcore]);
  }

  // Queues an instruction that issues at `now`; the queue is not full.
  void push(unsigned subcore, const StaticOp& op, const traces::Issued& issued, const Issuer& issuer, Cycle now);

  // An access in which no lane takes part issues at `now`: it takes its turn at the queue's entrance and a cycle of the data stage,
  // and waits for nothing that the L1 has no room for (docs/h200.md, accesses without lanes).
  void skip(unsigned subcore, unsigned warp, const StaticOp& op, Cycle now);
  // That turn.
  void pass(const SmEvent& skipped, Cycle now);

  // A warp's fence of the GPU: whether it waits to be acknowledged like a store. It asks the L2 once the accesses that wait have had
  // their turn, if the SM has asked that for anything since the last fence did; while one is under way, others wait for it, and what
  // has left meanwhile for the next one.
  bool fence(unsigned warp, std::uint32_t generation, Cycle now);
  // It comes to where accesses wait.
  void line_up(std::uint32_t flight, Cycle now);

  // A fence of the block's shared memory is done, and lets go of its counters, once what waits in its processing block's queue has
  // been served and its passes are over (docs/h200.md, fences behind the memory queue).
  void drain(unsigned subcore, unsigned warp, const StaticOp& op, Cycle now);

  // When the shared unit wants its next turn, `never` while it has nothing to do or waits for an answer.
  [[nodiscard]] Cycle next_tick() const { return std::min(accesses_.tick_at, constant_loads_.tick_at); }
  // The shared unit's turn at `now`, after the processing blocks have issued. `served(op)`: what it takes.
  template <class Served>
  void tick(Cycle now, Served served) {
    for (Way* way : {&accesses_, &constant_loads_}) {
      if (way->tick_at > now && !way->watched) continue;
      if (const QueuedOp* op = serve_next(*way, now)) served(*op);
    }
  }
  // A place in the queue of a block is free again: that of constants, or the other.
  void free_slot(unsigned subcore, bool constants) {
    --way_of(constants).queues[subcore].used;
  }
  // How many loads of constants of a processing block have yet to be served.
  [[nodiscard]] unsigned constants_waiting(unsigned subcore) const { return constant_loads_.queues[subcore].waiting; }
  // The next turn of a load of constants or a MATCH that has several.
  void walk(std::uint32_t id, Cycle now);
  // Asks the L2 for a line of the constant caches, unless that is under way.
  void fetch_constants(std::uint64_t line, Cycle at);
  // The memory system's answer.
  void reply(std::uint32_t id, Cycle now);
  // When the unit that takes addresses of constants, values of MATCH and targets of branches through registers in turn has one of
  // them, which keeps it for so many cycles.
  Cycle take_constant_turn(Cycle now, unsigned cycles) {
    const Cycle turn = std::max(now, constant_free_);
    constant_free_ = turn + cycles;
    return turn;
  }
  // What an answer that will come touches is brought into the host's caches: first the request itself, then what it names.
  void prefetch(std::uint32_t id) const { __builtin_prefetch(&fills_[id]); }
  void prefetch_named(std::uint32_t id) const {
    const Fill& fill = fills_[id];
    if (fill.flight != none) __builtin_prefetch(&flights_[fill.flight]);
    if (fill.entry == SectorCache::none) return;
    __builtin_prefetch(&lines_[fill.entry]);
    tags_.prefetch_entry(fill.entry);
  }

  [[nodiscard]] std::vector<MemoryRequest>& outbox() { return outbox_; }
  [[nodiscard]] std::vector<LateWords>& late_words() { return late_words_; }
  // What takes place in a line now: loads that ask nobody for it; and, once the window has ended, stores that have joined a request
  // which does not tell of its turn, or has had it.
  struct LineTurn {
    std::uint8_t launch = 0;
    std::uint32_t ticket = traces::Issued::no_ticket;
    std::uint64_t begin = 0;  // its first byte
  };
  [[nodiscard]] std::vector<LineTurn>& loads_now() { return loads_now_; }
  [[nodiscard]] std::vector<LineTurn>& late_turns() { return late_turns_; }
  // The request has its turn: `take` is called with all that takes place with it.
  template <class F>
  void give_turn(std::uint32_t id, F take) {
    Fill& fill = fills_[id];
    fill.awaits_turn = false;
    for (std::uint32_t which = std::exchange(fill.tickets, none); which != none;) {
      const Ticket ticket = tickets_[which];
      take(LineTurn{fill.launch, ticket.number, fill.line * spec_.l1.line_bytes});
      tickets_.give_back(which);
      which = ticket.next;
    }
  }
  // The port is busy until `free` with what was in the outbox.
  void port_busy_until(Cycle free) { way_out_.busy_until(free); }
  [[nodiscard]] bool idle() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] unsigned lines_in_flight() const { return lines_in_flight_; }

 private:
  static constexpr unsigned queue_size = max_memory_queue;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Queue {
    std::array<std::uint8_t, queue_size> ops{};  // in ops_, from `head` on
    unsigned head = 0;
    unsigned waiting = 0;  // not yet in service
    unsigned used = 0;     // places taken, those in service included
    std::uint32_t pushed = 0;  // so far
    Cycle address_free = 0;
    Cycle ready = 0;       // of the first that waits

    // Whether all are in service that came before there were so many.
    [[nodiscard]] bool has_served(std::uint32_t so_many) const {
      return static_cast<std::int32_t>(pushed - waiting - so_many) >= 0;
    }
  };

  // The processing blocks' queues to a unit that they share, and the unit. Loads of constants have queues of
  // their own: on the card none waits for loads and stores that the L1 has no room for.
  struct Way {
    std::array<Queue, max_subcores> queues;
    unsigned turn = 0;  // block that the unit asks first
    Cycle free = 0;
    bool blocked = false;  // waits for a reply
    Cycle tick_at = never;  // when the unit wants its next turn
    // What it waits for may come sooner than that: it is looked at whenever either unit has a turn.
    bool watched = false;
  };

  // An instruction that waits for lines.
  struct Flight {
    std::uint8_t warp = 0;
    std::uint8_t counter = 7;
    std::uint8_t group = SmEvent::no_group;
    std::uint16_t remaining = 0;
    bool acknowledged = false;  // a store or reduction: the instruction is done when it has left the SM
    std::uint32_t generation = 0;
    std::uint16_t after = 0;    // last line to release of the result
    std::uint16_t passes = 0;   // over the data array once all lines are here
    std::uint16_t copy_cycles = 0;  // of a copy past the L1, see QueuedOp
    std::uint32_t results = 0;  // LoadResults
    std::uint32_t walk = none;  // that goes on, instead of a result
    std::uint32_t behind = none;  // its warp's next that brings something
    bool load = false;            // or a copy
    bool here = false;            // has all its lines, and waits for those of its warp before it
  };

  // A load of constants or a MATCH: its addresses, or its lanes' values, take their turns one after the
  // other. The next begins a fixed time after the one before has what it needs, so that a load's misses add
  // up, while the turns of others come between.
  struct Walk {
    std::uint8_t warp = 0;
    std::uint8_t read_counter = 7;
    std::uint8_t write_counter = 7;
    std::uint8_t group = SmEvent::no_group;
    bool match = false;
    std::uint16_t war = 1;  // last turn to release of the sources and of the result
    std::uint16_t raw = 1;
    std::uint16_t count = 1;
    std::uint16_t at = 0;
    bool again = false;   // the address at hand found no place for its line
    bool here = false;    // its line has come
    bool first = true;    // of its warp's that are under way
    bool ready = false;   // has all it needs, at `turn`, and waits for those before
    Cycle turn = 0;
    std::uint32_t behind = none;  // its warp's next one
    std::array<std::uint64_t, traces::warp_size> addresses{};
  };

  // A request on its way, with those that wait for it.
  struct Fill {
    std::uint32_t entry = SectorCache::none;  // of the data cache
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;
    std::uint32_t flight = none;   // that waits for it first,
    std::uint32_t waiters = none;  // and the others, in order; of constants the last first
    std::uint32_t last_waiter = none;
    std::uint32_t next = none;     // of the same line
    bool load = true;
    bool store = false;
    float return_cycles = 0;  // of the way back, of an atomic's results
    std::uint32_t bulk = none;  // the copy that it is of
    std::uint32_t tickets = none;  // of what takes place at its turn, the first of Ticket
    std::uint8_t launch = 0;       // and whose that is
    bool awaits_turn = false;      // of which its request will tell
    bool constant = false;  // `line` is one of the constant caches
    bool has_place = false;  // in the L1's data, be its line still known there or not
  };

  // An access that takes place, as far as a line goes, when a request has its turn.
  struct Ticket {
    std::uint32_t number = traces::Issued::no_ticket;  // see traces::Issued
    std::uint32_t next = none;
  };
  // It takes place with the request that it is of, or has joined, if that has its turn yet.
  void take_place_with(std::uint32_t fill, std::uint32_t ticket);

  // A fence behind what waited in the queues when it came: of each, so many instructions from the first on.
  struct WaitingFence {
    std::array<std::uint32_t, max_subcores> behind{};
    std::uint32_t flight = none;
  };

  // One of a block's shared memory behind what waited in its processing block's queue.
  struct Drain {
    std::uint32_t behind = 0;
    std::uint8_t subcore = 0;
    SmEvent event;
    unsigned after = 0;  // cycles that it takes by itself
  };
  void end_drains(unsigned subcore, Cycle now);

  struct Waiter {
    std::uint32_t flight = none;
    std::uint32_t next = none;
  };

  [[nodiscard]] unsigned subcore_of(unsigned warp) const { return warp % spec_.subcores; }
  static void schedule(Way& way, Cycle at) { way.tick_at = at < way.tick_at ? at : way.tick_at; }
  [[nodiscard]] Way& way_of(bool constants) { return constants ? constant_loads_ : accesses_; }
  [[nodiscard]] bool is_full(const Queue& queue) const { return queue.used >= spec_.memory.queue_entries; }
  // What is taken; none: nullptr.
  const QueuedOp* serve_next(Way& way, Cycle now);
  // When the unit can take a queue's first instruction: when that is ready, and the unit.
  [[nodiscard]] static Cycle ready_of(const Queue& queue) {
    return std::max(queue.ready, queue.address_free);
  }
  [[nodiscard]] Cycle free_from(const Way& way) const {
    // What is under way at the unit for constants goes first.
    return std::max(way.free, &way == &constant_loads_ ? constant_free_ : data_.room());
  }
  void serve(const QueuedOp& op, Cycle start);
  void serve_shared(const QueuedOp& op, Cycle start);
  void serve_lines(const QueuedOp& op, Cycle taken);
  void load_lines(const QueuedOp& op, Cycle start);
  // The lines of a store as they pass the tags, one of each bank a turn; those of others as they are.
  using LineOrder = std::array<std::uint8_t, max_lines_per_access>;
  [[nodiscard]] LineOrder by_turns(const QueuedOp& op) const;
  // Stores and atomics.
  void store_lines(const QueuedOp& op, Cycle taken, Cycle start);
  void serve_constants(const QueuedOp& op, Cycle start);
  void serve_cluster(const QueuedOp& op, Cycle start);
  void serve_object(const QueuedOp& op, Cycle start);
  void arrive(const QueuedOp& op, std::uint32_t offset, Cycle start);
  void begin_bulk(const QueuedOp& op, Cycle start);
  void ask_bulk(std::uint32_t which, std::uint64_t line, std::uint8_t sectors, Cycle at);
  void end_bulk(std::uint32_t which, Cycle at);
  // A turn's address or value is there at `turn`, as is known at `now`.
  void end_turn(std::uint32_t id, Cycle turn, Cycle now);
  // A walk wants its next turn, or ends, at `at`.
  void walk_at(std::uint32_t id, Cycle at);
  // A load whose line is there at `here` takes another turn then.
  void come_again(std::uint32_t id, Cycle here);
  // A walk's last address or value is there, and those of its warp's walks before.
  void leave(std::uint32_t id, Cycle now);
  // Its last is.
  void end_walk(std::uint32_t id, Cycle now);
  // The fill that brings a line of the constant caches, which asks the L2 for it unless another has.
  std::uint32_t constant_fill(std::uint64_t line, Cycle at);
  [[nodiscard]] bool has_room(const QueuedOp& op) const;
  // Lines that a load needs a place of the L1's data for, which keeps it until they come.
  [[nodiscard]] unsigned misses(const QueuedOp& op) const;
  [[nodiscard]] unsigned data_lines() const { return data_bytes_ / spec_.l1.line_bytes; }
  void release(Cycle at, const QueuedOp& op, std::uint8_t counter, bool last);
  // A store whose data have their turn at `data` and of which so many lines leave keeps loads that miss from
  // leaving before.
  void put_off_misses(const QueuedOp& op, Cycle data, unsigned sent);
  [[nodiscard]] Cycle room_behind(unsigned lines_of_a_bank) const;
  void wait_for(std::uint32_t fill, std::uint32_t flight);
  // One of the lines that it waits for has come.
  void arrived(std::uint32_t flight, Cycle now);
  // What a warp's loads, copies and atomics bring from beyond the L1 comes to it in the order in which they passed the tags.
  void come_in_turn(std::uint32_t flight, Cycle now);
  void bring(std::uint32_t flight, Cycle now);
  [[nodiscard]] bool has_turn(const WaitingFence& fence) const;
  // The fences whose turn it is ask.
  void ask_next(Cycle now);
  void ask(std::uint32_t flight, Cycle now);
  std::uint32_t new_fence();
  // fence_ leaves, behind what is on its way out, for the warp that asks first.
  void send_fence(unsigned warp, Cycle at);
  // fence_ is back.
  void answered(Cycle now);
  std::uint32_t new_fill();
  std::uint32_t new_flight();
  // That of an instruction, whose result is there so long after the last line.
  std::uint32_t new_flight(const QueuedOp& op, unsigned after);
  // What is on its way to the entry comes to those that wait for it, and stays with nobody; no words are known to be stored there.
  void abandon(std::uint32_t entry);
  // The same, and nothing of the line is here: where a store finds a sector of it on its way, or a load what stores have left in part
  // (docs/h200.md, lines of which a sector is on its way).
  void begin_again(std::uint32_t entry);
  // Whether what the access misses has been stored in part.
  [[nodiscard]] bool stored_in_part(std::uint32_t entry, const LineAccess& access);
  // Takes a line's place among the L1's tags; SectorCache::none if there is none.
  std::uint32_t allocate(std::uint64_t line);
  // Where the L1 has what it is asked for, as a use where the access counts as one.
  std::uint32_t find(const QueuedOp& op, std::uint64_t line);
  // It has nothing of the line any more, and nor has the line a place.
  void drop(std::uint32_t entry);
  void forget_words();
  // What a store leaves in the L1, and which sectors a load finds complete there as far as it asks for them.
  void keep_stored(std::uint32_t entry, const QueuedOp& op, const LineAccess& access);
  [[nodiscard]] std::uint8_t found(std::uint32_t entry, const LineAccess& access);
  // Gives a request for data to the way out. `kept`: see WayOut::pass.
  void send(const MemoryRequest& request, unsigned kept);
  std::uint32_t request(const QueuedOp& op, const LineAccess& line, std::uint8_t sectors, RequestKind kind,
                        Cycle at);

  const SmSpec& spec_;
  unsigned sm_;
  Calendar<SmEvent>& calendar_;
  ConstantCaches& constants_;
  SmCounters& counters_;
  struct Owner {
    SmCounters* counters = nullptr;
    std::uint8_t launch = 0;
    std::uint8_t block = 0;  // of the SM
    ClusterState* cluster = nullptr;
  };
  std::array<Owner, max_warps_per_sm> owners_{};  // by warp slot
  unsigned data_bytes_;
  SectorCache tags_;
  struct LineState {
    std::uint32_t fills = none;  // under way
    std::uint32_t words = 0;     // that stores have left in sectors that are not valid
  };
  LargeVector<LineState> lines_;  // by entry of tags_
  // What waits in all queues: few at a time, and the places that were used last are taken first.
  Pool<QueuedOp> ops_;
  static_assert(2 * max_subcores * queue_size <= 256);
  Way accesses_;
  Way constant_loads_;
  DataStage data_;
  // From when on the SM has a line of headers of textures, or a tensor map; it is asked for when it is not here.
  Cycle header(std::uint32_t line, Cycle at, Cycle latency);

  // A bulk copy that is under way: what it has asked for, and what of that has come.
  struct Bulk {
    traces::BulkCopy copy;
    std::uint8_t warp = 0;
    std::uint8_t launch = 0;
    std::uint8_t block = 0;
    ClusterState* cluster = nullptr;
    std::size_t row = 0;         // the next line is of this one ...
    std::uint32_t byte = 0;      // ... from here on
    double next = 0;             // when it is asked for
    double interval = 0;         // between two lines
    std::uint32_t coming = 0;
    bool asked = false;          // for all
    [[nodiscard]] bool loads() const {
      return copy.kind == traces::BulkCopy::Kind::load || copy.kind == traces::BulkCopy::Kind::prefetch;
    }
    // And tells a barrier object.
    [[nodiscard]] bool fills_shared() const {
      return copy.kind == traces::BulkCopy::Kind::load || copy.kind == traces::BulkCopy::Kind::between_blocks;
    }
  };
  // Calls `each(place, member)` for the blocks that a copy goes to.
  template <class Each>
  void each_target(const Bulk& bulk, Each each);
  Pool<Bulk> bulks_;
  BarrierObjects objects_;
  PhaseSource* phases_ = nullptr;
  double bulk_free_ = 0;        // when the accelerator takes its next copy's lines
  double bulk_store_free_ = 0;  // the same of copies out of shared memory: the last has been read
  ClusterPorts ports_;
  double read_by_others_ = 0;   // of the data array, less than a cycle
  unsigned bulk_in_flight_ = 0;  // lines, and copies that have yet to ask

  Cycle texture_free_ = 0;  // from when on the texture units take an instruction
  struct Header {
    std::uint32_t line = 0;  // of headers, and one; with the upper bit a tensor map; 0: none
    Cycle here = 0;
  };
  std::array<Header, 64> headers_{};  // the last ones
  unsigned next_header_ = 0;
  Cycle constants_beyond_;
  std::vector<std::uint32_t> constant_fills_;  // under way
  Cycle constant_free_ = 0;                    // the unit that takes one address or value after the other
  std::array<Cycle, max_warps_per_sm> constant_results_{};  // not before then does the warp's next walk end
  std::array<std::uint32_t, max_warps_per_sm> last_walks_{};  // of the warp's that are under way
  Pool<Walk> walks_;
  std::array<unsigned, max_subcores> walks_under_way_{};  // by processing block
  bool walk_wanted_ = false;                              // by a queue's first instruction
  unsigned lines_in_flight_ = 0;
  unsigned lines_coming_ = 0;  // of them, those that have a place of the L1
  unsigned sectors_in_flight_ = 0;
  unsigned loads_in_flight_ = 0;
  unsigned stores_in_flight_ = 0;  // lines of them
  unsigned slot_release_;
  Pool<Flight> flights_;
  std::array<std::uint32_t, max_warps_per_sm> first_flights_{};  // by warp slot, of those that bring something
  std::array<std::uint32_t, max_warps_per_sm> last_flights_{};
  Pool<Fill> fills_;
  Pool<Waiter> waiters_;
  Pool<Ticket> tickets_;
  StoredLines stored_;
  Cycle behind_stores_ = 0;  // from when on loads that miss leave
  bool unfenced_ = false;        // something has left for the L2 since the last fence did
  double results_free_ = 0;      // when the last results of atomics have come back
  std::uint32_t fence_ = none;   // that is under way
  std::uint32_t next_fence_ = none;  // that leaves when it is back, for what has left since
  unsigned next_asks_ = 0;           // the warp that wants it first
  Cycle last_out_ = 0;               // when the last request leaves
  std::vector<WaitingFence> fences_;  // in the order in which they came
  std::vector<Drain> drains_;
  std::array<Cycle, max_subcores> passed_{};  // when the passes of what has been served are over
  WayOut way_out_;
  Cycle misses_free_ = 0;    // when the last line that a load has missed has left the tags
  Cycle store_at_tags_ = 0;  // when the last store or atomic gets there
  Cycle turn_ = 0;  // of the last request at the way out, in its time
  std::vector<MemoryRequest> outbox_;
  std::vector<LateWords> late_words_;
  std::vector<LineTurn> loads_now_;
  std::vector<LineTurn> late_turns_;
};

}  // namespace warpgauge::model
