// Opcode table: conversions between number formats.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"104/1 4 5 5' 6'", "70+", Opcode::F2F,
     "$ftz destination_format@75+3(-,F16,F32,-,BF16,-,-,-) source_format@84+2(-,F16,-,-) $rnd", "Rd, B:-|xF"},
    {"104/1 4 5 5' 6'", "70+", Opcode::F2F,
     "$ftz destination_format@75+3(-,F16,F32,-,BF16,-,-,-) source_format@84+2(-,-,F32,-) $rnd", "Rd, B:-|f"},
    {"104/1 5 5' 6'", "90", Opcode::F2F,
     "$ftz destination_format@75+3(-,F16,F32,-,-,-,-,-) source_format@84+3(-,-,-,-,BF16,-,-,-) $rnd", "Rd, B:-|xF"},
    {"110/1 4 5 5' 6'", "70+", Opcode::F2F,
     "$ftz destination_format@75+2(-,-,-,F64) source_format@84+2(-,-,F32,-)", "Rd:n2, B:-|f"},
    {"110/1 4 5 5' 6'", "70+", Opcode::F2F,
     "$ftz destination_format@75+2(-,-,-,F64) source_format@84+2(-,F16,-,-)", "Rd:n2, B:-|Fc"},
    {"110/1 4 5 5' 6'", "70+", Opcode::F2F,
     "$ftz destination_format@75+2(-,F16,F32,-) source_format@84+2(-,-,-,F64) $rnd", "Rd, B:-|dn2"},
    {"110/1 4 5 5' 6'", "90", Opcode::F2F,
     "$ftz destination_format@75+3(-,-,-,-,BF16,-,-,-) source_format@84+2(-,-,-,F64) $rnd", "Rd, B:-|dn2"},
    {"105/1 4 5 5' 6'", "70+", Opcode::F2I,
     "$ftz destination_format@72/75+2(U8,S8,U16,S16,U32,,-,-) source_format@84+2(-,F16,-,-) $ird "
     "ntz@77(,NTZ)",
     "Rd, B:-|xF"},
    {"105/1 4 5 5' 6'", "70+", Opcode::F2I,
     "$ftz destination_format@72/75+2(U8,S8,U16,S16,U32,,-,-) source_format@84+2(-,-,,-) $ird ntz@77(,NTZ)",
     "Rd, B:-|f"},
    {"105/1 4 5 5' 6'", "90", Opcode::F2I,
     "$ftz destination_format@72/75+2(U8,S8,U16,S16,U32,,-,-) source_format@84+3(-,-,-,-,BF16,-,-,-) $ird "
     "ntz@77(,NTZ)",
     "Rd, B:-|xfc"},
    {"111/1 4 5 5' 6'", "70+", Opcode::F2I,
     "$ftz destination_format@72/75+2(-,-,-,-,-,-,U64,S64) source_format@84+2(-,-,,-) $ird ntz@77(,NTZ)",
     "Rd:n2, B:-|f"},
    {"111/1 4 5 5' 6'", "70+", Opcode::F2I,
     "$ftz destination_format@72/75+2(-,-,-,-,-,-,U64,S64) source_format@84+2(-,F16,-,-) $ird ntz@77(,NTZ)",
     "Rd:n2, B:-|Fc"},
    {"111/1 4 5 5' 6'", "70+", Opcode::F2I,
     "$ftz destination_format@72/75+2(-,-,-,-,-,-,U64,S64) source_format@84+2(-,-,-,F64) $ird ntz@77(,NTZ)",
     "Rd:n2, B:-|dn2"},
    {"111/1 4 5 5' 6'", "70+", Opcode::F2I,
     "$ftz destination_format@72/75+2(U8,S8,U16,S16,U32,,-,-) source_format@84+2(-,-,-,F64) $ird "
     "ntz@77(,NTZ)",
     "Rd, B:-|dn2"},
    {"106/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,F16,,-) source_format@74/84+2(U8,S8,-,-,-,-,-,-) $rnd", "Rd, B:yu"},
    {"106/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,F16,,-) source_format@74/84+2(-,-,U16,S16,-,-,-,-) $rnd", "Rd, B:xu"},
    {"106/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,F16,,-) source_format@74/84+2(-,-,-,-,U32,-,-,-) $rnd", "Rd, B:u"},
    {"106/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,F16,,-) source_format@74/84+2(-,-,-,-,-,,-,-) $rnd", "Rd, B:i"},
    {"112/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,-,-,F64) source_format@74/84+2(-,-,-,-,U32,-,-,-) $rnd", "Rd:n2, B:u"},
    {"112/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,-,-,F64) source_format@74/84+2(-,-,-,-,-,,-,-) $rnd", "Rd:n2, B:i"},
    {"112/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,-,-,F64) source_format@74/84+2(U8,S8,U16,S16,-,-,-,-) $rnd", "Rd:n2, B:uc"},
    {"112/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,F16,,-) source_format@74/84+2(-,-,-,-,-,-,U64,-) $rnd", "Rd, B:un2"},
    {"112/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,F16,,-) source_format@74/84+2(-,-,-,-,-,-,-,S64) $rnd", "Rd, B:in2"},
    {"112/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,-,-,F64) source_format@74/84+2(-,-,-,-,-,-,U64,-) $rnd", "Rd:n2, B:un2"},
    {"112/1 4 5 5' 6'", "70+", Opcode::I2F,
     "destination_format@75+2(-,-,-,F64) source_format@74/84+2(-,-,-,-,-,-,-,S64) $rnd", "Rd:n2, B:in2"},
    {"107/1 4 5 5' 6'", "70+", Opcode::FRND, "$ftz destination_format@75+2(-,-,,-) $ird", "Rd, B:-|f",
     "84+2=2"},
    {"107/1 4 5 5' 6'", "70+", Opcode::FRND, "$ftz destination_format@75+2(-,F16,-,-) $ird", "Rd, B:-|xFc",
     "84+2=1"},
    {"107/1 4 5 5' 6'", "70+", Opcode::FRND, "$ftz destination_format@75+2(-,F16,-,-) $ird", "Rd, B:-|fc",
     "84+2=2"},
    {"107/1 4 5 5' 6'", "70+", Opcode::FRND, "$ftz destination_format@75+2(-,-,,-) $ird", "Rd, B:-|xFc",
     "84+2=1"},
    {"113/1 4 5 5' 6'", "70+", Opcode::FRND,
     "$ftz destination_format@75+2(-,-,-,F64) source_format@84+2(-,-,-,-) $ird", "Rd:n2, B:-|dn2"},
    {"113/1 4 5 5' 6'", "70+", Opcode::FRND, "$ftz destination_format@75+2(-,-,-,F64) $ird", "Rd:n2, B:-|dn2",
     "84+2=3"},
    {"045/1 4 5 5' 6'", "86+", Opcode::I2FP, ".F32 source_format@74(U32,-) rounding@78+2(,-,-,RZ)", "Rd, B:u",
     "76=1 85=1"},
    {"045/1 4 5 5' 6'", "86+", Opcode::I2FP, ".F32 source_format@74(-,S32) rounding@78+2(,-,-,RZ)", "Rd, B:i",
     "76=1 85=1"},
    // F2FP: from Ada on with 8-bit floats; Ampere knows two formats only and does not name the source's.
    {"03e/1 4 5 5' 6'", "75-86", Opcode::F2FP,
     "satfinite@77(,SATFINITE) relu@75(,RELU) destination_format@76(,BF16) .PACK_AB rounding@79+2(,-,-,RZ)",
     "Rd, Ra, B:f", "64+8=255"},
    {"03e/1 4 5 5' 6'", "75-86", Opcode::F2FP,
     "satfinite@77(,SATFINITE) relu@75(,RELU) destination_format@76(,BF16) merge_c@78(-,MERGE_C) "
     "rounding@79+2(,-,-,RZ)",
     "Rd, B:f, Rc", "24+8=255"},
    {"03e/1 4 5 5' 6'", "89+", Opcode::F2FP,
     "satfinite@77(,SATFINITE) relu@75(,RELU) destination_format@76/86+2(F16,BF16,-,TF32,E5M2,E4M3,-,-) "
     "source_format@73+2(F32,-,E5M2,E4M3) .PACK_AB rounding@79+2(,-,-,RZ)",
     "Rd, Ra, B:f", "64+8=255"},
    {"03e/1 4 5 5' 6'", "89+", Opcode::F2FP,
     "satfinite@77(,SATFINITE) relu@75(,RELU) destination_format@76/86+2(F16,BF16,-,TF32,E5M2,E4M3,-,-) "
     "source_format@73+2(F32,-,E5M2,E4M3) .MERGE_C rounding@79+2(,-,-,RZ)",
     "Rd, B:f, Rc", "24+8=255 78=1"},
    {"03e/1 4 5 5' 6'", "89+", Opcode::F2FP,
     "relu@75(,RELU) destination_format@76/86+2(F16,BF16,-,TF32,E5M2,E4M3,-,-) "
     "source_format@73+2(F32,-,E5M2,E4M3) .UNPACK_B rounding@79+2(,-,-,RZ)",
     "Rd, B:x88", "24+8=255 64+8=255 89=1"},
    {"03e/1 4 5 5' 6'", "89+", Opcode::F2FP,
     "satfinite@77(,SATFINITE) relu@75(,RELU) destination_format@76/86+2(F16,BF16,-,TF32,E5M2,E4M3,-,-) "
     "source_format@73+2(F32,-,E5M2,E4M3) .PACK_B rounding@79+2(,-,-,RZ)",
     "Rd, B:f", "24+8=255 64+8=255 78=1 89=1"},
    {"03e/1 4 5 5' 6'", "89+", Opcode::F2FP,
     "satfinite@77(,SATFINITE) relu@75(,RELU) destination_format@76/86+2(F16,BF16,-,TF32,E5M2,E4M3,-,-) "
     "source_format@73+2(F32,-,E5M2,E4M3) .PACK_AB_MERGE_C rounding@79+2(,-,-,RZ)",
     "Rd, Ra, B:f, Rc:x72", "78=1 90=1"},
    {"03e/1 4 5 5' 6'", "89+", Opcode::F2FP,
     "satfinite@77(,SATFINITE) relu@75(,RELU) destination_format@76/86+2(F16,BF16,-,TF32,E5M2,E4M3,-,-) "
     "source_format@73+2(-,F16,-,-) .UNPACK_B_MERGE_C",
     "Rd, B, Rc:x72", "24+8=255 90=1"},
    {"043/1 4 5 5' 6'", "86+", Opcode::F2IP,
     "destination_format@76+2(U8,S8,-,-) .F32 rounding@78+2(,-,-,TRUNC) ntz@74(,NTZ) relu@75(,RELU)",
     "Rd, Ra, B:f, Rc:x72"},
    {"039/1 4 5 5' 6'", "75-80", Opcode::I2IP,
     "destination_format@76+2(U8,S8,U16,S16) .S32 saturate@74(SAT,SAT)", "Rd, Ra, B:i, Rc:x72"},
    {"039/1 4 5 5' 6'", "86-89", Opcode::I2IP,
     "destination_format@76+2(U8,S8,U16,S16) .S32 saturate@74+2(SAT,,SATRELU,-)", "Rd, Ra, B:i, Rc:x72"},
    {"039/1 4 5 5' 6'", "90", Opcode::I2IP,
     "destination_format@76+2(U8,S8,U16,S16) .S32 saturate@74+2(,SAT,SATRELU,-)", "Rd, Ra, B:i, Rc:x72"},
    {"038/1 4 5 5' 6'", "70+", Opcode::I2I, "destination_format@76+2(U8,S8,U16,S16) .S32 .SAT", "Rd, B:i"},
};

}  // namespace

std::span<const RowText> conversion_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
