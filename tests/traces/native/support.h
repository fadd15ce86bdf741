// What the tests of traces share.
#pragma once

#include <unistd.h>

#include <atomic>
#include <bit>
#include <filesystem>
#include <string>

#include "tests/emulator/launch_file.h"
#include "traces/warp_stream.h"

namespace warpgauge::native::test {

// A file name of its own, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& suffix = ".wgt") {
    static std::atomic<unsigned> count{0};
    path_ = (std::filesystem::temp_directory_path() /
             ("warpgauge_trace_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + suffix))
                .string();
  }
  ~TemporaryFile() { std::filesystem::remove_all(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string cubin_of(const emulator::testing::Suite& suite, const emulator::testing::SuiteCase& one,
                            const std::string& sm) {
  std::string cubin = one.cubin;
  cubin.replace(cubin.find("{architecture}"), 14, sm);
  return suite.folder + "/" + cubin;
}

// The first field in which two instructions differ; empty when they are the same. Addresses of lanes that
// took no part do not count.
inline std::string compare(const traces::Issued& a, const traces::Issued& b) {
  const auto differ = [](const char* field, auto one, auto other) {
    return std::string(field) + ": " + std::to_string(one) + " and " + std::to_string(other);
  };
  if (a.active_mask != b.active_mask) return differ("active_mask", a.active_mask, b.active_mask);
  if (a.executed_mask != b.executed_mask) return differ("executed_mask", a.executed_mask, b.executed_mask);
  if (a.exited != b.exited) return differ("exited", a.exited, b.exited);
  if (!a.exited && a.next != b.next) return differ("next", a.next, b.next);
  if (a.branched != b.branched) return differ("branched", a.branched, b.branched);
  if (a.diverged != b.diverged) return differ("diverged", a.diverged, b.diverged);
  if (a.blocked != b.blocked) return differ("blocked", a.blocked, b.blocked);
  if (a.released_warps != b.released_warps)
    return differ("released_warps", a.released_warps, b.released_warps);
  if (a.space != b.space) return differ("space", static_cast<int>(a.space), static_cast<int>(b.space));
  if (a.access != b.access) return differ("access", static_cast<int>(a.access), static_cast<int>(b.access));
  if (a.bytes_per_lane != b.bytes_per_lane) return differ("bytes", a.bytes_per_lane, b.bytes_per_lane);
  if (a.access == traces::MemoryAccess::none) return "";
  for (std::uint32_t rest = a.executed_mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (a.addresses[lane] != b.addresses[lane])
      return "lane " + std::to_string(lane) + " " + differ("address", a.addresses[lane], b.addresses[lane]);
    if (a.access == traces::MemoryAccess::copy && a.shared_addresses[lane] != b.shared_addresses[lane])
      return "lane " + std::to_string(lane) +
             differ(" shared address", a.shared_addresses[lane], b.shared_addresses[lane]);
  }
  return "";
}

}  // namespace warpgauge::native::test
