// Long streams, and traces that are cut off, changed or never finished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/native/container.h"
#include "tests/traces/native/support.h"
#include "traces/native/record.h"
#include "traces/native/summary.h"
#include "traces/native/walk.h"
#include "traces/sass/decode.h"

namespace warpgauge::native::test {
namespace {

// A warp of kernel "k" (container.h) goes round its loop `turns` times; every lane of every second block
// loads somewhere else.
void write_long_trace(const std::string& path, std::uint64_t turns) {
  const cubin::Bytes cubin = small_cubin();
  const cubin::LoadedModule module = cubin::load(cubin::Image(cubin));
  const auto code = sass::decode_section(module.kernel("k").code, module.architecture);
  Writer writer(path);
  KernelInfo info;
  info.module = writer.add_module({cubin, module.code_base, {}});
  info.shape.kernel = "k";
  info.shape.architecture = module.architecture;
  info.shape.grid.x = 4;
  info.shape.block.x = 64;
  const auto kernel = writer.begin_kernel(info, code);
  const auto step = [](std::uint32_t executed) {
    traces::Issued issued;
    issued.active_mask = 0xffffffff;
    issued.executed_mask = executed;
    return issued;
  };
  for (const unsigned block : {2U, 0U, 3U, 1U}) {
    traces::BlockObserver& observer = kernel->begin_block(block);
    std::uint64_t state = block + 1;
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
      for (unsigned warp = 0; warp < 2; ++warp) {
        if (turn == 0)
          for (unsigned i = 0; i < 6; ++i) observer.issued(warp, i, step(i == 1 || i == 3 ? 0 : 0xffffffff));
        observer.issued(warp, 6, step(0xffffffff));
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const bool last = turn + 1 == turns;
        // Some lanes leave the loop for a turn: masks that compress badly.
        observer.issued(warp, 7, step(last ? 0 : 0xffffffff));
      }
    }
    for (unsigned warp = 0; warp < 2; ++warp) {
      std::array<std::uint64_t, 32> addresses{};
      for (std::uint64_t& address : addresses) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        address = 0x7f4000000000 + (state >> 40) * 4;
      }
      observer.issued(warp, 8, step(0xffffffff));
      traces::Issued load = step(0xffffffff);
      load.space = traces::MemorySpace::global;
      load.access = traces::MemoryAccess::load;
      load.bytes_per_lane = 4;
      load.addresses = addresses.data();
      observer.issued(warp, 9, load);
      observer.issued(warp, 10, step(0));
      observer.issued(warp, 11, step(0xffffffff));
      traces::Issued exit = step(0xffffffff);
      exit.exited = true;
      observer.issued(warp, 12, exit);
    }
    kernel->end_block(observer);
  }
  kernel->finish();
  writer.finish();
}

void read_all(const std::string& bytes) {
  const Reader reader(from_memory({bytes.begin(), bytes.end()}));
  for (std::size_t k = 0; k < reader.kernels(); ++k) (void)summarize(*reader.kernel(k));
}

TEST(LongStreams, AreReadInPiecesFromAnyBlock) {
  constexpr std::uint64_t turns = 60000;  // two bytes each: several pieces a warp
  const TemporaryFile file;
  write_long_trace(file.path(), turns);
  const Reader reader(file.path());
  const auto trace = reader.kernel(0);
  EXPECT_GT(trace->place(3).earlier.size(), 2U);
  EXPECT_EQ(trace->info().warp_instructions, 4 * 2 * (6 + 2 * turns + 5));
  BlockStreams streams;
  traces::Issued issued;
  for (const std::uint64_t block : {3U, 0U}) {
    streams.begin(*trace, block);
    std::uint64_t count = 0;
    for (; !streams.warp(1).exited(); ++count) advance(streams, 1, issued);
    EXPECT_EQ(count, 6 + 2 * turns + 5);
  }
}

TEST(DamagedTraces, CutOffAnywhereTheySayWhere) {
  const TemporaryFile file;
  write_long_trace(file.path(), 5);
  const std::string whole = read_file(file.path());
  ASSERT_NO_THROW(read_all(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT([&] { read_all(whole.substr(0, size)); },
                ::testing::ThrowsMessage<Error>(::testing::HasSubstr("at byte")))
        << size;
}

// A few bits of compressed data mean nothing: what was recorded must still come out of them.
TEST(DamagedTraces, AChangedByteNeverChangesWhatIsRead) {
  const TemporaryFile file;
  write_long_trace(file.path(), 5);
  const std::string whole = read_file(file.path());
  const Reader original(file.path());
  unsigned noticed = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        const Reader reader(from_memory({changed.begin(), changed.end()}));
        const auto difference = first_difference(*original.kernel(0), *reader.kernel(0));
        EXPECT_EQ(difference.value_or("the same"), "the same") << "byte " << at;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("at byte"));
        ++noticed;
      }
    }
  }
  EXPECT_GT(noticed, 3 * whole.size() * 95 / 100);
}

TEST(DamagedTraces, AnotherVersionIsNamed) {
  const TemporaryFile file;
  write_long_trace(file.path(), 5);
  std::string bytes = read_file(file.path());
  bytes[8] = 9;
  EXPECT_THAT([&] { read_all(bytes); }, ::testing::ThrowsMessage<Error>(::testing::HasSubstr("version 9")));
}

TEST(DamagedTraces, ARecordingThatWasNotFinishedLeavesNoFile) {
  const TemporaryFile file;
  {
    Writer writer(file.path());
    writer.add_module({small_cubin(), 0, {}});
    EXPECT_TRUE(std::filesystem::exists(file.path()));
  }
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(Writer, RefusesAKernelWithoutAllOfItsBlocks) {
  const TemporaryFile file;
  const cubin::Bytes cubin = small_cubin();
  const cubin::LoadedModule module = cubin::load(cubin::Image(cubin));
  const auto code = sass::decode_section(module.kernel("k").code, module.architecture);
  Writer writer(file.path());
  KernelInfo info;
  info.module = writer.add_module({cubin, module.code_base, {}});
  info.shape.kernel = "k";
  EXPECT_EQ(writer.add_module({cubin, module.code_base, {}}), info.module);
  const auto kernel = writer.begin_kernel(info, code);
  EXPECT_THROW(kernel->finish(), Error);
  // An instruction that does what its kind does not do.
  traces::BlockObserver& block = kernel->begin_block(0);
  traces::Issued issued;
  issued.active_mask = 1;
  issued.executed_mask = 1;
  block.issued(0, 0, issued);
  EXPECT_THROW(block.issued(0, 2, issued), Error);
  EXPECT_THROW(kernel->end_block(block), Error);
}

}  // namespace
}  // namespace warpgauge::native::test
