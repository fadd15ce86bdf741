#include "model/gpu/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/gpu/crew.h"
#include "model/memory/memory_system.h"
#include "model/report/metrics.h"
#include "model/sm/sm.h"
#include "traces/sass/print.h"

namespace warpgauge::model {
namespace {

// What the code holds that the model times as something simpler.
std::vector<std::string> gaps(std::span<const sass::Instruction> code) {
  bool warpgroup = false;
  bool bulk = false;
  bool cluster = false;
  bool texture = false;
  for (const sass::Instruction& i : code) {
    switch (i.opcode) {
      case sass::Opcode::HGMMA:
      case sass::Opcode::IGMMA:
      case sass::Opcode::QGMMA:
      case sass::Opcode::BGMMA:
        warpgroup = true;
        break;
      case sass::Opcode::UTMALDG:
      case sass::Opcode::UTMASTG:
      case sass::Opcode::UTMAREDG:
      case sass::Opcode::UBLKCP:
      case sass::Opcode::UBLKRED:
        bulk = true;
        break;
      case sass::Opcode::UCGABAR_ARV:
      case sass::Opcode::UCGABAR_WAIT:
        cluster = true;
        break;
      case sass::Opcode::TEX:
      case sass::Opcode::TLD:
      case sass::Opcode::TLD4:
      case sass::Opcode::SULD:
      case sass::Opcode::SUST:
        texture = true;
        break;
      default:
        break;
    }
  }
  std::vector<std::string> notes;
  if (warpgroup) notes.emplace_back("warpgroup matrix instructions are timed as one HMMA each");
  if (bulk) notes.emplace_back("copies of the tensor memory accelerator are timed as one issue each");
  if (cluster) notes.emplace_back("cluster barriers cost no time");
  if (texture) notes.emplace_back("texture and surface accesses are timed as hits of the texture cache");
  return notes;
}

LaunchSpec for_blocks_of(LaunchSpec spec, unsigned warps) {
  spec.sm_block_interval = std::max(spec.sm_block_interval, spec.sm_warp_interval * warps);
  return spec;
}

template <class Sink>
class Chip {
 public:
  Chip(const MachineSpec& spec, traces::WarpStream& stream, const RunOptions& options)
      : spec_(spec),
        stream_(stream),
        options_(options),
        fit_(occupancy(spec.occupancy, stream.shape(), options.carveout_percent)),
        ops_(predecode(stream.code(), spec.sm)),
        memory_(spec.memory, options.pages),
        scheduler_(for_blocks_of(spec.launch, stream.shape().warps_per_block()), spec.occupancy.sms,
                   stream.shape().grid.count(), fit_.occupancy.blocks_per_sm),
        sinks_(spec.occupancy.sms),
        failures_(spec.occupancy.sms) {
    const traces::LaunchShape& shape = stream.shape();
    Launch launch;
    launch.stream = &stream;
    launch.ops = ops_;
    launch.code_address = shape.code_address;
    launch.entry = stream.entry();
    launch.warps_per_block = shape.warps_per_block();
    launch.l1_data_bytes = l1_data_bytes();
    // The driver gives each thread a stack of at least 1 KiB, which recursion may use beyond what the code
    // asks for.
    constexpr std::uint32_t least_stack = 1024;
    launch.local_lines_per_warp = (std::max(shape.local_bytes_per_thread, least_stack) + 3) / 4;
    launch.warp_interval = spec.launch.warp_interval;
    launch.first_code_latency = spec.launch.first_code_latency;
    // The code of a program's first launch is in no cache yet.
    const FrontEndSpec& front_end = spec.sm.front_end;
    if (options.pages != nullptr && options.pages->begin_launch() && front_end.memory_latency > front_end.l2_latency)
      launch.first_code_latency += front_end.memory_latency - front_end.l2_latency;
    launch.per_instruction = options.per_instruction;
    const auto beyond_crossbar = [&](unsigned latency) {
      return latency - std::min(latency, spec.memory.crossbar.round_trip);
    };
    launch.code_beyond_sm = beyond_crossbar(spec.sm.front_end.l2_latency);
    launch.first_code = first_code(shape.code_address, launch.entry);
    hold(launch.first_code);
    launch.constants_beyond_sm = beyond_crossbar(spec.sm.constant.l2_latency);
    sms_.reserve(spec.occupancy.sms);
    for (unsigned sm = 0; sm < spec.occupancy.sms; ++sm) {
      sms_.push_back(std::make_unique<Sm<Sink>>(spec.sm, sm, launch, sinks_[sm]));
    }
  }

  void run() {
    const Cycle window = std::max<Cycle>(1, memory_.min_latency());
    // While blocks wait for room, windows are no longer than it takes to replace one.
    const Cycle short_window = std::clamp<Cycle>(spec_.launch.block_replace_latency, 16, window);
    Cycle now = 0;
    Cycle until = 0;
    stream_.begin_windows(static_cast<unsigned>(sms_.size()));
    Crew crew(stream_.concurrent() ? options_.threads : 1, [&](std::size_t task) {
      const unsigned sm = runnable_[task];
      try {
        sms_[sm]->run(until);
      } catch (...) {
        failures_[sm] = std::current_exception();
      }
    });
    place(0);
    share_code();
    while (true) {
      Cycle next = memory_.next_event();
      for (const auto& sm : sms_) next = std::min(next, sm->next_event());
      if (next == never) break;
      now = std::max(now, next);
      if (options_.max_cycles != 0 && now > options_.max_cycles) {
        fail(fmt::format("kernel {} has run for more than {} cycles", stream_.shape().kernel,
                         options_.max_cycles));
      }
      until = now + (scheduler_.done() ? window : short_window);
      runnable_.clear();
      for (unsigned sm = 0; sm < sms_.size(); ++sm) {
        if (sms_[sm]->next_event() < until) runnable_.push_back(sm);
      }
      crew.work(runnable_.size());
      requests_.clear();
      for (const unsigned sm : runnable_) {
        if (failures_[sm]) std::rethrow_exception(failures_[sm]);
        std::vector<MemoryRequest>& outbox = sms_[sm]->outbox();
        requests_.insert(requests_.end(), outbox.begin(), outbox.end());
        outbox.clear();
      }
      stream_.end_window();
      memory_.take(requests_);
      replies_.clear();
      memory_.run(until, replies_);
      for (const unsigned sm : runnable_) sms_[sm]->port_busy_until(memory_.port_busy_until(sm));
      for (const MemoryReply& reply : replies_) {
        sms_[reply.sm]->deliver(reply);
        if (!reply.of_code) last_reply_ = std::max(last_reply_, reply.at);
      }
      ended_.clear();
      for (unsigned id = 0; id < sms_.size(); ++id) {
        for (const FinishedBlock& block : sms_[id]->finished()) {
          stream_.end_block(block.handle);
          ended_.push_back({block.at, id});
        }
        sms_[id]->finished().clear();
      }
      std::stable_sort(ended_.begin(), ended_.end(),
                       [](const Ended& a, const Ended& b) { return a.at < b.at; });
      for (const Ended& end : ended_) last_end_ = std::max(last_end_, scheduler_.freed(end.sm, end.at));
      if (!ended_.empty() && !scheduler_.done()) place(until);
      now = until;
    }
    check();
  }

  KernelReport report() {
    KernelReport report;
    const traces::LaunchShape& shape = stream_.shape();
    report.name = shape.demangled.empty() ? shape.kernel : shape.demangled;
    report.symbol = shape.kernel;
    report.launch_index = options_.launch_index;
    report.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
    report.block = {shape.block.x, shape.block.y, shape.block.z};
    report.registers_per_thread = shape.registers_per_thread;
    report.static_shared_bytes = shape.static_shared_bytes;
    report.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    report.occupancy = fit_.occupancy;
    report.notes = gaps(stream_.code());
    SmCounters sum;
    for (const auto& sm : sms_) add(sum, sm->counters());
    report.cycles = end_of_launch(sum);
    report.time_us = static_cast<double>(report.cycles) / spec_.sm_mhz;
    report.stalls = sum.stalls;
    fill_metrics(report, spec_, sum, memory_.launch_counters());
    if (options_.per_instruction) {
      report.instructions.resize(ops_.size());
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        InstructionReport& instruction = report.instructions[i];
        instruction.index = static_cast<std::uint32_t>(i);
        instruction.text = sass::print(stream_.code()[i]);
        for (const auto& sm : sms_) {
          const InstructionCounters& c = sm->by_instruction()[i];
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

  std::vector<Sink>& sinks() { return sinks_; }

 private:
  struct Ended {
    Cycle at = 0;
    unsigned sm = 0;
  };

  // What a launch that has accessed memory writes back and drops at its end begins with the last EXIT, beside stores
  // and reductions that are still under way. Code that was fetched in advance may be under way too, but no launch
  // waits for that.
  Cycle end_of_launch(const SmCounters& sum) const {
    const LaunchSpec& launch = spec_.launch;
    const bool memory = sum.global_loads + sum.global_stores + sum.global_atomics + sum.global_reductions +
                            sum.local_loads + sum.local_stores !=
                        0;
    return std::max(last_end_ + launch.end_overhead + (memory ? launch.end_memory : 0),
                    last_reply_ + launch.end_acknowledged);
  }

  unsigned l1_data_bytes() const {
    const L1Spec& l1 = spec_.sm.l1;
    for (std::size_t i = 0; i < l1.carveouts.size() && i < l1.data_sizes.size(); ++i) {
      if (l1.carveouts[i] >= fit_.carveout) return static_cast<unsigned>(l1.data_sizes[i]);
    }
    const std::uint64_t left = l1.size_bytes - std::min<std::uint64_t>(l1.size_bytes, fit_.carveout);
    return static_cast<unsigned>(std::min<std::uint64_t>(left, l1.max_data_bytes));
  }

  // SMs of a cluster that run code take turns at the second level, where it is theirs in common.
  void share_code() {
    const std::vector<unsigned>& gpcs = spec_.memory.crossbar.gpc_of_sm;
    std::vector<unsigned> active(sms_.size(), 0);  // by cluster, of which there are no more than SMs
    for (unsigned sm = 0; sm < sms_.size(); ++sm)
      active[gpcs[sm]] += sms_[sm]->resident_blocks() != 0 ? 1 : 0;
    for (unsigned sm = 0; sm < sms_.size(); ++sm) sms_[sm]->share_code(active[gpcs[sm]]);
  }

  // While a launch is set up, the second level gets what the kernel begins with.
  Launch::Bytes first_code(std::uint64_t address, std::uint32_t entry) const {
    const FrontEndSpec& front_end = spec_.sm.front_end;
    const std::uint64_t first = address + std::uint64_t{entry} * sass::instruction_bytes;
    const std::uint64_t lines = first / front_end.line_bytes + front_end.launch_prefetch_lines;
    return {first, std::min(address + ops_.size() * sass::instruction_bytes, lines * front_end.line_bytes)};
  }

  // What the launch brings to every SM has passed the L2.
  void hold(const Launch::Bytes& code) {
    const unsigned line_bytes = spec_.memory.l2.line_bytes;
    memory_.bring_code(code.begin, code.end);
    for (std::uint64_t byte = 0; byte < launch_constant_bytes; byte += line_bytes)
      memory_.hold((constant_window + byte) / line_bytes);
  }

  void place(Cycle earliest) {
    scheduler_.place(earliest, [this](const BlockScheduler::Placed& placed) {
      Sm<Sink>& sm = *sms_[placed.sm];
      const traces::BlockHandle handle = stream_.begin_block(placed.block, {placed.sm, sm.first_slot()});
      sm.start_block(handle, placed.at);
    });
  }

  void check() {
    SmCounters sum;
    bool balanced = scheduler_.done() && memory_.idle();
    for (auto& sm : sms_) {
      balanced = balanced && sm->idle();
      sm->finish();
      add(sum, sm->counters());
    }
    const MemoryCounters& memory = memory_.counters();
    if (!balanced) fail(fmt::format("kernel {} came to a standstill", stream_.shape().kernel));
    if (sum.issued != sum.retired) {
      fail(fmt::format("kernel {}: {} instructions issued, {} retired", stream_.shape().kernel, sum.issued,
                       sum.retired));
    }
    if (sum.requests != sum.replies || memory.requests != memory.replies || sum.requests != memory.requests) {
      fail(fmt::format("kernel {}: {} memory requests, {} replies", stream_.shape().kernel, sum.requests,
                       sum.replies));
    }
  }

  [[noreturn]] void fail(const std::string& what) {
    std::string details;
    for (const auto& sm : sms_) {
      if (!sm->idle()) details += sm->describe();
    }
    throw MachineError(what, details + memory_.describe());
  }

  const MachineSpec& spec_;
  traces::WarpStream& stream_;
  RunOptions options_;
  Fit fit_;
  std::vector<StaticOp> ops_;
  MemorySystem memory_;
  BlockScheduler scheduler_;
  std::vector<Sink> sinks_;
  std::vector<std::unique_ptr<Sm<Sink>>> sms_;
  std::vector<MemoryRequest> requests_;
  std::vector<MemoryReply> replies_;
  std::vector<Ended> ended_;                  // blocks of this window
  std::vector<unsigned> runnable_;            // SMs that do something in this window
  std::vector<std::exception_ptr> failures_;  // by SM
  Cycle last_end_ = 0;
  Cycle last_reply_ = 0;
};

void move_events(NullSink&, const std::vector<NullSink>&) {}

void move_events(TimelineSink& all, const std::vector<TimelineSink>& sinks) {
  for (const TimelineSink& sink : sinks)
    all.events.insert(all.events.end(), sink.events.begin(), sink.events.end());
}

}  // namespace

template <class Sink>
KernelReport run_kernel(const MachineSpec& spec, traces::WarpStream& stream, const RunOptions& options,
                        Sink& sink) {
  Chip<Sink> chip(spec, stream, options);
  chip.run();
  move_events(sink, chip.sinks());
  return chip.report();
}

template KernelReport run_kernel(const MachineSpec&, traces::WarpStream&, const RunOptions&, NullSink&);
template KernelReport run_kernel(const MachineSpec&, traces::WarpStream&, const RunOptions&, TimelineSink&);

}  // namespace warpgauge::model
