// Assembles kernels written with Program, runs them, and reads what they left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/sass/program.h"

namespace warpgauge::probes {

// A cubin of these kernels for sm_70, sm_75 or sm_90. Throws ProbeRefusal with the assembler's words when the text is
// not of that architecture. `constants` become constant bank 3.
std::vector<std::byte> assemble_cubin(int sm, const std::vector<SassKernel>& kernels,
                                      const std::vector<std::uint32_t>& constants = {});

struct SassArguments {
  std::uint32_t warps = 1;
  std::uint32_t blocks = 1;
  DeviceAddress in = 0;
  std::uint32_t a = 0xffffffff, b = 0, c = 0, d = 0;
  std::uint32_t sm = any_sm;  // the one that works, of kernels with only_on_sm(); `blocks` is then that of its grid
  std::size_t results = 0;  // slots of store_result to read back
  std::uint32_t shared_bytes = 0;  // of a block beside its kernel's own, where no SM is asked
  std::optional<int> carveout = std::nullopt;  // Launch::carveout_percent
};

struct SassOutcome {
  std::vector<WarpRecord> warps;
  std::vector<std::uint32_t> results;  // of lane 0, one a slot
  std::vector<std::uint32_t> lanes;    // of all lanes, 32 a slot
  // Whether the warps left their clocks: not when no block came to the SM that was asked.
  [[nodiscard]] bool answered() const { return warps.at(0).end != 0; }
  // Cycles between the clocks of one warp.
  [[nodiscard]] double cycles(std::size_t warp = 0) const {
    return static_cast<double>(warps.at(warp).end - warps.at(warp).start);
  }
};

class SassModule {
 public:
  SassModule(Bench& bench, const std::vector<SassKernel>& kernels,
             const std::vector<std::uint32_t>& constants = {});

  SassOutcome run(const std::string& kernel, const SassArguments& arguments = {});

 private:
  Bench& bench_;
  std::map<std::string, std::pair<FunctionId, std::uint32_t>> functions_;  // and its shared bytes
  Buffer out_;
};

}  // namespace warpgauge::probes
