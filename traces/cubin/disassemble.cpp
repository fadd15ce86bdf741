#include "traces/cubin/disassemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "traces/cubin/write.h"
#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"

namespace warpgauge::cubin {

namespace {

std::string label(std::uint64_t offset) {
  return fmt::format(".L_{:x}", offset);
}

const sass::Operand* target_of(const sass::Instruction& i) {
  for (const sass::Operand& o : i.operands()) {
    if (o.kind == sass::OperandKind::target) return &o;
  }
  return nullptr;
}

std::set<std::uint64_t> branch_targets(const std::vector<sass::Instruction>& instructions) {
  std::set<std::uint64_t> targets;
  const std::uint64_t end = instructions.size() * sass::instruction_bytes;
  for (const sass::Instruction& i : instructions) {
    const sass::Operand* o = target_of(i);
    if (o == nullptr || o->value < 0) continue;
    const auto at = static_cast<std::uint64_t>(o->value);
    if (at < end && at % sass::instruction_bytes == 0) targets.insert(at);
  }
  return targets;
}

// The target is the last thing of the text; nothing changes where it is not.
void name_target(std::string& text, const sass::Instruction& i, const std::set<std::uint64_t>& targets) {
  const sass::Operand* o = target_of(i);
  if (o == nullptr || !targets.contains(static_cast<std::uint64_t>(o->value))) return;
  const std::string number = fmt::format(" {:#x}", o->value);
  if (text.ends_with(number)) {
    text.replace(text.size() - number.size() + 1, number.size() - 1,
                 label(static_cast<std::uint64_t>(o->value)));
  }
}

void print_constants(std::string& out, const Bytes& bytes) {
  constexpr std::size_t bytes_a_line = 32;
  for (std::size_t at = 0; at < bytes.size(); at += bytes_a_line) {
    out += ".constant2 ";
    for (std::size_t i = at; i < std::min(at + bytes_a_line, bytes.size()); ++i)
      out += fmt::format("{:02x}", bytes[i]);
    out += '\n';
  }
}

}  // namespace

std::string disassemble(ByteView code, sass::Architecture architecture, const DisassembleOptions& options) {
  const auto instructions = sass::decode_section(code, architecture);
  std::set<std::uint64_t> targets;
  if (options.labels) targets = branch_targets(instructions);
  std::string out;
  const auto to = std::back_inserter(out);
  std::uint64_t at = 0;
  for (const sass::Instruction& i : instructions) {
    if (targets.contains(at)) fmt::format_to(to, "{}:\n", label(at));
    out += "    ";
    if (options.offsets) fmt::format_to(to, "/*{:04x}*/ ", at);
    std::string text = options.control ? sass::print_exact(i, at) : sass::print(i);
    name_target(text, i, targets);
    fmt::format_to(to, "{} ;", text);
    if (options.words) fmt::format_to(to, " /* {:016x} {:016x} */", i.word.low, i.word.high);
    out += '\n';
    at += sass::instruction_bytes;
  }
  return out;
}

std::string disassemble(const Kernel& k, const DisassembleOptions& options) {
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, ".architecture {}\n.kernel {}\n.registers {}\n", sass::name(k.architecture), k.name,
                 k.registers);
  if (k.user_shared_bytes() != 0) fmt::format_to(to, ".shared {}\n", k.user_shared_bytes());
  if (k.barriers != 0) fmt::format_to(to, ".barriers {}\n", k.barriers);
  if (k.local_bytes() != 0) fmt::format_to(to, ".frame {}\n", k.local_bytes());
  if (k.max_threads[0] != 0) {
    fmt::format_to(to, ".max_threads {} {} {}\n", k.max_threads[0], k.max_threads[1], k.max_threads[2]);
  }
  std::vector<std::uint32_t> sizes;
  for (const Parameter& p : k.parameters) sizes.push_back(p.size);
  const auto expected = lay_out_parameters(sizes);
  for (std::size_t i = 0; i < k.parameters.size(); ++i) {
    fmt::format_to(to, ".parameter {}", sizes[i]);
    if (expected[i] != k.parameters[i]) fmt::format_to(to, " {:#x}", k.parameters[i].offset);
    out += '\n';
  }
  if (const auto bank = k.constant_banks.find(2); bank != k.constant_banks.end())
    print_constants(out, bank->second);
  return out + disassemble(k.code, k.architecture, options);
}

}  // namespace warpgauge::cubin
