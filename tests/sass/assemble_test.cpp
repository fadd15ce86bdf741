#include "traces/sass/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "traces/sass/decode.h"
#include "traces/sass/number.h"
#include "traces/sass/print.h"
#include "traces/sass/sass_file.h"
#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

using testing::HasSubstr;

std::string round_trip(std::string_view text, Architecture architecture = Architecture::sm90) {
  return print(assemble_instruction(text, architecture, 0x40));
}

TEST(Assemble, TheTextOfEverydayInstructionsComesBack) {
  for (const std::string_view text : {
           "FFMA R0, -R1, R2.reuse, |R3|",
           "@!P3 IADD3 R5, P0, R0, UR10, RZ",
           "IADD3.X R3, R4, ~R5, RZ, P0, !PT",
           "IMAD.MOV.U32 R1, RZ, RZ, -0x80",
           "LDG.E.128.CONSTANT R4, desc[UR4][R2.64+-0x10]",
           "STG.E desc[UR4][R2.64], R7",
           "LDS.64 R4, [R3+UR18+0x608]",
           "ISETP.GE.U32.AND P0, PT, R7, 0x10, PT",
           "@P0 BRA 0x120",
           "HMMA.16816.F32 R4, R8, R12, R4",
           "SHFL.BFLY PT, R3, R0, 0x1, 0x1f",
           "MUFU.RSQ R0, |R3|",
           "FSETP.NEU.AND P0, PT, |R0|, +INF , PT",
           "S2R R0, SR_TID.X",
           "ULDC.64 UR4, c[0x0][0x208]",
           "@UP2 UIADD3 UR4, UR4, 0x1, URZ",
           "VIADD R1, R1, 0xfffffff0",
           "DFMA R2, R4, R6, 0.5",
           "HADD2.F32 R5, -RZ, R5.H0_H0",
           "BAR.SYNC.DEFER_BLOCKING 0x0",
           "DEPBAR.LE SB0, 0x1, {3,1}",
           "EXIT",
       }) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(Assemble, ControlTextSetsEveryFieldOfTheControlWord) {
  const Instruction i =
      assemble_instruction("[B0-2--5:R1:W3:Y:S14] FADD R0, R1.reuse, R2.reuse ;", Architecture::sm90);
  EXPECT_EQ(i.control.wait_mask, 0b100101);
  EXPECT_EQ(i.control.read_barrier, 1);
  EXPECT_EQ(i.control.write_barrier, 3);
  EXPECT_TRUE(i.control.yield);
  EXPECT_EQ(i.control.stall, 14);
  EXPECT_EQ(i.control.reuse, 0b101);  // FADD's second source is in slot C
  EXPECT_EQ(print_control(i.control), "[B0-2--5:R1:W3:Y:S14]");
}

TEST(Assemble, WithoutControlTextNothingIsWaitedForAndOneCycleIsStalled) {
  const Instruction i = assemble_instruction("NOP", Architecture::sm70);
  EXPECT_EQ(print_control(i.control), "[B------:R-:W-:-:S01]");
}

TEST(Assemble, LabelsStandForOffsetsBeforeAndBehind) {
  const auto words =
      assemble("top: NOP ;\n BRA `(.end) ;\n BRA top\n.end:\n EXIT ;  // done\n", Architecture::sm80);
  ASSERT_EQ(words.size(), 4U);
  EXPECT_EQ(print(decode(words[1], Architecture::sm80, 0x10)), "BRA 0x30");
  EXPECT_EQ(print(decode(words[2], Architecture::sm80, 0x20)), "BRA 0x0");
}

TEST(Assemble, NvdisasmsOwnListingIsRead) {
  const auto words = assemble(
      "        /*0000*/                   MOV R1, c[0x0][0x28] ;   /* 0x00000a0000017a02 */\n"
      "                                                            /* 0x000fe20000000f00 */\n"
      "        /*0010*/              @!PT SHFL.IDX PT, RZ, RZ, RZ, RZ ;\n",
      Architecture::sm75);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[0], (Word{0x00000a0000017a02, 0x000fe20000000f00}));
}

TEST(Assemble, AnUnknownWordStandsAsItsBits) {
  const Word odd{0x0123456789abcdef, 0xfedcba9876543210};
  const std::string text = print(decode(odd, Architecture::sm90));
  EXPECT_EQ(text, ".unknown 0x123456789abcdef, 0xfedcba9876543210");
  EXPECT_EQ(assemble(text, Architecture::sm90).at(0), odd);
}

TEST(Assemble, WhatTheTextLeavesOpenIsSaidBehindIt) {
  Instruction nan = assemble_instruction("FSEL R0, RZ, +QNAN , P0", Architecture::sm90);
  nan.word.low |= std::uint64_t{0x12345} << 32;
  const Instruction odd = decode(nan.word, Architecture::sm90);
  const std::string exact = print_exact(odd);
  EXPECT_THAT(exact, HasSubstr("+QNAN , P0 {^0x1234500000000, 0x0}"));
  EXPECT_EQ(assemble_instruction(exact, Architecture::sm90).word, odd.word);
}

struct Mistake {
  std::string_view text;
  std::size_t line;
  std::size_t column;
  std::string_view part;
};

TEST(Assemble, AMistakeIsReportedWithItsLineAndColumn) {
  for (const Mistake& m : {
           Mistake{"NOP\n  FOO R1, R2\n", 2, 3, "no instruction is called 'FOO'"},
           Mistake{"FADD R0, R1, R256", 1, 14, "belongs here"},
           Mistake{"FADD R0, R1", 1, 12, "a comma and an operand are missing"},
           Mistake{"FADD.QUICK R0, R1, R2", 1, 5, "modifier not known here"},
           Mistake{"NOP ;\nNOP ; BRA nowhere ;", 2, 11, "a label or an address belongs here"},
           Mistake{"a: NOP\na: NOP", 2, 1, "is there twice"},
           Mistake{"[B------:R-:W-:-:S16] NOP", 1, 19, "the stall count is 00 to 15"},
           Mistake{"[B-----:R-:W-:-:S01] NOP", 1, 9, "belongs here"},
           Mistake{"@P0 UIADD3 UR4, UR4, UR5, URZ", 1, 1, "uniform predicate (@UP)"},
           Mistake{".registers 8\nNOP", 1, 1, "no place in code alone"},
           Mistake{"SHFL.BFLY PT, R3, R0, 0x20, 0x1f", 1, 23, "does not fit its field"},
       }) {
    try {
      assemble(m.text, Architecture::sm90);
      ADD_FAILURE() << "assembled: " << m.text;
    } catch (const AssemblyError& error) {
      EXPECT_EQ(error.line(), m.line) << m.text << ": " << error.what();
      EXPECT_EQ(error.column(), m.column) << m.text << ": " << error.what();
      EXPECT_THAT(error.what(), HasSubstr(std::string(m.part))) << m.text;
    }
  }
}

TEST(Assemble, AnInstructionThatTheArchitectureLacksIsNamed) {
  EXPECT_THROW(
      {
        try {
          assemble("VIADD R1, R2, 0x1", Architecture::sm80);
        } catch (const AssemblyError& error) {
          EXPECT_THAT(error.what(), HasSubstr("sm_80 has no VIADD"));
          throw;
        }
      },
      AssemblyError);
}

TEST(SassFile, TheHeaderIsReadAndTheCodeAssembled) {
  const SassFile file = parse_sass_file(
      "// a probe\n.architecture sm_90\n.kernel probe\n.registers 24\n.shared 1024\n.max_threads 128 1 1\n"
      ".parameter 8\n.parameter 4 0x10\n[B------:R-:W-:-:S05] NOP ;\nEXIT ;\n");
  EXPECT_EQ(file.architecture, Architecture::sm90);
  EXPECT_EQ(file.kernel, "probe");
  EXPECT_EQ(file.registers, 24U);
  EXPECT_EQ(file.shared_bytes, 1024U);
  EXPECT_EQ(file.max_threads[0], 128U);
  ASSERT_EQ(file.parameters.size(), 2U);
  EXPECT_FALSE(file.parameters[0].offset.has_value());
  EXPECT_EQ(file.parameters[1].offset, 0x10U);
  EXPECT_EQ(file.code.size(), 2U);
}

TEST(SassFile, AHeaderThatLacksSomethingIsRefused) {
  EXPECT_THROW(parse_sass_file(".kernel k\n.registers 8\nEXIT"), AssemblyError);
  EXPECT_THROW(parse_sass_file(".architecture sm_90\n.registers 8\nEXIT"), AssemblyError);
  EXPECT_THROW(parse_sass_file(".architecture sm_90\n.kernel k\nEXIT"), AssemblyError);
  EXPECT_THROW(parse_sass_file(".architecture sm_90\n.kernel k\n.kernel l\n.registers 8\nEXIT"), AssemblyError);
  EXPECT_THROW(parse_sass_file(".architecture sm_35\n.kernel k\n.registers 8\nEXIT"), AssemblyError);
  EXPECT_THROW(parse_sass_file(".architecture sm_90\n.kernel k\n.registers 256\nEXIT"), AssemblyError);
  EXPECT_THROW(parse_sass_file(".architecture sm_90\n.colour k\n"), AssemblyError);
}

TEST(Number, EveryHalfComesBackFromItsText) {
  for (const table::Number number : {table::Number::fp16, table::Number::bf16}) {
    const std::uint64_t infinity = number == table::Number::fp16 ? 0x7c00 : 0x7f80;
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
      if ((bits & infinity) == infinity && (bits & ~(infinity | 0x8000)) != 0)
        continue;  // the text forgets a NaN's payload
      std::string text;
      append_float(text, number, bits);
      ASSERT_EQ(parse_float(number, text), bits) << text;
    }
  }
}

// Whatever stands in the free bits of a row: the text says all of it.
TEST(Assemble, WordsOfEveryRowSurviveTextAndBack) {
  std::mt19937_64 random(11);
  for (const Architecture architecture : all_architectures) {
    const unsigned index = table::architecture_index(architecture);
    for (const table::Row& row : table::rows()) {
      if ((row.architectures >> index & 1U) == 0) continue;
      for (unsigned i = 0; i < 4; ++i) {
        const Word word{row.value.low | (random() & ~row.mask.low),
                        row.value.high | (random() & ~row.mask.high)};
        const Instruction instruction = decode(word, architecture, 0x40);
        SCOPED_TRACE(print(instruction));
        ASSERT_EQ(encode(instruction, 0x40), word);
        const std::string text = print_exact(instruction, 0x40);
        ASSERT_EQ(assemble_instruction(text, architecture, 0x40).word, word) << text;
      }
    }
  }
}

}  // namespace
}  // namespace warpgauge::sass
