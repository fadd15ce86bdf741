// What the tests of traces share.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/emulator/launch_file.h"
#include "traces/native/difference.h"

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

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A stored input of the fuzzers, without the byte that says what it is.
inline std::string fuzz_input(const std::string& name) {
  return read_file(std::string(WARPGAUGE_SOURCE_DIR "/tests/fuzz/corpus/") + name).substr(1);
}

inline std::string cubin_of(const emulator::testing::Suite& suite, const emulator::testing::SuiteCase& one,
                            const std::string& sm) {
  std::string cubin = one.cubin;
  cubin.replace(cubin.find("{architecture}"), 14, sm);
  return suite.folder + "/" + cubin;
}

// Everything that a model may look at: also what depends on the order of the warps.
inline std::string compare_issued(const traces::Issued& a, const traces::Issued& b) {
  if (std::string difference = compare(a, b); !difference.empty()) return difference;
  if (!a.exited && a.next != b.next) return "next";
  if (a.branched != b.branched) return "branched";
  if (a.diverged != b.diverged) return "diverged";
  if (a.blocked != b.blocked) return "blocked";
  if (a.released_warps != b.released_warps) return "released warps";
  return "";
}

}  // namespace warpgauge::native::test
