// Lines of Accel-Sim's traces, read and written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <sstream>

#include "traces/accelsim/header.h"
#include "traces/accelsim/line.h"

namespace warpgauge::accelsim {
namespace {

TraceLine read(const std::string& text, const LineFormat& format = {}) {
  // The opcode points into the source, which must stay.
  static std::vector<std::unique_ptr<TextSource>> kept;
  kept.push_back(text_in_memory(text + "\n"));
  std::string_view line;
  EXPECT_TRUE(kept.back()->next(line));
  TraceLine result;
  parse_line(result, line, format, *kept.back());
  return result;
}

TEST(TraceLine, HoldsPlaceLanesRegistersOpcodeAndAddresses) {
  const TraceLine line = read("01f0 0000000f 1 R2 LDG.E.64.SYS 1 R4 8 0 0x7f00 0x7f08 0x7f20 0x7f18 0");
  EXPECT_EQ(line.pc, 0x1f0U);
  EXPECT_EQ(line.mask, 15U);
  EXPECT_EQ(line.destination, 2);
  EXPECT_EQ(line.opcode, "LDG.E.64.SYS");
  ASSERT_EQ(line.source_count, 1);
  EXPECT_EQ(line.sources[0], 4);
  EXPECT_EQ(line.width, 8U);
  EXPECT_EQ(line.addresses[2], 0x7f20U);
  EXPECT_EQ(line.addresses[3], 0x7f18U);
}

TEST(TraceLine, ExpandsStridesAndDifferences) {
  const TraceLine stride = read("0000 000000f0 0 STG.E 2 R4 R2 4 1 0x1000 -16 0");
  EXPECT_EQ(stride.addresses[4], 0x1000U);
  EXPECT_EQ(stride.addresses[7], 0x1000U - 48);
  const TraceLine deltas = read("0000 80000005 0 STG.E 2 R4 R2 4 2 0x1000 8 -4096 0");
  EXPECT_EQ(deltas.addresses[0], 0x1000U);
  EXPECT_EQ(deltas.addresses[2], 0x1008U);
  EXPECT_EQ(deltas.addresses[31], 8U);
}

TEST(TraceLine, OlderTracersWriteNoImmediate) {
  EXPECT_EQ(read("0010 ffffffff 0 BAR.SYNC 0 0", {.version = 3}).immediate, 0);
  EXPECT_EQ(read("0010 ffffffff 0 DEPBAR.LE 0 0 1", {.version = 5}).immediate, 1);
}

TEST(TraceLine, SourceLinesComeFirstWhereTheyAreEnabled) {
  EXPECT_EQ(read("42 0010 ffffffff 0 NOP 0 0 0", {.version = 5, .line_info = true}).pc, 16U);
}

TEST(TraceLine, Version6NamesOtherRegistersAndValues) {
  const TraceLine line = read("0010 ffffffff 2 R3 P0 IADD3 3 R1 UR4 R2 0 0 7 NoVal", {.version = 6});
  EXPECT_EQ(line.destination, 3);
  ASSERT_EQ(line.source_count, 2);
  EXPECT_EQ(line.sources[1], 2);
  EXPECT_EQ(read("0010 ffffffff 0 HGMMA.64x64x16.F32 1 R2 1 0 0 NoVal", {.version = 6}).width, 0U);
}

TEST(TraceLine, SaysWhereItIsWrong) {
  for (const char* text :
       {"", "xyz ffffffff 0 NOP 0 0 0", "0010 1ffffffff 0 NOP 0 0 0", "0010 ffffffff 2 R1 R2 NOP 0 0 0",
        "0010 ffffffff 1 Q1 NOP 0 0 0", "0010 ffffffff 1 R256 NOP 0 0 0", "0010 ffffffff 0 NOP 9 0 0",
        "0010 ffffffff 0 LDG 1 R2 4 3 0x0", "0010 00000003 0 LDG 1 R2 4 0 0x0",
        "0010 ffffffff 0 NOP 0 0 0 1"})
    EXPECT_THAT([&] { read(text); }, ::testing::ThrowsMessage<Error>(::testing::HasSubstr("at byte 0")))
        << text;
}

// As the reader of Accel-Sim 1.x takes mode 2: it wants one number a lane, and finds the immediate there.
std::vector<std::uint64_t> read_by_accelsim(const std::string& text, std::int64_t& immediate) {
  std::istringstream in(text);
  std::string word;
  std::uint32_t mask = 0;
  unsigned count = 0;
  in >> word >> std::hex >> mask >> std::dec >> count;
  for (unsigned i = 0; i < count; ++i) in >> word;
  in >> word >> count;
  for (unsigned i = 0; i < count; ++i) in >> word;
  unsigned width = 0;
  unsigned mode = 0;
  std::uint64_t base = 0;
  in >> width >> mode >> std::hex >> base >> std::dec;
  std::vector<std::uint64_t> addresses;
  std::vector<std::int64_t> deltas;
  const int lanes = std::popcount(mask);
  std::int64_t stride = 0;
  if (mode == 1) in >> stride;
  for (int i = 0; mode == 2 && i < lanes; ++i) {
    std::int64_t delta = 0;
    in >> delta;
    deltas.push_back(delta);
  }
  for (int i = 0; i < lanes; ++i) {
    addresses.push_back(base);
    base += static_cast<std::uint64_t>(mode == 1 ? stride : deltas[static_cast<std::size_t>(i)]);
  }
  if (!(in >> immediate)) immediate = 0;
  return addresses;
}

TEST(TraceLine, BothReadingsOfWhatIsWrittenGiveTheSame) {
  const std::uint32_t masks[] = {0xffffffff, 1, 0x80000000, 0xf0, 0xaaaaaaaa, 0x00ff00ff, 6};
  for (const std::uint32_t mask : masks) {
    for (const unsigned kind : {0U, 1U, 2U}) {
      TraceLine line;
      line.pc = 0x40;
      line.mask = mask;
      line.opcode = "LDG.E.SYS";
      line.destination = 3;
      line.source_count = 1;
      line.sources[0] = 8;
      line.width = 4;
      std::vector<std::uint64_t> expected;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) == 0) continue;
        line.addresses[lane] = 0x7f4000000000 + (kind == 0   ? 0
                                                 : kind == 1 ? 4 * lane
                                                             : lane * lane * 52 % 4096);
        expected.push_back(line.addresses[lane]);
      }
      std::string text;
      append_line(text, line);
      ASSERT_EQ(text.back(), '\n');
      text.pop_back();
      const TraceLine back = read(text);
      EXPECT_EQ(back.mask, mask);
      for (unsigned lane = 0; lane < 32; ++lane)
        if ((mask >> lane & 1U) != 0) {
          EXPECT_EQ(back.addresses[lane], line.addresses[lane]) << text;
        }
      std::int64_t immediate = -1;
      EXPECT_EQ(read_by_accelsim(text, immediate), expected) << text;
      EXPECT_EQ(immediate, 0) << text;
    }
  }
}

TEST(KernelHeader, IsReadAsItIsWritten) {
  KernelHeader header;
  header.name = "_Z5saxpyifPfS_";
  header.id = 7;
  header.grid = {3, 2, 1};
  header.block = {64, 4, 1};
  header.shared_bytes = 1024;
  header.registers = 40;
  header.binary_version = 70;
  header.stream = 140;
  header.shared_base = 0x7f2e00000000;
  header.local_base = 0x7f2f00000000;
  const auto source = text_in_memory(format_header(header));
  const KernelHeader back = parse_header(*source);
  EXPECT_EQ(back.name, header.name);
  EXPECT_EQ(back.id, header.id);
  EXPECT_EQ(back.grid, header.grid);
  EXPECT_EQ(back.block, header.block);
  EXPECT_EQ(back.shared_bytes, header.shared_bytes);
  EXPECT_EQ(back.registers, header.registers);
  EXPECT_EQ(back.binary_version, header.binary_version);
  EXPECT_EQ(back.stream, header.stream);
  EXPECT_EQ(back.shared_base, header.shared_base);
  EXPECT_EQ(back.local_base, header.local_base);
  EXPECT_EQ(back.lines.version, 5U);
}

TEST(KernelHeader, RefusesWhatNoLaunchHas) {
  const auto parse = [](const std::string& change) {
    const auto source = text_in_memory("-kernel name = k\n-accelsim tracer version = 5\n" + change + "\n#\n");
    return parse_header(*source);
  };
  EXPECT_NO_THROW(parse(""));
  for (const char* line :
       {"-grid dim = (0,1,1)", "-grid dim = (1,1)", "-block dim = (1025,1,1)", "-nregs = 300",
        "-accelsim tracer version = 2", "-shmem = x", "what is this", "-kernel name ="})
    EXPECT_THROW(parse(line), Error) << line;
}

TEST(KernelList, HoldsCopiesAndKernels) {
  const auto source =
      text_in_memory("MemcpyHtoD,0x7f0000000000,4096\nkernel-1.traceg\ncudaMalloc,5\n\nkernel-2.traceg.xz\n");
  const std::vector<Command> commands = parse_list(*source);
  ASSERT_EQ(commands.size(), 4U);
  EXPECT_EQ(commands[0].kind, Command::Kind::copy_to_device);
  EXPECT_EQ(commands[0].address, 0x7f0000000000U);
  EXPECT_EQ(commands[0].bytes, 4096U);
  EXPECT_EQ(commands[1].file, "kernel-1.traceg");
  EXPECT_EQ(commands[2].kind, Command::Kind::other);
  EXPECT_EQ(commands[3].file, "kernel-2.traceg.xz");
}

}  // namespace
}  // namespace warpgauge::accelsim
