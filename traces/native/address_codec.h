// Addresses of a warp's lanes, compressed by shape: the same for all lanes, base and stride, a base and an
// addend for each bit of the lane's number (tiles), else a list (lane_list.h). What the same instruction did
// last time predicts the base and the shape.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "traces/native/lane_list.h"
#include "traces/warp_stream.h"

namespace warpgauge::native {

enum class Shape : std::uint8_t { uniform, stride, bits, list };
inline constexpr unsigned lane_bits = 5;

// What an access did last time in this warp.
struct AccessState {
  std::uint64_t base =
      0;  // of lane 0, as the shape extrapolates it; of a list that lets expect the next, its first lane
  std::uint64_t delta = 0;                        // from the base before
  std::uint64_t offset = 0;                       // from the scattered list that it repeated
  std::array<std::int32_t, lane_bits> addends{};  // by bit of the lane; a stride is the first of them
  std::uint32_t mask = 0;                         // where it differs from the lanes whose guard held
  Shape shape = Shape::uniform;
  bool own_mask = false;
  bool seen = false;
  std::uint8_t kind = 0;  // see access_kind
  std::uint8_t bytes = 0;
  std::uint8_t list = 0;  // number in the history
};

// A warp's lists; most warps have none.
class WarpLists {
 public:
  ListHistory& history() {
    if (history_ == nullptr) history_ = std::make_unique<ListHistory>();
    used_ = true;
    return *history_;
  }
  void clear() {
    if (used_) history_->clear();
    used_ = false;
  }

 private:
  std::unique_ptr<ListHistory> history_;
  bool used_ = false;
};

// The shape of the addresses of the lanes in `mask`, which is not empty; fills base and addends of `state`.
// A list has no addends.
Shape find_shape(const std::uint64_t* addresses, std::uint32_t mask, AccessState& state);

// `recent` is the base of the warp's last access to that memory, which predicts an instruction's first.
void encode_access(WarpBytes& out, AccessState& state, WarpLists& lists, std::uint64_t& recent,
                   std::uint8_t kind, std::uint8_t bytes, std::uint32_t guarded, std::uint32_t mask,
                   const std::uint64_t* addresses);

// What is written for an instruction that accessed nothing although lanes executed it.
void encode_no_access(WarpBytes& out);
// … and for one that would have accessed memory, but for no lane.
void encode_empty_access(WarpBytes& out, std::uint8_t kind, std::uint8_t bytes);

struct DecodedAccess {
  std::uint32_t mask = 0;  // the lanes; may be 0
  std::uint8_t kind = 0;   // 0: no access
  std::uint8_t bytes = 0;
  const std::uint64_t* addresses = nullptr;  // of the lanes that accessed; of others, anything
};

// The addresses lie in `scratch`, which has 32, or in the history, until the warp's next list. `recent` is an
// array by memory space.
DecodedAccess decode_access(WarpCursor& in, AccessState& state, WarpLists& lists,
                            std::array<std::uint64_t, 8>& recent, std::uint32_t guarded,
                            std::uint64_t* scratch);

constexpr std::uint8_t access_kind(traces::MemorySpace space, traces::MemoryAccess access) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(space) | static_cast<unsigned>(access) << 4U);
}
inline traces::MemorySpace space_of(std::uint8_t kind) {
  return static_cast<traces::MemorySpace>(kind & 15U);
}
inline traces::MemoryAccess access_of(std::uint8_t kind) {
  return static_cast<traces::MemoryAccess>(kind >> 4U);
}

}  // namespace warpgauge::native
