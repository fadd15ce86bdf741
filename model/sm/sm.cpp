// The warps of an SM come and go with their blocks, and what has been set off comes back as events.
#include "model/sm/sm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/host_caches.h"

namespace warpgauge::model {
namespace {

unsigned at_distance(unsigned latency, int distance) {
  return static_cast<unsigned>(std::max(1, static_cast<int>(latency) + distance));
}

FrontEndSpec from(FrontEndSpec spec, int distance) {
  spec.l1_latency = at_distance(spec.l1_latency, distance);
  return spec;
}

ConstantSpec from(ConstantSpec spec, int distance) {
  spec.l15_latency = at_distance(spec.l15_latency, distance);
  spec.l0_miss_delay = at_distance(spec.l0_miss_delay, distance);
  return spec;
}

}  // namespace

template <class Sink>
Sm<Sink>::Sm(const SmSpec& spec, const SmPlace& place, Sink& sink)
    : spec_(spec),
      id_(place.id),
      place_(place),
      sink_(sink),
      constants_(from(spec.constant, place.distance), place.constants_beyond_sm),
      memory_(spec, place.id, place.cpc, place.l1_data_bytes, place.constants_beyond_sm, calendar_, constants_,
              counters_),
      code_(from(spec.front_end, place.distance)),
      blocks_(spec.subcores, ProcessingBlock(spec)),
      first_level_(spec.front_end.l0_shared ? 1 : spec.subcores,
                   TagCache(spec.front_end.l0_lines, spec.front_end.l0_ways)),
      turns_(spec.subcores, FetchTurns(spec.front_end)) {
  memory_.ask(*this);
  for (unsigned subcore = 0; subcore < spec.subcores; ++subcore)
    l0_.emplace_back(spec.front_end, first_level_[spec.front_end.l0_shared ? 0 : subcore]);
  for (unsigned slot = 0; slot < spec.warps; ++slot) {
    places_[slot] = {static_cast<std::uint8_t>(slot % spec.subcores),
                     static_cast<std::uint8_t>(slot / spec.subcores)};
    slots_of_[subcore_of(slot)] |= std::uint64_t{1} << slot;
  }
}

template <class Sink>
void Sm<Sink>::begin_launch(const Launch& launch) {
  // While a launch is set up, the second level gets what the kernel begins with.
  const std::uint64_t line_bytes = spec_.front_end.line_bytes;
  const bool code_here = launch.code_at_hand || code_.holds(launch.first_code.begin / line_bytes);
  for (std::uint64_t line = launch.first_code.begin / line_bytes; line * line_bytes < launch.first_code.end;
       ++line)
    code_.arrived(line);
  if (kernels_.size() <= launch.number) kernels_.resize(launch.number + std::size_t{1});
  kernels_[launch.number] = std::make_unique<Kernel>(launch);
  kernels_[launch.number]->code_here = code_here;
  if (launch.per_instruction) kernels_[launch.number]->by_instruction.resize(launch.ops.size());
}

template <class Sink>
typename Sm<Sink>::Slots Sm<Sink>::take_slots(std::uint8_t launch, unsigned first) {
  Slots slots{};
  for (unsigned w = 0; w < kernels_[launch]->launch.warps_per_block; ++w) {
    const int slot = std::countr_zero(slots_of_[(first + w) % spec_.subcores] & ~present_);
    present_ |= std::uint64_t{1} << slot;
    slots[w] = static_cast<std::uint8_t>(slot);
  }
  return slots;
}

template <class Sink>
void Sm<Sink>::start_block(std::uint8_t number, traces::BlockHandle handle, Cycle at, const Slots& slots,
                           ClusterState* cluster, unsigned rank) {
  Kernel& kernel = *kernels_[number];
  const Launch& launch = kernel.launch;
  unsigned index = 0;
  while (resident_[index].present) ++index;
  ++started_blocks_;
  Block& block = resident_[index];
  block.present = true;
  block.handle = handle;
  block.launch = number;
  block.remaining = launch.warps_per_block;
  block.ended = 0;
  block.slots = slots;
  block.cluster = cluster;
  if (cluster != nullptr) cluster->members[rank] = {this, static_cast<std::uint8_t>(index)};
  if (kernel.resident_warps == 0) kernel.active_since = std::max(at, kernel.active_since);
  Cycle first_code = at;
  if (!kernel.begun) {
    kernel.begun = true;
    const Cycle first_code_latency = launch.first_code_latency + (kernel.code_here ? 0 : launch.first_code_later);
    // Beside other kernels the way that brings them code stays open, and this one's first warps wait.
    if (resident_warps_ == 0)
      code_.begin(at + first_code_latency);
    else
      first_code = at + first_code_latency;
    if (!kernel.code_here) {
      const std::uint64_t line_bytes = spec_.front_end.line_bytes;
      code_.bring(launch.first_code.begin / line_bytes, (launch.first_code.end + line_bytes - 1) / line_bytes,
                  at + first_code_latency);
    }
    if (used_) {
      memory_.begin_launch();
      constants_.begin_launch();
    }
    used_ = true;
  }
  starting_.push_back({static_cast<std::uint8_t>(index), started_blocks_, at, first_code});
  if (first_code < next_) next_ = first_code;
  kernel.resident_warps += launch.warps_per_block;
  resident_warps_ += launch.warps_per_block;
  ++resident_blocks_;
  ++kernel.counters.blocks;
  kernel.counters.warps += launch.warps_per_block;
}

template <class Sink>
void Sm<Sink>::begin_warps() {
  for (const Start& start : starting_) {
    const Block& block = resident_[start.block];
    Kernel& kernel = *kernels_[block.launch];
    const Launch& launch = kernel.launch;
    for (unsigned w = 0; w < launch.warps_per_block; ++w) {
      const unsigned slot = block.slots[w];
      Warp& warp = warps_[slot];
      warp = {};
      warp.present = true;
      warp.kernel = &kernel;
      warp.ops = launch.ops.data();
      warp.handle = block.handle;
      warp.index_in_block = static_cast<std::uint8_t>(w);
      warp.block = start.block;
      warp.pc = launch.stream->next(block.handle, w).index;
      warp.since = start.at;
      warp.reason = Stall::no_instruction;
      memory_.assign(slot, kernel.counters, block.launch, start.block, block.cluster);
      products_[slot] = {};
      restored_[slot] = 0;
      paths_[slot] = {};
      const Cycle first_issue =
          start.first_code + static_cast<Cycle>(w / spec_.subcores) * launch.warp_interval;
      warp.fetch_ready = first_issue;
      blocks_[subcore_of(slot)].set_order(local_of(slot), start.number, w);
      schedule(first_issue,
               {EventKind::wake, static_cast<std::uint8_t>(slot), no_counter, SmEvent::no_group, 1});
    }
  }
  starting_.clear();
}

// Other SMs have run meanwhile, and the host's caches hold little of this one: what it will look at until
// then, as far as that is known, is brought along all at once. First what is named here, then what that
// names.
template <class Sink>
void Sm<Sink>::prefetch(Cycle until) {
  for (std::uint64_t m = present_; m != 0; m &= m - 1)
    bring_along(warps_[static_cast<unsigned>(std::countr_zero(m))]);
  for (const ProcessingBlock& block : blocks_) bring_along(block);
  answers_.clear();
  calendar_.look_ahead(next_, until, [this](const SmEvent& event) {
    if (event.kind != EventKind::reply || (event.value & (code_request | call_request)) != 0) return;
    answers_.push_back(event.value);
    memory_.prefetch(event.value);
  });
  unsigned left = resident_blocks_;
  for (const Block* block = resident_.data(); left != 0; ++block) {
    if (!block->present) continue;
    --left;
    kernels_[block->launch]->launch.stream->prefetch(block->handle);
  }
  for (const std::uint32_t id : answers_) memory_.prefetch_named(id);
}

template <class Sink>
void Sm<Sink>::run(Cycle until) {
  if (!starting_.empty()) begin_warps();
  prefetch(until);
  ProcessingBlock* const blocks = blocks_.data();
  const unsigned count = spec_.subcores;
  while (next_ < until) {
    now_ = next_;
    calendar_.take(now_, [this](const SmEvent& event) { handle(event); });
    // What a step does to other blocks' warps comes in a later cycle.
    unsigned due = 0;
    for (unsigned subcore = 0; subcore < count; ++subcore)
      due |= (blocks[subcore].next() <= now_ ? 1U : 0U) << subcore;
    for (; due != 0; due &= due - 1) step(static_cast<unsigned>(std::countr_zero(due)));
    if (memory_.next_tick() <= now_) {
      memory_.tick(now_, [this](const QueuedOp& op) {
        blocks_[subcore_of(op.warp)].registers.read_later(now_, op.later);
        if (op.kind == QueuedKind::constant) let_arrive(subcore_of(op.warp));
      });
      if (!memory_.loads_now().empty()) {
        for (const MemoryUnit::LineTurn& turn : memory_.loads_now())
          kernels_[turn.launch]->launch.stream->carry_out_load(id_, turn.ticket, turn.begin);
        memory_.loads_now().clear();
      }
    }
    Cycle next = std::min(calendar_.next(now_ + 1), memory_.next_tick());
    for (unsigned subcore = 0; subcore < count; ++subcore) next = std::min(next, blocks[subcore].next());
    next_ = next == never ? never : std::max(next, now_ + 1);
  }
}

// Whether what a load brings is written later than in time: then its end is put off by as much.
template <class Sink>
bool Sm<Sink>::written_late(const SmEvent& event) {
  WriteSlots& writes = blocks_[subcore_of(event.warp)].writes;
  unsigned waited = 0;
  std::uint16_t ticket = 0;
  unsigned late = 0;
  if ((event.value & SmEvent::waits) == 0) {
    late = writes.arrive(LoadResults::unpacked(event.value), now_);
    ticket = writes.last_ticket();
  } else {
    waited = event.value >> 16 & 0x7fff;
    ticket = static_cast<std::uint16_t>(event.value);
    late = writes.late_by(ticket, now_);
  }
  if (late <= waited) return false;
  SmEvent later = event;
  later.value = late == WriteSlots::unknown ? SmEvent::waits | (waited + 1) << 16 | ticket : 0;
  schedule(now_ + (late == WriteSlots::unknown ? 1 : late - waited), later);
  return true;
}

template <class Sink>
void Sm<Sink>::handle(const SmEvent& event) {
  switch (event.kind) {
    case EventKind::release:
    case EventKind::done:
      if (event.value != 0 && written_late(event)) break;
      if (event.counter < dependence_counters) release_counter(event.warp, event.counter);
      if (event.kind == EventKind::done) done_in_flight(event.warp, event.group);
      break;
    case EventKind::reply:
      if ((event.value & code_request) != 0) {
        ++counters_.replies;
        schedule(code_.deliver(code_lines_[event.value & ~code_request], now_) + place_.code_beyond_sm,
                 {EventKind::code, 0, no_counter, SmEvent::no_group, event.value});
      } else if ((event.value & call_request) != 0) {
        end_call(event.value & ~call_request);
      } else {
        memory_.reply(event.value, now_);
        if (!constants_.woken().empty()) {
          for (const ConstantCaches::Woken& each : constants_.woken()) wake(each.slot, each.at);
          constants_.woken().clear();
        }
      }
      break;
    case EventKind::code: {
      const std::uint64_t line = code_lines_[event.value & ~code_request];
      code_.arrived(line);
      for (InstructionL0& l0 : l0_) l0.arrived(line, now_, code_, code_requests_);
      if (!code_requests_.empty()) send_code_requests();
      for (std::uint64_t m = present_; m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(std::countr_zero(m));
        Warp& warp = warps_[slot];
        if (warp.fetch_ready == never && warp.line == line) {
          warp.fetch_ready = now_;
          if (((waiting_[subcore_of(slot)] >> local_of(slot)) & 1) != 0) look(slot);
        }
      }
      break;
    }
    case EventKind::wake:
      if (event.value == 1) {
        fetch(event.warp, subcore_of(event.warp), true, now_);
        send_code_requests();
      }
      look(event.warp);
      break;
    case EventKind::ack: {
      Warp& warp = warps_[event.warp];
      if (generation_[event.warp] != event.value || --warp.unacknowledged != 0) break;
      if (warp.membar != Membar::none &&
          ((waiting_[subcore_of(event.warp)] >> local_of(event.warp)) & 1) != 0) {
        look(event.warp);
      }
      break;
    }
    case EventKind::walk:
      memory_.walk(event.value, now_);
      break;
    case EventKind::fence:
      memory_.line_up(event.value, now_);
      break;
    case EventKind::bulk:
      memory_.step_bulk(event.value, now_);
      break;
    case EventKind::patience:
      memory_.lose_patience(event.warp, event.counter, now_);
      break;
    case EventKind::skipped:
      memory_.pass(event, now_);
      break;
    case EventKind::slot:
    case EventKind::constants_slot:
      memory_.free_slot(event.warp, event.kind == EventKind::constants_slot);
      blocks_[event.warp].look_again(now_);
      break;
  }
}

template <class Sink>
void Sm<Sink>::release_counter(unsigned slot, std::uint8_t counter) {
  Warp& warp = warps_[slot];
  // An increment that is still hidden is older than its own decrement.
  if (((warp.counters >> (8 * counter)) & 0xff) == 0) {
    warp.counters += warp.hidden;
    warp.hidden = 0;
  }
  warp.counters -= one(counter);
  if (((waiting_[subcore_of(slot)] >> local_of(slot)) & 1) != 0) look(slot);
}

template <class Sink>
void Sm<Sink>::done_in_flight(unsigned slot, std::uint8_t group) {
  Warp& warp = warps_[slot];
  ++warp.kernel->counters.retired;
  --warp.in_flight;
  if (group != SmEvent::no_group) {
    CopyGroups& copies = copies_[slot];
    --copies.members[group];
    while (copies.oldest != copies.open && copies.members[copies.oldest % CopyGroups::slots] == 0) {
      const std::uint8_t counter = copies.counter[copies.oldest % CopyGroups::slots];
      ++copies.oldest;
      if (counter < dependence_counters) {
        release_counter(slot, counter);
      } else if (((waiting_[subcore_of(slot)] >> local_of(slot)) & 1) != 0) {
        look(slot);
      }
    }
  }
  if (warp.in_flight != 0) return;
  if (warp.exited) {
    // The EXIT waits behind its stall count for what was in flight.
    const Cycle from = std::max(now_, warp.since);
    const unsigned hold = warp.ops[warp.pc].hold;
    set_reason(warp, Stall::branch_resolving, from);
    retire(slot, from + (spec_.issue.exit_cost > hold ? spec_.issue.exit_cost - hold : 0));
  } else if (warp.membar != Membar::none && ((waiting_[subcore_of(slot)] >> local_of(slot)) & 1) != 0) {
    look(slot);
  }
}

// The warp's instruction buffer follows its program counter; a line is looked up when it is entered, or, in
// straight-line code, when the fetch pointer that runs ahead of issue enters it.
template <class Sink>
void Sm<Sink>::fetch(unsigned slot, unsigned subcore, bool branched, Cycle at) {
  Warp& warp = warps_[slot];
  const unsigned line_bytes = spec_.front_end.line_bytes;
  const std::uint64_t address =
      warp.kernel->launch.code_address + std::uint64_t{warp.pc} * sass::instruction_bytes;
  const std::uint64_t place =
      address - warp.line * line_bytes;  // in the line that it was in, if less than its size
  if (place >= line_bytes || branched) {
    const std::uint64_t line = address / line_bytes;
    // Where it is one, what another block fetched is found as well.
    if (spec_.front_end.l0_shared) {
      for (InstructionL0& l0 : l0_) l0.settle(at);
    }
    InstructionL0::Lookup lookup;
    if (branched) {
      l0_[subcore].pass(warp.line + 1);
      lookup = l0_[subcore].target(line, local_of(slot), at, code_, code_requests_);
    } else {
      lookup = l0_[subcore].lookup(line, local_of(slot), at, code_, code_requests_);
    }
    warp.line = line;
    warp.fetch_ready = branched ? lookup.ready : std::max(lookup.ready, warp.next_line_at);
    if (branched) warp.next_line_at = at + spec_.front_end.branch_next_line;
    if (!code_requests_.empty()) send_code_requests();
    return;
  }
  const std::uint64_t pointer =
      place + std::uint64_t{spec_.front_end.buffer_entries} * sass::instruction_bytes;
  if (pointer < line_bytes) return;
  const std::uint64_t lines_ahead = pointer / line_bytes;
  if (lines_ahead != (pointer - sass::instruction_bytes) / line_bytes) {
    l0_[subcore].lookup(warp.line + lines_ahead, local_of(slot), now_, code_, code_requests_);
    if (!code_requests_.empty()) send_code_requests();
  }
}

template <class Sink>
void Sm<Sink>::send_code_requests() {
  const std::uint64_t per_line = std::max<std::uint64_t>(1, spec_.l1.line_bytes / spec_.front_end.line_bytes);
  for (const CodeRequest& request : code_requests_) {
    const auto id = static_cast<std::uint32_t>(code_lines_.size());
    code_lines_.push_back(request.line);
    ++counters_.requests;
    MemoryRequest out;
    out.at = request.at;
    out.line = request.line / per_line;
    out.id = code_request | id;
    out.sm = static_cast<std::uint16_t>(id_);
    out.kind = RequestKind::code;
    out.sectors = 0xf;
    memory_.outbox().push_back(out);
  }
  code_requests_.clear();
}

template <class Sink>
void Sm<Sink>::retire(unsigned slot, Cycle at) {
  Warp& warp = warps_[slot];
  charge(warp, at);
  Kernel& kernel = *warp.kernel;
  Block& block = resident_[warp.block];
  warp.present = false;
  present_ &= ~(std::uint64_t{1} << slot);
  ++generation_[slot];
  --resident_warps_;
  finished_warps_.push_back({at, block.launch, static_cast<std::uint8_t>(subcore_of(slot))});
  // Warps leave in the order in which their EXITs have issued, and one that waits longer behind its own may
  // be gone later.
  block.ended = std::max(block.ended, at);
  if (--block.remaining == 0) {
    block.present = false;
    --resident_blocks_;
    finished_.push_back({block.ended, block.handle, block.launch, block.cluster});
    memory_.objects().forget(warp.block);
  }
  if (--kernel.resident_warps == 0) {
    kernel.counters.active_cycles += at - std::min(at, kernel.active_since);
    kernel.active_since = at;
  }
}

template <class Sink>
void Sm<Sink>::open_cluster(std::uint8_t block, Cycle at) {
  if (!starting_.empty()) begin_warps();
  const Block& opened = resident_[block];
  if (!opened.present) return;
  const unsigned count = kernels_[opened.launch]->launch.warps_per_block;
  for (unsigned w = 0; w < count; ++w) {
    const unsigned slot = opened.slots[w];
    Warp& warp = warps_[slot];
    const std::uint64_t bit = std::uint64_t{1} << slot;
    if ((at_cluster_ & bit) == 0) continue;
    at_cluster_ &= ~bit;
    warp.at_barrier = false;
    const Cycle from = std::max(at, now_ + 1);
    schedule(from, {EventKind::wake, static_cast<std::uint8_t>(slot), no_counter, SmEvent::no_group, 0});
    if (from < next_) next_ = from;
  }
}

template <class Sink>
void Sm<Sink>::landed(const BarrierObjects::Place& object, std::uint32_t copy, Cycle at) {
  const Cycle from = std::max(at, now_ + 1);
  memory_.landed(object, copy, from);
  if (from < next_) next_ = from;
}

template <class Sink>
void Sm<Sink>::arrived(std::uint8_t block, Cycle at) {
  const Cycle from = std::max(at, now_ + 1);
  memory_.tell_waiters(block, from);
  if (from < next_) next_ = from;
}

template <class Sink>
bool Sm<Sink>::phase_has_ended(std::uint8_t warp) {
  const Warp& asks = warps_[warp];
  return asks.kernel->launch.stream->phase_has_ended(asks.handle, asks.index_in_block);
}

template <class Sink>
void Sm<Sink>::copy_landed(std::uint8_t block, std::uint32_t copy) {
  const Block& there = resident_[block];
  if (there.present) kernels_[there.launch]->launch.stream->landed(there.handle, copy);
}

template <class Sink>
void Sm<Sink>::finish() {
  counters_.code_l0_misses = 0;
  for (const InstructionL0& l0 : l0_) counters_.code_l0_misses += l0.misses;
  counters_.code_l1_misses = code_.misses;
  counters_.constant_misses = constants_.operand_misses;
  counters_.constant_loads = constants_.requests;
  counters_.constant_load_hits = constants_.hits;
}

template <class Sink>
std::string Sm<Sink>::describe() const {
  std::string text = fmt::format("SM {}: cycle {}, {} blocks, {} warps, {} events\n", id_, now_,
                                 resident_blocks_, resident_warps_, calendar_.size());
  for (unsigned slot = 0; slot < spec_.warps; ++slot) {
    const Warp& warp = warps_[slot];
    if (!warp.present) continue;
    text += fmt::format("  warp {} at instruction {}: {}, counters {:012x}, {} in flight{}{}\n", slot,
                        warp.pc, name(warp.reason), warp.counters + warp.hidden, warp.in_flight,
                        warp.exited ? ", exited" : "", warp.at_barrier ? ", at a barrier" : "");
  }
  return text + memory_.describe();
}

static_assert(alignof(Sm<NullSink>) == 64 && alignof(Sm<TimelineSink>) == 64);  // what its operator new gives

template class Sm<NullSink>;
template class Sm<TimelineSink>;

}  // namespace warpgauge::model
