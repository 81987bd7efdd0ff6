#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "doctor/checks/all.h"
#include "tests/unit/doctor/fixtures.h"

// The checks of servers: the webhook, the extender, their pods.

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;

const model::NodeRequirement kNotTheSystems{
    "kubernetes.io/metadata.name", "NotIn", {"kube-system", "berth-system"}};

Finding JudgeTrial(WebhookTrial trial) {
  Facts facts = NoFacts();
  facts.webhook_trial = std::move(trial);
  return Only(checks::Webhook().run(facts, DefaultRules().rules()));
}

TEST(CheckWebhook, IsContentWithAnyWordOfBerth) {
  const WebhookTrial cases[] = {
      {.namespace_name = "default", .warnings = {R"(299 - "berth: limits added")"}},
      {.namespace_name = "default", .warnings = {R"(299 - "berth (warn only): would add limits")"}},
      {.namespace_name = "default", .annotations = {"berth.dev/created-by"}},
  };
  for (const WebhookTrial& trial : cases) {
    EXPECT_EQ(JudgeTrial(trial).severity, Severity::kOk);
  }
}

TEST(CheckWebhook, FindsSilenceAndRefusal) {
  const Finding silent = JudgeTrial({.namespace_name = "default",
                                     .warnings = {R"(299 - "deprecated")"},
                                     .annotations = {"other.dev/x"}});
  EXPECT_EQ(silent.severity, Severity::kProblem);
  EXPECT_THAT(silent.what, HasSubstr("did not react to a pod without limits in namespace default"));
  EXPECT_THAT(silent.advice, HasSubstr("berth.dev/admission"));
  const Finding refused = JudgeTrial(
      {.namespace_name = "default", .refusal = "failed calling webhook: connection refused"});
  EXPECT_EQ(refused.severity, Severity::kProblem);
  EXPECT_THAT(refused.what, HasSubstr("failed calling webhook: connection refused"));
}

class WebhookScope : public ::testing::Test {
 protected:
  WebhookScope() {
    for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}) {
      configurations_.push_back(
          {.kind = kind,
           .exists = true,
           .webhooks = {{.name = "enforce", .namespaces = {.expressions = {kNotTheSystems}}}}});
    }
  }

  Findings Judge() {
    Facts facts = NoFacts();
    facts.webhooks = configurations_;
    return checks::WebhookScope().run(facts, DefaultRules().rules());
  }

  std::vector<WebhookConfigurationFacts> configurations_;
};

TEST_F(WebhookScope, IsWellWhereTheSystemsNamespacesAreLeftOut) {
  EXPECT_EQ(Only(Judge()).severity, Severity::kOk);
}

TEST_F(WebhookScope, FindsTheNamespaceThatIsTakenIn) {
  configurations_[1].webhooks[0].namespaces.expressions[0].values = {"kube-system"};
  const Finding finding = Only(Judge());
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_EQ(finding.what,
            "ValidatingWebhookConfiguration berth includes namespace berth-system: enforce");
  EXPECT_THAT(finding.advice, HasSubstr("kubernetes.io/metadata.name NotIn [berth-system]"));
}

TEST_F(WebhookScope, KnowsTheLabelsOfNamespaces) {
  configurations_.pop_back();
  configurations_[0].webhooks[0].namespaces = {.labels = {{"managed", "yes"}}};
  EXPECT_EQ(Only(Judge()).severity, Severity::kOk);
  Facts facts = NoFacts();
  facts.webhooks = configurations_;
  facts.namespaces = std::vector<NamespaceFacts>{{"kube-system", {{"managed", "yes"}}}};
  EXPECT_THAT(Only(checks::WebhookScope().run(facts, DefaultRules().rules())).what,
              HasSubstr("includes namespace kube-system"));
}

TEST_F(WebhookScope, FindsAMissingConfiguration) {
  configurations_[0] = {.kind = "MutatingWebhookConfiguration"};
  EXPECT_THAT(Only(Judge()).what,
              HasSubstr("there is no MutatingWebhookConfiguration berth, so the API server calls"));
}

TEST(HasNoWebhook, IsANoteWhereNobodyWantsOne) {
  DefaultRules rules;
  Facts facts = NoFacts();
  facts.webhooks = std::vector<WebhookConfigurationFacts>{
      {.kind = "MutatingWebhookConfiguration"}, {.kind = "ValidatingWebhookConfiguration"}};
  facts.webhook_trial = WebhookTrial{.namespace_name = "default"};
  facts.secrets = std::vector<SecretFacts>();
  for (const Check& check :
       {checks::Webhook(), checks::WebhookScope(), checks::WebhookAuthority()}) {
    EXPECT_EQ(Only(check.run(facts, rules.rules())).severity, Severity::kNote) << check.name;
  }
  rules.config.controller.certificates.webhooks = {"berth"};
  EXPECT_EQ(Only(checks::Webhook().run(facts, rules.rules())).severity, Severity::kProblem);
  EXPECT_EQ(checks::WebhookScope().run(facts, rules.rules()).size(), 2U) << "both are missing";
}

TEST(WebhookAuthority, ComparesEveryBundle) {
  const berth::tests::TestCa ca;
  Facts facts = NoFacts();
  facts.now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto judge = [&facts] {
    return Only(checks::WebhookAuthority().run(facts, DefaultRules().rules()));
  };
  facts.webhooks = std::vector<WebhookConfigurationFacts>{
      {.kind = "MutatingWebhookConfiguration",
       .exists = true,
       .webhooks = {{.name = "enforce", .authorities = ca.certificate()},
                    {.name = "warn", .authorities = ca.certificate()}}}};
  facts.secrets = std::vector<SecretFacts>{{.name = "berth-admission-tls"}};
  EXPECT_EQ(judge().severity, Severity::kUnknown);
  facts.secrets->front() = {"berth-admission-tls", true, ca.Issue().certificate, ca.certificate()};
  EXPECT_EQ(judge().severity, Severity::kOk);
  facts.webhooks->front().webhooks[1].authorities = "";
  const Finding finding = judge();
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_THAT(finding.what, HasSubstr("warn of MutatingWebhookConfiguration"));
  EXPECT_THAT(finding.what, ::testing::Not(HasSubstr("enforce of")));
}

TEST(CheckExtender, JudgesTheAnswer) {
  const struct {
    FilterTrial trial;
    Severity severity;
    std::string what;
  } cases[] = {
      {{"https://e", 3, 2, 0, ""}, Severity::kOk, "https://e answers: 2 of 3 nodes fit"},
      {{"https://e", 3, 0, 3, ""}, Severity::kOk, "0 of 3 nodes fit"},
      {{"https://e", 3, 0, 0, "certificate verify failed"},
       Severity::kProblem,
       "https://e cannot answer filter: certificate verify failed"},
      {{"https://e", 3, 0, 1, ""},
       Severity::kProblem,
       "gives reasons for only 1 of 3 refused nodes"},
  };
  for (const auto& test : cases) {
    Facts facts = NoFacts();
    facts.filter_trial = test.trial;
    const Finding finding = Only(checks::Extender().run(facts, DefaultRules().rules()));
    EXPECT_EQ(finding.severity, test.severity) << finding.what;
    EXPECT_THAT(finding.what, HasSubstr(test.what));
  }
}

TEST(CheckSnapshot, JudgesEachExtender) {
  const struct {
    std::vector<SnapshotFacts> extenders;
    Severity severity;
    std::string what;
  } cases[] = {
      {{}, Severity::kUnknown, "no extender runs in namespace berth-system"},
      {{{"a", 2.4, ""}}, Severity::kOk, "Pod a last heard from the API server 2 s ago"},
      {{{"a", 600.0, ""}}, Severity::kProblem, "Pod a has a view of the cluster that is 600 s old"},
      {{{"a", std::nullopt, ""}}, Severity::kProblem, "Pod a has not listed nodes and pods"},
      {{{"a", std::nullopt, "503"}}, Severity::kNote, "the metrics of pod a cannot be read: 503"},
      {{{"a", 2.4, "", 3}}, Severity::kProblem, "Pod a has 3 objects in quarantine"},
  };
  for (const auto& test : cases) {
    Facts facts = NoFacts();
    facts.snapshots = test.extenders;
    const Finding finding = Only(checks::Snapshot().run(facts, DefaultRules().rules()));
    EXPECT_EQ(finding.severity, test.severity) << finding.what;
    EXPECT_THAT(finding.what, HasSubstr(test.what));
  }
}

}  // namespace
}  // namespace berth::doctor
