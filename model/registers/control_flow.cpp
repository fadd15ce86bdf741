#include "model/registers/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace warpgauge::registers {

using sass::Instruction;
using sass::instruction_bytes;
using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

Refusal::Refusal(std::uint64_t address, const std::string& reason)
    : std::runtime_error(fmt::format("0x{:04x}: {}", address, reason)), address_(address) {}

bool ControlFlow::has_opaque_calls() const {
  return std::find(boundary.begin(), boundary.end(), Boundary::call) != boundary.end();
}

namespace {

// How control leaves an instruction, before calls and returns are joined.
struct Exits {
  bool next = true;
  std::vector<std::uint32_t> targets;
  std::optional<std::uint32_t> callee;
  bool opaque_call = false;
  bool is_return = false;
};

class Builder {
 public:
  Builder(std::span<const Instruction> code, std::uint32_t entry, std::span<const BranchTargets> indirect)
      : code_(code), entry_(entry) {
    for (const BranchTargets& b : indirect) indirect_[b.instruction] = b.targets;
  }

  ControlFlow build() {
    if (entry_ >= code_.size()) throw Refusal(address(entry_), "the kernel's entry lies outside its code");
    collect_convergence_targets();
    explore();
    returns_known_ = resolve_returns();
    return assemble();
  }

 private:
  [[nodiscard]] static std::uint64_t address(std::uint64_t index) { return index * instruction_bytes; }

  [[nodiscard]] std::uint32_t index_of(std::uint32_t at, std::int64_t target) const {
    const auto value = static_cast<std::uint64_t>(target);
    if (target < 0 || value % instruction_bytes != 0 || value / instruction_bytes >= code_.size())
      throw Refusal(address(at), fmt::format("the target 0x{:x} of this {} lies outside the code section",
                                             value, sass::mnemonic(code_[at].opcode)));
    return static_cast<std::uint32_t>(value / instruction_bytes);
  }

  [[nodiscard]] static const Operand* target_of(const Instruction& i) {
    for (const Operand& o : i.operands())
      if (o.kind == OperandKind::target) return &o;
    return nullptr;
  }

  // False when a guard or a predicate operand may keep the instruction from acting.
  [[nodiscard]] static bool always_acts(const Instruction& i) {
    if (is_guarded(i)) return false;
    for (const Operand& o : i.operands())
      if ((o.kind == OperandKind::predicate || o.kind == OperandKind::uniform_predicate) &&
          (o.index != Operand::pt || o.negate))
        return false;
    return true;
  }

  [[nodiscard]] static std::optional<std::uint16_t> barrier_of(const Instruction& i) {
    for (const Operand& o : i.operands())
      if (o.kind == OperandKind::convergence) return o.index;
    return std::nullopt;
  }

  // Where a BSYNC on each barrier may send a thread: the address that a BSSY on the same barrier recorded.
  void collect_convergence_targets() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (code_[i].opcode != Opcode::BSSY) continue;
      const auto barrier = barrier_of(code_[i]);
      const Operand* target = target_of(code_[i]);
      if (!barrier || target == nullptr) continue;
      const auto value = static_cast<std::uint64_t>(target->value);
      if (value / instruction_bytes < code_.size()) bssy_[*barrier].push_back({i, target->value});
    }
  }

  Exits exits(std::uint32_t at) const {
    const Instruction& i = code_[at];
    Exits e;
    for (const Operand& o : i.operands())
      if (operand_registers(i, o).count != 0 && o.kind == OperandKind::register_ &&
          o.index + o.registers > Operand::rz)
        throw Refusal(address(at), "an operand that reaches beyond R254");
    switch (i.opcode) {
      case Opcode::unknown:
        throw Refusal(address(at), fmt::format("an instruction that is not known (word {:016x} {:016x})",
                                               i.word.high, i.word.low));
      case Opcode::BRA: {
        const Operand* target = target_of(i);
        if (target == nullptr) throw Refusal(address(at), "a branch without a target");
        e.targets.push_back(index_of(at, target->value));
        e.next =
            !always_acts(i) || i.modifier(Modifier::branch_kind) >= 2;  // .DIV and .CONV depend on the warp
        break;
      }
      case Opcode::BRX:
      case Opcode::BRXU:
      case Opcode::JMX:
      case Opcode::JMXU: {
        const auto found = indirect_.find(at);
        if (found == indirect_.end() || found->second.empty())
          throw Refusal(address(at),
                        fmt::format("the targets of this {} are not listed", sass::mnemonic(i.opcode)));
        for (const std::uint32_t t : found->second)
          e.targets.push_back(index_of(at, static_cast<std::int64_t>(address(t))));
        e.next = !always_acts(i);
        break;
      }
      case Opcode::JMP:
        throw Refusal(address(at), "a jump to an absolute address");
      case Opcode::CALL: {
        const Operand* target = target_of(i);
        const bool by_register = std::any_of(i.operands().begin(), i.operands().end(), [](const Operand& o) {
          return o.kind == OperandKind::register_;
        });
        if (by_register || target == nullptr)
          e.opaque_call = true;
        else
          e.callee = index_of(at, target->value);
        break;
      }
      case Opcode::RET:
        e.is_return = true;
        e.next = !always_acts(i);
        break;
      case Opcode::EXIT:
      case Opcode::KILL:
        e.next = !always_acts(i);
        break;
      case Opcode::BSYNC: {
        const auto barrier = barrier_of(i);
        if (!barrier) break;
        const auto found = bssy_.find(*barrier);
        if (found == bssy_.end()) break;
        // Compilers put the address that BSSY records right behind its BSYNC. One that stands elsewhere may
        // belong to any BSSY of its barrier.
        const std::int64_t behind = static_cast<std::int64_t>(address(at + 1));
        const auto& all = found->second;
        if (std::any_of(all.begin(), all.end(), [&](const auto& b) { return b.second == behind; })) break;
        for (const auto& [from, target] : all) e.targets.push_back(index_of(from, target));
        break;
      }
      case Opcode::WARPSYNC:
        if (const Operand* target = target_of(i)) e.targets.push_back(index_of(at, target->value));
        break;
      case Opcode::USETMAXREG:
        throw Refusal(address(at), "the kernel changes its register count while it runs");
      default:
        if (sass::is_warpgroup_product(i.opcode))
          throw Refusal(address(at),
                        "an asynchronous matrix instruction, whose registers stay in use after it");
    }
    return e;
  }

  void explore() {
    exits_.resize(code_.size());
    reached_.assign(code_.size(), 0);
    std::vector<std::uint32_t> work{entry_};
    reached_[entry_] = 1;
    const auto reach = [&](std::uint32_t i) {
      if (reached_[i] == 0) {
        reached_[i] = 1;
        work.push_back(i);
      }
    };
    while (!work.empty()) {
      const std::uint32_t at = work.back();
      work.pop_back();
      exits_[at] = exits(at);
      const Exits& e = exits_[at];
      if (e.next) {
        if (at + 1 >= code_.size()) throw Refusal(address(at), "the code runs past the end of its section");
        reach(at + 1);
      }
      for (const std::uint32_t t : e.targets) reach(t);
      if (e.callee) {
        callees_.insert(*e.callee);
        reach(*e.callee);
      }
    }
  }

  // The instructions of a function: what its entry leads to without following calls.
  std::vector<std::uint32_t> body(std::uint32_t entry) const {
    std::vector<std::uint32_t> found{entry};
    std::set<std::uint32_t> seen{entry};
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Exits& e = exits_[found[k]];
      const auto add = [&](std::uint32_t i) {
        if (seen.insert(i).second) found.push_back(i);
      };
      if (e.next) add(found[k] + 1);
      for (const std::uint32_t t : e.targets) add(t);
    }
    return found;
  }

  // Follows the register of every RET back to the immediates that were moved into it. All of them must be
  // the address behind a call of the function that returns; otherwise every call in the section is opaque.
  bool resolve_returns() {
    if (callees_.empty()) {
      for (std::uint32_t i = 0; i < code_.size(); ++i)
        if (reached_[i] != 0 && exits_[i].is_return)
          throw Refusal(address(i), "a return without a call whose address could be followed");
      return true;
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> callers;    // callee entry: call sites
    std::map<std::uint32_t, std::set<std::uint32_t>> functions_of;  // instruction: callee entries around it
    std::map<std::uint32_t, RegisterWrites> writes;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (reached_[i] != 0 && exits_[i].callee) callers[*exits_[i].callee].push_back(i);
    for (const std::uint32_t f : callees_) {
      for (const std::uint32_t i : body(f)) {
        functions_of[i].insert(f);
        note_writes(i, writes[f]);
      }
    }
    predecessors_.assign(code_.size(), {});
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (reached_[i] == 0) continue;
      if (exits_[i].next) predecessors_[i + 1].push_back(i);
      for (const std::uint32_t t : exits_[i].targets) predecessors_[t].push_back(i);
      if (exits_[i].callee) predecessors_[*exits_[i].callee].push_back(i);
    }
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (reached_[i] == 0 || !exits_[i].is_return) continue;
      if (functions_of.find(i) == functions_of.end())
        throw Refusal(address(i), "a return outside any function that is called");
      const auto values = return_addresses(i, writes);
      if (!values) return false;
      for (const std::uint32_t v : *values) {
        const bool behind_call = v > 0 && v < code_.size() && reached_[v - 1] != 0 && exits_[v - 1].callee &&
                                 functions_of[i].count(*exits_[v - 1].callee) != 0;
        if (!behind_call) return false;
      }
      return_targets_[i] = *values;
    }
    // Each caller must be returned to, or its function never returns: then nothing is lost.
    return true;
  }

  struct RegisterWrites {
    std::set<unsigned> registers;
    bool calls_on = false;  // calls something else, whose writes are not in the list
  };

  void note_writes(std::uint32_t i, RegisterWrites& writes) const {
    if (exits_[i].opaque_call || exits_[i].callee) writes.calls_on = true;
    for (const Operand& o : code_[i].operands()) {
      const OperandRegisters r = operand_registers(code_[i], o);
      if (r.write)
        for (unsigned k = 0; k < r.count; ++k) writes.registers.insert(r.first + k);
    }
  }

  // The register that holds a code address, and where it was seen: walked backward through moves.
  std::optional<std::vector<std::uint32_t>> return_addresses(
      std::uint32_t ret, const std::map<std::uint32_t, RegisterWrites>& writes) const {
    const Operand* base = nullptr;
    for (const Operand& o : code_[ret].operands())
      if (o.kind == OperandKind::register_) base = &o;
    if (base == nullptr || base->index >= Operand::rz || code_[ret].has(Modifier::absolute_target))
      return std::nullopt;

    const Operand* displacement = target_of(code_[ret]);
    const auto section_base = displacement == nullptr ? 0 : static_cast<std::uint64_t>(displacement->value);
    std::set<std::uint32_t> values;
    std::set<std::pair<std::uint32_t, unsigned>> seen;  // before instruction i, the address is in register r
    std::vector<std::pair<std::uint32_t, unsigned>> work;
    const auto push = [&](std::uint32_t i, unsigned r) {
      if (seen.insert({i, r}).second) work.push_back({i, r});
    };
    push(ret, base->index);
    while (!work.empty()) {
      const auto [at, reg] = work.back();
      work.pop_back();
      if (at == entry_) return std::nullopt;
      for (const std::uint32_t p : predecessors_[at]) {
        const Instruction& i = code_[p];
        if (exits_[p].opaque_call) return std::nullopt;
        if (exits_[p].callee &&
            at == p + 1) {  // what comes back from a call: nothing in it may write the register
          const RegisterWrites& w = writes.at(*exits_[p].callee);
          if (w.calls_on || w.registers.count(reg) != 0) return std::nullopt;
          push(p, reg);
          continue;
        }
        bool written = false;
        for (const Operand& o : i.operands()) {
          const OperandRegisters r = operand_registers(i, o);
          if (r.write && reg >= r.first && reg < r.first + r.count) written = true;
        }
        if (!written) {
          push(p, reg);
          continue;
        }
        const Operand* source = moved_value(i);
        if (source == nullptr) return std::nullopt;
        if (source->kind == OperandKind::register_) {
          push(p, source->index);
        } else {
          const auto value = (static_cast<std::uint64_t>(source->value) + section_base) & 0xffffffff;
          if (value % instruction_bytes != 0 || value / instruction_bytes >= code_.size())
            return std::nullopt;
          values.insert(static_cast<std::uint32_t>(value / instruction_bytes));
        }
      }
    }
    if (values.empty()) return std::nullopt;
    return std::vector<std::uint32_t>(values.begin(), values.end());
  }

  // The operand that an unguarded move copies; null for anything else. IMAD.MOV is RZ * RZ + source.
  static const Operand* moved_value(const Instruction& i) {
    if (is_guarded(i)) return nullptr;
    const auto plain = [](const Operand& o) {
      return !o.negate && !o.invert &&
             (o.kind == OperandKind::immediate ||
              (o.kind == OperandKind::register_ && o.index < Operand::rz));
    };
    if (i.opcode == Opcode::MOV && i.operand_count >= 2 && plain(i.operand(1))) return &i.operand(1);
    const auto zero = [](const Operand& o) {
      return o.kind == OperandKind::register_ && o.index == Operand::rz;
    };
    if (i.opcode == Opcode::IMAD && i.operand_count >= 4 && zero(i.operand(1)) && zero(i.operand(2)) &&
        plain(i.operand(3)))
      return &i.operand(3);
    return nullptr;
  }

  [[nodiscard]] bool opaque_call_at(std::uint32_t i) const {
    return exits_[i].opaque_call || (exits_[i].callee && !returns_known_);
  }

  std::vector<std::uint32_t> successors_of(std::uint32_t i) const {
    const Exits& e = exits_[i];
    std::vector<std::uint32_t> out;
    if (e.callee && returns_known_) {
      out.push_back(*e.callee);
      if (is_guarded(code_[i]) || !always_acts(code_[i])) out.push_back(i + 1);
    } else if (e.next) {
      out.push_back(i + 1);
    }
    out.insert(out.end(), e.targets.begin(), e.targets.end());
    if (const auto found = return_targets_.find(i); returns_known_ && found != return_targets_.end())
      out.insert(out.end(), found->second.begin(), found->second.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  ControlFlow assemble() const {
    std::vector<std::vector<std::uint32_t>> next(code_.size());
    std::vector<char> reached(code_.size(), 0);
    std::vector<std::uint32_t> work{entry_};
    const auto reach = [&](std::uint32_t i) {
      if (reached[i] == 0) {
        reached[i] = 1;
        work.push_back(i);
      }
    };
    reached[entry_] = 1;
    if (!returns_known_)
      for (const std::uint32_t f : callees_) reach(f);
    while (!work.empty()) {
      const std::uint32_t at = work.back();
      work.pop_back();
      next[at] = successors_of(at);
      for (const std::uint32_t s : next[at]) reach(s);
    }

    std::vector<char> leader(code_.size(), 0);
    leader[entry_] = 1;
    if (!returns_known_)
      for (const std::uint32_t f : callees_) leader[f] = 1;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (reached[i] == 0) continue;
      const bool opaque = opaque_call_at(i) || (exits_[i].is_return && !returns_known_);
      const bool straight = next[i].size() == 1 && next[i].front() == i + 1;
      if (opaque) leader[i] = 1;
      if (straight && !opaque) continue;
      for (const std::uint32_t s : next[i]) leader[s] = 1;
      if (i + 1 < code_.size()) leader[i + 1] = 1;
    }

    ControlFlow flow;
    flow.block_of.assign(code_.size(), no_block);
    flow.boundary.assign(code_.size(), Boundary::none);
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (reached[i] == 0) continue;
      if (leader[i] != 0 || i == 0 || reached[i - 1] == 0) {
        flow.blocks.push_back({});
        flow.blocks.back().first = i;
      }
      flow.blocks.back().end = i + 1;
      flow.block_of[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
      if (opaque_call_at(i)) flow.boundary[i] = Boundary::call;
      if (exits_[i].is_return && !returns_known_) flow.boundary[i] = Boundary::return_;
    }
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
      for (const std::uint32_t s : next[flow.blocks[b].end - 1]) {
        const std::uint32_t to = flow.block_of[s];
        flow.blocks[b].successors.push_back(to);
        flow.blocks[to].predecessors.push_back(b);
      }
    flow.blocks[flow.block_of[entry_]].entry = true;
    if (!returns_known_)
      for (const std::uint32_t f : callees_) {
        flow.blocks[flow.block_of[f]].entry = true;
        flow.blocks[flow.block_of[f]].opaque_entry = true;
      }
    return flow;
  }

  std::span<const Instruction> code_;
  std::uint32_t entry_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> indirect_;
  std::map<std::uint16_t, std::vector<std::pair<std::uint32_t, std::int64_t>>> bssy_;
  std::vector<Exits> exits_;
  std::vector<char> reached_;
  std::set<std::uint32_t> callees_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> return_targets_;
  bool returns_known_ = true;
};

// Natural loops: an edge to a block that dominates its source closes one.
void measure_loops(ControlFlow& flow) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  const std::size_t n = flow.blocks.size();
  const std::size_t root = n;  // stands before every entry
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t b = 0; b < n; ++b) {
    if (flow.blocks[b].entry) edges.emplace_back(root, b);
    for (const std::uint32_t s : flow.blocks[b].successors) edges.emplace_back(b, s);
  }
  const Graph graph(edges.begin(), edges.end(), n + 1);
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> dominator(n + 1, none);
  boost::lengauer_tarjan_dominator_tree(
      graph, root,
      boost::make_iterator_property_map(dominator.begin(), boost::get(boost::vertex_index, graph)));

  // Intervals of a walk over the dominator tree answer "does a dominate b" at once.
  std::vector<std::vector<std::size_t>> children(n + 1);
  for (std::size_t b = 0; b < n; ++b)
    if (dominator[b] != none) children[dominator[b]].push_back(b);
  std::vector<std::size_t> enter(n + 1, 0);
  std::vector<std::size_t> leave(n + 1, 0);
  std::vector<std::pair<std::size_t, std::size_t>> stack{{root, 0}};
  std::size_t clock = 1;
  enter[root] = clock++;
  while (!stack.empty()) {
    auto& [node, child] = stack.back();
    if (child < children[node].size()) {
      const std::size_t down = children[node][child++];
      enter[down] = clock++;
      stack.emplace_back(down, 0);
    } else {
      leave[node] = clock++;
      stack.pop_back();
    }
  }
  const auto dominates = [&](std::size_t a, std::size_t b) {
    return enter[a] <= enter[b] && leave[b] <= leave[a];
  };

  std::map<std::size_t, std::set<std::size_t>>
      loops;  // header: blocks; back edges to one header make one loop
  for (std::size_t b = 0; b < n; ++b)
    for (const std::uint32_t header : flow.blocks[b].successors) {
      if (!dominates(header, b)) continue;
      std::set<std::size_t>& loop = loops[header];
      loop.insert(header);
      std::vector<std::size_t> work;
      if (loop.insert(b).second) work.push_back(b);
      while (!work.empty()) {
        const std::size_t at = work.back();
        work.pop_back();
        for (const std::uint32_t p : flow.blocks[at].predecessors)
          if (loop.insert(p).second) work.push_back(p);
      }
    }
  for (const auto& [header, loop] : loops) {
    if (loop.size() == 1 && flow.blocks[header].end - flow.blocks[header].first == 1)
      continue;  // BRA to itself: padding
    for (const std::size_t b : loop) ++flow.blocks[b].loop_depth;
  }
}

}  // namespace

ControlFlow control_flow(std::span<const Instruction> code, std::uint32_t entry,
                         std::span<const BranchTargets> indirect) {
  ControlFlow flow = Builder(code, entry, indirect).build();
  measure_loops(flow);
  return flow;
}

std::vector<double> weights_by_loop_depth(const ControlFlow& flow) {
  std::vector<double> weights(flow.block_of.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (flow.block_of[i] != no_block) weights[i] = std::pow(10.0, flow.blocks[flow.block_of[i]].loop_depth);
  return weights;
}

}  // namespace warpgauge::registers
