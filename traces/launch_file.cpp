#include "traces/launch_file.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace warpgauge::launch {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(fmt::format("{}: {}", where, what));
}

void refuse_unknown_keys(const json& object, const std::set<std::string>& known, const std::string& where) {
  for (const auto& item : object.items()) {
    if (!known.contains(item.key())) fail(where, fmt::format("unknown key \"{}\"", item.key()));
  }
}

std::uint64_t unsigned_number(const json& value, std::uint64_t limit, const std::string& where) {
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0)) {
    fail(where, "expected an integer of at least 0");
  }
  const auto number = value.get<std::uint64_t>();
  if (number > limit) fail(where, fmt::format("{} is more than {}", number, limit));
  return number;
}

traces::Dim3 dimensions(const json& value, const std::string& where) {
  if (!value.is_array() || value.empty() || value.size() > 3)
    fail(where, "expected an array of 1 to 3 integers");
  std::uint32_t parts[3] = {1, 1, 1};
  for (std::size_t i = 0; i < value.size(); ++i) {
    parts[i] = static_cast<std::uint32_t>(unsigned_number(value[i], std::numeric_limits<std::uint32_t>::max(),
                                                          fmt::format("{}[{}]", where, i)));
    if (parts[i] == 0) fail(where, "a dimension is 0");
  }
  return {parts[0], parts[1], parts[2]};
}

// The scalar types by the names that the files use.
struct ScalarType {
  std::string_view name;
  std::uint8_t bytes;
  enum Kind { is_signed, is_unsigned, is_float } kind;
};
constexpr ScalarType scalar_types[] = {
    {"i8", 1, ScalarType::is_signed},  {"u8", 1, ScalarType::is_unsigned},
    {"i16", 2, ScalarType::is_signed}, {"u16", 2, ScalarType::is_unsigned},
    {"i32", 4, ScalarType::is_signed}, {"u32", 4, ScalarType::is_unsigned},
    {"i64", 8, ScalarType::is_signed}, {"u64", 8, ScalarType::is_unsigned},
    {"f32", 4, ScalarType::is_float},  {"f64", 8, ScalarType::is_float},
};

const ScalarType* scalar_type(std::string_view name) {
  for (const ScalarType& type : scalar_types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

Scalar float_scalar(double value, std::uint8_t bytes) {
  if (bytes == 8) return {std::bit_cast<std::uint64_t>(value), 8};
  return {std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4};
}

bool fits(std::int64_t value, std::uint8_t bytes) {
  if (bytes == 8) return true;
  const std::int64_t limit = std::int64_t{1} << (8 * bytes - 1);
  return value >= -limit && value < limit;
}

std::uint64_t unsigned_limit(std::uint8_t bytes) {
  return bytes == 8 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << (8 * bytes)) - 1;
}

Scalar json_scalar(const json& value, const ScalarType& type, const std::string& where) {
  switch (type.kind) {
    case ScalarType::is_float:
      if (!value.is_number()) fail(where, "expected a number");
      return float_scalar(value.get<double>(), type.bytes);
    case ScalarType::is_unsigned:
      return {unsigned_number(value, unsigned_limit(type.bytes), where), type.bytes};
    case ScalarType::is_signed:
      break;
  }
  if (!value.is_number_integer()) fail(where, "expected an integer");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > (std::uint64_t{1} << 63) - 1) {
    fail(where, fmt::format("the value does not fit {}", type.name));
  }
  const auto number = value.get<std::int64_t>();
  if (!fits(number, type.bytes)) fail(where, fmt::format("{} does not fit {}", number, type.name));
  return {static_cast<std::uint64_t>(number), type.bytes};
}

Buffer json_buffer(const json& value, const std::string& where) {
  if (!value.is_object()) fail(where, "expected an object");
  refuse_unknown_keys(value, {"bytes", "fill", "seed", "min", "max", "step"}, where);
  if (!value.contains("bytes")) fail(where, "\"bytes\" is missing");
  Buffer buffer;
  buffer.bytes = unsigned_number(value["bytes"], std::uint64_t{1} << 46, where + ".bytes");
  if (value.contains("fill")) {
    if (!value["fill"].is_string()) fail(where + ".fill", "expected a string");
    buffer.fill.name = value["fill"].get<std::string>();
  }
  if (value.contains("seed")) {
    buffer.fill.seed = unsigned_number(value["seed"], std::numeric_limits<std::uint64_t>::max(), where + ".seed");
  }
  for (const auto& [key, target] : {std::pair{"min", &buffer.fill.min}, std::pair{"max", &buffer.fill.max},
                                    std::pair{"step", &buffer.fill.step}}) {
    if (!value.contains(key)) continue;
    if (!value[key].is_number()) fail(where + "." + key, "expected a number");
    *target = value[key].get<double>();
  }
  return buffer;
}

Argument json_argument(const json& value, const std::string& where) {
  if (!value.is_object() || value.size() != 1)
    fail(where, "expected an object with one key, such as {\"i32\": 5}");
  const std::string key = value.begin().key();
  if (key == "buffer") return json_buffer(value.begin().value(), where + ".buffer");
  const ScalarType* type = scalar_type(key);
  if (type == nullptr) fail(where, fmt::format("unknown argument type \"{}\"", key));
  return json_scalar(value.begin().value(), *type, where + "." + key);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T>
T parse_number(std::string_view text, std::string_view whole) {
  T value{};
  int base = 10;
  const char* begin = text.data();
  const char* const end = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_integral_v<T>) {
    if (text.starts_with("0x")) {
      base = 16;
      begin += 2;
    }
    result = std::from_chars(begin, end, value, base);
  } else {
    result = std::from_chars(begin, end, value);
  }
  if (result.ec != std::errc{} || result.ptr != end) {
    throw Error(fmt::format("\"{}\": \"{}\" is not a number that fits", whole, text));
  }
  return value;
}

}  // namespace

Description parse(std::string_view text, const std::string& where) {
  const json document = [&] {
    try {
      return json::parse(text);
    } catch (const json::exception& error) {
      fail(where, error.what());
    }
  }();
  if (!document.is_object()) fail(where, "expected an object");
  refuse_unknown_keys(document, {"schema", "kernel", "grid", "block", "dynamic_shared_bytes", "arguments"},
                      where);
  for (const char* key : {"schema", "kernel", "grid", "block", "arguments"}) {
    if (!document.contains(key)) fail(where, fmt::format("\"{}\" is missing", key));
  }
  if (document["schema"] != "warpgauge-launch/1") fail(where, "\"schema\" is not \"warpgauge-launch/1\"");
  if (!document["kernel"].is_string()) fail(where, "\"kernel\" is not a string");
  if (!document["arguments"].is_array()) fail(where, "\"arguments\" is not an array");

  Description description;
  description.kernel = document["kernel"].get<std::string>();
  description.grid = dimensions(document["grid"], where + ": grid");
  description.block = dimensions(document["block"], where + ": block");
  if (document.contains("dynamic_shared_bytes")) {
    description.dynamic_shared_bytes = static_cast<std::uint32_t>(
        unsigned_number(document["dynamic_shared_bytes"], std::numeric_limits<std::uint32_t>::max(),
                        where + ": dynamic_shared_bytes"));
  }
  const json& arguments = document["arguments"];
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    description.arguments.push_back(json_argument(arguments[i], fmt::format("{}: arguments[{}]", where, i)));
  }
  return description;
}

Description read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: cannot be read", path));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse(text, path);
}

Argument parse_argument(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2) throw Error(fmt::format("\"{}\": expected TYPE:VALUE or buffer:BYTES", text));
  if (parts[0] == "buffer") {
    if (parts.size() > 6 || parts.size() == 5) {
      throw Error(fmt::format("\"{}\": expected buffer:BYTES[:FILL[:SEED[:MINIMUM:MAXIMUM]]]", text));
    }
    Buffer buffer;
    buffer.bytes = parse_number<std::uint64_t>(parts[1], text);
    if (parts.size() > 2) buffer.fill.name = std::string(parts[2]);
    if (parts.size() > 3) buffer.fill.seed = parse_number<std::uint64_t>(parts[3], text);
    if (parts.size() > 5) {
      buffer.fill.min = parse_number<double>(parts[4], text);
      buffer.fill.max = parse_number<double>(parts[5], text);
    }
    return buffer;
  }
  const ScalarType* type = scalar_type(parts[0]);
  if (type == nullptr) throw Error(fmt::format("\"{}\": unknown argument type \"{}\"", text, parts[0]));
  if (parts.size() != 2) throw Error(fmt::format("\"{}\": expected {}:VALUE", text, parts[0]));
  switch (type->kind) {
    case ScalarType::is_float:
      return float_scalar(parse_number<double>(parts[1], text), type->bytes);
    case ScalarType::is_unsigned: {
      const auto value = parse_number<std::uint64_t>(parts[1], text);
      if (value > unsigned_limit(type->bytes)) throw Error(fmt::format("\"{}\" does not fit", text));
      return Scalar{value, type->bytes};
    }
    case ScalarType::is_signed:
      break;
  }
  const auto value = parse_number<std::int64_t>(parts[1], text);
  if (!fits(value, type->bytes)) throw Error(fmt::format("\"{}\" does not fit", text));
  return Scalar{static_cast<std::uint64_t>(value), type->bytes};
}

traces::Dim3 parse_dimensions(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() > 3) throw Error(fmt::format("\"{}\": expected x, x,y or x,y,z", text));
  std::uint32_t values[3] = {1, 1, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    values[i] = parse_number<std::uint32_t>(parts[i], text);
    if (values[i] == 0) throw Error(fmt::format("\"{}\": a dimension is 0", text));
  }
  return {values[0], values[1], values[2]};
}

}  // namespace warpgauge::launch
