#include "cli/whatif/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/failure.h"
#include "cli/prediction.h"
#include "cli/shipped.h"
#include "cli/whatif/kernel_code.h"
#include "cli/whatif/measure.h"
#include "model/registers/checker.h"
#include "model/registers/recolour.h"
#include "model/registers/rewrite.h"
#include "model/registers/see.h"
#include "probes/driver/gpu_target.h"
#include "traces/sass/decode.h"

namespace warpgauge::cli::whatif {
namespace {

using registers::Analysis;
using registers::Change;
using registers::ConflictReport;
using registers::Recoloured;
using sass::Instruction;

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!out.flush()) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", path));
}

// A run of the model, and what the emulator left in the buffers.
struct Run {
  model::KernelReport report;
  std::vector<std::uint8_t> outputs;
};

// A table of two columns, before and after.
class Table {
 public:
  void row(const std::string& label, const std::string& before, const std::string& after,
           const std::string& note = {}) {
    text_ += fmt::format("  {:<34}{:>16}{:>16}  {}\n", label, before, after, note);
  }
  void change(const std::string& label, double before, double after) {
    row(label, fmt::format("{:.0f}", before), fmt::format("{:.0f}", after),
        before > 0 ? fmt::format("{:+.2f} %", 100 * (after - before) / before) : std::string());
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class RegistersWhatIf {
 public:
  explicit RegistersWhatIf(const RegistersOptions& options)
      : options_(options),
        calibration_(read_calibration(options.gpu, changes())),
        machine_(calibration_),
        bytes_(read_bytes()),
        image_(bytes_),
        kernel_(
            kernel_code(image_, options.cubin,
                        options.launch.given() ? describe(options.launch).kernel : options.launch.kernel)) {}

  void run() {
    const Analysis analysis = analyse();
    file_ = register_file(machine_.spec(), kernel_.code);
    if (options_.launch.given()) {
      before_run_ = predict_code(kernel_.code, 0);
      note_executions(*before_run_);
    }
    Recoloured result = change(analysis);
    registers::encode_changes(kernel_.code, result.code);
    prove(result);
    const cubin::Bytes after = patched(bytes_, kernel_, result.code, new_register_count(result));
    if (before_run_) {
      after_run_ = predict_code(result.code, new_register_count(result));
      if (after_run_->outputs != before_run_->outputs)
        throw Failure(ExitCode::internal, "the emulator's outputs differ: the change is not written");
    }
    if (!options_.output.empty())
      write_file(options_.output, {reinterpret_cast<const char*>(after.data()), after.size()});
    if (options_.run > 0) measured_ = measure_on_gpu(after);
    report(analysis, result);
    draw(analysis, result);
  }

 private:
  [[nodiscard]] Measurement measure_on_gpu(const cubin::Bytes& after) const {
    if (!options_.launch.given())
      throw Failure(ExitCode::usage, "--run needs a launch: --launch, or --grid, --block and --arg");
    launch::Description description = describe(options_.launch);
    description.kernel = kernel_.symbol;
    try {
      const std::unique_ptr<probes::Target> gpu = probes::driver::open_gpu();
      const Measurement m = measure(*gpu, bytes_, after, description, options_.run);
      if (m.before_hash != m.after_hash)
        throw Failure(ExitCode::internal, "the outputs of the two versions differ on this machine's GPU");
      return m;
    } catch (const probes::TargetError& error) {
      throw Failure(ExitCode::no_target, fmt::format("--run: {}", error.what()));
    }
  }

  [[nodiscard]] std::vector<std::string> changes() const {
    std::vector<std::string> all = options_.changes;
    if (options_.banks != 0) all.push_back(fmt::format("registers.banks={}", options_.banks));
    if (options_.ports != 0) all.push_back(fmt::format("registers.read_ports_per_bank={}", options_.ports));
    if (options_.no_reuse) all.push_back("registers.reuse_slots=0");
    return all;
  }

  [[nodiscard]] cubin::Bytes read_bytes() const {
    try {
      return cubin::read_bytes(options_.cubin);
    } catch (const cubin::Error& error) {
      throw Failure(ExitCode::bad_file, error.what());
    }
  }

  [[nodiscard]] Analysis analyse() const {
    try {
      return registers::analyse(kernel_.code, 0, kernel_.indirect);
    } catch (const registers::Refusal& refusal) {
      throw Failure(ExitCode::unknown_instruction,
                    fmt::format("{}: {}: {}", options_.cubin, kernel_.name, refusal.what()));
    }
  }

  [[nodiscard]] Run predict(const cubin::Bytes& file) const {
    launch::Description description = describe(options_.launch);
    description.kernel = kernel_.symbol;
    PreparedLaunch prepared(cubin::Image(file), options_.cubin, description);
    model::RunOptions run;
    run.per_instruction = true;
    Run done;
    done.report = cli::predict(machine_, calibration_.architecture, options_.cubin, prepared, run);
    done.outputs = prepared.buffer_contents();
    return done;
  }

  // The same for the kernel with other words. What was predicted once is not predicted again.
  const Run& predict_code(std::span<const Instruction> code, unsigned register_count) {
    const cubin::Bytes file = patched(bytes_, kernel_, code, register_count);
    const auto found = runs_.find(file);
    return found != runs_.end() ? found->second : runs_.emplace(file, predict(file)).first->second;
  }

  void note_executions(const Run& run) {
    executions_.issued.assign(kernel_.code.size(), 0);
    executions_.conflict_cycles.assign(kernel_.code.size(), 0);
    for (const model::InstructionReport& i : run.report.instructions)
      if (i.index < executions_.issued.size()) {
        executions_.issued[i.index] = i.issued;
        executions_.conflict_cycles[i.index] = i.bank_conflict_cycles;
      }
  }

  [[nodiscard]] unsigned register_limit() const {
    if (options_.registers != 0) return registers::usable_registers(options_.registers);
    // Code that names more than that keeps what it has.
    return std::max(registers::usable_registers(kernel_.registers), named_);
  }

  Recoloured change(const Analysis& analysis) {
    named_ = registers::registers_used(analysis);
    registers::RecolourOptions o;
    o.file = file_;
    o.change = options_.change == "banks"   ? Change::banks
               : options_.change == "both"  ? Change::both
               : options_.change == "plant" ? Change::plant
                                            : Change::reuse;
    o.yields = o.change == Change::banks || o.change == Change::plant ? registers::Yields::keep
               : options_.yields == "drop"                            ? registers::Yields::drop
               : options_.yields == "reuse"                           ? registers::Yields::drop_for_reuse
                                                                      : registers::Yields::keep;
    o.limit = register_limit();
    o.lower = options_.lower || register_limit() < registers::registers_used(analysis);
    o.search.seed = options_.seed;
    o.candidates = options_.candidates;
    o.judge_time = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * options_.seconds));
    if (o.lower && options_.change == "reuse")
      throw Failure(ExitCode::usage, "fewer registers need --change banks or both");
    if (!executions_.issued.empty()) {
      o.weights.assign(executions_.issued.begin(), executions_.issued.end());
      o.judge = [this](std::span<const Instruction> code) {
        std::vector<Instruction> words(code.begin(), code.end());
        registers::encode_changes(kernel_.code, words);
        return static_cast<double>(predict_code(words, 0).report.cycles);
      };
    }
    Recoloured result = options_.change == "none" ? unchanged(analysis, o) : registers::recolour(analysis, o);
    if (result.registers_after > register_limit())
      throw Failure(ExitCode::launch_does_not_fit,
                    fmt::format("{} needs {} registers without spilling, {} were asked for", kernel_.name,
                                result.registers_after + registers::reserved_registers,
                                register_limit() + registers::reserved_registers));
    return result;
  }

  // The code as it is, for --registers and for looking only.
  [[nodiscard]] Recoloured unchanged(const Analysis& analysis, const registers::RecolourOptions& o) const {
    Recoloured r;
    r.code = kernel_.code;
    r.assignment = registers::original_assignment(analysis);
    r.before = r.after =
        registers::conflicts(kernel_.code, analysis.flow, analysis.accesses, o.file, o.weights);
    r.registers_before = r.registers_after = registers::registers_used(analysis);
    return r;
  }

  void prove(const Recoloured& result) const {
    registers::CheckOptions o;
    o.indirect = kernel_.indirect;
    o.limit = register_limit();
    o.banks = file_.banks;
    std::vector<Instruction> words = result.code;
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = sass::decode(words[i].word, words[i].architecture, i * sass::instruction_bytes);
    const auto faults = registers::check(kernel_.code, words, o);
    if (!faults.empty())
      throw Failure(ExitCode::internal, fmt::format("the checker refuses the change at 0x{:04x}: {}",
                                                    faults.front().address, faults.front().what));
  }

  // What the patched cubin declares: N when it was asked for, fewer when the colouring found fewer. The
  // compiler may count registers that no instruction names; those stay.
  [[nodiscard]] unsigned new_register_count(const Recoloured& result) const {
    if (options_.registers != 0) return options_.registers;
    if (!options_.lower || result.registers_after >= result.registers_before) return 0;
    return kernel_.registers -
           std::min(kernel_.registers - 1, result.registers_before - result.registers_after);
  }

  void report(const Analysis& analysis, const Recoloured& r) const {
    if (options_.json != "-") {
      Table table;
      table.row("", "before", "after");
      table.row("registers named", std::to_string(r.registers_before), std::to_string(r.registers_after));
      table.change("cycles lost at ports, a count", r.before.lost_cycles, r.after.lost_cycles);
      table.row("instructions that lose", std::to_string(r.before.conflicting),
                std::to_string(r.after.conflicting));
      table.row("reads from the reuse cache", std::to_string(r.before.hits), std::to_string(r.after.hits));
      if (before_run_ && after_run_) {
        const auto conflict_cycles = [](const Run& run) {
          std::uint64_t sum = 0;
          for (const model::InstructionReport& i : run.report.instructions) sum += i.bank_conflict_cycles;
          return static_cast<double>(sum);
        };
        table.change("cycles lost at ports, the model", conflict_cycles(*before_run_),
                     conflict_cycles(*after_run_));
        table.row("warps an SM", std::to_string(before_run_->report.occupancy.warps_per_sm),
                  std::to_string(after_run_->report.occupancy.warps_per_sm));
        table.change("predicted cycles", static_cast<double>(before_run_->report.cycles),
                     static_cast<double>(after_run_->report.cycles));
      }
      if (measured_) {
        table.change("measured, microseconds", measured_->before_us, measured_->after_us);
        table.row("its spread, quartiles", fmt::format("{:.2f} %", 100 * measured_->before_spread),
                  fmt::format("{:.2f} %", 100 * measured_->after_spread));
      }
      fmt::print("{} on {}: {} instructions, {} webs, {} interferences\n{}", kernel_.name,
                 calibration_.device, kernel_.code.size(), analysis.webs.webs.size(), analysis.graph.edges(),
                 table.text());
      fmt::print(
          "  {} webs moved, {} reuse flags set, {} cleared, {} yields dropped; the checker proves the same "
          "dependences{}\n",
          r.webs_moved, r.flags_set, r.flags_cleared, r.yields_dropped,
          before_run_ ? fmt::format("; {} bytes of output equal", before_run_->outputs.size()) : "");
      if (options_.see) {
        fmt::print("\nbefore\n{}", registers::listing(kernel_.code, analysis, r.before, file_, executions_));
        registers::Executions after;
        if (after_run_) {
          after.issued.assign(kernel_.code.size(), 0);
          after.conflict_cycles.assign(kernel_.code.size(), 0);
          for (const model::InstructionReport& i : after_run_->report.instructions)
            if (i.index < after.issued.size()) {
              after.issued[i.index] = i.issued;
              after.conflict_cycles[i.index] = i.bank_conflict_cycles;
            }
        }
        if (options_.change != "none")
          fmt::print("\nafter\n{}", registers::listing(r.code, analysis, r.after, file_, after));
      }
    }
    if (!options_.json.empty()) write_file(options_.json, to_json(r) + "\n");
  }

  [[nodiscard]] std::string to_json(const Recoloured& r) const {
    const auto side = [&](const ConflictReport& c, unsigned count, const std::optional<Run>& run) {
      nlohmann::ordered_json j;
      j["registers"] = count;
      j["lost_cycles"] = c.lost_cycles;
      j["conflicting_instructions"] = c.conflicting;
      j["reuse_hits"] = c.hits;
      if (run) j["predicted_cycles"] = run->report.cycles;
      return j;
    };
    nlohmann::ordered_json j;
    j["schema"] = "warpgauge-whatif-registers/1";
    j["device"] = calibration_.device;
    j["kernel"] = kernel_.name;
    j["symbol"] = kernel_.symbol;
    j["change"] = options_.change;
    j["before"] = side(r.before, r.registers_before, before_run_);
    j["after"] = side(r.after, r.registers_after, after_run_);
    if (measured_)
      j["measured"] = {{"repetitions", options_.run},
                       {"before_us", measured_->before_us},
                       {"after_us", measured_->after_us},
                       {"before_spread", measured_->before_spread},
                       {"after_spread", measured_->after_spread},
                       {"clock_mhz", measured_->clock_mhz},
                       {"outputs_equal", true}};
    j["webs_moved"] = r.webs_moved;
    j["reuse_flags_set"] = r.flags_set;
    j["reuse_flags_cleared"] = r.flags_cleared;
    j["yields_dropped"] = r.yields_dropped;
    j["instructions"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < r.code.size(); ++i) {
      const registers::PortUse& b = r.before.instructions[i];
      const registers::PortUse& a = r.after.instructions[i];
      if (b.lost_cycles == 0 && a.lost_cycles == 0) continue;
      j["instructions"].push_back({{"offset", i * sass::instruction_bytes},
                                   {"lost_before", b.lost_cycles},
                                   {"lost_after", a.lost_cycles}});
    }
    return j.dump(2);
  }

  void draw(const Analysis& analysis, const Recoloured& r) const {
    if (!options_.svg.empty())
      write_file(options_.svg,
                 registers::register_map_svg(r.code, analysis, r.after, file_,
                                             registers::hottest_range(analysis, r.before), kernel_.name));
    if (options_.tile_svg.empty()) return;
    const registers::TitledCode codes[] = {{kernel_.name + ", as compiled", kernel_.code, &r.before},
                                           {"changed", r.code, &r.after}};
    const std::string svg = registers::tile_svg(codes, analysis, file_);
    if (svg.empty())
      throw Failure(ExitCode::usage, fmt::format("{} has no block of FFMAs that form a tile", kernel_.name));
    write_file(options_.tile_svg, svg);
  }

  const RegistersOptions& options_;
  calib::Calibration calibration_;
  model::Machine machine_;
  cubin::Bytes bytes_;
  cubin::Image image_;
  KernelCode kernel_;
  registers::RegisterFile file_;
  unsigned named_ = 0;  // registers that the code as it is names: the highest and those below
  registers::Executions executions_;
  std::map<cubin::Bytes, Run> runs_;  // by the cubin
  std::optional<Run> before_run_;
  std::optional<Run> after_run_;
  std::optional<Measurement> measured_;
};

}  // namespace

void run_registers(const RegistersOptions& options) {
  RegistersWhatIf(options).run();
}

}  // namespace warpgauge::cli::whatif
