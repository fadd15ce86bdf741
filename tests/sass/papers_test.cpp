// Every opcode of the appendices of Jia2018 (Volta) and Jia2019 (Volta and Turing), by its register form.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"
#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

struct Listed {
  Opcode opcode;
  unsigned code;  // the low bits of the word
};

// Both architectures have these, under the same code. Jia2018 writes HMMA2 for HMMA.
constexpr Listed of_both[] = {
    {Opcode::FADD, 0x221},        {Opcode::FCHK, 0x302},        {Opcode::FFMA, 0x223},
    {Opcode::FMNMX, 0x209},       {Opcode::FMUL, 0x220},        {Opcode::FSET, 0x20a},
    {Opcode::FSETP, 0x20b},       {Opcode::FSWZADD, 0x822},     {Opcode::MUFU, 0x308},
    {Opcode::DADD, 0x229},        {Opcode::DFMA, 0x22b},        {Opcode::DMUL, 0x228},
    {Opcode::DSETP, 0x22a},       {Opcode::HADD2, 0x230},       {Opcode::HFMA2, 0x231},
    {Opcode::HMMA, 0x236},        {Opcode::HMUL2, 0x232},       {Opcode::HSETP2, 0x234},
    {Opcode::HSET2, 0x233},       {Opcode::FSEL, 0x208},        {Opcode::FLO, 0x300},
    {Opcode::IADD3, 0x210},       {Opcode::IMAD, 0x224},        {Opcode::IMAD_WIDE, 0x225},
    {Opcode::ISETP, 0x20c},       {Opcode::LEA, 0x211},         {Opcode::LOP3, 0x212},
    {Opcode::POPC, 0x309},        {Opcode::SHF, 0x219},         {Opcode::VABSDIFF, 0x214},
    {Opcode::VABSDIFF4, 0x215},   {Opcode::BREV, 0x301},        {Opcode::IABS, 0x213},
    {Opcode::IDP, 0x226},         {Opcode::QSPC, 0x3aa},        {Opcode::BMSK, 0x21b},
    {Opcode::MOV, 0x202},         {Opcode::PRMT, 0x216},        {Opcode::SEL, 0x207},
    {Opcode::SHFL, 0x989},        {Opcode::P2R, 0x203},         {Opcode::R2P, 0x204},
    {Opcode::GETLMEMBASE, 0x3c0}, {Opcode::LD, 0x980},          {Opcode::LDC, 0xb82},
    {Opcode::LDG, 0x381},         {Opcode::LDL, 0x983},         {Opcode::LDS, 0x984},
    {Opcode::ST, 0x385},          {Opcode::STG, 0x386},         {Opcode::STL, 0x387},
    {Opcode::STS, 0x388},         {Opcode::ATOM, 0x38a},        {Opcode::ATOM, 0x38b},
    {Opcode::ATOMS, 0x38c},       {Opcode::ATOMS, 0x38d},       {Opcode::ATOMG, 0x3a8},
    {Opcode::ATOMG, 0x3a9},       {Opcode::RED, 0x98e},         {Opcode::CCTL, 0x98f},
    {Opcode::MEMBAR, 0x992},      {Opcode::ERRBAR, 0x9ab},      {Opcode::CCTLL, 0x990},
    {Opcode::MATCH, 0x3a1},       {Opcode::BRA, 0x947},         {Opcode::BRX, 0x949},
    {Opcode::JMP, 0x94a},         {Opcode::JMX, 0x94c},         {Opcode::BSYNC, 0x941},
    {Opcode::WARPSYNC, 0x348},    {Opcode::CALL, 0x343},        {Opcode::CALL, 0x944},
    {Opcode::RET, 0x950},         {Opcode::EXIT, 0x94d},        {Opcode::BMOV, 0x355},
    {Opcode::BMOV, 0x356},        {Opcode::BMOV, 0x357},        {Opcode::YIELD, 0x946},
    {Opcode::RTT, 0x94f},         {Opcode::KILL, 0x95b},        {Opcode::RPCMOV, 0x352},
    {Opcode::RPCMOV, 0x353},      {Opcode::IDE, 0x951},         {Opcode::PMTRIG, 0x801},
    {Opcode::BREAK, 0x942},       {Opcode::BSSY, 0x945},        {Opcode::NANOSLEEP, 0x35d},
    {Opcode::NANOTRAP, 0x35a},    {Opcode::NOP, 0x918},         {Opcode::CS2R, 0x805},
    {Opcode::S2R, 0x919},         {Opcode::B2R, 0x31c},         {Opcode::BAR, 0x31d},
    {Opcode::R2B, 0x31e},         {Opcode::VOTE, 0x806},        {Opcode::TMML, 0xb69},
    {Opcode::TXD, 0xb6c},         {Opcode::SGXT, 0x21a},        {Opcode::CSMTEST, 0x80d},
    {Opcode::DEPBAR, 0x91a},      {Opcode::LEPC, 0x34e},        {Opcode::PLOP3, 0x81c},
    {Opcode::SETCTAID, 0x31f},    {Opcode::SETLMEMBASE, 0x3c1},
};

constexpr Listed of_turing[] = {
    {Opcode::RPCMOV, 0x954}, {Opcode::AL2P, 0x920}, {Opcode::IPA, 0x326},
    {Opcode::ISBERD, 0x923}, {Opcode::OUT, 0x324},  {Opcode::PIXLD, 0x925},
};

// A word of the opcode with its free bits drawn at random is known, encoded as it was and assembled from its
// text.
void expect_known(Architecture architecture, const Listed& listed) {
  SCOPED_TRACE(std::string(mnemonic(listed.opcode)) + " of " + std::string(name(architecture)));
  std::mt19937_64 random(listed.code);
  unsigned known = 0;
  for (const std::uint16_t index : table::candidates(architecture, listed.code)) {
    const table::Row& row = table::row(index);
    if (row.opcode != listed.opcode) continue;
    for (unsigned i = 0; i < 64; ++i) {
      const Word word{row.value.low | (random() & ~row.mask.low),
                      row.value.high | (random() & ~row.mask.high)};
      const Instruction instruction = decode(word, architecture);
      if (instruction.opcode != listed.opcode) continue;
      ++known;
      EXPECT_EQ(encode(instruction), word);
      const std::string text = print_exact(instruction);
      EXPECT_EQ(assemble_instruction(text, architecture).word, word) << text;
    }
  }
  EXPECT_GT(known, 0U);
}

TEST(Papers, EveryOpcodeOfTheVoltaAppendixIsKnown) {
  for (const Listed& listed : of_both) expect_known(Architecture::sm70, listed);
}

TEST(Papers, EveryOpcodeOfTheTuringAppendixIsKnown) {
  for (const Listed& listed : of_both) expect_known(Architecture::sm75, listed);
  for (const Listed& listed : of_turing) expect_known(Architecture::sm75, listed);
}

}  // namespace
}  // namespace warpgauge::sass
