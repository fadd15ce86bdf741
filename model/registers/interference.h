// Which webs may not share a register: an undirected graph over webs (Boost.Graph, compressed rows).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/registers/in_flight.h"
#include "model/registers/webs.h"

namespace warpgauge::registers {

class InterferenceGraph {
 public:
  InterferenceGraph(std::size_t webs, std::vector<std::pair<WebId, WebId>> edges);
  ~InterferenceGraph();
  InterferenceGraph(InterferenceGraph&&) noexcept;
  InterferenceGraph& operator=(InterferenceGraph&&) noexcept;

  [[nodiscard]] std::size_t webs() const;
  [[nodiscard]] std::size_t edges() const;                           // each once
  [[nodiscard]] std::span<const WebId> neighbours(WebId web) const;  // rising
  [[nodiscard]] bool interfere(WebId a, WebId b) const;

  // Webs ordered so that each has few neighbours among those before it (smallest last).
  [[nodiscard]] std::vector<WebId> smallest_last_order() const;

 private:
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

// Two webs interfere when one is written while the other is live or in flight, or when both are live at the
// start. Webs that the original code keeps in one register never do.
InterferenceGraph interference(std::span<const sass::Instruction> code, const ControlFlow& flow,
                               const AccessTable& accesses, const Liveness& live, const Webs& webs,
                               const InFlightBounds& bounds = {});

// The largest number of webs that are live at once: no assignment can do with fewer registers.
unsigned register_pressure(std::span<const sass::Instruction> code, const ControlFlow& flow,
                           const AccessTable& accesses, const Liveness& live);

}  // namespace warpgauge::registers
