// Executes one launch: block by block as fast as possible, or instruction by instruction as a model asks for
// it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "traces/emulator/block.h"
#include "traces/emulator/cluster.h"
#include "traces/emulator/launch.h"
#include "traces/emulator/write_log.h"
#include "traces/warp_stream.h"

namespace warpgauge::emulator {

class Emulator final : public traces::WarpStream {
 public:
  // Throws Fault when check(launch) does.
  explicit Emulator(const Launch& launch);
  ~Emulator() override;
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  // Runs all blocks without timing. Blocks run in order; one that keeps waiting for others makes way for
  // them. Throws Fault for a fault of the program, with its place. `observer` sees every instruction.
  void run(traces::StreamObserver* observer = nullptr);

  [[nodiscard]] std::uint64_t warp_instructions() const { return warp_instructions_; }
  // Instructions of the program that will stop it when they are reached.
  [[nodiscard]] std::span<const Refusal> refusals() const { return code_.program->refusals(); }

  [[nodiscard]] const traces::LaunchShape& shape() const override { return context_.shape; }
  [[nodiscard]] std::span<const sass::Instruction> code() const override { return code_.program->code(); }
  [[nodiscard]] std::uint32_t entry() const override { return code_.entry; }
  // Not where functions of the host may be called (printf, malloc): those act at once.
  void begin_windows(unsigned sms) override;
  void end_window() override { WriteLog::commit(*context_.memory, logs_); }
  void carry_out(unsigned sm, std::uint32_t ticket, std::uint64_t begin) override {
    logs_.at(sm).carry_out(*context_.memory, ticket, begin);
  }
  void carry_out_load(unsigned sm, std::uint32_t ticket, std::uint64_t begin) override {
    logs_.at(sm).carry_out_load(*context_.memory, ticket, begin);
  }
  void set_timer(const Timer& timer) override { context_.timer = timer; }
  [[nodiscard]] bool concurrent() const override { return !logs_.empty(); }
  traces::BlockHandle begin_block(std::uint64_t linear_block, const traces::Placement& placement) override;
  void end_block(traces::BlockHandle block) override;
  [[nodiscard]] traces::NextInstruction next(traces::BlockHandle block, unsigned warp) const override;
  void prefetch(traces::BlockHandle block) const override;
  void issue(traces::BlockHandle block, unsigned warp, std::uint64_t cycle, traces::Issued& issued) override;
  void landed(traces::BlockHandle block, std::uint32_t copy) override;
  bool phase_has_ended(traces::BlockHandle block, unsigned warp) override;

 private:
  struct Turn;
  void fill_constants(const Launch& launch, const cubin::Kernel& kernel);
  void show_parameters(std::size_t parameter_base);
  Block* take_block();
  // Gives the block its place in its cluster; blocks of one come one after the other.
  void join_cluster(Block& block);
  // The block has ended: it is spare once all of its cluster have.
  void retire(Block& block);
  // A block that has been placed, made ready when somebody asks for its warps: by then its SM runs, and what
  // is cleared is still in the host's caches when the warps write it.
  [[nodiscard]] Block& resident(traces::BlockHandle handle) const {
    Block& block = *resident_[handle];
    if (!block.begun) block.begin(code_.entry);
    return block;
  }
  void execute(Block& block, Warp& warp, traces::Issued& issued);
  void execute_ahead(Block& block, Warp& warp, traces::Issued& issued);
  bool run_turn(Block& block, std::uint32_t patience);
  void run_warp(Block& block, Warp& warp);
  void run_observed(Block& block, Warp& warp);
  [[noreturn]] void give_up(const Block& block) const;

  std::shared_ptr<Module> module_;
  Module::Code code_;
  LaunchContext context_;
  std::vector<std::uint32_t> pool_;
  std::uint32_t patience_ = 0;
  DeviceAddress workspace_ = 0;   // of a cooperative launch
  DeviceAddress parameters_ = 0;  // where bank 0 can be read
  std::uint64_t warp_instructions_ = 0;
  std::vector<WriteLog> logs_;  // by SM

  std::mutex mutex_;  // guards what follows; a handle's block belongs to its user
  Arena state_;       // blocks, each with its warps, their rows and shared memory behind it
  Arena stacks_;
  std::deque<traces::BulkCopy> bulk_;  // one a block
  std::deque<std::vector<ComingBytes>> coming_;  // of each block
  std::map<std::uint64_t, std::unique_ptr<Cluster>> clusters_;  // by number; that have blocks left
  std::vector<Block*> spare_;
  std::vector<Block*> resident_;
  std::vector<traces::BlockHandle> free_handles_;
  traces::BlockHandle next_handle_ = 0;
};

}  // namespace warpgauge::emulator
