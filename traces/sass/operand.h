// One operand of a decoded instruction.
#pragma once

#include <cstdint>

namespace warpgauge::sass {

enum class OperandKind : std::uint8_t {
  none,
  register_,          // R0…R254, RZ = 255
  uniform_register,   // UR0…UR62, URZ = 63
  predicate,          // P0…P6, PT = 7
  uniform_predicate,  // UP0…UP6, UPT = 7
  convergence,        // B0…B15, the convergence barrier registers of BSSY and BSYNC
  dependence,         // SB0…SB5, the dependence counter that DEPBAR waits for
  immediate,          // integer; `value` is the field, sign- or zero-extended as the opcode reads it
  float_immediate,    // `value` holds the bits in the operand's own type (fp32, fp64, fp16x2, bf16x2)
  constant,           // c[bank][offset], offset possibly indexed by `index` (LDC)
  bindless_constant,  // cx[UR][offset]
  address,            // [R + UR + offset] in the instruction's memory space
  descriptor,         // desc[UR] where it stands as an operand of its own
  special_register,   // SR_TID.X …; `index` is the number in bits [72:80)
  target,             // a code address; `value` is the absolute byte offset within the code section
  state,              // BMOV's thread-state registers (MACTIVE …); `index` is the number
  bitset,             // a list such as PR, or {3,2} of DEPBAR
};

// How many lanes' worth of registers an operand names, and whether it is read or written.
enum class Access : std::uint8_t { none, read, write, read_write };

// Which half, byte or broadcast an operand of a packed or narrow instruction selects.
enum class Selector : std::uint8_t { whole, h0_h0, h1_h1, f32, b0, b1, b2, b3, h0, h1 };

// The source slot of the register-file read port and the reuse cache.
enum class SourceSlot : std::uint8_t { none, a, b, c };

struct Operand {
  static constexpr std::uint16_t rz = 255;
  static constexpr std::uint16_t urz = 63;
  static constexpr std::uint16_t pt = 7;
  static constexpr std::uint16_t no_base = 0xffff;

  OperandKind kind = OperandKind::none;
  Access access = Access::none;
  std::uint16_t index = 0;     // register number; for address the base register or `no_base`; see OperandKind
  std::uint8_t registers = 0;  // consecutive 32-bit registers read or written, 0 for RZ and for predicates
  SourceSlot slot = SourceSlot::none;
  Selector selector = Selector::whole;
  bool negate = false;    // arithmetic negation, or NOT of a predicate
  bool absolute = false;  // |x|
  bool invert = false;    // ~x: integer operand under .X, POPC, FLO
  bool reuse = false;     // the slot's reuse flag in the control word
  bool hidden = false;    // held in the encoding but not printed when it has its default value

  std::uint8_t bank = 0;                     // constant bank, for bindless_constant unused
  std::uint16_t uniform_index = no_base;     // address: UR added; bindless: UR of the handle; no_base if none
  std::uint16_t descriptor_index = no_base;  // address: desc[UR…] pair
  std::uint8_t scale = 1;  // address in shared memory: the base register is multiplied by it
  bool wide_base = false;  // address: the base is a 64-bit register pair
  std::int64_t value = 0;  // immediate bits, constant byte offset, address offset, target

  friend bool operator==(const Operand&, const Operand&) = default;
};

// The byte of its bank that a constant names where no register is added: its sixteen bits have no sign then, although
// they are printed with one (c[0x3][-0x8000] is byte 0x8000).
constexpr std::uint64_t constant_place(const Operand& constant) {
  return static_cast<std::uint64_t>(constant.value) & 0xffffU;
}

}  // namespace warpgauge::sass
