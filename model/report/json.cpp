#include <nlohmann/json.hpp>
#include <string>

#include "model/report/render.h"

namespace warpgauge::model {
namespace {

using Json = nlohmann::ordered_json;

Json stalls_json(const std::array<std::uint64_t, stall_count>& stalls) {
  Json json = Json::object();
  for (std::size_t s = 0; s < stall_count; ++s) json[name(static_cast<Stall>(s))] = stalls[s];
  return json;
}

// Only what is not zero: a program has many instructions, and each waits for few things.
Json present_stalls(const std::array<std::uint64_t, stall_count>& stalls) {
  Json json = Json::object();
  for (std::size_t s = 0; s < stall_count; ++s) {
    if (stalls[s] != 0) json[name(static_cast<Stall>(s))] = stalls[s];
  }
  return json;
}

Json kernel_json(const KernelReport& kernel) {
  Json json;
  json["name"] = kernel.name;
  json["symbol"] = kernel.symbol;
  json["launch"] = {{"index", kernel.launch_index},
                    {"grid", kernel.grid},
                    {"block", kernel.block},
                    {"registers_per_thread", kernel.registers_per_thread},
                    {"static_shared_bytes", kernel.static_shared_bytes},
                    {"dynamic_shared_bytes", kernel.dynamic_shared_bytes},
                    {"shared_bytes", kernel.static_shared_bytes + kernel.dynamic_shared_bytes}};
  if (kernel.span) {
    json["time_line"] = {
        {"stream", kernel.span->stream}, {"start", kernel.span->start}, {"end", kernel.span->end}};
  }
  json["cycles"] = kernel.cycles;
  json["time_us"] = kernel.time_us;
  json["occupancy"] = {{"blocks_per_sm", kernel.occupancy.blocks_per_sm},
                       {"warps_per_sm", kernel.occupancy.warps_per_sm},
                       {"max_warps_per_sm", kernel.occupancy.max_warps_per_sm},
                       {"shared_config_bytes", kernel.occupancy.shared_config_bytes},
                       {"limiter", kernel.occupancy.limiter}};
  json["metrics"] = Json::object();
  for (const auto& [metric, value] : kernel.metrics) json["metrics"][metric] = value;
  json["stalls"] = stalls_json(kernel.stalls);
  if (!kernel.instructions.empty()) {
    json["instructions"] = Json::array();
    for (const InstructionReport& i : kernel.instructions) {
      json["instructions"].push_back({{"index", i.index},
                                      {"text", i.text},
                                      {"issued", i.issued},
                                      {"thread_instructions", i.thread_instructions},
                                      {"stalls", present_stalls(i.stalls)},
                                      {"bank_conflict_cycles", i.bank_conflict_cycles},
                                      {"reuse_hits", i.reuse_hits}});
    }
  }
  json["notes"] = kernel.notes;
  return json;
}

}  // namespace

std::string to_json(const Report& report) {
  Json json;
  json["schema"] = Report::schema;
  json["device"] = report.device;
  json["calibration"] = {{"id", report.calibration_id}, {"hash", report.calibration_hash}};
  json["kernels"] = Json::array();
  for (const KernelReport& kernel : report.kernels) json["kernels"].push_back(kernel_json(kernel));
  // A symbol is whatever the file says; bytes that are not UTF-8 are replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace warpgauge::model
