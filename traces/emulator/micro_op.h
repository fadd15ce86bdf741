// An instruction made ready to execute: a function and everything that it needs, looked up once per launch.
// Plain data on purpose: the executors are compiled once per instruction set of the host.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {

struct Block;
struct Warp;
struct MicroOp;

inline constexpr unsigned lanes = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffffU;

// 32 lanes of one 32-bit register, found by word offset. A warp's rows lie in one array: rows whose content
// nobody reads, the two words of Rpc, R0, R1, …, and the uniform registers (the same value in all lanes).
// Immediates and constants lie, broadcast, in the launch's literal pool, behind as many rows that are zero as
// the widest operand has.
struct Row {
  static constexpr std::uint32_t pool_flag = 0x80000000U;
  static constexpr std::uint32_t zeroes = 8;
  static constexpr std::uint32_t discard_rows = 0;
  static constexpr std::uint32_t rpc_rows = discard_rows + 8;
  static constexpr std::uint32_t register_rows = rpc_rows + 2;
  // While a program is made; then they move up to its last register, so that warps of few take little of the host's caches.
  static constexpr std::uint32_t uniform_rows = register_rows + 256;

  std::uint32_t bits = 0;

  static constexpr Row zero() { return pool(0); }
  static constexpr Row discard() { return {discard_rows * lanes}; }
  static constexpr Row uniform(unsigned number) { return {(uniform_rows + number) * lanes}; }
  static constexpr Row rpc(unsigned half) { return {(rpc_rows + half) * lanes}; }
  static constexpr Row general(unsigned number) { return {(register_rows + number) * lanes}; }
  static constexpr Row pool(unsigned row) { return {(row * lanes) | pool_flag}; }
  friend constexpr bool operator==(const Row&, const Row&) = default;
};

// Numbers of predicates in Warp::predicates: one bit a lane.
struct Predicate {
  static constexpr std::uint8_t always = 7;  // PT
  static constexpr std::uint8_t discard = 8;
  static constexpr std::uint8_t uniform = 9;  // UP0…UP6 follow
  static constexpr std::uint8_t uniform_always = 16;
  static constexpr std::uint8_t count = 17;

  std::uint8_t index = always;
  std::uint8_t negate = 0;  // 0 or 1
};

// `mask` has the lanes whose guard holds; it is never empty.
using ExecuteFunction = void (*)(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask);

struct MicroOp {
  ExecuteFunction execute = nullptr;
  ExecuteFunction inner = nullptr;  // what a wrapper in `execute` calls
  std::uint32_t guard_flip = 0;     // 0 or all ones
  std::uint8_t guard = Predicate::always;
  bool memory = false;   // fills Block::access
  bool control = false;  // may change the program counter, the active lanes or the warp's state
  bool poll = false;     // may be part of a loop that waits for another warp

  Row destination = Row::discard();
  Row destination2 = Row::discard();
  Row a = Row::zero();
  Row b = Row::zero();
  Row c = Row::zero();
  Row d = Row::zero();  // what a store or an atomic takes

  // Per source: value = (row & and_mask) ^ xor_mask. Floats: absolute value and negation. Integers: NOT.
  std::uint32_t and_mask[3] = {all_lanes, all_lanes, all_lanes};
  std::uint32_t xor_mask[3] = {0, 0, 0};
  std::uint32_t add[3] = {0, 0, 0};  // integers: -x is ~x + 1

  std::uint8_t predicate_destination = Predicate::discard;
  std::uint8_t predicate_destination2 = Predicate::discard;
  Predicate p, q, r;  // predicate sources

  // What they mean is between a lowering and its executor.
  std::uint8_t mode = 0;
  std::uint8_t mode2 = 0;
  std::uint8_t mode3 = 0;
  std::uint8_t bytes = 0;
  std::uint32_t extra = 0;
  std::uint32_t extra2 = 0;
  Row wide_a = Row::zero();  // upper half of a 64-bit base address, the zero row for a 32-bit one
  std::int64_t immediate = 0;
  std::uint32_t index = 0;  // in the program
};

}  // namespace warpgauge::emulator
