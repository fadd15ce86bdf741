#include "probes/sass/program.h"

#include <cstdio>
#include <numeric>

#include "probes/each_sm.h"

namespace warpgauge::probes {
namespace {

constexpr int loop_counter = 63;

int parameter_base(int sm) { return sm >= 90 ? 0x210 : 0x160; }
int descriptor_at(int sm) { return sm >= 90 ? 0x208 : 0x118; }

std::string width_suffix(int width) { return width == 64 ? ".64" : width == 128 ? ".128" : ""; }

std::string offset_text(int offset) {
  if (offset == 0) return "";
  return (offset < 0 ? "+-" : "+") + hex(static_cast<std::uint64_t>(offset < 0 ? -offset : offset));
}

}  // namespace

std::string reg(int index) { return index == 255 ? "RZ" : "R" + std::to_string(index); }

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Control Control::waiting(unsigned mask) const {
  Control changed = *this;
  changed.wait |= mask;
  return changed;
}
Control Control::writing(int counter) const {
  Control changed = *this;
  changed.write = counter;
  return changed;
}
Control Control::reading(int counter) const {
  Control changed = *this;
  changed.read = counter;
  return changed;
}

Control stall(int cycles) {
  Control control;
  control.stall = cycles;
  control.yield = cycles > 11;
  return control;
}

std::string control_text(const Control& control) {
  std::string text = "[B";
  for (int i = 0; i < 6; ++i) text += (control.wait >> i & 1U) != 0 ? static_cast<char>('0' + i) : '-';
  text += ":R";
  text += control.read < 0 ? '-' : static_cast<char>('0' + control.read);
  text += ":W";
  text += control.write < 0 ? '-' : static_cast<char>('0' + control.write);
  text += ':';
  text += control.yield ? 'Y' : '-';
  text += ":S";
  text += static_cast<char>('0' + control.stall / 10);
  text += static_cast<char>('0' + control.stall % 10);
  return text + "]";
}

Program::Program(int sm) : sm_(sm) {}

Program& Program::op(const Control& control, const std::string& text) {
  text_ += control_text(control) + " " + text + " ;\n";
  return *this;
}

Program& Program::idle(int cycles) {
  while (cycles > 0) {
    const int now = cycles > 15 ? (cycles < 17 ? 8 : 15) : cycles;
    op(stall(now), "NOP");
    cycles -= now;
  }
  return *this;
}

Program& Program::label(const std::string& name) {
  text_ += name + ":\n";
  return *this;
}

std::string Program::fresh_label(const std::string& stem) { return stem + "_" + std::to_string(labels_++); }

std::string Program::parameter(Parameter which, int word) const {
  const auto index = static_cast<std::size_t>(which);
  const auto offset = std::accumulate(kernel_parameters, kernel_parameters + index, 0U);
  return "c[0x0][" + hex(static_cast<std::uint64_t>(parameter_base(sm_)) + offset + 4 * static_cast<unsigned>(word)) + "]";
}

Program& Program::begin() {
  op(stall(2).writing(0), "S2R R0, SR_TID.X");
  if (sm_ >= 80) op(stall(15), "ULDC.64 UR4, c[0x0][" + hex(static_cast<std::uint64_t>(descriptor_at(sm_))) + "]");
  op(stall(15), "MOV R2, " + parameter(Parameter::out));
  op(stall(15), "MOV R3, " + parameter(Parameter::out, 1));
  op(stall(15), "MOV R4, 0x10");
  op(stall(15).waiting(1), "SHF.R.U32.HI R1, RZ, 0x5, R0");
  op(stall(15), "IMAD.WIDE.U32 R2, R1, R4, R2");
  return *this;
}

Program& Program::only_warps_of_mask() {
  op(stall(15), "MOV R4, " + parameter(Parameter::a));
  op(stall(15), "SHF.R.U32.HI R4, RZ, R1, R4");
  op(stall(15), "LOP3.LUT R4, R4, 0x1, RZ, 0xc0, !PT");
  op(stall(15), "ISETP.EQ.U32.AND P5, PT, R4, RZ, PT");
  op(stall(15), "@P5 EXIT");
  return *this;
}

Program& Program::only_on_sm() {
  constexpr int turns = 128;  // of 60 cycles
  const std::string here = fresh_label("HERE"), wait = fresh_label("WAIT");
  op(stall(2).writing(0), "S2R R4, SR_VIRTUALSMID");
  op(stall(15), "MOV R5, " + parameter(Parameter::sm));
  op(stall(15).waiting(1), "ISETP.NE.U32.AND P5, PT, R4, R5, PT");
  op(stall(15), "ISETP.NE.U32.AND P5, PT, R5, " + hex(any_sm) + ", P5");
  op(stall(15), "@!P5 BRA `(" + here + ")");
  op(stall(15), "MOV R4, RZ");
  label(wait);
  op(stall(15), "IADD3 R4, R4, 0x1, RZ");
  op(stall(15), "ISETP.LT.U32.AND P5, PT, R4, " + hex(turns) + ", PT");
  op(stall(15), "NOP");
  op(stall(15), "@P5 BRA `(" + wait + ")");
  op(stall(5), "EXIT");
  return label(here);
}

Program& Program::start_clock(int cycles) { return op(stall(cycles), "CS2R R4, SR_CLOCKLO"); }

Program& Program::end_clock() { return op(stall(15), "CS2R R6, SR_CLOCKLO"); }

Program& Program::clock_into(int to, int cycles) { return op(stall(cycles), "CS2R.32 " + reg(to) + ", SR_CLOCKLO"); }

Program& Program::finish() {
  idle(30);
  op(stall(2).reading(0), store_global(64, 2, 4));
  op(stall(2).reading(0), store_global(64, 2, 6, 8));
  op(stall(5).waiting(1), "NOP");
  op(stall(5), "EXIT");
  return *this;
}

Program& Program::store_result(int from, int slot) {
  // R4 is free between the clocks' use: the address of the slot, 4 * lane added.
  op(stall(15), "MOV R58, " + parameter(Parameter::out));
  op(stall(15), "MOV R59, " + parameter(Parameter::out, 1));
  op(stall(15), "MOV R57, 0x4");
  op(stall(15), "LOP3.LUT R56, R0, 0x1f, RZ, 0xc0, !PT");
  op(stall(15), "IMAD.WIDE.U32 R58, R56, R57, R58");
  op(stall(2).reading(5), store_global(32, 58, from, 0x1000 + 128 * slot));
  return op(stall(5).waiting(0x20), "NOP");
}

Program& Program::store_result_of_warp(int from, int slot, int slots) {
  op(stall(15), "MOV R58, " + parameter(Parameter::out));
  op(stall(15), "MOV R59, " + parameter(Parameter::out, 1));
  op(stall(15), "MOV R57, 0x4");
  op(stall(15), "LOP3.LUT R56, R0, 0x1f, RZ, 0xc0, !PT");
  op(stall(15), "IMAD.WIDE.U32 R58, R56, R57, R58");
  op(stall(15), "MOV R57, " + hex(static_cast<std::uint64_t>(128 * slots)));
  op(stall(15), "IMAD.WIDE.U32 R58, R1, R57, R58");
  op(stall(2).reading(5), store_global(32, 58, from, 0x1000 + 128 * slot));
  return op(stall(5).waiting(0x20), "NOP");
}

std::string Program::begin_loop() {
  op(stall(15), "MOV R63, RZ");
  const std::string top = fresh_label("LOOP");
  label(top);
  return top;
}

void Program::end_loop(const std::string& top, int times) {
  op(stall(15), "IADD3 " + reg(loop_counter) + ", " + reg(loop_counter) + ", 0x1, RZ");
  op(stall(15), "ISETP.LT.U32.AND P6, PT, " + reg(loop_counter) + ", " + hex(static_cast<std::uint64_t>(times)) + ", PT");
  op(stall(15), "@P6 BRA `(" + top + ")");
}

std::string Program::load_global(int width, int to, int address, int offset) const {
  if (sm_ >= 80) {
    return "LDG.E" + width_suffix(width) + " " + reg(to) + ", desc[UR4][" + reg(address) + ".64" + offset_text(offset) + "]";
  }
  return "LDG.E" + width_suffix(width) + ".SYS " + reg(to) + ", [" + reg(address) + offset_text(offset) + "]";
}

std::string Program::store_global(int width, int address, int from, int offset) const {
  if (sm_ >= 80) {
    return "STG.E" + width_suffix(width) + " desc[UR4][" + reg(address) + ".64" + offset_text(offset) + "], " + reg(from);
  }
  return "STG.E" + width_suffix(width) + ".SYS [" + reg(address) + offset_text(offset) + "], " + reg(from);
}

SassKernel Program::kernel(const std::string& name, std::uint32_t shared_bytes, std::uint32_t barriers) const {
  // The hardware keeps some of a warp's registers: with a count of 64, R63 is an illegal instruction on an H200.
  constexpr std::uint32_t registers = 72;
  return {name, text_, registers, shared_bytes, barriers};
}

}  // namespace warpgauge::probes
