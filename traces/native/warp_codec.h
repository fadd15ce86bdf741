// One warp's instructions as bytes and back. Instructions of no class cost nothing, since the next one
// follows; docs/traces.md has the tokens of the others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "traces/native/address_codec.h"
#include "traces/native/code_map.h"
#include "traces/warp_stream.h"

namespace warpgauge::native {

// Where a warp begins.
struct WarpStart {
  std::uint32_t index = 0;
  std::uint32_t lanes = 0;
};

// The lanes that warp `warp` of a block of that many threads has.
std::uint32_t initial_lanes(std::uint32_t threads, unsigned warp);

class WarpEncoder {
 public:
  void begin(const CodeMap& map, WarpStart start, unsigned warp);

  // In the order of execution. Throws Error for what the format cannot hold: an instruction that does what
  // its class says it does not do.
  void add(std::uint32_t index, const traces::Issued& issued);

  // What has been encoded so far; the caller may take the bytes away between two calls of add().
  WarpBytes& bytes() { return bytes_; }
  [[nodiscard]] bool exited() const { return exited_; }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  [[nodiscard]] std::uint64_t thread_instructions() const { return thread_instructions_; }

 private:
  struct Pending {
    bool waiting = false;
    bool exited = false;
    bool blocked = false;
    bool barrier = false;
    bool barrier_waits = false;
    std::uint8_t barrier_id = 0;
    std::uint8_t barrier_warps = 0;
    std::uint16_t arrived = 0;
    std::uint32_t index = 0;
    std::uint32_t active = 0;
    std::uint32_t executed = 0;
  };
  void settle(std::uint32_t next, std::uint32_t lanes);
  void guard(std::uint32_t active, std::uint32_t executed);
  void access(std::uint32_t index, std::uint8_t classes, std::uint32_t guarded, const traces::Issued& issued);
  void call(const traces::DriverCall& call);
  void texels(const traces::TexelAccess& texels);

  const CodeMap* map_ = nullptr;
  WarpBytes bytes_;
  WarpLists lists_;
  std::vector<AccessState> accesses_;
  std::array<std::uint64_t, 8> recent_{};
  std::uint32_t guard_mask_ = 0;
  std::uint32_t next_ = 0;  // what must come, where nothing else was said
  std::uint32_t active_ = 0;
  Pending pending_;
  unsigned warp_ = 0;
  bool exited_ = false;
  std::uint64_t instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
};

// Gives the decoder its bytes, piece by piece.
class WarpSource {
 public:
  virtual ~WarpSource() = default;
  // The warp's next bytes, valid until the next call for this warp; empty when there are none.
  virtual WarpCursor more(unsigned warp) = 0;
};

class WarpDecoder {
 public:
  void begin(const CodeMap& map, WarpStart start, WarpSource& source, unsigned warp);

  // Where the warp is. Kept whole, since it is asked for before every instruction.
  [[nodiscard]] const traces::NextInstruction& at() const { return at_; }
  [[nodiscard]] bool exited() const { return at_.status == traces::WarpStatus::exited; }
  [[nodiscard]] bool blocked() const { return at_.status == traces::WarpStatus::at_barrier; }
  [[nodiscard]] std::uint32_t index() const { return at_.index; }
  [[nodiscard]] std::uint32_t active() const { return at_.active_mask; }
  // Every arrival that waits leaves the warp blocked here, also the one that completed its barrier when the
  // trace was recorded: who comes last is for the caller to find out.

  // The next instruction. `addresses` and `shared_addresses` hold 32 lanes; `issued` may point to them
  // afterwards. The warp must be ready. Returns whether the instruction may have done something at a barrier,
  // or exited. Throws Error.
  bool step(traces::Issued& issued, std::uint64_t* addresses, std::uint64_t* shared_addresses) {
    clear(issued);
    issued.active_mask = at_.active_mask;
    issued.executed_mask = at_.active_mask;
    if (classes_[at_.index] != 0) return decode(issued, addresses, shared_addresses);
    issued.next = ++at_.index;
    return false;
  }

  // A barrier has let the blocked warp go on.
  void release();

 private:
  // As `issued = {}`, which compilers make of two copies whose loads wait for the stores before them.
  static void clear(traces::Issued& issued) {
    issued.branched = false;
    issued.diverged = false;
    issued.exited = false;
    issued.blocked = false;
    issued.goes_ahead = false;
    issued.released_warps = 0;
    issued.space = traces::MemorySpace::none;
    issued.access = traces::MemoryAccess::none;
    issued.bytes_per_lane = 0;
    issued.measure = 0;
    issued.call.function = traces::DriverCall::Function::none;
    issued.addresses = nullptr;
    issued.shared_addresses = nullptr;
    issued.texels = nullptr;
    issued.barrier = traces::Issued::no_barrier;
    issued.barrier_warps = 0;
    issued.barrier_waits = false;
    issued.arrived_barriers = 0;
  }
  bool decode(traces::Issued& issued, std::uint64_t* addresses, std::uint64_t* shared_addresses);
  void refill();
  void access(traces::Issued& issued, std::uint8_t classes, std::uint64_t* addresses,
              std::uint64_t* shared_addresses);
  void control(traces::Issued& issued);
  void call(traces::DriverCall& call);
  void texels(traces::Issued& issued);

  const CodeMap* map_ = nullptr;
  const std::uint8_t* classes_ = nullptr;
  WarpSource* source_ = nullptr;
  WarpCursor in_;
  WarpLists lists_;
  traces::NextInstruction at_;
  std::uint32_t guard_mask_ = 0;
  std::uint32_t after_index_ = 0;  // where a blocked warp goes on
  std::uint32_t after_active_ = 0;
  unsigned warp_ = 0;
  std::vector<AccessState> accesses_;
  std::array<std::uint64_t, 8> recent_{};
  std::unique_ptr<traces::TexelAccess> texels_;  // of warps that have fetched some
};

}  // namespace warpgauge::native
