// Writes a trace file: modules, and kernels while they execute.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/native/code_map.h"
#include "traces/native/format.h"
#include "traces/native/warp_codec.h"
#include "traces/stream_observer.h"

namespace warpgauge::native {

class KernelWriter;

class Writer {
 public:
  // Throws Error when the file cannot be made. `level` is zstd's. A file that is not finished is removed.
  explicit Writer(const std::string& path, int level = 1);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // The module's number; the same module is written once.
  std::uint32_t add_module(ModuleImage module);

  // `info` without classes and counts; they follow from the code and what it does. The writer of a kernel
  // writes pages as it goes, and the kernel itself when it is finished. One kernel at a time.
  std::unique_ptr<KernelWriter> begin_kernel(KernelInfo info, std::span<const sass::Instruction> code);

  // Writes the index. Without it the file cannot be read.
  void finish();

  [[nodiscard]] std::uint64_t bytes() const { return offset_; }

 private:
  friend class KernelWriter;
  struct Compressor;
  struct Written {
    std::uint64_t offset = 0;
    std::uint64_t raw = 0;
  };
  Written write_record(RecordTag tag, ByteView payload);
  Written write_frame(RecordTag tag, ByteView frame, std::uint64_t raw);
  // A page that is in the file already is not written again: launches that repeat cost next to nothing.
  Written write_page(ByteView payload);
  bool holds(std::uint64_t offset, ByteView bytes);
  void write(ByteView bytes);

  bool finished_ = false;
  std::string path_;
  std::fstream out_;
  std::unique_ptr<Compressor> compressor_;
  std::uint64_t offset_ = 0;
  std::vector<ModuleImage> module_heads_;  // without the cubin, whose hash tells them apart
  std::vector<std::uint64_t> module_hashes_;
  std::unordered_multimap<std::uint64_t, std::uint64_t> frames_;  // of pages: hash, the record's offset
  std::vector<std::uint64_t> modules_;                            // offsets
  std::vector<std::uint64_t> kernels_;
};

// Records one launch. The observer's calls for different blocks may come from different threads.
class KernelWriter final : public traces::StreamObserver {
 public:
  ~KernelWriter() override;

  traces::BlockObserver& begin_block(std::uint64_t linear_block) override;
  void end_block(traces::BlockObserver& block) override;

  // All blocks have been recorded. Throws Error when one is missing. A kernel that is not finished leaves
  // nothing that a reader sees.
  void finish();

  [[nodiscard]] const KernelInfo& info() const { return info_; }
  [[nodiscard]] bool has(std::uint64_t linear_block) const { return places_.contains(linear_block); }

 private:
  friend class Writer;
  class BlockWriter;
  struct Place {
    std::uint32_t page = 0;
    std::uint32_t offset = 0;  // of its lengths and tokens
    std::uint32_t packed = 0;  // … and of its packed numbers, behind the page's tokens
    std::vector<std::pair<std::uint8_t, std::uint32_t>> earlier;  // warp, page
  };
  KernelWriter(Writer& writer, KernelInfo info, std::span<const sass::Instruction> code);
  std::uint32_t write_page(ByteView payload);
  std::uint32_t write_piece(const WarpBytes& piece);
  void flush();

  Writer& writer_;
  KernelInfo info_;
  CodeMap map_;
  std::mutex mutex_;  // guards what follows, and the writer
  std::vector<Writer::Written> pages_;
  WarpBytes page_;  // blocks that wait to be written
  std::vector<std::uint64_t> page_blocks_;
  std::unordered_map<std::uint64_t, Place> places_;  // of the blocks that have come
  std::vector<std::unique_ptr<BlockWriter>> spare_;
  std::map<traces::BlockObserver*, std::unique_ptr<BlockWriter>> running_;
};

}  // namespace warpgauge::native
