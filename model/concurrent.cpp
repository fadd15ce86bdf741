#include "model/concurrent.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <utility>

#include "model/gpu/chip.h"
#include "model/machine_spec.h"

namespace warpgauge::model {

class ConcurrentRun::Implementation {
 public:
  Implementation(const Machine& machine, Options options)
      : spec_(machine.spec()), chip_(spec_, options.pages, options.threads) {}

  Id add(Launch launch, std::function<void()> action, const std::vector<After>& after) {
    const Id id = tasks_.size();
    Task& task = tasks_.emplace_back();
    task.is_launch = static_cast<bool>(launch.make);
    if (task.is_launch) task.launch = std::make_unique<Launch>(std::move(launch));
    task.action = std::move(action);
    task.begin = host_time_;
    task.ready = task.is_launch ? host_time_ + spec_.launch.begin_overhead : host_time_;
    for (const After& before : after) {
      Task& other = tasks_[before.task];
      if (other.ended) {
        follow(task, other, before.in_graph);
      } else {
        other.followers.push_back({id, before.in_graph});
        ++task.waits_for;
      }
    }
    if (task.waits_for == 0) make_ready(id);
    return id;
  }

  void finish(Id id) {
    while (!tasks_[id].ended) advance();
    host_time_ = std::max(host_time_, tasks_[id].end);
  }

  void finish() {
    while (ended_ != tasks_.size()) advance();
    host_time_ = std::max(host_time_, latest_end_);
  }

  [[nodiscard]] bool has_ended(Id id) const { return tasks_[id].ended; }
  [[nodiscard]] Cycle end(Id id) const { return tasks_[id].end; }

 private:
  struct Task {
    std::unique_ptr<Launch> launch;  // until it has ended
    std::function<void()> action;
    bool is_launch = false;
    bool ended = false;
    unsigned waits_for = 0;
    Cycle begin = 0;  // when what it waits for has ended
    Cycle ready = 0;  // when it happens, or issues its first instruction
    Cycle end = 0;
    std::vector<After> followers;
    std::unique_ptr<traces::WarpStream> stream;
  };

  void follow(Task& task, const Task& before, bool in_graph) const {
    task.begin = std::max(task.begin, before.end);
    // What has waited in a stream is taken up as one more launch.
    const unsigned in_stream = spec_.launch.begin_overhead + spec_.launch.launch_interval;
    const unsigned lead = !task.is_launch ? 0 : in_graph ? spec_.launch.graph_edge : in_stream;
    task.ready = std::max(task.ready, before.end + lead);
  }

  // A launch comes to the block scheduler so long before its first instruction.
  [[nodiscard]] Cycle due(const Task& task) const {
    return task.is_launch ? task.ready - std::min<Cycle>(task.ready, spec_.launch.block_start_latency) : task.ready;
  }
  void make_ready(Id id) { ready_.emplace(due(tasks_[id]), id); }

  // Does the next thing that there is to do.
  void advance() {
    // The places of launches are free when these have ended.
    while (!leaving_.empty() && *leaving_.begin() <= chip_.now()) {
      leaving_.erase(leaving_.begin());
      --running_;
    }
    auto next = ready_.begin();
    // One launch too many waits for a place; what is no launch does not.
    bool held = false;
    while (next != ready_.end() && tasks_[next->second].is_launch && running_ >= spec_.launch.max_running) {
      held = true;
      ++next;
    }
    Cycle at = next == ready_.end() ? never : next->first;
    if (held && !leaving_.empty()) at = std::min(at, *leaving_.begin());
    if (next != ready_.end() && next->first <= chip_.now()) {
      const Id id = next->second;
      ready_.erase(next);
      start(id);
      return;
    }
    if (chip_.step(at)) {
      for (const auto& end : std::exchange(chip_.ended(), {})) end_launch(end.launch, end.at);
      return;
    }
    if (at == never) {
      chip_.check();  // says what stands still
      throw MachineError("tasks wait for each other");
    }
    chip_.wait_until(at);
  }

  void start(Id id) {
    Task& task = tasks_[id];
    if (!task.is_launch) {
      try {
        if (task.action) task.action();
      } catch (...) {
        end_task(id, task.ready);
        throw;
      }
      end_task(id, task.ready);
      return;
    }
    task.ready = std::max({task.ready, launches_free_, chip_.now() + spec_.launch.block_start_latency});
    if (due(task) > chip_.now()) {
      make_ready(id);
      return;
    }
    try {
      task.stream = task.launch->make();
      const std::uint8_t number = chip_.begin(*task.stream, task.launch->options, -task.launch->priority, task.ready);
      running_tasks_[number] = id;
    } catch (...) {
      end_task(id, task.ready);
      throw;
    }
    ++running_;
    launches_free_ = task.ready + spec_.launch.launch_interval;
  }

  void end_launch(std::uint8_t number, Cycle at) {
    const Id id = running_tasks_[number];
    Task& task = tasks_[id];
    // As a launch alone has it: what comes before the first instruction is its own, unless a graph has hidden it.
    const Cycle begun =
        std::max(task.begin, task.ready - std::min<Cycle>(task.ready, spec_.launch.begin_overhead));
    KernelReport report = chip_.report(number, begun, false);
    report.span = TimeLineSpan{task.launch->stream, begun, at};
    chip_.forget(number);
    leaving_.insert(at);
    const auto told = std::move(task.launch->ended);
    end_task(id, at);
    if (told) told(report);
  }

  void end_task(Id id, Cycle at) {
    Task& task = tasks_[id];
    task.ended = true;
    task.end = at;
    latest_end_ = std::max(latest_end_, at);
    ++ended_;
    for (const After& follower : task.followers) {
      Task& later = tasks_[follower.task];
      follow(later, task, follower.in_graph);
      if (--later.waits_for == 0) make_ready(follower.task);
    }
    task.followers = {};
    task.launch.reset();
    task.action = nullptr;
    task.stream.reset();
  }

  const MachineSpec& spec_;
  std::deque<Task> tasks_;
  Chip<NullSink> chip_;
  std::set<std::pair<Cycle, Id>> ready_;  // what waits for nothing but its time
  std::array<Id, max_running_launches> running_tasks_{};
  unsigned running_ = 0;           // launches that have a place
  std::multiset<Cycle> leaving_;  // ends of those that are done
  std::size_t ended_ = 0;
  Cycle launches_free_ = 0;  // the first instruction of the next launch
  Cycle latest_end_ = 0;
  Cycle host_time_ = 0;  // until when the caller has waited
};

ConcurrentRun::ConcurrentRun(const Machine& machine, Options options)
    : implementation_(std::make_unique<Implementation>(machine, options)) {}
ConcurrentRun::~ConcurrentRun() = default;

ConcurrentRun::Id ConcurrentRun::add_launch(Launch launch, std::vector<After> after) {
  return implementation_->add(std::move(launch), nullptr, after);
}

ConcurrentRun::Id ConcurrentRun::add_action(std::function<void()> action, std::vector<After> after) {
  return implementation_->add({}, std::move(action), after);
}

void ConcurrentRun::finish(Id task) {
  implementation_->finish(task);
}

void ConcurrentRun::finish() {
  implementation_->finish();
}

bool ConcurrentRun::has_ended(Id task) const {
  return implementation_->has_ended(task);
}

std::uint64_t ConcurrentRun::end(Id task) const {
  return implementation_->end(task);
}

}  // namespace warpgauge::model
