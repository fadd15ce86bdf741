// Opcode table: branches, convergence, barriers and the end of a thread.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"947", "70-89", Opcode::BRA, "branch_kind@32+2(,-,DIV,CONV) other_0@85+2(,INC,DEC,-)", "?Ps, T@34+48"},
    {"947", "70-89", Opcode::BRA, "branch_kind@32+2(-,U,-,-) other_1@84(,ANY) other_0@85+2(,INC,DEC,-)",
     "?Ps, T@34+48"},
    {"947'", "70-89", Opcode::BRA, "branch_kind@32+2(-,U,-,-)", "UP@24:-27, T@34+48"},
    {"947'", "70-89", Opcode::BRA, "branch_kind@32+2(-,-,DIV,CONV)", "?Ps, URa:~30, T@34+48"},
    {"949", "70-89", Opcode::BRX, "other_0@85+2(,INC,DEC,-)", "?Ps, Ra:n2, _TR@34+48"},
    {"958'", "70-89", Opcode::BRXU, "other_0@85+2(,INC,DEC,-)", "?Ps, URa:n2, _TR@34+48"},
    {"944", "70-89", Opcode::CALL, ".REL no_inc@86(,NOINC)", "?Ps, T@34+48"},
    {"344", "70-89", Opcode::CALL, ".REL no_inc@86(,NOINC)", "?Ps, Ra:n2, _T@34+48"},
    {"950", "70-89", Opcode::RET, "absolute_target@85(REL,-) no_dec@86(,NODEC)", "?Ps, Ra:n2, _T@34+48"},
    {"947", "90", Opcode::BRA, "branch_kind@32+2(,-,DIV,CONV) other_0@85+2(,INC,DEC,-)", "?Ps, T@16+8/34+48"},
    {"947", "90", Opcode::BRA, "branch_kind@32+2(-,U,-,-) other_1@84(,ANY) other_0@85+2(,INC,DEC,-)",
     "?Ps, T@16+8/34+48"},
    {"947'", "90", Opcode::BRA, "branch_kind@32+2(-,U,-,-)", "UP@24:-27, T@16+8/34+48"},
    {"947'", "90", Opcode::BRA, "branch_kind@32+2(-,-,DIV,CONV)", "?Ps, URa:~30, T@16+8/34+48"},
    {"949", "90", Opcode::BRX, "other_0@85+2(,INC,DEC,-)", "?Ps, Ra:n2, _TR@16+8/34+48"},
    {"958'", "90", Opcode::BRXU, "other_0@85+2(,INC,DEC,-)", "?Ps, URa:n2, _TR@16+8/34+48"},
    {"944", "90", Opcode::CALL, ".REL no_inc@86(,NOINC)", "?Ps, T@16+8/34+48"},
    {"344", "90", Opcode::CALL, ".REL no_inc@86(,NOINC)", "?Ps, Ra:n2, _T@16+8/34+48"},
    {"950", "90", Opcode::RET, "absolute_target@85(REL,-) no_dec@86(,NODEC)", "?Ps, Ra:n2, _T@16+8/34+48"},
    {"950", "70+", Opcode::RET, "absolute_target@85(-,ABS) no_dec@86(,NODEC)", "?Ps, Ra:n2, _s@34+48:k2"},
    {"943", "70-89", Opcode::CALL, ".ABS no_inc@86(,NOINC)", "?Ps, i@34+48:k2"},
    {"943", "90", Opcode::CALL, ".ABS no_inc@86(,NOINC)", "?Ps, i@16+8/34+48:k2"},
    {"343", "70-89", Opcode::CALL, ".ABS no_inc@86(,NOINC)", "?Ps, Ra:n2, _?s@34+48:k2=0"},
    {"343", "90", Opcode::CALL, ".ABS no_inc@86(,NOINC)", "?Ps, Ra:n2, _?s@16+8/34+48:k2=0"},
    {"94a", "70-89", Opcode::JMP, "other_0@85+2(,INC,DEC,-)", "?Ps, i@34+48:k2"},
    {"94a", "90", Opcode::JMP, "other_0@85+2(,INC,DEC,-)", "?Ps, i@16+8/34+48:k2"},
    {"94c", "70-89", Opcode::JMX, "other_0@85+2(,INC,DEC,-)", "?Ps, Ra:n2, _s@34+48:k2"},
    {"94c", "90", Opcode::JMX, "other_0@85+2(,INC,DEC,-)", "?Ps, Ra:n2, _s@16+8/34+48:k2"},
    {"959'", "75-89", Opcode::JMXU, "other_0@85+2(,INC,DEC,-)", "?Ps, URa:n2, _s@34+48:k2"},
    {"959'", "90", Opcode::JMXU, "other_0@85+2(,INC,DEC,-)", "?Ps, URa:n2, _s@16+8/34+48:k2"},
    {"945", "70+", Opcode::BSSY, "", "?Ps, Bar:W, T@34+30"},
    {"941", "70+", Opcode::BSYNC, "", "?Ps, Bar"},
    {"942", "70+", Opcode::BREAK, "", "?Ps, Bar:X"},
    {"348", "70-89", Opcode::WARPSYNC, "other_0@85+2(,-,EXCLUSIVE,-)", "?Ps, Rb"},
    {"348", "90", Opcode::WARPSYNC, "other_0@85+2(,EXCLUSIVE,-,-)", "?Ps, Ra"},
    {"348", "90", Opcode::WARPSYNC, "other_0@85+2(-,-,COLLECTIVE,-)", "?Ps, Ra, T@16+8/34+48"},
    {"948", "70-89", Opcode::WARPSYNC, "other_0@85+2(,-,EXCLUSIVE,-)", "?Ps, I"},
    {"948", "90", Opcode::WARPSYNC, "other_0@85+2(,EXCLUSIVE,-,-) .ALL", "?Ps"},
    {"948", "90", Opcode::WARPSYNC, "other_0@85+2(-,-,COLLECTIVE,-) .ALL", "?Ps, T@16+8/34+48"},
    {"91b", "90", Opcode::ENDCOLLECTIVE, "", "?Ps"},
    {"946", "70+", Opcode::YIELD, "", "?Ps"},
    {"94d", "70+", Opcode::EXIT, "exit_kind@84+2(,KEEPREFCOUNT,PREEMPTED,-) no_atexit@86(,NO_ATEXIT)", "?Ps"},
    {"95b", "70+", Opcode::KILL, "", "?Ps"},
    {"95c", "70+", Opcode::BPT, "special@84+3(-,-,-,TRAP)", "i@34+5"},
    {"94f", "70+", Opcode::RTT, "", ""},
    {"95d", "70-89", Opcode::NANOSLEEP, "other_1@86(,RAND) other_0@85(,WARP)", "?Ps, I"},
    {"95d", "90", Opcode::NANOSLEEP, "other_0@84+2(,SYNCS,WARP,-) other_1@86(,RAND)", "?Ps, I"},
    {"b5d", "70-89", Opcode::NANOSLEEP, "other_1@86(,RAND) other_0@85(,WARP)", "?Ps, const"},
    {"35d", "70+", Opcode::NANOSLEEP, "other_0@84+2(,SYNCS,WARP,-) other_1@86(,RAND)", "?Ps, Rb"},
    {"34e", "70+", Opcode::LEPC, "", "Rd:n2"},
    {"94e", "70-89", Opcode::LEPC, "", "Rd:n2, T@24+48:k0"},
    {"94e", "90", Opcode::LEPC, "", "Rd:n2, T@24+48:k0"},
    {"355", "70+", Opcode::BMOV, ".32 clear@84(,CLEAR)", "Rd, state@24+6:R"},
    {"356", "70+", Opcode::BMOV, ".32 other_0@84(,PQUAD)", "state@24+6:W, Rb"},
    {"f55", "70+", Opcode::BMOV, ".32 clear@84(,CLEAR)", "Bar:W, state@24+6:R"},
    {"f56", "70+", Opcode::BMOV, ".32 other_0@84(,PQUAD)", "state@24+6:W, Bar"},

    // BAR: the barrier's number, then the count of threads; both registers are one and the same field.
    {"b1d", "70+", Opcode::BAR,
     "barrier_mode@77+3(SYNC,ARV,-,SCAN,SYNCALL,-,-,-) defer_blocking@80(,DEFER_BLOCKING)",
     "i@54+4, ?i@42+12=0"},
    {"b1d", "70+", Opcode::BAR,
     "barrier_mode@77+3(-,-,RED,-,-,-,-,-) barrier_reduce@74+2(POPC,AND,OR,-) "
     "defer_blocking@80(,DEFER_BLOCKING)",
     "i@54+4, ?i@42+12=0, Ps"},
    {"31d", "70+", Opcode::BAR,
     "barrier_mode@77+3(SYNC,ARV,-,SCAN,SYNCALL,-,-,-) defer_blocking@80(,DEFER_BLOCKING)", "Rb, Rb"},
    {"31d", "70+", Opcode::BAR,
     "barrier_mode@77+3(-,-,RED,-,-,-,-,-) barrier_reduce@74+2(POPC,AND,OR,-) "
     "defer_blocking@80(,DEFER_BLOCKING)",
     "Rb, Rb, Ps"},
    {"51d", "70+", Opcode::BAR,
     "barrier_mode@77+3(SYNC,ARV,-,SCAN,SYNCALL,-,-,-) defer_blocking@80(,DEFER_BLOCKING)", "Rb, ?i@42+12=0"},
    {"51d", "70+", Opcode::BAR,
     "barrier_mode@77+3(-,-,RED,-,-,-,-,-) barrier_reduce@74+2(POPC,AND,OR,-) "
     "defer_blocking@80(,DEFER_BLOCKING)",
     "Rb, ?i@42+12=0, Ps"},
    {"91d", "70+", Opcode::BAR,
     "barrier_mode@77+3(SYNC,ARV,-,SCAN,SYNCALL,-,-,-) defer_blocking@80(,DEFER_BLOCKING)", "i@54+4, Rb"},
    {"91d", "70+", Opcode::BAR,
     "barrier_mode@77+3(-,-,RED,-,-,-,-,-) barrier_reduce@74+2(POPC,AND,OR,-) "
     "defer_blocking@80(,DEFER_BLOCKING)",
     "i@54+4, Rb, Ps"},
    {"31c", "70+", Opcode::B2R, ".RESULT", "Rd, ?Pd", "78=1"},
    {"91a", "70+", Opcode::DEPBAR, "less_equal@47(-,LE)", "SB, i@38+6, ?set@32+6=0"},
    {"91a", "70+", Opcode::DEPBAR, "less_equal@47(,-)", "?set@32+6=0"},
    {"918", "70+", Opcode::NOP, "", ""},
    {"801", "70+", Opcode::PMTRIG, "", "I"},

    // Rare, known from probing alone.
    {"3c0", "70+", Opcode::GETLMEMBASE, "", "Rd:n2"},
    {"3c1", "70+", Opcode::SETLMEMBASE, "", "Ra:n2"},
    {"31f", "70+", Opcode::SETCTAID, "other_0@78+2(X,Y,-,-)", "Ra"},
    {"31e", "70+", Opcode::R2B, "", "i@54+4, Rb"},
    {"352", "70-89", Opcode::RPCMOV, ".32", "'Rpc.LO', Rb"},
};

}  // namespace

std::span<const RowText> control_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
