// Files as wholes: launches that repeat are stored once, and reading holds few pages whatever their number.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/traces/native/container.h"
#include "tests/traces/native/support.h"
#include "traces/native/walk.h"
#include "traces/native/writer.h"
#include "traces/sass/decode.h"

namespace warpgauge::native::test {
namespace {

// Launches of kernel "k" (container.h) in which every warp gathers from random places.
class Recording {
 public:
  explicit Recording(const std::string& path)
      : loaded_(cubin::load(cubin::Image(cubin_))),
        code_(sass::decode_section(loaded_.kernel("k").code, loaded_.architecture)),
        writer_(path) {}

  void launch(unsigned blocks, unsigned gathers, unsigned seed) {
    std::mt19937 random(seed);
    KernelInfo info;
    info.module = writer_.add_module({cubin_, loaded_.code_base, {}});
    info.shape.kernel = "k";
    info.shape.architecture = loaded_.architecture;
    info.shape.grid.x = blocks;
    info.shape.block.x = traces::warp_size;
    const auto kernel = writer_.begin_kernel(info, code_);
    for (unsigned block = 0; block < blocks; ++block) {
      traces::BlockObserver& observer = kernel->begin_block(block);
      run(observer, gathers, random);
      kernel->end_block(observer);
    }
    kernel->finish();
  }
  void finish() { writer_.finish(); }
  [[nodiscard]] std::uint64_t bytes() const { return writer_.bytes(); }

 private:
  static void run(traces::BlockObserver& observer, unsigned gathers, std::mt19937& random) {
    traces::Issued plain;
    plain.active_mask = plain.executed_mask = 0xffffffff;
    traces::Issued none = plain;
    none.executed_mask = 0;
    observer.issued(0, 0, plain);
    observer.issued(0, 1, none);
    observer.issued(0, 2, plain);
    observer.issued(0, 3, none);
    observer.issued(0, 4, plain);
    observer.issued(0, 5, plain);
    observer.issued(0, 6, plain);
    observer.issued(0, 7, none);
    observer.issued(0, 8, plain);
    std::array<std::uint64_t, traces::warp_size> addresses{};
    traces::Issued gather = plain;
    gather.space = traces::MemorySpace::global;
    gather.access = traces::MemoryAccess::load;
    gather.bytes_per_lane = 4;
    gather.addresses = addresses.data();
    for (unsigned i = 0; i < gathers; ++i) {
      for (std::uint64_t& address : addresses) address = 0x7f4000000000 + std::uint64_t{4} * (random() >> 8);
      observer.issued(0, 9, gather);
      if (i + 1 == gathers) break;
      // A guarded EXIT that no lane takes goes back to the load.
      observer.issued(0, 10, none);
    }
    observer.issued(0, 10, none);
    observer.issued(0, 11, plain);
    traces::Issued exit = plain;
    exit.exited = true;
    observer.issued(0, 12, exit);
  }

  cubin::Bytes cubin_ = small_cubin();
  cubin::LoadedModule loaded_;
  std::vector<sass::Instruction> code_;
  Writer writer_;
};

TEST(TraceFile, ALaunchThatRepeatsIsStoredOnce) {
  const TemporaryFile file;
  Recording recording(file.path());
  recording.launch(200, 40, 1);
  const std::uint64_t one = recording.bytes();
  recording.launch(200, 40, 1);
  const std::uint64_t repeated = recording.bytes() - one;
  recording.launch(200, 40, 2);
  const std::uint64_t other = recording.bytes() - one - repeated;
  recording.finish();
  EXPECT_GT(one, 200U * 40U * 90U);
  EXPECT_LT(repeated, one / 100);
  EXPECT_GT(other, one * 9 / 10);

  const Reader reader(file.path());
  EXPECT_EQ(first_difference(*reader.kernel(0), *reader.kernel(1)), std::nullopt);
  EXPECT_NE(first_difference(*reader.kernel(0), *reader.kernel(2)), std::nullopt);
}

TEST(TraceFile, ReadingHoldsFewPagesHoweverManyThereAre) {
  const TemporaryFile file;
  {
    Recording recording(file.path());
    recording.launch(300, 300, 1);
    recording.finish();
  }
  const Reader reader(file.path());
  const auto trace = reader.kernel(0);
  const std::uint32_t pages = trace->place(299).page + 1;
  ASSERT_GT(pages, 25U);
  constexpr unsigned kept = 8;
  BlockStreams streams;
  std::vector<std::weak_ptr<const Page>> held;
  traces::Issued issued;
  for (std::uint64_t block = 0; block < trace->blocks(); ++block) {
    streams.begin(*trace, block);
    held.push_back(trace->page(trace->place(block).page));
    while (!streams.warp(0).exited()) advance(streams, 0, issued);
    std::vector<const Page*> live;
    for (const auto& page : held)
      if (const auto at = page.lock(); at != nullptr && (live.empty() || live.back() != at.get()))
        live.push_back(at.get());
    ASSERT_LE(live.size(), kept + 1);
  }
}

}  // namespace
}  // namespace warpgauge::native::test
