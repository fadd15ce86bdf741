// Opcode table: atomic operations and reductions in memory.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"3a8", "70-75", Opcode::ATOMG, "$e $aop $cache $atype $akind $scope", "Pd, Rd:t, [r24 w o40+24], Rb:t",
     "64+8=255"},
    {"38a", "70-75", Opcode::ATOM, "$e $aop $cache $atype $akind $scope", "Pd, Rd:t, [r24 w o40+24], Rb:t",
     "64+8=255"},
    {"3a9", "70-75", Opcode::ATOMG, "$e other_0@87+2(CAS,CAS,CAS,CAS) $cache $atype $akind $scope",
     "Pd, Rd:t, [r24 w o40+24], Rb:t, Rc:t"},
    {"38b", "70-75", Opcode::ATOM, "$e other_0@87+2(CAS,CAST,-,CAST.SPIN) $cache $atype $akind $scope",
     "Pd, Rd:t, [r24 w o40+24], Rb:t, Rc:t"},
    {"98e", "70-75", Opcode::RED, "$e $rop $cache $atype $akind $scope", "[r24 w o40+24], Rb:t"},
    {"98e'", "75", Opcode::RED, "$e $rop $cache $atype $akind $scope", "[r24 x90 u64 o40+24], Rb:t"},
    {"9a8'", "75", Opcode::ATOMG, "$e $aop $cache $atype $akind $scope",
     "Pd, Rd:t, [r24 x70 u64 o40+24], Rb:t"},
    {"98a'", "75", Opcode::ATOM, "$e $aop $cache $atype $akind $scope",
     "Pd, Rd:t, [r24 x70 u64 o40+24], Rb:t"},

    {"3a8", "80-89", Opcode::ATOMG, "$e $aop $cache $atype $sorder", "Pd, Rd:t, [r24 w o40+24], Rb:t",
     "64+8=255"},
    {"38a", "80-89", Opcode::ATOM, "$e $aop $cache $atype $sorder", "Pd, Rd:t, [r24 w o40+24], Rb:t",
     "64+8=255"},
    {"9a8'", "80-89", Opcode::ATOMG, "$E $aop $cache $atype $sorder", "Pd, Rd:t, [r24 x70 d64 o40+24], Rb:t",
     "71=1"},
    {"9a8'", "80-89", Opcode::ATOMG, "$E $aop $cache $atype $sorder", "Pd, Rd:t, [r24 x70 u64 o40+24], Rb:t",
     "71=0"},
    {"98a'", "80-89", Opcode::ATOM, "$E $aop $cache $atype $sorder", "Pd, Rd:t, [r24 x70 d64 o40+24], Rb:t",
     "71=1"},
    {"98a'", "80-89", Opcode::ATOM, "$E $aop $cache $atype $sorder", "Pd, Rd:t, [r24 x70 u64 o40+24], Rb:t",
     "71=0"},
    {"98e", "80-89", Opcode::RED, "$e $rop $cache $atype $sorder", "[r24 w o40+24], Rb:t"},
    {"98e'", "80-89", Opcode::RED, "$E $rop $cache $atype $sorder", "[r24 x90 d64 o40+24], Rb:t", "71=1"},
    {"98e'", "80-89", Opcode::RED, "$E $rop $cache $atype $sorder", "[r24 x90 u64 o40+24], Rb:t", "71=0"},
    {"3a9", "80-89", Opcode::ATOMG, "$e other_0@87+2(CAS,CAS,CAS,CAS) $cache $atype $sorder",
     "Pd, Rd:t, [r24 w o40+24], Rb:t, Rc:t"},
    {"38b", "80-89", Opcode::ATOM, "$e other_0@87+2(CAS,CAST,-,CAST.SPIN) $cache $atype $sorder",
     "Pd, Rd:t, [r24 w o40+24], Rb:t, Rc:t"},

    {"3a8", "90", Opcode::ATOMG, "$e $aop $cache $itype $sorder", "Pd, Rd:t, [r24 w o40+24], Rb:t",
     "64+8=255"},
    {"3a8", "90", Opcode::ATOMG, "$e $aop $cache $itype $sorder", "Pd, Rd:t, [r24 w o40+24], Rb:t"},
    {"38a", "90", Opcode::ATOM, "$e $aop $cache $itype $sorder", "Pd, Rd:t, [r24 w o40+24], Rb:t",
     "64+8=255"},
    {"38a", "90", Opcode::ATOM, "$e $aop $cache $itype $sorder", "Pd, Rd:t, [r24 w o40+24], Rb:t"},
    {"9a8'", "90", Opcode::ATOMG, "$E $aop $cache $itype $sorder", "Pd, Rd:t, [r24 x70 d64 o40+24], Rb:t",
     "71=1"},
    {"9a8'", "90", Opcode::ATOMG, "$E $aop $cache $itype $sorder", "Pd, Rd:t, [r24 x70 u64 o40+24], Rb:t",
     "71=0"},
    {"98a'", "90", Opcode::ATOM, "$E $aop $cache $itype $sorder", "Pd, Rd:t, [r24 x70 d64 o40+24], Rb:t",
     "71=1"},
    {"98a'", "90", Opcode::ATOM, "$E $aop $cache $itype $sorder", "Pd, Rd:t, [r24 x70 u64 o40+24], Rb:t",
     "71=0"},
    {"98e", "90", Opcode::REDG, "$e $rop $cache $itype $sorder", "[r24 w o40+24], Rb:t"},
    {"98e'", "90", Opcode::REDG, "$E $rop $cache $itype $sorder", "[r24 x90 d64 o40+24], Rb:t", "71=1"},
    {"98e'", "90", Opcode::REDG, "$E $rop $cache $itype $sorder", "[r24 x90 u64 o40+24], Rb:t", "71=0"},
    {"3a9", "90", Opcode::ATOMG, "$e other_0@87+2(CAS,CAS,CAS,CAS) $cache $itype $sorder",
     "Pd, Rd:t, [r24 w o40+24], Rb:t, Rc:t"},
    {"38b", "90", Opcode::ATOM, "$e other_0@87+2(CAS,CAST,-,CAST.SPIN) $cache $itype $sorder",
     "Pd, Rd:t, [r24 w o40+24], Rb:t, Rc:t"},
    // Hopper's floating-point atomics.
    {"9a6'", "90", Opcode::REDG,
     "$E atomic_op@88+2(ADD,MIN,MAX,-) $cache "
     "atomic_type@73+4/"
     "87(F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,-,-,-,F32.FTZ.RN,F32x2.FTZ.RN,F32x4.FTZ.RN,"
     "F32.RN,F32x2.RN,F32x4.RN,F64.RN) $sorder",
     "[r24 x90 d64 o40+24], Rb:t", "71=1"},
    {"9a6'", "90", Opcode::REDG,
     "$E atomic_op@88+2(ADD,MIN,MAX,-) $cache "
     "atomic_type@73+4/"
     "87(F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,-,-,-,F32.FTZ.RN,F32x2.FTZ.RN,F32x4.FTZ.RN,"
     "F32.RN,F32x2.RN,F32x4.RN,F64.RN) $sorder",
     "[r24 x90 u64 o40+24], Rb:t", "71=0"},
    {"3a3", "90", Opcode::ATOMG,
     "$e atomic_op@88+2(ADD,MIN,MAX,-) $cache "
     "atomic_type@73+4/"
     "87(F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,-,-,-,F32.FTZ.RN,F32x2.FTZ.RN,F32x4.FTZ.RN,"
     "F32.RN,F32x2.RN,F32x4.RN,F64.RN) $sorder",
     "Pd, Rd:t, [r24 w o40+24], Rb:t"},
    {"9a3'", "90", Opcode::ATOMG,
     "$E atomic_op@88+2(ADD,MIN,MAX,-) $cache "
     "atomic_type@73+4/"
     "87(F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,-,-,-,F32.FTZ.RN,F32x2.FTZ.RN,F32x4.FTZ.RN,"
     "F32.RN,F32x2.RN,F32x4.RN,F64.RN) $sorder",
     "Pd, Rd:t, [r24 x70 d64 o40+24], Rb:t", "71=1"},
    {"9a2'", "90", Opcode::ATOM,
     "$E atomic_op@88+2(ADD,MIN,MAX,-) $cache "
     "atomic_type@73+4/"
     "87(F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,-,-,-,F32.FTZ.RN,F32x2.FTZ.RN,F32x4.FTZ.RN,"
     "F32.RN,F32x2.RN,F32x4.RN,F64.RN) $sorder",
     "Pd, Rd:t, [r24 x70 d64 o40+24], Rb:t", "71=1"},

    {"38c", "75+", Opcode::ATOMS, "$aop atomic_type@73+2(,S32,64,-)", "Rd:t, [r24 o40+24 s78], Rb:t",
     "64+8=255"},
    {"38c", "70", Opcode::ATOMS, "$aop atomic_type@73+2(,S32,64,-)", "Rd:t, [r24 o40+24], Rb:t", "64+8=255"},
    {"38c", "75+", Opcode::ATOMS, "$aop atomic_type@73+2(,S32,64,-)", "Rd:t, [r24 o40+24 s78], Rb:t"},
    {"38c", "70", Opcode::ATOMS, "$aop atomic_type@73+2(,S32,64,-)", "Rd:t, [r24 o40+24], Rb:t"},
    {"98c'", "75+", Opcode::ATOMS, "$aop atomic_type@73+2(,S32,64,-)", "Rd:t, [r24 u64 o40+24 s78], Rb:t"},
    {"38d", "75+", Opcode::ATOMS, "other_0@87+2(CAS,CAST,-,CAST.SPIN) atomic_type@73+2(,S32,64,-)",
     "Rd:t, [r24 o40+24 s78], Rb:t, Rc:t"},
    {"38d", "70", Opcode::ATOMS, "other_0@87+2(CAS,CAST,-,CAST.SPIN) atomic_type@73+2(,S32,64,-)",
     "Rd:t, [r24 o40+24], Rb:t, Rc:t"},
    {"f8c'", "80-89", Opcode::ATOMS, ".POPC .INC .32", "Rd, [r24 u64 o40+24 s78]", "88=1 90=1"},
    {"f8c'", "90", Opcode::ATOMS, ".POPC .INC .32", "Rd, [r24 u64 o40+24 s78]", "87=1 88=1 90=1"},
    {"f8c'", "80+", Opcode::ATOMS, ".ARRIVE .64", "Rd:n2, [r24 u64 o40+24 s78]", "74=1 87=1 90=1"},
};

}  // namespace

std::span<const RowText> atomic_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
