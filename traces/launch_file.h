// A kernel launch as a file: which kernel, how many threads, and what its arguments hold. The same format
// describes the examples, the validation suite and what `warpgauge predict --launch` reads.
//
//   {"schema": "warpgauge-launch/1", "kernel": "saxpy", "grid": [4096, 1, 1], "block": [256, 1, 1],
//    "dynamic_shared_bytes": 0,
//    "arguments": [{"i32": 1048576}, {"f32": 2.0}, {"buffer": {"bytes": 4194304, "fill": "random_f32",
//    "seed": 1}}]}
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "traces/launch_fill.h"
#include "traces/warp_stream.h"

namespace warpgauge::launch {

// The file or a `--arg` text is malformed; the message names the place.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A value passed in the parameter block, little-endian, `bytes` of it.
struct Scalar {
  std::uint64_t bits = 0;
  std::uint8_t bytes = 4;
};

// A device allocation whose address is passed; what it holds at the start is a fill (launch_fill.h).
struct Buffer {
  std::uint64_t bytes = 0;
  Fill fill;
};

using Argument = std::variant<Scalar, Buffer>;

struct Description {
  std::string kernel;
  traces::Dim3 grid;
  traces::Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
};

// `where` names the source in messages, usually the file's path.
Description parse(std::string_view json, const std::string& where);
Description read(const std::string& path);

// One `--arg`: `i32:5`, `u32:7`, `i64:…`, `u64:…`, `f32:2.5`, `f64:1e-3`, or
// `buffer:BYTES[:FILL[:SEED[:MINIMUM:MAXIMUM]]]`.
Argument parse_argument(std::string_view text);

// "x", "x,y" or "x,y,z"; each part at least 1.
traces::Dim3 parse_dimensions(std::string_view text);

}  // namespace warpgauge::launch
