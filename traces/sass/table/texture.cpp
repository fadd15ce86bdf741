// Opcode table: texture fetches and surface accesses.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"b60", "70+", Opcode::TEX,
     "other_0@60(,SCR) other_1@59(,B) format@79+2(,F16.RN,F16.RZ,-) "
     "texture_lod@87+3(,LZ,LB,LL,LC,LB.LC,LC.FDV,-) cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) "
     "other_2@76(,AOFFI) texture_flags@77(,NDV) other_3@78(,DC) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"f60'", "75+", Opcode::TEX,
     "other_0@60(,SCR) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87+3(,LZ,LB,LL,LC,LB.LC,LC.FDV,-) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) other_2@76(,AOFFI) texture_flags@77(,NDV) other_3@78(,DC) "
     "no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, URx@40+6, i@46+8, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"b66", "70+", Opcode::TLD,
     "other_0@60(,SCR) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87+3(-,LZ,-,LL,-,-,-,-) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) other_2@76(,AOFFI) texture_flags@77(,CL) other_3@78(,MS) "
     "no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, ?Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"f66'", "75+", Opcode::TLD,
     "other_0@60(,SCR) format@79+2(,F16.RN,F16.RZ,-) texture_lod@87+3(-,LZ,-,LL,-,-,-,-) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) other_2@76(,AOFFI) texture_flags@77(,CL) other_3@78(,MS) "
     "no_dec@90(,NODEP)",
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
     "other_1@59(,B) format@79+2(,F16.RN,F16.RZ,-) other_2@76(,AOFFI) "
     "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) texture_lod@87(,LC) no_dec@90(,NODEP)",
     "?Pd, Rc:WH, Rd:m, Ra:n4N, Rb:n4N, i@54+5, i@40+14, "
     "N@61+3:(1D;2D;3D;CUBE;ARRAY_1D;ARRAY_2D;INVALID6;ARRAY_CUBE), ?texmask=15"},
    {"f6c'", "75+", Opcode::TXD,
     "format@79+2(,F16.RN,F16.RZ,-) other_2@76(,AOFFI) cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-) "
     "texture_lod@87(,LC) no_dec@90(,NODEP)",
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
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $kind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], i@54+5, i@40+14"},
    {"b9d", "70-75", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $kind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, i@54+5, i@40+14"},
    {"f99'", "75", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $kind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], URx@40+6, i@46+8"},
    {"f9d'", "75", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $kind "
     "$scope other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, URx@40+6, i@46+8"},
    {"b99", "80+", Opcode::SULD,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $order "
     "other_1@59+2(IGN,,TRAP,-)",
     "?Pd, Rd:w, [r24], i@54+5, i@40+14"},
    {"b9d", "80+", Opcode::SUST,
     ".D other_0@72(,BA) texture_shape@61+3(1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,-,-) $cache $width $sorder "
     "other_1@59+2(IGN,,TRAP,-)",
     "[r24], Rb:w, i@54+5, i@40+14"},
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
    // Graphics, known from probing alone.
    {"923", "75-89", Opcode::ISBERD, "other_0@76(,PATCH) other_1@79(,O)", "Rd, [r24 o40+8]"},
    {"920", "75-89", Opcode::AL2P, "wide_64@74(,64) other_0@79(,O)", "Rd, Ra, i@40+11"},
    {"925", "75-89", Opcode::PIXLD, "other_0@78+3(,COVMASK,CENTROID_OFFSET,-,INNER_COVERAGE,-,-,-)", "Rd",
     "81+3=7"},
};

}  // namespace

std::span<const RowText> texture_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
