// Opcode table: integer arithmetic, logic, shifts, comparisons and moves.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"002/1 4 5 5' 6'", "70+", Opcode::MOV, "", "Rd, B:u, ?i@72+4=15"},
    {"007/1 4 5 5' 6'", "70+", Opcode::SEL, "", "Rd, Ra, B:u, Ps"},

    // IADD3: the plain form has no carry-in; its carry-in fields hold !PT.
    {"010/1 4 5 5' 6'", "70+", Opcode::IADD3, "extended@74(,-)", "Rd, ?Pd, ?Pq, Ra:-, B:-i, Rc:-",
     "87+4=15 77+4=15"},
    {"010/1 4 5 5' 6'", "70+", Opcode::IADD3, "extended@74(-,X)", "Rd, ?Pd, ?Pq, Ra:~, B:~i, Rc:~, Ps, Pr"},

    {"011/1 4 5 5' 6'", "70+", Opcode::LEA, "high@80(,-) extended@74(,-)", "Rd, ?Pd, Ra:-, B:-u, i@75+5",
     "87+4=15 64+8=255"},
    {"011/1 4 5 5' 6'", "70+", Opcode::LEA, "high@80(,-) extended@74(-,X)", "Rd, ?Pd, Ra:~, B:~u, i@75+5, Ps",
     "64+8=255"},
    {"011/1 4 5 5' 6'", "70+", Opcode::LEA, "high@80(-,HI) extended@74(,-) sign_extend_32@73(,-)",
     "Rd, ?Pd, Ra:-, B:-u, C:u, i@75+5", "87+4=15"},
    {"011/1 4 5 5' 6'", "70+", Opcode::LEA, "high@80(-,HI) extended@74(-,X) sign_extend_32@73(,-)",
     "Rd, ?Pd, Ra:~, B:~u, C:u, i@75+5, Ps"},
    // With the second register at [64:72) its negation has no bit: the shift is there.
    {"011/2 3 3' 7'", "70+", Opcode::LEA, "high@80(-,HI) extended@74(,-) sign_extend_32@73(,-)",
     "Rd, ?Pd, Ra:-, B:u, C:u, i@75+5", "87+4=15"},
    {"011/2 3 3' 7'", "70+", Opcode::LEA, "high@80(-,HI) extended@74(-,X) sign_extend_32@73(,-)",
     "Rd, ?Pd, Ra:~, B:u, C:u, i@75+5, Ps"},
    {"011/1 4 5 5' 6'", "70+", Opcode::LEA, "high@80(-,HI) extended@74(,-) sign_extend_32@73(-,SX32)",
     "Rd, ?Pd, Ra:-, B:-u, i@75+5", "87+4=15 64+8=255"},
    {"011/1 4 5 5' 6'", "70+", Opcode::LEA, "high@80(-,HI) extended@74(-,X) sign_extend_32@73(-,SX32)",
     "Rd, ?Pd, Ra:~, B:~u, i@75+5, Ps", "64+8=255"},

    {"012/1 4 5 5' 6'", "70+", Opcode::LOP3, ".LUT pand@80(,PAND)", "?Pd, Rd, Ra, B:u, Rc, i@72+8, Ps"},
    {"013/1 4 5 5' 6'", "70+", Opcode::IABS, "", "Rd, B:i"},
    {"014/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::VABSDIFF, "$u32", "Rd, ?Pd, Ra, B:u, C:u"},
    {"015/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::VABSDIFF4, "is_signed@73(U8,) other_0@75(,ACC)",
     "Rd, ?Pd, Ra, B:u, C:u"},
    {"016/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::PRMT, "prmt_mode@72+3(,F4E,B4E,RC8,ECL,ECR,RC16,-)",
     "Rd, Ra, B:u, C:u"},
    {"017/1 4 5 5' 6'", "70-89", Opcode::IMNMX, "$u32", "Rd, Ra, B:i, Ps"},
    {"019/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::SHF,
     "shift_right@76(L,R) wrap@75(,W) shift_type@73+2(S64,U64,S32,U32) high@80(,HI)", "Rd, Ra, B:u, C:u"},
    {"01a/1 4 5 5' 6'", "70+", Opcode::SGXT, "wrap@75(,W) $u32", "Rd, Ra, B:u"},
    {"01b/1 4 5 5' 6'", "70+", Opcode::BMSK, "wrap@75(,W)", "Rd, Ra, B:u"},

    {"024/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::IMAD, "$u32 extended@74(,-)", "Rd, Ra, B:i, C:-i",
     "87+4=15 81+3=7"},
    {"024/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::IMAD, "$u32 extended@74(-,X)", "Rd, Ra, B:i, C:~i, Ps",
     "81+3=7"},
    {"025/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::IMAD_WIDE, "$u32 extended@74(,-)",
     "Rd:n2, ?Pd, Ra, B:i, C:-in2", "87+4=15"},
    {"025/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::IMAD_WIDE, "$u32 extended@74(-,X)",
     "Rd:n2, ?Pd, Ra, B:i, C:~in2, Ps"},
    {"027/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::IMAD_HI, "$u32 extended@74(,-)", "Rd, ?Pd, Ra, B:i, C:-in2",
     "87+4=15"},
    {"027/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::IMAD_HI, "$u32 extended@74(-,X)",
     "Rd, ?Pd, Ra, B:i, C:~in2, Ps"},
    {"026/1 4 5 5' 6'", "75+", Opcode::IDP,
     "dot_mode@76/77(4A,-,-,-) is_signed@73(U8,S8) is_signed_b@74(U8,S8)", "Rd, Ra, B:u, Rc:-"},
    {"026/1 4 5 5' 6'", "70", Opcode::IDP,
     "dot_mode@76/77(4A,-,-,-) is_signed@73(U8,S8) is_signed_b@74(U8,S8)", "Rd, Ra, B:u, Rc"},
    {"026/1 4 5 5' 6'", "75+", Opcode::IDP,
     "dot_mode@76/77(-,2A.LO,-,2A.HI) is_signed@73(U16,S16) is_signed_b@74(U8,S8)", "Rd, Ra, B:u, Rc:-"},
    {"026/1 4 5 5' 6'", "70", Opcode::IDP,
     "dot_mode@76/77(-,2A.LO,-,2A.HI) is_signed@73(U16,S16) is_signed_b@74(U8,S8)", "Rd, Ra, B:u, Rc"},

    {"00c/1 4 5 5' 6'", "70-75", Opcode::ISETP, "$icmp $u32 $bool extended_compare@72(,-)",
     "Pd, Pq, Ra, B:i, Ps, ?Pt"},
    {"00c/1 4 5 5' 6'", "80+", Opcode::ISETP, "$icmp $u32 $bool extended_compare@72(,-)",
     "Pd, Pq, Ra, B:i, Ps", "68+4=7"},
    {"00c/1 4 5 5' 6'", "80+", Opcode::ISETP, "$icmp $u32 $bool extended_compare@72(,-)",
     "Pd, Pq, Ra, B:i, Ps", "68+4=0"},
    {"00c/1 4 5 5' 6'", "70-75", Opcode::ISETP, "$icmp $u32 $bool extended_compare@72(-,EX)",
     "Pd, Pq, Ra, B:i, Ps, ?Pt"},

    {"00c/1 4 5 5' 6'", "80+", Opcode::ISETP, "$icmp $u32 $bool extended_compare@72(-,EX)",
     "Pd, Pq, Ra, B:i, Ps, Pt"},

    // nvdisasm prints the V instructions from CUDA 12 on.
    {"036/1 4 5 5' 6'", "90", Opcode::VIADD, "packed_16@73(,16x2)", "Rd, Ra, B:-u"},
    {"048/1 4 5 5' 6'", "90", Opcode::VIMNMX, "is_signed@72/73(U32,,U16x2,S16x2) relu@76(,RELU)",
     "Rd, ?Pd, ?Pq, Ra, B:i, Ps"},
    {"046/1 2 3 3' 4 5 5' 6' 7'", "90", Opcode::VIADDMNMX, "is_signed@72/73(U32,,U16x2,S16x2) relu@76(,RELU)",
     "Rd, Ra, B:-u, C:u, Ps"},

    {"00f/1 4 5 5' 6'", "90", Opcode::VIMNMX3, "is_signed@72/73(U32,,U16x2,S16x2) relu@76(,RELU)",
     "Rd, Ra, B:u, Rc, Ps"},

    {"100/1 4 5 5' 6'", "70+", Opcode::FLO, "$u32 shift_count@74(,SH)", "Rd, ?Pd, B:~"},
    {"101/1 4 5 5' 6'", "70+", Opcode::BREV, "", "Rd, B"},
    {"109/1 4 5 5' 6'", "70+", Opcode::POPC, "", "Rd, B:~"},
};

}  // namespace

std::span<const RowText> integer_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
