// What the silicon answered: every size, latency and rate that the model uses, typed, with its provenance.
//
// The members are made from the lists in keys.h. A key is the path of its member: c.l1.hit_latency is
// "l1.hit_latency", c.latency.opcode.FFMA is "latency.opcode.FFMA".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calib/keys.h"

namespace warpgauge::calib {

using Integer = std::uint32_t;
using Bytes = std::uint64_t;
using Real = double;
using Flag = bool;
using List = std::vector<std::uint64_t>;

enum class Unit : std::uint8_t {
  count,
  flag,
  choice,
  cycles,
  bytes,
  bytes_per_cycle,
  operations_per_cycle,
  lines_per_cycle,
  MHz,
  ns,
  percent,
  GB_per_s,
  Gop_per_s,  // of published figures only: no key has it
};

// "cycles", "bytes/cycle", "GB/s" …
std::string_view name(Unit unit);
std::optional<Unit> parse_unit(std::string_view text);

// Which of the warps that could issue does: after the one that issued last, if it still can.
enum class IssuePolicy : std::uint8_t { greedy_then_youngest, greedy_then_oldest, loose_round_robin };

// Whose warps go first where several blocks share an SM: those of the block that came first, or of the one that came last.
enum class BlockPriority : std::uint8_t { oldest_first, youngest_first };

enum class Replacement : std::uint8_t { lru, fifo, random, pseudo_random, not_lru };

enum class WritePolicy : std::uint8_t { write_through, write_back };

// linear: SM ids in order. tpc_first: one SM of every TPC before any second one. gpc_interleaved: round robin
// over the clusters, and in each over its TPCs before any second SM. most_room: the SM with most room left.
enum class BlockOrder : std::uint8_t { linear, tpc_first, gpc_interleaved, most_room };

// The names of an enumeration's values, in their order.
template <class E>
constexpr std::span<const std::string_view> choices();

#define WARPGAUGE_CHOICES(ENUM)                                 \
  template <>                                                   \
  constexpr std::span<const std::string_view> choices<ENUM>() { \
    return choice_names_##ENUM;                                 \
  }
inline constexpr std::string_view choice_names_IssuePolicy[] = {"greedy_then_youngest", "greedy_then_oldest",
                                                                "loose_round_robin"};
inline constexpr std::string_view choice_names_BlockPriority[] = {"oldest_first", "youngest_first"};
inline constexpr std::string_view choice_names_Replacement[] = {"lru", "fifo", "random", "pseudo_random",
                                                                "not_lru"};
inline constexpr std::string_view choice_names_WritePolicy[] = {"write_through", "write_back"};
inline constexpr std::string_view choice_names_BlockOrder[] = {"linear", "tpc_first", "gpc_interleaved",
                                                               "most_room"};
WARPGAUGE_CHOICES(IssuePolicy)
WARPGAUGE_CHOICES(BlockPriority)
WARPGAUGE_CHOICES(Replacement)
WARPGAUGE_CHOICES(WritePolicy)
WARPGAUGE_CHOICES(BlockOrder)
#undef WARPGAUGE_CHOICES

std::string_view name(IssuePolicy value);
std::string_view name(BlockPriority value);
std::string_view name(Replacement value);
std::string_view name(WritePolicy value);
std::string_view name(BlockOrder value);

enum class Source : std::uint8_t { measured, published, derived, assumed };

std::string_view name(Source source);
std::optional<Source> parse_source(std::string_view text);

// Where a value comes from. `reference` says which paper and table, which probe, or what it was derived from.
struct Provenance {
  Source source = Source::assumed;
  std::string reference;
  std::string method;         // the probe, or the way it was derived; may be empty for published values
  std::uint64_t samples = 0;  // measured only
  double spread = 0;          // measured only: half width of the 95 % interval, in the value's unit
  std::string kept = "";      // why no probe's figure replaces the value when measurements are fitted; mostly empty
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// What the list in keys.h says of one key.
struct Key {
  std::string path;
  Unit unit = Unit::count;
  const char* doc = "";
};

// A visitor is called as v(const Key&, value&) for every key, in the order of keys.h; where it has one, its
// member section(path, doc) is called before each section's keys.
template <class V>
void visit_section(V& v, const std::string& path, const char* doc) {
  if constexpr (requires { v.section(path, doc); }) v.section(path, doc);
}

// Every struct has the members of its list and visit(), which calls v for each of them.
#define WARPGAUGE_MEMBER(TYPE, UNIT, MEMBER, DOC) TYPE MEMBER{};
#define WARPGAUGE_VISIT(TYPE, UNIT, MEMBER, DOC) v(Key{path + "." #MEMBER, Unit::UNIT, DOC}, self.MEMBER);
#define WARPGAUGE_STRUCT(KEYS, STRUCT)                              \
  struct STRUCT {                                                   \
    KEYS(WARPGAUGE_MEMBER)                                          \
    template <class Self, class V>                                  \
    static void visit(Self& self, const std::string& path, V& v) {  \
      KEYS(WARPGAUGE_VISIT)                                         \
    }                                                               \
    friend bool operator==(const STRUCT&, const STRUCT&) = default; \
  };

#define WARPGAUGE_SECTION(KEYS, STRUCT, MEMBER, DOC) WARPGAUGE_STRUCT(KEYS, STRUCT)
WARPGAUGE_CALIBRATION_SECTIONS(WARPGAUGE_SECTION)
#undef WARPGAUGE_SECTION

#define WARPGAUGE_ITEM(MEMBER, DOC) Item MEMBER{};
#define WARPGAUGE_VISIT_ITEM(MEMBER, DOC)    \
  visit_section(v, path + "." #MEMBER, DOC); \
  Item::visit(self.MEMBER, path + "." #MEMBER, v);
#define WARPGAUGE_GROUP(LIST, KEYS, ITEM, STRUCT, MEMBER, DOC)      \
  WARPGAUGE_STRUCT(KEYS, ITEM)                                      \
  struct STRUCT {                                                   \
    using Item = ITEM;                                              \
    LIST(WARPGAUGE_ITEM)                                            \
    template <class Self, class V>                                  \
    static void visit(Self& self, const std::string& path, V& v) {  \
      LIST(WARPGAUGE_VISIT_ITEM)                                    \
    }                                                               \
    friend bool operator==(const STRUCT&, const STRUCT&) = default; \
  };
WARPGAUGE_CALIBRATION_GROUPS(WARPGAUGE_GROUP)
#undef WARPGAUGE_GROUP
#undef WARPGAUGE_VISIT_ITEM
#undef WARPGAUGE_ITEM
#undef WARPGAUGE_STRUCT
#undef WARPGAUGE_VISIT
#undef WARPGAUGE_MEMBER

// Cycles from issue to issue of a dependent instruction, by mnemonic.
struct OpcodeLatencies {
#define WARPGAUGE_OPCODE(NAME) Integer NAME{};
  WARPGAUGE_LATENCY_OPCODES(WARPGAUGE_OPCODE)
#undef WARPGAUGE_OPCODE
  template <class Self, class V>
  static void visit(Self& self, const std::string& path, V& v) {
#define WARPGAUGE_OPCODE(NAME) \
  v(Key{path + "." #NAME, Unit::cycles, "Issue of " #NAME " to issue of its consumer"}, self.NAME);
    WARPGAUGE_LATENCY_OPCODES(WARPGAUGE_OPCODE)
#undef WARPGAUGE_OPCODE
  }
  friend bool operator==(const OpcodeLatencies&, const OpcodeLatencies&) = default;
};

struct Latency {
  OpcodeLatencies opcode;
  friend bool operator==(const Latency&, const Latency&) = default;
};

struct Calibration {
  static constexpr const char* schema = "warpgauge-calibration/1";

  std::string id;            // "h200-2026-11"
  std::string device;        // "NVIDIA H200"
  std::string architecture;  // "sm_90"

#define WARPGAUGE_SECTION(KEYS, STRUCT, MEMBER, DOC) STRUCT MEMBER;
#define WARPGAUGE_GROUP(LIST, KEYS, ITEM, STRUCT, MEMBER, DOC) STRUCT MEMBER;
  WARPGAUGE_CALIBRATION_SECTIONS(WARPGAUGE_SECTION)
  WARPGAUGE_CALIBRATION_GROUPS(WARPGAUGE_GROUP)
#undef WARPGAUGE_SECTION
#undef WARPGAUGE_GROUP
  Latency latency;

  std::map<std::string, Provenance, std::less<>> provenance;  // by key; the loader sees to one for every key

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

// Calls v for every key of a Calibration or const Calibration.
template <class C, class V>
void visit(C& calibration, V&& v) {
#define WARPGAUGE_SECTION(KEYS, STRUCT, MEMBER, DOC) \
  visit_section(v, #MEMBER, DOC);                    \
  STRUCT::visit(calibration.MEMBER, #MEMBER, v);
#define WARPGAUGE_GROUP(LIST, KEYS, ITEM, STRUCT, MEMBER, DOC) \
  visit_section(v, #MEMBER, DOC);                              \
  STRUCT::visit(calibration.MEMBER, #MEMBER, v);
  WARPGAUGE_CALIBRATION_SECTIONS(WARPGAUGE_SECTION)
  WARPGAUGE_CALIBRATION_GROUPS(WARPGAUGE_GROUP)
#undef WARPGAUGE_SECTION
#undef WARPGAUGE_GROUP
  visit_section(v, "latency.opcode", "Dependent-issue latency by mnemonic");
  OpcodeLatencies::visit(calibration.latency.opcode, "latency.opcode", v);
}

// The latency of "IMAD.WIDE" or "IMAD_WIDE"; nothing for a mnemonic that has no key.
std::optional<Integer> opcode_latency(const Calibration& calibration, std::string_view mnemonic);

}  // namespace warpgauge::calib
