// The names of opcodes, modifiers and special registers.
#include <array>
#include <string>

#include "traces/sass/modifier.h"
#include "traces/sass/opcode.h"
#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

// The enumerators whose '_' is the '.' of a mnemonic with its own opcode; in all others '_' is part of the
// name.
constexpr std::string_view dotted[] = {"IMAD_WIDE",  "IMAD_HI",  "HFMA2_MMA", "UIADD3_64",
                                       "UIMAD_WIDE", "UIMAD_HI", "RPCMOV_64", "DEPBAR_ALL"};

std::string spelled(std::string_view enumerator) {
  std::string name(enumerator);
  for (const std::string_view d : dotted) {
    if (d == enumerator) name[name.find('_')] = '.';
  }
  return name;
}

}  // namespace

std::string_view mnemonic(Opcode opcode) {
  static const std::array<std::string, static_cast<std::size_t>(Opcode::count)> names = {".unknown",
#define X(NAME) spelled(#NAME),
                                                                                         WARPGAUGE_OPCODES(X)
#undef X
  };
  return names[static_cast<std::size_t>(opcode)];
}

std::string_view modifier_name(Modifier modifier) {
  static constexpr std::string_view names[] = {
#define X(NAME) #NAME,
      WARPGAUGE_MODIFIERS(X)
#undef X
  };
  return modifier < Modifier::count ? names[static_cast<std::size_t>(modifier)] : std::string_view{};
}

}  // namespace warpgauge::sass
