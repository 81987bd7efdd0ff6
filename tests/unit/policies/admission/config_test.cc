#include "policies/admission/config.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Paths(const AdmissionConfig& config) {
  std::vector<std::string> paths;
  for (const model::FieldError& error : Validate(config)) paths.push_back(error.path);
  return paths;
}

TEST(AdmissionConfigTest, DefaultsAreValid) { EXPECT_THAT(Paths({}), IsEmpty()); }

TEST(AdmissionConfigTest, NamesTheFieldBelowAdmission) {
  AdmissionConfig config;
  config.controllers = {{"user", "Job"}, {"", ""}};
  config.templates = {{"g", "Kind", "/spec/template"}, {"g", "", "spec/template"}, {"", "K", "/"}};
  config.ordinary_resources = {"rdma/*", "a/b, c/d", ""};
  config.fraction_annotations = {"gpu-fraction", ""};
  std::get<PolicySettings<SchedulerNamePolicy>>(config.policies.all).config.name = "A B";
  std::get<PolicySettings<CheckpointPolicy>>(config.policies.all).config.claim = "";
  EXPECT_THAT(Paths(config),
              ElementsAre("ordinaryResources[1]", "ordinaryResources[2]", "fractionAnnotations[1]",
                          "controllers[1].user", "controllers[1].owner", "templates[1].kind",
                          "templates[1].path", "templates[2].path", "policies.checkpoint.claim",
                          "policies.schedulerName.name"));
  for (const model::FieldError& error : Validate(config)) {
    EXPECT_THAT(error.message, HasSubstr("write ")) << error.path;
  }
}

/// Remembers which fields there are.
struct Keys {
  std::vector<std::string> keys;

  template <typename Field>
  void operator()(std::string_view key, Field&, std::string_view help) {
    keys.emplace_back(key);
    EXPECT_FALSE(help.empty()) << key;
  }
};

TEST(AdmissionConfigTest, EveryPolicyHasItsOwnBlockWithAMode) {
  AdmissionConfig config;
  Keys blocks;
  VisitFields(blocks, config.policies);
  EXPECT_THAT(std::set(blocks.keys.begin(), blocks.keys.end()), SizeIs(blocks.keys.size()));
  EXPECT_EQ(blocks.keys.front(), "creator");
  EXPECT_EQ(blocks.keys.back(), "gangs");
  Keys fields;
  VisitFields(fields, std::get<PolicySettings<CheckpointPolicy>>(config.policies.all));
  EXPECT_THAT(fields.keys,
              ElementsAre("mode", "target", "claim", "mountPath", "uri", "minGracePeriod"));
}

TEST(AdmissionConfigTest, OwnRetriesAreNamesOfNamespaces) {
  AdmissionConfig config;
  config.own_retries = {"team-vision"};
  EXPECT_THAT(Validate(config), IsEmpty());
  config.own_retries = {"team-vision", "team-*", "", "team.vision"};
  const auto errors = Validate(config);
  ASSERT_THAT(errors, SizeIs(3));
  EXPECT_EQ(errors[0].path, "ownRetries[1]");
  EXPECT_EQ(errors[1].path, "ownRetries[2]");
  EXPECT_EQ(errors[2].path, "ownRetries[3]");
  EXPECT_THAT(errors[0].message, HasSubstr("write one such as"));
}

TEST(AdmissionConfigTest, PoliciesHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  std::size_t policies = 0;
  ForEachPolicy(PoliciesConfig{}, [&]<typename Policy>(const PolicySettings<Policy>&) {
    names.insert(Policy::kName);
    ++policies;
  });
  EXPECT_THAT(names, SizeIs(policies));
}

TEST(ModeTest, IsWeakestFirst) {
  EXPECT_LT(Mode::kOff, Mode::kWarn);
  EXPECT_LT(Mode::kWarn, Mode::kEnforce);
  EXPECT_THAT(EnumNames(Mode{}), SizeIs(3));
}

}  // namespace
}  // namespace berth::policies::admission
