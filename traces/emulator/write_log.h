// What the blocks of one SM do to global memory during a window of the model.
//
// SMs run through a window one after the other or side by side, in whatever order threads get to them. So
// that the outcome is the same every time, memory itself does not change meanwhile: an SM sees its own stores
// and atomics, which stand in its log, and those of others from the next window on. Stores take place when
// the window ends, in the order of the cycles in which they were issued. Atomics, and the loads and stores
// that other blocks may wait for, stay in the log until the model has given them their turn (deferred.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/emulator/deferred.h"
#include "traces/emulator/memory.h"
#include "traces/emulator/memory_access.h"
#include "traces/emulator/micro_op.h"

namespace warpgauge::emulator {

class WriteLog {
 public:
  // `addresses`: of the lanes in `mask`; data as rows of 32 words.
  void store(const MicroOp& op, std::uint32_t mask, std::uint64_t cycle, const std::uint64_t* addresses,
             const std::uint32_t* data);
  // 32 words from `address` on.
  void store_row(std::uint64_t cycle, std::uint64_t address, const std::uint32_t* data);
  // Bytes that lie in a row, of a bulk copy; those of a reduction are combined with what is there.
  void store_run(std::uint64_t cycle, std::uint64_t address, std::span<const std::byte> data);
  void combine_run(std::uint64_t cycle, std::uint64_t address, std::span<const std::byte> data,
                   AtomicFunction function, AtomicType type);
  // Accesses that take place when they are carried out. What they give goes to `destination`, rows of 32 words. The ticket.
  std::uint32_t defer_load(const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                           std::uint32_t* destination);
  std::uint32_t defer_store(const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                            const std::uint32_t* data);
  std::uint32_t defer_atomic(const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                             const std::uint32_t* operand, const std::uint32_t* swap, std::uint32_t* destination);
  // Once the window has ended: see traces::WarpStream.
  void carry_out(const DeviceMemory& memory, std::uint32_t ticket, std::uint64_t begin) {
    deferred_.carry_out(memory, ticket, begin);
  }
  // While it is under way, of a load: what it sees is what the SM does.
  void carry_out_load(const DeviceMemory& memory, std::uint32_t ticket, std::uint64_t begin);

  // Whether one of the accesses may meet what stands here; says yes too often, never too rarely.
  [[nodiscard]] bool may_hold(const std::uint64_t* addresses, std::uint32_t mask) const;
  [[nodiscard]] bool may_hold_row(std::uint64_t address) const {
    return !entries_.empty() && (written(address) || written(address + row_bytes - 1));
  }

  // The aligned 16 bytes around an address that may be accessed, as this SM sees them.
  static constexpr unsigned granule = 16;
  void view(const DeviceMemory& memory, std::uint64_t address, std::byte (&bytes)[granule]) const;
  // As many bytes as `bytes` has, all of which may be accessed.
  void read_run(const DeviceMemory& memory, std::uint64_t address, std::span<std::byte> bytes) const;

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  // Carries out everything that stands in the logs of all SMs and is not deferred.
  static void commit(DeviceMemory& memory, std::span<WriteLog> logs);

 private:
  static constexpr std::uint64_t row_bytes = lanes * sizeof(std::uint32_t);
  enum class Kind : std::uint8_t { store, row, deferred, run, combined_run };
  struct Entry {
    std::uint64_t cycle = 0;
    std::uint64_t low = 0;  // addresses lie in [low, high]; an access may reach `granule` bytes from there
    std::uint64_t high = 0;
    const MicroOp* op = nullptr;
    std::size_t data = 0;  // in words_: addresses, what is stored
    std::uint32_t ticket = DeferredAccesses::none;
    std::uint32_t mask = 0;  // of a run, how many bytes
    Kind kind = Kind::store;
    AtomicFunction function = AtomicFunction::add;  // of a combined run
    AtomicType type = AtomicType::u32;
  };

  static constexpr std::uint64_t line_bytes = DeferredAccesses::line_bytes;
  static bool is_run(const Entry& entry) {
    return entry.kind == Kind::run || entry.kind == Kind::combined_run;
  }
  static std::uint64_t line_of(std::uint64_t address) { return address / line_bytes % (64 * marks); }
  void mark(std::uint64_t address) {
    marks_[line_of(address) / 64] |= std::uint64_t{1} << (line_of(address) % 64);
  }
  [[nodiscard]] bool marked(std::uint64_t address) const {
    return ((marks_[line_of(address) / 64] >> (line_of(address) % 64)) & 1U) != 0;
  }
  [[nodiscard]] bool written(std::uint64_t address) const { return marked(address) || deferred_.may_write(address); }
  std::uint32_t defer(DeferredKind kind, const MicroOp& op, unsigned warp, std::uint32_t mask, const std::uint64_t* addresses,
                      std::uint32_t* destination);
  // What is deferred and older than the `entry`-th, which stores, takes place first where they meet.
  void carry_out_before(const DeviceMemory& memory, std::size_t entry);
  static void reach(Entry& entry, std::uint32_t mask, const std::uint64_t* addresses);  // from `low` to `high`
  Entry& add(Kind kind, std::uint64_t cycle, std::uint32_t mask, const std::uint64_t* addresses);
  void append(const std::uint32_t* rows, unsigned count);
  Entry& add_run(Kind kind, std::uint64_t cycle, std::uint64_t address, std::span<const std::byte> data);
  // What of a run lies in [begin, end), to memory whose byte at `origin` is base[0].
  void apply_run(const Entry& entry, std::uint64_t begin, std::uint64_t end, std::byte* base,
                 std::uint64_t origin) const;
  // To memory whose byte at `origin` is base[0].
  void apply(const Entry& entry, std::uint32_t mask, std::byte* base, std::uint64_t origin) const;
  void clear();

  static constexpr unsigned marks = 64;
  std::array<std::uint64_t, marks> marks_{};  // lines that were written, by the lowest bits of their number
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> words_;
  DeferredAccesses deferred_;
  std::size_t committed_ = 0;  // entries, while a window ends
};

}  // namespace warpgauge::emulator
