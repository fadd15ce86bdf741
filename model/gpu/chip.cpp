#include "model/gpu/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/memory/cluster_places.h"
#include "model/report/metrics.h"
#include "traces/sass/print.h"

namespace warpgauge::model {

template <class Sink>
Chip<Sink>::Chip(const MachineSpec& spec, PageHistory* pages, unsigned threads)
    : spec_(spec),
      pages_(pages),
      threads_(threads),
      memory_(spec.memory, pages),
      clock_(spec.matrix_clock, spec.memory.crossbar.gpc_of_sm),
      scheduler_(spec.launch, spec.occupancy),
      sinks_(spec.occupancy.sms),
      failures_(spec.occupancy.sms) {}

template <class Sink>
void Chip<Sink>::make_sms(unsigned l1_data_bytes) {
  const auto beyond_crossbar = [&](unsigned latency) {
    return latency - std::min(latency, spec_.memory.crossbar.round_trip);
  };
  SmPlace place;
  place.l1_data_bytes = l1_data_bytes;
  place.code_beyond_sm = beyond_crossbar(spec_.sm.front_end.l2_latency);
  place.constants_beyond_sm = beyond_crossbar(spec_.sm.constant.l2_latency);
  sms_.reserve(spec_.occupancy.sms);
  const CrossbarSpec& crossbar = spec_.memory.crossbar;
  const std::vector<ClusterPlace> places = cluster_places(crossbar.gpc_of_sm, spec_.occupancy.sms, crossbar.sms_per_tpc, crossbar.cpcs_per_gpc);
  for (unsigned sm = 0; sm < spec_.occupancy.sms; ++sm) {
    place.id = sm;
    place.cpc = places[sm].cpc;
    place.distance = sm < spec_.memory.crossbar.distances.size() ? spec_.memory.crossbar.distances[sm] : 0;
    sms_.push_back(std::make_unique<Sm<Sink>>(spec_.sm, place, sinks_[sm]));
  }
}

template <class Sink>
std::uint8_t Chip<Sink>::begin(traces::WarpStream& stream, const RunOptions& options, int priority, Cycle first) {
  const traces::LaunchShape& shape = stream.shape();
  auto running = std::make_unique<Running>();
  running->stream = &stream;
  running->options = options;
  running->fit = occupancy(spec_.occupancy, shape);
  running->clustered = shape.cluster.count() > 1 ||
                       std::ranges::any_of(stream.code(), [](const sass::Instruction& i) { return i.opcode == sass::Opcode::UCGABAR_WAIT; });
  running->ops = predecode(stream.code(), spec_.sm);
  running->multiplies = std::ranges::any_of(running->ops, &StaticOp::matrix);
  running->first = first;
  running->blocks_left = shape.grid.count();

  std::size_t number = 0;
  while (number < running_.size() && running_[number] != nullptr) ++number;
  if (number >= max_running_launches) throw std::length_error("too many launches at the same time");
  Launch launch;
  launch.stream = &stream;
  launch.number = static_cast<std::uint8_t>(number);
  launch.ops = running->ops;
  launch.code_address = shape.code_address;
  launch.entry = stream.entry();
  launch.warps_per_block = shape.warps_per_block();
  // The driver gives each thread a stack of at least 1 KiB, which recursion may use beyond what the code
  // asks for.
  constexpr std::uint32_t least_stack = 1024;
  // By hand, sets_of_local_words: so much more lies between the frames of two warps' threads.
  constexpr std::uint32_t beside_stack = 576;
  launch.local_lines_per_warp = (std::max(shape.local_bytes_per_thread, least_stack) + beside_stack + 3) / 4;
  launch.warp_interval = spec_.launch.warp_interval;
  launch.first_code_latency = spec_.launch.first_code_latency;
  // The code of a program's first launch is in no cache yet.
  const FrontEndSpec& front_end = spec_.sm.front_end;
  if (pages_ != nullptr && pages_->begin_launch() && front_end.memory_latency > front_end.l2_latency)
    launch.first_code_latency += front_end.memory_latency - front_end.l2_latency;
  launch.code_at_hand = options.code_at_hand;
  launch.per_instruction = options.per_instruction;
  const Launch::Bytes code = kernel_code(*running);
  launch.first_code = first_code(code);
  hold(launch.first_code, code.end);
  if (sms_.empty()) make_sms(l1_data_bytes(running->fit.division));
  const std::vector<Cycle> later = first_code_later(code);
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    launch.first_code_later = later[sm];
    sms_[sm]->begin_launch(launch);
  }
  memory_.map_host(shape.host_memory);
  stream.begin_windows(static_cast<unsigned>(sms_.size()));
  if (std::ranges::all_of(order_, [&](std::uint8_t other) { return running_[other]->ended; })) {
    memory_.begin_alone();
    clock_.forget();
  }
  clock_.pass(now_);
  running->lost_before = clock_.lost(now_);
  running->gpcs_lost_before = clock_.lost_by_gpc(now_);
  stream.set_timer(timer(now_));

  if (number == running_.size()) running_.emplace_back();
  running_[number] = std::move(running);
  order_.push_back(launch.number);
  scheduler_.begin(launch.number, running_[number]->fit, shape.grid.count(), priority, first);
  place(now_);
  // Every kernel begins with constants.
  constants_wanted_.resize(sms_.size());
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    if (sms_[sm]->resident_blocks() != 0) constants_wanted_[sm] = std::max(now_, until_) + constants_forgotten;
  }
  share_constants();
  return launch.number;
}

template <class Sink>
void Chip<Sink>::forget(std::uint8_t launch) {
  for (const auto& sm : sms_) sm->end_launch(launch);
  running_[launch].reset();
  std::erase(order_, launch);
}

template <class Sink>
bool Chip<Sink>::step(Cycle limit) {
  const Cycle latency = std::max<Cycle>(1, memory_.min_latency());
  Cycle next = memory_.next_event();
  if (next != never) next = clock_.within(next);
  for (const auto& sm : sms_) next = std::min(next, sm->next_event());
  if (next == never || next >= limit) return false;
  now_ = std::max(now_, next);
  clock_.pass(now_);
  for (const std::uint8_t number : order_) {
    const Running& running = *running_[number];
    const Cycle begun = running.first - std::min<Cycle>(running.first, spec_.launch.begin_overhead);
    const Cycle most = running.options.max_cycles;
    if (most != 0 && !running.ended && now_ > begun + most) {
      fail(fmt::format("kernel {} has run for more than {} cycles", running.stream->shape().kernel, most));
    }
  }
  const Cycle window = clock_.window(latency, may_multiply());
  // While blocks wait for room, windows are no longer than it takes to replace one.
  Cycle length = scheduler_.done() ? window : std::min(window, std::max<Cycle>(spec_.launch.block_replace_latency, 16));
  // Warps of other SMs go on from a cluster's barrier after so long.
  if (clusters_.size() != spare_clusters_.size())
    length = std::clamp<Cycle>(spec_.sm.cluster.barrier_latency, 1, length);
  until_ = std::min(limit, now_ + length);
  run_sms();
  for (const unsigned sm : runnable_) {
    const Multiplied matrix = sms_[sm]->multiplied();
    if (matrix.any) clock_.multiplied(sm, matrix.first, matrix.last);
  }
  clock_.pass(until_);
  if (clock_.slowed()) {
    for (const std::uint8_t number : order_) running_[number]->stream->set_timer(timer(until_));
  }
  for (const unsigned sm : runnable_) {
    if (failures_[sm]) std::rethrow_exception(failures_[sm]);
    std::vector<MemoryRequest>& outbox = sms_[sm]->outbox();
    for (MemoryRequest& request : outbox) {
      if (request.kind != RequestKind::code) ++running_[request.launch]->under_way;
      request.at = clock_.beyond(request.at);
    }
    memory_.take(outbox);
    outbox.clear();
    std::vector<LateWords>& late = sms_[sm]->late_words();
    for (const LateWords& words : late) memory_.note(words);
    late.clear();
  }
  for (const std::uint8_t number : order_) running_[number]->stream->end_window();
  for (const unsigned sm : runnable_) sms_[sm]->give_late_turns();
  replies_.clear();
  memory_.run(clock_.beyond(until_), replies_);
  for (const Turn& turn : memory_.turns()) sms_[turn.sm]->give_turn(turn.id);
  memory_.turns().clear();
  for (const unsigned sm : runnable_) sms_[sm]->port_busy_until(clock_.within(memory_.port_busy_until(sm)));
  const Cycle way = clock_.way(spec_.memory.crossbar.round_trip);
  for (MemoryReply& reply : replies_) {
    reply.at = clock_.within(reply.at) + way;
    sms_[reply.sm]->deliver(reply);
    if (reply.of_code) continue;
    Running& running = *running_[reply.launch];
    if (!reply.prefetch) running.last_reply = std::max(running.last_reply, reply.at);
    --running.under_way;
  }
  queue_code();
  share_constants();
  end_blocks();
  end_launches();
  now_ = until_;
  return true;
}

template <class Sink>
traces::WarpStream::Timer Chip<Sink>::timer(Cycle at) const {
  return {1000 / spec_.sm_mhz, static_cast<std::uint64_t>(clock_.lost(at))};
}

template <class Sink>
bool Chip<Sink>::may_multiply() const {
  return std::ranges::any_of(order_, [&](std::uint8_t number) { return running_[number]->multiplies && !running_[number]->ended; });
}

template <class Sink>
bool Chip<Sink>::in_any_order() const {
  return std::ranges::all_of(order_, [&](std::uint8_t number) {
    return running_[number]->ended || running_[number]->stream->concurrent();
  });
}

template <class Sink>
void Chip<Sink>::run_sms() {
  runnable_.clear();
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    if (sms_[sm]->next_event() < until_) runnable_.push_back(sm);
  }
  const bool in_any_order = this->in_any_order();
  // What the SMs need in a window is more than the host's caches hold: those that have run last go first in the next one.
  backwards_ = in_any_order && !backwards_;
  const auto run = [this](std::size_t task) {
    const unsigned sm = runnable_[backwards_ ? runnable_.size() - 1 - task : task];
    try {
      sms_[sm]->run(until_);
    } catch (...) {
      failures_[sm] = std::current_exception();
    }
  };
  if (threads_ > 1 && in_any_order) {
    if (!crew_) crew_.emplace(threads_, run);
    crew_->work(runnable_.size());
  } else {
    for (std::size_t task = 0; task < runnable_.size(); ++task) run(task);
  }
}

template <class Sink>
void Chip<Sink>::place(Cycle earliest) {
  scheduler_.place(earliest, [this](const BlockScheduler::Placed& placed) {
    Sm<Sink>& sm = *sms_[placed.sm];
    const Running& running = *running_[placed.launch];
    if (placed.divides) sm.set_l1_data_bytes(l1_data_bytes(running.fit.division));
    traces::Placement placement;
    placement.sm = placed.sm;
    placement.warp_slots = sm.take_slots(placed.launch, placed.first);
    const traces::LaunchShape& shape = running.stream->shape();
    const std::uint64_t block = traces::block_of_clusters(shape.grid, shape.cluster, placed.block);
    const auto size = static_cast<unsigned>(shape.cluster.count());
    ClusterState* const cluster = running.clustered ? cluster_of(placed, size) : nullptr;
    sm.start_block(placed.launch, running.stream->begin_block(block, placement), placed.at, placement.warp_slots, cluster,
                   static_cast<unsigned>(placed.block % size));
  });
}

template <class Sink>
ClusterState* Chip<Sink>::cluster_of(const BlockScheduler::Placed& placed, unsigned size) {
  ClusterState*& filling = filling_[placed.launch];
  if (placed.block % size == 0) {
    if (spare_clusters_.empty()) {
      spare_clusters_.push_back(clusters_.emplace_back(std::make_unique<ClusterState>()).get());
    }
    filling = spare_clusters_.back();
    spare_clusters_.pop_back();
    *filling = {};
    filling->size = size;
    filling->left = size;
    filling->wide = size > std::max(1U, spec_.launch.sms_per_tpc);
  }
  return filling;
}

template <class Sink>
void Chip<Sink>::end_blocks() {
  ended_.clear();
  for (unsigned id = 0; id < sms_.size(); ++id) {
    for (const FinishedBlock& block : sms_[id]->finished()) {
      running_[block.launch]->stream->end_block(block.handle);
      if (block.cluster != nullptr && --block.cluster->left == 0) spare_clusters_.push_back(block.cluster);
      ended_.push_back({block.at, id, block.launch});
    }
    sms_[id]->finished().clear();
    for (const FinishedWarp& warp : sms_[id]->finished_warps()) scheduler_.left(warp.launch, id, warp.subcore, warp.at);
    sms_[id]->finished_warps().clear();
  }
  std::stable_sort(ended_.begin(), ended_.end(), [](const Ended& a, const Ended& b) { return a.at < b.at; });
  for (const Ended& end : ended_) {
    Running& running = *running_[end.launch];
    running.last_end = std::max(running.last_end, scheduler_.freed(end.launch, end.sm, end.at));
    --running.blocks_left;
  }
  if (!ended_.empty()) place(until_);
}

template <class Sink>
void Chip<Sink>::end_launches() {
  for (const std::uint8_t number : order_) {
    Running& running = *running_[number];
    if (running.ended || running.blocks_left != 0 || running.under_way != 0) continue;
    running.ended = true;
    const SmCounters sum = counters(number, false);
    if (sum.issued != sum.retired) {
      fail(fmt::format("kernel {}: {} instructions issued, {} retired", running.stream->shape().kernel, sum.issued,
                       sum.retired));
    }
    running.end = end_of_launch(number);
    running.lost = clock_.lost(running.end) - running.lost_before;
    const std::vector<double> gpcs = clock_.lost_by_gpc(running.end);
    double least = running.lost;
    for (std::size_t gpc = 0; gpc < gpcs.size(); ++gpc)
      least = std::min(least, gpcs[gpc] - running.gpcs_lost_before[gpc]);
    running.ahead = running.lost - least;
    ended_launches_.push_back({number, running.end});
  }
}

template <class Sink>
SmCounters Chip<Sink>::counters(std::uint8_t launch, bool alone) const {
  SmCounters sum;
  for (const auto& sm : sms_) {
    add(sum, sm->counters(launch));
    if (alone) add(sum, sm->counters());
  }
  for (const std::uint64_t cycles : sum.stalls) sum.warp_cycles += cycles;
  return sum;
}

template <class Sink>
KernelReport Chip<Sink>::report(std::uint8_t launch, Cycle begun, bool alone) {
  const Running& running = *running_[launch];
  KernelReport report;
  const traces::LaunchShape& shape = running.stream->shape();
  report.name = shape.demangled.empty() ? shape.kernel : shape.demangled;
  report.symbol = shape.kernel;
  report.launch_index = running.options.launch_index;
  report.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  report.block = {shape.block.x, shape.block.y, shape.block.z};
  report.registers_per_thread = shape.registers_per_thread;
  report.static_shared_bytes = shape.static_shared_bytes;
  report.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  report.occupancy = running.fit.occupancy;
  const SmCounters sum = counters(launch, alone);
  report.cycles = running.end - begun;
  const MemoryCounters memory = alone ? memory_.launch_counters(report.cycles + static_cast<Cycle>(running.lost)) : MemoryCounters{};
  report.time_us = (static_cast<double>(report.cycles) + running.lost) / spec_.sm_mhz;
  // The model's SMs have one clock. On the card each GPC has its own, and Nsight Compute tells the most
  // cycles of any: those of one without matrix instructions, where there is one.
  report.cycles += static_cast<Cycle>(std::llround(running.ahead));
  report.stalls = sum.stalls;
  fill_metrics(report, spec_, sum, memory);
  const auto [shortest, longest] = std::ranges::minmax(
      sms_ | std::views::transform([&](const auto& sm) { return sm->counters(launch).active_cycles; }));
  report.metrics["sm__cycles_active.min"] = static_cast<double>(shortest);
  report.metrics["sm__cycles_active.max"] = static_cast<double>(longest);
  if (!alone) drop_shared_metrics(report);
  if (running.options.per_instruction) {
    report.instructions.resize(running.ops.size());
    for (std::size_t i = 0; i < running.ops.size(); ++i) {
      InstructionReport& instruction = report.instructions[i];
      instruction.index = static_cast<std::uint32_t>(i);
      instruction.text = sass::print(running.stream->code()[i]);
      for (const auto& sm : sms_) {
        const InstructionCounters& c = sm->by_instruction(launch)[i];
        instruction.issued += c.issued;
        instruction.thread_instructions += c.threads;
        instruction.bank_conflict_cycles += c.conflict_cycles;
        instruction.reuse_hits += c.reuse_hits;
        for (std::size_t s = 0; s < stall_count; ++s) instruction.stalls[s] += c.stalls[s];
      }
    }
  }
  return report;
}

// The end begins with the last EXIT, beside stores and reductions that are still under way; then every slice takes a barrier
// of each SM that has addressed it. Code that was fetched in advance may be under way too, but no launch waits for that.
// The model's SMs begin at the same time; the last of the card's is the later the more there are.
template <class Sink>
Cycle Chip<Sink>::end_of_launch(std::uint8_t launch) const {
  const LaunchSpec& spec = spec_.launch;
  const Running& running = *running_[launch];
  const auto sms = std::ranges::count_if(sms_, [&](const auto& sm) { return sm->counters(launch).blocks != 0; });
  const double uneven = spec.sm_spread * std::log(static_cast<double>(std::max<std::ptrdiff_t>(sms, 1)));
  const Cycle answered = std::max(running.last_reply, clock_.within(memory_.bus_drained()));
  return std::max(running.last_end + spec.end_overhead, answered + spec.end_acknowledged) +
         memory_.barrier_cycles() + static_cast<Cycle>(std::lround(uneven));
}

template <class Sink>
unsigned Chip<Sink>::l1_data_bytes(std::uint64_t carveout) const {
  const L1Spec& l1 = spec_.sm.l1;
  for (std::size_t i = 0; i < l1.carveouts.size() && i < l1.data_sizes.size(); ++i) {
    if (l1.carveouts[i] >= carveout) return static_cast<unsigned>(l1.data_sizes[i]);
  }
  const std::uint64_t left = l1.size_bytes - std::min<std::uint64_t>(l1.size_bytes, carveout);
  return static_cast<unsigned>(std::min<std::uint64_t>(left, l1.max_data_bytes));
}

// SMs of a cluster take turns at constants, where they have the level behind in common: those that have taken some of late.
template <class Sink>
void Chip<Sink>::share_constants() {
  if (spec_.sm.constant.gpc_interval == 0) return;
  const std::vector<unsigned>& gpcs = spec_.memory.crossbar.gpc_of_sm;
  constant_takers_.assign(sms_.size(), 0);
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    if (sms_[sm]->constants_asked()) constants_wanted_[sm] = until_ + constants_forgotten;
    constant_takers_[gpcs[sm]] += constants_wanted_[sm] > until_ ? 1 : 0;
  }
  for (unsigned sm = 0; sm < sms_.size(); ++sm) sms_[sm]->share_constants(std::max(1U, constant_takers_[gpcs[sm]]));
}

// What the SMs of a cluster have asked their second level for since the last window, and what it has not given out yet.
template <class Sink>
void Chip<Sink>::queue_code() {
  if (spec_.sm.front_end.gpc_interval == 0) return;
  if (!code_turns_) code_turns_.emplace(spec_.sm.front_end, spec_.memory.crossbar.gpc_of_sm);
  const auto sms = static_cast<unsigned>(sms_.size());
  for (unsigned sm = 0; sm < sms; ++sm) {
    sms_[sm]->code_asked(code_asked_);
    code_turns_->ask(sm, code_asked_);
  }
  code_turns_->pass(until_ - code_given_);
  code_given_ = until_;
  for (unsigned sm = 0; sm < sms; ++sm) sms_[sm]->code_queue(code_turns_->queue(sm));
}

// From its first instruction to its end, without functions that were compiled elsewhere.
template <class Sink>
Launch::Bytes Chip<Sink>::kernel_code(const Running& running) const {
  const std::uint64_t address = running.stream->shape().code_address;
  const std::uint64_t first = address + std::uint64_t{running.stream->entry()} * sass::instruction_bytes;
  const std::uint64_t kernel = running.stream->shape().kernel_bytes;
  return {first, kernel != 0 ? first + kernel : address + running.ops.size() * sass::instruction_bytes};
}

// By SM: how much later than the first cluster its own has the kernel's first line, which it asks for with all others that the
// launch brings. Those of the other partition wait for their copies of it, and clusters of a partition for each other
// (docs/h200.md, instruction fetch).
template <class Sink>
std::vector<Cycle> Chip<Sink>::first_code_later(const Launch::Bytes& code) const {
  std::vector<Cycle> later(sms_.size(), 0);
  const LaunchSpec& spec = spec_.launch;
  const std::vector<unsigned>& gpcs = spec_.memory.crossbar.gpc_of_sm;
  const FrontEndSpec& front_end = spec_.sm.front_end;
  const std::uint64_t lines = std::min<std::uint64_t>((code.end - code.begin) / front_end.line_bytes, front_end.l0_lines);
  const double spread = spec.first_code_spread + spec.first_code_spread_line * static_cast<double>(lines);
  if (spread <= 0 || gpcs.size() != sms_.size()) return later;
  constexpr double of_the_copy = 0.6;
  const std::uint64_t line = code.begin / spec_.memory.l2.line_bytes;
  std::array<unsigned, 2> clusters{};  // near the line and far from it
  std::vector<unsigned> ranks(sms_.size());
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    const bool next = sm == 0 || gpcs[sm] != gpcs[sm - 1];
    ranks[sm] = next ? clusters[memory_.far(sm, line)]++ : ranks[sm - 1];
  }
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    const bool far = memory_.far(sm, line);
    const double turn = clusters[far] > 1 ? static_cast<double>(ranks[sm]) / (clusters[far] - 1) : 0;
    later[sm] = static_cast<Cycle>(spread * ((far ? of_the_copy : 0) + (1 - of_the_copy) * turn));
  }
  return later;
}

// While a launch is set up, the second level gets what the kernel begins with, of its own code.
template <class Sink>
Launch::Bytes Chip<Sink>::first_code(const Launch::Bytes& code) const {
  const FrontEndSpec& front_end = spec_.sm.front_end;
  const std::uint64_t lines = code.begin / front_end.line_bytes + front_end.launch_prefetch_lines;
  return {code.begin, std::min(code.end, lines * front_end.line_bytes)};
}

// What the launch brings to every SM has passed the L2.
template <class Sink>
void Chip<Sink>::hold(const Launch::Bytes& code, std::uint64_t kernel_end) {
  const unsigned line_bytes = spec_.memory.l2.line_bytes;
  memory_.bring_code(code.begin, code.end, kernel_end);
  for (std::uint64_t byte = 0; byte < launch_constant_bytes; byte += line_bytes)
    memory_.hold((constant_window + byte) / line_bytes);
}

template <class Sink>
std::string Chip<Sink>::kernels() const {
  std::string names;
  for (const std::uint8_t number : order_) {
    if (running_[number]->ended && order_.size() > 1) continue;
    names += (names.empty() ? "" : ", ") + running_[number]->stream->shape().kernel;
  }
  return names;
}

template <class Sink>
void Chip<Sink>::check() {
  SmCounters sum;
  bool balanced = scheduler_.done() && memory_.idle();
  for (const std::uint8_t number : order_) balanced = balanced && running_[number]->ended;
  for (auto& sm : sms_) {
    balanced = balanced && sm->idle();
    sm->finish();
    add(sum, sm->counters());
  }
  const MemoryCounters& memory = memory_.counters();
  if (!balanced) fail(fmt::format("kernel {} came to a standstill", kernels()));
  if (sum.requests != sum.replies || memory.requests != memory.replies || sum.requests != memory.requests) {
    fail(fmt::format("kernel {}: {} memory requests, {} replies", kernels(), sum.requests, sum.replies));
  }
}

template <class Sink>
void Chip<Sink>::fail(const std::string& what) {
  std::string details;
  for (const auto& sm : sms_) {
    if (!sm->idle()) details += sm->describe();
  }
  throw MachineError(what, details + memory_.describe());
}

namespace {

void move_events(NullSink&, const std::vector<NullSink>&) {}

void move_events(TimelineSink& all, const std::vector<TimelineSink>& sinks) {
  for (const TimelineSink& sink : sinks)
    all.events.insert(all.events.end(), sink.events.begin(), sink.events.end());
}

}  // namespace

template <class Sink>
KernelReport run_kernel(const MachineSpec& spec, traces::WarpStream& stream, const RunOptions& options,
                        Sink& sink) {
  Chip<Sink> chip(spec, options.pages, options.threads);
  const std::uint8_t launch = chip.begin(stream, options, 0, spec.launch.begin_overhead);
  while (chip.step()) {
  }
  chip.check();
  move_events(sink, chip.sinks());
  return chip.report(launch, 0, true);
}

template class Chip<NullSink>;
template class Chip<TimelineSink>;
template KernelReport run_kernel(const MachineSpec&, traces::WarpStream&, const RunOptions&, NullSink&);
template KernelReport run_kernel(const MachineSpec&, traces::WarpStream&, const RunOptions&, TimelineSink&);

}  // namespace warpgauge::model
