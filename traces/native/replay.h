// A recorded launch, given to the model in place of the emulator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "traces/native/reader.h"
#include "traces/native/warp_codec.h"
#include "traces/warp_stream.h"

namespace warpgauge::native {

// The streams of one block's warps, each read at a pace of its own. What barriers do is the caller's matter.
class BlockStreams final : public WarpSource {
 public:
  // Throws Error when the block's place makes no sense.
  void begin(const KernelTrace& trace, std::uint64_t block);
  void end();  // lets go of the pages

  [[nodiscard]] unsigned warps() const { return static_cast<unsigned>(warps_.size()); }
  [[nodiscard]] WarpDecoder& warp(unsigned number) { return warps_[number]; }
  [[nodiscard]] const WarpDecoder& warp(unsigned number) const { return warps_[number]; }

  // The warp's next instruction; `issued` points to addresses that stay until the block's next step.
  // Returns what WarpDecoder::step does.
  bool step(unsigned warp, traces::Issued& issued) {
    return warps_[warp].step(issued, addresses_.data(), shared_addresses_.data());
  }

  WarpCursor more(unsigned warp) override;

 private:
  struct Pieces {
    std::vector<std::uint32_t> earlier;  // pages
    std::size_t next = 0;
    std::shared_ptr<const Page> page;  // of the piece that is being read
    ByteView last_tokens;              // in the block's page
    ByteView last_packed;
    bool done = false;
  };
  const KernelTrace* trace_ = nullptr;
  std::vector<WarpDecoder> warps_;
  std::vector<Pieces> pieces_;
  std::shared_ptr<const Page> page_;
  alignas(64) std::array<std::uint64_t, traces::warp_size> addresses_{};
  alignas(64) std::array<std::uint64_t, traces::warp_size> shared_addresses_{};
};

class ReplayStream final : public traces::WarpStream {
 public:
  explicit ReplayStream(const KernelTrace& trace);
  // With other code than the trace's own: as long, but with other control words.
  ReplayStream(const KernelTrace& trace, std::vector<sass::Instruction> code);
  ~ReplayStream() override;

  [[nodiscard]] const traces::LaunchShape& shape() const override { return trace_.info().shape; }
  [[nodiscard]] std::span<const sass::Instruction> code() const override;
  [[nodiscard]] std::uint32_t entry() const override { return trace_.info().entry; }
  // Nothing that a block does is seen by another one.
  [[nodiscard]] bool concurrent() const override { return true; }
  traces::BlockHandle begin_block(std::uint64_t linear_block, const traces::Placement& placement) override;
  void end_block(traces::BlockHandle block) override;
  [[nodiscard]] traces::NextInstruction next(traces::BlockHandle block, unsigned warp) const override;
  void issue(traces::BlockHandle block, unsigned warp, std::uint64_t cycle, traces::Issued& issued) override;

 private:
  struct Block;
  const KernelTrace& trace_;
  std::vector<sass::Instruction> other_code_;
  std::mutex mutex_;  // guards what follows; a handle's block belongs to its user
  std::vector<std::unique_ptr<Block>> resident_;
  std::vector<std::unique_ptr<Block>> spare_;
  std::vector<traces::BlockHandle> free_;
  traces::BlockHandle next_handle_ = 0;
};

}  // namespace warpgauge::native
