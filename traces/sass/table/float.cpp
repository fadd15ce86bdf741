// Opcode table: single and double precision arithmetic.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"008/1 4 5 5' 6'", "70+", Opcode::FSEL, "$ftz", "Rd, Ra:-|, B:-|f, Ps"},
    {"009/1 4 5 5' 6'", "80+", Opcode::FMNMX, "$ftz nan_propagate@81(,NAN)", "Rd, Ra:-|, B:-|f, Ps"},
    {"009/1 4 5 5' 6'", "70-75", Opcode::FMNMX, "$ftz", "Rd, Ra:-|, B:-|f, Ps"},
    // Printed .BF with bit 71 and without.
    {"00a/1 4 5 5' 6'", "70+", Opcode::FSET, "bool_float@71(-,BF) $fcmp $ftz $bool", "Rd, Ra:-|, B:-|f, Ps"},
    {"00a/1 4 5 5' 6'", "70+", Opcode::FSET, "bool_float@71(BF,-) $fcmp $ftz $bool", "Rd, Ra:-|, B:-|f, Ps"},
    {"00b/1 4 5 5' 6'", "70+", Opcode::FSETP, "$fcmp $ftz $bool", "Pd, Pq, Ra:-|, B:-|f, Ps"},
    {"020/1 4 5 5' 6'", "70+", Opcode::FMUL, "$fmz $ftz scale@84+3(-,D8,D4,D2,,M2,M4,M8) $rnd $sat",
     "Rd, Ra:-|, B:-|f"},
    {"021/1 2 3 3' 7'", "70+", Opcode::FADD, "$ftz $rnd $sat", "Rd, Ra:-|, E:-|f"},
    {"822", "70+", Opcode::FSWZADD, "$ftz $rnd other_0@77(,NDV)", "Rd, Ra, Rc, N@32+8:($swizzles)"},
    {"023/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::FFMA, "$fmz $ftz $rnd $sat", "Rd, Ra:-|, B:-|f, C:-|f"},
    {"102/1 4 5 5' 6'", "70+", Opcode::FCHK, "", "Pd, Ra:-|, B:-|f"},
    {"108/1 4 5 5' 6'", "70", Opcode::MUFU, "mufu_function@74+4(COS,SIN,EX2,LG2,RCP,RSQ,-,-,SQRT)",
     "Rd, B:-|f"},
    {"108/1 4 5 5' 6'", "75+", Opcode::MUFU, "mufu_function@74+4(COS,SIN,EX2,LG2,RCP,RSQ,-,-,SQRT,TANH)",
     "Rd, B:-|f"},
    {"108/1 5 5' 6'", "75-89", Opcode::MUFU,
     "mufu_function@74+4(COS,SIN,EX2,LG2,RCP,RSQ,-,-,SQRT,TANH) packed_16@73(-,F16)", "Rd, B:-|xc"},
    {"108/1 5 5' 6'", "90", Opcode::MUFU,
     "mufu_function@74+4(COS,SIN,EX2,LG2,RCP,RSQ,-,-,SQRT,TANH) packed_16@72+2(-,F16,BF16,-)", "Rd, B:-|xc"},
    // The 64H functions take and give the upper word of a double.
    {"108/1 4 5 5' 6'", "70+", Opcode::MUFU, "mufu_function@74+4(-,-,-,-,-,-,RCP64H,RSQ64H)", "Rd, B:-|d"},

    {"028/1 4 5 5' 6'", "70+", Opcode::DMUL, "$rnd", "Rd:n2, Ra:-|n2, B:-|dn2"},
    {"029/1 2 3 3' 7'", "70+", Opcode::DADD, "$rnd", "Rd:n2, Ra:-|n2, D:-|dn2"},
    {"02a/1 2 3 3' 7'", "70+", Opcode::DSETP,
     "compare@76+4(MIN,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,MAX) $bool",
     "Pd, Pq, Ra:-|n2, E:-|dn2, Ps"},
    {"02b/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::DFMA, "$rnd", "Rd:n2, Ra:-|n2, B:-|dn2, C:-|dn2"},
};

}  // namespace

std::span<const RowText> float_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
