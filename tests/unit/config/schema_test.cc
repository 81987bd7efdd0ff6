#include "config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace berth::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = ConfigValue::Kind;

const ConfigField& FieldOf(const std::vector<ConfigField>& fields, const std::string& key) {
  const auto field = std::find_if(fields.begin(), fields.end(),
                                  [&](const ConfigField& each) { return each.key == key; });
  if (field == fields.end()) throw std::runtime_error("no field " + key);
  return *field;
}

std::vector<std::string> KeysOf(const std::vector<ConfigField>& fields) {
  std::vector<std::string> keys;
  for (const ConfigField& field : fields) keys.push_back(field.key);
  return keys;
}

// Calls `check` with every field at every depth.
template <typename Check>
void ForEach(const std::vector<ConfigField>& fields, Check check) {
  for (const ConfigField& field : fields) {
    check(field);
    ForEach(field.fields, check);
  }
}

TEST(Describe, HasTheBlocksInTheOrderOfTheFile) {
  EXPECT_THAT(KeysOf(Describe({})),
              ElementsAre("apiVersion", "kind", "prefix", "kubernetes", "extender", "admission",
                          "controller", "planner", "metrics", "probes", "grpc", "prometheus",
                          "idle", "log", "accelerators", "health", "scheduling"));
}

TEST(Describe, HasHelpAndTypeForEveryField) {
  ForEach(Describe({}), [](const ConfigField& field) {
    EXPECT_FALSE(field.help.empty()) << field.key;
    EXPECT_FALSE(field.help.ends_with('.')) << field.key << ": the writers end the sentence";
    EXPECT_FALSE(field.type.empty()) << field.key;
  });
}

TEST(Describe, NamesTypesForPeople) {
  const auto fields = Describe({});
  EXPECT_EQ(FieldOf(fields, "prefix").type, "text");
  EXPECT_EQ(FieldOf(fields, "log").type, "map");
  EXPECT_EQ(FieldOf(FieldOf(fields, "log").fields, "level").type, "debug, info, warning or error");
  EXPECT_EQ(FieldOf(fields, "accelerators").type, "list of maps");
  const auto& health = FieldOf(fields, "health").fields;
  EXPECT_EQ(FieldOf(health, "staleAfter").type, "duration");
  EXPECT_EQ(FieldOf(FieldOf(health, "conditions").fields, "resources").type, "list of text");
  EXPECT_EQ(FieldOf(FieldOf(fields, "accelerators").fields, "memory").type, "quantity");
}

TEST(Describe, TellsProgramsWhatListsHold) {
  const auto fields = Describe({});
  const auto& conditions = FieldOf(FieldOf(fields, "health").fields, "conditions");
  EXPECT_EQ(conditions.shape, ConfigType::kMap);
  EXPECT_EQ(FieldOf(conditions.fields, "resources").shape, ConfigType::kText);
  const ConfigField& effect = FieldOf(conditions.fields, "effect");
  EXPECT_EQ(effect.shape, ConfigType::kWord);
  EXPECT_THAT(effect.words, ElementsAre("Exclude", "Penalize", "Ignore"));
}

TEST(Describe, GivesEntriesOfListsWithoutTheirDefaults) {
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  BerthConfiguration config;
  std::get<Health>(config.scheduling.policies.all).config.conditions = {
      {.type = "A",
       .effect = policies::scheduling::Effect::kExclude,
       .recovery = model::Duration{600}}};
  const auto fields = Describe(config);
  const ConfigField& conditions = FieldOf(FieldOf(fields, "health").fields, "conditions");
  ASSERT_FALSE(conditions.value.items.empty());
  std::vector<std::string> keys;
  for (const auto& [key, value] : conditions.value.items.front().members) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("type", "effect", "recovery"));
  EXPECT_TRUE(FieldOf(conditions.fields, "type").required);
  EXPECT_FALSE(FieldOf(conditions.fields, "recovery").required);
}

TEST(Describe, KnowsFieldsOfListsThatAreEmpty) {
  BerthConfiguration config;
  config.accelerators.clear();
  const auto fields = Describe(config);
  const ConfigField& accelerators = FieldOf(fields, "accelerators");
  EXPECT_EQ(accelerators.value.kind, Kind::kList);
  EXPECT_THAT(accelerators.value.items, IsEmpty());
  EXPECT_THAT(KeysOf(accelerators.fields),
              ElementsAre("name", "resource", "slices", "nodes", "memory", "performance", "share"));
}

}  // namespace
}  // namespace berth::config
