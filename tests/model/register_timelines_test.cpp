// The register file against what an H200's clock said behind every FFMA of streams with registers drawn at random, and behind
// every sequence of up to four (probes registers.timelines and registers.sequences): to the cycle.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "model/sm/register_file.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

struct Ffma {
  std::array<int, 3> sources{};  // 255: none
  int to = 255;
  unsigned stall = 1;
};

// One warp, from the clock that is read two cycles before the first FFMA to that behind each.
std::vector<Cycle> clocks(const std::vector<Ffma>& ffmas) {
  static const RegisterFileSpec spec = one_sm("h200").sm.registers;
  RegisterFile file(spec);
  std::vector<Cycle> read;
  Cycle now = 2;
  for (const Ffma& each : ffmas) {
    StaticOp op;
    for (std::uint8_t slot = 0; slot < 3; ++slot) {
      if (each.sources[slot] == 255) continue;
      SourceRead source;
      source.reg = static_cast<std::uint8_t>(each.sources[slot]);
      source.bank = source.reg % 2;
      source.slot = slot;
      op.add_read(source);
    }
    op.written = static_cast<std::uint8_t>(each.to);
    op.written_count = 1;
    const Cycle due = file.stall_clock(now) + each.stall;
    file.issue(op, 0, now);
    now = file.free_from(file.when(due));
    read.push_back(now);
  }
  return read;
}

nlohmann::json samples_of(const std::string& probe) {
  static const nlohmann::json measured = [] {
    std::ifstream file(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/measurements.json");
    return nlohmann::json::parse(file);
  }();
  for (const auto& each : measured.at("probes"))
    if (each.at("name") == probe) return each.at("samples");
  ADD_FAILURE() << "no measurements of " << probe;
  return nlohmann::json::array();
}

// "values, stalls drawn, draw 3: EOE1 OOE3": the kind says which source is the result of how many before.
std::vector<Ffma> stream_of(const std::string& label) {
  int slot = -1;
  int distance = 0;
  for (const auto& [name, number] : {std::pair{"first source", 0}, {"second source", 1}, {"third source", 2}}) {
    if (label.starts_with(name)) {
      slot = number;
      distance = label[label.find(" back") - 1] - '0';
    }
  }
  std::vector<Ffma> stream;
  std::istringstream words(label.substr(label.find(": ") + 2));
  for (std::string word; words >> word;) {
    Ffma ffma;
    const int at = static_cast<int>(stream.size());
    // No two registers are the same: the lower bit is the bank.
    for (int s = 0; s < 3; ++s)
      ffma.sources[static_cast<std::size_t>(s)] = 2 * (60 + (3 * at + s) % 48) + (word[static_cast<std::size_t>(s)] == 'O' ? 1 : 0);
    ffma.to = 8 + at % 16;
    if (slot >= 0) ffma.sources[static_cast<std::size_t>(slot)] = 8 + (at + 160 - distance) % 16;
    ffma.stall = static_cast<unsigned>(word[3] - '0');
    stream.push_back(ffma);
  }
  return stream;
}

TEST(RegisterTimelines, AreTheCardsBehindEachInstructionOfEachStream) {
  unsigned streams = 0;
  for (const auto& sample : samples_of("registers.timelines")) {
    const std::string label = sample.at("label");
    // Those with reuse flags do not say which registers they are.
    if (label.find(": ") == std::string::npos || label.starts_with("kept")) continue;
    ++streams;
    EXPECT_EQ(clocks(stream_of(label)), sample.at("y").get<std::vector<Cycle>>()) << label;
  }
  EXPECT_EQ(streams, 144U);
}

TEST(RegisterTimelines, AreTheCardsBehindEverySequenceOfUpToFour) {
  unsigned sequences = 0;
  for (const auto& sample : samples_of("registers.sequences")) {
    const std::string label = sample.at("label");
    if (!label.starts_with("length ")) continue;
    const int length = label[7] - '0';
    const int longer = label.back() - '0';
    const auto codes = sample.at("x").get<std::vector<int>>();
    const auto read = sample.at("y").get<std::vector<Cycle>>();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      std::vector<Ffma> ffmas;
      for (int k = 0, rest = codes[i]; k < length; ++k, rest /= 8) {
        Ffma ffma{{255, 255, 255}, 8 + k, 1U + (longer >> k & 1)};
        for (int s = 0; s < 3; ++s)
          if ((rest >> s & 1) != 0) ffma.sources[static_cast<std::size_t>(s)] = 40 + 2 * ((3 * s + k) % 8);
        ffmas.push_back(ffma);
      }
      for (int k = 0; k < 4; ++k) ffmas.push_back({{255, 255, 255}, 20 + k, 1});
      ASSERT_EQ(clocks(ffmas).back(), read[i]) << label << ", " << codes[i];
      ++sequences;
    }
  }
  EXPECT_EQ(sequences, 8U + 64 + 512 + 4096 + 3 * 512);
}

}  // namespace
}  // namespace warpgauge::model::test
