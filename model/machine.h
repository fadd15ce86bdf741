// A GPU that runs kernels in the model: built from a calibration and nothing else.
//
//   model::Machine machine(calibration);
//   KernelReport report = machine.run(stream);
//
// A machine holds no state from one kernel to the next: every run starts with cold caches, as a profiler
// measures by default. run() may be called from several threads at the same time, for different streams.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/memory/page_history.h"
#include "model/report/report.h"
#include "traces/warp_stream.h"

namespace warpgauge::calib {
struct Calibration;
}

namespace warpgauge::model {

struct MachineSpec;

// The launch does not fit the device, or the model lost its balance. what() is one line; details() lists what
// was still queued where a run came to a standstill.
class MachineError : public std::runtime_error {
 public:
  explicit MachineError(const std::string& what, std::string details = {})
      : std::runtime_error(what), details_(std::move(details)) {}
  [[nodiscard]] const std::string& details() const { return details_; }

 private:
  std::string details_;
};

struct RunOptions {
  std::uint32_t launch_index = 0;
  bool per_instruction = false;  // fill KernelReport::instructions: issues and stalls by static instruction
  unsigned threads = 1;          // that run SMs side by side; the report is the same for any number
  // What the program's launches so far have touched, which this one adds to; null: every page is known, as in a launch
  // that is not the program's first.
  PageHistory* pages = nullptr;
  // What a launch brings of its code is there already, as of a kernel that runs again; a profiler that empties the caches finds
  // it on its way.
  bool code_at_hand = false;
  std::uint64_t max_cycles = 0;  // give up after so many SM cycles with a MachineError; 0: never
};

// One issued warp instruction, for timelines and tests.
struct IssueEvent {
  std::uint64_t cycle = 0;
  std::uint32_t sm = 0;
  std::uint32_t warp = 0;   // warp slot of the SM; its processing block is the slot modulo their number
  std::uint32_t index = 0;  // in WarpStream::code()
  Stall waited_for = Stall::selected;  // the last reason before the issue
  friend bool operator==(const IssueEvent&, const IssueEvent&) = default;
};

class Machine {
 public:
  explicit Machine(const calib::Calibration& calibration);
  explicit Machine(MachineSpec spec);
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  [[nodiscard]] const MachineSpec& spec() const { return *spec_; }

  // Runs one kernel to its end. Throws MachineError for a launch that the device cannot hold, and whatever
  // the stream throws.
  KernelReport run(traces::WarpStream& stream, const RunOptions& options = {}) const;

  // The same, and every issue in `timeline`, in the order of SM, then cycle.
  KernelReport run(traces::WarpStream& stream, const RunOptions& options,
                   std::vector<IssueEvent>& timeline) const;

 private:
  std::unique_ptr<const MachineSpec> spec_;
};

}  // namespace warpgauge::model
