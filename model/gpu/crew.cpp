#include "model/gpu/crew.h"

#include <utility>

namespace warpgauge::model {

Crew::Crew(unsigned threads, std::function<void(std::size_t)> task) : task_(std::move(task)) {
  for (unsigned t = 1; t < threads; ++t) others_.emplace_back([this] { serve(); });
}

Crew::~Crew() {
  over_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void Crew::take_tasks() {
  for (std::size_t i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
       i = next_.fetch_add(1, std::memory_order_relaxed)) {
    task_(i);
  }
}

void Crew::serve() {
  std::uint64_t seen = 0;
  for (;;) {
    round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
    if (over_) return;
    take_tasks();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void Crew::work(std::size_t count) {
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  if (others_.empty() || count < 2) {
    take_tasks();
    return;
  }
  busy_.store(static_cast<unsigned>(others_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_tasks();
  for (unsigned left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire)) {
    busy_.wait(left, std::memory_order_acquire);
  }
}

}  // namespace warpgauge::model
