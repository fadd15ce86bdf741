// Reads Accel-Sim's traces into native ones: .traceg of tracer versions 3 to 5, plain or xz, kernelslist.g,
// and .tracez of version 6.
//
// A line says which lanes executed an instruction, not which were active, nor what barriers do; both follow
// from the code. With a cubin the code is the compiler's own; without one it is made up from the lines
// (pseudo_code.h), and its control words say nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "traces/accelsim/header.h"
#include "traces/cubin/image.h"
#include "traces/native/writer.h"

namespace warpgauge::accelsim {

// One warp's lines.
class WarpLines {
 public:
  virtual ~WarpLines() = default;
  // False after the last. Throws Error.
  virtual bool next(TraceLine& line) = 0;
  [[noreturn]] virtual void fail(const std::string& what) const = 0;
};

// A kernel's blocks in the order of the file.
class KernelLines {
 public:
  virtual ~KernelLines() = default;
  [[nodiscard]] virtual const KernelHeader& header() const = 0;
  // The next block's linear number; false after the last.
  virtual bool next_block(std::uint64_t& linear) = 0;
  // The block's next warp, whose lines must be read to their end before the next one's; false after the last.
  virtual bool next_warp(unsigned& warp) = 0;
  virtual WarpLines& lines() = 0;
  [[noreturn]] virtual void fail(const std::string& what) const = 0;
};

std::unique_ptr<KernelLines> read_traceg(std::unique_ptr<TextSource> source);

// A kernel may have to be read twice.
using OpenKernel = std::function<std::unique_ptr<KernelLines>()>;

struct ImportOptions {
  std::vector<std::shared_ptr<const cubin::Image>> cubins;  // where kernels are looked up by name
};

struct ImportSummary {
  std::uint64_t kernels = 0;
  std::uint64_t without_code = 0;     // kernels that no cubin holds
  std::uint64_t copies = 0;           // to the device, which are passed over
  std::uint64_t unknown_opcodes = 0;  // static instructions of no known name
};

// One kernel. Throws Error, cubin::Error, native::Error.
void import_kernel(const OpenKernel& open, std::uint32_t launch_index, const ImportOptions& options,
                   native::Writer& writer, ImportSummary& summary);

// A kernelslist.g with its kernels, or one kernel's file: by its name.
ImportSummary import_run(const std::string& path, const ImportOptions& options, native::Writer& writer);

}  // namespace warpgauge::accelsim
