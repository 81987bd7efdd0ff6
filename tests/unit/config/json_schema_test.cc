#include "config/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "config/config.h"
#include "config/writer.h"
#include "model/duration.h"
#include "model/quantity.h"

namespace berth::config {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;

Json Schema() { return Json::parse(ConfigJsonSchema()); }

// The schema of a field: At("health.conditions[].type").
Json At(const std::string& path) {
  Json schema = Schema();
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '.');) {
    const bool items = part.ends_with("[]");
    if (items) part.resize(part.size() - 2);
    schema = schema.at("properties").at(part);
    if (items) schema = schema.at("items");
  }
  return schema;
}

// By Go's dialect, which is Helm's.
bool Matches(const std::string& pattern, const std::string& text) {
  return re2::RE2::PartialMatch(text, pattern);
}

TEST(ConfigJsonSchema, IsOfTheDialectThatHelmReads) {
  EXPECT_EQ(Schema().at("$schema"), "http://json-schema.org/draft-07/schema#");
}

TEST(ConfigJsonSchema, PinsTheFormatOfTheFile) {
  EXPECT_THAT(Schema().at("required"), ElementsAre("apiVersion", "kind"));
  EXPECT_EQ(At("apiVersion").at("const"), "config.berth.dev/v1alpha1");
  EXPECT_EQ(At("kind").at("const"), "BerthConfiguration");
}

TEST(ConfigJsonSchema, NamesTypesAtEveryDepth) {
  EXPECT_EQ(At("prefix").at("type"), "string");
  EXPECT_EQ(At("extender.insecureLoopback").at("type"), "boolean");
  EXPECT_EQ(At("scheduling.policies.health.weight").at("type"), "integer");
  EXPECT_EQ(At("accelerators[].performance").at("type"), "number");
  EXPECT_EQ(At("health.conditions[].resources").at("type"), "array");
  EXPECT_EQ(At("health.conditions[].resources[]").at("type"), "string");
  EXPECT_EQ(At("accelerators[].nodes[].label").at("type"), "string");
  EXPECT_THAT(At("health.conditions[].effect").at("enum"),
              ElementsAre("Exclude", "Penalize", "Ignore"));
  EXPECT_THAT(At("accelerators[]").at("required"), ElementsAre("name", "resource"));
}

TEST(ConfigJsonSchema, HasDefaultsWhereThereAre) {
  EXPECT_EQ(At("health.breaker.fraction").at("default"), 0.5);
  EXPECT_EQ(At("log.level").at("default"), "info");
  EXPECT_EQ(At("extender.insecureLoopback").at("default"), false);
  EXPECT_FALSE(At("accelerators[].name").contains("default"));
  EXPECT_FALSE(At("accelerators[].memory").contains("default"));
}

// An editor shows it as it is.
TEST(ConfigJsonSchema, DescribesFieldsInSentences) {
  EXPECT_EQ(At("prefix").at("description"), "Domain of Berth's labels and annotations.");
}

void ExpectStrict(const Json& schema, const std::string& path) {
  if (schema.value("type", Json()) == "array") return ExpectStrict(schema.at("items"), path + "[]");
  if (!schema.contains("properties")) return;
  EXPECT_EQ(schema.at("additionalProperties"), false) << path;
  for (const auto& [key, property] : schema.at("properties").items()) {
    ExpectStrict(property, path + "." + key);
  }
}

TEST(ConfigJsonSchema, KnowsNoOtherFields) { ExpectStrict(Schema(), ""); }

// What the reader takes the schema must take, or Helm refuses what works.
TEST(ConfigJsonSchema, TakesTheDurationsThatTheReaderTakes) {
  const std::string pattern = At("health.staleAfter").at("pattern");
  for (const char* text : {"0s", "10m", "1h30m", "1.5h", ".5h", "1.h", "90s", "1000ms", "1h0m0s",
                           "10", "", "m", "1d", "1 h", "-1s", "1h-30m"}) {
    const auto duration = model::ParseDuration(text);
    const bool makes_sense = duration.ok() && *duration >= model::Duration(0);
    EXPECT_EQ(Matches(pattern, text), makes_sense) << text;
  }
}

TEST(ConfigJsonSchema, TakesTheQuantitiesThatTheReaderTakes) {
  const std::string pattern = At("accelerators[].memory").at("pattern");
  for (const char* text : {"40Gi", "500m", "4", "1.5", ".5", "1e3", "1E3", "12E", "5k", "1e3Ki",
                           "40GB", "40 Gi", "forty", "Gi40", "40gi", "1K"}) {
    EXPECT_EQ(Matches(pattern, text), model::Quantity::Parse(text).ok()) << text;
  }
}

// The catalogue of the chart; without it nobody there knows which resources Berth is asked about.
TEST(ConfigDefaults, AreThoseInTheChart) {
  std::ifstream file("charts/berth/files/defaults.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str().ends_with(WriteConfig({})))
      << "charts/berth/files/defaults.yaml is out of date; write it with\n"
         "  berth config defaults > charts/berth/files/defaults.yaml";
}

}  // namespace
}  // namespace berth::config
