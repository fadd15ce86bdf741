// Any bytes given as a trace of Accel-Sim's, imported with and without machine code, must end in a trace or
// in an error of the readers. The first byte says what the others are: 0 a .traceg, 1 the same as xz data, 2
// a .tracez, 3 a kernelslist.g.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/traces/native/container.h"
#include "traces/accelsim/import.h"
#include "traces/accelsim/tracez.h"
#include "traces/native/reader.h"

using namespace warpgauge;
using namespace warpgauge::accelsim;

namespace {

std::unique_ptr<KernelLines> open(std::uint8_t kind, const std::string& text) {
  if (kind == 1) return read_traceg(xz_in_memory(text));
  if (kind == 2) return read_tracez(native::from_memory({text.begin(), text.end()}), "trace");
  return read_traceg(text_in_memory(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  // A kernel "k" is read with this code, any other without.
  static const auto image = std::make_shared<const cubin::Image>(native::test::small_cubin());
  try {
    if (data[0] == 3) {
      (void)parse_list(*text_in_memory(text));
      return 0;
    }
    native::Writer writer("/dev/null");
    ImportSummary summary;
    import_kernel([&] { return open(data[0], text); }, 0, {{image}}, writer, summary);
  } catch (const Error&) {
    return 0;
  } catch (const native::Error&) {
    return 0;
  } catch (const cubin::Error&) {
    return 0;
  }
  return 0;
}
