// What a store leaves in the L1: whether a load behind it finds there what was stored, or what was there before.
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int first_stamp = 40;
constexpr int waits = 3000;  // cycles after each access: it is done

// What a warp does to one line that no warp has touched, access by access; a load is timed.
enum class Access {
  load,          // each lane its word
  load_one,      // lane 0's word, the line's first
  load_next,     // by lane 0 alone, the word behind it
  load_sector,   // by lane 0 alone, the first word of the second sector
  store,         // each lane its word: whole sectors
  store_one,     // lane 0's word
  store_byte,    // a byte of it
  store_sector,  // the first eight lanes' words: one whole sector
  store_two,     // each lane two words: two lines whole
};
struct Row {
  const char* name;
  std::vector<Access> accesses;
};

std::vector<Row> rows() {
  using enum Access;
  return {{"load, load", {load, load}},
          {"whole line stored, load", {store, load, load}},
          {"two lines stored, load", {store_two, load, load}},
          {"whole sector stored, load of it", {store_sector, load_one, load_one}},
          {"whole sector stored, load of the next", {store_sector, load_sector, load_sector}},
          {"word stored, load of it", {store_one, load_one, load_one}},
          {"word stored, load of its neighbour", {store_one, load_next, load_next}},
          {"byte stored, load of it", {store_byte, load_one, load_one}},
          {"loaded, whole line stored, load", {load, store, load, load}},
          {"loaded, word stored, load of it", {load, store_one, load_one, load_one}},
          {"loaded, word stored, load of its neighbour", {load, store_one, load_next, load_next}},
          {"loaded, byte stored, load of it", {load, store_byte, load_one, load_one}},
          {"loaded, byte stored, load of the next sector", {load, store_byte, load_sector, load_sector}},
          {"word stored, whole line stored, load", {store_one, store, load, load}},
          {"whole line stored, word stored, load of it", {store, store_one, load_one, load_one}}};
}

bool is_load(Access access) { return access <= Access::load_sector; }

SassKernel stored_kernel(int sm, const std::string& name, const Row& row) {
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R8, " + program.parameter(Parameter::in));
  program.op(stall(15), "MOV R9, " + program.parameter(Parameter::in, 1));
  program.op(stall(15), "MOV R37, 0x4");
  program.op(stall(15), "IMAD.WIDE.U32 R8, R0, R37, R8");
  program.op(stall(15), "IMAD.WIDE.U32 R10, R0, R37, R8");
  for (const int r : {12, 13}) program.op(stall(15), "MOV " + reg(r) + ", RZ");
  program.op(stall(15), "ISETP.EQ.U32.AND P3, PT, R0, RZ, PT");
  program.op(stall(15), "ISETP.LT.U32.AND P2, PT, R0, 0x8, PT");
  program.idle(30);
  program.start_clock(15);
  const auto guarded = [&](Access access, const std::string& text) {
    switch (access) {
      case Access::load:
      case Access::store:
      case Access::store_two:
        return text;
      case Access::store_sector:
        return "@P2 " + text;
      default:
        return "@P3 " + text;
    }
  };
  int stamp = first_stamp;
  for (const Access access : row.accesses) {
    if (is_load(access)) {
      const int offset = access == Access::load_next ? 4 : access == Access::load_sector ? 32 : 0;
      program.op(stall(15), "CS2R.32 R14, SR_CLOCKLO");
      program.op(stall(2).writing(0), guarded(access, program.load_global(32, 20, 8, offset)));
      program.op(stall(15).waiting(1), "CS2R.32 R15, SR_CLOCKLO");
      program.op(stall(15), "IADD3 " + reg(stamp++) + ", R15, -R14, RZ");
    } else {
      std::string text = access == Access::store_two ? program.store_global(64, 10, 12) : program.store_global(32, 8, 12);
      if (access == Access::store_byte) text.replace(text.find("STG.E"), 5, "STG.E.U8");
      program.op(stall(2).reading(1), guarded(access, text));
      program.op(stall(15).waiting(2), "NOP");
    }
    program.idle(waits);
  }
  program.end_clock();
  for (int i = first_stamp; i < stamp; ++i) program.store_result(i, i - first_stamp);
  program.finish();
  return program.kernel(name);
}

void measure(Bench& bench, Findings& findings) {
  const std::vector<Row> list = rows();
  const Buffer memory = bench.allocate(list.size() * 4096);
  memory.fill(0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    SassModule module(bench, {stored_kernel(bench.facts().sm, "stored", list[i])});
    SassArguments arguments;
    // Lines of their own in a page that has been used.
    arguments.in = memory.address();
    arguments.results = 4;
    (void)module.run("stored", arguments);
    arguments.in = memory.address() + i * 4096;
    const SassOutcome outcome = module.run("stored", arguments);
    std::uint32_t loads = 0;
    for (const Access access : list[i].accesses) {
      if (is_load(access)) {
        findings.sample("cycles of " + std::string(list[i].name), "load", "cycles", loads, outcome.results[loads]);
        ++loads;
      }
    }
  }
}

void conclude(const TargetFacts&, Findings& findings) {
  const auto first = [&](const char* row) { return findings.at("cycles of " + std::string(row)).y.front(); };
  const calib::Series& hit = findings.at("cycles of load, load");
  const bool allocates = first("whole line stored, load") < (hit.y.front() + hit.y.back()) / 2;
  findings.result.figures.push_back({"l1.stores_allocate", allocates, calib::Unit::flag, 0,
                                     3, "cycles of whole line stored, load"});
}

}  // namespace

extern const Probe stored_sectors{"l1.stored",
                                  "What a store leaves in the L1",
                                  "own: after Jia2018 section 3.4, loads behind stores",
                                  70,
                                  measure,
                                  conclude};

}  // namespace warpgauge::probes
