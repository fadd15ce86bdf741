#include "traces/sass/architecture.h"

#include <charconv>

namespace warpgauge::sass {

std::string_view name(Architecture architecture) {
  switch (architecture) {
    case Architecture::sm70:
      return "sm_70";
    case Architecture::sm75:
      return "sm_75";
    case Architecture::sm80:
      return "sm_80";
    case Architecture::sm86:
      return "sm_86";
    case Architecture::sm89:
      return "sm_89";
    case Architecture::sm90:
      return "sm_90";
  }
  return "sm_unknown";
}

std::optional<Architecture> architecture_from_number(unsigned sm) {
  for (const Architecture a : all_architectures) {
    if (static_cast<unsigned>(a) == sm) return a;
  }
  return std::nullopt;
}

std::optional<Architecture> parse_architecture(std::string_view text) {
  for (const std::string_view prefix : {std::string_view{"sm_"}, std::string_view{"sm"}}) {
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return architecture_from_number(number);
}

}  // namespace warpgauge::sass
