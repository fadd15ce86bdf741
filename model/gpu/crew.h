// Threads that work through a list together, again and again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace warpgauge::model {

class Crew {
 public:
  // `threads`: the caller's own is one of them. `task` must not throw.
  Crew(unsigned threads, std::function<void(std::size_t)> task);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Calls task(0) … task(count - 1), each once, by whichever thread is free; returns when all are done.
  void work(std::size_t count);

 private:
  void take_tasks();
  void serve();

  std::function<void(std::size_t)> task_;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> round_ = 0;  // grows when there is work
  std::atomic<unsigned> busy_ = 0;        // threads that have not finished the round
  bool over_ = false;
  std::vector<std::thread> others_;
};

}  // namespace warpgauge::model
