// The GPU architectures whose machine code Warpgauge reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpgauge::sass {

// Values are NVIDIA's compute capability without the dot.
enum class Architecture : std::uint8_t { sm70 = 70, sm75 = 75, sm80 = 80, sm86 = 86, sm89 = 89, sm90 = 90 };

inline constexpr Architecture all_architectures[] = {Architecture::sm70, Architecture::sm75,
                                                     Architecture::sm80, Architecture::sm86,
                                                     Architecture::sm89, Architecture::sm90};

// "sm_70" …
std::string_view name(Architecture architecture);

// Accepts "sm_90", "sm90", "90"; nothing for an architecture that is not read.
std::optional<Architecture> parse_architecture(std::string_view text);
std::optional<Architecture> architecture_from_number(unsigned sm);

}  // namespace warpgauge::sass
