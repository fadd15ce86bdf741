// Any bytes are a code section: it is refused, or its registers are changed and the checker finds nothing.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "model/registers/checker.h"
#include "model/registers/recolour.h"
#include "model/registers/rewrite.h"
#include "traces/sass/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpgauge;
  using namespace warpgauge::registers;
  constexpr std::size_t longest = 2 + 16 * 600;
  if (size < 2 || size > longest) return 0;
  const sass::Architecture architecture =
      sass::all_architectures[data[0] % std::size(sass::all_architectures)];
  const auto code = sass::decode_section(std::span(data + 2, size - 2), architecture);
  if (code.empty()) return 0;
  try {
    const Analysis analysis = analyse(code);
    if (!check(code, code).empty() || !is_valid(analysis, original_assignment(analysis), register_count))
      std::abort();
    RecolourOptions options;
    options.change = static_cast<Change>(data[1] % 4);
    options.yields = static_cast<Yields>(data[1] / 4 % 3);
    options.lower = data[1] / 12 % 2 != 0;
    options.file = register_file(2, 1, {.fp32 = 32, .integer = 32, .half = 32, .fp64 = 32});
    options.candidates = 1;
    options.search.evaluations = 200;
    Recoloured r = recolour(analysis, options);
    encode_changes(code, r.code);
    if (!check(code, sass::decode_section(code_bytes(r.code), architecture)).empty()) std::abort();
  } catch (const Refusal&) {
  }
  return 0;
}
