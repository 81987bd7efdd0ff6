#include "admission/static_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace berth::admission {
namespace {

using policies::admission::AdmissionConfig;
using policies::admission::Mode;
using policies::admission::PolicySettings;
using ::testing::HasSubstr;
using ::testing::Not;

struct Site {
  std::vector<model::AcceleratorSpec> accelerators = model::AcceleratorCatalog::Defaults();
  std::string prefix = "berth.dev";
  AdmissionConfig admission;
  StaticScope scope;

  template <typename Policy>
  PolicySettings<Policy>& Of() {
    return std::get<PolicySettings<Policy>>(admission.policies.all);
  }
  std::string Yaml() const {
    const auto catalog = model::AcceleratorCatalog::Make(accelerators).value();
    return StaticPoliciesYaml({catalog, prefix, admission}, scope);
  }
};

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(StaticPolicies, ChangeByOnePolicyAndJudgeByOneForEach) {
  const std::string yaml = Site().Yaml();
  EXPECT_EQ(Count(yaml, "kind: MutatingAdmissionPolicy\n"), 1U);
  EXPECT_EQ(Count(yaml, "kind: MutatingAdmissionPolicyBinding\n"), 1U);
  EXPECT_EQ(Count(yaml, "kind: ValidatingAdmissionPolicy\n"), 6U);
  EXPECT_EQ(Count(yaml, "kind: ValidatingAdmissionPolicyBinding\n"), 12U);
}

TEST(StaticPolicies, HaveNoNameLeftThatStandsForSomething) {
  Site site;
  site.Of<policies::admission::SchedulerNamePolicy>().config.name = "berth";
  EXPECT_THAT(site.Yaml(), Not(HasSubstr("@")));
}

TEST(StaticPolicies, SayWhatTheyLeaveOut) {
  Site site;
  site.Of<policies::admission::CreatorPolicy>().mode = Mode::kOff;
  site.Of<policies::admission::IsolationPolicy>().mode = Mode::kWarn;
  const std::string yaml = site.Yaml();
  EXPECT_THAT(yaml, HasSubstr("#   creator: Off\n"));
  EXPECT_THAT(yaml, HasSubstr("#   accelerator-memory: as the webhook does it\n"));
  EXPECT_THAT(yaml, HasSubstr("#   isolation: as the webhook does it; only warns\n"));
  EXPECT_THAT(yaml, HasSubstr("#   checkpoint: left out: what asks for checkpoints is denied\n"));
}

TEST(StaticPolicies, OfAPolicyThatIsOffThereIsNothing) {
  Site site;
  site.Of<policies::admission::IsolationPolicy>().mode = Mode::kOff;
  const std::string yaml = site.Yaml();
  EXPECT_THAT(yaml, Not(HasSubstr("berth-static-isolation")));
  EXPECT_THAT(yaml, Not(HasSubstr("name: isolation\n")));
}

TEST(StaticPolicies, OneThatOnlyWarnsChangesAndDeniesNothing) {
  Site site;
  site.Of<policies::admission::IsolationPolicy>().mode = Mode::kWarn;
  const std::string yaml = site.Yaml();
  EXPECT_THAT(yaml, Not(HasSubstr("name: isolation\n")));
  EXPECT_THAT(yaml, Not(HasSubstr("{name: berth-static-isolation-enforce}")));
  EXPECT_THAT(yaml, HasSubstr("metadata: {name: berth-static-isolation-warn}\nspec:\n"
                              "  policyName: berth-static-isolation\n"
                              "  validationActions: [Warn, Audit]\n"
                              "  matchResources:\n    namespaceSelector:\n      matchExpressions:\n"
                              "      - {key: berth.dev/admission, operator: NotIn, values: "
                              "[\"off\"]}\n"));
}

TEST(StaticPolicies, WithoutChangesHaveNoPolicyThatChanges) {
  Site site;
  ForEachPolicy(site.admission.policies, [](auto& settings) { settings.mode = Mode::kWarn; });
  EXPECT_THAT(site.Yaml(), Not(HasSubstr("kind: Mutating")));
}

struct Selection {
  Mode unlabelled;
  std::string enforces;
  std::string warns;
};

TEST(StaticPolicies, SelectNamespacesAsTheChartDoes) {
  for (const Selection& selection :
       {Selection{Mode::kWarn, "In, values: [enforce]", "NotIn, values: [enforce, \"off\"]"},
        Selection{Mode::kEnforce, "NotIn, values: [warn, \"off\"]", "In, values: [warn]"},
        Selection{Mode::kOff, "In, values: [enforce]", "In, values: [warn]"}}) {
    Site site{.scope = {.unlabelled = selection.unlabelled, .excluded = {"kube-system", "a"}}};
    const std::string yaml = site.Yaml();
    const std::string end =
        "}\n      - {key: kubernetes.io/metadata.name, operator: NotIn, values: "
        "[\"kube-system\",\"a\"]}\n";
    EXPECT_EQ(Count(yaml, "berth.dev/admission, operator: " + selection.enforces + end), 7U)
        << yaml;
    EXPECT_EQ(Count(yaml, "berth.dev/admission, operator: " + selection.warns + end), 6U) << yaml;
  }
}

TEST(StaticPolicies, TakeFromPodsOfDaemonSetsOnlyWhatTheirTemplatesClaim) {
  Site site;
  const std::string yaml = site.Yaml();
  EXPECT_EQ(Count(yaml, "request.kind.kind == 'Pod' || [{"), 1U);
  EXPECT_THAT(yaml, HasSubstr("(variables.controller == 'DaemonSet' ? variables.creator : "
                              "variables.creator + variables.resources"));
  site.Of<policies::admission::CreatorPolicy>().mode = Mode::kWarn;
  EXPECT_THAT(site.Yaml(), Not(HasSubstr("variables.controller")));
  EXPECT_THAT(site.Yaml(), Not(HasSubstr("== 'Pod' ||")));
}

TEST(StaticPolicies, QuoteWhatTheCatalogueSays) {
  Site site;
  site.accelerators = {
      {.name = "A1", .resource = "a.b/c", .nodes = {{"a.b/kind", R"(^x\d@pod@)"}}}};
  const std::string yaml = site.Yaml();
  EXPECT_THAT(yaml, HasSubstr(R"(e.key == "a.b/kind" && v.matches("^x\\d@pod@"))"));
  EXPECT_THAT(yaml, HasSubstr(R"({"A1": ["a.b/c"]})"));
}

}  // namespace
}  // namespace berth::admission
