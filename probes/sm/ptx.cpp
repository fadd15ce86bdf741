// Latency of single PTX instructions, compiled without and with optimisation, and what reading the clock
// costs.
#include <bit>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

enum class Operand { whole, single, real, half, wide };  // 32 bits, float, double, two bytes, 64 bits

struct Instruction {
  const char* kernel;  // ptx_<kernel>
  const char* name;    // as Arafa2019 table II has it
  Operand operand;
  double a, b, c;
};
constexpr Instruction instructions[] = {
    {"add", "add", Operand::whole, 1000, 77, 5},
    {"sub", "sub", Operand::whole, 1000, 77, 5},
    {"min", "min", Operand::whole, 1000, 77, 5},
    {"max", "max", Operand::whole, 1000, 77, 5},
    {"mul", "mul", Operand::whole, 1000, 77, 5},
    {"mad", "mad", Operand::whole, 1000, 77, 5},
    {"div_s", "{s} div (regular)", Operand::whole, 1000, 8, 5},
    {"div_s", "{s} div (irregular)", Operand::whole, 1000, 7, 5},
    {"rem_s", "{s} rem", Operand::whole, 1000, 7, 5},
    {"abs", "abs", Operand::whole, 1000, 77, 5},
    {"div_u", "{u} div (regular)", Operand::whole, 1000, 8, 5},
    {"div_u", "{u} div (irregular)", Operand::whole, 1000, 7, 5},
    {"rem_u", "{u} rem", Operand::whole, 1000, 7, 5},
    {"and", "and", Operand::whole, 1000, 77, 5},
    {"or", "or", Operand::whole, 1000, 77, 5},
    {"not", "not", Operand::whole, 1000, 77, 5},
    {"xor", "xor", Operand::whole, 1000, 77, 5},
    {"cnot", "cnot", Operand::whole, 1000, 77, 5},
    {"shl", "shl", Operand::whole, 1000, 3, 5},
    {"shr", "shr", Operand::whole, 1000, 3, 5},
    {"add_f", "f32 add", Operand::single, 1.5, 2.25, 0.5},
    {"min_f", "f32 min", Operand::single, 1.5, 2.25, 0.5},
    {"mul_f", "f32 mul", Operand::single, 1.5, 2.25, 0.5},
    {"fma_f", "f32 fma", Operand::single, 1.5, 2.25, 0.5},
    {"div_f", "f32 div (regular)", Operand::single, 1.5, 2, 0.5},
    {"div_f", "f32 div (irregular)", Operand::single, 1e-39, 3.7, 0.5},
    {"add_d", "f64 add", Operand::real, 1.5, 2.25, 0.5},
    {"min_d", "f64 min", Operand::real, 1.5, 2.25, 0.5},
    {"mul_d", "f64 mul", Operand::real, 1.5, 2.25, 0.5},
    {"fma_d", "f64 fma", Operand::real, 1.5, 2.25, 0.5},
    {"div_d", "f64 div", Operand::real, 1.5, 2.25, 0.5},
    {"add_h", "f16 add", Operand::half, 0x3c00, 0x4000, 0x3800},
    {"mul_h", "f16 mul", Operand::half, 0x3c00, 0x4000, 0x3800},
    {"fma_h", "f16 fma", Operand::half, 0x3c00, 0x4000, 0x3800},
    {"add_cc", "add.cc", Operand::whole, 1000, 77, 5},
    {"addc", "addc", Operand::whole, 1000, 77, 5},
    {"sub_cc", "sub.cc", Operand::whole, 1000, 77, 5},
    {"subc", "subc", Operand::whole, 1000, 77, 5},
    {"mad_cc", "mad.cc", Operand::whole, 1000, 77, 5},
    {"madc", "madc", Operand::whole, 1000, 77, 5},
    {"rcp", "rcp", Operand::single, 1.5, 2.25, 0.5},
    {"sqrt", "sqrt", Operand::single, 1.5, 2.25, 0.5},
    {"rcp_approx", "fast approximate rcp", Operand::single, 1.5, 2.25, 0.5},
    {"sqrt_approx", "fast approximate sqrt", Operand::single, 1.5, 2.25, 0.5},
    {"rsqrt_approx", "fast approximate rsqrt", Operand::single, 1.5, 2.25, 0.5},
    {"sin_approx", "fast approximate sin", Operand::single, 1.5, 2.25, 0.5},
    {"cos_approx", "fast approximate cos", Operand::single, 1.5, 2.25, 0.5},
    {"lg2_approx", "fast approximate lg2", Operand::single, 1.5, 2.25, 0.5},
    {"ex2_approx", "fast approximate ex2", Operand::single, 1.5, 2.25, 0.5},
    {"copysign", "copysign", Operand::single, 1.5, -2.25, 0.5},
    {"mul24", "mul24", Operand::whole, 1000, 77, 5},
    {"mad24", "mad24", Operand::whole, 1000, 77, 5},
    {"mulhi", "mulhi", Operand::whole, 1000, 77, 5},
    {"mul64hi", "mul64hi", Operand::wide, 1000, 77, 5},
    {"sad", "sad", Operand::whole, 1000, 77, 5},
    {"popc", "popc", Operand::whole, 1000, 77, 5},
    {"clz", "clz", Operand::whole, 1000, 77, 5},
    {"bfe", "bfe", Operand::whole, 1000, 3, 5},
    {"bfi", "bfi", Operand::whole, 1000, 77, 5},
    {"bfind", "bfind", Operand::whole, 1000, 77, 5},
    {"brev", "brev", Operand::whole, 1000, 77, 5},
};

void add(Parameters& parameters, Operand operand, double value) {
  switch (operand) {
    case Operand::whole:
      parameters.add(static_cast<std::uint32_t>(value));
      break;
    case Operand::single:
      parameters.add(static_cast<float>(value));
      break;
    case Operand::real:
      parameters.add(value);
      break;
    case Operand::half:
      parameters.add(static_cast<std::uint16_t>(value));
      break;
    case Operand::wide:
      parameters.add(static_cast<std::uint64_t>(value));
      break;
  }
}

const char* control_of(Operand operand) {
  if (operand == Operand::real || operand == Operand::wide) return "nothing_64";
  return operand == Operand::half ? "nothing_16" : "nothing_32";
}

void measure(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(256);
  for (const auto& [file, level] : {std::pair{"ptx_o3", "-O3"}, {"ptx_o0", "-O0"}}) {
    const auto cycles = [&, name = std::string(file)](const char* kernel, const Instruction& of) {
      Parameters parameters;
      parameters.add(out.address());
      for (const double value : {of.a, of.b, of.c}) add(parameters, of.operand, value);
      bench.run(bench.kernel(name, std::string("ptx_") + kernel), {1}, {1}, parameters);
      return static_cast<double>(out.read<std::uint32_t>(1)[0]);
    };
    bench.run(bench.kernel(file, "ptx_clock"), {1}, {1}, Parameters().add(out.address()));
    findings.sample(std::string("clock overhead at ") + level, "repetition", "cycles", 0,
                    static_cast<double>(out.read<std::uint32_t>(1)[0]));
    for (const Instruction& each : instructions) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        findings.sample(std::string("latency at ") + level + " of " + each.name, "repetition", "cycles",
                        repeat, cycles(each.kernel, each) - cycles(control_of(each.operand), each));
      }
    }
  }
}

}  // namespace

extern const Probe ptx_latency{"ptx.latency",
                               "Latency of PTX instructions at -O0 and -O3, and what reading the clock costs",
                               "Arafa2019 tables II and III, figure 5",
                               70,
                               measure,
                               nullptr};

}  // namespace warpgauge::probes
