// Makes a cubin out of machine code and a few facts about it: what an assembler needs after its last
// instruction.
//
// The file follows, section by section, what CUDA 11.8's ptxas writes for a kernel without debugging
// information: ABI version 7, which drivers from CUDA 11.8 on load for sm_70 to sm_90. Attributes that follow
// from the code are found in it: the offsets of EXIT, the use of CTAID.Z and of the matrix unit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/cubin/bytes.h"
#include "traces/cubin/kernel.h"
#include "traces/sass/architecture.h"

namespace warpgauge::cubin {

struct KernelSource {
  std::string name;
  Bytes code;  // whole instructions; filled up with branches to themselves as the compiler does
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;              // without the 0x400 that sm_90 reserves; those are added
  std::uint32_t frame_bytes = 0;               // local memory a thread
  std::uint32_t barriers = 0;                  // named barriers that the code uses
  std::array<std::uint32_t, 3> max_threads{};  // zeros: no bound
  std::vector<Parameter> parameters;           // offsets count from the parameters' base
  Bytes constant2;                             // the kernel's own constants; may be empty
};

struct ModuleSource {
  sass::Architecture architecture{};
  std::vector<KernelSource> kernels;
  Bytes constant3;  // __constant__ memory; may be empty
};

// Throws Error for what no card could run: no code, more than 255 registers, more than 16 barriers,
// parameters that overlap or exceed 4 KiB, two kernels of one name.
Bytes write_cubin(const ModuleSource& module);

// Lays parameters of these sizes out as C does: each aligned to its size (a power of two, 16 at most; other
// sizes to the largest power of two that divides them).
std::vector<Parameter> lay_out_parameters(std::span<const std::uint32_t> sizes);

// Where parameters begin in constant bank 0.
std::uint32_t parameter_base(sass::Architecture architecture);

}  // namespace warpgauge::cubin
