#include "model/registers/webs.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace warpgauge::registers {

using sass::Instruction;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

namespace {

class UnionFind {
 public:
  std::uint32_t add() {
    parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
    return parent_.back();
  }
  std::uint32_t find(std::uint32_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }
  [[nodiscard]] std::size_t size() const { return parent_.size(); }

 private:
  std::vector<std::uint32_t> parent_;
};

// R1 as every kernel that uses a stack sets it: from c[0x0][0x28], the ABI's place for the initial pointer.
bool sets_stack_pointer(const Instruction& i) {
  constexpr std::int64_t initial_stack_pointer = 0x28;
  bool writes_r1 = false;
  bool reads_pointer = false;
  for (const Operand& o : i.operands()) {
    if (o.kind == OperandKind::register_ && o.access == sass::Access::write && o.index == 1) writes_r1 = true;
    if (o.kind == OperandKind::constant && o.bank == 0 && o.value == initial_stack_pointer)
      reads_pointer = true;
  }
  return writes_r1 && reads_pointer;
}

constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

class Finder {
 public:
  Finder(std::span<const Instruction> code, const ControlFlow& flow, const AccessTable& accesses,
         const Liveness& live)
      : code_(code), flow_(flow), accesses_(accesses), live_(live) {}

  Webs find() {
    join_values();
    number_webs();
    group_webs();
    return std::move(result_);
  }

 private:
  using Nodes = std::array<std::uint32_t, 256>;  // by register

  std::uint32_t node(unsigned reg) {
    node_register_.push_back(static_cast<std::uint8_t>(reg));
    return sets_.add();
  }

  // One node for each write, and one for each register live into each block. A read joins nothing: it uses
  // the node that holds the register at that place. Block borders join what flows over them.
  void join_values() {
    const std::size_t blocks = flow_.blocks.size();
    access_node_.assign(accesses_.all().size(), no_node);
    out_nodes_.resize(blocks);
    in_nodes_.resize(blocks);
    std::vector<std::vector<std::uint32_t>>& in = in_nodes_;
    for (std::size_t b = 0; b < blocks; ++b)
      live_.live_in[b].for_each([&](unsigned r) {
        in[b].push_back(node(r));
        if (flow_.blocks[b].entry) entry_nodes_.push_back(in[b].back());
        if (flow_.blocks[b].opaque_entry) pinned_nodes_.push_back(in[b].back());
      });
    const std::vector<RegisterSet> after = live_after_each(code_, flow_, accesses_, live_);
    Nodes now;
    for (std::size_t b = 0; b < blocks; ++b) {
      now.fill(no_node);
      std::size_t k = 0;
      live_.live_in[b].for_each([&](unsigned r) { now[r] = in[b][k++]; });
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) step(i, after[i], now);
      live_.live_out[b].for_each([&](unsigned r) { out_nodes_[b].push_back(now[r]); });
    }
    for (std::size_t b = 0; b < blocks; ++b)
      for (const std::uint32_t s : flow_.blocks[b].successors) {
        Nodes flowing;
        std::size_t k = 0;
        live_.live_out[b].for_each([&](unsigned r) { flowing[r] = out_nodes_[b][k++]; });
        k = 0;
        live_.live_in[s].for_each([&](unsigned r) { sets_.join(flowing[r], in[s][k++]); });
      }
  }

  void step(std::uint32_t i, const RegisterSet& after, Nodes& now) {
    const auto list = accesses_.of(i);
    const std::size_t first = accesses_.first(i);
    if (flow_.boundary[i] != Boundary::none)
      RegisterSet::all().for_each([&](unsigned r) {
        if (now[r] != no_node) pinned_nodes_.push_back(now[r]);
      });
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].read) access_node_[first + k] = now[list[k].register_];
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].write) continue;
      const unsigned r = list[k].register_;
      const std::uint32_t written = node(r);
      if (list[k].read) sets_.join(written, access_node_[first + k]);  // one operand, one register
      if (is_guarded(code_[i]) && after.test(r)) sets_.join(written, now[r]);
      access_node_[first + k] = written;
      now[r] = written;
      if (r == 1 && sets_stack_pointer(code_[i])) pinned_nodes_.push_back(written);
    }
  }

  void number_webs() {
    std::vector<WebId> of_root(sets_.size(), no_web);
    const auto web_of = [&](std::uint32_t node) {
      WebId& id = of_root[sets_.find(node)];
      if (id == no_web) {
        id = static_cast<WebId>(result_.webs.size());
        result_.webs.push_back({});
        result_.webs.back().register_ = node_register_[node];
      }
      return id;
    };
    result_.of_access.assign(access_node_.size(), no_web);
    for (std::size_t k = 0; k < access_node_.size(); ++k) {
      if (access_node_[k] == no_node) continue;
      const WebId id = web_of(access_node_[k]);
      result_.of_access[k] = id;
      if (accesses_.all()[k].read) ++result_.webs[id].reads;
      if (accesses_.all()[k].write) ++result_.webs[id].writes;
    }
    result_.in.resize(in_nodes_.size());
    for (std::size_t b = 0; b < in_nodes_.size(); ++b)
      for (const std::uint32_t n : in_nodes_[b]) result_.in[b].push_back(web_of(n));
    result_.out.resize(out_nodes_.size());
    for (std::size_t b = 0; b < out_nodes_.size(); ++b)
      for (const std::uint32_t n : out_nodes_[b]) result_.out[b].push_back(web_of(n));
    for (const std::uint32_t n : entry_nodes_) result_.webs[web_of(n)].from_entry = true;
    for (const std::uint32_t n : pinned_nodes_) result_.webs[web_of(n)].pinned = true;
    for (Web& w : result_.webs)
      if (w.writes == 0 || (w.from_entry && w.register_ == 1)) w.pinned = true;
  }

  void group_webs() {
    UnionFind groups;
    for (std::size_t w = 0; w < result_.webs.size(); ++w) groups.add();
    std::vector<unsigned> alignment(result_.webs.size(), 1);
    for_each_tuple([&](std::span<const WebId> tuple, unsigned) {
      for (std::size_t k = 1; k < tuple.size(); ++k) groups.join(tuple[0], tuple[k]);
    });
    for_each_tuple([&](std::span<const WebId> tuple, unsigned first) {
      unsigned& a = alignment[groups.find(tuple[0])];
      a = std::max(a, required_alignment(first, static_cast<unsigned>(tuple.size())));
    });
    std::vector<std::uint32_t> number(result_.webs.size(), no_node);
    for (WebId w = 0; w < result_.webs.size(); ++w) {
      std::uint32_t& g = number[groups.find(w)];
      if (g == no_node) {
        g = static_cast<std::uint32_t>(result_.groups.size());
        result_.groups.push_back({});
        result_.groups.back().alignment = alignment[groups.find(w)];
      }
      result_.webs[w].group = g;
      result_.groups[g].webs.push_back(w);
      if (result_.webs[w].pinned) result_.groups[g].pinned = true;
    }
    for (Group& g : result_.groups)
      std::stable_sort(g.webs.begin(), g.webs.end(), [&](WebId a, WebId b) {
        return result_.webs[a].register_ < result_.webs[b].register_;
      });
  }

  // f(webs, first register) for each operand of two or more registers.
  template <class F>
  void for_each_tuple(F&& f) {
    std::vector<WebId> tuple;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (flow_.block_of[i] == no_block) continue;
      const auto list = accesses_.of(i);
      for (std::size_t k = 0; k < list.size();) {
        std::size_t end = k + 1;
        while (end < list.size() && list[end].operand == list[k].operand) ++end;
        if (end - k > 1) {
          tuple.clear();
          for (std::size_t m = k; m < end; ++m) tuple.push_back(result_.of_access[accesses_.first(i) + m]);
          f(std::span<const WebId>(tuple), list[k].register_);
        }
        k = end;
      }
    }
  }

  std::span<const Instruction> code_;
  const ControlFlow& flow_;
  const AccessTable& accesses_;
  const Liveness& live_;
  UnionFind sets_;
  std::vector<std::uint8_t> node_register_;
  std::vector<std::uint32_t> access_node_;
  std::vector<std::vector<std::uint32_t>> in_nodes_;  // by block, in register order
  std::vector<std::vector<std::uint32_t>> out_nodes_;
  std::vector<std::uint32_t> entry_nodes_;
  std::vector<std::uint32_t> pinned_nodes_;
  Webs result_;
};

}  // namespace

Webs find_webs(std::span<const Instruction> code, const ControlFlow& flow, const AccessTable& accesses,
               const Liveness& live) {
  return Finder(code, flow, accesses, live).find();
}

}  // namespace warpgauge::registers
