// Reads a trace file piece by piece: the index first, a kernel's pages as they are needed.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "traces/cubin/load.h"
#include "traces/native/code_map.h"
#include "traces/native/format.h"
#include "traces/native/warp_codec.h"

namespace warpgauge::native {

// Where the bytes come from. Reads may come from several threads.
class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Fills `to` from `offset`, which lies inside. Throws Error.
  virtual void read(std::uint64_t offset, std::span<std::uint8_t> to) const = 0;
};

std::unique_ptr<Source> open_file(const std::string& path);  // throws Error
std::unique_ptr<Source> from_memory(Bytes bytes);

// Whether a file begins as a trace does.
bool is_trace(const std::string& path);

struct Page {
  Bytes bytes;
  std::uint64_t file_offset = 0;
};

class Reader;

// One recorded launch.
class KernelTrace {
 public:
  [[nodiscard]] const KernelInfo& info() const { return info_; }
  // As it was loaded when the trace was recorded.
  [[nodiscard]] std::span<const sass::Instruction> code() const { return code_; }
  [[nodiscard]] const CodeMap& map() const { return map_; }
  [[nodiscard]] std::uint64_t blocks() const { return places_.size(); }
  [[nodiscard]] std::uint64_t stored_bytes() const {
    return stored_bytes_;
  }  // of its pages, as they lie in the file

  struct Place {
    std::uint32_t page = 0;
    std::uint32_t offset = 0;                                     // of its lengths and tokens
    std::uint32_t packed = 0;                                     // … and of its packed numbers
    std::vector<std::pair<std::uint8_t, std::uint32_t>> earlier;  // warp, page: pieces before the page's
  };
  [[nodiscard]] const Place& place(std::uint64_t block) const { return places_.at(block); }

  // Pages that are in use, and a few more, are kept.
  [[nodiscard]] std::shared_ptr<const Page> page(std::uint32_t number) const;

 private:
  friend class Reader;
  KernelTrace(const Reader& reader, std::uint64_t offset);

  struct PageEntry {
    std::uint64_t offset = 0;
    std::uint64_t raw = 0;
  };
  const Reader& reader_;
  KernelInfo info_;
  std::vector<sass::Instruction> code_;
  CodeMap map_;
  std::vector<PageEntry> pages_;
  std::vector<Place> places_;
  std::uint64_t stored_bytes_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<std::weak_ptr<const Page>> known_;
  mutable std::list<std::shared_ptr<const Page>> kept_;
};

class Reader {
 public:
  // Throws Error: not a trace, another version, truncated, damaged.
  explicit Reader(std::unique_ptr<Source> source);
  explicit Reader(const std::string& path) : Reader(open_file(path)) {}

  [[nodiscard]] std::size_t kernels() const { return kernels_.size(); }
  [[nodiscard]] std::size_t modules() const { return modules_.size(); }
  // Reads what is not read yet; must not outlive the reader. Throws Error.
  [[nodiscard]] std::shared_ptr<const KernelTrace> kernel(std::size_t number) const;
  [[nodiscard]] ModuleImage module(std::size_t number) const;
  [[nodiscard]] std::uint64_t file_bytes() const { return source_->size(); }

 private:
  friend class KernelTrace;
  struct Record {
    Bytes payload;
    std::uint64_t stored = 0;
  };
  [[nodiscard]] Record record(std::uint64_t offset, RecordTag tag, std::uint64_t most) const;
  [[nodiscard]] RecordHeader header(std::uint64_t offset, RecordTag tag, std::uint64_t most) const;

  std::unique_ptr<Source> source_;
  std::vector<std::uint64_t> modules_;
  std::vector<std::uint64_t> kernels_;
};

// Loads the module as it was loaded when the trace was recorded. Throws cubin::Error.
cubin::LoadedModule load(const ModuleImage& module);

}  // namespace warpgauge::native
