// Opcode table: what graphics pipelines alone use, known from probing.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"923", "75-89", Opcode::ISBERD, "other_0@76(,PATCH) other_1@79(,O)", "Rd, [r24 o40+8]"},
    {"920", "75-89", Opcode::AL2P, "other_0@79(,O) wide_64@74(,64)", "Rd, Ra, s@40+11"},
    {"925", "75-89", Opcode::PIXLD, "other_0@78+3(,COVMASK,CENTROID_OFFSET,-,INNER_COVERAGE,-,-,-)", "Rd",
     "81+3=7"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_1@74+2(,-,-,-)", "Rd:n1, i@40+10:qa[}p]}, ?Rb",
     "24+8=255"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_2@76(-,P) other_1@74+2(,-,-,-)",
     "Rd:n1, [r24 o40+11]:qa}", "32+8=255"},
    {"521'", "75+", Opcode::ALD, "other_0@79(,O) other_1@74+2(,-,-,-)", "Rd:n1, [u24 o40+11]:qa}, ?Rb"},
    {"322", "70+", Opcode::AST, "other_0@76(,P) other_1@74+2(,-,-,-)", "i@40+10:qa[}p]}, Rb:n1, ?Rc",
     "24+8=255"},
    {"322", "70+", Opcode::AST, "other_0@76(-,P) other_1@74+2(,-,-,-)", "[r24 o40+11]:qa}, Rb:n1",
     "64+8=255"},
    {"522'", "75+", Opcode::AST, "other_0@76(,P) other_1@74+2(,-,-,-)", "[u24 o40+11]:qa}, Rb:n1, ?Rc"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_1@74+2(-,64,-,-)", "Rd:n2, i@40+10:qa[}p]}, ?Rb",
     "24+8=255"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_2@76(-,P) other_1@74+2(-,64,-,-)",
     "Rd:n2, [r24 o40+11]:qa}", "32+8=255"},
    {"521'", "75+", Opcode::ALD, "other_0@79(,O) other_1@74+2(-,64,-,-)", "Rd:n2, [u24 o40+11]:qa}, ?Rb"},
    {"322", "70+", Opcode::AST, "other_0@76(,P) other_1@74+2(-,64,-,-)", "i@40+10:qa[}p]}, Rb:n2, ?Rc",
     "24+8=255"},
    {"322", "70+", Opcode::AST, "other_0@76(-,P) other_1@74+2(-,64,-,-)", "[r24 o40+11]:qa}, Rb:n2",
     "64+8=255"},
    {"522'", "75+", Opcode::AST, "other_0@76(,P) other_1@74+2(-,64,-,-)", "[u24 o40+11]:qa}, Rb:n2, ?Rc"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_1@74+2(-,-,96,-)", "Rd:n3, i@40+10:qa[}p]}, ?Rb",
     "24+8=255"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_2@76(-,P) other_1@74+2(-,-,96,-)",
     "Rd:n3, [r24 o40+11]:qa}", "32+8=255"},
    {"521'", "75+", Opcode::ALD, "other_0@79(,O) other_1@74+2(-,-,96,-)", "Rd:n3, [u24 o40+11]:qa}, ?Rb"},
    {"322", "70+", Opcode::AST, "other_0@76(,P) other_1@74+2(-,-,96,-)", "i@40+10:qa[}p]}, Rb:n3, ?Rc",
     "24+8=255"},
    {"322", "70+", Opcode::AST, "other_0@76(-,P) other_1@74+2(-,-,96,-)", "[r24 o40+11]:qa}, Rb:n3",
     "64+8=255"},
    {"522'", "75+", Opcode::AST, "other_0@76(,P) other_1@74+2(-,-,96,-)", "[u24 o40+11]:qa}, Rb:n3, ?Rc"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_1@74+2(-,-,-,128)", "Rd:n4, i@40+10:qa[}p]}, ?Rb",
     "24+8=255"},
    {"321", "70+", Opcode::ALD, "other_0@79(,O) other_2@76(-,P) other_1@74+2(-,-,-,128)",
     "Rd:n4, [r24 o40+11]:qa}", "32+8=255"},
    {"521'", "75+", Opcode::ALD, "other_0@79(,O) other_1@74+2(-,-,-,128)", "Rd:n4, [u24 o40+11]:qa}, ?Rb"},
    {"322", "70+", Opcode::AST, "other_0@76(,P) other_1@74+2(-,-,-,128)", "i@40+10:qa[}p]}, Rb:n4, ?Rc",
     "24+8=255"},
    {"322", "70+", Opcode::AST, "other_0@76(-,P) other_1@74+2(-,-,-,128)", "[r24 o40+11]:qa}, Rb:n4",
     "64+8=255"},
    {"522'", "75+", Opcode::AST, "other_0@76(,P) other_1@74+2(-,-,-,128)", "[u24 o40+11]:qa}, Rb:n4, ?Rc"},
    {"326", "70+", Opcode::IPA, "other_0@78+2(PASS,CONSTANT,STATE,-) other_1@76+2(,CENTROID,-,-)",
     "Rd, ?Pd, i@64+8:k2qa[}p]}"},
    {"326", "70+", Opcode::IPA, "other_0@78+2(PASS,CONSTANT,STATE,-) other_1@76+2(-,-,OFFSET,-)",
     "Rd, ?Pd, i@64+8:k2qa[}p]}, Rb"},
    {"526'", "75+", Opcode::IPA, "other_0@78+2(PASS,CONSTANT,STATE,-) other_1@76+2(,CENTROID,-,-)",
     "Rd, ?Pd, [u24 a64+8]:qa}"},
    {"526'", "75+", Opcode::IPA, "other_0@78+2(PASS,CONSTANT,STATE,-) other_1@76+2(-,-,OFFSET,-)",
     "Rd, ?Pd, [u24 a64+8]:qa}, Rb"},
    {"926", "86+", Opcode::IPA, "other_0@78+2(PASS,CONSTANT,STATE,-) other_1@76+2(-,-,OFFSET,-)",
     "Rd, ?Pd, i@64+8:k2qa[}p]}, I"},
    {"324", "70+", Opcode::OUT, "other_0@78+2(FINAL,-,-,-)", "Ra", "16+8=255 32+8=255"},
    {"324", "70+", Opcode::OUT, "other_0@78+2(-,EMIT,-,EMIT_THEN_CUT)", "Rd, Ra, Rb"},
    {"324", "70+", Opcode::OUT, "other_0@78+2(-,-,CUT,-)", "Rd, Ra, Rb", "32+8=255"},
    {"924", "70+", Opcode::OUT, "other_0@78+2(-,EMIT,-,EMIT_THEN_CUT)", "Rd, Ra, I:i"},
    {"d24'", "75+", Opcode::OUT, "other_0@78+2(-,EMIT,-,EMIT_THEN_CUT)", "Rd, Ra, URb"},
    {"80d", "70+", Opcode::CSMTEST,
     "other_0@62+2(-,R,A,RA) other_1@76+3(F,CSM_TA,CSM_TR,CSM_MX,T,FCSM_TA,FCSM_TR,FCSM_MX) $bool",
     "Pd, Pq, i@32+28, Ps"},
    {"927", "75+", Opcode::ISBEWR,
     "other_3@79(-,O) other_0@76+2(,-,-,ATTR) other_1@78(,SKEW) other_2@74+2(,U16,32,-)", "[r24], Rb"},
    {"3ad'", "75+", Opcode::LDTRAM, "other_0@72(AB,C)", "Rd, [u24 h a64+8]:qa}"},
};

}  // namespace

std::span<const RowText> graphics_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
