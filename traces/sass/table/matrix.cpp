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
    {"23c", "75-80", Opcode::HMMA,
     "shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-) satfinite@77(,SATFINITE)",
     "Rd:n4, Ra:-n2, Rb:-n1, Rc:n4"},
    {"23c", "80", Opcode::HMMA, "shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n2, Rb:-n1, Rc:n4"},
    {"23c", "86-90", Opcode::HMMA, "shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n2, Rb:-n1, Rc:n4, ?UP@87:-^=0"},
    {"23c", "75-80", Opcode::HMMA, "shape@75/78(1688,-,-,-) output_type@76(F16,-) satfinite@77(,SATFINITE)",
     "Rd:n2, Ra:-n2, Rb:-n1, Rc:n2"},
    {"23c", "80", Opcode::HMMA, "shape@75/78(1688,-,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n2, Rb:-n1, Rc:n2"},
    {"23c", "86-90", Opcode::HMMA, "shape@75/78(1688,-,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n2, Rb:-n1, Rc:n2, ?UP@87:-^=0"},
    {"23c", "80", Opcode::HMMA, "shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n4, Rb:-n2, Rc:n4"},
    {"23c", "86-90", Opcode::HMMA,
     "shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n4, Rb:-n2, Rc:n4, ?UP@87:-^=0"},
    {"23c", "80", Opcode::HMMA, "shape@75/78(-,16816,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n4, Rb:-n2, Rc:n2"},
    {"23c", "86-90", Opcode::HMMA, "shape@75/78(-,16816,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n4, Rb:-n2, Rc:n2, ?UP@87:-^=0"},
    {"23c", "80", Opcode::HMMA, "shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n4, Rb:-n2, Rc:n4"},
    {"23c", "86-90", Opcode::HMMA,
     "shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n4, Rb:-n2, Rc:n4, ?UP@87:-^=0"},
    {"23c", "80", Opcode::HMMA, "shape@75/78(-,-,1684,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n2, Rb:-n1, Rc:n4"},
    {"23c", "86-90", Opcode::HMMA,
     "shape@75/78(-,-,1684,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n2, Rb:-n1, Rc:n4, ?UP@87:-^=0"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, Re, i@48+2"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, ?UP@87:-^=0, Re, i@48+2"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "80", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n2, Rb:-n2, Rc:n2, Re, i@48+2"},
    {"23c", "86-90", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n2, Rb:-n2, Rc:n2, ?UP@87:-^=0, Re, i@48+2"},
    {"23c", "80", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n2, Rb:-n2, Rc:n2, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "86-90", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(F16,-)",
     "Rd:n2, Ra:-n2, Rb:-n2, Rc:n2, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, Re, i@48+2"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, ?UP@87:-^=0, Re, i@48+2"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(-,F32) input_type@82+2(,BF16,-,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "80", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(F16,-)",
     "Rd:n2, Ra:-n4, Rb:-n4, Rc:n2, Re, i@48+2"},
    {"23c", "86-90", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(F16,-)",
     "Rd:n2, Ra:-n4, Rb:-n4, Rc:n2, ?UP@87:-^=0, Re, i@48+2"},
    {"23c", "80", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(F16,-)",
     "Rd:n2, Ra:-n4, Rb:-n4, Rc:n2, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "86-90", Opcode::HMMA, "sparse@73(-,SP) shape@75/78(-,-,-,16832) output_type@76(F16,-)",
     "Rd:n2, Ra:-n4, Rb:-n4, Rc:n2, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, Re, i@48+2"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, ?UP@87:-^=0, Re, i@48+2"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(-,16816,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n4, Rb:-n4, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, Re, i@48+2"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, ?UP@87:-^=0, Re, i@48+2"},
    {"23c", "80", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, Re:p.reuse}, i@48+2", "50=1"},
    {"23c", "86-90", Opcode::HMMA,
     "sparse@73(-,SP) shape@75/78(1688,-,-,-) output_type@76(-,F32) input_type@82+2(-,-,TF32,-)",
     "Rd:n4, Ra:-n2, Rb:-n2, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "50=1"},
    {"23f", "80-89", Opcode::DMMA, ".884 $rnd", "Rd:n4, Ra:-|n2, Rb:-n2, Rc:-|n4"},
    {"23f", "90", Opcode::DMMA, "shape@76+2(8x8x4,-,-,-) $rnd",
     "Rd:n4, Ra:-|n2, Rb:-n2, Rc:-|n4, ?UP@87:-^=0"},
    {"23f", "90", Opcode::DMMA, "shape@76+2(-,16x8x4,-,-) $rnd",
     "Rd:n8, Ra:-|n4, Rb:-n2, Rc:-|n8, ?UP@87:-^=0"},
    {"23f", "90", Opcode::DMMA, "shape@76+2(-,-,16x8x8,-) $rnd",
     "Rd:n8, Ra:-|n8, Rb:-n4, Rc:-|n8, ?UP@87:-^=0"},
    {"23f", "90", Opcode::DMMA, "shape@76+2(-,-,-,16x8x16) $rnd",
     "Rd:n8, Ra:-|n16, Rb:-n8, Rc:-|n8, ?UP@87:-^=0"},
    {"237", "75-80", Opcode::IMMA,
     "shape@75/85+2(8816,-,-,-,-,-,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "shape@75/85+2(8816,-,-,-,-,-,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2, ?UP@87:-^=0", "74=1"},
    {"237", "90", Opcode::IMMA,
     "shape@75/85+2(8816,-,-,-,-,-,-,-) is_signed@76/83(U8,S8,-,-) is_signed_b@78/84(U8,S8,-,-) "
     "saturate@82(,SAT)",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2, ?UP@87:-^=0", "74=1"},
    {"237", "75-80", Opcode::IMMA,
     "shape@75/85+2(-,-,8832,-,-,-,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "shape@75/85+2(-,-,8832,-,-,-,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2, ?UP@87:-^=0", "74=1"},
    {"237", "80", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,16816,-,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n1p.COL}, Rc:n4", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,16816,-,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n1p.COL}, Rc:n4, ?UP@87:-^=0", "74=1"},
    {"237", "90", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,16816,-,-,-) is_signed@76/83(U8,S8,-,-) is_signed_b@78/84(U8,S8,-,-) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n1p.COL}, Rc:n4, ?UP@87:-^=0", "74=1"},
    {"237", "80", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0", "74=1"},
    {"237", "90", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,-,-) is_signed_b@78/84(U8,S8,-,-) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0", "74=1"},
    {"237", "80", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,U4,S4) is_signed_b@78/84(U8,S8,U4,S4) "
     "saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0", "74=1"},
    // What the compiler makes of m16n8k32; the shape below it, one bit away, nvdisasm prints as the same.
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, Re, i@48+2", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "90", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "90", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,16832,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,16832,-,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, Re, i@48+2", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,16832,-,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "90", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,16832,-,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,16832,-,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,16832,-,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "90", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,16832,-,-,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, Re, i@48+2", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "90", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "90", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(U8,S8,-,-) "
     "is_signed_b@78/84(U8,S8,-,-) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    // Of four bits; for sm_90 the compiler makes IMMA.SP.16864 of bytes of them.
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, Re, i@48+2", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,16864,-) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n2p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,-,168128) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, Re, i@48+2", "74=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,-,168128) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, ?UP@87:-^=0, Re, i@48+2", "74=1"},
    {"237", "80", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,-,168128) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"237", "86-89", Opcode::IMMA,
     "sparse@72(-,SP) shape@75/85+2(-,-,-,-,-,-,-,168128) is_signed@76/83(-,-,U4,S4) "
     "is_signed_b@78/84(-,-,U4,S4) saturate@82(,SAT)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n4p.COL}, Rc:n4, ?UP@87:-^=0, Re:p.reuse}, i@48+2", "74=1 50=1"},
    {"23d", "75-80", Opcode::BMMA, "shape@75+2(88128,-,-,-) other_0@77+2(XOR,-,AND,-) .POPC",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2", "74=1 80=1"},
    {"23d", "86-89", Opcode::BMMA, "shape@75+2(88128,-,-,-) other_0@77+2(XOR,-,AND,-) .POPC",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2, ?UP@87:-^=0", "74=1 80=1"},
    {"23d", "90", Opcode::BMMA, "shape@75+2(88128,-,-,-) other_0@77+2(-,-,AND,-) .POPC",
     "Rd:n2, Ra:n1p.ROW}, Rb:n1p.COL}, Rc:n2, ?UP@87:-^=0", "74=1 80=1"},
    {"23d", "80", Opcode::BMMA, "shape@75+2(-,168128,-,-) other_0@77+2(XOR,-,AND,-) .POPC",
     "Rd:n4, Ra:n2p.ROW}, Rb:n1p.COL}, Rc:n4", "74=1 80=1"},
    {"23d", "86-89", Opcode::BMMA, "shape@75+2(-,168128,-,-) other_0@77+2(XOR,-,AND,-) .POPC",
     "Rd:n4, Ra:n2p.ROW}, Rb:n1p.COL}, Rc:n4, ?UP@87:-^=0", "74=1 80=1"},
    {"23d", "90", Opcode::BMMA, "shape@75+2(-,168128,-,-) other_0@77+2(-,-,AND,-) .POPC",
     "Rd:n4, Ra:n2p.ROW}, Rb:n1p.COL}, Rc:n4, ?UP@87:-^=0", "74=1 80=1"},
    {"23d", "80", Opcode::BMMA, "shape@75+2(-,-,168256,-) other_0@77+2(XOR,-,AND,-) .POPC",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4", "74=1 80=1"},
    {"23d", "86-89", Opcode::BMMA, "shape@75+2(-,-,168256,-) other_0@77+2(XOR,-,AND,-) .POPC",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0", "74=1 80=1"},
    {"23d", "90", Opcode::BMMA, "shape@75+2(-,-,168256,-) other_0@77+2(-,-,AND,-) .POPC",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0", "74=1 80=1"},
    // Ada's 8-bit floats.
    {"27a", "89-89", Opcode::QMMA,
     ".16832 output_type@75(F16,F32) input_type@78(E4M3,E5M2) input_type_b@79(E4M3,E5M2)",
     "Rd:n4, Ra:n4p.ROW}, Rb:n2p.COL}, Rc:n4, ?UP@87:-^=0", "74=1 77=1"},
    {"23a", "75+", Opcode::MOVM, ".16 matrix_mode@78+2(MT88,M832,M864,-)", "Rd, Ra"},
};

}  // namespace

std::span<const RowText> matrix_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
