// Opcode table: texture fetches and surface accesses.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"b60", "70+", Opcode::TEX,
     "other_0@60(,SCR) other_1@59(,B) format@79+2(,F16.RN,F16.RZ,-) "
     "texture_lod@87+3(,LZ,LB,LL,LC,LB.LC,LC.FDV,-) other_2@76(,AOFFI) other_3@78(,DC) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) texture_flags@77(,NDV) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    // The handle in a register, before what else Rb has.
    {"361", "70+", Opcode::TEX,
     "other_0@60(,SCR) other_1@59(-,B) format@79+2(,F16.RN,F16.RZ,-) "
     "texture_lod@87+3(,LZ,LB,LL,LC,LB.LC,LC.FDV,-) other_2@76(,AOFFI) other_3@78(,DC) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) texture_flags@77(,NDV) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"367", "70+", Opcode::TLD,
     "other_0@60(,SCR) other_1@59(-,B) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87+3(-,LZ,-,LL,-,-,-,-) other_2@76(,AOFFI) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) other_3@78(,MS) texture_flags@77(,CL) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"364", "70+", Opcode::TLD4,
     "other_0@60(,SCR) texture_lod@87+2(R,G,B,A) other_1@59(-,B) format@79+2(,F16.RN,F16.RZ,-) "
     "other_2@76(,AOFFI) texture_flags@77(,PTP) other_3@78(,DC) cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) "
     "no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"36d", "70+", Opcode::TXD,
     "other_1@59(-,B) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87(,LC) other_2@76(,AOFFI) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"f60'", "75+", Opcode::TEX,
     "other_0@60(,SCR) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87+3(,LZ,LB,LL,LC,LB.LC,LC.FDV,-) "
     "other_2@76(,AOFFI) other_3@78(,DC) cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) texture_flags@77(,NDV) "
     "no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, URx@40+6, i@46+8, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"b66", "70+", Opcode::TLD,
     "other_0@60(,SCR) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87+3(-,LZ,-,LL,-,-,-,-) other_2@76(,AOFFI) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) other_3@78(,MS) texture_flags@77(,CL) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, ?Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"f66'", "75+", Opcode::TLD,
     "other_0@60(,SCR) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87+3(-,LZ,-,LL,-,-,-,-) other_2@76(,AOFFI) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) other_3@78(,MS) texture_flags@77(,CL) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, ?Rb:n4N, URx@40+6, i@46+8, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"b63", "70+", Opcode::TLD4,
     "other_0@60(,SCR) texture_lod@87+2(R,G,B,A) other_1@59(,B) format@79+2(,F16.RN,F16.RZ,-) "
     "other_2@76(,AOFFI) texture_flags@77(,PTP) other_3@78(,DC) cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) "
     "no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, ?Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"f63'", "75+", Opcode::TLD4,
     "other_0@60(,SCR) texture_lod@87+2(R,G,B,A) format@79+2(,F16.RN,F16.RZ,-) other_2@76(,AOFFI) "
     "texture_flags@77(,PTP) other_3@78(,DC) cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, ?Rb:n4N, URx@40+6, i@46+8, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"b6c", "70+", Opcode::TXD,
     "other_1@59(,B) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87(,LC) other_2@76(,AOFFI) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"f6c'", "75+", Opcode::TXD,
     "format@79+2(,F16.RN,F16.RZ,-) texture_lod@87(,LC) other_2@76(,AOFFI) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, URx@40+6, i@46+8, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"b6f", "70+", Opcode::TXQ, "other_1@59(,B) no_dec@90(,NODEP)",
     "Rc:WH, Rd:m, Ra:N, "
     "N@62+2:(TEX_HEADER_DIMENSION;TEX_HEADER_TEXTURE_TYPE;TEX_HEADER_SAMPLER_POS;INVALID3), i@54+5, "
     "i@40+14, ?texmask=15"},
    {"f6f'", "75+", Opcode::TXQ, "no_dec@90(,NODEP)",
     "Rc:WH, Rd:m, Ra:N, "
     "N@62+2:(TEX_HEADER_DIMENSION;TEX_HEADER_TEXTURE_TYPE;TEX_HEADER_SAMPLER_POS;INVALID3), URx@40+6, "
     "i@46+8, ?texmask=15"},
    {"b99", "70-75", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $skind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], i@54+5, i@40+14"},
    {"99a", "70-75", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $skind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], Rc"},
    {"b9d", "70-75", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $skind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, i@54+5, i@40+14"},
    {"99e", "70-75", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $skind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, Rc"},
    {"f99'", "75", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $skind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], URx@40+6, i@46+8"},
    {"f9d'", "75", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $skind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, URx@40+6, i@46+8"},
    {"b99", "80+", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $order "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], i@54+5, i@40+14"},
    {"99a", "80+", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $order "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], Rc"},
    {"b9d", "80+", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $sorder "
     "other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, i@54+5, i@40+14"},
    {"99e", "80+", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $sorder "
     "other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, Rc"},
    {"f99'", "80+", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $order "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], URx@40+6, i@46+8"},
    {"f9d'", "80+", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $sorder "
     "other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, URx@40+6, i@46+8"},
    {"b69", "70-89", Opcode::TMML, "other_1@59(,B) .LOD texture_flags@77(,NDV) no_dec@90(,NODEP)",
     "Rc:W, Rd, Ra:n4N, Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15",
     "81+3=7 84+3=1"},
    // Surface atomics: the handle in a register, bound, bindless in a constant bank, or in a uniform
    // register.
    {"394", "70-75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, Rc"},
    {"396", "70-75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) order_kind@79+2(-,,STRONG,-) $scope other_2@76(,PRIVATE) "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, Rc"},
    {"3a0", "70-75", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, Rc"},
    {"394", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, Rc"},
    {"396", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, Rc"},
    {"3a0", "80+", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, Rc"},
    {"593", "70-75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+14"},
    {"595", "70-75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) order_kind@79+2(-,,STRONG,-) $scope other_2@76(,PRIVATE) "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+14"},
    {"59f", "70-75", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, i@54+5, i@40+14"},
    {"593", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+14"},
    {"595", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+14"},
    {"59f", "80+", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, i@54+5, i@40+14"},
    {"793", "70-75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+6, i@46+8"},
    {"795", "70-75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) order_kind@79+2(-,,STRONG,-) $scope other_2@76(,PRIVATE) "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+6, i@46+8"},
    {"79f", "70-75", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, i@54+5, i@40+6, i@46+8"},
    {"793", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+6, i@46+8"},
    {"795", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, i@54+5, i@40+6, i@46+8"},
    {"79f", "80+", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, i@54+5, i@40+6, i@46+8"},
    {"f93'", "75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, URx@40+6, i@46+8"},
    {"f95'", "75", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) order_kind@79+2(-,,STRONG,-) $scope other_2@76(,PRIVATE) "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, URx@40+6, i@46+8"},
    {"f9f'", "75", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) order_kind@79+2(-,,STRONG,-) $scope "
     "other_2@76(,PRIVATE) other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, URx@40+6, i@46+8"},
    {"f93'", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) "
     "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH) $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, URx@40+6, i@46+8"},
    {"f95'", "80+", Opcode::SUATOM,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) .CAS $cache "
     "atomic_type@73+3(,S32,64,-,-,-,-,-) $sorder other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:t, [r24], Rb:t, URx@40+6, i@46+8"},
    {"f9f'", "80+", Opcode::SURED,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $rop $cache "
     "atomic_type@73+3(,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64) $sorder other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:t, URx@40+6, i@46+8"},
};

}  // namespace

std::span<const RowText> texture_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
