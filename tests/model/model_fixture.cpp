#include "tests/model/model_fixture.h"

#include <algorithm>

#include "calib/loader.h"

namespace warpgauge::model::test {

MachineSpec device_spec(const std::string& device) {
  return machine_spec(calib::load_device(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices", device));
}

MachineSpec one_sm(const std::string& device) {
  MachineSpec spec = device_spec(device);
  spec.occupancy.sms = 1;
  spec.memory.sms = 1;
  spec.memory.crossbar.gpc_of_sm = {0};
  spec.memory.crossbar.distances = {0};
  spec.launch.gpc_sms = {1};
  return spec;
}

std::vector<std::vector<std::uint64_t>> second_turn(const MachineSpec& spec, std::vector<FakeOp> body,
                                                    unsigned warps) {
  const std::size_t length = body.size();
  body.push_back(branch_to(0, 1).stall(5));
  // The warps begin their second turn together, and with empty queues.
  for (int i = 0; i < 8; ++i) body.insert(body.end() - 1, op(sass::Opcode::NOP).stall(11));
  body.insert(body.end() - 1, barrier().stall(6));
  body.push_back(exit_op());
  FakeStream stream(body);
  stream.launch(1, warps * 32);
  Machine machine(spec);
  std::vector<IssueEvent> timeline;
  machine.run(stream, {}, timeline);
  std::vector<std::vector<std::uint64_t>> turns(warps);
  std::vector<std::size_t> seen(warps, 0);
  std::uint64_t first = ~std::uint64_t{0};
  for (const IssueEvent& event : timeline) {
    if (event.index >= length) continue;
    if (seen[event.warp]++ < length) continue;
    turns[event.warp].push_back(event.cycle);
    first = std::min(first, event.cycle);
  }
  for (auto& turn : turns) {
    for (std::uint64_t& cycle : turn) cycle -= first;
  }
  return turns;
}

double cycles_each(const MachineSpec& spec, const std::vector<FakeOp>& body, unsigned warps) {
  const auto turns = second_turn(spec, body, warps);
  const auto& turn = turns.front();
  const std::size_t half = turn.size() / 2;
  return static_cast<double>(turn.back() - turn[half]) / static_cast<double>(turn.size() - 1 - half);
}

}  // namespace warpgauge::model::test
