#include "traces/emulator/program.h"

#include <algorithm>

#include "traces/emulator/executors.h"
#include "traces/emulator/lower/lowering.h"

namespace warpgauge::emulator {
namespace {

void lower(Lowering& lowering) {
  if (lowering.instruction.opcode == sass::Opcode::unknown)
    throw Refused(FaultKind::unknown_instruction, "no instruction has this encoding");
  for (const auto family : {lower_integer, lower_float, lower_memory, lower_control, lower_warp_wide,
                            lower_conversion, lower_matrix, lower_texture, lower_bulk_copy,
                            lower_warpgroup})
    if (family(lowering)) return;
  Lowering::refuse("not executed by this emulator");
}

}  // namespace

Program::Program(std::vector<sass::Instruction> code, HostLevel level)
    : code_(std::move(code)), kernels_(vector_kernels(level)), literals_(Row::zeroes) {
  ops_.reserve(code_.size() + 1);
  for (std::uint32_t index = 0; index < code_.size(); ++index) {
    Lowering lowering(*this, code_[index], index, kernels_);
    try {
      lower(lowering);
    } catch (const Refused& refused) {
      refusals_.push_back({index, refused.what()});
      lowering.op.execute = scalar::refuse;
      lowering.op.mode = static_cast<std::uint8_t>(refused.kind());
    }
    ops_.push_back(lowering.op);
  }
  MicroOp end;
  end.execute = scalar::run_away;
  end.control = true;
  end.index = static_cast<std::uint32_t>(code_.size());
  ops_.push_back(end);
  move_uniform_rows();
}

void Program::move_uniform_rows() {
  const std::uint32_t distance = (Row::uniform_rows - Row::register_rows - registers_) * lanes;
  for (MicroOp& op : ops_) {
    for (Row* row : {&op.destination, &op.destination2, &op.a, &op.b, &op.c, &op.d, &op.wide_a}) {
      if ((row->bits & Row::pool_flag) == 0 && row->bits >= Row::uniform(0).bits) row->bits -= distance;
    }
  }
}

Row Program::literal(std::span<const Literal> words) {
  std::vector<Literal> key(words.begin(), words.end());
  const auto [entry, fresh] = literal_rows_.try_emplace(key, static_cast<std::uint32_t>(literals_.size()));
  if (fresh) literals_.insert(literals_.end(), key.begin(), key.end());
  return Row::pool(entry->second);
}

bool Program::reads_constant(unsigned bank, std::uint32_t offset) const {
  return std::ranges::any_of(literals_, [&](const Literal& literal) {
    return literal.constant && literal.bank == bank && literal.bits == offset;
  });
}

std::vector<std::uint32_t> Program::make_pool(std::span<const std::vector<std::uint8_t>> banks) const {
  std::vector<std::uint32_t> pool;
  pool.reserve(literals_.size() * lanes);
  for (const Literal& literal : literals_) {
    std::uint32_t word = literal.bits;
    if (literal.constant) {
      word = 0;
      if (literal.bank < banks.size()) {
        const auto& bytes = banks[literal.bank];
        for (std::size_t k = 0; k < 4; ++k)
          if (literal.bits + k < bytes.size()) word |= std::uint32_t{bytes[literal.bits + k]} << (8 * k);
      }
    }
    pool.insert(pool.end(), lanes, word);
  }
  return pool;
}

}  // namespace warpgauge::emulator
