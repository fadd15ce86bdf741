#include "model/memory/slice_queue.h"

#include <algorithm>
#include <utility>

namespace warpgauge::model {

bool Places::take(unsigned messages, double now) {
  if (count_ == 0) return true;
  if (taken_ + messages > count_) {
    while (known_ != 0 && leave_[first_].at <= now) {
      taken_ -= leave_[first_].messages;
      first_ = first_ + 1 == count_ ? 0 : first_ + 1;
      --known_;
    }
    // Who wants more than there are waits for all of them.
    if (taken_ + std::min(messages, count_) > count_) return false;
  }
  taken_ += messages;
  return true;
}

void Places::free(unsigned messages, double at) {
  if (count_ == 0 || messages == 0) return;
  unsigned place = first_ + known_ < count_ ? first_ + known_ : first_ + known_ - count_;
  // Nearly all leave in the order in which this is known.
  for (unsigned before_it = known_; before_it != 0; --before_it) {
    const unsigned before = place == 0 ? count_ - 1 : place - 1;
    if (leave_[before].at <= at) break;
    leave_[place] = leave_[before];
    place = before;
  }
  leave_[place] = {at, messages};
  ++known_;
}

SliceQueue::SliceQueue(unsigned places, std::shared_ptr<const CrossbarTree> tree)
    : places_(places),
      tree_(std::move(tree)),
      waiting_(tree_->nodes().size(), 0),
      served_(tree_->nodes().size(), 0),
      lines_(tree_->sms()) {}

bool SliceQueue::enter(unsigned sm, std::uint32_t request, unsigned messages, double now) {
  if (!someone_waits() && places_.take(messages, now)) return true;
  std::uint32_t one = unused_;
  if (one == none) {
    one = static_cast<std::uint32_t>(ones_.size());
    ones_.emplace_back();
  } else {
    unused_ = ones_[one].behind;
  }
  ones_[one] = {request, messages, none};
  Line& line = lines_[sm];
  (line.first == none ? line.first : ones_[line.last].behind) = one;
  line.last = one;
  const bool alone = !someone_waits();
  std::uint32_t node = tree_->node_of(sm);
  for (; node != CrossbarTree::root; node = tree_->nodes()[node].parent) ++waiting_[node];
  ++waiting_[node];
  if (alone) choose();
  return false;
}

void SliceQueue::choose() {
  ++turns_;
  std::uint32_t node = CrossbarTree::root;
  for (const CrossbarTree::Node* joint = &tree_->nodes()[node]; joint->children != 0; joint = &tree_->nodes()[node]) {
    std::uint32_t best = none;
    for (std::uint32_t child = joint->first_child; child < joint->first_child + joint->children; ++child) {
      if (waiting_[child] != 0 && (best == none || served_[child] < served_[best])) best = child;
    }
    node = best;
    served_[node] = turns_;
  }
  next_ = tree_->nodes()[node].sm;
}

SliceQueue::Admitted SliceQueue::admit(double now) {
  if (!someone_waits()) return {};
  Line& line = lines_[next_];
  const std::uint32_t one = line.first;
  if (!places_.take(ones_[one].messages, now)) return {};
  line.first = ones_[one].behind;
  std::uint32_t node = tree_->node_of(next_);
  for (; node != CrossbarTree::root; node = tree_->nodes()[node].parent) --waiting_[node];
  --waiting_[node];
  ones_[one].behind = std::exchange(unused_, one);
  if (someone_waits()) choose();
  return {true, ones_[one].request};
}

}  // namespace warpgauge::model
