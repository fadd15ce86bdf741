// Writes the SASS text of a probe's kernel: every instruction with the control word that the probe chose. The text is
// the assembler's language (docs/sass.md).
//
// Every kernel takes the same parameters, kernel_parameters below, and leaves two 64-bit clocks for each warp of its one
// block at `out` (WarpRecord). Registers R0 to R7 and UR4, UR5 belong to the frame:
//   R0      thread index in the block      R1  warp index
//   R2, R3  address of the warp's record   R4, R5  clock at the start   R6, R7  clock at the end
//   UR4, UR5  the memory descriptor, from sm_80 on
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgauge::probes {

// Fields of a control word; what is not set asks for nothing.
struct Control {
  int stall = 1;      // 0…15
  bool yield = false;  // the bit that lets another warp go first; stall counts above 11 need it
  int write = -1;     // counter 0…5 released at write-back
  int read = -1;      // counter 0…5 released when the sources have been read
  unsigned wait = 0;  // bit n: wait for counter n

  [[nodiscard]] Control waiting(unsigned mask) const;
  [[nodiscard]] Control writing(int counter) const;
  [[nodiscard]] Control reading(int counter) const;
};
// A stall of n cycles that every architecture obeys: with the yield bit above 11.
Control stall(int cycles);
// "[B0-----:R-:W1:-:S04]"
std::string control_text(const Control& control);

struct SassKernel {
  std::string name;
  std::string text;
  std::uint32_t registers = 64;
  std::uint32_t shared_bytes = 0;
  std::uint32_t barriers = 0;
  std::uint32_t frame_bytes = 0;  // of local memory a thread
};

// Bytes of each parameter: out, in, four numbers, and the SM that is asked (each_sm.h).
inline constexpr std::uint32_t kernel_parameters[] = {8, 8, 4, 4, 4, 4, 4};
enum class Parameter { out, in, a, b, c, d, sm };

class Program {
 public:
  explicit Program(int sm);

  [[nodiscard]] int sm() const { return sm_; }

  Program& op(const Control& control, const std::string& text);
  // Cycles in which the warp issues only NOPs; any number from 1 on.
  Program& idle(int cycles);
  Program& label(const std::string& name);
  // A name that no other label of this program has.
  std::string fresh_label(const std::string& stem);

  // "c[0x0][0x210]": where a parameter lies, `word` 0 or 1 for the halves of a pointer.
  [[nodiscard]] std::string parameter(Parameter which, int word = 0) const;

  // The frame's registers; then the kernel's own code.
  Program& begin();
  // Only the warps whose bit is set in parameter a go on.
  Program& only_warps_of_mask();
  // Only the block on the SM of parameter sm goes on, or every block where that is any_sm. The others stay until each SM
  // has its block. Uses R4, R5 and P5.
  Program& only_on_sm();
  // Reads the clock into R4 or R6 and holds the next instruction for `cycles`.
  Program& start_clock(int cycles = 2);
  Program& end_clock();
  // Reads the low half of the clock into a register of the lanes that are here, and holds the next instruction
  // for `cycles`.
  Program& clock_into(int to, int cycles = 2);
  // Stores the record and ends.
  Program& finish();
  // Stores one register to out + 0x1000 + 4 * (32 * slot + lane).
  Program& store_result(int reg, int slot);
  // Stores one register of every warp to out + 0x1000 + 4 * (32 * (slots * warp + slot) + lane).
  Program& store_result_of_warp(int reg, int slot, int slots);
  // Repeats what `body` writes `times` times, in a loop over the same code; the counter is R63.
  template <class Body>
  Program& loop(int times, Body body) {
    const std::string top = begin_loop();
    body();
    end_loop(top, times);
    return *this;
  }

  // "LDG.E.64 R8, desc[UR4][R2.64+0x10]" in the architecture's own form; width 32, 64, 128.
  [[nodiscard]] std::string load_global(int width, int to, int address, int offset = 0) const;
  [[nodiscard]] std::string store_global(int width, int address, int from, int offset = 0) const;

  [[nodiscard]] SassKernel kernel(const std::string& name, std::uint32_t shared_bytes = 0,
                                  std::uint32_t barriers = 0) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string begin_loop();
  void end_loop(const std::string& top, int times);

  int sm_;
  int labels_ = 0;
  std::string text_;
};

// "R12"
std::string reg(int index);
// "0x1f"
std::string hex(std::uint64_t value);

}  // namespace warpgauge::probes
