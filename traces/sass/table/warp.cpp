// Opcode table: predicates, votes, shuffles and special registers.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"81c", "70+", Opcode::PLOP3, ".LUT", "Pd, Pq, Ps, Pr, Pt, i@64+3/72+5, i@16+8"},
    {"81c", "75+", Opcode::PLOP3, ".LUT", "Pd, Pq, Ps, Pr, UPt, i@64+3/72+5, i@16+8", "67=1"},
    // The sign bits of three registers in place of predicates.
    {"21f", "70+", Opcode::PLOP3, ".LUT", "Pd, Pq, Ra:p.SIGN}, Rb:p.SIGN}, Rc:p.SIGN}, i@72+8, i@16+8"},
    {"803", "70-89", Opcode::P2R, "byte_mask@76+2(,B1,B2,B3)", "Rd, 'PR', Ra, I:i"},
    {"803", "90", Opcode::P2R, "byte_mask@76+2(,B1,B2,B3)", "Rd, 'PR', Ra, I"},
    {"003/1 5 5' 6'", "70+", Opcode::P2R, "byte_mask@76+2(,B1,B2,B3)", "Rd, 'PR', Ra, B"},
    {"804", "70+", Opcode::R2P, "", "'PR', Ra:y76, ?I=255"},
    {"004/1 5 5' 6'", "70+", Opcode::R2P, "", "'PR', Ra:y76, B"},
    {"806", "70+", Opcode::VOTE, "vote_mode@72+2(ALL,ANY,EQ,-)", "?Rd, Pd, Ps"},
    {"886", "75+", Opcode::VOTEU, "vote_mode@72+2(ALL,ANY,EQ,-)", "?URd, UPd, Ps"},
    {"3a1", "70+", Opcode::MATCH, "match_any@79(-,ANY) wide_64@73(,-)", "Rd, Ra", "81+3=7"},
    {"3a1", "70+", Opcode::MATCH, "match_any@79(-,ANY) wide_64@73(-,U64)", "Rd, Ra:n2", "81+3=7"},
    {"3a1", "70+", Opcode::MATCH, "match_any@79(ALL,-) wide_64@73(,-)", "Pd, Rd, Ra"},
    {"3a1", "70+", Opcode::MATCH, "match_any@79(ALL,-) wide_64@73(-,U64)", "Pd, Rd, Ra:n2"},
    {"389", "70+", Opcode::SHFL, "shuffle_mode@58+2(IDX,UP,DOWN,BFLY)", "Pd, Rd, Ra:N, Rb:N, Rc:N"},
    {"589", "70+", Opcode::SHFL, "shuffle_mode@58+2(IDX,UP,DOWN,BFLY)", "Pd, Rd, Ra:N, Rb:N, i@40+13"},
    {"989", "70+", Opcode::SHFL, "shuffle_mode@58+2(IDX,UP,DOWN,BFLY)", "Pd, Rd, Ra:N, i@53+5, Rc:N"},
    {"f89", "70+", Opcode::SHFL, "shuffle_mode@58+2(IDX,UP,DOWN,BFLY)", "Pd, Rd, Ra:N, i@53+5, i@40+13"},
    {"3c4", "80+", Opcode::REDUX, "reduce_op@78+3(,OR,XOR,SUM,MIN,MAX,-,-) is_signed@73(,S32)", "URd, Ra"},
    {"919", "70+", Opcode::S2R, "", "Rd, SR"},
    {"9c3", "75+", Opcode::S2UR, "", "URd, SR", "guard=u"},
    {"805", "70+", Opcode::CS2R, "wide_64@80(32,-)", "Rd, SR"},
    {"805", "70+", Opcode::CS2R, "wide_64@80(-,)", "Rd:n2, SR"},
    {"3c2", "75-89", Opcode::R2UR, "other_0@84(,-)", "?Pd, URd, Ra"},
    {"3c2", "75-89", Opcode::R2UR, "other_0@84(-,OR)", "Pd, URd, Ra"},
    {"2ca", "90", Opcode::R2UR, "other_0@84(,-)", "?Pd, URd, Ra"},
    {"2ca", "90", Opcode::R2UR, "other_0@84(-,OR)", "Pd, URd, Ra"},
    {"82f", "90", Opcode::ELECT, "other_0@85(,IGNOREKILL)", "Pd, URd, Ps"},
    {"82f'", "90", Opcode::ELECT, "other_0@85(,IGNOREKILL)", "Pd, URd, URa:~72"},
    {"82d", "90", Opcode::PREEXIT, "", ""},
    {"82e", "90", Opcode::ACQBULK, "", ""},
};

}  // namespace

std::span<const RowText> warp_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
