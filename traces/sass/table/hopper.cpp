// Opcode table: Hopper's warpgroup matrix, bulk copy, cluster and barrier instructions.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    // HGMMA says behind its descriptors what is negated and what lies transposed: a row for each way.
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.tnspA}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.tnspA.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negB.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negB.tnspA}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negB.tnspA.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.tnspA}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.tnspA.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(,-) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB.tnspA}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_a@61(-,) "
     "transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB.tnspA.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"df0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_b@62(,-)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"df0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_b@62(-,)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"df0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_b@62(,-)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"df0'", "90", Opcode::HGMMA,
     "shape@53+6($hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) transpose_b@62(-,)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.negB.tnspB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f1'", "90", Opcode::IGMMA,
     "shape@53+6($igmma) input_type@76+2(U8,S8,-,-) input_type_b@82+2(U8,S8,-,-) saturate@75(,SAT)",
     "Rd:g, gdesc@24:qgdesc[}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f3'", "90", Opcode::QGMMA,
     "shape@53+6($qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2)  input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f3'", "90", Opcode::QGMMA,
     "shape@53+6($qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2)  input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f3'", "90", Opcode::QGMMA,
     "shape@53+6($qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2)  input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}p.negA}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f3'", "90", Opcode::QGMMA,
     "shape@53+6($qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2)  input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"df1'", "90", Opcode::IGMMA,
     "shape@53+6($igmma) input_type@76+2(U8,S8,-,-) input_type_b@82+2(U8,S8,-,-) saturate@75(,SAT)",
     "Rd:g, Ra:n4, gdesc@32:qgdesc[}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"df3'", "90", Opcode::QGMMA,
     "shape@53+6($qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2)  input_type_b@77(E4M3,E5M2)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"df3'", "90", Opcode::QGMMA,
     "shape@53+6($qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2)  input_type_b@77(E4M3,E5M2)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    // Sparse ones: A has half of its elements, and Re says which.
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.tnspA}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.tnspA.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negB.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negB.tnspA}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negB.tnspA.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.tnspA}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.tnspA.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(,-) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(,-)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB.tnspA}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"9f0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_a@61(-,) transpose_b@62(-,)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB.tnspA.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1"},
    {"df0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_b@62(,-)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"df0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_b@62(-,)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7"},
    {"df0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_b@62(,-)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"df0'", "90", Opcode::HGMMA,
     "sparse@73(-,SP) shape@53+7($sparse_hgmma) output_type@75(F16,F32) input_type@76+2(,BF16,TF32,-) "
     "transpose_b@62(-,)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.negB.tnspB}, Rc:g, ?UPs:^=0, Re, i@48+2, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1"},
    {"9f1'", "90", Opcode::IGMMA,
     ".SP shape@53+6($sparse_igmma) input_type@76+2(U8,S8,-,-) input_type_b@82+2(U8,S8,-,-) saturate@75(,SAT)",
     "Rd:g, gdesc@24:qgdesc[}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "73=1"},
    {"df1'", "90", Opcode::IGMMA,
     ".SP shape@53+6($sparse_igmma) input_type@76+2(U8,S8,-,-) input_type_b@82+2(U8,S8,-,-) saturate@75(,SAT)",
     "Rd:g, Ra:n4, gdesc@32:qgdesc[}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "73=1"},
    {"9f3'", "90", Opcode::QGMMA,
     ".SP shape@53+6($sparse_qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2) input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}p}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "73=1"},
    {"9f3'", "90", Opcode::QGMMA,
     ".SP shape@53+6($sparse_qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2) input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1 73=1"},
    {"9f3'", "90", Opcode::QGMMA,
     ".SP shape@53+6($sparse_qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2) input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}p.negA}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 73=1"},
    {"9f3'", "90", Opcode::QGMMA,
     ".SP shape@53+6($sparse_qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2) input_type_b@77(E4M3,E5M2)",
     "Rd:g, gdesc@24:qgdesc[}p.negA.negB}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "72=1 63=1 73=1"},
    {"df3'", "90", Opcode::QGMMA,
     ".SP shape@53+6($sparse_qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2) input_type_b@77(E4M3,E5M2)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "73=1"},
    {"df3'", "90", Opcode::QGMMA,
     ".SP shape@53+6($sparse_qgmma) output_type@75(F16,F32) input_type@76(E4M3,E5M2) input_type_b@77(E4M3,E5M2)",
     "Rd:g, Ra:-n4, gdesc@32:qgdesc[}p.negB}, Rc:g, ?UPs:^=0, Re, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "63=1 73=1"},

    {"9c5", "90", Opcode::WARPGROUP, "other_0@79(ARRIVE,WAIT)", ""},
    {"9c5", "90", Opcode::WARPGROUP, ".DEPBAR .LE", "'gsb0', i@72+3", "80=1 47=1"},

    // SYNCS: the barrier objects of shared memory (mbarrier).
    {"5a7'", "90", Opcode::SYNCS, ".PHASECHK .TRANS64 other_0@72(,TRYWAIT)", "Pd, [r24 u64 o40+24], Rb",
     "70=1"},
    {"9a7'", "90", Opcode::SYNCS,
     ".ARRIVE .TRANS64 other_0@73+3(,TMASK,RED,-,OPTOUT,TMASK.OPTOUT,-,-) other_1@84+3(,A1T0,A0T1,A0TR,A0TX,ART0,-,-)",
     "Rd:n2, [r24 u64 o40+24], Rb"},
    {"5b2'", "90", Opcode::SYNCS, ".EXCH .64", "URd:n2, [u24 o40+24], URb:n2", "guard=u 72=1"},
    {"9b2'", "90", Opcode::SYNCS, ".LD .64", "URd:n2, [u24 o40+24]", "guard=u"},
    {"dbd'", "90", Opcode::STAS, "$wide", "[r24 x90 u64 h o40+24], Rb:w"},

    {"9b7", "90", Opcode::UTMACMDFLUSH, "", "", "guard=u"},
    {"5b4'", "90", Opcode::UTMALDG, "other_0@79+3(1D,2D,3D,4D,5D,-,-,-)", "[u32], [u24], desc@40",
     "guard=u 76=1"},
    {"5b4'", "90", Opcode::UTMALDG, "other_0@79+3(1D,2D,3D,4D,5D,-,-,-)", "[u32], [u24]", "guard=u"},
    {"3b4'", "90", Opcode::UTMALDG,
     "other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL) other_2@75(,MULTICAST)",
     "[u32], [u24], URc, desc@40", "guard=u 76=1"},
    {"3b4'", "90", Opcode::UTMALDG,
     "other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL) other_2@75(,MULTICAST)", "[u32], [u24], URc",
     "guard=u"},
    {"3b5'", "90", Opcode::UTMASTG, "other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL)",
     "[u32], [u24], desc@40", "guard=u 76=1"},
    {"3b5'", "90", Opcode::UTMASTG, "other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL)", "[u32], [u24]",
     "guard=u"},

    {"9c8'", "90", Opcode::USETMAXREG, "other_0@72+2(-,DEALLOC,-,-) other_1@74(-,CTAPOOL)", "i@32+9",
     "guard=u 81+3=7"},
    {"9c8'", "90", Opcode::USETMAXREG, "other_0@72+2(-,-,TRY_ALLOC,-) other_1@74(-,CTAPOOL)", "UPd, i@32+9",
     "guard=u"},
    {"9c9'", "90", Opcode::USETSHMSZ, "other_0@72(,-)", "i@32+20", "guard=u"},
    {"9c9'", "90", Opcode::USETSHMSZ, "other_0@72(-,FLUSH)", "", "guard=u"},
    {"9c7'", "90", Opcode::UCGABAR_ARV, "", "", "guard=u"},
    {"dc7'", "90", Opcode::UCGABAR_WAIT, "", "", "guard=u"},
    {"9f2'", "90", Opcode::BGMMA, "shape@53+6($bgmma) .AND .POPC",
     "Rd:g, gdesc@24:qgdesc[}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "78=1 80=1"},
    {"df2'", "90", Opcode::BGMMA, "shape@53+6($bgmma) .AND .POPC",
     "Rd:g, Ra:n4, gdesc@32:qgdesc[}, Rc:g, ?UPs:^=0, "
     "?N@84+3:(gsb0;INVALID1;INVALID2;INVALID3;INVALID4;INVALID5;INVALID6;)=7",
     "78=1 80=1"},
    {"9b1'", "90", Opcode::SYNCS, ".CCTL cctl_op@72(IV,WB)", "[r24 u64 o40+24]"},
    {"3b6'", "90", Opcode::UTMAREDG,
     "other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL) atomic_op@87+3(ADD,MIN,MAX,INC,DEC,AND,OR,XOR)",
     "[u32], [u24], desc@40", "guard=u 76=1"},
    {"3b6'", "90", Opcode::UTMAREDG,
     "other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL) atomic_op@87+3(ADD,MIN,MAX,INC,DEC,AND,OR,XOR)",
     "[u32], [u24]", "guard=u"},
    {"5b8'", "90", Opcode::UTMAPF, ".L2 other_0@79+3(1D,2D,3D,4D,5D,-,-,-)", "[u32], [u24], desc@40",
     "guard=u 76=1"},
    {"5b8'", "90", Opcode::UTMAPF, ".L2 other_0@79+3(1D,2D,3D,4D,5D,-,-,-)", "[u32], [u24]", "guard=u"},
    {"9b9'", "90", Opcode::UTMACCTL, "cctl_op@82(IV,PF)", "[u24]", "guard=u"},
    {"3ba'", "90", Opcode::UBLKCP,
     "other_0@73(G,S) other_1@74(G,S) other_2@75(,MULTICAST) prefetch_size@81+2(,LTC64B,LTC128B,-) "
     "other_3@83(,SEQUENCED)",
     "[u32], [u24], URc, desc@40", "guard=u 76=1"},
    {"3ba'", "90", Opcode::UBLKCP,
     "other_0@73(G,S) other_1@74(G,S) other_2@75(,MULTICAST) prefetch_size@81+2(,LTC64B,LTC128B,-) "
     "other_3@83(,SEQUENCED)",
     "[u32], [u24], URc", "guard=u"},
    {"3bb'", "90", Opcode::UBLKRED,
     "other_0@73(G,S) .S atomic_op@87+3(ADD,MIN,MAX,INC,DEC,AND,OR,XOR) "
     "atomic_type@81+4(,S32,U64,S64,F16.RN,F32.RN,-,F64.RN,BF16.RN,-,-,-,-,-,-,-)",
     "[u32], [u24], URc, desc@40", "guard=u 76=1 74=1"},
    {"3bb'", "90", Opcode::UBLKRED,
     "other_0@73(G,S) .S atomic_op@87+3(ADD,MIN,MAX,INC,DEC,AND,OR,XOR) "
     "atomic_type@81+4(,S32,U64,S64,F16.RN,F32.RN,-,F64.RN,BF16.RN,-,-,-,-,-,-,-)",
     "[u32], [u24], URc", "guard=u 74=1"},
    {"3bc'", "90", Opcode::UBLKPF, ".L2", "[u24], URc, desc@40", "guard=u 76=1"},
    {"3bc'", "90", Opcode::UBLKPF, ".L2", "[u24], URc", "guard=u"},
    {"9a4'", "90", Opcode::LDGMC,
     "$E atomic_op@87+4(ADD,MIN,MAX,-,-,AND,OR,XOR) atomic_type@73+3(32,S32,64,S64,-,-,-,-) $order",
     "Rd:t, [r24 x70 u64 o40+24]"},
    {"9a5'", "90", Opcode::LDGMC,
     "$E atomic_op@88+2(ADD,MIN,MAX,F32ADD) "
     "atomic_type@73+4/"
     "87(F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,-,-,-,-,-,-,F32.RN,F32x2.RN,F32x4.RN,F64."
     "RN) $order",
     "Rd:t, [r24 x70 u64 o40+24]"},

    {"3b8'", "90", Opcode::UTMAPF, ".L2 other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL)",
     "[u32], [u24], URc, desc@40", "guard=u 76=1"},
    {"3b8'", "90", Opcode::UTMAPF, ".L2 other_0@79+3(1D,2D,3D,4D,5D,-,-,-) other_1@82(,IM2COL)", "[u32], [u24], URc",
     "guard=u"},
    {"dbe'", "90", Opcode::REDAS,
     "atomic_op@87+3(ADD,MIN,MAX,INC,DEC,AND,OR,XOR) atomic_type@73+3(,S32,64,-,-,-,-,-)",
     "[r24 x u64 h o40+24], Rb:t", "72=1"},
};

}  // namespace

std::span<const RowText> hopper_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
