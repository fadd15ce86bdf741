#include <fmt/format.h>

#include <memory>

#include "cli/failure.h"
#include "cli/prepared_launch.h"
#include "cli/trace/trace.h"
#include "traces/accelsim/export.h"
#include "traces/accelsim/import.h"
#include "traces/native/difference.h"

namespace warpgauge::cli::trace {

void convert(const ConvertOptions& options) {
  if (native::is_trace(options.input)) {
    if (!options.cubins.empty())
      throw Failure(ExitCode::usage, "--cubin is for importing: a trace has its machine code in it");
    accelsim::export_run(native::Reader(options.input), options.output);
    return;
  }
  accelsim::ImportOptions import;
  for (const std::string& cubin : options.cubins)
    import.cubins.push_back(std::make_shared<cubin::Image>(read_image(cubin)));
  native::Writer writer(options.output);
  const accelsim::ImportSummary summary = accelsim::import_run(options.input, import, writer);
  writer.finish();
  fmt::print("{} kernels", summary.kernels);
  if (summary.without_code != 0)
    fmt::print(", {} without machine code: their control words are unknown", summary.without_code);
  if (summary.unknown_opcodes != 0)
    fmt::print(", {} instructions of unknown opcodes", summary.unknown_opcodes);
  if (summary.copies != 0) fmt::print(", {} copies to the device passed over", summary.copies);
  fmt::print("\n");
}

void diff(const DiffOptions& options) {
  const native::Reader first(options.first);
  const native::Reader second(options.second);
  for (std::size_t k = 0; k < std::min(first.kernels(), second.kernels()); ++k) {
    const auto a = first.kernel(k);
    const auto b = second.kernel(k);
    if (const auto difference = native::first_difference(*a, *b))
      throw Failure(ExitCode::difference,
                    fmt::format("kernel {} ({}): {}", k, a->info().shape.kernel, *difference));
  }
  if (first.kernels() != second.kernels())
    throw Failure(ExitCode::difference, fmt::format("kernels: {} and {}", first.kernels(), second.kernels()));
  fmt::print("the same: {} kernels\n", first.kernels());
}

}  // namespace warpgauge::cli::trace
