// Opcode table: the uniform datapath.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"882", "75+", Opcode::UMOV, "", "URd, I", "guard=u"},
    {"c82'", "75+", Opcode::UMOV, "", "URd, URb", "guard=u"},
    {"087/1' 4'", "75+", Opcode::USEL, "", "URd, URa, UB:u, UPs", "guard=u"},
    {"08c/1' 4'", "75+", Opcode::UISETP, "$icmp $u32 $bool extended_compare@72(,-)",
     "UPd, UPq, URa, UB:i, UPs", "guard=u 68+4=7"},
    {"08c/1' 4'", "75+", Opcode::UISETP, "$icmp $u32 $bool extended_compare@72(,-)",
     "UPd, UPq, URa, UB:i, UPs", "guard=u 68+4=0"},
    {"08c/1' 4'", "75", Opcode::UISETP, "$icmp $u32 $bool extended_compare@72(-,EX)",
     "UPd, UPq, URa, UB:i, UPs, UPt", "guard=u"},
    {"08c/1' 4'", "80+", Opcode::UISETP, "$icmp $u32 $bool extended_compare@72(-,EX)",
     "UPd, UPq, URa, UB:i, UPs, UPt", "guard=u"},
    {"090/1' 4'", "75+", Opcode::UIADD3, "extended@74(,-)", "URd, ?UPd, ?UPq, URa:-, UB:-i, URc:-",
     "guard=u 87+4=15 77+4=15"},
    {"090/1' 4'", "75+", Opcode::UIADD3, "extended@74(-,X)", "URd, ?UPd, ?UPq, URa:~, UB:~i, URc:~, UPs, UPr",
     "guard=u"},
    {"097/1' 4'", "80+", Opcode::UIADD3_64, "", "URd:n2, ?UPd, ?UPq, URa:-n2, UB:-in2, URc:-n2",
     "guard=u 87+4=15 77+4=15"},
    {"091/1' 4'", "75+", Opcode::ULEA, "high@80(,-) extended@74(,-)", "URd, ?UPd, URa:-, UB:-u, i@75+5",
     "guard=u 87+4=15 64+6=63"},
    {"091/1' 4'", "75+", Opcode::ULEA, "high@80(,-) extended@74(-,X)", "URd, ?UPd, URa:~, UB:~u, i@75+5, UPs",
     "guard=u 64+6=63"},
    {"091/1' 4'", "75+", Opcode::ULEA, "high@80(-,HI) extended@74(,-) sign_extend_32@73(,-)",
     "URd, ?UPd, URa:-, UB:-u, URc, i@75+5", "guard=u 87+4=15"},
    {"091/1' 4'", "75+", Opcode::ULEA, "high@80(-,HI) extended@74(-,X) sign_extend_32@73(,-)",
     "URd, ?UPd, URa:~, UB:~u, URc, i@75+5, UPs", "guard=u"},
    {"091/1' 4'", "75+", Opcode::ULEA, "high@80(-,HI) extended@74(,-) sign_extend_32@73(-,SX32)",
     "URd, ?UPd, URa:-, UB:-u, i@75+5", "guard=u 87+4=15 64+6=63"},
    {"091/1' 4'", "75+", Opcode::ULEA, "high@80(-,HI) extended@74(-,X) sign_extend_32@73(-,SX32)",
     "URd, ?UPd, URa:~, UB:~u, i@75+5, UPs", "guard=u 64+6=63"},
    {"092/1' 4'", "75+", Opcode::ULOP3, ".LUT pand@80(,PAND)", "?UPd, URd, URa, UB:u, URc, i@72+8, UPs",
     "guard=u"},
    {"096/1' 2' 4'", "75+", Opcode::UPRMT, "", "URd, URa, UB:u, UC:u", "guard=u"},
    {"099/1' 2' 4'", "75+", Opcode::USHF,
     "shift_right@76(L,R) wrap@75(,W) shift_type@73+2(S64,U64,S32,U32) high@80(,HI)", "URd, URa, UB:u, UC:u",
     "guard=u"},
    {"09a/1' 4'", "75+", Opcode::USGXT, "wrap@75(,W) $u32", "URd, URa, UB:u", "guard=u"},
    {"89a'", "75+", Opcode::USGXT, "wrap@75(,W) $u32", "URd, URa, I", "guard=u"},
    {"09b/1' 4'", "75+", Opcode::UBMSK, "wrap@75(,W)", "URd, URa, UB:u", "guard=u"},
    {"89c", "75+", Opcode::UPLOP3, ".LUT", "UPd, UPq, UPs, UPr, UPt, i@64+3/72+5, i@16+8", "guard=u"},
    {"0a4/1' 2' 4'", "75+", Opcode::UIMAD, "$u32 extended@74(,-)", "URd, URa, UB:i, UC:-i",
     "guard=u 87+4=15 81+3=7"},
    {"0a4/1' 2' 4'", "75+", Opcode::UIMAD, "$u32 extended@74(-,X)", "URd, URa, UB:i, UC:~i, UPs",
     "guard=u 81+3=7"},
    {"0a5/1' 2' 4'", "75+", Opcode::UIMAD_WIDE, "$u32 extended@74(,-)", "URd:n2, ?UPd, URa, UB:i, UC:-in2",
     "guard=u 87+4=15"},
    {"0a5/1' 2' 4'", "75+", Opcode::UIMAD_WIDE, "$u32 extended@74(-,X)",
     "URd:n2, ?UPd, URa, UB:i, UC:~in2, UPs", "guard=u"},
    {"0a7/1' 2' 4'", "75+", Opcode::UIMAD_HI, "$u32 extended@74(,-)", "URd, ?UPd, URa, UB:i, UC:-in2",
     "guard=u 87+4=15"},
    {"0bd/1' 4'", "75+", Opcode::UFLO, "$u32 shift_count@74(,SH)", "URd, ?UPd, UB:~u", "guard=u"},
    {"0be/1' 4'", "75+", Opcode::UBREV, "", "URd, UB:u", "guard=u"},
    {"0bf/1' 4'", "75+", Opcode::UPOPC, "", "URd, UB:~u", "guard=u"},
    {"883'", "75+", Opcode::UP2UR, "byte_mask@76+2(,B1,B2,B3)", "URd, 'UPR', URa, I", "guard=u"},
    {"884'", "75+", Opcode::UR2UP, "", "'UPR', URa:y76, I", "guard=u"},
    {"ab9", "75+", Opcode::ULDC, "$width", "URd:w, flat:w", "guard=u"},
    {"abb'", "75+", Opcode::ULDC, "$width", "URd:w, indexedU:w", "guard=u"},
    {"8ab'", "75+", Opcode::ULEPC, "", "URd:n2", "guard=u"},
};

}  // namespace

std::span<const RowText> uniform_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
