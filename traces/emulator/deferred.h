// Accesses of one SM to global memory that take place when the model says so: atomics, and the loads and stores that other
// blocks may wait for, at the turn that they have where their line lies. Until then they stand here, by a ticket.
//
// A warp's accesses to a line take place in the order in which they were issued, whatever turns they are given.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/emulator/memory.h"
#include "traces/emulator/micro_op.h"
#include "traces/warp_stream.h"

namespace warpgauge::emulator {

enum class DeferredKind : std::uint8_t { load, store, atomic };

class DeferredAccesses {
 public:
  static constexpr std::uint64_t line_bytes = 128;

  // What stands in one: addresses of the lanes in `mask`; data as rows of 32 words.
  struct Access {
    DeferredKind kind = DeferredKind::load;
    std::uint8_t warp = 0;  // slot
    std::uint32_t mask = 0;  // lanes whose access has yet to take place ...
    std::uint32_t owed = 0;  // ... and whose turn has yet to come: another's may have made them take place
    const MicroOp* op = nullptr;
    std::uint32_t* destination = nullptr;
    std::uint64_t lines = 0;  // a bit for each that it has, by the lowest bits of their numbers
    std::uint32_t before = none;  // of the warp's
    std::uint32_t behind = none;
    alignas(64) std::array<std::uint64_t, lanes> addresses;
    std::vector<std::uint32_t> data;  // a store's, or an atomic's operand and swap; kept when it is used again
  };
  static constexpr std::uint32_t none = traces::Issued::no_ticket;

  // The ticket of a new one. Its data are for the caller to append.
  std::uint32_t add(DeferredKind kind, const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                    std::uint32_t* destination);
  [[nodiscard]] Access& operator[](std::uint32_t ticket) { return all_[ticket]; }
  [[nodiscard]] const Access& operator[](std::uint32_t ticket) const { return all_[ticket]; }

  // What of it lies in the line at `begin`.
  [[nodiscard]] static std::uint32_t lanes_in(const Access& access, std::uint64_t begin);
  // Those lanes' accesses take place in memory, and what the warp has issued to the line before.
  void carry_out(const DeviceMemory& memory, std::uint32_t ticket, std::uint64_t begin);
  // What of it lies in [low, high] takes place, though it is not its turn.
  void carry_out_within(const DeviceMemory& memory, std::uint32_t ticket, std::uint64_t low, std::uint64_t high);
  // The turn of those lanes, which have taken place elsewhere.
  void done(std::uint32_t ticket, std::uint32_t mask);
  // One whose lanes have all had their turns is kept until then.
  void give_back(std::uint32_t ticket) { free_.push_back(ticket); }

  // Whether lanes are left that have yet to take place; of those that write.
  [[nodiscard]] bool waiting() const { return waiting_ != 0; }
  [[nodiscard]] bool writing() const { return writing_ != 0; }
  // Whether one may write to the line, or ask for it; says yes too often, never too rarely.
  [[nodiscard]] bool may_write(std::uint64_t address) const {
    return writing_ != 0 && written_[place_of(address)] != 0;
  }
  [[nodiscard]] bool may_touch(std::uint64_t address) const {
    return waiting_ != 0 && touched_[place_of(address)] != 0;
  }
  // Those lanes of a store or an atomic take place in memory whose byte at `origin` is base[0]; old values go to `destination`.
  static void apply(const Access& access, std::uint32_t mask, std::byte* base, std::uint64_t origin, std::uint32_t* destination);

 private:
  void carry_out_lanes(const DeviceMemory& memory, std::uint32_t ticket, std::uint32_t mask);
  void taken_place(std::uint32_t ticket, std::uint32_t mask);
  static std::size_t place_of(std::uint64_t address) { return address / line_bytes % places; }

  std::vector<Access> all_;
  std::vector<std::uint32_t> free_;
  static constexpr std::size_t slots = 64;  // of warps, on an SM
  std::array<std::uint32_t, slots> first_ = unused();  // by slot
  std::array<std::uint32_t, slots> last_ = unused();
  static constexpr std::size_t places = 4096;
  // Lanes that will write a line, or ask for it, by the lowest bits of its number; and all of them.
  std::array<std::uint16_t, places> written_{};
  std::array<std::uint16_t, places> touched_{};
  std::uint64_t writing_ = 0;
  std::uint64_t waiting_ = 0;

  static constexpr std::array<std::uint32_t, slots> unused() {
    std::array<std::uint32_t, slots> tickets{};
    tickets.fill(none);
    return tickets;
  }
};

}  // namespace warpgauge::emulator
