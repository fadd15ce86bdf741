#include "traces/native/summary.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "traces/native/walk.h"
#include "traces/sass/opcode.h"

namespace warpgauge::native {
namespace {

constexpr std::uint64_t sector_bytes = 32;
constexpr unsigned sectors_per_line = 4;

// Distinct numbers, collected in bounded surplus: sorted and joined when as many new ones have come.
class DistinctSectors {
 public:
  void add(std::uint64_t sector) {
    if (sector == last_) return;
    last_ = sector;
    numbers_.push_back(sector);
    if (numbers_.size() >= limit_) join();
  }
  void join() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    limit_ = std::max<std::size_t>(2 * numbers_.size(), std::size_t{1} << 20);
  }
  [[nodiscard]] const std::vector<std::uint64_t>& numbers() const { return numbers_; }

 private:
  std::vector<std::uint64_t> numbers_;
  std::size_t limit_ = std::size_t{1} << 20;
  std::uint64_t last_ = ~std::uint64_t{0};
};

void count_access(Summary& summary, const traces::Issued& issued, DistinctSectors& distinct) {
  Summary::Space& space = summary.by_space[static_cast<std::size_t>(issued.space)];
  ++space.accesses;
  if (issued.executed_mask == 0) return;
  AccessState state;
  ++space.shapes[static_cast<std::size_t>(find_shape(issued.addresses, issued.executed_mask, state))];
  space.bytes +=
      static_cast<unsigned>(std::popcount(issued.executed_mask)) * std::uint64_t{issued.bytes_per_lane};
  if (issued.space != traces::MemorySpace::global) return;
  std::array<std::uint64_t, traces::warp_size> sectors{};
  std::size_t count = 0;
  for (std::uint32_t rest = issued.executed_mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t sector = issued.addresses[std::countr_zero(rest)] / sector_bytes;
    if (count == 0 || sectors[count - 1] != sector) sectors[count++] = sector;
  }
  std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
  count = static_cast<std::size_t>(
      std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count)) - sectors.begin());
  summary.sector_requests += count;
  for (std::size_t i = 0; i < count; ++i) distinct.add(sectors[i]);
}

}  // namespace

Summary summarize(const KernelTrace& trace) {
  Summary summary;
  DistinctSectors distinct;
  std::vector<std::uint64_t> executed(trace.code().size(), 0);
  walk(trace, [&](std::uint64_t, unsigned, std::uint32_t index, const traces::Issued& issued) {
    const auto lanes = static_cast<std::size_t>(std::popcount(issued.executed_mask));
    ++executed[index];
    ++summary.warp_instructions;
    summary.thread_instructions += lanes;
    ++summary.lanes[lanes];
    if (issued.branched) ++summary.branches;
    if (issued.diverged) ++summary.divergent;
    if (issued.access != traces::MemoryAccess::none) count_access(summary, issued, distinct);
  });
  for (std::size_t i = 0; i < executed.size(); ++i)
    if (executed[i] != 0) summary.opcodes[std::string(sass::mnemonic(trace.code()[i].opcode))] += executed[i];
  distinct.join();
  summary.sectors = distinct.numbers().size();
  std::uint64_t last = ~std::uint64_t{0};
  for (const std::uint64_t sector : distinct.numbers()) {
    if (sector / sectors_per_line != last) ++summary.lines;
    last = sector / sectors_per_line;
  }
  return summary;
}

}  // namespace warpgauge::native
