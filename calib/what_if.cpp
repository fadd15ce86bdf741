// Changing, reading and comparing single values of a calibration.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calib/loader.h"
#include "calib/values.h"

namespace warpgauge::calib {
namespace {

struct Suffix {
  std::string_view text;
  Unit unit;
  double factor;
};

// "l1.size_kib" is l1.size, in bytes, times 1024.
constexpr Suffix suffixes[] = {
    {"_kib", Unit::bytes, 1024.0}, {"_mib", Unit::bytes, 1048576.0}, {"_gib", Unit::bytes, 1073741824.0},
    {"_ghz", Unit::MHz, 1000.0},   {"_us", Unit::ns, 1000.0},        {"_tb_per_s", Unit::GB_per_s, 1000.0},
};

bool set_scaled(Calibration& calibration, std::string_view key, std::string_view text, const Suffix& suffix) {
  if (!key.ends_with(suffix.text)) return false;
  const std::string_view path = key.substr(0, key.size() - suffix.text.size());
  bool right_unit = false;
  with_key(calibration, path, [&](const Key& found, auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    if (found.unit != suffix.unit) return;
    right_unit = true;
    const auto scaled = [&](std::string_view item, auto& target) {
      double number = 0;
      from_text(item, number);
      from_number(number * suffix.factor, target);
    };
    if constexpr (std::is_same_v<T, List>) {
      List items;
      for (std::string_view rest = text; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        Bytes item = 0;
        scaled(rest.substr(0, comma), item);
        items.push_back(item);
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
      }
      value = items;
    } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, Flag>) {
      scaled(text, value);
    }
  });
  return right_unit;
}

// Values that are parts of the one that was set move with it, so that a what-if of one key is one assignment.
void follow(Calibration& c, std::string_view key, const Calibration& before) {
  const auto mark = [&](std::string_view follower) {
    c.provenance.insert_or_assign(
        std::string(follower),
        Provenance{Source::assumed, fmt::format("follows {}, set by the user", key), "", 0, 0});
  };
  if (key == "l1.size") {
    // Shared memory keeps its sizes: the data cache gains or loses the difference.
    const auto moved = [&](Bytes part) {
      const Bytes grown = part + c.l1.size;
      return grown > before.l1.size ? grown - before.l1.size : 0;
    };
    c.l1.max_data_bytes = moved(c.l1.max_data_bytes);
    for (Bytes& size : c.l1.detected_sizes) size = moved(size);
    mark("l1.max_data_bytes");
    mark("l1.detected_sizes");
  } else if (key == "l2.size" && before.l2.size != 0) {
    const double share = static_cast<double>(before.l2.effective_size) / static_cast<double>(before.l2.size);
    c.l2.effective_size = static_cast<Bytes>(share * static_cast<double>(c.l2.size));
    mark("l2.effective_size");
  } else if (key == "chip.sm_count" && c.chip.gpc_count != 0) {
    // As even as it goes, the last clusters the larger ones.
    const Integer clusters = c.chip.gpc_count;
    c.chip.gpc_sms.assign(clusters, c.chip.sm_count / clusters);
    for (Integer i = 0; i < c.chip.sm_count % clusters; ++i) ++c.chip.gpc_sms[clusters - 1 - i];
    mark("chip.gpc_sms");
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_key(std::string_view key) {
  key = key.substr(0, 100);  // no key is longer
  std::string nearest;
  std::size_t best = static_cast<std::size_t>(-1);
  for (const Key& candidate : all_keys()) {
    const std::size_t distance = edit_distance(key, candidate.path);
    if (distance < best) {
      best = distance;
      nearest = candidate.path;
    }
  }
  return nearest;
}

void set(Calibration& calibration, std::string_view key, std::string_view text) {
  Calibration changed = calibration;
  std::string_view path;
  try {
    if (with_key(changed, key, [&](const Key&, auto& value) { from_text(text, value); })) path = key;
    for (const Suffix& suffix : suffixes)
      if (path.empty() && set_scaled(changed, key, text, suffix))
        path = key.substr(0, key.size() - suffix.text.size());
  } catch (const CalibrationError& error) {
    throw CalibrationError(fmt::format("{}: {}", key, error.what()));
  }
  if (path.empty())
    throw CalibrationError(fmt::format("unknown key {}; the nearest is {}", key, nearest_key(key)));
  changed.provenance.insert_or_assign(std::string(path),
                                      Provenance{Source::assumed, "set by the user", "", 0, 0});
  follow(changed, path, calibration);
  calibration = std::move(changed);
}

void set(Calibration& calibration, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw CalibrationError(fmt::format("expected KEY=VALUE, got \"{}\"", assignment));
  set(calibration, assignment.substr(0, equals), assignment.substr(equals + 1));
}

std::string get(const Calibration& calibration, std::string_view key) {
  std::string text;
  if (!with_key(calibration, key, [&](const Key&, const auto& value) { text = to_text(value); }))
    throw CalibrationError(fmt::format("unknown key {}; the nearest is {}", key, nearest_key(key)));
  return text;
}

std::vector<Difference> diff(const Calibration& left, const Calibration& right) {
  struct Value {
    std::string text;
    std::optional<double> number;
  };
  std::vector<Value> rights;
  visit(right, [&](const Key&, const auto& value) { rights.push_back({to_text(value), to_number(value)}); });

  std::vector<Difference> differences;
  std::size_t index = 0;
  visit(left, [&](const Key& key, const auto& value) {
    const Value& other = rights[index++];
    const std::string text = to_text(value);
    if (text == other.text) return;
    Difference difference{key.path, key.unit, text, other.text, 0};
    const std::optional<double> number = to_number(value);
    if (number && other.number && *number != 0) difference.ratio = *other.number / *number;
    differences.push_back(std::move(difference));
  });
  return differences;
}

}  // namespace warpgauge::calib
