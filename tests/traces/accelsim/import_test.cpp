// Imports with and without machine code, from every container, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/native/container.h"
#include "tests/traces/native/support.h"
#include "traces/accelsim/import.h"
#include "traces/accelsim/instruction_facts.h"
#include "traces/accelsim/pseudo_code.h"
#include "traces/accelsim/scoreboard.h"
#include "traces/accelsim/tracez.h"
#include "traces/native/record.h"
#include "traces/native/summary.h"
#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"

namespace warpgauge::accelsim {
namespace {

using native::test::fuzz_input;
using native::test::TemporaryFile;

enum class Code { cubin, none };

// Imports one kernel, and gives its trace to `look`.
template <class F>
ImportSummary import(const OpenKernel& open, Code code, F look) {
  const TemporaryFile file;
  ImportOptions options;
  if (code == Code::cubin)
    options.cubins.push_back(std::make_shared<cubin::Image>(native::test::small_cubin()));
  ImportSummary summary;
  {
    native::Writer writer(file.path());
    import_kernel(open, 0, options, writer, summary);
    writer.finish();
  }
  const native::Reader reader(file.path());
  look(*reader.kernel(0));
  return summary;
}

OpenKernel plain(const std::string& text) {
  return [text] { return read_traceg(text_in_memory(text)); };
}

TEST(Import, EveryContainerHoldsTheSameStream) {
  const std::string xz = fuzz_input("traceg_reader/xz");
  const std::string tracez = fuzz_input("traceg_reader/tracez");
  const auto others_are = [&](const native::KernelTrace& expected) {
    EXPECT_EQ(expected.info().warp_instructions, 68U);
    const auto same = [&](const native::KernelTrace& trace) {
      EXPECT_EQ(native::first_difference(expected, trace).value_or("the same"), "the same");
    };
    const auto open_xz = [&] { return read_traceg(xz_in_memory(xz)); };
    import(open_xz, Code::cubin, same);
    const auto open_tracez = [&] {
      return read_tracez(native::from_memory({tracez.begin(), tracez.end()}), "trace");
    };
    import(open_tracez, Code::cubin, same);
  };
  import(plain(fuzz_input("traceg_reader/with_code")), Code::cubin, others_are);
}

TEST(Import, TheCubinGivesTheControlWordsBack) {
  const auto look = [](const native::KernelTrace& trace) {
    EXPECT_EQ(trace.info().control_words, native::ControlWords::compiler);
    EXPECT_EQ(trace.info().shape.registers_per_thread, 16U);
    EXPECT_EQ(trace.code()[0].opcode, sass::Opcode::MOV);
  };
  import(plain(fuzz_input("traceg_reader/with_code")), Code::cubin, look);
}

TEST(Import, WithoutACubinTheLinesMakeTheCode) {
  const ImportSummary summary = import(
      plain(fuzz_input("traceg_reader/without_code")), Code::none, [](const native::KernelTrace& trace) {
        EXPECT_EQ(trace.info().control_words, native::ControlWords::absent);
        EXPECT_EQ(trace.info().warp_instructions, 68U);
        EXPECT_EQ(trace.code()[1].opcode, sass::Opcode::LDG);
        EXPECT_THAT(sass::print(trace.code()[1]), ::testing::EndsWith(" R2, [R4]"));
        EXPECT_FALSE(trace.code()[1].guard.always());
        EXPECT_EQ(trace.code()[12].opcode, sass::Opcode::EXIT);
        const native::Summary counted = native::summarize(trace);
        EXPECT_EQ(counted.by_space[static_cast<std::size_t>(traces::MemorySpace::global)].accesses, 16U);
      });
  EXPECT_EQ(summary.without_code, 1U);
  EXPECT_EQ(summary.unknown_opcodes, 0U);
}

TEST(Import, AnUnknownOpcodeIsCountedAndPassesThrough) {
  std::string text = fuzz_input("traceg_reader/without_code");
  for (std::size_t at = 0; (at = text.find("IADD3", at)) != std::string::npos;) text.replace(at, 5, "FROB9");
  const ImportSummary summary = import(plain(text), Code::none, [](const native::KernelTrace& trace) {
    EXPECT_EQ(trace.code()[6].opcode, sass::Opcode::unknown);
    EXPECT_EQ(trace.info().warp_instructions, 68U);
  });
  EXPECT_EQ(summary.unknown_opcodes, 1U);
}

void expect_refusal(std::string text, const std::string& from, const std::string& to,
                    const std::string& message) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto ignore = [](const native::KernelTrace&) {};
  EXPECT_THAT([&] { import(plain(text), Code::cubin, ignore); },
              ::testing::ThrowsMessage<Error>(
                  ::testing::AllOf(::testing::HasSubstr(message), ::testing::HasSubstr("at byte"))))
      << from;
}

TEST(Import, WhatIsWrongIsSaidWithItsPlace) {
  const std::string text = fuzz_input("traceg_reader/with_code");
  expect_refusal(text, "#BEGIN_TB", "#BEGIN", "#BEGIN_TB is expected");
  expect_refusal(text, "thread block = 0,0,0", "thread block = 2,0,0", "outside the grid");
  expect_refusal(text, "thread block = 1,0,0", "thread block = 0,0,0", "comes twice");
  expect_refusal(text, "warp = 1", "warp = 5", "not the block's");
  expect_refusal(text, "insts = 17", "insts = 16", "without having exited");
  expect_refusal(text, "insts = 17", "insts = 18", "is not");
  expect_refusal(text, "0000 ffffffff", "f000 ffffffff", "outside the code");
  expect_refusal(text, "0010 0000ffff", "0020 0000ffff", "where the cubin has");
  expect_refusal(text, "binary version = 75\n-cuda", "binary version = x\n-cuda", "is not a number");
  expect_refusal(text.substr(0, text.size() / 2), "\n", "\n", "");
}

TEST(Import, TheGridMustBeThereWhole) {
  const std::string text = fuzz_input("traceg_reader/with_code");
  expect_refusal(text, "grid dim = (2,1,1)", "grid dim = (3,1,1)", "before its last block");
}

TEST(Import, DamagedXzDataIsRefused) {
  std::string data = fuzz_input("traceg_reader/xz");
  data[data.size() / 2] = static_cast<char>(data[data.size() / 2] ^ 0x10);
  EXPECT_THROW(
      import([&] { return read_traceg(xz_in_memory(data)); }, Code::cubin, [](const native::KernelTrace&) {}),
      Error);
  data.resize(40);
  EXPECT_THROW(
      import([&] { return read_traceg(xz_in_memory(data)); }, Code::cubin, [](const native::KernelTrace&) {}),
      Error);
}

// Every instruction of the emulator's programs keeps its name and its vector registers.
TEST(PseudoCode, HasTheNameAndTheRegistersOfTheLine) {
  unsigned instructions = 0;
  unsigned registers = 0;
  for (const char* family :
       {"algorithms", "control", "float32", "float64", "half", "integer", "memory", "warp"}) {
    const cubin::Image image = cubin::Image::read_file(
        emulator::testing::repository_file(std::string("tests/programs/cubins/") + family + ".sm_75.cubin"));
    for (const cubin::Kernel& kernel : image.kernels()) {
      for (const sass::Instruction& i : sass::decode_section(kernel.code, sass::Architecture::sm75)) {
        TraceLine line;
        std::string text;
        describe(line, text, i);
        PseudoInstruction pseudo{text, line.destination, {}, false};
        pseudo.sources.assign(line.sources.begin(), line.sources.begin() + line.source_count);
        bool known = false;
        const sass::Instruction made =
            sass::decode(pseudo_word(pseudo, sass::Architecture::sm75, known), sass::Architecture::sm75);
        ASSERT_TRUE(known) << text;
        ASSERT_EQ(made.opcode, i.opcode) << text;
        TraceLine again;
        std::string other;
        describe(again, other, made);
        ++instructions;
        registers += again.destination == line.destination && again.source_count == line.source_count &&
                     again.sources == line.sources;
      }
    }
  }
  EXPECT_GT(instructions, 5000U);
  EXPECT_GT(registers, instructions * 98 / 100);
}

std::vector<sass::Instruction> scoreboard(const std::string& text) {
  const std::vector<sass::Word> words = sass::assemble(text, sass::Architecture::sm75);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  const auto code =
      sass::decode_section({bytes, words.size() * sizeof(sass::Word)}, sass::Architecture::sm75);
  return with_scoreboard(code, [](const sass::Instruction&) { return 5U; });
}

TEST(Scoreboard, AFixedLatencyIsStalledFor) {
  const auto code = scoreboard("FADD R1, R2, R3 ;\nFADD R4, R5, R6 ;\nFADD R7, R1, R4 ;\n");
  EXPECT_GE(code[0].control.stall + code[1].control.stall, 5U);
  EXPECT_GE(code[1].control.stall, 5U);
  EXPECT_EQ(code[2].control.wait_mask, 0U);
}

TEST(Scoreboard, ALoadIsWaitedForByACounter) {
  const auto code = scoreboard("LDG.E.SYS R2, [R4] ;\nFADD R1, R8, R9 ;\nFADD R3, R2, R1 ;\nMOV R4, R1 ;\n");
  const unsigned result = code[0].control.write_barrier;
  const unsigned source = code[0].control.read_barrier;
  ASSERT_LT(result, 6U);
  ASSERT_LT(source, 6U);
  EXPECT_EQ(code[1].control.wait_mask, 0U);
  EXPECT_EQ(code[2].control.wait_mask, 1U << result);
  EXPECT_EQ(code[3].control.wait_mask, 1U << source);
  EXPECT_EQ(sass::decode(code[0].word, sass::Architecture::sm75).control, code[0].control);
}

// An H200 counts an exchange whose value is not used among what L2 returns (lts__t_sectors_op_atom), an addition among
// what it does not.
TEST(StaticAccess, AnAtomicAnswersThoughNobodyUsesItsValue) {
  const auto access = [](const char* text) {
    const auto code = sass::assemble(text, sass::Architecture::sm90);
    return static_access(sass::decode(code.at(0), sass::Architecture::sm90)).access;
  };
  EXPECT_EQ(access("ATOMG.E.EXCH.STRONG.GPU PT, RZ, desc[UR4][R2.64], R5 ;"), traces::MemoryAccess::atomic);
  EXPECT_EQ(access("ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R2.64], R5 ;"), traces::MemoryAccess::atomic);
  EXPECT_EQ(access("REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5 ;"), traces::MemoryAccess::reduction);
}

}  // namespace
}  // namespace warpgauge::accelsim
