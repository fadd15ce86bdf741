#include "traces/launch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

namespace warpgauge::launch {
namespace {

using ::testing::HasSubstr;

const char* const saxpy =
    R"({"schema": "warpgauge-launch/1", "kernel": "saxpy", "grid": [4096], "block": [256, 1, 1],
  "dynamic_shared_bytes": 16,
  "arguments": [{"i32": -5}, {"f32": 2.5}, {"buffer": {"bytes": 64, "fill": "random_f32", "seed": 7, "min": -1}}]})";

std::string refusal(const std::string& json) {
  try {
    parse(json, "launch.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refused_argument(const std::string& text) {
  try {
    parse_argument(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LaunchFile, ReadsEveryField) {
  const Description d = parse(saxpy, "launch.json");
  EXPECT_EQ(d.kernel, "saxpy");
  EXPECT_EQ(d.grid, (traces::Dim3{4096, 1, 1}));
  EXPECT_EQ(d.block, (traces::Dim3{256, 1, 1}));
  EXPECT_EQ(d.dynamic_shared_bytes, 16u);
  ASSERT_EQ(d.arguments.size(), 3u);
  EXPECT_EQ(static_cast<std::int32_t>(std::get<Scalar>(d.arguments[0]).bits), -5);
  EXPECT_EQ(std::get<Scalar>(d.arguments[1]).bits, std::bit_cast<std::uint32_t>(2.5f));
  const Buffer& buffer = std::get<Buffer>(d.arguments[2]);
  EXPECT_EQ(buffer.bytes, 64u);
  EXPECT_EQ(buffer.fill.name, "random_f32");
  EXPECT_EQ(buffer.fill.seed, 7u);
  EXPECT_EQ(buffer.fill.min, -1.0);
}

TEST(LaunchFile, NamesTheFileAndThePlaceOfWhatIsWrong) {
  EXPECT_THAT(refusal("{"), HasSubstr("launch.json: "));
  EXPECT_THAT(refusal("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(refusal(R"({"schema": "warpgauge-launch/1"})"), HasSubstr("\"kernel\" is missing"));
  EXPECT_THAT(
      refusal(
          R"({"schema": "warpgauge-launch/2", "kernel": "k", "grid": [1], "block": [1], "arguments": []})"),
      HasSubstr("\"schema\" is not"));
  EXPECT_THAT(
      refusal(
          R"({"schema": "warpgauge-launch/1", "kernel": "k", "grid": [0], "block": [1], "arguments": []})"),
      HasSubstr("grid: a dimension is 0"));
  EXPECT_THAT(
      refusal(R"({"schema": "warpgauge-launch/1", "kernel": "k", "grid": [1], "block": [1], "blocks": 3,
                        "arguments": []})"),
      HasSubstr("unknown key \"blocks\""));
  EXPECT_THAT(refusal(R"({"schema": "warpgauge-launch/1", "kernel": "k", "grid": [1], "block": [1],
                        "arguments": [{"i32": 1}, {"i32": 4294967296}]})"),
              HasSubstr("arguments[1].i32: 4294967296 does not fit i32"));
  EXPECT_THAT(refusal(R"({"schema": "warpgauge-launch/1", "kernel": "k", "grid": [1], "block": [1],
                        "arguments": [{"half": 1}]})"),
              HasSubstr("unknown argument type \"half\""));
  EXPECT_THAT(refusal(R"({"schema": "warpgauge-launch/1", "kernel": "k", "grid": [1], "block": [1],
                        "arguments": [{"buffer": {"fill": "zero"}}]})"),
              HasSubstr("\"bytes\" is missing"));
}

TEST(LaunchArgument, ReadsEveryTypeFromTheCommandLine) {
  EXPECT_EQ(std::get<Scalar>(parse_argument("i32:-1")).bits, ~std::uint64_t{0});
  EXPECT_EQ(std::get<Scalar>(parse_argument("u8:255")).bytes, 1);
  EXPECT_EQ(std::get<Scalar>(parse_argument("u64:0xff")).bits, 255u);
  EXPECT_EQ(std::get<Scalar>(parse_argument("f64:0.5")).bits, std::bit_cast<std::uint64_t>(0.5));
  const Buffer buffer = std::get<Buffer>(parse_argument("buffer:1024:random_u32:3:0:9"));
  EXPECT_EQ(buffer.bytes, 1024u);
  EXPECT_EQ(buffer.fill.name, "random_u32");
  EXPECT_EQ(buffer.fill.seed, 3u);
  EXPECT_EQ(buffer.fill.max, 9.0);
}

TEST(LaunchArgument, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refused_argument("i8:200"), HasSubstr("does not fit"));
  EXPECT_THAT(refused_argument("u8:256"), HasSubstr("does not fit"));
  EXPECT_THAT(refused_argument("i32"), HasSubstr("expected TYPE:VALUE"));
  EXPECT_THAT(refused_argument("i32:1x"), HasSubstr("not a number"));
  EXPECT_THAT(refused_argument("quux:1"), HasSubstr("unknown argument type"));
  EXPECT_THAT(refused_argument("buffer:64:random_f32:1:0"), HasSubstr("expected buffer:BYTES"));
}

TEST(LaunchDimensions, TakeOneToThreeParts) {
  EXPECT_EQ(parse_dimensions("7"), (traces::Dim3{7, 1, 1}));
  EXPECT_EQ(parse_dimensions("7,8,9"), (traces::Dim3{7, 8, 9}));
  EXPECT_THROW(parse_dimensions("0"), Error);
  EXPECT_THROW(parse_dimensions("1,2,3,4"), Error);
  EXPECT_THROW(parse_dimensions("a"), Error);
}

}  // namespace
}  // namespace warpgauge::launch
