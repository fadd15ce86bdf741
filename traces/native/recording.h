// A stream that is recorded while a model drives it.
#pragma once

#include <vector>

#include "traces/stream_observer.h"
#include "traces/warp_stream.h"

namespace warpgauge::native {

class RecordingStream final : public traces::WarpStream {
 public:
  RecordingStream(traces::WarpStream& inner, traces::StreamObserver& observer);

  [[nodiscard]] const traces::LaunchShape& shape() const override { return inner_.shape(); }
  [[nodiscard]] std::span<const sass::Instruction> code() const override { return inner_.code(); }
  [[nodiscard]] std::uint32_t entry() const override { return inner_.entry(); }
  void begin_windows(unsigned sms) override { inner_.begin_windows(sms); }
  void end_window() override { inner_.end_window(); }
  void carry_out(unsigned sm, std::uint32_t ticket, std::uint64_t begin) override { inner_.carry_out(sm, ticket, begin); }
  void carry_out_load(unsigned sm, std::uint32_t ticket, std::uint64_t begin) override { inner_.carry_out_load(sm, ticket, begin); }
  void set_timer(const Timer& timer) override { inner_.set_timer(timer); }
  traces::BlockHandle begin_block(std::uint64_t linear_block, const traces::Placement& placement) override;
  void end_block(traces::BlockHandle block) override;
  [[nodiscard]] traces::NextInstruction next(traces::BlockHandle block, unsigned warp) const override {
    return inner_.next(block, warp);
  }
  void issue(traces::BlockHandle block, unsigned warp, std::uint64_t cycle, traces::Issued& issued) override;

 private:
  traces::WarpStream& inner_;
  traces::StreamObserver& observer_;
  std::vector<traces::BlockObserver*> blocks_;  // by handle; never moves
};

}  // namespace warpgauge::native
