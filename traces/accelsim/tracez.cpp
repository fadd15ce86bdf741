#include "traces/accelsim/tracez.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>

#include "traces/native/bytes.h"

namespace warpgauge::accelsim {
namespace {

constexpr std::uint64_t most_header_bytes = std::uint64_t{1} << 16;
constexpr std::uint64_t most_dictionary_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t most_chunk_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t place_words =
    11;  // of a block in the index: three places, a rank and the number of warps

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class Tracez final : public KernelLines, public WarpLines {
 public:
  Tracez(std::unique_ptr<native::Source> source, const std::string& name)
      : source_(std::move(source)), name_(name), context_(ZSTD_createDCtx()) {
    read_header();
    read_index();
  }

  [[nodiscard]] const KernelHeader& header() const override { return header_; }
  WarpLines& lines() override { return *this; }
  [[noreturn]] void fail(const std::string& what) const override { fail_at(what, at_); }

  bool next_block(std::uint64_t& linear) override {
    if (block_ == blocks_.size()) return false;
    linear = blocks_[block_++].linear;
    warp_ = 0;
    return true;
  }
  bool next_warp(unsigned& warp) override {
    const Block& block = blocks_[block_ - 1];
    if (warp_ == block.warps.size()) return false;
    const Warp& next = block.warps[warp_];
    warp = warp_++;
    left_ = next.instructions;
    chunks_ = next.chunks;
    at_ = next.offset;
    text_ = text_in_memory("", name_);
    return true;
  }
  bool next(TraceLine& line) override {
    if (left_ == 0) return false;
    std::string_view text;
    for (;;) {
      if (!text_->next(text))
        next_chunk();
      else if (!text.empty())
        break;
    }
    --left_;
    parse_line(line, text, header_.lines, *text_);
    return true;
  }

 private:
  struct Warp {
    std::uint64_t offset = 0;  // of its first chunk's length
    std::uint32_t instructions = 0;
    std::uint32_t chunks = 0;
  };
  struct Block {
    std::uint64_t linear = 0;
    std::vector<Warp> warps;
  };

  [[noreturn]] void fail_at(const std::string& what, std::uint64_t offset) const {
    throw Error(fmt::format("{}: {} (at byte {})", name_, what, offset));
  }
  native::Bytes read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > source_->size() || count > source_->size() - offset)
      fail_at("the trace is truncated", offset);
    native::Bytes bytes(static_cast<std::size_t>(count));
    source_->read(offset, bytes);
    return bytes;
  }
  std::uint32_t word(std::uint64_t offset) const {
    const native::Bytes bytes = read(offset, 4);
    return native::Cursor(bytes, offset).get<std::uint32_t>();
  }

  void read_header() {
    const native::Bytes head = read(0, std::min(source_->size(), most_header_bytes));
    const auto end = std::find(head.begin(), head.end(), std::uint8_t{0});
    if (end == head.end()) fail_at("a header without an end", 0);
    std::string text(head.begin(), end);
    if (!text.ends_with('\n')) text += '\n';
    const auto lines = text_in_memory(std::move(text), name_);
    header_ = parse_header(*lines);
    std::uint64_t at = static_cast<std::uint64_t>(end - head.begin()) + 1;
    const std::uint32_t size = word(at);
    if (size > most_dictionary_bytes) fail_at("a dictionary that is too large", at);
    at += 8;  // its size, and how many instructions a chunk has when it is full
    dictionary_ = read(at, size);
    if (!dictionary_.empty()) {
      const std::size_t result =
          ZSTD_DCtx_loadDictionary(context_.get(), dictionary_.data(), dictionary_.size());
      if (ZSTD_isError(result) != 0) fail_at("a dictionary that is damaged", at);
    }
  }

  void read_index() {
    if (source_->size() < 8) fail_at("the trace is truncated", source_->size());
    const std::uint64_t end = source_->size() - 8;
    const native::Bytes tail = read(end, 8);
    const auto begin = native::Cursor(tail, end).get<std::uint64_t>();
    if (begin > end) fail_at("the index lies outside the file", end);
    const native::Bytes bytes = read(begin, end - begin);
    try {
      native::Cursor in(bytes, begin);
      const auto blocks = in.get<std::uint32_t>();
      if (blocks > in.left() / (4 * place_words)) in.fail("more blocks than the index holds");
      blocks_.resize(blocks);
      for (Block& block : blocks_) read_block(in, block);
    } catch (const native::Error& error) {
      throw Error(name_ + ": " + error.what());
    }
  }

  void read_block(native::Cursor& in, Block& block) const {
    std::uint32_t place[place_words];
    for (std::uint32_t& part : place) part = in.get<std::uint32_t>();
    const traces::Dim3 grid = header_.grid;
    if (place[0] >= grid.x || place[1] >= grid.y || place[2] >= grid.z) in.fail("a block outside the grid");
    block.linear = place[0] + grid.x * (place[1] + std::uint64_t{grid.y} * place[2]);
    const std::uint32_t warps = place[place_words - 1];
    if (warps > traces::max_warps_per_block) in.fail("more warps than a block has");
    block.warps.resize(warps);
    for (Warp& warp : block.warps) {
      warp.instructions = in.get<std::uint32_t>();
      warp.chunks = in.get<std::uint32_t>();
      warp.offset = in.get<std::uint64_t>();
      if (warp.chunks > in.left() / 4) in.fail("more chunks than the index holds");
      std::uint64_t sum = 0;
      for (std::uint32_t c = 0; c < warp.chunks; ++c) sum += in.get<std::uint32_t>();
      if (sum != warp.instructions) in.fail("chunks that are not the warp's instructions");
      // The warp's place in the file begins with the same two counts.
      if (word(warp.offset) != warp.instructions || word(warp.offset + 4) != warp.chunks)
        fail_at("a warp that is not the index's", warp.offset);
      warp.offset += 8;
    }
  }

  void next_chunk() {
    if (chunks_ == 0) fail("the trace ends inside a warp");
    --chunks_;
    const std::uint32_t stored = word(at_);
    const native::Bytes frame = read(at_ + 4, stored);
    const std::uint64_t size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (size > most_chunk_bytes) fail("a chunk that is damaged or too large");
    std::string text(static_cast<std::size_t>(size), '\0');
    const std::size_t result =
        ZSTD_decompressDCtx(context_.get(), text.data(), text.size(), frame.data(), frame.size());
    if (ZSTD_isError(result) != 0 || result != size) fail("a chunk that is damaged");
    at_ += 4 + std::uint64_t{stored};
    if (!text.ends_with('\n')) text += '\n';
    text_ = text_in_memory(std::move(text), fmt::format("{}, chunk before byte {}", name_, at_));
  }

  std::unique_ptr<native::Source> source_;
  std::string name_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  KernelHeader header_;
  native::Bytes dictionary_;
  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // the next one
  unsigned warp_ = 0;
  std::uint64_t left_ = 0;    // instructions of the warp
  std::uint32_t chunks_ = 0;  // … and its chunks that are not read yet
  std::uint64_t at_ = 0;      // the next chunk
  std::unique_ptr<TextSource> text_;
};

}  // namespace

std::unique_ptr<KernelLines> read_tracez(std::unique_ptr<native::Source> source, const std::string& name) {
  return std::make_unique<Tracez>(std::move(source), name);
}

}  // namespace warpgauge::accelsim
