// .traceg: blocks and warps of lines, grouped.
#include "traces/accelsim/import.h"
#include "traces/accelsim/number.h"

namespace warpgauge::accelsim {
namespace {

class Traceg final : public KernelLines, public WarpLines {
 public:
  explicit Traceg(std::unique_ptr<TextSource> source)
      : owned_(std::move(source)), source_(*owned_), header_(parse_header(source_)) {}

  [[nodiscard]] const KernelHeader& header() const override { return header_; }
  [[noreturn]] void fail(const std::string& what) const override { source_.fail(what); }
  WarpLines& lines() override { return *this; }

  bool next_block(std::uint64_t& linear) override {
    std::string_view line;
    if (!filled(line)) return false;
    if (line != "#BEGIN_TB") source_.fail("#BEGIN_TB is expected");
    if (!filled(line) || !line.starts_with("thread block")) source_.fail("\"thread block =\" is expected");
    std::uint64_t at[3] = {};
    std::string_view rest = value(line);
    for (unsigned i = 0; i < 3; ++i) {
      const std::size_t comma = rest.find(',');
      if ((comma == std::string_view::npos) != (i == 2))
        source_.fail("a block's place that is not three numbers");
      at[i] = number(rest.substr(0, comma));
      if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
    }
    if (at[0] >= header_.grid.x || at[1] >= header_.grid.y || at[2] >= header_.grid.z)
      source_.fail("a block outside the grid");
    linear = at[0] + header_.grid.x * (at[1] + header_.grid.y * at[2]);
    return true;
  }

  bool next_warp(unsigned& warp) override {
    std::string_view line;
    if (!filled(line)) source_.fail("the trace ends inside a block");
    if (line == "#END_TB") return false;
    if (!line.starts_with("warp")) source_.fail("\"warp =\" is expected");
    const std::uint64_t which = number(value(line));
    if (which >= traces::max_warps_per_block) source_.fail("a warp that a block does not have");
    warp = static_cast<unsigned>(which);
    if (!filled(line) || !line.starts_with("insts")) source_.fail("\"insts =\" is expected");
    left_ = number(value(line));
    return true;
  }

  bool next(TraceLine& line) override {
    if (left_ == 0) return false;
    --left_;
    std::string_view text;
    if (!filled(text)) source_.fail("the trace ends inside a warp");
    parse_line(line, text, header_.lines, source_);
    return true;
  }

 private:
  // The next line that is not blank, without blanks around it.
  bool filled(std::string_view& line) {
    while (source_.next(line)) {
      line = trimmed(line);
      if (!line.empty()) return true;
    }
    return false;
  }
  [[nodiscard]] std::string_view value(std::string_view line) const {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) source_.fail("'=' is expected");
    line.remove_prefix(equals + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
  }
  [[nodiscard]] std::uint64_t number(std::string_view text) const {
    return parse_number<std::uint64_t>(text, 10, "a number", source_);
  }

  std::unique_ptr<TextSource> owned_;
  TextSource& source_;
  KernelHeader header_;
  std::uint64_t left_ = 0;  // lines of the warp
};

}  // namespace

std::unique_ptr<KernelLines> read_traceg(std::unique_ptr<TextSource> source) {
  return std::make_unique<Traceg>(std::move(source));
}

}  // namespace warpgauge::accelsim
