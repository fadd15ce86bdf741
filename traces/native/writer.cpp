#include "traces/native/writer.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace warpgauge::native {

namespace {

void append(Bytes& to, const Bytes& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// FNV-1a, eight bytes at a time.
std::uint64_t hash(ByteView bytes) {
  std::uint64_t value = 14695981039346656037ULL ^ bytes.size();
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof value))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
    value = (value ^ word) * 1099511628211ULL;
    value ^= value >> 32;
  }
  return value;
}

// What warps of other blocks or copies do to a warp is not in the format.
bool meets_others(const sass::Instruction& instruction) {
  using sass::Opcode;
  switch (instruction.opcode) {
    case Opcode::UCGABAR_ARV:
    case Opcode::UCGABAR_WAIT:
    case Opcode::STAS:
    case Opcode::REDAS:
    case Opcode::UBLKCP:
    case Opcode::UBLKRED:
    case Opcode::UTMALDG:
    case Opcode::UTMASTG:
    case Opcode::UTMAREDG:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct Writer::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  Bytes buffer;

  explicit Compressor(int level) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  }
  ~Compressor() { ZSTD_freeCCtx(context); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  ByteView compress(ByteView payload) {
    buffer.resize(ZSTD_compressBound(payload.size()));
    const std::size_t size =
        ZSTD_compress2(context, buffer.data(), buffer.size(), payload.data(), payload.size());
    if (ZSTD_isError(size) != 0) throw Error(std::string("zstd: ") + ZSTD_getErrorName(size));
    return ByteView(buffer).first(size);
  }
};

Writer::Writer(const std::string& path, int level)
    : path_(path),
      out_(path, std::ios::binary | std::ios::trunc | std::ios::in | std::ios::out),
      compressor_(std::make_unique<Compressor>(level)) {
  if (!out_) throw Error(path + ": cannot be written");
  Bytes header;
  put(header, file_magic);
  put(header, format_version);
  put(header, std::uint32_t{0});
  write(header);
}

Writer::~Writer() {
  if (finished_) return;
  // Nobody could read it.
  out_.close();
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path_, ignored)) std::filesystem::remove(path_, ignored);
}

void Writer::write(ByteView bytes) {
  out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out_) throw Error(path_ + ": cannot be written", offset_);
  offset_ += bytes.size();
}

Writer::Written Writer::write_record(RecordTag tag, ByteView payload) {
  return write_frame(tag, compressor_->compress(payload), payload.size());
}

Writer::Written Writer::write_frame(RecordTag tag, ByteView frame, std::uint64_t raw) {
  const Written written{offset_, raw};
  Bytes header;
  put_record_header(header, {tag, frame.size(), raw});
  write(header);
  write(frame);
  return written;
}

Writer::Written Writer::write_page(ByteView payload) {
  const ByteView frame = compressor_->compress(payload);
  const auto [first, last] = frames_.equal_range(hash(frame));
  for (auto known = first; known != last; ++known)
    if (holds(known->second + record_header_bytes, frame)) return {known->second, payload.size()};
  const Written written = write_frame(RecordTag::page, frame, payload.size());
  frames_.emplace(hash(frame), written.offset);
  return written;
}

bool Writer::holds(std::uint64_t offset, ByteView bytes) {
  if (offset + bytes.size() > offset_) return false;
  Bytes written(bytes.size());
  out_.seekg(static_cast<std::streamoff>(offset));
  out_.read(reinterpret_cast<char*>(written.data()), static_cast<std::streamsize>(written.size()));
  const bool same = out_.good() && std::equal(bytes.begin(), bytes.end(), written.begin());
  out_.clear();
  out_.seekp(static_cast<std::streamoff>(offset_));
  return same;
}

std::uint32_t Writer::add_module(ModuleImage module) {
  const std::uint64_t cubin_hash = hash(module.cubin);
  Bytes payload;
  put_varint(payload, module.code_base);
  put_varint(payload, module.segments.size());
  for (const std::uint64_t segment : module.segments) put_varint(payload, segment);
  put_varint(payload, module.cubin.size());
  payload.insert(payload.end(), module.cubin.begin(), module.cubin.end());
  module.cubin.clear();
  for (std::size_t i = 0; i < module_heads_.size(); ++i)
    if (module_hashes_[i] == cubin_hash && module_heads_[i] == module) return static_cast<std::uint32_t>(i);
  modules_.push_back(write_record(RecordTag::module_, payload).offset);
  module_heads_.push_back(std::move(module));
  module_hashes_.push_back(cubin_hash);
  return static_cast<std::uint32_t>(modules_.size() - 1);
}

std::unique_ptr<KernelWriter> Writer::begin_kernel(KernelInfo info, std::span<const sass::Instruction> code) {
  if (std::ranges::any_of(code, meets_others))
    throw Error("kernel " + info.shape.kernel + ": clusters and bulk copies are not recorded");
  info.classes = classify(code);
  info.warp_instructions = 0;
  info.thread_instructions = 0;
  return std::unique_ptr<KernelWriter>(new KernelWriter(*this, std::move(info), code));
}

void Writer::finish() {
  Bytes index;
  put_varint(index, modules_.size());
  for (const std::uint64_t offset : modules_) put_varint(index, offset);
  put_varint(index, kernels_.size());
  for (const std::uint64_t offset : kernels_) put_varint(index, offset);
  const std::uint64_t at = write_record(RecordTag::index, index).offset;
  Bytes footer;
  put(footer, at);
  put(footer, offset_ + footer_bytes);
  put(footer, footer_magic);
  write(footer);
  out_.flush();
  finished_ = true;
  if (!out_) throw Error(path_ + ": cannot be written", offset_);
}

class KernelWriter::BlockWriter final : public traces::BlockObserver {
 public:
  BlockWriter(KernelWriter& kernel, unsigned warps) : kernel_(kernel), warps_(warps) {}

  void begin(std::uint64_t linear) {
    linear_ = linear;
    earlier_.clear();
    const std::uint32_t threads = kernel_.info_.shape.threads_per_block();
    for (unsigned w = 0; w < warps_.size(); ++w)
      warps_[w].begin(kernel_.map_, {kernel_.info_.entry, initial_lanes(threads, w)}, w);
  }

  void issued(unsigned warp, std::uint32_t index, const traces::Issued& issued) override {
    WarpEncoder& encoder = warps_[warp];
    encoder.add(index, issued);
    if (encoder.bytes().size() < piece_bytes) return;
    earlier_.emplace_back(static_cast<std::uint8_t>(warp), kernel_.write_piece(encoder.bytes()));
    encoder.bytes().clear();
  }

  KernelWriter& kernel_;
  std::vector<WarpEncoder> warps_;
  std::uint64_t linear_ = 0;
  std::vector<std::pair<std::uint8_t, std::uint32_t>> earlier_;
};

KernelWriter::KernelWriter(Writer& writer, KernelInfo info, std::span<const sass::Instruction> code)
    : writer_(writer), info_(std::move(info)), map_(make_code_map(code, info_.classes)) {}

KernelWriter::~KernelWriter() = default;

traces::BlockObserver& KernelWriter::begin_block(std::uint64_t linear_block) {
  std::unique_ptr<BlockWriter> block;
  {
    const std::scoped_lock lock(mutex_);
    if (!spare_.empty()) {
      block = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (block == nullptr) block = std::make_unique<BlockWriter>(*this, info_.shape.warps_per_block());
  block->begin(linear_block);
  const std::scoped_lock lock(mutex_);
  return *running_.emplace(block.get(), std::move(block)).first->second;
}

std::uint32_t KernelWriter::write_page(ByteView payload) {
  pages_.push_back(writer_.write_page(payload));
  return static_cast<std::uint32_t>(pages_.size() - 1);
}

std::uint32_t KernelWriter::write_piece(const WarpBytes& piece) {
  Bytes payload;
  put_varint(payload, piece.tokens.size());
  append(payload, piece.tokens);
  append(payload, piece.packed);
  const std::scoped_lock lock(mutex_);
  return write_page(payload);
}

void KernelWriter::flush() {
  if (page_blocks_.empty()) return;
  const auto tokens = static_cast<std::uint32_t>(page_.tokens.size());
  append(page_.tokens, page_.packed);
  const std::uint32_t page = write_page(page_.tokens);
  for (const std::uint64_t block : page_blocks_) {
    Place& place = places_[block];
    place.page = page;
    place.packed += tokens;
  }
  page_.clear();
  page_blocks_.clear();
}

void KernelWriter::end_block(traces::BlockObserver& observer) {
  const std::scoped_lock lock(mutex_);
  const auto found = running_.find(&observer);
  if (found == running_.end()) throw Error("a block that was not begun has ended");
  std::unique_ptr<BlockWriter> block = std::move(found->second);
  running_.erase(found);
  if (block->linear_ >= info_.shape.grid.count() || places_.contains(block->linear_))
    throw Error("a block that the grid does not have, or that was recorded already, has ended");
  Place& place = places_[block->linear_];
  place.offset = static_cast<std::uint32_t>(page_.tokens.size());
  place.packed = static_cast<std::uint32_t>(page_.packed.size());
  place.earlier = block->earlier_;
  page_blocks_.push_back(block->linear_);
  for (WarpEncoder& warp : block->warps_) {
    if (!warp.exited()) throw Error("a block has ended before all of its warps exited");
    put_varint(page_.tokens, warp.bytes().tokens.size());
    put_varint(page_.tokens, warp.bytes().packed.size());
    info_.warp_instructions += warp.instructions();
    info_.thread_instructions += warp.thread_instructions();
  }
  for (WarpEncoder& warp : block->warps_) {
    append(page_.tokens, warp.bytes().tokens);
    append(page_.packed, warp.bytes().packed);
  }
  spare_.push_back(std::move(block));
  if (page_.size() >= page_bytes) flush();
}

void KernelWriter::finish() {
  const std::scoped_lock lock(mutex_);
  if (places_.size() != info_.shape.grid.count())
    throw Error("not all blocks of the kernel have been recorded");
  flush();
  Bytes record;
  put_kernel_info(record, info_);
  put_varint(record, pages_.size());
  std::uint64_t last = 0;
  for (const Writer::Written& page : pages_) {
    put_signed(record, page.offset - last);
    put_varint(record, page.raw);
    last = page.offset;
  }
  std::uint64_t page = 0;
  for (std::uint64_t block = 0; block < places_.size(); ++block) {
    const Place& place = places_.at(block);
    put_signed(record, place.page - page);
    page = place.page;
    put_varint(record, place.offset);
    put_varint(record, place.packed);
    put_varint(record, place.earlier.size());
    for (const auto& [warp, number] : place.earlier) {
      record.push_back(warp);
      put_varint(record, number);
    }
  }
  const std::vector<traces::AddressRange>& host = info_.shape.host_memory;
  if (info_.shape.carveout_percent || !host.empty()) put_varint(record, info_.shape.carveout_percent.value_or(no_carveout));
  if (!host.empty()) {
    put_varint(record, host.size());
    std::uint64_t before = 0;
    for (const traces::AddressRange& range : host) {
      put_varint(record, range.begin - before);
      put_varint(record, range.end - range.begin);
      before = range.end;
    }
  }
  writer_.kernels_.push_back(writer_.write_record(RecordTag::kernel, record).offset);
}

}  // namespace warpgauge::native
