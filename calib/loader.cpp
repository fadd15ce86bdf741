#include "calib/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calib/check.h"
#include "calib/json_leaf.h"
#include "calib/values.h"

namespace warpgauge::calib {
namespace {

template <class T>
void read_value(const Json& json, T& value, std::string_view where) {
  const auto expect = [&](bool right, std::string_view what) {
    if (!right) refuse(where, fmt::format("the value must be {}, got {}", what, describe(json)));
  };
  try {
    if constexpr (std::is_same_v<T, Flag>) {
      expect(json.is_boolean(), "true or false");
      value = json.get<bool>();
    } else if constexpr (std::is_same_v<T, List>) {
      expect(json.is_array(), "a list of whole numbers");
      for (const Json& item : json) {
        if (!item.is_number_unsigned())
          refuse(where, fmt::format("the value must be a list of whole numbers, one is {}", describe(item)));
        value.push_back(item.get<std::uint64_t>());
      }
    } else if constexpr (std::is_enum_v<T>) {
      expect(json.is_string(), "a text");
      from_text(json.get<std::string>(), value);
    } else if constexpr (std::is_same_v<T, Real>) {
      expect(json.is_number(), "a number");
      from_number(json.get<double>(), value);
    } else {
      expect(json.is_number_unsigned(), "a whole number");
      from_text(fmt::format("{}", json.get<std::uint64_t>()), value);
    }
  } catch (const CalibrationError& error) {
    const std::string_view what = error.what();
    if (what.starts_with(where)) throw;
    refuse(where, what);
  }
}

// The node at a path, or nullptr.
const Json* find(const Json& root, std::string_view path) {
  const Json* node = &root;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    if (!node->is_object()) return nullptr;
    const auto child = node->find(path.substr(0, dot));
    if (child == node->end()) return nullptr;
    node = &*child;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return node;
}

struct KnownPaths {
  std::set<std::string, std::less<>> leaves;
  std::set<std::string, std::less<>> sections;
};

const KnownPaths& known_paths() {
  static const KnownPaths known = [] {
    KnownPaths paths;
    for (const Key& key : all_keys()) {
      for (std::size_t dot = key.path.find('.'); dot != std::string::npos; dot = key.path.find('.', dot + 1))
        paths.sections.insert(key.path.substr(0, dot));
      paths.leaves.insert(key.path);
    }
    return paths;
  }();
  return known;
}

void refuse_unknown(const Json& node, const std::string& path, std::string_view origin) {
  const KnownPaths& known = known_paths();
  for (const auto& [name, child] : node.items()) {
    const std::string child_path = path.empty() ? name : path + "." + name;
    if (path.empty() && (name == "schema" || name == "id" || name == "device" || name == "architecture"))
      continue;
    if (known.leaves.contains(child_path)) continue;
    if (known.sections.contains(child_path) && child.is_object()) {
      refuse_unknown(child, child_path, origin);
      continue;
    }
    refuse(origin, fmt::format("unknown key {}; the nearest is {}", child_path, nearest_key(child_path)));
  }
}

std::string json_value(const auto& value) {
  using T = std::remove_cvref_t<decltype(value)>;
  if constexpr (std::is_same_v<T, List>)
    return fmt::format("[{}]", to_text(value));
  else if constexpr (std::is_enum_v<T>)
    return quote(to_text(value));
  else
    return to_text(value);
}

}  // namespace

Calibration parse(std::string_view text, std::string_view origin) {
  const Json root = parse_json(text, origin);
  if (!root.is_object()) refuse(origin, fmt::format("expected an object, got {}", describe(root)));
  const std::string schema = read_string(root, "schema", origin);
  if (schema != Calibration::schema)
    refuse(origin, fmt::format("schema \"{}\", expected \"{}\"", schema, Calibration::schema));

  Calibration calibration;
  calibration.id = read_string(root, "id", origin);
  calibration.device = read_string(root, "device", origin);
  calibration.architecture = read_string(root, "architecture", origin);
  refuse_unknown(root, "", origin);
  visit(calibration, [&](const Key& key, auto& value) {
    const std::string where = fmt::format("{}: {}", origin, key.path);
    const Json* leaf = find(root, key.path);
    if (leaf == nullptr) refuse(where, "missing key");
    if (!is_leaf(*leaf)) refuse(where, "expected a leaf with a \"value\"");
    const Unit unit = read_unit(*leaf, where);
    if (unit != key.unit) refuse(where, fmt::format("the unit is {}, got {}", name(key.unit), name(unit)));
    read_value((*leaf)["value"], value, where);
    calibration.provenance.emplace(key.path, read_provenance(*leaf, where));
  });
  check(calibration, origin);
  return calibration;
}

Calibration load(const std::filesystem::path& file) {
  return parse(read_file(file.string()), file.string());
}

namespace {

// Writes leaves in key order as nested objects, each leaf on a line of its own.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void leaf(std::string_view path, std::string_view body) {
    const std::size_t last = path.rfind('.');
    open(path.substr(0, last));
    begin_member();
    out_ += fmt::format("{}: {{{}}}", quote(path.substr(last + 1)), body);
  }

  void finish() { open({}); }

 private:
  void open(std::string_view section) {
    std::vector<std::string> wanted;
    while (!section.empty()) {
      const std::size_t dot = section.find('.');
      wanted.emplace_back(section.substr(0, dot));
      section = dot == std::string_view::npos ? std::string_view{} : section.substr(dot + 1);
    }
    const auto shared = static_cast<std::size_t>(
        std::mismatch(open_.begin(), open_.end(), wanted.begin(), wanted.end()).first - open_.begin());
    while (open_.size() > shared) {
      open_.pop_back();
      out_ += fmt::format("\n{:{}}}}", "", indent());
      first_ = false;
    }
    for (std::size_t i = shared; i < wanted.size(); ++i) {
      begin_member();
      out_ += fmt::format("{}: {{", quote(wanted[i]));
      open_.push_back(wanted[i]);
      first_ = true;
    }
  }

  void begin_member() {
    out_ += fmt::format("{}\n{:{}}", first_ ? "" : ",", "", indent());
    first_ = false;
  }

  [[nodiscard]] std::size_t indent() const { return 2 * (open_.size() + 1); }

  std::string& out_;
  std::vector<std::string> open_;
  bool first_ = false;
};

}  // namespace

std::string to_json(const Calibration& calibration) {
  std::string out =
      fmt::format("{{\n  \"schema\": {},\n  \"id\": {},\n  \"device\": {},\n  \"architecture\": {}",
                  quote(Calibration::schema), quote(calibration.id), quote(calibration.device),
                  quote(calibration.architecture));
  Writer writer(out);
  visit(calibration, [&](const Key& key, const auto& value) {
    const auto found = calibration.provenance.find(key.path);
    if (found == calibration.provenance.end()) refuse(key.path, "has no provenance");
    writer.leaf(key.path, fmt::format(R"("value": {}, {})", json_value(value),
                                      provenance_text(key.unit, found->second)));
  });
  writer.finish();
  out += "\n}\n";
  return out;
}

void save(const Calibration& calibration, const std::filesystem::path& file) {
  write_file(file.string(), to_json(calibration));
}

std::string hash(const Calibration& calibration) {
  std::uint64_t state = 0xcbf29ce484222325;  // FNV-1a, 64 bits
  const auto add = [&](std::string_view text) {
    for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    state = (state ^ 0xff) * 0x100000001b3;
  };
  add(calibration.id);
  add(calibration.architecture);
  visit(calibration, [&](const Key& key, const auto& value) {
    add(key.path);
    add(to_text(value));
  });
  return fmt::format("{:016x}", state);
}

std::vector<Key> all_keys() {
  std::vector<Key> keys;
  const Calibration empty;
  visit(empty, [&](const Key& key, const auto&) { keys.push_back(key); });
  return keys;
}

Calibration load_device(const std::filesystem::path& devices, std::string_view name) {
  const std::filesystem::path file = devices / name / "calibration.json";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    std::string known;
    for (const std::string& device : list_devices(devices)) known += (known.empty() ? "" : ", ") + device;
    throw CalibrationError(fmt::format("no calibration for \"{}\"; there are: {}", name, known));
  }
  return load(file);
}

std::vector<std::string> list_devices(const std::filesystem::path& devices) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(devices, error))
    if (std::filesystem::exists(entry.path() / "calibration.json", error))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace warpgauge::calib
