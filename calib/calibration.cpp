#include "calib/calibration.h"

#include <array>
#include <utility>

namespace warpgauge::calib {
namespace {

template <class E, std::size_t N>
using Names = std::array<std::pair<E, std::string_view>, N>;

constexpr Names<Unit, 13> units{{{Unit::count, "count"},
                                 {Unit::flag, "flag"},
                                 {Unit::choice, "choice"},
                                 {Unit::cycles, "cycles"},
                                 {Unit::bytes, "bytes"},
                                 {Unit::bytes_per_cycle, "bytes/cycle"},
                                 {Unit::operations_per_cycle, "operations/cycle"},
                                 {Unit::lines_per_cycle, "lines/cycle"},
                                 {Unit::MHz, "MHz"},
                                 {Unit::ns, "ns"},
                                 {Unit::percent, "percent"},
                                 {Unit::GB_per_s, "GB/s"},
                                 {Unit::Gop_per_s, "Gop/s"}}};

constexpr Names<Source, 4> sources{{{Source::measured, "measured"},
                                    {Source::published, "published"},
                                    {Source::derived, "derived"},
                                    {Source::assumed, "assumed"}}};

template <class E, std::size_t N>
constexpr std::string_view find(const Names<E, N>& names, E value) {
  for (const auto& [key, text] : names)
    if (key == value) return text;
  return "?";
}

template <class E, std::size_t N>
constexpr std::optional<E> find(const Names<E, N>& names, std::string_view text) {
  for (const auto& [key, value] : names)
    if (value == text) return key;
  return std::nullopt;
}

}  // namespace

std::string_view name(Unit unit) {
  return find(units, unit);
}
std::optional<Unit> parse_unit(std::string_view text) {
  return find(units, text);
}
std::string_view name(Source source) {
  return find(sources, source);
}
std::optional<Source> parse_source(std::string_view text) {
  return find(sources, text);
}

std::string_view name(IssuePolicy value) {
  return choices<IssuePolicy>()[static_cast<std::size_t>(value)];
}
std::string_view name(BlockPriority value) {
  return choices<BlockPriority>()[static_cast<std::size_t>(value)];
}
std::string_view name(Replacement value) {
  return choices<Replacement>()[static_cast<std::size_t>(value)];
}
std::string_view name(WritePolicy value) {
  return choices<WritePolicy>()[static_cast<std::size_t>(value)];
}
std::string_view name(BlockOrder value) {
  return choices<BlockOrder>()[static_cast<std::size_t>(value)];
}

namespace {

struct FindLatency {
  std::string_view wanted;
  std::optional<Integer> found;
  void operator()(const Key& key, const Integer& value) {
    if (std::string_view(key.path).substr(1) == wanted) found = value;
  }
};

}  // namespace

std::optional<Integer> opcode_latency(const Calibration& calibration, std::string_view mnemonic) {
  std::string wanted(mnemonic);
  for (char& c : wanted)
    if (c == '.') c = '_';
  FindLatency find_latency{wanted, std::nullopt};
  OpcodeLatencies::visit(calibration.latency.opcode, "", find_latency);
  return find_latency.found;
}

}  // namespace warpgauge::calib
