#include "traces/accelsim/text_source.h"

#include <lzma.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace warpgauge::accelsim {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr std::size_t most_line_bytes = std::size_t{1} << 20;
// What the dictionary of an xz file may cost.
constexpr std::uint64_t most_xz_memory = std::uint64_t{256} << 20;

class RawBytes {
 public:
  virtual ~RawBytes() = default;
  virtual std::size_t read(char* to, std::size_t most) = 0;  // 0 at the end
};

class FileBytes final : public RawBytes {
 public:
  explicit FileBytes(const std::string& path) : in_(path, std::ios::binary) {
    std::error_code ignored;
    if (!in_ || !std::filesystem::is_regular_file(path, ignored)) throw Error(path + ": cannot be read");
  }
  std::size_t read(char* to, std::size_t most) override {
    in_.read(to, static_cast<std::streamsize>(most));
    return static_cast<std::size_t>(in_.gcount());
  }

 private:
  std::ifstream in_;
};

class MemoryBytes final : public RawBytes {
 public:
  explicit MemoryBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::min(most, bytes_.size() - at_);
    std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

class PlainText final : public TextSource {
 public:
  PlainText(std::unique_ptr<RawBytes> bytes, const std::string& name)
      : TextSource(name), bytes_(std::move(bytes)) {}

 protected:
  bool more(std::string& to) override {
    const std::size_t size = to.size();
    to.resize(size + chunk_bytes);
    const std::size_t count = bytes_->read(to.data() + size, chunk_bytes);
    to.resize(size + count);
    return count != 0;
  }

 private:
  std::unique_ptr<RawBytes> bytes_;
};

class XzText final : public TextSource {
 public:
  XzText(std::unique_ptr<RawBytes> bytes, const std::string& name)
      : TextSource(name), bytes_(std::move(bytes)), in_(chunk_bytes, '\0') {
    if (lzma_stream_decoder(&stream_, most_xz_memory, LZMA_CONCATENATED) != LZMA_OK)
      throw Error(name + ": no memory to decompress it");
  }
  ~XzText() override { lzma_end(&stream_); }

 protected:
  bool more(std::string& to) override {
    if (done_) return false;
    const std::size_t size = to.size();
    to.resize(size + chunk_bytes);
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to.data() + size);
    stream_.avail_out = chunk_bytes;
    while (stream_.avail_out == chunk_bytes) {
      if (stream_.avail_in == 0 && !last_) {
        const std::size_t count = bytes_->read(in_.data(), in_.size());
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(in_.data());
        stream_.avail_in = count;
        last_ = count == 0;
      }
      const lzma_ret result = lzma_code(&stream_, last_ ? LZMA_FINISH : LZMA_RUN);
      if (result == LZMA_STREAM_END) {
        done_ = true;
        break;
      }
      if (result == LZMA_BUF_ERROR && last_) damaged("the compressed data is truncated");
      if (result == LZMA_MEMLIMIT_ERROR) damaged("the compressed data needs too much memory");
      if (result != LZMA_OK && result != LZMA_BUF_ERROR) damaged("the compressed data is damaged");
    }
    to.resize(to.size() - stream_.avail_out);
    return to.size() != size;
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(name() + ": " + what + " (at byte " + std::to_string(stream_.total_in) + " of the file)");
  }

  std::unique_ptr<RawBytes> bytes_;
  std::string in_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool last_ = false;
  bool done_ = false;
};

}  // namespace

bool TextSource::next(std::string_view& line) {
  if (again_) {
    again_ = false;
    line = line_;
    return true;
  }
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos) {
      line_at_ = before_ + at_;
      line_ = std::string_view(buffer_).substr(at_, end - at_);
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      at_ = end + 1;
      line = line_;
      return true;
    }
    line_at_ = before_ + at_;
    before_ += at_;
    buffer_.erase(0, at_);
    at_ = 0;
    if (buffer_.size() > most_line_bytes) fail("a line of more than a mebibyte");
    if (ended_ || !more(buffer_)) {
      ended_ = true;
      if (!buffer_.empty()) fail("the last line has no end: the trace is truncated");
      return false;
    }
  }
}

void TextSource::fail(const std::string& what) const {
  throw Error(name_ + ": " + what + " (at byte " + std::to_string(line_at_) + ")");
}

std::unique_ptr<TextSource> open_text(const std::string& path) {
  auto bytes = std::make_unique<FileBytes>(path);
  if (path.ends_with(".xz")) return std::make_unique<XzText>(std::move(bytes), path);
  return std::make_unique<PlainText>(std::move(bytes), path);
}

std::unique_ptr<TextSource> text_in_memory(std::string text, const std::string& name) {
  return std::make_unique<PlainText>(std::make_unique<MemoryBytes>(std::move(text)), name);
}

std::unique_ptr<TextSource> xz_in_memory(std::string data, const std::string& name) {
  return std::make_unique<XzText>(std::make_unique<MemoryBytes>(std::move(data)), name);
}

}  // namespace warpgauge::accelsim
