// A program made by hand: instructions with chosen registers and control words, straight-line or in a counted
// loop, addresses by formula. It executes nothing, so that a test sees the model alone.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/sass/instruction.h"
#include "traces/warp_stream.h"

namespace warpgauge::model::test {

// Where an instruction of a fake program stands when it asks for an address.
struct Where {
  std::uint64_t block = 0;
  unsigned warp = 0;
  unsigned lane = 0;
  std::uint64_t iteration = 0;  // of the loop around it
};

using AddressOf = std::function<std::uint64_t(const Where&)>;

struct FakeOp {
  sass::Instruction instruction;
  traces::MemorySpace space = traces::MemorySpace::none;
  traces::MemoryAccess access = traces::MemoryAccess::none;
  std::uint8_t bytes = 4;
  AddressOf address;
  bool off = false;                      // the guard holds for no lane
  std::uint8_t measure = 0;      // of its lanes
  traces::DriverCall call = {};  // that it makes
  std::optional<std::uint32_t> loop_to;  // a branch back, taken `trips` times
  std::uint64_t trips = 0;

  // The control word, in the compiler's terms.
  FakeOp& stall(unsigned cycles) {
    instruction.control.stall = static_cast<std::uint8_t>(cycles);
    return *this;
  }
  FakeOp& modifier(sass::Modifier which, unsigned value) {
    instruction.modifiers[static_cast<std::size_t>(which)] = static_cast<std::uint8_t>(value);
    return *this;
  }
  FakeOp& yield() {
    instruction.control.yield = true;
    return *this;
  }
  FakeOp& writes(unsigned counter) {
    instruction.control.write_barrier = static_cast<std::uint8_t>(counter);
    return *this;
  }
  FakeOp& reads(unsigned counter) {
    instruction.control.read_barrier = static_cast<std::uint8_t>(counter);
    return *this;
  }
  FakeOp& waits(unsigned mask) {
    instruction.control.wait_mask = static_cast<std::uint8_t>(mask);
    return *this;
  }
  FakeOp& reuse(unsigned mask);
};

// An instruction with a destination and up to three sources in slots A, B, C.
FakeOp op(sass::Opcode opcode, int destination = -1, std::initializer_list<int> sources = {});
FakeOp ffma(int d, int a, int b, int c);
FakeOp exit_op();
FakeOp barrier();
FakeOp invalidation();  // CCTL.IVALL, stall 2
// MEMBAR of such a scope, stall 2.
constexpr unsigned of_block = 0, of_gpu = 2;
FakeOp membar(unsigned scope);
FakeOp branch_to(std::uint32_t target, std::uint64_t trips);
// Addressed by register `address`; a negative one is a uniform address.
FakeOp load(sass::Opcode opcode, int destination, int address, unsigned bytes, AddressOf at);
FakeOp store(sass::Opcode opcode, int address, int data, unsigned bytes, AddressOf at);
// LDGSTS, to the first words of shared memory.
FakeOp async_copy(int address, unsigned bytes, AddressOf at);

class FakeStream final : public traces::WarpStream {
 public:
  explicit FakeStream(std::vector<FakeOp> program);

  // 32 threads a block, one block, unless said otherwise.
  FakeStream& launch(std::uint32_t blocks, std::uint32_t threads) {
    shape_.grid = {blocks, 1, 1};
    shape_.block = {threads, 1, 1};
    return *this;
  }
  traces::LaunchShape& mutable_shape() { return shape_; }

  [[nodiscard]] const traces::LaunchShape& shape() const override { return shape_; }
  [[nodiscard]] std::span<const sass::Instruction> code() const override { return code_; }
  [[nodiscard]] std::uint32_t entry() const override { return 0; }
  traces::BlockHandle begin_block(std::uint64_t linear_block, const traces::Placement& placement) override;
  void end_block(traces::BlockHandle block) override;
  [[nodiscard]] traces::NextInstruction next(traces::BlockHandle block, unsigned warp) const override;
  void issue(traces::BlockHandle block, unsigned warp, std::uint64_t cycle, traces::Issued& issued) override;

  // Where each block went, in the order in which they began.
  std::vector<unsigned> placed_on;
  std::vector<std::vector<unsigned>> warps_placed_on;  // and its warps' slots
  std::uint64_t executed = 0;
  // The last warp of a block leaves instead of arriving at a barrier, and the barrier goes on waiting for it.
  bool strand_last_warp = false;

 private:
  struct Warp {
    std::uint32_t pc = 0;
    std::vector<std::uint64_t> taken;  // by instruction
    bool waiting = false;
    bool exited = false;
  };
  struct Block {
    std::uint64_t linear = 0;
    std::vector<Warp> warps;
  };
  traces::LaunchShape shape_;
  std::vector<FakeOp> program_;
  std::vector<sass::Instruction> code_;
  std::vector<Block> blocks_;
  std::array<std::uint64_t, 32> addresses_{};
  std::array<std::uint64_t, 32> shared_addresses_{};
};

}  // namespace warpgauge::model::test
