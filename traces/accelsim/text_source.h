// Lines of a foreign trace, plain or compressed, read piece by piece. Files are opened here, never by a
// shell.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/accelsim/error.h"

namespace warpgauge::accelsim {

class TextSource {
 public:
  explicit TextSource(std::string name) : name_(std::move(name)) {}
  virtual ~TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  // False at the end. The line has no line end and lasts until the next call. Throws Error, also for a line
  // of more than a mebibyte and for one without an end.
  bool next(std::string_view& line);
  // Gives the last line once more.
  void back() { again_ = true; }

  // "at byte N" of the line that was read last.
  [[noreturn]] void fail(const std::string& what) const;
  [[nodiscard]] const std::string& name() const { return name_; }

 protected:
  // Appends some bytes; false when there are no more.
  virtual bool more(std::string& to) = 0;

 private:
  std::string name_;
  std::string buffer_;
  std::size_t at_ = 0;         // of the next line in the buffer
  std::uint64_t before_ = 0;   // bytes that have left the buffer
  std::uint64_t line_at_ = 0;  // of the last line
  std::string_view line_;
  bool again_ = false;
  bool ended_ = false;
};

// Plain, or xz where the name ends so. Throws Error.
std::unique_ptr<TextSource> open_text(const std::string& path);
std::unique_ptr<TextSource> text_in_memory(std::string text, const std::string& name = "trace");
// The same for xz data in memory.
std::unique_ptr<TextSource> xz_in_memory(std::string data, const std::string& name = "trace");

}  // namespace warpgauge::accelsim
