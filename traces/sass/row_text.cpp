#include "traces/sass/row_text.h"

#include <array>
#include <map>
#include <stdexcept>
#include <utility>

namespace warpgauge::sass::table {
namespace {

// Modifier groups that many opcodes share: $name in a row.
const std::map<std::string_view, std::string_view>& shared_modifiers() {
  static const std::map<std::string_view, std::string_view> groups{
      {"$ftz", "ftz@80(,FTZ)"},
      {"$sat", "saturate@77(,SAT)"},
      {"$rnd", "rounding@78+2(,RM,RP,RZ)"},
      {"$fmz", "fmz@76(,FMZ)"},
      {"$u32", "is_signed@73(U32,)"},
      {"$bool", "combine@74+2(AND,OR,XOR,-)"},
      {"$icmp", "compare@76+3(F,LT,EQ,LE,GT,NE,GE,T)"},
      {"$fcmp", "compare@76+4(F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T)"},
      {"$width", "width@73+3(U8,S8,U16,S16,,64,128,-)"},
      {"$widthu", "width@73+3(U8,S8,U16,S16,,64,128,U.128)"},
      {"$cache", "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-)"},
      {"$e", "extended_address@72(,E)"},
      {"$E", "extended_address@72(-,E)"},
      {"$wide", "width@73+3(-,-,-,-,,64,128,-)"},
      // What writes has no read-only path.
      {"$sorder",
       "ordering@77+4(,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,STRONG.SM.PRIVATE,STRONG.SM,"
       "STRONG.GPU.PRIVATE,STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT."
       "VC,"
       "CONSTANT.VC.PRIVATE,CONSTANT.GPU)"},
      {"$ltc", "prefetch_size@68+2(,LTC64B,LTC128B,LTC256B)"},
      // Volta and Turing: what kind of access, then for whom it is ordered.
      {"$kind", "order_kind@79+2(CONSTANT,,STRONG,MMIO)"},
      {"$skind", "order_kind@79+2(-,,STRONG,MMIO)"},
      {"$akind", "order_kind@79+2(-,,STRONG,-)"},
      {"$scope", "scope@77+2(CTA,SM,GPU,SYS)"},
      // From Ampere on one code for both; the compiler emits those without PRIVATE.
      {"$order",
       "ordering@77+4(,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,CONSTANT,STRONG.SM,STRONG.GPU."
       "PRIVATE,"
       "STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT.VC,CONSTANT.VC."
       "PRIVATE,"
       "CONSTANT.GPU)"},
      {"$copyorder",
       "ordering@77+4(,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,CONSTANT,STRONG.SM,STRONG.GPU."
       "PRIVATE,"
       "STRONG.GPU,MMIO.SM,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT.VC,CONSTANT.VC."
       "PRIVATE,"
       "CONSTANT.GPU)"},
      {"$aop", "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD)"},
      {"$rop", "atomic_op@87+3(ADD,MIN,MAX,INC,DEC,AND,OR,XOR)"},
      {"$atype", "atomic_type@73+3(,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN,-)"},
      {"$itype", "atomic_type@73+3(,S32,64,S64,128,-,-,-)"},
      {"$ird", "rounding@78+2(,FLOOR,CEIL,TRUNC)"},
  };
  return groups;
}

// HGMMA's and IGMMA's shapes: 64 rows, 8 to 256 columns.
// IGMMA leaves most of the codes unused; those of sparse products follow the others.
std::string integer_group_shapes(bool sparse) {
  std::string names;
  for (unsigned code = 0; code <= 52; ++code) {
    if (code != 0) names += ',';
    const bool used = code % 3 == (sparse ? 1 : 0);
    const unsigned n = code < 12 ? 8 * (code / 3 + 1) : 16 * (code / 3 - 1);
    names += used ? "64x" + std::to_string(n) + (sparse ? "x64" : "x32") : "-";
  }
  return names;
}

std::string group_shapes(std::string_view depth, std::string_view deeper) {
  std::string names;
  for (const std::string_view k : {depth, deeper}) {
    for (unsigned n = 8; n <= 256 && !k.empty(); n += 8) {
      if (!names.empty()) names += ',';
      names += "64x" + std::to_string(n) + "x" + std::string(k);
    }
  }
  return names;
}

std::string binary_group_shapes() {
  std::string names = "64x8x256,64x16x256,64x24x256";
  for (unsigned n = 32; n <= 256; n += 16) names += ",64x" + std::to_string(n) + "x256";
  return names;
}

// FSWZADD adds, subtracts or drops each of two neighbours: two bits for each lane of a quad.
std::string swizzles() {
  constexpr std::string_view pairs[] = {"PP", "PN", "NP", "ZP"};
  std::string names;
  for (unsigned code = 0; code < 256; ++code) {
    if (code != 0) names += ';';
    for (int lane = 3; lane >= 0; --lane) names += pairs[code >> (2 * lane) & 3];
  }
  return names;
}

Modifier modifier_key(const RowText& text, std::string_view name) {
  static const std::map<std::string_view, Modifier> keys = [] {
    std::map<std::string_view, Modifier> map;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Modifier::count); ++i) {
      map.emplace(modifier_name(static_cast<Modifier>(i)), static_cast<Modifier>(i));
    }
    return map;
  }();
  const auto it = keys.find(name);
  if (it == keys.end()) fail(text, "no modifier key " + std::string(name));
  return it->second;
}

}  // namespace

void fail(const RowText& text, const std::string& what) {
  throw std::logic_error("opcode table, row " + std::string(text.code) + " " +
                         std::string(mnemonic(text.opcode)) + ": " + what);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Field one_run(unsigned first, unsigned width) {
  Field field;
  field.runs[0] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(width)};
  field.count = 1;
  return field;
}

// The table has tens of thousands of tokens and is made when the tool starts; few name a list.
std::string with_lists(std::string_view token) {
  std::string text(token);
  if (token.find('$') == std::string_view::npos) return text;
  // Codes that a depth does not have.
  static const std::string none = "-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,";
  static const std::array<std::pair<std::string_view, std::string>, 8> lists{
      {{"$hgmma", group_shapes("16", "8")},
       {"$igmma", integer_group_shapes(false)},
       {"$swizzles", swizzles()},
       {"$qgmma", group_shapes("32", "")},
       {"$bgmma", binary_group_shapes()},
       {"$sparse_hgmma", group_shapes("16", "") + "," + none + group_shapes("32", "")},
       {"$sparse_igmma", integer_group_shapes(true)},
       {"$sparse_qgmma", none + group_shapes("64", "")}}};
  for (const auto& [name, names] : lists) {
    const auto at = text.find(name);
    if (at != std::string::npos) text.replace(at, name.size(), names);
  }
  return text;
}

ModifierField parse_modifier(const RowText& text, std::string_view written) {
  const auto group = shared_modifiers().find(written);
  const std::string expanded = with_lists(group != shared_modifiers().end() ? group->second : written);
  const std::string_view token = expanded;
  ModifierField modifier;
  if (token.front() == '.') {
    modifier.names.emplace_back(token);
    return modifier;
  }
  Cursor in(text, token);
  modifier.key = modifier_key(text, in.until("@"));
  in.take();
  modifier.field = in.field(1);
  if (in.take() != '(') fail(text, "no names in " + std::string(token));
  for (const std::string_view name : split(in.until(")"), ',')) {
    modifier.valid.push_back(name != "-");
    modifier.names.push_back(name.empty() || name == "-" ? std::string{} : "." + std::string(name));
  }
  const std::size_t size = std::size_t{1} << modifier.field.width();
  if (modifier.names.size() > size) fail(text, "too many names in " + std::string(token));
  modifier.names.resize(size);
  modifier.valid.resize(size, false);
  modifier.all_valid = std::find(modifier.valid.begin(), modifier.valid.end(), false) == modifier.valid.end();
  return modifier;
}

}  // namespace warpgauge::sass::table
