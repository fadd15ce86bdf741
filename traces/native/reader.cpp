#include "traces/native/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "traces/sass/decode.h"

namespace warpgauge::native {
namespace {

constexpr std::size_t kept_pages = 8;

class File final : public Source {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      const std::string why = descriptor_ < 0 ? std::strerror(errno) : "not a file";
      if (descriptor_ >= 0) ::close(descriptor_);
      throw Error(path + ": " + why);
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~File() override { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    while (!to.empty()) {
      const ssize_t count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw Error(path_ + ": cannot be read", offset);
      offset += static_cast<std::uint64_t>(count);
      to = to.subspan(static_cast<std::size_t>(count));
    }
  }

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

class Memory final : public Source {
 public:
  explicit Memory(Bytes bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
  }

 private:
  Bytes bytes_;
};

// A thread's, since making one costs as much as a small page.
ZSTD_DCtx* decompressor() {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  return context.get();
}

Bytes decompress(ByteView frame, std::uint64_t raw, std::uint64_t offset) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size())
    throw Error("a record's compressed data is damaged", offset);
  Bytes bytes(static_cast<std::size_t>(raw));
  const std::size_t size =
      ZSTD_decompressDCtx(decompressor(), bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0)
    throw Error(std::string("a record's compressed data is damaged: ") + ZSTD_getErrorName(size), offset);
  if (size != raw) throw Error("a record's compressed data is damaged", offset);
  return bytes;
}

std::vector<std::uint64_t> get_offsets(Cursor& in) {
  std::vector<std::uint64_t> offsets(static_cast<std::size_t>(in.bounded(in.left(), "a count")));
  for (std::uint64_t& offset : offsets) offset = in.varint();
  return offsets;
}

}  // namespace

std::unique_ptr<Source> open_file(const std::string& path) {
  return std::make_unique<File>(path);
}

std::unique_ptr<Source> from_memory(Bytes bytes) {
  return std::make_unique<Memory>(std::move(bytes));
}

bool is_trace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t magic = 0;
  in.read(reinterpret_cast<char*>(&magic), sizeof magic);
  return in.good() && magic == file_magic;
}

Reader::Reader(std::unique_ptr<Source> source) : source_(std::move(source)) {
  const std::uint64_t size = source_->size();
  Bytes head(static_cast<std::size_t>(std::min<std::uint64_t>(size, file_header_bytes)));
  source_->read(0, head);
  Cursor in(head, 0);
  if (head.size() < file_header_bytes || in.get<std::uint64_t>() != file_magic)
    throw Error("not a Warpgauge trace", 0);
  if (const auto version = in.get<std::uint32_t>(); version != format_version)
    throw Error("a trace of version " + std::to_string(version) + "; version " +
                    std::to_string(format_version) + " is read",
                8);
  if (in.get<std::uint32_t>() != 0) throw Error("the file's header is damaged", 12);
  if (size < file_header_bytes + footer_bytes) throw Error("the trace is truncated: it has no index", size);
  Bytes tail(footer_bytes);
  const std::uint64_t footer = size - footer_bytes;
  source_->read(footer, tail);
  Cursor end(tail, footer);
  const auto index = end.get<std::uint64_t>();
  const auto length = end.get<std::uint64_t>();
  if (end.get<std::uint64_t>() != footer_magic)
    throw Error("the trace is truncated, or its recording was not finished: no index at its end", footer);
  if (length != size)
    throw Error(
        "the trace has " + std::to_string(size) + " bytes; it was written with " + std::to_string(length),
        footer);
  const Record record = this->record(index, RecordTag::index, most_record_bytes);
  Cursor list(record.payload, index);
  modules_ = get_offsets(list);
  kernels_ = get_offsets(list);
  if (!list.empty()) list.fail("the index has an end of its own");
}

RecordHeader Reader::header(std::uint64_t offset, RecordTag tag, std::uint64_t most) const {
  const std::uint64_t size = source_->size();
  if (offset < file_header_bytes || offset > size || size - offset < record_header_bytes)
    throw Error("a record lies outside the file", offset);
  Bytes bytes(record_header_bytes);
  source_->read(offset, bytes);
  const RecordHeader header = read_record_header(bytes, offset);
  if (header.tag != tag) throw Error("a record of another kind than expected", offset);
  if (header.stored > size - offset - record_header_bytes)
    throw Error("the trace is truncated inside a record", size);
  if (header.raw > most) throw Error("a record that is too long", offset);
  return header;
}

Reader::Record Reader::record(std::uint64_t offset, RecordTag tag, std::uint64_t most) const {
  const RecordHeader header = this->header(offset, tag, most);
  Bytes frame(static_cast<std::size_t>(header.stored));
  source_->read(offset + record_header_bytes, frame);
  return {decompress(frame, header.raw, offset + record_header_bytes), header.stored};
}

std::shared_ptr<const KernelTrace> Reader::kernel(std::size_t number) const {
  return std::shared_ptr<const KernelTrace>(new KernelTrace(*this, kernels_.at(number)));
}

ModuleImage Reader::module(std::size_t number) const {
  const Record record = this->record(modules_.at(number), RecordTag::module_, most_record_bytes);
  Cursor in(record.payload, modules_[number]);
  ModuleImage module;
  module.code_base = in.varint();
  module.segments.resize(static_cast<std::size_t>(in.bounded(in.left(), "a count")));
  for (std::uint64_t& segment : module.segments) segment = in.varint();
  const ByteView cubin = in.view(static_cast<std::size_t>(in.bounded(in.left(), "the cubin's size")));
  module.cubin.assign(cubin.begin(), cubin.end());
  if (!in.empty()) in.fail("a module with more than a module");
  return module;
}

cubin::LoadedModule load(const ModuleImage& module) {
  cubin::LoadOptions options;
  options.code_base = module.code_base;
  std::size_t next = 0;
  options.allocate = [&](std::uint64_t, std::uint64_t) {
    if (next == module.segments.size()) throw cubin::Error("the module has more variables than were loaded");
    return module.segments[next++];
  };
  return cubin::load(cubin::Image(module.cubin), options);
}

KernelTrace::KernelTrace(const Reader& reader, std::uint64_t offset) : reader_(reader) {
  const Reader::Record record = reader.record(offset, RecordTag::kernel, most_record_bytes);
  Cursor in(record.payload, offset);
  info_ = get_kernel_info(in);
  if (info_.module >= reader.modules()) in.fail("a module that the file does not hold");
  try {
    const cubin::LoadedModule module = load(reader.module(info_.module));
    const cubin::Kernel& kernel = module.kernel(info_.shape.kernel);
    const cubin::KernelProgram program = cubin::program_of(module, kernel);
    info_.shape.kernel_bytes = kernel.code.size();
    code_ = sass::decode_section(program.code, module.architecture);
    if (program.entry != info_.entry || module.architecture != info_.shape.architecture)
      in.fail("a kernel that is not its module's");
  } catch (const cubin::Error& error) {
    in.fail(std::string("the module of a kernel cannot be read: ") + error.what());
  }
  if (code_.size() != info_.classes.size()) in.fail("a kernel of another length than its module says");
  map_ = make_code_map(code_, info_.classes);

  pages_.resize(static_cast<std::size_t>(in.bounded(in.left() / 2, "the number of pages")));
  std::uint64_t last = 0;
  for (PageEntry& page : pages_) {
    page.offset = last += in.difference();
    page.raw = in.bounded(most_page_bytes, "a page's size");
  }
  constexpr std::uint64_t least_place_bytes = 4;
  const std::uint64_t blocks = info_.shape.grid.count();
  if (blocks > in.left() / least_place_bytes) in.fail("a kernel without all of its blocks");
  places_.resize(static_cast<std::size_t>(blocks));
  const auto check = [&](std::uint64_t number) {
    if (number >= pages_.size()) in.fail("a page that the kernel does not have");
    return static_cast<std::uint32_t>(number);
  };
  std::uint64_t page = 0;
  const unsigned warps = info_.shape.warps_per_block();
  for (Place& place : places_) {
    page += in.difference();
    place.page = check(page);
    place.offset = static_cast<std::uint32_t>(in.bounded(pages_[place.page].raw, "a block's place"));
    place.packed = static_cast<std::uint32_t>(in.bounded(pages_[place.page].raw, "a block's place"));
    place.earlier.resize(static_cast<std::size_t>(in.bounded(in.left() / 2, "the number of pieces")));
    for (auto& [warp, number] : place.earlier) {
      warp = in.byte();
      if (warp >= warps) in.fail("a warp that the block does not have");
      number = check(in.varint());
    }
  }
  if (!in.empty()) {
    const auto wish = static_cast<std::uint8_t>(in.bounded(no_carveout, "the wish for a carve-out"));
    if (wish != no_carveout) info_.shape.carveout_percent = wish;
  }
  if (!in.empty()) {
    info_.shape.host_memory.resize(static_cast<std::size_t>(in.bounded(in.left() / 2, "the ranges of the host's memory")));
    std::uint64_t before = 0;
    for (traces::AddressRange& range : info_.shape.host_memory) {
      range.begin = before + in.bounded(~before, "a range of the host's memory");
      range.end = before = range.begin + in.bounded(~range.begin, "a range of the host's memory");
    }
  }
  if (!in.empty()) in.fail("a kernel's record with an end of its own");
  for (const PageEntry& entry : pages_)
    stored_bytes_ +=
        record_header_bytes + reader.header(entry.offset, RecordTag::page, most_page_bytes).stored;
  known_.resize(pages_.size());
}

std::shared_ptr<const Page> KernelTrace::page(std::uint32_t number) const {
  const PageEntry& entry = pages_[number];
  const std::scoped_lock lock(mutex_);
  if (std::shared_ptr<const Page> page = known_[number].lock()) return page;
  auto page = std::make_shared<Page>();
  page->bytes = reader_.record(entry.offset, RecordTag::page, most_page_bytes).payload;
  page->file_offset = entry.offset;
  if (page->bytes.size() != entry.raw)
    throw Error("a page of another size than its kernel says", entry.offset);
  known_[number] = page;
  kept_.push_back(page);
  if (kept_.size() > kept_pages) kept_.pop_front();
  return page;
}

}  // namespace warpgauge::native
