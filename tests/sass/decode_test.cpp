#include "traces/sass/decode.h"

#include <gtest/gtest.h>

#include <random>

#include "traces/sass/assemble.h"
#include "traces/sass/print.h"
#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

// Words as ptxas wrote them.
constexpr Word ffma_sm90{0x0000000302027223, 0x080fe20000000005};  // FFMA R2, R2, R3.reuse, R5
constexpr Word ldg_sm90{0x0000040804097981, 0x000ea2000c1e1500};   // LDG.E.U16 R9, desc[UR8][R4.64+0x4]
constexpr Word ldg_sm75{0x000000002a2a7381, 0x000ea200001eeb00};   // LDG.E.64.SYS R42, [R42]
constexpr Word bra_sm90{0x0000000000047947, 0x000fe20003800000};   // BRA over four instructions

// A source format that only Hopper has, with a bit of its own.
TEST(Decode, AConversionFromBfloat16IsHoppers) {
  constexpr Word word{0x0000000200097304, 0x004e280000400800};  // F2F.F16.BF16 R9, R2, as nvcc 13 wrote it
  const Instruction i = decode(word, Architecture::sm90);
  ASSERT_EQ(i.opcode, Opcode::F2F);
  EXPECT_EQ(i.modifier(Modifier::source_format), 4U);
  EXPECT_EQ(i.modifier(Modifier::destination_format), 1U);
  EXPECT_NE(print(i).find("F2F.F16.BF16 R9, R2"), std::string::npos);
  EXPECT_NE(decode(word, Architecture::sm80).opcode, Opcode::F2F);
}

// As nvcc 13 wrote them and nvdisasm 11.8 prints them.
TEST(Decode, HopperConvertsBfloat16FromAndToIntegersAndRoundsIt) {
  struct {
    Word word;
    const char* text;
  } const cases[] = {
      {{0x00000006001d7306, 0x008ee60000202400}, "I2F.BF16 R29, R6"},
      {{0x0000000600157306, 0x008ee40000206000}, "I2F.BF16.U32.RM R21, R6"},
      {{0x0000000600157306, 0x008ee4000010e400}, "I2F.BF16.S16.RZ R21, R6"},
      {{0x0000000e000f7312, 0x000e64000030a400}, "I2F.BF16.S64.RP R15, R14"},
      {{0x0000001a001b7312, 0x000f240000306000}, "I2F.BF16.U64.RM R27, R26"},
      {{0x0000000b00147311, 0x008e640000405900}, "F2I.S64.BF16.FLOOR R20, R11"},
      {{0x0000000b00187311, 0x000ff00000405800}, "F2I.U64.BF16.FLOOR R24, R11"},
      {{0x0000000500057307, 0x000e300000406000}, "FRND.BF16.FLOOR R5, R5"},
      {{0x1000000a001d7307, 0x000ee20000402000}, "FRND.BF16 R29, R10.H1"},
      {{0x1000000a00147308, 0x000ea20000002600}, "MUFU.TANH.BF16 R20, R10.H1"},
      {{0x10000009001b7308, 0x000e620000002500}, "MUFU.TANH.F16 R27, R9.H1"},
      {{0x000000000cff73aa, 0x000e620000060300}, "QSPC.E.L P3, RZ, [R12]"},
  };
  for (const auto& [word, text] : cases) {
    const Instruction i = decode(word, Architecture::sm90);
    EXPECT_EQ(print(i), text);
    EXPECT_EQ(encode(i), word) << text;
    EXPECT_EQ(assemble_instruction(print_exact(i), Architecture::sm90).word, word) << text;
  }
  // Turing's TANH of an upper half has the same bit.
  EXPECT_EQ(print(decode({0x10000009001b7308, 0x000e620000002600}, Architecture::sm75)),
            "MUFU.TANH.F16 R27, R9.H1");
}

// As nvcc 13 wrote it, with a zero where others have RZ, and nvdisasm 13 prints it.
TEST(Decode, AnExchangeNeedNotNameTheRegisterThatItDoesNotHave) {
  constexpr Word word{0x0000000b08ff73a8, 0x00236400041ee100};
  const Instruction i = decode(word, Architecture::sm90);
  EXPECT_EQ(print(i), "ATOMG.E.EXCH.STRONG.GPU PT, RZ, [R8], R11");
  EXPECT_EQ(encode(i), word);
  EXPECT_EQ(assemble_instruction(print_exact(i), Architecture::sm90).word, word);
}

// As nvcc 13 wrote them. nvdisasm 11.8 prints them so, with a blank behind HGMMA's gdesc, but for QGMMA, of
// which it prints nothing: that is written as the others.
TEST(Decode, WarpgroupProductsMayBeSparseAndOfNegatedOperands) {
  struct {
    Word word;
    const char* text;
  } const cases[] = {
      {{0x08001c00041879f0, 0x000fe6000b800a18},
       "HGMMA.SP.64x8x32.F32 R24, gdesc[UR4], R24, UP0, R28, 0x0, gsb0"},
      {{0x00011c00041879f0, 0x000fe6000b802a18},
       "HGMMA.SP.64x8x16.F32.TF32 R24, gdesc[UR4], R24, UP0, R28, 0x1, gsb0"},
      {{0xc8211c041c187df0, 0x000fe6000b800318},
       "HGMMA.SP.64x16x32.F16 R24, -R28, gdesc[UR4].negB.tnspB, R24, UP0, R28, 0x1, gsb0"},
      {{0x00201c00041879f1, 0x000fe6000b841218},
       "IGMMA.SP.64x8x64.S8.S8 R24, gdesc[UR4], R24, UP0, R28, gsb0"},
      {{0x00201c041c187df1, 0x000fe6000b840a18},
       "IGMMA.SP.64x8x64.U8.S8.SAT R24, R28, gdesc[UR4], R24, UP0, R28, gsb0"},
      {{0x04001c00041879f3, 0x000fe6000b800a18},
       "QGMMA.SP.64x8x64.F32.E4M3.E4M3 R24, gdesc[UR4], R24, UP0, R28, gsb0"},
      {{0x84201c041c187df3, 0x000fe6000b801318},
       "QGMMA.SP.64x16x64.F16.E5M2.E4M3 R24, -R28, gdesc[UR4].negB, R24, UP0, R28, gsb0"},
      {{0x80000000041879f3, 0x000fe6000b802818},
       "QGMMA.64x8x32.F32.E4M3.E5M2 R24, gdesc[UR4].negB, R24, UP0, gsb0"},
      {{0x00000000041879f3, 0x000fe6000b802918},
       "QGMMA.64x8x32.F32.E4M3.E5M2 R24, gdesc[UR4].negA, R24, UP0, gsb0"},
      {{0x000000041c187df2, 0x000fe6000b814018},
       "BGMMA.64x8x256.AND.POPC R24, R28, gdesc[UR4], R24, UP0, gsb0"},
  };
  for (const auto& [word, text] : cases) {
    const Instruction i = decode(word, Architecture::sm90);
    EXPECT_EQ(print(i), text);
    EXPECT_EQ(encode(i), word) << text;
    EXPECT_EQ(assemble_instruction(print_exact(i), Architecture::sm90).word, word) << text;
  }
}

// As nvcc 13 wrote them of mma.sp.
TEST(Decode, SparseProductsOfIntegersHaveAShapeForEachWidth) {
  struct {
    Word word;
    Architecture architecture;
    const char* text;
  } const cases[] = {
      {{0x0001000a08087237, 0x004fe80000401d04},
       Architecture::sm80,
       "IMMA.SP.16832.S8.U8 R8, R8.ROW, R10.COL, R4, R0, 0x1"},
      {{0x0001000a08087237, 0x004fe80000401d04},
       Architecture::sm90,
       "IMMA.SP.16832.S8.U8 R8, R8.ROW, R10.COL, R4, R0, 0x1"},
      {{0x0000000804047237, 0x004fee000060550c},
       Architecture::sm90,
       "IMMA.SP.16864.S8.S8 R4, R4.ROW, R8.COL, R12, R0, 0x0"},
      {{0x0001000a08087237, 0x004fe80000784504},
       Architecture::sm80,
       "IMMA.SP.16864.U4.S4 R8, R8.ROW, R10.COL, R4, R0, 0x1"},
      {{0x0000000804047237, 0x004fee00007c5d0c},
       Architecture::sm80,
       "IMMA.SP.168128.S4.S4.SAT R4, R4.ROW, R8.COL, R12, R0, 0x0"},
  };
  for (const auto& [word, architecture, text] : cases) {
    const Instruction i = decode(word, architecture);
    EXPECT_EQ(print(i), text);
    EXPECT_EQ(encode(i), word) << text;
    EXPECT_EQ(assemble_instruction(print_exact(i), architecture).word, word) << text;
  }
}

TEST(Decode, AnFfmaNamesItsOperandsSlotsAndReuse) {
  const Instruction i = decode(ffma_sm90, Architecture::sm90);
  ASSERT_EQ(i.opcode, Opcode::FFMA);
  ASSERT_EQ(i.operands().size(), 4U);
  EXPECT_EQ(i.operand(0).access, Access::write);
  EXPECT_EQ(i.operand(0).index, 2);
  EXPECT_EQ(i.operand(1).slot, SourceSlot::a);
  EXPECT_EQ(i.operand(2).slot, SourceSlot::b);
  EXPECT_EQ(i.operand(2).index, 3);
  EXPECT_TRUE(i.operand(2).reuse);
  EXPECT_EQ(i.operand(3).slot, SourceSlot::c);
  EXPECT_FALSE(i.operand(3).reuse);
  EXPECT_TRUE(i.guard.always());
}

TEST(Decode, AGlobalLoadNamesBaseDescriptorOffsetWidthAndBarrier) {
  const Instruction i = decode(ldg_sm90, Architecture::sm90);
  ASSERT_EQ(i.opcode, Opcode::LDG);
  EXPECT_EQ(i.modifier_as<Width>(Modifier::width), Width::u16);
  EXPECT_EQ(i.control.write_barrier, 2);
  const Operand* address = nullptr;
  for (const Operand& o : i.operands()) {
    if (o.kind == OperandKind::address) address = &o;
  }
  ASSERT_NE(address, nullptr);
  EXPECT_EQ(address->index, 4);
  EXPECT_TRUE(address->wide_base);
  EXPECT_EQ(address->registers, 2);
  EXPECT_EQ(address->descriptor_index, 8);
  EXPECT_EQ(address->value, 4);
}

TEST(Decode, TheWidthOfALoadIsTheSpanOfItsDestination) {
  const Instruction i = decode(ldg_sm75, Architecture::sm75);
  ASSERT_EQ(i.opcode, Opcode::LDG);
  EXPECT_EQ(i.operand(1).index, 42);
  EXPECT_EQ(i.operand(1).registers, 2);
  EXPECT_TRUE(i.operand(0).hidden);
}

TEST(Decode, ABranchTargetCountsFromTheNextInstruction) {
  const Instruction i = decode(bra_sm90, Architecture::sm90, 0x100);
  ASSERT_EQ(i.opcode, Opcode::BRA);
  EXPECT_EQ(i.operand(1).kind, OperandKind::target);
  EXPECT_EQ(i.operand(1).value, 0x120);
}

TEST(Decode, HoppersBranchesReachFurtherByEightBits) {
  const Word back{0xfffffffc00ec7947, 0x000fe2000383ffff};
  EXPECT_EQ(decode(back, Architecture::sm90, 0x1000).operand(1).value, 0x1000 + 0x10 - 0x50);
  EXPECT_EQ(decode(back, Architecture::sm80, 0x1000).opcode, Opcode::unknown);
}

TEST(Decode, ABitOutsideAllFieldsMakesTheWordUnknown) {
  Word word = ffma_sm90;
  word.high |= std::uint64_t{1} << (95 - 64);
  const Instruction i = decode(word, Architecture::sm90);
  EXPECT_EQ(i.opcode, Opcode::unknown);
  EXPECT_EQ(encode(i), word);
}

TEST(Decode, AnOpcodeOfALaterArchitectureIsUnknownToAnEarlierOne) {
  const Instruction viadd = assemble_instruction("VIADD R1, R2, 0x1", Architecture::sm90);
  EXPECT_EQ(decode(viadd.word, Architecture::sm90).opcode, Opcode::VIADD);
  EXPECT_EQ(decode(viadd.word, Architecture::sm80).opcode, Opcode::unknown);
}

TEST(Decode, TheControlWordIsReadAndWrittenWholly) {
  for (unsigned stall = 0; stall < 16; ++stall) {
    for (unsigned barriers = 0; barriers < 64; ++barriers) {
      for (const unsigned wait : {0U, 1U, 0x2aU, 0x3fU}) {
        Word word = ffma_sm90;
        word.high &= ~(std::uint64_t{0x1fffff} << 41);
        word.high |= std::uint64_t{stall} << 41 | std::uint64_t{barriers} << 46 | std::uint64_t{wait} << 52;
        const Instruction i = decode(word, Architecture::sm90);
        EXPECT_EQ(i.control.stall, stall);
        EXPECT_TRUE(i.control.yield);
        EXPECT_EQ(i.control.write_barrier, barriers & 7);
        EXPECT_EQ(i.control.read_barrier, barriers >> 3);
        EXPECT_EQ(i.control.wait_mask, wait);
        ASSERT_EQ(encode(i), word);
      }
    }
  }
}

TEST(Decode, ASectionsFragmentIsIgnored) {
  std::vector<std::uint8_t> bytes(40);
  EXPECT_EQ(decode_section(bytes, Architecture::sm90).size(), 2U);
  EXPECT_TRUE(decode_section({}, Architecture::sm70).empty());
}

TEST(Decode, RandomWordsComeBackWhateverTheyAre) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 200000; ++n) {
    const Word word{random(), random()};
    const Architecture architecture = all_architectures[random() % std::size(all_architectures)];
    ASSERT_EQ(encode(decode(word, architecture, 0x230), 0x230), word);
  }
}

// Whatever row takes them: a row that claims the bits must give them back.
TEST(Table, EveryRowDecodesItsOwnFixedBitsBackToThem) {
  for (const table::Row& row : table::rows()) {
    for (std::size_t a = 0; a < std::size(all_architectures); ++a) {
      if ((row.architectures >> a & 1) == 0) continue;
      const Instruction i = decode(row.value, all_architectures[a]);
      EXPECT_EQ(encode(i), row.value) << row.name;
    }
  }
}

TEST(Table, EveryRowBelongsToAnArchitectureAndVoltaHasNoneWithBit91) {
  for (const table::Row& row : table::rows()) {
    EXPECT_FALSE((row.code & 0x1000) != 0 && (row.architectures & 1) != 0) << row.name;
    EXPECT_LE(row.operands.size(), Instruction::max_operands) << row.name;
  }
}

TEST(Table, CandidatesShareTheOpcodeBits) {
  for (unsigned code = 0; code < 0x2000; ++code) {
    for (const std::uint16_t index : table::candidates(Architecture::sm90, code)) {
      EXPECT_EQ(table::row(index).code, code);
    }
  }
}

}  // namespace
}  // namespace warpgauge::sass
