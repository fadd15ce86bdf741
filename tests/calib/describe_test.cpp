#include "calib/describe.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/calib/support.h"

namespace warpgauge::calib {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string committed(const char* name) {
  std::ifstream stream(std::filesystem::path(WARPGAUGE_SOURCE_DIR) / "calib" / name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr const char* remedy = "run warpgauge_describe_calibration calib";

TEST(Describe, TheCommittedSchemaIsThatOfTheKeys) {
  EXPECT_EQ(committed("schema.json"), json_schema()) << remedy;
}

TEST(Describe, TheCommittedTableIsThatOfTheKeys) {
  EXPECT_EQ(committed("PARAMETERS.md"), parameters_markdown()) << remedy;
}

TEST(Describe, TheTableHasEveryKeyOnce) {
  const std::string table = parameters_markdown();
  for (const Key& key : all_keys()) {
    const std::string cell = "| `" + key.path + "` |";
    const std::size_t at = table.find(cell);
    ASSERT_NE(at, std::string::npos) << key.path;
    EXPECT_EQ(table.find(cell, at + 1), std::string::npos) << key.path;
  }
}

// The leaves of a schema's tree, each with the unit that it asks for.
void leaves(const Json& schema, const std::string& path, std::map<std::string, std::string>& into) {
  for (const auto& [name, child] : schema.at("properties").items()) {
    const std::string child_path = path.empty() ? name : path + "." + name;
    if (child.contains("$ref"))
      into[child_path] = child.at("properties").at("unit").at("const");
    else if (child.contains("properties"))
      leaves(child, child_path, into);
  }
}

TEST(Describe, TheSchemaRequiresExactlyTheKeysThatTheLoaderDoes) {
  std::map<std::string, std::string> found;
  leaves(Json::parse(json_schema()), "", found);
  std::map<std::string, std::string> wanted;
  for (const Key& key : all_keys()) wanted[key.path] = name(key.unit);
  EXPECT_EQ(found, wanted);
}

TEST(Describe, EverySectionOfTheSchemaIsClosedAndComplete) {
  const std::function<void(const Json&)> closed = [&](const Json& section) {
    if (!section.contains("additionalProperties")) return;
    EXPECT_FALSE(section.at("additionalProperties").get<bool>());
    std::set<std::string> required;
    for (const Json& name : section.at("required")) required.insert(name.get<std::string>());
    for (const auto& [name, child] : section.at("properties").items()) {
      EXPECT_TRUE(required.contains(name)) << name;
      closed(child);
    }
    EXPECT_EQ(required.size(), section.at("properties").size());
  };
  closed(Json::parse(json_schema()));
}

}  // namespace
}  // namespace warpgauge::calib
