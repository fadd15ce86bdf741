// Turns one warp's lines into what a recorder would have seen of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/accelsim/import.h"
#include "traces/accelsim/instruction_facts.h"
#include "traces/native/code_map.h"
#include "traces/stream_observer.h"

namespace warpgauge::accelsim {

// The code that the lines are read with.
struct ImportedCode {
  std::span<const sass::Instruction> code;
  native::CodeMap map;
  std::vector<StaticAccess> accesses;
  std::vector<StaticBarrier> barriers;  // of each BAR
  std::vector<std::string> opcodes;     // up to the first dot, as the lines name them; empty: not checked
  std::uint64_t shared_base = 0;
  std::uint64_t local_base = 0;
};

class WarpImport {
 public:
  explicit WarpImport(const ImportedCode& code) : code_(code) {}

  // All of the warp's lines. `initial` are the lanes that exist.
  void run(WarpLines& lines, unsigned warp, std::uint32_t initial, traces::BlockObserver& observer);

 private:
  struct Step {
    std::uint32_t index = 0;
    std::uint32_t mask = 0;
    bool has_addresses = false;
    std::array<std::uint64_t, traces::warp_size> addresses;
  };
  void settle(std::uint32_t next_index, bool last, WarpLines& lines, unsigned warp,
              traces::BlockObserver& observer);
  void emit(const Step& step, bool last, WarpLines& lines, unsigned warp, traces::BlockObserver& observer);
  void fill_access(const Step& step, traces::Issued& issued);
  void fill_barrier(const Step& step, traces::Issued& issued);
  void arrive(unsigned barrier, traces::Issued& issued);

  const ImportedCode& code_;
  std::vector<Step> run_;  // instructions that follow each other
  std::size_t run_count_ = 0;
  std::uint32_t active_ = 0;  // the lanes that may be expected at the run's beginning
  std::uint32_t alive_ = 0;
  std::array<std::uint32_t, 16> arrived_{};
  std::uint32_t waiting_ = 0;
  std::array<std::uint64_t, traces::warp_size> addresses_{};
  std::array<std::uint64_t, traces::warp_size> shared_{};
};

}  // namespace warpgauge::accelsim
