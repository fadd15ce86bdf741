#include "calib/loader.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "calib/check.h"
#include "tests/calib/support.h"

namespace warpgauge::calib {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The leaf of a key in the written form, up to and with its value.
std::string leaf_start(const std::string& json, std::string_view name) {
  const std::size_t at = json.find(fmt::format("\"{}\": {{\"value\": ", name));
  EXPECT_NE(at, std::string::npos) << name;
  return json.substr(at, json.find(", \"unit\"", at) - at);
}

TEST(Loader, ReadsWhatItWrites) {
  const Calibration again = parse(sound_json(), "again.json");
  EXPECT_EQ(again, sound());
  EXPECT_EQ(to_json(again), sound_json());
}

// Gives every key a value that no other key has.
struct MakeDistinct {
  std::uint32_t next = 1;
  void operator()(const Key&, Integer& value) { value = next++; }
  void operator()(const Key&, Bytes& value) { value = (std::uint64_t{1} << 40) + next++; }
  void operator()(const Key&, Real& value) { value = 0.1 * next++; }
  void operator()(const Key&, Flag& value) { value = next++ % 2 == 0; }
  void operator()(const Key&, List& value) { value = {next++, 0, std::uint64_t{1} << 50}; }
  template <class E>
  void operator()(const Key&, E& value) {
    value = static_cast<E>(next++ % choices<E>().size());
  }
};

TEST(Values, OfEveryTypeSurviveText) {
  Calibration odd = sound();
  visit(odd, MakeDistinct{});
  Calibration again = sound();
  // In their order a value that follows another comes after it.
  for (const Key& key : all_keys()) set(again, key.path, get(odd, key.path));
  again.provenance = odd.provenance;
  EXPECT_EQ(again, odd);
}

class ShippedCalibration : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedCalibration, LoadsAndIsInTheWritersOrder) {
  const std::filesystem::path file = devices() / GetParam() / "calibration.json";
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(to_json(load(file)), text) << "write it again with the writer";
}

TEST_P(ShippedCalibration, SaysOfEveryKeyWhereItsValueComesFrom) {
  const Calibration calibration = load_device(devices(), GetParam());
  EXPECT_EQ(calibration.provenance.size(), all_keys().size());
  for (const auto& [key, provenance] : calibration.provenance)
    EXPECT_FALSE(provenance.reference.empty()) << key;
}

INSTANTIATE_TEST_SUITE_P(Devices, ShippedCalibration, ::testing::Values("v100", "t4", "h200"),
                         [](const auto& device) { return std::string(device.param); });

TEST(ShippedCalibrations, AreTheThreeDevices) {
  EXPECT_THAT(list_devices(devices()), ::testing::ElementsAre("h200", "t4", "v100"));
}

TEST(ShippedCalibrations, CarryThePapersFigures) {
  const Calibration v100 = load_device(devices(), "v100");
  EXPECT_EQ(v100.l1.hit_latency, 28U);
  EXPECT_EQ(v100.l2.hit_latency, 193U);
  EXPECT_EQ(v100.shared.latency, 19U);
  EXPECT_EQ(v100.atomics.shared_latency, (List{6, 7, 11, 18, 24, 66}));
  EXPECT_EQ(v100.front_end.l0_bytes, 12U * 1024);
  EXPECT_EQ(v100.latency.opcode.DFMA, 8U);
  EXPECT_EQ(v100.provenance.at("l1.hit_latency").source, Source::published);
  const Calibration t4 = load_device(devices(), "t4");
  EXPECT_EQ(t4.l1.hit_latency, 32U);
  EXPECT_EQ(t4.l2.hit_latency, 188U);
  EXPECT_EQ(t4.l1.detected_sizes, (List{57 * 1024, 25 * 1024}));
  EXPECT_EQ(t4.latency.opcode.DFMA, 54U);
  EXPECT_EQ(t4.atomics.global_latency, (List{76, 72, 73, 81, 97, 116}));
}

TEST(ShippedCalibrations, AnUnknownDeviceIsAnsweredWithThoseThereAre) {
  EXPECT_THAT(refusal([] { (void)load_device(devices(), "a100"); }),
              AllOf(HasSubstr("a100"), HasSubstr("h200, t4, v100")));
}

TEST(Keys, AreUnique) {
  std::set<std::string> seen;
  for (const Key& key : all_keys()) EXPECT_TRUE(seen.insert(key.path).second) << key.path;
  EXPECT_GT(seen.size(), 500U);
}

TEST(Keys, HaveAUnitAndADocLine) {
  for (const Key& key : all_keys()) {
    EXPECT_NE(key.doc[0], '\0') << key.path;
    EXPECT_EQ(parse_unit(name(key.unit)), key.unit) << key.path;
  }
}

TEST(OpcodeLatency, IsFoundByMnemonicWithDotOrUnderscore) {
  EXPECT_EQ(opcode_latency(sound(), "IMAD.WIDE"), sound().latency.opcode.IMAD_WIDE);
  EXPECT_EQ(opcode_latency(sound(), "IMAD_WIDE"), sound().latency.opcode.IMAD_WIDE);
  EXPECT_EQ(opcode_latency(sound(), "FFMA"), 4U);
  EXPECT_EQ(opcode_latency(sound(), "FOO"), std::nullopt);
}

TEST(LoaderRefuses, AFileThatIsNotThere) {
  EXPECT_THAT(refusal([] { (void)load("nowhere/calibration.json"); }),
              AllOf(HasSubstr("nowhere/calibration.json"), HasSubstr("cannot be read")));
}

TEST(LoaderRefuses, WhatIsNotJson) {
  EXPECT_THAT(parse_refusal("{\"schema\": "), AllOf(StartsWith("file.json: "), HasSubstr("not JSON")));
  EXPECT_THAT(parse_refusal(""), HasSubstr("not JSON"));
  EXPECT_THAT(parse_refusal("[1, 2]"), HasSubstr("expected an object, got a list"));
}

TEST(LoaderRefuses, AnotherSchema) {
  EXPECT_THAT(parse_refusal(replaced(sound_json(), "calibration/1", "calibration/2")),
              AllOf(HasSubstr("warpgauge-calibration/2"), HasSubstr("expected")));
}

TEST(LoaderRefuses, AMissingIdentity) {
  EXPECT_THAT(parse_refusal(replaced(sound_json(), "\"device\"", "\"gadget\"")),
              HasSubstr("\"device\" is missing"));
}

TEST(LoaderRefuses, AnUnknownKeyAndNamesTheNearest) {
  const std::string message =
      parse_refusal(replaced(sound_json(), "\"l1\": {", "\"l1\": {\"hit_latncy\": {\"value\": 1}, "));
  EXPECT_THAT(message, AllOf(StartsWith("file.json: "), HasSubstr("unknown key l1.hit_latncy"),
                             HasSubstr("l1.hit_latency")));
}

TEST(LoaderRefuses, AnUnknownSection) {
  EXPECT_THAT(parse_refusal(replaced(sound_json(), "\"l1\": {", "\"l9\": {}, \"l1\": {")),
              HasSubstr("unknown key l9"));
}

TEST(LoaderRefuses, AMissingKey) {
  const std::string json = sound_json();
  const std::size_t at = json.find("    \"hit_latency\"");
  const std::string without = json.substr(0, at) + json.substr(json.find('\n', at) + 1);
  EXPECT_THAT(parse_refusal(without),
              AllOf(StartsWith("file.json: "), HasSubstr("hit_latency: missing key")));
}

TEST(LoaderRefuses, AKeyThatStandsTwice) {
  EXPECT_THAT(parse_refusal(replaced(sound_json(), "\"id\"", "\"id\": \"x\", \"id\"")),
              HasSubstr("\"id\" stands twice"));
}

TEST(LoaderRefuses, ASectionWhereALeafBelongs) {
  EXPECT_THAT(parse_refusal(replaced(sound_json(), "\"sm_count\": {\"value\"", "\"sm_count\": {\"amount\"")),
              HasSubstr("chip.sm_count: expected a leaf"));
}

TEST(LoaderRefuses, AWrongUnit) {
  const std::string start = leaf_start(sound_json(), "miss_latency");
  EXPECT_THAT(
      parse_refusal(replaced(sound_json(), start + ", \"unit\": \"cycles\"", start + ", \"unit\": \"ns\"")),
      HasSubstr("l1.miss_latency: the unit is cycles, got ns"));
}

TEST(LoaderRefuses, AnUnknownUnit) {
  const std::string start = leaf_start(sound_json(), "miss_latency");
  EXPECT_THAT(parse_refusal(replaced(sound_json(), start + ", \"unit\": \"cycles\"",
                                     start + ", \"unit\": \"furlongs\"")),
              HasSubstr("l1.miss_latency: unknown unit \"furlongs\""));
}

struct WrongValue {
  const char* key;
  const char* value;
  const char* message;
};

class LoaderRefusesAWrongType : public ::testing::TestWithParam<WrongValue> {};

TEST_P(LoaderRefusesAWrongType, AndSaysWhatItExpected) {
  const auto& [key, value, message] = GetParam();
  const std::string start = leaf_start(sound_json(), key);
  const std::string spoiled = start.substr(0, start.find("\"value\": ") + 9) + value;
  EXPECT_THAT(parse_refusal(replaced(sound_json(), start, spoiled)),
              AllOf(StartsWith("file.json: "), HasSubstr(key), HasSubstr(message)));
}

INSTANTIATE_TEST_SUITE_P(
    Types, LoaderRefusesAWrongType,
    ::testing::Values(WrongValue{"sm_count", "1.5", "must be a whole number, got a fraction"},
                      WrongValue{"sm_count", "-1", "got a negative number"},
                      WrongValue{"sm_count", "\"1\"", "got a text"},
                      WrongValue{"sm_count", "null", "got null"},
                      WrongValue{"sm_count", "4294967296", "too large"},
                      WrongValue{"shared_carveouts", "5", "must be a list of whole numbers"},
                      WrongValue{"shared_carveouts", "[0.5]", "one is a fraction"},
                      WrongValue{"policy", "\"fastest\"", "expected one of greedy_then_youngest"},
                      WrongValue{"policy", "1", "must be a text"},
                      WrongValue{"flushed_at_launch", "1", "must be true or false"},
                      WrongValue{"peak_bandwidth", "true", "must be a number"},
                      WrongValue{"peak_bandwidth", "-2.5", "not negative"}),
    [](const auto& row) { return fmt::format("{}_{}", row.param.key, row.index); });

TEST(LoaderRefuses, ALeafWithoutProvenance) {
  const std::string json = sound_json();
  const std::size_t at = json.find("\"sm_count\"");
  const std::size_t source = json.find(", \"source\"", at);
  const std::size_t reference = json.find(", \"reference\"", at);
  const std::string without_source = json.substr(0, source) + json.substr(reference);
  EXPECT_THAT(parse_refusal(without_source), HasSubstr("chip.sm_count: \"source\" is missing"));
  const std::string without_reference = json.substr(0, reference) + json.substr(json.find('}', reference));
  EXPECT_THAT(parse_refusal(without_reference), HasSubstr("chip.sm_count: \"reference\" is missing"));
}

std::string with_source(std::string_view source, std::string_view rest) {
  std::string json = sound_json();
  const std::size_t at = json.find("\"source\"", json.find("\"sm_count\""));
  json.replace(at, json.find('}', at) - at, fmt::format("\"source\": \"{}\", {}", source, rest));
  return json;
}

TEST(LoaderRefuses, AProvenanceThatSaysTooLittle) {
  EXPECT_THAT(parse_refusal(with_source("hearsay", "\"reference\": \"x\"")),
              HasSubstr("unknown source \"hearsay\""));
  EXPECT_THAT(parse_refusal(with_source("derived", "\"reference\": \"\"")),
              HasSubstr("\"reference\" is empty"));
  EXPECT_THAT(parse_refusal(with_source("measured", "\"reference\": \"x\"")),
              HasSubstr("\"samples\" is missing"));
  EXPECT_THAT(parse_refusal(with_source("measured", "\"reference\": \"x\", \"samples\": 3, \"spread\": -1")),
              HasSubstr("\"spread\" is negative"));
  EXPECT_THAT(parse_refusal(with_source("derived", "\"reference\": \"x\", \"author\": \"y\"")),
              HasSubstr("unknown name \"author\""));
}

TEST(Writer, RefusesAKeyWithoutProvenance) {
  Calibration bare = sound();
  bare.provenance.erase("l1.line");
  EXPECT_THAT(refusal([&] { (void)to_json(bare); }), HasSubstr("l1.line"));
}

TEST(Writer, SavesAFileThatLoads) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "warpgauge_saved.json";
  save(sound(), file);
  EXPECT_EQ(load(file), sound());
  std::filesystem::remove(file);
  EXPECT_THAT(refusal([] { save(sound(), "nowhere/at/all.json"); }), HasSubstr("cannot be written"));
}

struct Broken {
  const char* name;
  void (*spoil)(Calibration&);
  const char* message;
};

class CheckRefuses : public ::testing::TestWithParam<Broken> {};

TEST_P(CheckRefuses, AndNamesTheKey) {
  Calibration broken = sound();
  GetParam().spoil(broken);
  EXPECT_THAT(refusal([&] { check(broken, "here"); }),
              AllOf(StartsWith("here: "), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Values, CheckRefuses,
    ::testing::Values(
        Broken{"NoSms", [](Calibration& c) { c.chip.sm_count = 0; }, "chip.sm_count: must be above 0"},
        Broken{"CodeAskedForLaterThanItComes",
               [](Calibration& c) { c.front_end.l0_prefetch_delay = c.front_end.l1_latency + 1; },
               "front_end.l0_prefetch_delay: is"},
        Broken{"CodeOfSeveralSmsThatProcessingBlocksDoNotShare",
               [](Calibration& c) {
                 c.front_end.l0_sms = 2;
                 c.front_end.l0_shared = false;
               },
               "front_end.l0_sms: is 2"},
        Broken{"ClustersThatDoNotAddUp", [](Calibration& c) { c.chip.gpc_sms[0] = 1; },
               "chip.gpc_sms: sum is"},
        Broken{"NoClusterNearAPartition", [](Calibration& c) { c.chip.gpc_partitions.clear(); }, "chip.gpc_partitions: must have"},
        Broken{"TooFewClusters", [](Calibration& c) { c.chip.gpc_count = 3; }, "chip.gpc_sms: 6 items"},
        Broken{"OneTurnOfLooseSms", [](Calibration& c) { c.chip.loose_turns = {5}; }, "chip.loose_turns"},
        Broken{"TurnsOfLooseSmsOnceOnly", [](Calibration& c) { c.chip.loose_turns = {5, 0}; }, "chip.loose_turns"},
        Broken{"UnsortedCarveouts",
               [](Calibration& c) {
                 c.chip.shared_carveouts = {8, 0};
               },
               "chip.shared_carveouts"},
        Broken{"CarveoutsWithoutDetectedSizes", [](Calibration& c) { c.l1.detected_sizes.pop_back(); },
               "l1.detected_sizes: 5 items"},
        Broken{"LateTimesWithoutWhatIsWritten", [](Calibration& c) { c.launch.l2_late_times.push_back(1); },
               "launch.l2_late_write_sectors"},
        Broken{"ALineThatIsNoPowerOfTwo", [](Calibration& c) { c.l1.line = 96; },
               "l1.line: must be a power of two"},
        Broken{"AnL2FasterThanTheL1", [](Calibration& c) { c.l2.hit_latency = 1; }, "l2.hit_latency"},
        Broken{"ADramFasterThanTheL2", [](Calibration& c) { c.dram.latency = 1; }, "dram.latency"},
        Broken{"MoreThanAllOfTheBandwidth", [](Calibration& c) { c.dram.read_efficiency = 101; },
               "dram.read_efficiency: 101 percent"},
        Broken{"AWrongArchitecture", [](Calibration& c) { c.architecture = "sm_90"; }, "architecture"},
        Broken{"ANameThatIsNoArchitecture", [](Calibration& c) { c.architecture = "hopper"; },
               "expected sm_"},
        Broken{"SlicesThatDoNotDivide", [](Calibration& c) { c.l2.partitions = 3; },
               "l2.slices: 64 is not a multiple"},
        Broken{"AnUnevenL0", [](Calibration& c) { c.front_end.l0_bytes = 1000; }, "front_end.l0_bytes"},
        Broken{"ListsOfAtomics", [](Calibration& c) { c.atomics.global_latency.clear(); },
               "atomics.global_latency"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace warpgauge::calib
