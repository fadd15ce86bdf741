// Reuse flags: which may be set, and which pay. See reuse_cache.h for what a flag does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/registers/control_flow.h"
#include "model/registers/effects.h"

namespace warpgauge::registers {

// Flags by instruction: bit 0, 1, 2 for slot A, B, C.
using ReuseFlags = std::vector<std::uint8_t>;

// The control word allows a flag: the instruction is fixed-latency, does not ask for a switch of warps and
// stalls for 1…11 cycles (control codes 17…27).
bool may_carry_reuse(const sass::Instruction& instruction);

// The flags that may be set: a later instruction of the same block is sure to find the register there,
// unchanged. Neither of the two may be guarded: a reader that is skipped would leave the entry behind.
ReuseFlags legal_reuse(std::span<const sass::Instruction> code, const ControlFlow& flow,
                       const AccessTable& accesses, unsigned banks);

// The flags that `code` has and that serve a later read there; the compiler sets some on guarded and matrix
// instructions, which legal_reuse() leaves out.
ReuseFlags kept_reuse(std::span<const sass::Instruction> code, const ControlFlow& flow,
                      const AccessTable& accesses, unsigned banks);

// Of `candidates`, those that save a read from a bank. A flag saves none where its reader names the register
// in another slot too, which no flag serves.
ReuseFlags paying_reuse(std::span<const sass::Instruction> code, const ControlFlow& flow,
                        const AccessTable& accesses, unsigned banks,
                        std::span<const std::uint8_t> candidates);

// Whether the request to give way to another warp may be dropped: it is a hint to the scheduler, and in front
// of an instruction of the same block that reads through the ports too, dropping it keeps the reuse cache
// (control code 1…11 becomes 17…27). The compiler asks on every sixth instruction of a long run.
bool may_clear_yield(std::span<const sass::Instruction> code, const ControlFlow& flow,
                     std::uint32_t instruction);

// Drops every one that may be dropped.
void clear_yields(std::vector<sass::Instruction>& code, const ControlFlow& flow);

// Puts back those of `original` that no flag of `code` needs dropped: that do not stand between a flagged
// read and the read that it serves.
void restore_idle_yields(std::vector<sass::Instruction>& code, std::span<const sass::Instruction> original,
                         const ControlFlow& flow, const AccessTable& accesses, unsigned banks);

// Replaces the flags of every reachable instruction.
void set_reuse(std::vector<sass::Instruction>& code, const ControlFlow& flow,
               std::span<const std::uint8_t> flags);

}  // namespace warpgauge::registers
