// Opcode table: matrix instructions of the tensor cores.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    // Volta: four steps of an 8x8x4 product by quad pairs; .ROW and .COL are how the fragments lie.
    {"236", "70-75", Opcode::HMMA,
     "shape@75(884,-) output_type@76(F16,F32) input_type@78(F16,F32) step@79+2(STEP0,STEP1,STEP2,STEP3) "
     "satfinite@77(,SATFINITE) transpose_a@73(,-) transpose_b@74(,-)",
     "Rd:n2, Ra:n2p.ROW}, Rb:n2p.ROW}, Rc:n2"},
    {"236", "70-75", Opcode::HMMA,
     "shape@75(884,-) output_type@76(F16,F32) input_type@78(F16,F32) step@79+2(STEP0,STEP1,STEP2,STEP3) "
     "satfinite@77(,SATFINITE) transpose_a@73(,-) transpose_b@74(-,)",
     "Rd:n2, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n2"},
    {"236", "70-75", Opcode::HMMA,
     "shape@75(884,-) output_type@76(F16,F32) input_type@78(F16,F32) step@79+2(STEP0,STEP1,STEP2,STEP3) "
     "satfinite@77(,SATFINITE) transpose_a@73(-,) transpose_b@74(,-)",
     "Rd:n2, Ra:n2p.COL}, Rb:n2p.ROW}, Rc:n2"},
    {"236", "70-75", Opcode::HMMA,
     "shape@75(884,-) output_type@76(F16,F32) input_type@78(F16,F32) step@79+2(STEP0,STEP1,STEP2,STEP3) "
     "satfinite@77(,SATFINITE) transpose_a@73(-,) transpose_b@74(-,)",
     "Rd:n2, Ra:n2p.COL}, Rb:n2p.COL}, Rc:n2"},
    {"23c", "75+", Opcode::HMMA,
     "shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-) satfinite@77(,SATFINITE)",
     "Rd:n4, Ra:-n2, Rb:-n1, Rc:n4"},
    {"23c", "75+", Opcode::HMMA, "shape@75/78(1688,-,-,-) output_type@76(F16,-) satfinite@77(,SATFINITE)",
     "Rd:n2, Ra:-n2, Rb:-n1, Rc:n2"},
    {"23c", "80+", Opcode::HMMA,
     "shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-) satfinite@77(,SATFINITE)",
     "Rd:n4, Ra:-n4, Rb:-n2, Rc:n4"},
    {"23c", "80+", Opcode::HMMA, "shape@75/78(-,16816,-,-) output_type@76(F16,-) satfinite@77(,SATFINITE)",
     "Rd:n2, Ra:-n4, Rb:-n2, Rc:n2"},
    {"23c", "80+", Opcode::HMMA,
     "shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-) satfinite@77(,SATFINITE)",
     "Rd:n4, Ra:-n4, Rb:-n2, Rc:n4"},
    {"23c", "80+", Opcode::HMMA,
     "shape@75/78(-,-,1684,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-) satfinite@77(,SATFINITE)",
     "Rd:n4, Ra:-n2, Rb:-n1, Rc:n4"},
    {"23f", "80-89", Opcode::DMMA, ".884 $rnd", "Rd:n4, Ra:-n2, Rb:-n2, Rc:-n4"},
    {"23f", "90", Opcode::DMMA, ".8x8x4 $rnd", "Rd:n4, Ra:-n2, Rb:-n2, Rc:-n4"},
    {"237", "75+", Opcode::IMMA,
     "shape@75/86(8816,-,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) saturate@82(,SAT)",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2", "74=1"},
    {"237", "75+", Opcode::IMMA,
     "shape@75/86(-,8832,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) saturate@82(,SAT)",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2", "74=1"},
    {"237", "80+", Opcode::IMMA,
     "shape@75/86(-,-,16816,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n1p.COL}, Rc:n4", "74=1"},
    {"237", "80+", Opcode::IMMA,
     "shape@75/86(-,-,-,16832) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4", "74=1"},
    {"23a", "75+", Opcode::MOVM, ".16 .MT88", "Rd, Ra", "78=1"},
};

}  // namespace

std::span<const RowText> matrix_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
