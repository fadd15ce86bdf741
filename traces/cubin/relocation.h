// What CUDA's relocation types do to the bytes they point at.
// The types' numbers and names are those that NVIDIA's cuobjdump prints; a name tells the field: ABS32_LO_32
// puts the low 32 bits at bit 32. Which bits of an address a call takes was read off nvdisasm: an absolute
// call holds address / 4, from bit 34 up to sm_89, and on sm_90 its low eight bits at bit 16 and the rest
// from bit 34.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace warpgauge::cubin {

// Bits [from, from + width) of the value go to bits [to, to + width) at the relocation's place.
struct RelocationField {
  std::uint8_t from = 0;
  std::uint8_t width = 0;
  std::uint8_t to = 0;
};

struct RelocationRule {
  std::array<RelocationField, 2> fields{};
  std::uint8_t bytes = 0;  // how many bytes at the place must exist
  bool clears = false;     // writes zeros, whatever the symbol
};

// Nothing for a type that cannot be applied when loading.
std::optional<RelocationRule> relocation_rule(std::uint32_t type);

// The field's present value, which is the addend of relocations in a REL section.
std::uint64_t read_field(std::span<const std::uint8_t> place, const RelocationRule& rule);
void write_field(std::span<std::uint8_t> place, const RelocationRule& rule, std::uint64_t value);

}  // namespace warpgauge::cubin
