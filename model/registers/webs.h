// Live ranges as webs: the writes of a register and the reads that they reach, joined where they share one.
// A web is what can be moved to another register as a whole. Webs that an instruction names as one operand of
// several registers (64- and 128-bit values, matrix fragments) move together, as a group.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/registers/liveness.h"

namespace warpgauge::registers {

using WebId = std::uint32_t;
using GroupId = std::uint32_t;
inline constexpr WebId no_web = std::numeric_limits<WebId>::max();

struct Web {
  std::uint8_t register_ = 0;  // where the original code keeps it
  GroupId group = 0;
  bool pinned =
      false;  // must stay: crosses an opaque call, is the stack pointer, or is read but never written
  bool from_entry = false;  // some way leads from the kernel's start to a read without a write
  std::uint32_t writes = 0;
  std::uint32_t reads = 0;
};

struct Group {
  std::vector<WebId> webs;  // in the order of their original registers
  unsigned alignment = 1;   // it moves by multiples of this
  bool pinned = false;
};

struct Webs {
  std::vector<Web> webs;
  std::vector<Group> groups;
  std::vector<WebId> of_access;  // parallel to AccessTable::all(); no_web where nothing leads
  // By block: the web of each register that is live before and behind it, in register order.
  std::vector<std::vector<WebId>> in;
  std::vector<std::vector<WebId>> out;
};

Webs find_webs(std::span<const sass::Instruction> code, const ControlFlow& flow, const AccessTable& accesses,
               const Liveness& live);

}  // namespace warpgauge::registers
