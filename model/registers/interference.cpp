#include "model/registers/interference.h"

#include <algorithm>
#include <array>
#include <boost/property_map/shared_array_property_map.hpp>  // first: smallest_last_ordering.hpp relies on it

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/smallest_last_ordering.hpp>

namespace warpgauge::registers {

struct InterferenceGraph::Rows {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  Graph graph;                    // each edge in both directions
  std::vector<WebId> neighbours;  // the graph's rows, one behind the other
};

InterferenceGraph::InterferenceGraph(std::size_t webs, std::vector<std::pair<WebId, WebId>> edges)
    : rows_(std::make_unique<Rows>()) {
  const std::size_t n = edges.size();
  edges.reserve(2 * n);
  for (std::size_t k = 0; k < n; ++k) edges.emplace_back(edges[k].second, edges[k].first);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  rows_->graph = Rows::Graph(boost::edges_are_sorted, edges.begin(), edges.end(), webs, edges.size());
  rows_->neighbours.reserve(edges.size());
  for (const auto& e : edges) rows_->neighbours.push_back(e.second);
}

InterferenceGraph::~InterferenceGraph() = default;
InterferenceGraph::InterferenceGraph(InterferenceGraph&&) noexcept = default;
InterferenceGraph& InterferenceGraph::operator=(InterferenceGraph&&) noexcept = default;

std::size_t InterferenceGraph::webs() const {
  return boost::num_vertices(rows_->graph);
}
std::size_t InterferenceGraph::edges() const {
  return boost::num_edges(rows_->graph) / 2;
}

std::span<const WebId> InterferenceGraph::neighbours(WebId web) const {
  const auto& starts = rows_->graph.m_forward.m_rowstart;
  return {rows_->neighbours.data() + starts[web], starts[web + 1] - starts[web]};
}

bool InterferenceGraph::interfere(WebId a, WebId b) const {
  const auto row = neighbours(a);
  return std::binary_search(row.begin(), row.end(), b);
}

std::vector<WebId> InterferenceGraph::smallest_last_order() const {
  if (webs() == 0) return {};
  std::vector<WebId> order(webs());
  boost::smallest_last_vertex_ordering(
      rows_->graph, boost::make_iterator_property_map(order.begin(), boost::identity_property_map()));
  return order;
}

namespace {

class Collector {
 public:
  Collector(std::span<const sass::Instruction> code, const ControlFlow& flow, const AccessTable& accesses,
            const Liveness& live, const Webs& webs)
      : code_(code), flow_(flow), accesses_(accesses), live_(live), webs_(webs) {}

  std::vector<std::pair<WebId, WebId>> collect(const InFlightBounds& bounds) {
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) scan(b);
    for_each_write_in_flight(
        code_, flow_, accesses_,
        [&](std::uint32_t writer, std::uint32_t, std::size_t access) {
          const auto list = accesses_.of(writer);
          for (std::size_t k = 0; k < list.size(); ++k)
            if (list[k].write) add(webs_.of_access[accesses_.first(writer) + k], webs_.of_access[access]);
        },
        bounds);
    return std::move(edges_);
  }

 private:
  void add(WebId a, WebId b) {
    if (a == b || webs_.webs[a].register_ == webs_.webs[b].register_) return;
    const std::pair<WebId, WebId> edge{std::min(a, b), std::max(a, b)};
    // Repeats come in bursts (a loop's body against one web). Most are among the last edges; the others are squeezed out
    // before they fill memory.
    std::uint64_t& last = lately_[(edge.first * 0x9e3779b97f4a7c15ULL + edge.second * 0xc2b2ae3d27d4eb4fULL) >> 46];
    const std::uint64_t key = (std::uint64_t{edge.first} << 32 | edge.second) + 1;
    if (last == key) return;
    last = key;
    edges_.push_back(edge);
    if (edges_.size() >= squeeze_at_) {
      std::sort(edges_.begin(), edges_.end());
      edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
      squeeze_at_ = std::max<std::size_t>(squeeze_at_, 2 * edges_.size());
    }
  }

  void scan(std::size_t b) {
    std::array<WebId, 256> now;
    now.fill(no_web);
    RegisterSet live = live_.live_out[b];
    std::size_t k = 0;
    live.for_each([&](unsigned r) { now[r] = webs_.out[b][k++]; });
    for (std::uint32_t i = flow_.blocks[b].end; i-- > flow_.blocks[b].first;) {
      const auto list = accesses_.of(i);
      const std::size_t first = accesses_.first(i);
      for (std::size_t w = 0; w < list.size(); ++w) {
        if (!list[w].write) continue;
        const WebId written = webs_.of_access[first + w];
        live.for_each([&](unsigned r) { add(written, now[r]); });
        for (std::size_t o = 0; o < w; ++o)
          if (list[o].write) add(written, webs_.of_access[first + o]);
        // An instruction that takes its time may write before it has read everything.
        if (!is_fixed_latency(code_[i]))
          for (std::size_t s = 0; s < list.size(); ++s)
            if (list[s].read) add(written, webs_.of_access[first + s]);
      }
      const RegisterSet before = live_before(code_[i], flow_.boundary[i], list, live);
      for (std::size_t s = 0; s < list.size(); ++s)
        if (list[s].read) now[list[s].register_] = webs_.of_access[first + s];
      if (flow_.boundary[i] != Boundary::none) {  // alone in its block
        std::size_t n = 0;
        before.for_each([&](unsigned r) { now[r] = webs_.in[b][n++]; });
      }
      live = before;
    }
    if (flow_.blocks[b].entry) {
      std::vector<WebId> together;
      live.for_each([&](unsigned r) { together.push_back(now[r]); });
      for (std::size_t x = 0; x < together.size(); ++x)
        for (std::size_t y = 0; y < x; ++y) add(together[x], together[y]);
    }
  }

  std::span<const sass::Instruction> code_;
  const ControlFlow& flow_;
  const AccessTable& accesses_;
  const Liveness& live_;
  const Webs& webs_;
  std::vector<std::uint64_t> lately_ = std::vector<std::uint64_t>(std::size_t{1} << 18);  // edges, by hash; 0: none
  std::vector<std::pair<WebId, WebId>> edges_;
  std::size_t squeeze_at_ = std::size_t{1} << 22;
};

}  // namespace

InterferenceGraph interference(std::span<const sass::Instruction> code, const ControlFlow& flow,
                               const AccessTable& accesses, const Liveness& live, const Webs& webs,
                               const InFlightBounds& bounds) {
  return {webs.webs.size(), Collector(code, flow, accesses, live, webs).collect(bounds)};
}

unsigned register_pressure(std::span<const sass::Instruction> code, const ControlFlow& flow,
                           const AccessTable& accesses, const Liveness& live) {
  unsigned most = 0;
  const std::vector<RegisterSet> after = live_after_each(code, flow, accesses, live);
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (flow.block_of[i] == no_block) continue;
    RegisterSet occupied = after[i];
    for (const RegisterAccess& a : accesses.of(i))
      if (a.write) occupied.set(a.register_);
    most = std::max(
        {most, occupied.count(), live_before(code[i], flow.boundary[i], accesses.of(i), after[i]).count()});
  }
  return most;
}

}  // namespace warpgauge::registers
