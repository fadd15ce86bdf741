#include "model/gpu/matrix_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpgauge::model {

MatrixClock::MatrixClock(const MatrixClockSpec& spec, std::vector<unsigned> gpc_of_sm)
    : spec_(spec), gpc_of_sm_(std::move(gpc_of_sm)) {
  const unsigned gpcs = gpc_of_sm_.empty() ? 1 : 1 + *std::ranges::max_element(gpc_of_sm_);
  gpcs_.resize(gpcs);
}

double MatrixClock::lost_at_start(double idle) const {
  const double longer = idle - static_cast<double>(spec_.hold);
  return longer < 0 ? 0 : spec_.start + spec_.start_more * -std::expm1(-longer / spec_.start_more_time);
}

Cycle MatrixClock::window(Cycle cycles, bool multiply) const {
  if (!multiply && held_ == 0) return cycles;
  const auto all = static_cast<double>(cycles);
  // What is to be lost at a start adds to what is left of the one before, which was no less than `hold` ago.
  const auto apart = static_cast<double>(std::max<Cycle>(1, std::min(spec_.hold, spec_.start_time)));
  const double share = 1 + (multiply ? spec_.slow + (spec_.start + spec_.start_more) / apart : 0);
  double length = all / share;
  for (int step = 0; step < 4; ++step) {
    const double lost = losing(until_ + static_cast<Cycle>(length));
    if (length * share + lost <= all) return std::max<Cycle>(1, static_cast<Cycle>(length));
    length = std::max(0.0, all - lost) / share;
  }
  return 1;
}

void MatrixClock::forget() {
  for (Gpc& gpc : gpcs_) {
    gpc.held = gpc.again = false;
    gpc.each = 0;
  }
  held_ = 0;
}

void MatrixClock::multiplied(unsigned sm, Cycle first, Cycle last) {
  if (spec_.slow <= 0) return;
  Gpc& gpc = gpcs_[sm < gpc_of_sm_.size() ? gpc_of_sm_[sm] : 0];
  if (!gpc.held && !gpc.again) ++held_;
  gpc.next_first = gpc.again ? std::min(gpc.next_first, first) : first;
  gpc.next_last = gpc.again ? std::max(gpc.next_last, last) : last;
  gpc.again = true;
}

double MatrixClock::losing(const Gpc& gpc, Cycle from, Cycle until) const {
  if (!gpc.held) return 0;
  const auto within = [&](Cycle begin, Cycle end) {
    begin = std::max(begin, from);
    end = std::min(end, until);
    return end > begin ? static_cast<double>(end - begin) : 0;
  };
  return spec_.slow * within(from, gpc.last + spec_.hold) + gpc.each * within(gpc.start, gpc.start + spec_.start_time);
}

double MatrixClock::losing(Cycle until) const {
  if (held_ == 0) return 0;
  double sum = 0;
  for (const Gpc& gpc : gpcs_) sum += losing(gpc, until_, until);
  return sum / held_;
}

void MatrixClock::pass(Cycle until) {
  if (until <= until_) return;
  begin_ = until_;
  lost_before_ = lost_;
  share_ = 0;
  if (held_ == 0) {
    until_ = until;
    return;
  }
  double sum = 0;
  for (Gpc& gpc : gpcs_) {
    double lost = losing(gpc, until_, gpc.again ? std::min(gpc.next_first, until) : until);
    if (gpc.again) {
      const double all = gpc.held ? lost_at_start(static_cast<double>(gpc.next_first - gpc.last)) : spec_.start + spec_.start_more;
      if (all > 0) {
        const Cycle over = gpc.start + spec_.start_time;
        const double left = over > gpc.next_first ? gpc.each * static_cast<double>(over - gpc.next_first) : 0;
        gpc.start = gpc.next_first;
        gpc.each = (all + left) / static_cast<double>(spec_.start_time);
      }
      gpc.held = true;
      gpc.last = gpc.next_last;
      gpc.again = false;
      lost += losing(gpc, gpc.next_first, until);
    }
    gpc.lost += lost;
    sum += lost;
  }
  until_ = until;
  lost_ += sum / held_;
  share_ = (lost_ - lost_before_) / static_cast<double>(until_ - begin_);
}

Cycle MatrixClock::beyond(Cycle at) const {
  return at + static_cast<Cycle>(
                  std::ceil(lost_before_ + share_ * static_cast<double>(at - std::min(at, begin_))));
}

Cycle MatrixClock::within(Cycle at) const {
  const auto lost = static_cast<Cycle>(std::ceil(lost_));
  if (at <= until_ + lost || held_ == 0) return at - std::min(at, lost);
  // The first one by which so much has gone by: between what it is if all is lost that can be, and if nothing is.
  const Cycle rest = at - lost - until_;
  Cycle most = rest;
  Cycle least = rest - std::min(rest, static_cast<Cycle>(losing(until_ + rest)) + 1);
  while (least < most) {
    const Cycle middle = least + (most - least) / 2;
    if (static_cast<double>(middle) + losing(until_ + middle) < static_cast<double>(rest)) {
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  return until_ + most;
}

Cycle MatrixClock::way(unsigned round_trip) const {
  if (round_trip <= spec_.own_latency) return 0;
  return static_cast<Cycle>(std::lround((round_trip - spec_.own_latency) * share_ / (1 + share_)));
}

std::vector<double> MatrixClock::lost_by_gpc(Cycle at) const {
  std::vector<double> lost;
  for (const Gpc& gpc : gpcs_) lost.push_back(gpc.lost + losing(gpc, until_, at));
  return lost;
}

}  // namespace warpgauge::model
