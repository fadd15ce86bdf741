// What kernels written for one question did on an H200, as examples/validation/hardware/by_hand_h200.json has it.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

namespace warpgauge::model::test {

inline nlohmann::json by_hand(const char* name) {
  std::ifstream file(WARPGAUGE_SOURCE_DIR "/examples/validation/hardware/by_hand_h200.json");
  return nlohmann::json::parse(file)[name];
}

}  // namespace warpgauge::model::test
