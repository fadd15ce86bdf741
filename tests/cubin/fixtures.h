// The cubins of tests/cubin/data, by name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "traces/cubin/cubin.h"

namespace warpgauge::cubin {

inline std::string data_path(const std::string& name) {
  return std::string(WARPGAUGE_SOURCE_DIR) + "/tests/cubin/data/" + name;
}
inline Bytes data_bytes(const std::string& name) {
  return read_bytes(data_path(name));
}
inline Image data_image(const std::string& name) {
  return Image::read_file(data_path(name));
}

// Every linked module made from module.cu, by both toolkits.
inline constexpr const char* modules[] = {"module.cuda11.sm_70.cubin", "module.cuda13.sm_75.cubin",
                                          "linked.cuda11.sm_80.cubin", "module.cuda11.sm_90.cubin",
                                          "module.cuda13.sm_90.cubin", "linked.cuda13.sm_90.cubin"};

// Test names may hold neither dots nor dashes.
inline std::string case_name(const testing::TestParamInfo<const char*>& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// The same pseudo-random numbers everywhere (xorshift64*).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545f4914f6cdd1dU;
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace warpgauge::cubin
