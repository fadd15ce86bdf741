// Dependent-issue latency by the papers' own method: lower the producer's stall count until the consumer reads a stale
// value (Jia2018 section 4.1). The matrix of producing and consuming pipes, predicates, uniform registers.
#include <algorithm>
#include <string>

#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/sass/stale.h"

namespace warpgauge::probes {
namespace {

constexpr int most = 24;  // distances tried: 1 to this

struct Consumer {
  std::string_view name;
  std::string_view text;  // reads the low register of the result, R10
  bool counted;           // its own result, R20, needs a dependence counter
};
constexpr Consumer consumers[] = {
    {"to_alu", "LOP3.LUT R20, R10, R14, RZ, 0x3c, !PT", false},
    {"to_fma", "IMAD R20, R10, R13, RZ", false},
    {"to_fma_c", "IMAD R20, RZ, RZ, R10", false},
    {"to_fp16", "HADD2 R20, R10, R14", false},
    {"to_fp64", "DADD R20, R10, R18", false},
    {"to_decoupled", "POPC R20, R10", true},
    {"to_shuffle", "SHFL.IDX PT, R20, R10, RZ, 0x1f", true},
    {"to_address", "LDS R20, [R10]", true},
};

// Whether this producer's result means something to that consumer.
bool fits(const FixedInstruction& producer, const Consumer& consumer) {
  if (consumer.name == "to_address") return producer.name == "mov" || producer.name == "imad_mov";
  return true;
}

std::string kernel_name(std::string_view producer, std::string_view consumer) {
  return std::string(producer) + "_" + std::string(consumer);
}

StaleTest fixed_test(const FixedInstruction& producer, const Consumer& consumer) {
  StaleTest test;
  test.name = kernel_name(producer.name, consumer.name);
  test.before = {"MOV R10, " + hex(producer.old_value), "MOV R11, 0x3ff00000"};
  test.producer = producer.text;
  test.consumer = consumer.text;
  test.consumer_counted = consumer.counted;
  test.most = most;
  if (consumer.name == "to_address") {  // a small address, in shared memory that lane l filled with something of its own
    test.before = {"MOV R10, 0x0", "MOV R21, 0x20", "STS [R21], R12", "MOV R22, 0x20"};
    test.producer = producer.name == "mov" ? "MOV R10, R22" : "IMAD.MOV.U32 R10, RZ, RZ, R22";
  }
  return test;
}

std::vector<StaleTest> matrix_tests(int sm) {
  std::vector<StaleTest> tests;
  for (const FixedInstruction& producer : fixed_instructions()) {
    if (!exists(producer.from_sm, producer.to_sm, sm)) continue;
    if (sm == 75 && producer.pipe == Pipe::fp64) continue;  // one slow pipe an SM, tracked by a counter
    for (const Consumer& consumer : consumers) {
      if (sm == 75 && consumer.name == "to_fp64") continue;
      if (fits(producer, consumer)) tests.push_back(fixed_test(producer, consumer));
    }
    if (producer.registers == 2) {  // the high word
      StaleTest test = fixed_test(producer, consumers[0]);
      test.name = kernel_name(producer.name, "high_to_alu");
      test.before = {"MOV R10, 0x0", "MOV R11, 0x0"};
      test.consumer = "LOP3.LUT R20, R11, R14, RZ, 0x3c, !PT";
      tests.push_back(test);
      test.name = kernel_name(producer.name, "high_to_fma");
      test.consumer = "IMAD R20, R11, R13, RZ";
      tests.push_back(test);
    }
  }
  return tests;
}

void measure_matrix(Bench& bench, Findings& findings) { run_stale_tests(bench, findings, matrix_tests(bench.facts().sm)); }

// The key's consumer of an instruction on a pipe: its own pipe.
std::string_view own_consumer(Pipe pipe) {
  switch (pipe) {
    case Pipe::fma:
    case Pipe::imad_wide:
      return "to_fma";
    case Pipe::fp16:
      return "to_fp16";
    case Pipe::fp64:
      return "to_fp64";
    default:
      return "to_alu";
  }
}

void conclude_matrix(const TargetFacts& facts, Findings& findings) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const FixedInstruction& producer : fixed_instructions()) {
    if (producer.key.empty() || !exists(producer.from_sm, producer.to_sm, facts.sm)) continue;
    keys.emplace_back("latency.opcode." + std::string(producer.key), kernel_name(producer.name, own_consumer(producer.pipe)));
  }
  constexpr std::pair<std::string_view, std::string_view> typical[] = {
      {"alu", "iadd3"}, {"fma", "ffma"}, {"imad_wide_low", "imad_wide"}, {"fp16", "hadd2"}, {"fp64", "dadd"}, {"clock", "cs2r"}};
  for (const auto& [row, producer] : typical) {
    for (const std::string_view column : {"to_alu", "to_fma", "to_fp16", "to_fp64", "to_decoupled"}) {
      keys.emplace_back("distance." + std::string(row) + "." + std::string(column), kernel_name(producer, column));
    }
  }
  keys.emplace_back("distance.imad_wide_high.to_alu", "imad_wide_high_to_alu");
  keys.emplace_back("distance.imad_wide_high.to_fma", "imad_wide_high_to_fma");
  conclude_distances(findings, keys);
}

std::vector<StaleTest> predicate_tests(int sm) {
  const std::vector<std::string> clear = {"ISETP.NE.AND P0, PT, RZ, RZ, PT", "MOV R20, 0x77"};
  const std::string set = "ISETP.NE.AND P0, PT, R12, RZ, PT";
  std::vector<StaleTest> tests;
  const auto add = [&](std::string name, std::string producer, std::string consumer) {
    StaleTest test;
    test.name = std::move(name);
    test.before = clear;
    test.producer = std::move(producer);
    test.consumer = std::move(consumer);
    test.most = most;
    tests.push_back(std::move(test));
  };
  add("isetp_to_alu_operand", set, "SEL R20, R12, R13, P0");
  add("isetp_to_fma_operand", set, "IMAD.X R20, R12, R13, RZ, P0");
  add("isetp_to_guard", set, "@P0 MOV R20, R12");
  add("isetp_to_guard_fma", set, "@P0 IMAD.MOV.U32 R20, RZ, RZ, R12");
  add("isetp_to_plop3", set, "PLOP3.LUT P2, PT, P0, PT, PT, 0x80, 0x0");
  tests.back().after = {"SEL R20, R12, R13, P2"};
  add("fsetp_to_alu_operand", "FSETP.LT.AND P0, PT, R12, R13, PT", "SEL R20, R12, R13, P0");
  add("fsetp_to_guard", "FSETP.LT.AND P0, PT, R12, R13, PT", "@P0 MOV R20, R12");
  add("hsetp2_to_guard", "HSETP2.LT.AND P0, PT, R12, R13, PT", "@P0 MOV R20, R12");
  if (sm != 75) add("dsetp_to_guard", "DSETP.LT.AND P0, PT, R16, R18, PT", "@P0 MOV R20, R12");
  add("isetp_to_vote", set, "VOTE.ANY R20, PT, P0");
  add("r2p_to_guard", "R2P PR, R12, 0x1", "@P0 MOV R20, R12");
  add("plop3_to_guard", "PLOP3.LUT P0, PT, P1, PT, PT, 0x80, 0x0", "@P0 MOV R20, R12");
  return tests;
}

void measure_predicates(Bench& bench, Findings& findings) {
  run_stale_tests(bench, findings, predicate_tests(bench.facts().sm));
}

void conclude_predicates(const TargetFacts&, Findings& findings) {
  const std::pair<std::string, std::string> keys[] = {
      {"predicate.to_alu_operand", "isetp_to_alu_operand"}, {"predicate.to_fma_operand", "isetp_to_fma_operand"},
      {"predicate.to_guard", "isetp_to_guard"},             {"predicate.fp16_to_guard", "hsetp2_to_guard"},
      {"predicate.fp64_to_guard", "dsetp_to_guard"},        {"latency.opcode.ISETP", "isetp_to_alu_operand"},
      {"latency.opcode.FSETP", "fsetp_to_alu_operand"},     {"latency.opcode.HSETP2", "hsetp2_to_guard"},
      {"latency.opcode.DSETP", "dsetp_to_guard"},           {"latency.opcode.PLOP3", "plop3_to_guard"},
      {"latency.opcode.R2P", "r2p_to_guard"}};
  conclude_distances(findings, keys);
}

std::vector<StaleTest> uniform_tests(int sm) {
  std::vector<StaleTest> tests;
  const auto add = [&](std::string name, std::string producer, std::string consumer, std::vector<std::string> after = {},
                       bool counted = false) {
    StaleTest test;
    test.name = std::move(name);
    test.before = {"UMOV UR8, 0x0", "UMOV UR9, 0x24", "UISETP.NE.AND UP0, UPT, URZ, URZ, UPT", "MOV R20, 0x77",
                   "MOV R21, 0x28", "STS [R21], R12", "STS [RZ], R13"};
    test.producer = std::move(producer);
    test.consumer = std::move(consumer);
    test.after = std::move(after);
    test.consumer_counted = counted;
    test.most = most;
    tests.push_back(std::move(test));
  };
  const std::string iadd = "UIADD3 UR8, UR9, 0x4, URZ";
  const std::string read = "MOV R20, UR10";
  const std::string constant_base = parameter_base_text(sm);
  constexpr std::pair<const char*, const char*> producers[] = {
      {"uiadd3", "UIADD3 UR8, UR9, 0x4, URZ"},        {"ulop3", "ULOP3.LUT UR8, UR9, 0x4, URZ, 0xfc, !UPT"},
      {"ushf", "USHF.L.U32 UR8, UR9, 0x1, URZ"},      {"ulea", "ULEA UR8, UR9, UR9, 0x1"},
      {"uimad", "UIMAD UR8, UR9, UR9, URZ"},          {"usel", "USEL UR8, UR9, URZ, UPT"},
      {"uprmt", "UPRMT UR8, UR9, 0x3210, URZ"},       {"umov", "UMOV UR8, 0x28"},
      {"ubmsk", "UBMSK UR8, URZ, UR9"},               {"usgxt", "USGXT UR8, UR9, 0x8"}};
  for (const auto& [producer, text] : producers) {
    add(std::string(producer) + "_to_uniform", text, "UIADD3 UR10, UR8, 0x1, URZ", {read});
    add(std::string(producer) + "_to_vector", text, "IADD3 R20, RZ, UR8, RZ");
  }
  add("uldc_to_uniform", "ULDC UR8, " + constant_base, "UIADD3 UR10, UR8, 0x1, URZ", {read});
  add("uldc_to_vector", "ULDC UR8, " + constant_base, "IADD3 R20, RZ, UR8, RZ");
  add("uiadd3_to_memory", iadd, "LDS R20, [UR8]", {}, true);
  add("uiadd3_to_move", iadd, "UMOV UR10, UR8", {read});
  add("uisetp_to_guard", "UISETP.NE.AND UP0, UPT, UR9, URZ, UPT", "@UP0 UMOV UR10, 0x99", {read});
  tests.back().before.push_back("UMOV UR10, 0x11");
  if (sm >= 90) {
    add("r2ur_to_uniform", "R2UR UR8, R12", "UIADD3 UR10, UR8, 0x1, URZ", {read});
    add("r2ur_to_vector", "R2UR UR8, R12", "IADD3 R20, RZ, UR8, RZ");
  }
  add("voteu_to_vector", "VOTEU.ANY UR8, UPT, PT", "IADD3 R20, RZ, UR8, RZ");
  return tests;
}

void measure_uniform(Bench& bench, Findings& findings) { run_stale_tests(bench, findings, uniform_tests(bench.facts().sm)); }

void conclude_uniform(const TargetFacts&, Findings& findings) {
  const std::pair<std::string, std::string> keys[] = {
      {"uniform.to_uniform", "uiadd3_to_uniform"},   {"uniform.to_vector", "uiadd3_to_vector"},
      {"uniform.to_memory", "uiadd3_to_memory"},     {"uniform.to_move", "uiadd3_to_move"},
      {"uniform.load", "uldc_to_vector"},            {"uniform.from_vector", "r2ur_to_vector"},
      {"uniform.predicate_to_guard", "uisetp_to_guard"}, {"latency.opcode.UIADD3", "uiadd3_to_uniform"},
      {"latency.opcode.ULOP3", "ulop3_to_uniform"},  {"latency.opcode.USHF", "ushf_to_uniform"},
      {"latency.opcode.ULEA", "ulea_to_uniform"},    {"latency.opcode.UIMAD", "uimad_to_uniform"},
      {"latency.opcode.USEL", "usel_to_uniform"},    {"latency.opcode.UPRMT", "uprmt_to_uniform"},
      {"latency.opcode.UMOV", "umov_to_uniform"},    {"latency.opcode.UBMSK", "ubmsk_to_uniform"},
      {"latency.opcode.USGXT", "usgxt_to_uniform"},  {"latency.opcode.ULDC", "uldc_to_uniform"},
      {"latency.opcode.VOTEU", "voteu_to_vector"},   {"latency.opcode.R2UR", "r2ur_to_uniform"},
      {"latency.opcode.UISETP", "uisetp_to_guard"}};
  conclude_distances(findings, keys);
}

}  // namespace

extern const Probe instruction_distances{
    "instructions.distances", "Least distance from every fixed-latency instruction to a consumer on each pipe",
    "Jia2018 section 4.1, table 4.1; Jia2019 table 4.1", 70, measure_matrix, conclude_matrix};
extern const Probe predicate_distances{"predicates.distances", "Least distance from a predicate's producer to operand and guard",
                                       "Jia2018 section 4.1", 70, measure_predicates, conclude_predicates};
extern const Probe uniform_distances{"uniform.distances", "Least distances into, within and out of the uniform datapath",
                                     "Jia2019 section 2.1", 75, measure_uniform, conclude_uniform};

}  // namespace warpgauge::probes
