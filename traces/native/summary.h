// What a recorded launch does, counted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "traces/native/address_codec.h"
#include "traces/native/reader.h"

namespace warpgauge::native {

struct Summary {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::map<std::string, std::uint64_t> opcodes;              // warp instructions by mnemonic
  std::array<std::uint64_t, traces::warp_size + 1> lanes{};  // warp instructions by how many lanes execute
  std::uint64_t branches = 0;                                // … that went elsewhere than on
  std::uint64_t divergent = 0;                               // … whose lanes took different ways

  struct Space {
    std::uint64_t accesses = 0;
    std::array<std::uint64_t, 4> shapes{};  // by Shape
    std::uint64_t bytes = 0;                // that the lanes ask for
  };
  static constexpr std::size_t spaces = 6;
  std::array<Space, spaces> by_space{};  // by traces::MemorySpace

  // Of global memory: distinct sectors of 32 bytes and lines of 128 that are touched, and accesses' sectors.
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
  std::uint64_t sector_requests = 0;  // distinct sectors of each access, summed
};

Summary summarize(const KernelTrace& trace);

}  // namespace warpgauge::native
