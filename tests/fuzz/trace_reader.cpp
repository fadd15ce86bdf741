// Any bytes given as a trace: reading it all, and replaying it, must end in a result or in native::Error.
// Check sums would hide what lies behind them, so the first byte says what the others are: 0 a whole file, 1
// a block's streams, 2 a kernel's record; the rest of the file is made around them.
#include <cstddef>
#include <cstdint>

#include "tests/traces/native/container.h"
#include "traces/native/code_map.h"
#include "traces/native/reader.h"
#include "traces/native/replay.h"
#include "traces/native/summary.h"
#include "traces/sass/decode.h"

using namespace warpgauge;
using namespace warpgauge::native;

namespace {

const cubin::Bytes& module_bytes() {
  static const cubin::Bytes bytes = test::small_cubin();
  return bytes;
}

// A kernel's record for a block of `threads` in `page`, whose packed numbers begin at `packed`.
Bytes kernel_record(std::uint64_t page, std::uint64_t page_size, std::uint64_t packed,
                    std::uint32_t threads) {
  static const std::vector<std::uint8_t> classes = [] {
    const cubin::LoadedModule module = cubin::load(cubin::Image(module_bytes()));
    return classify(sass::decode_section(module.kernel("k").code, module.architecture));
  }();
  KernelInfo info;
  info.shape.kernel = "k";
  info.shape.architecture = sass::Architecture::sm75;
  info.shape.block.x = threads;
  info.classes = classes;
  Bytes record;
  put_kernel_info(record, info);
  put_varint(record, 1);
  put_signed(record, page);
  put_varint(record, page_size);
  put_signed(record, 0);
  put_varint(record, 0);
  put_varint(record, packed);
  put_varint(record, 0);
  return record;
}

Bytes make_file(std::uint8_t kind, ByteView rest) {
  test::Container container;
  const std::uint64_t module = container.add_module(module_bytes());
  if (kind == 1) {
    const std::uint32_t threads = rest.empty() ? 32 : 1 + std::uint32_t{rest[0]} * 4;
    const std::uint64_t packed = rest.size() < 2 ? 0 : std::uint64_t{2} * rest[1];
    const ByteView streams = rest.size() < 2 ? ByteView() : rest.subspan(2);
    const std::uint64_t page = container.add(RecordTag::page, streams);
    return container.finish(
        module, container.add(RecordTag::kernel, kernel_record(page, streams.size(), packed, threads)));
  }
  const std::uint8_t empty[64] = {};
  container.add(RecordTag::page, empty);
  return container.finish(module, container.add(RecordTag::kernel, rest));
}

// One block after the other, one instruction of each warp in turn, until nobody can move.
void replay(const KernelTrace& trace) {
  constexpr std::uint64_t most_blocks = 16;
  ReplayStream stream(trace);
  traces::Issued issued;
  for (std::uint64_t b = 0; b < trace.blocks() && b < most_blocks; ++b) {
    const traces::BlockHandle block = stream.begin_block(b, {});
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned w = 0; w < stream.shape().warps_per_block(); ++w) {
        if (stream.next(block, w).status != traces::WarpStatus::ready) continue;
        stream.issue(block, w, 0, issued);
        moved = true;
      }
    }
    stream.end_block(block);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView rest(data + 1, size - 1);
  try {
    const Reader reader(
        from_memory(data[0] == 0 ? Bytes(rest.begin(), rest.end()) : make_file(data[0], rest)));
    for (std::size_t k = 0; k < reader.kernels() && k < 4; ++k) {
      const auto trace = reader.kernel(k);
      (void)summarize(*trace);
      replay(*trace);
    }
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
