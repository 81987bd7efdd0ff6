#include "admission/template_counts.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::admission {
namespace {

using policies::admission::TemplateSpec;

class TemplateCountsTest : public testing::Test {
 protected:
  TemplateCounts Counts(const std::string& object, const TemplateSpec& spec,
                        const std::string& place) {
    return CountsOf(parser_.Parse(object).value(), spec, place);
  }

  bool InTurn(const std::string& object, std::vector<std::string> conditions) {
    return StartsInTurn(parser_.Parse(object).value(), {.in_turn = std::move(conditions)});
  }

  kube::JsonParser parser_;
};

const TemplateSpec kRoles{.path = "/spec/*/template", .replicas = {"/spec/*/replicas"}};

TEST_F(TemplateCountsTest, AreReadBesideTheTemplate) {
  const std::string object =
      R"({"spec": {"Master": {"template": {}}, "a/b": {"replicas": 3, "template": {}}}})";
  EXPECT_EQ(Counts(object, kRoles, "/spec/a~1b/template").replicas, 3);
  EXPECT_EQ(Counts(object, kRoles, "/spec/Master/template").replicas, 1);
  EXPECT_EQ(Counts(object, kRoles, "/spec/Master/template").gang_size, std::nullopt);
}

TEST_F(TemplateCountsTest, AreMultiplied) {
  const TemplateSpec spec{.path = "/spec/groups/*/template",
                          .replicas = {"/spec/groups/*/replicas", "/spec/groups/*/hosts"}};
  const std::string object =
      R"({"spec": {"groups": [{"replicas": 9}, {"replicas": 2, "hosts": 4}]}})";
  EXPECT_EQ(Counts(object, spec, "/spec/groups/1/template").replicas, 8);
  EXPECT_EQ(Counts(object, spec, "/spec/groups/0/template").replicas, 9);
}

// The path leads to the template of Jobs, and the place to that of their pods.
TEST_F(TemplateCountsTest, OfTemplatesOfJobsAreTheSame) {
  const TemplateSpec spec{.path = "/spec/jobs/*/template", .replicas = {"/spec/jobs/*/replicas"}};
  EXPECT_EQ(Counts(R"({"spec": {"jobs": [{}, {"replicas": 5}]}})", spec,
                   "/spec/jobs/1/template/spec/template")
                .replicas,
            5);
}

TEST_F(TemplateCountsTest, AreUnknownWithoutAPlace) {
  const TemplateSpec spec{.path = "/spec/template"};
  EXPECT_EQ(Counts("{}", spec, "/spec/template"), TemplateCounts());
}

TEST_F(TemplateCountsTest, MayBeTheSizeOfAGangItself) {
  const TemplateSpec spec{.path = "/spec/template", .gang_size = "/spec/size"};
  const TemplateCounts counts = Counts(R"({"spec": {"size": 4}})", spec, "/spec/template");
  EXPECT_EQ(counts.gang_size, 4);
  EXPECT_EQ(counts.replicas, std::nullopt);
  EXPECT_EQ(Counts("{}", spec, "/spec/template").gang_size, 1);
}

TEST_F(TemplateCountsTest, AreNothingIfTheyAreNoNumberOfPods) {
  for (const char* value : {"-3", "\"3\"", "1.5", "{}"}) {
    const std::string object = std::string(R"({"spec": {"a": {"replicas": )") + value + "}}}";
    EXPECT_EQ(Counts(object, kRoles, "/spec/a/template").replicas, 0) << value;
  }
  EXPECT_EQ(Counts(R"({"spec": {"a": {"replicas": null}}})", kRoles, "/spec/a/template").replicas,
            1);
  EXPECT_EQ(Counts(R"({"spec": {"a": {"replicas": 9000000000000}}})", kRoles, "/spec/a/template")
                .replicas,
            2'147'483'647);
}

TEST_F(TemplateCountsTest, ConditionsSayWhetherPodsStartInTurn) {
  const std::string object =
      R"({"spec": {"order": "InOrder", "on": true, "off": false, "jobs": [{"needs": []},
                                                         {"needs": [{"name": "a"}]}]}})";
  for (const char* condition : {"/spec/order", "/spec/order=InOrder", "/spec/on=true",
                                "/spec/off=false", "/spec/jobs/*/needs", "/spec/jobs/1/needs"}) {
    EXPECT_TRUE(InTurn(object, {"/spec/none", condition})) << condition;
  }
  for (const char* condition : {"/spec/none", "/spec/order=AnyOrder", "/spec/off=true",
                                "/spec/jobs/0/needs", "/spec/jobs/*/none", "/spec/jobs=x"}) {
    EXPECT_FALSE(InTurn(object, {condition})) << condition;
  }
  EXPECT_FALSE(InTurn(object, {}));
}

}  // namespace
}  // namespace berth::admission
