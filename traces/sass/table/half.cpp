// Opcode table: packed half precision and bfloat16 arithmetic.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    // HADD2 and its kin: bit 85 selects bfloat16.
    {"030/1 2 3 3' 7'", "70+", Opcode::HADD2, "accumulate_f32@78(,F32) $ftz $sat", "Rd, Ra:-|z, E:-|zh"},
    {"030/1 2 3 3' 7'", "90", Opcode::HADD2, "bf16@85(-,BF16_V2) $ftz $sat", "Rd, Ra:-|z, E:-|zb"},
    // Hopper has a name for both bits together.
    {"031/1 2 3 3' 4 5 5' 6' 7'", "90", Opcode::HFMA2,
     "accumulate_f32@78(,F32) fmz@76(-,OOB) ftz@80(-,) $sat", "Rd, Ra:-|z, B:-|Yh, C:-|zh"},
    {"031/1 2 3 3' 4 5 5' 6' 7'", "90", Opcode::HFMA2,
     "accumulate_f32@78(,F32) fmz@76(-,OOB) ftz@80(-,) relu@79(-,RELU) $sat",
     "Rd, Ra:-|z, B:-|Yh, C:-|zh, ?Ps"},
    {"031/1 2 3 3' 4 5 5' 6' 7'", "90", Opcode::HFMA2, "bf16@85(-,BF16_V2) fmz@76(-,OOB) ftz@80(-,) $sat",
     "Rd, Ra:-|z, B:-|Yb, C:-|zb"},
    {"031/1 2 3 3' 4 5 5' 6' 7'", "90", Opcode::HFMA2,
     "bf16@85(-,BF16_V2) fmz@76(-,OOB) ftz@80(-,) relu@79(-,RELU) $sat", "Rd, Ra:-|z, B:-|Yb, C:-|zb, ?Ps"},
    {"031/1 2 3 3' 4 5 5' 6' 7'", "70+", Opcode::HFMA2, "accumulate_f32@78(,F32) $fmz $ftz $sat",
     "Rd, Ra:-|z, B:-|Yh, C:-|zh"},
    {"031/1 2 3 3' 4 5 5' 6' 7'", "80+", Opcode::HFMA2,
     "accumulate_f32@78(,F32) $fmz $ftz relu@79(-,RELU) $sat", "Rd, Ra:-|z, B:-|Yh, C:-|zh, ?Ps"},
    {"031/1 2 3 3' 4 5 5' 6' 7'", "80+", Opcode::HFMA2, "bf16@85(-,BF16_V2) $fmz $ftz $sat",
     "Rd, Ra:-|z, B:-|Yb, C:-|zb"},
    {"031/1 2 3 3' 4 5 5' 6' 7'", "80+", Opcode::HFMA2, "bf16@85(-,BF16_V2) $fmz $ftz relu@79(-,RELU) $sat",
     "Rd, Ra:-|z, B:-|Yb, C:-|zb, ?Ps"},
    {"231", "80+", Opcode::HFMA2, "$fmz $ftz $sat", "Rd, Ra:-|z, Rb:-|p.H0_NH1}, Rc:-84|83z", "86=1"},
    {"231", "80+", Opcode::HFMA2, "$fmz $ftz relu@79(-,RELU) $sat",
     "Rd, Ra:-|z, Rb:-|p.H0_NH1}, Rc:-84|83z, ?Ps", "86=1"},
    {"231", "80+", Opcode::HFMA2, "bf16@85(-,BF16_V2) $fmz $ftz $sat",
     "Rd, Ra:-|z, Rb:-|p.H0_NH1}, Rc:-84|83z", "86=1"},
    {"231", "80+", Opcode::HFMA2, "bf16@85(-,BF16_V2) $fmz $ftz relu@79(-,RELU) $sat",
     "Rd, Ra:-|z, Rb:-|p.H0_NH1}, Rc:-84|83z, ?Ps", "86=1"},
    {"032/1 4 5 5' 6'", "70+", Opcode::HMUL2, "accumulate_f32@78(,F32) $fmz $ftz $sat", "Rd, Ra:-|z, B:-|zh"},
    {"032/1 4 5 5' 6'", "80+", Opcode::HMUL2, "bf16@85(-,BF16_V2) $fmz $ftz $sat", "Rd, Ra:-|z, B:-|zb"},
    {"033/1 2 3 3' 7'", "70+", Opcode::HSET2, "bool_float@71(,BF) $fcmp $ftz combine@69+2(AND,OR,XOR,-)",
     "Rd, Ra:-|z, E:-|zh, Ps"},
    {"033/1 2 3 3' 7'", "90", Opcode::HSET2,
     "bf16@65(-,BF16_V2) bool_float@71(,BF) $fcmp $ftz combine@69+2(AND,OR,XOR,-)", "Rd, Ra:-|z, E:-|zb, Ps"},
    {"034/1 2 3 3' 7'", "70+", Opcode::HSETP2, "$fcmp $ftz combine@69+2(AND,OR,XOR,-)",
     "Pd, Pq, Ra:-|z, E:-|zh, Ps"},
    {"034/1 2 3 3' 7'", "90", Opcode::HSETP2, "bf16@65(-,BF16_V2) $fcmp $ftz combine@69+2(AND,OR,XOR,-)",
     "Pd, Pq, Ra:-|z, E:-|zb, Ps"},
    {"035/1 2 3 3' 4 5 5' 6' 7'", "80-90", Opcode::HFMA2_MMA, "$fmz $ftz $sat", "Rd, Ra:-|, B:-|Zh, C:-|Zh"},
    {"035/1 2 3 3' 4 5 5' 6' 7'", "80-90", Opcode::HFMA2_MMA, "$fmz $ftz relu@79(-,RELU) $sat",
     "Rd, Ra:-|, B:-|Zh, C:-|Zh, ?Ps"},
    {"035/1 2 3 3' 4 5 5' 6' 7'", "90", Opcode::HFMA2_MMA, "bf16@85(-,BF16_V2) $fmz $ftz $sat",
     "Rd, Ra:-|, B:-|Zb, C:-|Zb"},
    {"035/1 2 3 3' 4 5 5' 6' 7'", "90", Opcode::HFMA2_MMA,
     "bf16@85(-,BF16_V2) $fmz $ftz relu@79(-,RELU) $sat", "Rd, Ra:-|, B:-|Zb, C:-|Zb, ?Ps"},
    {"040/1 4 5 5' 6'", "86+", Opcode::HMNMX2, "$ftz nan_propagate@81(,NAN) other_0@82(,XORSIGN)",
     "Rd, Ra:-|z, B:-|zh, Ps"},
    {"040/1 4 5 5' 6'", "80", Opcode::HMNMX2, "$ftz nan_propagate@81(,NAN)", "Rd, Ra:-|z, B:-|zh, Ps"},
    {"040/1 4 5 5' 6'", "86+", Opcode::HMNMX2,
     "bf16@85(-,BF16_V2) $ftz nan_propagate@81(,NAN) other_0@82(,XORSIGN)", "Rd, Ra:-|z, B:-|zb, Ps"},
    {"040/1 4 5 5' 6'", "80", Opcode::HMNMX2, "bf16@85(-,BF16_V2) $ftz nan_propagate@81(,NAN)",
     "Rd, Ra:-|z, B:-|zb, Ps"},
    {"047/1 4 5 5' 6'", "90", Opcode::VHMNMX, "$ftz nan_propagate@81(,NAN) other_0@82(,XORSIGN)",
     "Rd, Ra:-|z, B:-|zh, Rc:-84|83z76, Ps"},
    {"047/1 4 5 5' 6'", "90", Opcode::VHMNMX,
     "bf16@85(-,BF16_V2) $ftz nan_propagate@81(,NAN) other_0@82(,XORSIGN)",
     "Rd, Ra:-|z, B:-|zb, Rc:-84|83z76, Ps"},
};

}  // namespace

std::span<const RowText> half_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
