// Opcode table: loads, stores, asynchronous copies and cache control.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    // Generic and global memory, Volta and Turing.
    {"980", "70-75", Opcode::LD, "$e $cache $widthu $kind $scope", "Rd:w, [r24 w o32+32]"},
    {"381", "75", Opcode::LDG, "$e $cache $ltc $widthu $kind $scope",
     "?Pd, Rd:w, [r24 w o40+24], ?P@64:-67^=0"},
    {"381", "70", Opcode::LDG, "$e $cache $widthu $kind $scope", "?Pd, Rd:w, [r24 w o40+24]"},
    {"385", "70-75", Opcode::ST, "$e $cache $width $skind $scope", "[r24 w o32+32], Rc:w"},
    {"386", "70-75", Opcode::STG, "$e $cache $width $skind $scope", "[r24 w o40+24], Rb:w"},
    {"980'", "75", Opcode::LD, "$e $cache $widthu $kind $scope", "Rd:w, [r24 x90 u32 o40+24]"},
    {"981'", "75", Opcode::LDG, "$e $cache $ltc $widthu $kind $scope",
     "?Pd, Rd:w, [r24 x90 u32 o40+24], ?P@64:-67^=0"},
    {"985'", "75", Opcode::ST, "$e $cache $width $skind $scope", "[r24 x90 u64 o40+24], Rb:w"},
    {"986'", "75", Opcode::STG, "$e $cache $width $skind $scope", "[r24 x90 u64 o40+24], Rb:w"},
    // From Ampere on: one code for the ordering, and bit 76 for a memory descriptor in place of a uniform
    // address.
    {"980", "80+", Opcode::LD, "$e $cache $width $order", "Rd:w, [r24 w o32+32]"},
    {"381", "80+", Opcode::LDG, "$e $cache $ltc $width $order", "?Pd, Rd:w, [r24 w o40+24], ?P@64:-67^=0"},
    {"385", "80+", Opcode::ST, "$e $cache $width $sorder", "[r24 w o32+32], Rc:w"},
    {"386", "80+", Opcode::STG, "$e $cache $width $sorder", "[r24 w o40+24], Rb:w"},
    {"980'", "80+", Opcode::LD, "$E $cache $width $order", "Rd:w, [r24 x90 d32 o40+24]", "76=1"},
    {"980'", "80+", Opcode::LD, "$E $cache $width $order", "Rd:w, [r24 x90 u32 o40+24]", "76=0"},
    {"981'", "80+", Opcode::LDG, "$E $cache $ltc $width $order",
     "?Pd, Rd:w, [r24 x90 d32 o40+24], ?P@64:-67^=0", "76=1"},
    {"981'", "80-86", Opcode::LDG, "$E $cache $ltc $width $order",
     "?Pd, Rd:w, [r24 x90 d32 o40+24], ?P@64:-67^=0", "76=1 101=1"},
    {"981'", "80+", Opcode::LDG, "$E $cache $ltc $width $order",
     "?Pd, Rd:w, [r24 x90 u32 o40+24], ?P@64:-67^=0", "76=0"},
    {"985'", "80+", Opcode::ST, "$E $cache $width $sorder", "[r24 x90 d64 o40+24], Rb:w", "76=1"},
    {"985'", "80+", Opcode::ST, "$E $cache $width $sorder", "[r24 x90 u64 o40+24], Rb:w", "76=0"},
    {"986'", "80+", Opcode::STG, "$E $cache $width $sorder", "[r24 x90 d64 o40+24], Rb:w", "76=1"},
    {"986'", "80+", Opcode::STG, "$E $cache $width $sorder", "[r24 x90 u64 o40+24], Rb:w", "76=0"},

    {"984", "75", Opcode::LDS, "address_mode@76(,U) $width", "Rd:w, [r24 o40+24 s78]"},
    {"984", "70", Opcode::LDS, "address_mode@76(,U) $width", "Rd:w, [r24 o40+24]"},
    {"984'", "75", Opcode::LDS, "address_mode@76(,U) $width", "Rd:w, [r24 u32 o40+24 s78]"},
    {"984", "80+", Opcode::LDS, "$width", "Rd:w, [r24 o40+24 s78]"},
    {"984'", "80+", Opcode::LDS, "$width", "Rd:w, [r24 u32 o40+24 s78]"},
    {"388", "75+", Opcode::STS, "$width", "[r24 o40+24 s78], Rb:w"},
    {"388", "70", Opcode::STS, "$width", "[r24 o40+24], Rb:w"},
    {"988'", "75+", Opcode::STS, "$width", "[r24 u64 o40+24 s78], Rb:w"},
    {"983", "70+", Opcode::LDL, "$cache $width", "Rd:w, [r24 o40+24]"},
    {"983'", "75+", Opcode::LDL, "$cache $width", "Rd:w, [r24 u32 o40+24]"},
    {"387", "70+", Opcode::STL, "$cache $width", "[r24 o40+24], Rb:w"},
    {"987'", "75+", Opcode::STL, "$cache $width", "[r24 u64 o40+24], Rb:w"},

    {"b82", "70+", Opcode::LDC, "$width address_mode@78+2(,IL,IS,ISL)", "Rd:w, indexed:w"},
    {"582'", "75+", Opcode::LDC, "$width address_mode@78+2(,IL,IS,ISL)", "Rd:w, indexedX:w"},

    {"83b", "75+", Opcode::LDSM, ".16 matrix_mode@78+2(M88,MT88,M816,M832) matrix_count@72+2(,2,4,-)",
     "Rd:M, [r24 o40+24]"},
    {"83b'", "75+", Opcode::LDSM, ".16 matrix_mode@78+2(M88,MT88,M816,M832) matrix_count@72+2(,2,4,-)",
     "Rd:M, [r24 u32 o40+24]"},
    {"844", "90", Opcode::STSM, ".16 matrix_mode@78(M88,MT88) matrix_count@72+2(,2,4,-)",
     "[r24 o40+24], Rb:M"},
    {"844'", "90", Opcode::STSM, ".16 matrix_mode@78(M88,MT88) matrix_count@72+2(,2,4,-)",
     "[r24 u64 o40+24], Rb:M"},

    // LDGSTS: shared address, then global address; the copy predicate is last.
    {"fae'", "80+", Opcode::LDGSTS,
     ".E bypass@81(BYPASS,) $cache prefetch_size@71+2(,LTC64B,LTC128B,LTC256B) $wide zero_fill@82(,ZFILL) "
     "$copyorder",
     "[r16 o44+20], [r24 x70 d64 o32+12], ?Ps", "76=1"},
    {"fae'", "80+", Opcode::LDGSTS,
     ".E bypass@81(BYPASS,) $cache prefetch_size@71+2(,LTC64B,LTC128B,LTC256B) $wide zero_fill@82(,ZFILL) "
     "$copyorder",
     "[r16 o44+20], [r24 x70 u64 h o32+12], ?Ps", "76=0"},
    {"dae'", "80+", Opcode::LDGSTS,
     ".E bypass@81(BYPASS,) $cache prefetch_size@71+2(,LTC64B,LTC128B,LTC256B) $wide zero_fill@82(,ZFILL) "
     "$copyorder",
     "[r16 u64 o44+20], [r24 x70 o32+12], ?Ps", "76=0"},
    {"dae'", "80+", Opcode::LDGSTS,
     ".E bypass@81(BYPASS,) $cache prefetch_size@71+2(,LTC64B,LTC128B,LTC256B) $wide zero_fill@82(,ZFILL) "
     "$copyorder",
     "[r16 u64 o44+20], [r24 x70 o32+12], ?Ps", "76=1"},
    {"9af", "80+", Opcode::LDGDEPBAR, "", ""},
    {"9b0'", "90", Opcode::ARRIVES,
     ".LDGSTSBAR width@73+3(-,-,-,-,-,64,-,-) other_0@70+2(,ARVCNT,TRANSCNT,-)", "[r24 u64 o40+24]"},
    {"9b0'", "80-89", Opcode::ARRIVES, ".LDGSTSBAR width@73+3(-,-,-,-,-,64,-,-) other_0@70+2(,ARVCNT,-,-)",
     "[r24 u64 o40+24]"},
    {"98f", "70+", Opcode::CCTL, "cctl_op@87+4(-,-,-,-,IVALL,-,IVALLP,WBALL,WBALLP)", "", "24+8=255"},
    {"98f", "70+", Opcode::CCTL, "cctl_op@87+4(-,-,-,-,IVALL,-,IVALLP,WBALL,WBALLP)", ""},
    {"98f", "70+", Opcode::CCTL,
     "$e other_0@78+2(,U,C,-) cctl_op@87+4(PF1,PF2,WB,IV,-,RS,-,-,-,-,-,-,-,-,-,-)", "[r24 w o32+32]"},
    {"98f", "89+", Opcode::CCTL,
     "$e other_0@78+2(,U,C,-) cctl_op@87+4(-,-,-,-,-,-,-,-,-,PML2,DML2,RML2,-,-,-,-)",
     "[r24 w o32+32], ?i@73+3=0"},
    {"98f", "80-86", Opcode::CCTL,
     "$e other_0@78+2(,U,C,-) cctl_op@87+4(-,-,-,-,-,-,-,-,-,PML2,DML2,RML2,-,-,-,-)", "[r24 w o32+32]"},
    {"992", "70+", Opcode::MEMBAR, "membar_kind@79+2(SC,ALL,,-) scope@76+3(CTA,SM,GPU,SYS,-,VC,-,-)", ""},
    {"9ab", "70+", Opcode::ERRBAR, "", ""},
    {"5ab", "90", Opcode::CGAERRBAR, "", ""},
    {"3c6", "90", Opcode::FENCE, ".VIEW .ASYNC other_0@72(S,G)", ""},
    {"3aa", "70+", Opcode::QSPC, "$e other_0@73+2(G,L,S,D)", "Pd, Rd, [r24 w o40+24]"},
    {"9aa'", "75+", Opcode::QSPC, "$e other_0@73+2(G,L,S,D)", "Pd, Rd, [r24 x90 u32 o40+24]"},
    {"b91", "86+", Opcode::CCTLT, "other_0@85+2(-,IVTH,-,-)", "i@54+5, i@40+14"},
    {"d91'", "86+", Opcode::CCTLT, "other_0@85+2(-,IVTH,-,-)", "URb"},
    {"990", "70+", Opcode::CCTLL, "cctl_op@87+4(PF1,PF2,WB,-,-,-,-,-,-,-,-,-,-,-,-,-)", "[r24 o40+24]"},
};

}  // namespace

std::span<const RowText> memory_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
