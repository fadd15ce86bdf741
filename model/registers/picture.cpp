#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/registers/reuse_cache.h"
#include "model/registers/see.h"
#include "traces/sass/print.h"

namespace warpgauge::registers {

using sass::Instruction;
using sass::Opcode;
using sass::Operand;

namespace {

// Colours that stay apart for the colour-blind; banks beyond them repeat.
constexpr const char* bank_colours[] = {"#4477aa", "#ddaa33", "#228833", "#aa3377"};
constexpr const char* conflict_colour = "#cc3311";

const char* colour_of(unsigned reg, const RegisterFile& file) {
  return bank_colours[reg % file.banks % 4];
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string open_svg(unsigned width, unsigned height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"9\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
}

std::string legend(unsigned x, unsigned y, const RegisterFile& file) {
  std::string out;
  for (unsigned b = 0; b < std::min(file.banks, 4U); ++b)
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"9\" height=\"9\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">bank "
        "{}</text>\n",
        x + 60 * b, y, bank_colours[b], x + 60 * b + 13, y + 8, b);
  return out;
}

// An FFMA that adds to its own register: d = x * y + d.
struct Product {
  std::uint32_t instruction = 0;
  unsigned x = 0;
  unsigned y = 0;
};

std::optional<Product> product_of(const Instruction& i, std::uint32_t at) {
  if (i.opcode != Opcode::FFMA || i.operand_count < 4) return std::nullopt;
  for (std::size_t o = 0; o < 4; ++o)
    if (i.operand(o).kind != sass::OperandKind::register_ || i.operand(o).index == Operand::rz)
      return std::nullopt;
  if (i.operand(0).index != i.operand(3).index) return std::nullopt;
  return Product{at, i.operand(1).index, i.operand(2).index};
}

struct Tile {
  std::vector<unsigned> columns;  // registers of one slice, in the order of their first use
  std::vector<unsigned> rows;
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> cells;  // (row, column): instruction
};

// Whether the products split into two slices so that each product takes one register from either.
std::optional<Tile> tile_of(std::span<const Product> products) {
  if (products.size() < 4) return std::nullopt;
  std::map<unsigned, std::vector<unsigned>> partners;
  for (const Product& p : products) {
    partners[p.x].push_back(p.y);
    partners[p.y].push_back(p.x);
  }
  std::map<unsigned, bool> is_column;
  std::vector<unsigned> work{products.front().x};
  is_column[work.front()] = true;
  while (!work.empty()) {
    const unsigned at = work.back();
    work.pop_back();
    for (const unsigned p : partners[at]) {
      const auto [found, fresh] = is_column.try_emplace(p, !is_column[at]);
      if (fresh)
        work.push_back(p);
      else if (found->second == is_column[at])
        return std::nullopt;
    }
  }
  Tile tile;
  for (const Product& p : products) {
    if (is_column.find(p.x) == is_column.end()) continue;  // another product of the same block
    const unsigned column = is_column[p.x] ? p.x : p.y;
    const unsigned row = is_column[p.x] ? p.y : p.x;
    if (!tile.cells.try_emplace({row, column}, p.instruction).second)
      continue;  // the next step of the same tile
    if (std::find(tile.columns.begin(), tile.columns.end(), column) == tile.columns.end())
      tile.columns.push_back(column);
    if (std::find(tile.rows.begin(), tile.rows.end(), row) == tile.rows.end()) tile.rows.push_back(row);
  }
  if (tile.columns.size() < 2 || tile.rows.size() < 2 ||
      tile.cells.size() < tile.columns.size() * tile.rows.size())
    return std::nullopt;
  return tile;
}

// The first complete tile of the block. A step of the product ends where an accumulator comes again.
std::optional<Tile> find_tile(std::span<const Instruction> code, const Block& block) {
  std::vector<Product> step;
  std::set<unsigned> accumulators;
  for (std::uint32_t i = block.first; i < block.end; ++i) {
    const auto p = product_of(code[i], i);
    if (!p) continue;
    if (!accumulators.insert(code[i].operand(0).index).second) {
      if (auto tile = tile_of(step)) return tile;
      step.clear();
      accumulators = {code[i].operand(0).index};
    }
    step.push_back(*p);
  }
  return tile_of(step);
}

constexpr unsigned cell = 34;

std::string draw_tile(const Tile& tile, const TitledCode& code, const RegisterFile& file, unsigned top) {
  std::string out =
      fmt::format("<text x=\"10\" y=\"{}\" font-size=\"12\">{}</text>\n", top + 12, escaped(code.title));
  const unsigned x0 = 10;
  const unsigned y0 = top + 20;
  const auto draw = [&](unsigned x, unsigned y, unsigned reg, const std::string& extra) {
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\" fill=\"{}\" {}/>"
        "<text x=\"{}\" y=\"{}\" fill=\"white\" text-anchor=\"middle\">{}</text>\n",
        x, y, cell - 2, colour_of(reg, file), extra, x + cell / 2 - 1, y + 13, reg);
  };
  for (std::size_t c = 0; c < tile.columns.size(); ++c)
    draw(x0 + cell * static_cast<unsigned>(c + 1) + 6, y0, tile.columns[c], "opacity=\"0.75\"");
  for (std::size_t r = 0; r < tile.rows.size(); ++r) {
    const unsigned y = y0 + 22 * static_cast<unsigned>(r + 1) + 6;
    draw(x0, y, tile.rows[r], "opacity=\"0.75\"");
    for (std::size_t c = 0; c < tile.columns.size(); ++c) {
      const auto found = tile.cells.find({tile.rows[r], tile.columns[c]});
      if (found == tile.cells.end()) continue;
      const unsigned accumulator = code.code[found->second].operand(0).index;
      const unsigned bank = accumulator % file.banks;
      const bool one_bank = tile.rows[r] % file.banks == bank && tile.columns[c] % file.banks == bank;
      const bool loses = code.report->instructions[found->second].lost_cycles != 0;
      draw(x0 + cell * static_cast<unsigned>(c + 1) + 6, y, accumulator,
           loses ? fmt::format("stroke=\"{}\" stroke-width=\"4\"", conflict_colour)
           : one_bank
               ? fmt::format("stroke=\"{}\" stroke-width=\"1\" stroke-dasharray=\"3 2\"", conflict_colour)
               : std::string());
    }
  }
  return out;
}

}  // namespace

Range hottest_range(const Analysis& analysis, const ConflictReport& report, std::uint32_t longest) {
  const std::vector<double> weights = weights_by_loop_depth(analysis.flow);
  double best = -1;
  Range range;
  for (const Block& b : analysis.flow.blocks) {
    double score = 0;
    for (std::uint32_t i = b.first; i < b.end; ++i)
      score += weights[i] * (1 + 1000.0 * report.instructions[i].lost_cycles);
    if (score > best) {
      best = score;
      range = {b.first, std::min(b.end, b.first + longest)};
    }
  }
  return range;
}

std::string register_map_svg(std::span<const Instruction> code, const Analysis& analysis,
                             const ConflictReport& report, const RegisterFile& file, const Range& range,
                             const std::string& title) {
  const AccessTable accesses(code);
  const Liveness live = liveness(code, analysis.flow, accesses);
  const std::vector<RegisterSet> after = live_after_each(code, analysis.flow, accesses, live);
  const std::vector<char> hits = reuse_hits(code, analysis.flow, accesses, file.banks);
  unsigned rows = 1;
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    after[i].for_each([&](unsigned r) { rows = std::max(rows, r + 1); });
    for (const RegisterAccess& a : accesses.of(i)) rows = std::max(rows, a.register_ + 1U);
  }
  constexpr unsigned w = 8;
  constexpr unsigned h = 8;
  constexpr unsigned left = 40;
  constexpr unsigned top = 46;
  const unsigned columns = range.end - range.first;
  std::string out = open_svg(left + w * columns + 20, top + h * rows + 30);
  out += fmt::format("<text x=\"10\" y=\"16\" font-size=\"12\">{}</text>\n", escaped(title));
  out += legend(left, 22, file);
  for (unsigned r = 0; r < rows; r += 4)
    out += fmt::format("<text x=\"10\" y=\"{}\">R{}</text>\n", top + h * r + 7, r);
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    if (analysis.flow.block_of[i] == no_block) continue;
    const unsigned x = left + w * (i - range.first);
    out += fmt::format("<g><title>0x{:04x} {}</title>", i * sass::instruction_bytes,
                       escaped(sass::print(code[i])));
    if (report.instructions[i].lost_cycles != 0)
      out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"6\" fill=\"{}\"/>", x, top - 8, w - 1,
                         conflict_colour);
    after[i].for_each([&](unsigned r) {
      out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" opacity=\"0.25\"/>",
                         x, top + h * r, w, h - 1, colour_of(r, file));
    });
    const auto list = accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const RegisterAccess& a = list[k];
      const unsigned y = top + h * a.register_;
      if (a.write)
        out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"3\" height=\"{}\" fill=\"{}\"/>", x + w - 3, y,
                           h - 1, colour_of(a.register_, file));
      if (a.read)
        out +=
            fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2\" fill=\"{}\" stroke=\"{}\"/>", x + 3, y + h / 2,
                        hits[accesses.first(i) + k] != 0 ? "white" : colour_of(a.register_, file),
                        colour_of(a.register_, file));
    }
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

std::string tile_svg(std::span<const TitledCode> codes, const Analysis& analysis, const RegisterFile& file) {
  if (codes.empty()) return {};
  // The block with the largest tile, by the first code; renaming keeps its shape.
  const Block* largest = nullptr;
  std::size_t cells = 0;
  for (const Block& b : analysis.flow.blocks)
    if (const auto tile = find_tile(codes.front().code, b); tile && tile->cells.size() > cells) {
      largest = &b;
      cells = tile->cells.size();
    }
  if (largest == nullptr) return {};
  unsigned top = 30;
  std::string body;
  unsigned width = 0;
  for (const TitledCode& code : codes) {
    const auto tile = find_tile(code.code, *largest);
    if (!tile) continue;
    body += draw_tile(*tile, code, file, top);
    top += 22 * static_cast<unsigned>(tile->rows.size() + 1) + 50;
    width = std::max(width, cell * static_cast<unsigned>(tile->columns.size() + 1) + 40);
  }
  return open_svg(std::max(width, 200U), top) + legend(10, 8, file) + body + "</svg>\n";
}

}  // namespace warpgauge::registers
