// Launches that run at the same time, and what stands between them: tasks that wait for each other, on one chip and one
// time line. Caches keep what they have from task to task; the first finds them empty.
//
//   model::ConcurrentRun run(machine, {});
//   const auto a = run.add_launch({.make = …, .stream = "1"}, {});
//   const auto b = run.add_launch({.make = …, .stream = "2"}, {});
//   run.finish();
//   run.end(a);
//
// Tasks may be added while others are under way: those that the caller has not waited for go on beside them. The outcome
// depends on the order in which tasks are added and waited for, and on nothing else. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/report/report.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

class ConcurrentRun {
 public:
  using Id = std::size_t;

  struct Options {
    unsigned threads = 1;          // that run SMs side by side; the reports are the same for any number
    PageHistory* pages = nullptr;  // as RunOptions::pages
  };

  // `machine` must outlive the run.
  explicit ConcurrentRun(const Machine& machine, Options options);
  ~ConcurrentRun();
  ConcurrentRun(const ConcurrentRun&) = delete;
  ConcurrentRun& operator=(const ConcurrentRun&) = delete;

  // A task that has been added before, and has to end before this one.
  struct After {
    Id task = 0;
    bool in_graph = false;  // both are nodes of one graph: a launch's setting up does not wait
  };

  struct Launch {
    // Called when the launch begins: it sees memory as the tasks before it have left it.
    std::function<std::unique_ptr<traces::WarpStream>()> make;
    RunOptions options;  // without threads and pages
    int priority = 0;    // as CUDA's: lower numbers go first
    std::string stream;  // for the report
    // Called when it has ended, with its report.
    std::function<void(const KernelReport&)> ended;
  };
  Id add_launch(Launch launch, std::vector<After> after);

  // Something that takes no time of the chip: a copy, an event, a function of the host.
  Id add_action(std::function<void()> action, std::vector<After> after);

  // Runs until the task has ended; what is added from then on does not begin before that. Throws MachineError for a launch
  // that the device cannot hold or a standstill, and whatever a stream or an action throws; the task that threw has then
  // ended.
  void finish(Id task);
  void finish();  // all
  [[nodiscard]] bool has_ended(Id task) const;
  // In SM cycles from the beginning of the run; of a task that has ended.
  [[nodiscard]] std::uint64_t end(Id task) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace warpgauge::model
