#include "traces/cubin/relocation.h"

namespace warpgauge::cubin {

namespace {

constexpr RelocationRule one(std::uint8_t from, std::uint8_t width, std::uint8_t to, std::uint8_t bytes) {
  return {{RelocationField{from, width, to}, RelocationField{}}, bytes, false};
}

constexpr std::uint8_t instruction = 16;

}  // namespace

std::optional<RelocationRule> relocation_rule(std::uint32_t type) {
  const auto byte_of = [&](std::uint32_t first) {
    const auto n = static_cast<std::uint8_t>(8 * (type - first));
    return one(n, 8, 0, 1);
  };
  switch (type) {
    case 0x00:
      return one(0, 0, 0, 0);  // NONE
    case 0x01:
    case 0x03:
      return one(0, 32, 0, 4);  // 32, G32
    case 0x02:
    case 0x04:
      return one(0, 64, 0, 8);  // 64, G64
    case 0x16:
      return one(0, 32, 0, 4);  // FUNC_DESC_32
    case 0x17:
      return one(0, 64, 0, 8);  // FUNC_DESC_64
    case 0x37:
    case 0x38:
      return one(0, 32, 32, instruction);  // ABS32_32, ABS32_LO_32
    case 0x39:
      return one(32, 32, 32, instruction);  // ABS32_HI_32
    case 0x3a:
      return one(2, 47, 34, instruction);  // ABS47_34
    case 0x3b:
      return one(0, 16, 32, instruction);  // ABS16_32
    case 0x3c:
      return one(0, 24, 32, instruction);  // ABS24_32
    case 0x3d:
    case 0x3e:
      return one(0, 32, 32, instruction);  // FUNC_DESC32_32, FUNC_DESC32_LO_32
    case 0x3f:
      return one(32, 32, 32, instruction);  // FUNC_DESC32_HI_32
    case 0x46:
      return one(0, 32, 0, 4);  // 32_LO
    case 0x47:
      return one(32, 32, 0, 4);  // 32_HI
    case 0x48:
      return RelocationRule{{RelocationField{0, 32, 0}, RelocationField{}}, 4, true};  // UNUSED_CLEAR32
    case 0x49:
      return RelocationRule{{RelocationField{0, 64, 0}, RelocationField{}}, 8, true};  // UNUSED_CLEAR64
    case 0x4a:
      return one(0, 24, 40, instruction);  // ABS24_40
    case 0x4b:
      return RelocationRule{
          {RelocationField{2, 8, 16}, RelocationField{10, 47, 34}}, instruction, false};  // ABS55_16_34
    case 0x64:
      return one(0, 20, 44, instruction);  // ABS20_44
    case 0x66:
      return one(0, 64, 0, 8);  // UNIFIED
    case 0x67:
      return one(0, 32, 0, 4);  // UNIFIED_32
    case 0x70:
      return one(0, 32, 32, instruction);  // UNIFIED32_LO_32
    case 0x71:
      return one(32, 32, 32, instruction);  // UNIFIED32_HI_32
    case 0x72:
      return RelocationRule{
          {RelocationField{2, 8, 16}, RelocationField{10, 48, 34}}, instruction, false};  // ABS56_16_34
    default:
      break;
  }
  if (type >= 0x4c && type <= 0x53) return byte_of(0x4c);  // 8_0 … 8_56
  if (type >= 0x54 && type <= 0x5b) return byte_of(0x54);  // G8_0 …
  if (type >= 0x5c && type <= 0x63) return byte_of(0x5c);  // FUNC_DESC_8_0 …
  if (type >= 0x68 && type <= 0x6f) return byte_of(0x68);  // UNIFIED_8_0 …
  return std::nullopt;
}

std::uint64_t read_field(std::span<const std::uint8_t> place, const RelocationRule& rule) {
  std::uint64_t value = 0;
  for (const RelocationField& f : rule.fields) {
    for (unsigned i = 0; i < f.width; ++i) {
      const unsigned bit = f.to + i;
      if ((place[bit / 8] >> (bit % 8) & 1U) != 0) value |= std::uint64_t{1} << (f.from + i);
    }
  }
  return value;
}

void write_field(std::span<std::uint8_t> place, const RelocationRule& rule, std::uint64_t value) {
  if (rule.clears) value = 0;
  for (const RelocationField& f : rule.fields) {
    for (unsigned i = 0; i < f.width; ++i) {
      const unsigned bit = f.to + i;
      const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
      const bool set = (value >> (f.from + i) & 1U) != 0;
      place[bit / 8] = static_cast<std::uint8_t>(set ? place[bit / 8] | mask : place[bit / 8] & ~mask);
    }
  }
}

}  // namespace warpgauge::cubin
