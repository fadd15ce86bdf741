#include "probes/sass/instruction_list.h"

#include <array>

namespace warpgauge::probes {
namespace {

constexpr FixedInstruction fixed[] = {
    {"IADD3", "iadd3", Pipe::alu, "IADD3 R10, R12, R13, RZ"},
    {"LOP3", "lop3", Pipe::alu, "LOP3.LUT R10, R12, R13, RZ, 0x3c, !PT"},
    {"SHF", "shf", Pipe::alu, "SHF.L.U32 R10, R12, 0x1, RZ"},
    {"PRMT", "prmt", Pipe::alu, "PRMT R10, R12, 0x3201, R13"},
    {"SEL", "sel", Pipe::alu, "SEL R10, R12, R13, PT"},
    {"MOV", "mov", Pipe::alu, "MOV R10, R12"},
    {"LEA", "lea", Pipe::alu, "LEA R10, R12, R13, 0x1"},
    {"FMNMX", "fmnmx", Pipe::alu, "FMNMX R10, R12, R13, PT"},
    {"FSEL", "fsel", Pipe::alu, "FSEL R10, R12, R13, PT"},
    {"FSET", "fset", Pipe::alu, "FSET.BF.LT.AND R10, R12, R13, PT"},
    {"IABS", "iabs", Pipe::alu, "IABS R10, R15"},
    {"BMSK", "bmsk", Pipe::alu, "BMSK R10, RZ, R15"},
    {"SGXT", "sgxt", Pipe::alu, "SGXT R10, R12, 0x8"},
    {"VABSDIFF", "vabsdiff", Pipe::alu, "VABSDIFF.U32 R10, R12, R13, RZ"},
    {"IMNMX", "imnmx", Pipe::alu, "IMNMX R10, R12, R13, PT", 1, 75, 89},
    {"VIMNMX", "vimnmx", Pipe::alu, "VIMNMX R10, R12, R13, PT", 1, 90},
    {"P2R", "p2r", Pipe::alu, "P2R R10, PR, R12, 0x7f"},
    {"F2FP", "f2fp", Pipe::alu, "F2FP.F16.F32.PACK_AB R10, R12, R13", 1, 80},
    {"I2FP", "i2fp", Pipe::alu, "I2FP.F32.S32 R10, R12", 1, 90},
    {"I2I", "i2i_fixed", Pipe::alu, "I2I.U8.S32.SAT R10, R12", 1, 90},
    {"VOTE", "vote", Pipe::alu, "VOTE.ANY R10, PT, PT"},
    {"FADD", "fadd", Pipe::fma, "FADD R10, R12, R13"},
    {"FMUL", "fmul", Pipe::fma, "FMUL R10, R12, R13"},
    {"FFMA", "ffma", Pipe::fma, "FFMA R10, R12, R13, R12"},
    {"IMAD", "imad", Pipe::fma, "IMAD R10, R12, R13, R12"},
    {"", "imad_mov", Pipe::fma, "IMAD.MOV.U32 R10, RZ, RZ, R12"},
    {"IMAD_WIDE", "imad_wide", Pipe::imad_wide, "IMAD.WIDE.U32 R10, R12, R13, R16", 2},
    {"IMAD_HI", "imad_hi", Pipe::imad_wide, "IMAD.HI.U32 R10, R12, R13, R16", 1, 75},
    {"IDP", "idp", Pipe::fma, "IDP.4A.U8.U8 R10, R12, R13, R12"},
    {"VIADD", "viadd", Pipe::fma, "VIADD R10, R12, 0x5", 1, 90},
    {"HADD2", "hadd2", Pipe::fp16, "HADD2 R10, R12, R13"},
    {"HMUL2", "hmul2", Pipe::fp16, "HMUL2 R10, R12, R13"},
    {"HFMA2", "hfma2", Pipe::fp16, "HFMA2 R10, R12, R13, R12"},
    {"", "hfma2_mma", Pipe::fma, "HFMA2.MMA R10, R12, R13, R12", 1, 80},
    {"HSET2", "hset2", Pipe::fp16, "HSET2.BF.LT.AND R10, R12, R13, PT"},
    {"HMNMX2", "hmnmx2", Pipe::alu, "HMNMX2 R10, R12, R13, PT", 1, 80},
    {"DADD", "dadd", Pipe::fp64, "DADD R10, R16, R18", 2},
    {"DMUL", "dmul", Pipe::fp64, "DMUL R10, R16, R18", 2},
    {"DFMA", "dfma", Pipe::fp64, "DFMA R10, R16, R18, R16", 2},
    {"CS2R", "cs2r", Pipe::clock, "CS2R R10, SRZ", 2, 70, 90, 0x3fa12345},
};

constexpr VariableInstruction variable[] = {
    {"MUFU", "mufu_rcp", "MUFU.RCP R10, R12", false, 1, 70, 90, "xu"},
    {"", "mufu_ex2", "MUFU.EX2 R10, R12"},
    {"", "mufu_sin", "MUFU.SIN R10, R12"},
    {"POPC", "popc", "POPC R10, R12", false, 1, 70, 90, "bits"},
    {"FLO", "flo", "FLO.U32 R10, R12"},
    {"BREV", "brev", "BREV R10, R12"},
    {"F2I", "f2i", "F2I.TRUNC.NTZ R10, R12", false, 1, 70, 90, "conversion"},
    {"I2F", "i2f", "I2F R10, R12", false, 1, 70, 89},
    {"FRND", "frnd", "FRND R10, R12"},
    {"F2F", "f2f_f64", "F2F.F64.F32 R10, R12", false, 2, 70, 90, "conversion_wide"},
    {"", "f2f_f32", "F2F.F32.F64 R10, R16"},
    {"", "f2i_f64", "F2I.F64.TRUNC R10, R16"},
    {"", "i2f_f64", "I2F.F64 R10, R12", false, 2},
    {"SHFL", "shfl", "SHFL.IDX PT, R10, R12, RZ, 0x1f", false, 1, 70, 90, "shuffle"},
    {"MATCH", "match", "MATCH.ANY R10, R12", false, 1, 70, 90, "match"},
    {"REDUX", "redux", "REDUX.SUM UR8, R12", true, 1, 80, 90, "redux"},
    {"S2R", "s2r", "S2R R10, SR_LANEID", false, 1, 70, 90, "special_register"},
    {"", "s2r_tid", "S2R R10, SR_TID.X"},
    {"S2UR", "s2ur", "S2UR UR8, SR_CTAID.X", true, 1, 75, 90, ""},
    {"FCHK", "fchk", "FCHK P2, R12, R13", false, 1, 70, 90, "", true},
    {"I2I", "i2i", "I2I.U8.S32.SAT R10, R12", false, 1, 70, 89, "", true},
    {"B2R", "b2r", "B2R.RESULT R10", false, 1, 70, 90, "", true},
    {"BMOV", "bmov", "BMOV.32 R10, B0", false, 1, 70, 90, "", true},
    {"QSPC", "qspc", "QSPC.E.G P2, RZ, [R16]", false, 1, 80, 90, "", true},
    {"matrix.movm.latency", "movm", "MOVM.16.MT88 R10, R12", false, 1, 75, 90},
    {"DADD", "dadd_t4", "DADD R10, R16, R18", false, 2, 75, 75, "fp64"},
    {"DFMA", "dfma_t4", "DFMA R10, R16, R18, R16", false, 2, 75, 75},
};

}  // namespace

std::string_view name(Pipe pipe) {
  constexpr std::array names = {std::string_view("alu"), std::string_view("fma"), std::string_view("imad_wide"),
                                std::string_view("fp16"), std::string_view("fp64"), std::string_view("clock"),
                                std::string_view("uniform")};
  return names[static_cast<std::size_t>(pipe)];
}

std::span<const FixedInstruction> fixed_instructions() { return fixed; }
std::span<const VariableInstruction> variable_instructions() { return variable; }

void set_operands(Program& program) {
  const auto set = [&](int to, std::uint32_t value) { program.op(stall(15), "MOV " + reg(to) + ", " + hex(value)); };
  set(12, 0x3fa12345);  // 1.26, and the halves 1.91 and 0.0142
  set(13, 0x40123457);  // 2.28, and 2.04 and 0.2762
  set(14, 0x3f923451);
  set(15, 0xfffffffb);  // -5
  set(16, 0x12345678);  // 1.5 and 2.25 and what the low words add
  set(17, 0x3ff80000);
  set(18, 0x23456789);
  set(19, 0x40020000);
  program.op(stall(15), "ISETP.NE.AND P1, PT, R12, RZ, PT");
}

std::string into_register(std::string_view text, int to) {
  std::string changed(text);
  const std::size_t at = changed.find("R10");
  if (at != std::string::npos) changed.replace(at, 3, reg(to));
  return changed;
}

}  // namespace warpgauge::probes
