// Where a driver lays out allocations, so that caches' slices and memory's channels meet them as they do on a
// card.
//
// Source: by hand on an H200 (driver 580, 738 calls of cuMemAlloc with sizes drawn at random from 1 byte to 8
// MiB, between 462 of cuMemFree; tests/emulator/data/driver_layout_h200.txt). Sizes are rounded up to 512
// bytes. Up to 2 MiB share pages of 2 MiB: an allocation takes the smallest gap that has room, of several the
// one that has been there longest, from its head on, or a new page; a page that is empty is given back. What
// is larger has pages of its own, and nobody uses their rest. Of pages the lowest that are free are taken,
// which is what the card did but for its ranges of addresses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace warpgauge::emulator {

using DeviceAddress = std::uint64_t;

enum class MemoryPool : std::uint8_t { device, managed, host, stream_ordered, variables };

class DriverLayout {
 public:
  static constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;
  static constexpr std::uint64_t step_bytes = 512;

  DriverLayout() = default;
  // As many whole pages as there are from `begin`, the head of one, on.
  DriverLayout(DeviceAddress begin, std::uint64_t bytes);

  // Nothing if no room is left.
  std::optional<DeviceAddress> take(std::uint64_t bytes, MemoryPool pool);
  // What `take` gave for as many bytes.
  void give_back(DeviceAddress address, std::uint64_t bytes, MemoryPool pool);

 private:
  // Ranges that nobody has.
  class Gaps {
   public:
    void add(DeviceAddress begin, std::uint64_t bytes);
    // The gap that begins (ends) there is one no longer. How long it was, or 0 if there was none.
    std::uint64_t take_that_begins(DeviceAddress address);
    std::uint64_t take_that_ends(DeviceAddress address);
    // From the head of the smallest that has room; what is left of it remains.
    std::optional<DeviceAddress> take_from_smallest(std::uint64_t bytes);
    // From the lowest that has room at a multiple of `alignment`.
    std::optional<DeviceAddress> take_from_lowest(std::uint64_t bytes, std::uint64_t alignment);

   private:
    struct Gap {
      std::uint64_t bytes = 0;
      std::uint64_t number = 0;  // in the order in which they came to be
    };
    std::map<DeviceAddress, Gap> by_address_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, DeviceAddress> by_size_;  // and number
    std::uint64_t next_number_ = 0;

    std::uint64_t remove(std::map<DeviceAddress, Gap>::const_iterator gap);
  };

  Gaps pages_;                  // whole ones
  std::array<Gaps, 5> shared_;  // by pool: within pages that allocations share; none reaches into two
};

}  // namespace warpgauge::emulator
