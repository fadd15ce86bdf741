// Every mnemonic that the decoder can name. What an opcode's word looks like is in the opcode table.
#pragma once

#include <cstdint>
#include <string_view>

// X(NAME): NAME is the C++ enumerator; '_' stands for the '.' of a mnemonic that has its own opcode
// (IMAD.WIDE).
// clang-format off
#define WARPGAUGE_OPCODES(X) \
  X(FADD) X(FMUL) X(FFMA) X(FMNMX) X(FSEL) X(FSET) X(FSETP) X(FSWZADD) X(FCHK) X(MUFU) \
  X(DADD) X(DMUL) X(DFMA) X(DSETP) X(DMNMX) \
  X(HADD2) X(HADD2_32I) X(HMUL2) X(HFMA2) X(HFMA2_MMA) X(HSET2) X(HSETP2) X(HMNMX2) X(VHMNMX) \
  X(IADD3) X(IMAD) X(IMAD_WIDE) X(IMAD_HI) X(IDP) X(LEA) X(LOP3) X(SHF) X(PRMT) X(ISETP) X(IMNMX) \
  X(VIMNMX) X(VIMNMX3) X(VIADD) X(VIADDMNMX) X(IABS) X(VABSDIFF) X(VABSDIFF4) \
  X(SEL) X(FLO) X(POPC) X(BREV) X(BMSK) X(SGXT) X(MOV) X(MOVM) X(I2I) X(I2IP) X(CLMAD) \
  X(F2F) X(F2I) X(I2F) X(I2FP) X(F2FP) X(F2IP) X(FRND) \
  X(PLOP3) X(P2R) X(R2P) X(VOTE) X(VOTEU) X(MATCH) X(SHFL) X(REDUX) \
  X(S2R) X(S2UR) X(CS2R) X(R2UR) \
  X(UMOV) X(UIADD3) X(UIADD3_64) X(UIMAD) X(UIMAD_WIDE) X(UIMAD_HI) X(ULOP3) X(ULEA) X(USHF) X(USEL) \
  X(UISETP) X(UPLOP3) X(UPRMT) X(UFLO) X(UBREV) X(UPOPC) X(USGXT) X(UBMSK) X(UP2UR) X(UR2UP) X(UPSETP) \
  X(ULDC) X(ULEPC) \
  X(LD) X(LDG) X(LDS) X(LDL) X(LDC) X(ST) X(STG) X(STS) X(STL) X(ATOM) X(ATOMG) X(ATOMS) X(RED) X(REDG) X(LDGMC) X(LDSM) \
  X(STSM) X(LDGSTS) X(LDGDEPBAR) X(ARRIVES) X(QSPC) X(CCTL) X(CCTLL) X(CCTLT) X(MEMBAR) X(ERRBAR) \
  X(CGAERRBAR) X(FENCE) \
  X(TEX) X(TLD) X(TLD4) X(TMML) X(TXD) X(TXQ) X(SULD) X(SUST) X(SUATOM) X(SURED) X(FOOTPRINT) X(AL2P) \
  X(ALD) X(AST) X(IPA) X(ISBERD) X(ISBEWR) X(LDTRAM) X(OUT) X(PIXLD) \
  X(HMMA) X(IMMA) X(BMMA) X(DMMA) X(HGMMA) X(IGMMA) X(QMMA) X(QGMMA) X(BGMMA) X(WARPGROUP) X(WARPGROUPSET) \
  X(BRA) X(BRX) X(BRXU) X(JMP) X(JMX) X(JMXU) X(BSSY) X(BSYNC) X(BREAK) X(BMOV) X(CALL) X(RET) X(EXIT) \
  X(KILL) X(IDE) X(NANOTRAP) X(WARPSYNC) X(ENDCOLLECTIVE) X(YIELD) X(NANOSLEEP) X(BPT) X(RTT) X(RPCMOV) X(LEPC) \
  X(RPCMOV_64) \
  X(BAR) X(B2R) X(R2B) X(DEPBAR) X(NOP) X(PMTRIG) X(GETLMEMBASE) X(SETLMEMBASE) X(SETCTAID) X(CSMTEST) \
  X(SYNCS) X(UTMALDG) X(UTMASTG) X(UTMAREDG) X(UTMAPF) X(UTMACCTL) X(UTMACMDFLUSH) X(UBLKCP) X(UBLKRED) \
  X(UBLKPF) X(STAS) X(REDAS) X(UCGABAR_ARV) X(UCGABAR_WAIT) X(UCGABAR_GET) X(UCGABAR_SET) X(USETMAXREG) \
  X(USETSHMSZ) X(ELECT) X(PREEXIT) X(ACQBULK) X(ACQSHMINIT) X(DEPBAR_ALL) X(LDT) X(LDTM) X(S2T)
// clang-format on

namespace warpgauge::sass {

enum class Opcode : std::uint16_t {
  unknown,  // a word that no table row matches: printed as raw bits, re-encoded unchanged
#define X(NAME) NAME,
  WARPGAUGE_OPCODES(X)
#undef X
      count
};

// The mnemonic without modifiers, "IMAD.WIDE" for IMAD_WIDE.
std::string_view mnemonic(Opcode opcode);

// A product of a warpgroup's matrices, whose registers are held after it has issued until WARPGROUP.DEPBAR.
constexpr bool is_warpgroup_product(Opcode opcode) {
  return opcode == Opcode::HGMMA || opcode == Opcode::IGMMA || opcode == Opcode::QGMMA || opcode == Opcode::BGMMA;
}

// Whether it is one of the loads, stores, atomics and copies that go through a processing block's memory
// queue to registers or shared memory. Textures, surfaces, ULDC and Hopper's bulk accesses are not among
// them.
constexpr bool loads_or_stores(Opcode opcode) {
  switch (opcode) {
    case Opcode::LD:
    case Opcode::LDG:
    case Opcode::LDS:
    case Opcode::LDL:
    case Opcode::LDC:
    case Opcode::ST:
    case Opcode::STG:
    case Opcode::STS:
    case Opcode::STL:
    case Opcode::ATOM:
    case Opcode::ATOMG:
    case Opcode::ATOMS:
    case Opcode::RED:
    case Opcode::REDG:
    case Opcode::LDSM:
    case Opcode::STSM:
    case Opcode::LDGSTS:
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::sass
