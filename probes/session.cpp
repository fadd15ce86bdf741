#include "probes/session.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <optional>

#include "probes/run.h"

namespace warpgauge::probes {
namespace {

// What the worker says: one letter and a text. 'T' target opened, 'E' it cannot be opened, 'R' a result, 'M' missing and why,
// 'B' the same, and the worker ends.
struct Message {
  char kind = 0;
  std::string text;
};

void write_all(int file, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file, at, size);
    if (written <= 0) _exit(1);  // the parent is gone
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

void send(int file, const Message& message) {
  const std::uint64_t size = message.text.size();
  write_all(file, &message.kind, 1);
  write_all(file, &size, sizeof size);
  write_all(file, message.text.data(), message.text.size());
}

bool read_all(int file, void* data, std::size_t size, std::chrono::steady_clock::time_point deadline) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    // Rounded up: what gives up before the deadline would pass for the end of the process.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{file, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
    const ssize_t got = ::read(file, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<Message> receive(int file, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  Message message;
  std::uint64_t size = 0;
  if (!read_all(file, &message.kind, 1, deadline) || !read_all(file, &size, sizeof size, deadline)) return std::nullopt;
  message.text.resize(size);
  if (!read_all(file, message.text.data(), size, deadline)) return std::nullopt;
  return message;
}

calib::Measurements header(const TargetFacts& facts) {
  calib::Measurements measurements;
  measurements.device = facts.name;
  measurements.architecture = "sm_" + std::to_string(facts.sm);
  measurements.driver = facts.driver;
  const auto cuda = facts.attributes.find("cuda_version");
  if (measurements.driver.empty() && cuda != facts.attributes.end()) measurements.driver = "CUDA " + std::to_string(cuda->second);
  measurements.date = today();
  return measurements;
}

[[noreturn]] void work(int file, const std::function<std::unique_ptr<Target>()>& open, const std::vector<const Probe*>& probes,
                       std::size_t first) {
  std::unique_ptr<Target> target;
  try {
    target = open();
  } catch (const std::exception& error) {
    send(file, {'E', error.what()});
    _exit(0);
  }
  const calib::Measurements empty = header(target->facts());
  send(file, {'T', calib::to_json(empty)});
  for (std::size_t i = first; i < probes.size(); ++i) {
    try {
      const ProbeOutcome outcome = run_probe(*target, *probes[i]);
      calib::Measurements one = empty;
      one.probes.push_back(outcome.result);
      if (!outcome.complaint.empty()) one.missing.push_back({std::string(probes[i]->name), outcome.complaint});
      send(file, {'R', calib::to_json(one)});
    } catch (const ProbeRefusal& refusal) {
      send(file, {'M', refusal.what()});
    } catch (const std::exception& error) {
      send(file, {'B', error.what()});
      _exit(0);  // the context may be broken: a new process takes the next probe
    }
  }
  _exit(0);
}

class Worker {
 public:
  Worker(const std::function<std::unique_ptr<Target>()>& open, const std::vector<const Probe*>& probes, std::size_t first) {
    int ends[2];
    if (::pipe(ends) != 0) throw TargetError(std::string("cannot make a pipe: ") + std::strerror(errno));
    pid_ = ::fork();
    if (pid_ < 0) throw TargetError(std::string("cannot start a process: ") + std::strerror(errno));
    if (pid_ == 0) {
      ::close(ends[0]);
      work(ends[1], open, probes, first);
    }
    ::close(ends[1]);
    file_ = ends[0];
  }
  ~Worker() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(file_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] int file() const { return file_; }

 private:
  pid_t pid_ = -1;
  int file_ = -1;
};

}  // namespace

calib::Measurements run_session(const std::function<std::unique_ptr<Target>()>& open, const std::vector<const Probe*>& probes,
                          const SessionOptions& options) {
  calib::Measurements session;
  std::size_t next = 0;
  while (next < probes.size()) {
    const Worker worker(open, probes, next);
    const auto opened = receive(worker.file(), options.probe_limit);
    if (!opened) throw TargetError("the target did not open within " + std::to_string(options.probe_limit.count()) + " s");
    if (opened->kind == 'E') throw TargetError(opened->text);
    if (session.device.empty()) session = calib::parse_measurements(opened->text, "the worker");
    for (; next < probes.size(); ++next) {
      const auto start = std::chrono::steady_clock::now();
      auto message = receive(worker.file(), options.probe_limit);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      const bool died = !message.has_value();
      if (died) {
        const bool late = took >= options.probe_limit;
        message = Message{'M', late ? "did not finish within " + std::to_string(options.probe_limit.count()) + " s" : "its process ended"};
      }
      const std::string name(probes[next]->name);
      std::string why = message->text;
      if (message->kind == 'R') {
        calib::Measurements one = calib::parse_measurements(message->text, "the worker");
        session.probes.push_back(std::move(one.probes.at(0)));
        why = one.missing.empty() ? "" : "no figures: " + one.missing[0].reason;
      }
      if (!why.empty()) session.missing.push_back({name, why});
      if (options.progress) options.progress(name, why, took.count());
      if (died || message->kind == 'B') {
        ++next;
        break;
      }
    }
  }
  return session;
}

}  // namespace warpgauge::probes
