#include "cli/record/recording.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>

#include "cli/failure.h"
#include "cli/record/launches.h"
#include "cli/record/process.h"
#include "cli/record/profiler.h"
#include "probes/sha256.h"

namespace warpgauge::cli::record {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t chunk = 40;  // cases under one start of the profiler: a cut costs one chunk
constexpr unsigned event_launches = 5;
constexpr double unsteady_spread = 0.05;

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string sha256(const std::string& bytes) {
  probes::Sha256 hash;
  hash.add(std::as_bytes(std::span(bytes)));
  return hash.hex();
}

// A count without a fraction stays one.
Json as_number(double value) {
  if (value == static_cast<double>(static_cast<std::int64_t>(value))) return static_cast<std::int64_t>(value);
  return std::round(value * 1e6) / 1e6;
}

Json clock(double mhz) {
  return {{"clocks.sm", mhz == 0 ? "unknown" : fmt::format("{:.0f} MHz", mhz)}};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

class Recording {
 public:
  explicit Recording(const Options& options)
      : options_(options),
        suite_(read_suite(options.suite)),
        card_(read_card()),
        end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(options.seconds))) {
    std::error_code error;
    fs::create_directories(notes_folder(), error);
    if (error)
      throw Failure(ExitCode::bad_file, fmt::format("{}: {}", options.output.string(), error.message()));
    log_.open(options.output / "record.log", std::ios::app);
    choose_code();
    for (const SuiteCase* c :
         select(suite_, nullptr, fmt::format("sm_{}", card_.architecture), options.selection)) {
      cases_.push_back(c);
      results_[c->name] = {{"name", c->name},
                           {"kernel", c->launch.kernel},
                           {"family", c->family},
                           {"half", c->held_out ? "held_out" : "open"},
                           {"grid", {c->launch.grid.x, c->launch.grid.y, c->launch.grid.z}},
                           {"block", {c->launch.block.x, c->launch.block.y, c->launch.block.z}}};
    }
    if (cases_.empty()) throw Failure(ExitCode::usage, "no case of the suite is chosen");
    head_ = {{"schema", "warpgauge-hardware/1"}, {"date", today()}, {"repetitions", options.repetitions}};
    head_["cubin_sha256"] = cubin_hashes();
    if (!options.onto.empty()) continue_from(options.onto);
    head_["driver"] = card_.driver;
    head_["device"] = card_.name;
    head_["multiprocessors"] = card_.multiprocessors;
    head_["architecture"] = fmt::format("sm_{}", card_.architecture);
    head_["l2_bytes"] = card_.l2_bytes;
    head_["cuda_driver"] = card_.cuda_driver;
    if (!head_.contains("stages")) head_["stages"] = Json::array();
  }

  void run() {
    say("{}, driver {}, sm_{}: {} cases", card_.name, card_.driver, card_.architecture, cases_.size());
    head_["clocks"]["before"] = clock(card_.sm_mhz);
    if (wanted("hashes")) plain("hashes", "hash", 1);
    if (wanted("events")) plain("events", "events", event_launches);
    const bool profiled = profile_all();
    const Card after = read_card();
    head_["clocks"]["after"] = clock(after.sm_mhz);
    if (!profiled) fall_back(after.sm_mhz);
    save();
    finish();
  }

 private:
  [[nodiscard]] fs::path notes_folder() const { return options_.output / "profiler"; }
  [[nodiscard]] bool wanted(const std::string& stage) const {
    return std::find(options_.stages.begin(), options_.stages.end(), stage) != options_.stages.end();
  }
  [[nodiscard]] double left() const {
    return std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count();
  }

  template <class... T>
  void say(fmt::format_string<T...> form, T&&... values) {
    const std::string line = fmt::format(form, std::forward<T>(values)...);
    fmt::print("{}\n", line);
    std::fflush(stdout);
    log_ << line << std::endl;
  }

  // Code of the card's own minor version, or of an earlier one of the same major.
  void choose_code() {
    for (code_ = card_.architecture; code_ / 10 == card_.architecture / 10; --code_) {
      const auto architecture = sass::parse_architecture(fmt::format("sm_{}", code_));
      if (!architecture) continue;
      for (const SuiteCase& c : suite_.cases) {
        if (fs::exists(suite_.cubin(c, *architecture))) return;
      }
    }
    throw Failure(ExitCode::no_target,
                  fmt::format("{} is of sm_{}, and the suite has no machine code that it runs", card_.name,
                              card_.architecture));
  }
  [[nodiscard]] fs::path cubin(const SuiteCase& c) const {
    return suite_.cubin(c, *sass::parse_architecture(fmt::format("sm_{}", code_)));
  }

  Json cubin_hashes() const {
    std::map<std::string, std::string> hashes;
    for (const SuiteCase* c : cases_) {
      std::string& hash = hashes[cubin(*c).filename().string()];
      if (hash.empty()) hash = sha256(read_text(cubin(*c)));
    }
    return hashes;
  }

  void continue_from(const fs::path& file) {
    try {
      Json earlier = Json::parse(read_text(file));
      for (const auto& [name, hash] : head_["cubin_sha256"].items()) {
        if (earlier.at("cubin_sha256").value(name, "") != hash) {
          throw Failure(ExitCode::usage, fmt::format("{} was recorded with another {}", file.string(), name));
        }
      }
      for (const Json& c : earlier.at("cases")) {
        const auto found = results_.find(c.at("name").get<std::string>());
        if (found != results_.end()) found->second.update(c);
      }
      earlier.erase("cases");
      head_ = std::move(earlier);
    } catch (const Json::exception& error) {
      throw Failure(ExitCode::bad_file, fmt::format("{}: {}", file.string(), error.what()));
    }
  }

  std::vector<const SuiteCase*> healthy() const {
    std::vector<const SuiteCase*> some;
    for (const SuiteCase* c : cases_) {
      if (!results_.at(c->name).contains("failed")) some.push_back(c);
    }
    return some;
  }

  void fail(const std::string& name, const std::string& why) {
    results_[name]["failed"] = why;
    say("FAILED {}: {}", name, why);
  }

  // This program again, for these cases; its log is new.
  std::vector<std::string> launches(const std::vector<const SuiteCase*>& cases, const std::string& name,
                                    const std::string& mode, unsigned repetitions) {
    const fs::path list = notes_folder() / (name + ".cases");
    std::ofstream out(list);
    for (const SuiteCase* c : cases) out << c->name << '\n';
    fs::remove(launch_log(name));
    return {fs::read_symlink("/proc/self/exe").string(),
            "validate",
            "--launch-cases",
            list.string(),
            "--suite",
            options_.suite.string(),
            "--launch-code",
            std::to_string(code_),
            "--launch-mode",
            mode,
            "--launch-log",
            launch_log(name).string(),
            "--repetitions",
            std::to_string(repetitions)};
  }
  [[nodiscard]] fs::path launch_log(const std::string& name) const {
    return notes_folder() / (name + ".log");
  }

  // Without a profiler, until every case is done or has failed: one that kills or hangs the launches is
  // marked, and the rest go on in a new process.
  void plain(const std::string& stage, const std::string& mode, unsigned repetitions) {
    std::vector<const SuiteCase*> waiting = healthy();
    for (unsigned turn = 0; !waiting.empty() && left() > 0; ++turn) {
      const std::string name = fmt::format("{}{}", stage, turn);
      const ProcessResult done = run_process(launches(waiting, name, mode, repetitions),
                                             std::min(left(), 20 + 2 * static_cast<double>(waiting.size())));
      std::set<std::string> settled;
      const std::string begun = read_launches(name, settled);
      if (!begun.empty() && settled.insert(begun).second) {
        fail(begun, fmt::format("its process ended with status {}", done.status));
      }
      if (settled.empty()) {
        say("{}: nothing was launched, status {}: {}", stage, done.status, done.output);
        return;
      }
      std::erase_if(waiting, [&](const SuiteCase* c) { return settled.contains(c->name); });
    }
    head_["stages"].push_back(stage);
    save();
    say("{}: done", stage);
  }

  // Takes what the log tells; returns the case that was begun last.
  std::string read_launches(const std::string& name, std::set<std::string>& settled) {
    std::ifstream log(launch_log(name));
    std::string begun;
    for (std::string line; std::getline(log, line);) {
      std::istringstream words(line);
      std::string what;
      std::string which;
      words >> what >> which;
      const auto result = results_.find(which);
      if (result == results_.end()) continue;
      if (what == "begin") begun = which;
      if (what == "done" || what == "failed") settled.insert(which);
      if (what == "failed") fail(which, line.substr(line.find(which) + which.size() + 1));
      std::string place;
      if (what == "hash") {
        std::string hash;
        words >> place >> hash;
        result->second["buffer_hashes"][place] = hash;
      } else if (what == "event") {
        double microseconds = 0;
        words >> place >> microseconds;
        Json& times = result->second["event_microseconds"];
        if (place == "0") times = Json::array();
        times.push_back(microseconds);
      }
    }
    return begun;
  }

  // False where there can be no cycles: no profiler, or no right to its counters.
  bool profile_all() {
    const bool any = wanted("cold") || wanted("warm") || wanted("cold_counters") || wanted("warm_counters");
    if (!any) return true;
    const std::string profiler = find_program(options_.profiler);
    if (profiler.empty()) {
      head_["note"] = fmt::format(
          "Nsight Compute ({}) is not there: cycles are missing, event times stand in", options_.profiler);
      return false;
    }
    const ProcessResult query = run_process({profiler, "--query-metrics"}, std::min(90.0, left()));
    const auto offered = offered_metrics(query.output);
    const Wanted counters = wanted_metrics(offered);
    not_offered_.insert(counters.not_offered.begin(), counters.not_offered.end());
    say("{} metrics, {} not offered", counters.metrics.size(), counters.not_offered.size());
    std::vector<std::string> memory;
    for (const std::string& metric : memory_metrics()) {
      if (std::find(counters.metrics.begin(), counters.metrics.end(), metric) != counters.metrics.end())
        memory.push_back(metric);
    }
    struct Stage {
      const char* name;
      const char* caches;
      const std::vector<std::string>& metrics;
      unsigned repetitions;
    };
    const Stage stages[] = {{"cold", "all", cycle_metrics(), options_.repetitions},
                            {"warm", "none", cycle_metrics(), options_.repetitions},
                            {"cold_counters", "all", counters.metrics, 1},
                            {"warm_counters", "none", memory, 1}};
    for (const Stage& stage : stages) {
      if (!wanted(stage.name)) continue;
      if (!profile(profiler, stage.name, stage.caches, stage.metrics, stage.repetitions)) return false;
    }
    return true;
  }

  bool profile(const std::string& profiler, const std::string& stage, const std::string& caches,
               std::vector<std::string> metrics, unsigned repetitions) {
    const std::vector<const SuiteCase*> cases = healthy();
    for (std::size_t first = 0; first < cases.size(); first += chunk) {
      const std::vector<const SuiteCase*> part(
          cases.begin() + static_cast<std::ptrdiff_t>(first),
          cases.begin() + static_cast<std::ptrdiff_t>(std::min(first + chunk, cases.size())));
      const std::string name = fmt::format("{}{}", stage, first / chunk);
      const fs::path table = notes_folder() / (name + ".csv");
      ProcessResult done;
      std::string text;
      // Each turn may find metrics that this version does not know.
      for (unsigned turn = 0; turn < 6; ++turn) {
        if (left() < 10) {
          say("{}: no time left at case {} of {}", stage, first, cases.size());
          save();
          return true;
        }
        fs::remove(table);
        std::string asked;
        for (const std::string& metric : metrics) asked += (asked.empty() ? "" : ",") + metric;
        std::vector<std::string> command = {profiler,        "--profile-from-start",
                                            "off",           "--clock-control",
                                            "none",          "--cache-control",
                                            caches,          "--csv",
                                            "--page",        "raw",
                                            "--print-units", "base",
                                            "--log-file",    table.string(),
                                            "--metrics",     asked};
        const std::vector<std::string> child = launches(part, name, "profile", repetitions);
        command.insert(command.end(), child.begin(), child.end());
        done = run_process(command, left());
        text = done.output + read_text(table);
        const std::vector<std::string> unknown = unknown_metrics(text, metrics);
        if (unknown.empty()) break;
        for (const std::string& metric : unknown) std::erase(metrics, metric);
        not_offered_.insert(unknown.begin(), unknown.end());
      }
      if (text.find("ERR_NVGPUCTRPERM") != std::string::npos) {
        head_["note"] = "the driver does not permit counters: cycles are missing, event times stand in";
        return false;
      }
      const std::vector<ProfilerRow> rows = read_rows(text);
      if (rows.empty() || done.status != 0) {
        say("{}: {} launches told, status {}: {}", name, rows.size(), done.status,
            rows.empty() ? text.substr(text.size() - std::min<std::size_t>(text.size(), 600)) : "");
      }
      take(stage, name, rows, metrics);
    }
    head_["stages"].push_back(stage);
    save();
    say("{}: done", stage);
    return true;
  }

  // The rows are in the order of launches, and the log says which case each launch was. One that the profiler
  // lost has no row: kernel, grid and block find the next row that can be its.
  void take(const std::string& stage, const std::string& name, const std::vector<ProfilerRow>& rows,
            const std::vector<std::string>& asked) {
    std::map<std::string, std::vector<const ProfilerRow*>> by_case;
    std::ifstream log(launch_log(name));
    std::size_t at = 0;
    for (std::string line; std::getline(log, line);) {
      std::istringstream words(line);
      std::string what;
      std::string which;
      words >> what >> which;
      if (what == "failed") say("{}: {}", name, line);
      if (what != "launch") continue;
      std::string repetition;
      std::string kernel;
      std::vector<unsigned> sizes(6);
      words >> repetition >> kernel;
      for (unsigned& size : sizes) words >> size;
      for (std::size_t ahead = at; ahead < std::min(at + 8, rows.size()); ++ahead) {
        const ProfilerRow& row = rows[ahead];
        if (row.kernel != kernel || !std::equal(row.grid.begin(), row.grid.end(), sizes.begin()) ||
            !std::equal(row.block.begin(), row.block.end(), sizes.begin() + 3)) {
          continue;
        }
        by_case[which].push_back(&row);
        at = ahead + 1;
        break;
      }
    }
    for (const auto& [which, found] : by_case) {
      if (stage == "cold" || stage == "warm") {
        take_cycles(results_[which], stage, found);
      } else {
        Json counters = Json::object();
        // A row also has the device's attributes and every roll-up of what was asked for.
        for (const auto& [metric, value] : found.front()->metrics) {
          const bool wanted = std::find(asked.begin(), asked.end(), metric) != asked.end();
          if (wanted || metric.starts_with("launch__")) counters[metric] = as_number(value);
        }
        results_[which][stage] = std::move(counters);
      }
    }
  }

  static void take_cycles(Json& result, const std::string& stage,
                          const std::vector<const ProfilerRow*>& rows) {
    std::vector<double> cycles;
    Json active = Json::array();
    Json nanoseconds = Json::array();
    Json all = Json::array();
    for (const ProfilerRow* row : rows) {
      const auto found = row->metrics.find("gpc__cycles_elapsed.max");
      if (found == row->metrics.end()) continue;
      cycles.push_back(found->second);
      all.push_back(as_number(found->second));
      const auto add = [&](Json& list, const char* metric) {
        const auto value = row->metrics.find(metric);
        list.push_back(value == row->metrics.end() ? Json(nullptr) : as_number(value->second));
      };
      add(active, "sm__cycles_active.avg");
      add(nanoseconds, "gpu__time_duration.sum");
    }
    if (cycles.empty()) return;
    const double middle = median(cycles);
    const auto [least, most] = std::minmax_element(cycles.begin(), cycles.end());
    const double spread = (*most - *least) / middle;
    result[stage] = {{"cycles", all},
                     {"median_cycles", as_number(middle)},
                     {"spread", std::round(spread * 1e5) / 1e5},
                     {"unsteady", spread > unsteady_spread},
                     {"sm_active_cycles", active},
                     {"nanoseconds", nanoseconds}};
  }

  // Event times in cycles of the clock that the card shows after its work. They hold the launch as the host
  // sees it, so they stand under a name of their own.
  void fall_back(double sm_mhz) {
    say("note: {}", head_["note"].get<std::string>());
    for (const SuiteCase* c : cases_) {
      Json& result = results_[c->name];
      if (!result.contains("event_microseconds") || sm_mhz == 0) continue;
      const double time = median(result["event_microseconds"].get<std::vector<double>>());
      result["event_cycles"] = std::round(time * sm_mhz);
    }
  }

  void save() {
    if (!not_offered_.empty()) head_["metrics_not_offered"] = not_offered_;
    std::string text = head_.dump(1);
    text.resize(text.size() - 2);  // the newline and the brace
    text += ",\n \"cases\": [";
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      text += (i == 0 ? "\n  " : ",\n  ") + results_[cases_[i]->name].dump();
    }
    std::ofstream out(options_.output / "hardware.json", std::ios::binary);
    out << text << "\n ]\n}\n";
    if (!out.flush()) {
      throw Failure(ExitCode::bad_file,
                    fmt::format("{}: cannot be written", (options_.output / "hardware.json").string()));
    }
  }

  void finish() {
    std::size_t with_cycles = 0;
    std::string unsteady;
    for (const SuiteCase* c : cases_) {
      const Json& result = results_[c->name];
      if (!result.contains("cold")) continue;
      ++with_cycles;
      if (result["cold"]["unsteady"].get<bool>()) unsteady += " " + c->name;
    }
    say("{} of {} cases have cold cycles; unsteady:{}", with_cycles, cases_.size(),
        unsteady.empty() ? " none" : unsteady);
  }

  const Options& options_;
  Suite suite_;
  Card card_;
  std::chrono::steady_clock::time_point end_;
  std::ofstream log_;
  unsigned code_ = 0;  // architecture of the machine code that is run
  std::vector<const SuiteCase*> cases_;
  std::map<std::string, Json> results_;
  Json head_;
  std::set<std::string> not_offered_;
};

}  // namespace

void record_suite(const Options& options) {
  static constexpr std::string_view known[] = {"hashes", "events",        "cold",
                                               "warm",   "cold_counters", "warm_counters"};
  for (const std::string& stage : options.stages) {
    if (std::find(std::begin(known), std::end(known), stage) == std::end(known)) {
      throw Failure(ExitCode::usage, fmt::format("--stages: no stage \"{}\"", stage));
    }
  }
  Recording(options).run();
}

}  // namespace warpgauge::cli::record
