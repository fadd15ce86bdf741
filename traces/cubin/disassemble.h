// A kernel's machine code as text: one instruction a line, control word first, with labels where branches go.
#pragma once

#include <string>

#include "traces/cubin/kernel.h"

namespace warpgauge::cubin {

struct DisassembleOptions {
  bool control = true;  // "[B0-----:R-:W2:-:S01] " before the instruction, and all else that assembling needs
  bool offsets = true;  // "/*0010*/ " before everything
  bool words = false;   // the two halves of the encoding, in a comment after the instruction
  bool labels = true;   // ".L_140:" before a target, and that name in the branch
};

// The code alone: every instruction of the section, also the padding behind the last.
std::string disassemble(ByteView code, sass::Architecture architecture,
                        const DisassembleOptions& options = {});

// The kernel with its facts in front, as directives:
//   .architecture sm_90
//   .kernel saxpy
//   .registers 10
//   .shared 128          bytes, without those that sm_90 reserves
//   .barriers 1
//   .frame 16            bytes of local memory a thread
//   .max_threads 256 1 1
//   .parameter 8         one a parameter, bytes; with its offset where C would lay it out elsewhere
//   .constant2 0123…     the kernel's own constants, where it has any
// With control words, assemble_cubin (assemble.h) makes the same code and facts of it again.
std::string disassemble(const Kernel& kernel, const DisassembleOptions& options = {});

}  // namespace warpgauge::cubin
