// The public face of the room: include this.
//
//   const auto image = cubin::Image::read_file("saxpy.sm_90.cubin");   // a file, as it is
//   const auto module = cubin::load(image, {.allocate = …});           // code and data placed, relocations
//   applied const cubin::Kernel& kernel = module.kernel("saxpy");              // code, banks, parameters,
//   registers … for (const cubin::FatbinEntry& e : cubin::find_fatbin_entries(bytes)) …  // executables and
//   libraries
//
// Every function throws cubin::Error for input that does not hold together.
#pragma once

#include "traces/cubin/assemble.h"
#include "traces/cubin/disassemble.h"
#include "traces/cubin/elf.h"
#include "traces/cubin/error.h"
#include "traces/cubin/fatbin.h"
#include "traces/cubin/image.h"
#include "traces/cubin/kernel.h"
#include "traces/cubin/load.h"
#include "traces/cubin/patch.h"
#include "traces/cubin/write.h"
