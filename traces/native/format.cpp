#include "traces/native/format.h"

#include "traces/native/code_map.h"

namespace warpgauge::native {
namespace {

// FNV-1a. The frame behind a header has zstd's own check sum.
std::uint32_t check_sum(ByteView bytes) {
  std::uint32_t hash = 2166136261U;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 16777619U;
  return hash;
}

void put_dimensions(Bytes& out, const traces::Dim3& d) {
  put_varint(out, d.x);
  put_varint(out, d.y);
  put_varint(out, d.z);
}

traces::Dim3 get_dimensions(Cursor& in) {
  traces::Dim3 d;
  for (std::uint32_t* part : {&d.x, &d.y, &d.z}) {
    *part = in.word("a dimension");
    if (*part == 0) in.fail("a dimension of zero");
  }
  return d;
}

constexpr std::uint64_t most_blocks = std::uint64_t{1} << 40;

}  // namespace

void put_record_header(Bytes& out, const RecordHeader& header) {
  Bytes checked;
  put(checked, static_cast<std::uint32_t>(header.tag));
  put(checked, header.stored);
  put(checked, header.raw);
  put(out, static_cast<std::uint32_t>(header.tag));
  put(out, check_sum(checked));
  put(out, header.stored);
  put(out, header.raw);
}

RecordHeader read_record_header(ByteView bytes, std::uint64_t file_offset) {
  Cursor in(bytes, file_offset);
  RecordHeader header;
  header.tag = static_cast<RecordTag>(in.get<std::uint32_t>());
  const auto sum = in.get<std::uint32_t>();
  header.stored = in.get<std::uint64_t>();
  header.raw = in.get<std::uint64_t>();
  Bytes checked;
  put(checked, static_cast<std::uint32_t>(header.tag));
  put(checked, header.stored);
  put(checked, header.raw);
  if (check_sum(checked) != sum) throw Error("a record's header is damaged", file_offset);
  return header;
}

void put_kernel_info(Bytes& out, const KernelInfo& info) {
  const traces::LaunchShape& shape = info.shape;
  put_varint(out, info.module);
  put_varint(out, info.launch_index);
  put_text(out, shape.kernel);
  put_text(out, shape.demangled);
  put_varint(out, static_cast<unsigned>(shape.architecture));
  put_dimensions(out, shape.grid);
  put_dimensions(out, shape.block);
  put_varint(out, shape.registers_per_thread);
  put_varint(out, shape.static_shared_bytes);
  put_varint(out, shape.dynamic_shared_bytes);
  put_varint(out, shape.local_bytes_per_thread);
  put_varint(out, shape.barriers);
  put_varint(out, shape.code_address);
  put_varint(out, info.entry);
  put_varint(out, static_cast<unsigned>(info.control_words));
  put_varint(out, info.parameters.size());
  out.insert(out.end(), info.parameters.begin(), info.parameters.end());
  put_varint(out, info.classes.size());
  out.insert(out.end(), info.classes.begin(), info.classes.end());
  put_varint(out, info.warp_instructions);
  put_varint(out, info.thread_instructions);
}

KernelInfo get_kernel_info(Cursor& in) {
  KernelInfo info;
  traces::LaunchShape& shape = info.shape;
  info.module = in.word("a module's number");
  info.launch_index = in.word("a launch's number");
  shape.kernel = in.text();
  shape.demangled = in.text();
  const auto architecture =
      sass::architecture_from_number(static_cast<unsigned>(in.bounded(255, "the architecture")));
  if (!architecture) in.fail("an architecture that is not read");
  shape.architecture = *architecture;
  shape.grid = get_dimensions(in);
  shape.block = get_dimensions(in);
  constexpr std::uint64_t most_threads = std::uint64_t{traces::max_warps_per_block} * traces::warp_size;
  if (shape.block.x > most_threads || shape.block.y > most_threads || shape.block.z > most_threads ||
      shape.block.count() > most_threads)
    in.fail("a block of too many threads");
  // Each dimension is below 2^32: the products of two do not overflow.
  if (std::uint64_t{shape.grid.x} * shape.grid.y > most_blocks || shape.grid.count() > most_blocks)
    in.fail("a grid of too many blocks");
  shape.registers_per_thread = in.word("the registers");
  shape.static_shared_bytes = in.word("the shared memory");
  shape.dynamic_shared_bytes = in.word("the shared memory");
  shape.local_bytes_per_thread = in.word("the local memory");
  shape.barriers = in.word("the barriers");
  shape.code_address = in.varint();
  info.entry = in.word("the entry");
  info.control_words = static_cast<ControlWords>(
      in.bounded(static_cast<unsigned>(ControlWords::absent), "the control words' origin"));
  const ByteView parameters = in.view(static_cast<std::size_t>(in.bounded(65536, "the parameters' size")));
  info.parameters.assign(parameters.begin(), parameters.end());
  const ByteView classes = in.view(static_cast<std::size_t>(in.bounded(in.left(), "the code's length")));
  info.classes.assign(classes.begin(), classes.end());
  for (const std::uint8_t c : info.classes)
    if ((c & ~all_classes) != 0) in.fail("an unknown class of instructions");
  if (info.entry >= info.classes.size()) in.fail("an entry outside the code");
  info.warp_instructions = in.varint();
  info.thread_instructions = in.varint();
  return info;
}

}  // namespace warpgauge::native
