// The slices of the L2: how many there are, and which of them neighbouring addresses have.
//
// Reductions of doubles to whole lines keep a slice busy about as long as an SM needs to send them, so that a few SMs fill
// it. Lines that all have slices of their own take as long together as one of them takes its share; where two of them meet in one
// slice, that one has twice as much to do, and all take twice as long. So one question tells of a line whether it
// has a slice of its own beside all those of a list, and lists that grow by each line that has come to one line of
// every slice. A list is short: with more lines than the SMs keep up with it is they that take the time, and on one
// partition of an H200 from 42 lines on so long that lines which share none looked as if they did. Of an L2 of two
// partitions each has lists of its own, of lines at home there and asked by its SMs alone: what comes from the other side
// passes another slice on its way.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "probes/bench.h"
#include "probes/draw.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t kib = 1024, mib = 1024 * kib;
constexpr std::uint64_t line_bytes = 128;
constexpr std::uint32_t no_rank = 0xffffffff;

constexpr const char* sm_label = "partition of an SM";
constexpr const char* home_label = "partition of an address";
constexpr const char* beside_label = "time of the first line and one beside it, over the first's alone";
constexpr const char* met_label = "slices that a footprint meets";
constexpr const char* found_label = "slices found, over lines asked";
constexpr const char* worth_label = "slices that a footprint's even load is worth";
constexpr const char* alone_label = "time of one line of each slice, by lists, over one line's share";
constexpr const char* shared_label = "least time of a list and a line that has no slice of its own";

// Two lines of one slice take twice as long as of different ones.
constexpr double shared_slice = 1.6;
// A far partition's atomic takes 1.7 times as long on an H200; SMs of one partition lie within a quarter.
constexpr double far_share = 1.35;

class Slices {
 public:
  Slices(Bench& bench, std::uint64_t region)
      : bench_(bench),
        sms_(static_cast<std::uint32_t>(bench.facts().sm_count)),
        memory_(bench.allocate(region)),
        list_(bench.allocate(most_lines * 8)),
        ranks_(bench.allocate(std::uint64_t{sms_} * 4)),
        out_(bench.allocate(std::max<std::uint64_t>(std::uint64_t{sms_} * 16, std::uint64_t{sms_} * most_asked * 4))),
        steps_(bench.facts().simulated ? 128 : 512) {
    memory_.fill(0);
  }

  static constexpr std::size_t most_lines = 16384, most_asked = 2048;

  [[nodiscard]] std::uint32_t sms() const { return sms_; }
  [[nodiscard]] const std::vector<int>& partition_of_sm() const { return partition_; }
  [[nodiscard]] int partitions() const { return partitions_; }

  // Which SMs are nearer to the same lines: those of the first SM's partition are 0.
  void find_partitions() {
    constexpr std::uint32_t lines = 16;
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = 0; i < lines; ++i) places.push_back(i * (64 * kib + line_bytes));
    use(all_sms());
    const auto cycles = latency(places, 3);
    std::vector<int> agree(sms_, 0);
    std::uint32_t divided = 0;
    for (std::uint32_t line = 0; line < lines; ++line) {
      std::vector<double> of_line;
      for (std::uint32_t sm = 0; sm < sms_; ++sm) of_line.push_back(cycles[sm * lines + line]);
      const auto [least, most] = std::minmax_element(of_line.begin(), of_line.end());
      if (*most < far_share * *least) continue;
      ++divided;
      const double middle = (*least + *most) / 2;
      for (std::uint32_t sm = 0; sm < sms_; ++sm) agree[sm] += (of_line[sm] > middle) == (of_line[0] > middle) ? 1 : -1;
    }
    partitions_ = divided > lines / 2 ? 2 : 1;
    partition_.assign(sms_, 0);
    for (std::uint32_t sm = 0; sm < sms_ && partitions_ == 2; ++sm) partition_[sm] = agree[sm] < 0 ? 1 : 0;
  }

  // The home of each place, by which of two SMs is nearer: 0 or 1.
  std::vector<int> homes(const std::vector<std::uint64_t>& places) {
    std::vector<int> result;
    if (partitions_ == 1) return std::vector<int>(places.size(), 0);
    // The first SM of each partition.
    std::vector<std::uint32_t> ranks(sms_, no_rank);
    ranks[0] = 0;
    ranks[static_cast<std::size_t>(std::find(partition_.begin(), partition_.end(), 1) - partition_.begin())] = 1;
    use(ranks);
    for (std::size_t from = 0; from < places.size(); from += most_asked) {
      const std::size_t count = std::min(most_asked, places.size() - from);
      const auto begin = places.begin() + static_cast<std::ptrdiff_t>(from);
      const auto cycles = latency({begin, begin + static_cast<std::ptrdiff_t>(count)}, 2);
      for (std::size_t i = 0; i < count; ++i) result.push_back(cycles[i] < cycles[count + i] ? 0 : 1);
    }
    return result;
  }

  // What one line's share takes a slice, and the way there and back: of a place by the SMs of its home.
  void time_one(std::uint64_t place, int home) {
    const double less = run_lines({place}, home, steps_), more = run_lines({place}, home, 2 * steps_);
    share_ = more - less;
    idle_ = less - share_;
  }

  // How long the SMs of a partition, or all (-1), take until each has added to its lines: over the time in which one
  // slice gets through what one line is given.
  double time_of(const std::vector<std::uint64_t>& places, int partition) {
    return (run_lines(places, partition, steps_) - idle_) / share_;
  }

 private:
  static constexpr std::uint32_t warps = 8;  // of a block

  std::vector<std::uint32_t> all_sms() const {
    std::vector<std::uint32_t> ranks(sms_);
    for (std::uint32_t sm = 0; sm < sms_; ++sm) ranks[sm] = sm;
    return ranks;
  }

  void use(std::vector<std::uint32_t> ranks) {
    if (ranks == in_use_) return;
    ranks_.write(ranks);
    in_use_ = std::move(ranks);
    taking_part_ = static_cast<std::uint32_t>(sms_ - std::count(in_use_.begin(), in_use_.end(), no_rank));
  }

  void use_partition(int partition) {
    std::vector<std::uint32_t> ranks(sms_, no_rank);
    std::uint32_t next = 0;
    for (std::uint32_t sm = 0; sm < sms_; ++sm) {
      if (partition < 0 || partition_[sm] == partition) ranks[sm] = next++;
    }
    use(std::move(ranks));
  }

  void write_list(const std::vector<std::uint64_t>& places) {
    std::vector<std::uint64_t> addresses(places);
    for (std::uint64_t& address : addresses) address += memory_.address();
    list_.write(addresses);
  }

  // Cycles of four atomics of each SM in use to each place.
  std::vector<double> latency(const std::vector<std::uint64_t>& places, std::uint32_t repeats) {
    write_list(places);
    const auto count = static_cast<std::uint32_t>(places.size());
    bench_.run(bench_.kernel("l2", "atomic_latency"), {sms_}, {1},
               Parameters().add(out_.address()).add(list_.address()).add(ranks_.address()).add(count).add(repeats),
               shared_bytes_of_one_block_an_sm(bench_.facts()));
    const auto words = out_.read<std::uint32_t>(std::size_t{taking_part_} * count);
    return {words.begin(), words.end()};
  }

  // Cycles of the SM that takes longest.
  double run_lines(const std::vector<std::uint64_t>& places, int partition, std::uint32_t steps) {
    use_partition(partition);
    write_list(places);
    bench_.run(bench_.kernel("l2", "red_lines"), {sms_}, {warps * 32},
               Parameters()
                   .add(out_.address())
                   .add(list_.address())
                   .add(ranks_.address())
                   .add(taking_part_)
                   .add(static_cast<std::uint32_t>(places.size()))
                   .add(std::uint32_t{1})
                   .add(steps),
               shared_bytes_of_one_block_an_sm(bench_.facts()));
    const auto clocks = out_.read<std::uint64_t>(std::size_t{2} * taking_part_);
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < clocks.size(); i += 2) longest = std::max(longest, clocks[i + 1] - clocks[i]);
    return static_cast<double>(longest);
  }

  Bench& bench_;
  std::uint32_t sms_;
  Buffer memory_, list_, ranks_, out_;
  std::uint32_t steps_;  // additions of a warp to each line
  std::vector<std::uint32_t> in_use_;
  std::uint32_t taking_part_ = 0;
  std::vector<int> partition_;
  int partitions_ = 1;
  double idle_ = 0, share_ = 0;
};

// One line of each slice found so far, by partition, in lists that are asked one by one.
class Representatives {
 public:
  static constexpr std::size_t most_together = 24;

  struct List {
    std::vector<std::uint64_t> places;
    double time = 1;
  };

  Representatives(Slices& slices, bool by_chance) : slices_(slices), by_chance_(by_chance) {}

  // Takes the place in unless its slice has one: the time of the list that has it is then twice a line's share, and
  // otherwise that of the list before, which is longer than a share where SMs send too slowly. Where chance has a part a
  // second question keeps out what the first let in by it.
  void ask(std::uint64_t place, int home) {
    std::vector<List>& lists = lists_[home];
    double time = 1;
    for (List& list : lists) {
      list.places.push_back(place);
      time = slices_.time_of(list.places, home);
      if (by_chance_) time = std::max(time, slices_.time_of(list.places, home));
      list.places.pop_back();
      if (time >= (std::max(1.0, list.time) + 2) / 2) {
        least_shared_ = std::min(least_shared_.value_or(time), time);
        return;
      }
    }
    if (lists.empty() || lists.back().places.size() == most_together) {
      lists.push_back({});
      time = 1;
    }
    lists.back().places.push_back(place);
    lists.back().time = time;
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t sum = 0;
    for (const auto& [home, lists] : lists_) {
      for (const List& list : lists) sum += list.places.size();
    }
    return sum;
  }
  [[nodiscard]] const std::map<int, std::vector<List>>& lists() const { return lists_; }
  // Of all lists with a line that was not taken in.
  [[nodiscard]] std::optional<double> least_shared() const { return least_shared_; }

 private:
  Slices& slices_;
  bool by_chance_;
  std::map<int, std::vector<List>> lists_;
  std::optional<double> least_shared_;
};

// Lines of a stretch that share the first one's slice: sampled as times of both.
struct Pieces {
  std::uint64_t piece = 0;       // bytes in a row
  std::uint64_t interleave = 0;  // bytes of them in all
};
Pieces pieces_of(const calib::Series& beside) {
  Pieces pieces{line_bytes, line_bytes};
  bool row = true;
  for (std::size_t i = 0; i < beside.x.size(); ++i) {
    const bool same = beside.y[i] >= shared_slice;
    row = row && same;
    if (same) pieces.interleave += line_bytes;
    if (row) pieces.piece += line_bytes;
  }
  return pieces;
}

void measure(Bench& bench, Findings& findings) {
  const bool simulated = bench.facts().simulated;
  const std::uint64_t region = simulated ? 4 * mib : 64 * mib;
  Slices slices(bench, region);
  slices.find_partitions();
  for (std::uint32_t sm = 0; sm < slices.sms(); ++sm)
    findings.sample(sm_label, "SM", "partition", sm, slices.partition_of_sm()[sm]);

  // One place in each KiB.
  const std::uint64_t walked = simulated ? 128 * kib : 2 * mib;
  std::vector<std::uint64_t> places;
  for (std::uint64_t at = 0; at < walked; at += kib) places.push_back(at);
  const std::vector<int> home_of = slices.homes(places);
  for (std::size_t i = 0; i < places.size(); ++i)
    findings.sample(home_label, "bytes", "partition", static_cast<double>(places[i]), home_of[i]);

  slices.time_one(0, home_of[0]);
  // The lines beside the first, of one stretch of a partition.
  constexpr std::uint64_t stretch = 4 * kib;
  for (std::uint64_t place = line_bytes; place < stretch; place += line_bytes) {
    findings.sample(beside_label, "line", "times", static_cast<double>(place / line_bytes),
                    slices.time_of({0, place}, home_of[0]));
  }
  const Pieces pieces = pieces_of(findings.at(beside_label));
  // The first line of each piece that has not been seen to be of a slice before it.
  const std::uint64_t group = pieces.piece == pieces.interleave ? pieces.piece : 2 * pieces.interleave;
  Representatives representatives(slices, !simulated);
  double asked = 0, since_new = 0;
  const auto ask = [&](std::uint64_t at, int home) {
    const std::size_t before = representatives.count();
    representatives.ask(at, home);
    since_new = representatives.count() == before ? since_new + 1 : 0;
    findings.sample(found_label, "lines", "slices", ++asked, static_cast<double>(representatives.count()));
  };
  // So many have brought none: enough for a simulated device.
  const auto settled = [&] { return simulated && since_new > static_cast<double>(representatives.count()); };
  std::uint64_t next = 8 * kib;
  for (std::uint64_t at = 0; at < walked && !settled(); at += group) {
    for (std::uint64_t piece = 0; piece < group && piece <= pieces.piece; piece += pieces.piece)
      ask(at + piece, home_of[(at + piece) / kib]);
    if (at + group != next) continue;
    findings.sample(met_label, "bytes", "slices", static_cast<double>(next), static_cast<double>(representatives.count()));
    next *= 2;
  }
  // And of places all over a larger region.
  std::vector<std::uint64_t> far_places;
  Draw draw(1);
  for (int i = 0; i < (simulated ? 64 : 512); ++i) far_places.push_back(draw.below(region / kib) * kib);
  const std::vector<int> far_homes = slices.homes(far_places);
  for (std::size_t i = 0; i < far_places.size() && !settled(); ++i) ask(far_places[i], far_homes[i]);
  for (const auto& [home, lists] : representatives.lists()) {
    for (const Representatives::List& list : lists)
      findings.sample(alone_label, "partition", "times", home, slices.time_of(list.places, home));
  }
  if (const auto least = representatives.least_shared()) findings.sample(shared_label, "lines", "times", asked, *least);

  // All lines of a footprint alike, by all SMs.
  for (std::uint64_t bytes = 8 * kib; bytes <= (simulated ? 128 * kib : 2 * mib); bytes *= 2) {
    for (std::uint64_t from = 0; from < region; from += simulated ? region : 16 * mib) {
      std::vector<std::uint64_t> lines;
      for (std::uint64_t at = 0; at < bytes; at += line_bytes) lines.push_back(from + at);
      draw.shuffle(lines);
      findings.sample(worth_label, "bytes", "slices", static_cast<double>(bytes),
                      static_cast<double>(lines.size()) / slices.time_of(lines, -1));
    }
  }
}

void conclude(const TargetFacts&, Findings& findings) {
  using calib::Unit;
  for (const double times : findings.at(alone_label).y) {
    if (times >= shared_slice) throw ProbeRefusal("lines that had a slice each when asked one by one have not together");
  }
  const calib::Series& found = findings.at(found_label);
  // A slice that a hundredth of the lines has would be missed one time in a hundred in so many.
  const double slices = found.y.back();
  const auto last = static_cast<std::size_t>(std::find(found.y.begin(), found.y.end(), slices) - found.y.begin());
  if (static_cast<double>(found.y.size() - last) < 0.5 * slices)
    throw ProbeRefusal("lines asked last still had slices that were new");
  findings.figure("l2.slices", slices, Unit::count, 0, found.x.size(), found_label);
  const calib::Series& sms = findings.at(sm_label);
  const bool divided = *std::max_element(sms.y.begin(), sms.y.end()) > 0;
  findings.figure("l2.partitions", divided ? 2 : 1, Unit::count, 0, sms.x.size(), sm_label);
  const calib::Series& homes = findings.at(home_label);
  if (divided) {
    double shortest = homes.x.back();
    std::size_t begin = 0;
    for (std::size_t i = 1; i < homes.x.size(); ++i) {
      if (homes.y[i] == homes.y[begin]) continue;
      shortest = std::min(shortest, homes.x[i] - homes.x[begin]);
      begin = i;
    }
    findings.figure("l2.partition_interleave", shortest, Unit::bytes, 0, homes.x.size(), home_label);
  }
  const calib::Series& beside = findings.at(beside_label);
  const Pieces pieces = pieces_of(beside);
  findings.figure("l2.interleave_piece", static_cast<double>(pieces.piece), Unit::bytes, 0, beside.x.size(), beside_label);
  findings.figure("l2.slice_interleave", static_cast<double>(pieces.interleave), Unit::bytes, 0, beside.x.size(), beside_label);
}

}  // namespace

extern const Probe l2_slices{"l2.slices", "How many slices the L2 has, and which of them neighbouring addresses have",
                             "Jia2018 section 3.2", 70, measure, conclude};

}  // namespace warpgauge::probes
