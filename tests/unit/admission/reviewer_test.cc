#include "admission/reviewer.h"

#include <memory>
#include <string>

#include "admission/templates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "model/accelerator.h"

namespace berth::admission {
namespace {

using policies::admission::Mode;
using policies::admission::Operation;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr NamespaceRules kReviewedEnforced{Mode::kEnforce, false};
constexpr NamespaceRules kReviewedWarned{Mode::kWarn, false};
const GroupVersionKind kPodKind{"", "v1", "Pod"};
const GroupVersionKind kJobKind{"batch", "v1", "Job"};
const GroupVersionKind kTrainer{"kubeflow.org", "v1", "PyTorchJob"};

/// With creator and isolation alone, so that other policies' words stand in their own tests.
policies::admission::AdmissionConfig TwoPolicies() {
  policies::admission::AdmissionConfig config;
  std::apply([](auto&... policies) { ((policies.mode = Mode::kOff), ...); }, config.policies.all);
  std::get<policies::admission::PolicySettings<policies::admission::CreatorPolicy>>(
      config.policies.all)
      .mode = Mode::kEnforce;
  std::get<policies::admission::PolicySettings<policies::admission::IsolationPolicy>>(
      config.policies.all)
      .mode = Mode::kEnforce;
  return config;
}

class ReviewerTest : public testing::Test {
 protected:
  /// As the API server would ask; the texts are the objects, empty for none.
  Review ReviewOf(const GroupVersionKind& kind, const std::string& object,
                  const std::string& old_object = "", Operation operation = Operation::kCreate) {
    Review review{.uid = "u", .kind = kind, .operation = operation, .user = {.name = "alice"}};
    if (!object.empty()) review.object = parser_.Parse(object).value();
    if (!old_object.empty()) review.old_object = old_parser_.Parse(old_object).value();
    return review;
  }

  Review UpdateOf(const GroupVersionKind& kind, const std::string& from, const std::string& to) {
    return ReviewOf(kind, to, from, Operation::kUpdate);
  }

  kube::JsonParser parser_;
  kube::JsonParser old_parser_;
  const Reviewer reviewer_{
      std::make_shared<const policies::admission::AdmissionEngine>(
          std::make_shared<const model::AcceleratorCatalog>(
              model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value()),
          "berth.dev", "1.2.3", TwoPolicies()),
      {{"kubeflow.org", "PyTorchJob", "/spec/replicas/*/template"},
       {"kubeflow.org", "PyTorchJob", "/spec/launcher/template"},
       {"kubeflow.org", "PyTorchJob", "/spec/*/template"}}};
};

/// Asks for a GPU, so that isolation has nothing to say.
constexpr char kGpuPod[] =
    R"({"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]}})";
constexpr char kCpuPod[] = R"({"spec": {"containers": [{"name": "c"}]}})";

std::string TemplateOf(const std::string& pod) { return R"({"spec": {"template": )" + pod + "}}"; }

TEST_F(ReviewerTest, ChangesPodsThatAreCreated) {
  const Verdict verdict = reviewer_.Mutate(ReviewOf(kPodKind, kGpuPod), kReviewedEnforced);
  EXPECT_EQ(verdict.answer.patch,
            R"([{"op":"add","path":"/metadata","value":{"annotations":{)"
            R"("berth.dev/applied":"creator 1.2.3","berth.dev/created-by":"alice"}}}])");
  EXPECT_THAT(verdict.answer.denial, IsEmpty());
  EXPECT_THAT(verdict.answer.audit_annotations,
              ElementsAre(testing::Pair("creator", "1.2.3: changed")));
  EXPECT_THAT(verdict.effects,
              ElementsAre(Field(&policies::admission::PolicyEffect::changed, true)));
}

TEST_F(ReviewerTest, ChangesJobsThatAreCreated) {
  const Verdict verdict =
      reviewer_.Mutate(ReviewOf(kJobKind, TemplateOf(kGpuPod)), kReviewedEnforced);
  EXPECT_THAT(verdict.answer.patch, HasSubstr("/spec/template/metadata"));
}

TEST_F(ReviewerTest, ChangesNothingInWarn) {
  const Verdict verdict = reviewer_.Mutate(ReviewOf(kPodKind, kCpuPod), kReviewedWarned);
  EXPECT_THAT(verdict.answer.patch, IsEmpty());
  EXPECT_THAT(verdict.answer.warnings,
              ElementsAre(HasSubstr("berth (warn only): kept off nodes with accelerators")));
  EXPECT_THAT(verdict.effects, SizeIs(2));
}

TEST_F(ReviewerTest, DeniesAFinalStateThatBreaksAPolicy) {
  const Verdict verdict = reviewer_.Validate(ReviewOf(kPodKind, kCpuPod), kReviewedEnforced);
  EXPECT_THAT(verdict.answer.denial, HasSubstr("berth isolation: spec.affinity.nodeAffinity"));
}

// What `kubectl apply` sends when it says again what was replaced.
TEST_F(ReviewerTest, KeepsAnUpdateFromUndoingWhatWasDone) {
  const std::string stored = R"({"metadata": {"annotations": {"berth.dev/created-by": "alice"}},
                                 "spec": {"containers": [{"name": "c"}]}})";
  const std::string claims = R"({"metadata": {"annotations": {"berth.dev/created-by": "bob"}},
                                 "spec": {"containers": [{"name": "c"}]}})";
  Review update = UpdateOf(kPodKind, stored, claims);
  update.user.name = "bob";
  const Verdict kept = reviewer_.Mutate(update, kReviewedEnforced);
  EXPECT_EQ(kept.answer.patch, R"([{"op":"replace","path":"/metadata/annotations/)"
                               R"(berth.dev~1created-by","value":"alice"}])");
  EXPECT_THAT(kept.answer.warnings,
              ElementsAre(HasSubstr("[berth.dev/created-by] stays alice; write that")));
  EXPECT_THAT(reviewer_.Mutate(update, kReviewedWarned).answer.patch, IsEmpty());
}

TEST_F(ReviewerTest, HasNoPartInUpdatesOfWhatItCannotRead) {
  for (const auto& [from, to] :
       {std::pair(R"({"spec": 5})", kCpuPod), {kCpuPod, R"({"spec": 5})"}}) {
    const Verdict verdict = reviewer_.Mutate(UpdateOf(kPodKind, from, to), kReviewedEnforced);
    EXPECT_THAT(verdict.answer.patch + verdict.answer.denial, IsEmpty());
  }
}

TEST_F(ReviewerTest, LetsUpdatesPassThatMakeNothingWorse) {
  const std::string labelled =
      R"({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c"}]}})";
  for (const NamespaceRules& rules : {kReviewedEnforced, kReviewedWarned}) {
    const Verdict same = reviewer_.Validate(UpdateOf(kPodKind, kCpuPod, labelled), rules);
    EXPECT_THAT(same.answer.denial, IsEmpty());
    EXPECT_THAT(same.answer.warnings, IsEmpty());
    EXPECT_THAT(reviewer_.Mutate(UpdateOf(kPodKind, kGpuPod, kCpuPod), rules).answer.patch,
                IsEmpty());
  }
  const Review worse = UpdateOf(kPodKind, kGpuPod, kCpuPod);
  EXPECT_THAT(reviewer_.Validate(worse, kReviewedEnforced).answer.denial,
              HasSubstr("berth isolation"));
  EXPECT_THAT(reviewer_.Validate(worse, kReviewedWarned).answer.warnings, SizeIs(1));
}

TEST_F(ReviewerTest, HasNoOpinionOnWhatIsNotWritten) {
  Review subresource = UpdateOf(kPodKind, kGpuPod, kCpuPod);
  subresource.sub_resource = "ephemeralcontainers";
  const Review reviews[] = {subresource, ReviewOf(kPodKind, "", kCpuPod, Operation::kDelete),
                            ReviewOf({"", "v1", "PodExecOptions"}, "{}", "", Operation::kConnect)};
  for (const Review& review : reviews) {
    for (const Verdict& verdict : {reviewer_.Mutate(review, kReviewedEnforced),
                                   reviewer_.Validate(review, kReviewedEnforced)}) {
      EXPECT_THAT(verdict.answer.patch + verdict.answer.denial, IsEmpty());
      EXPECT_THAT(verdict.answer.warnings, IsEmpty());
    }
  }
}

TEST_F(ReviewerTest, TellsThatTheRulesNameAKindThatItDoesNotKnow) {
  const GroupVersionKind strangers[] = {
      {"", "v1", "Service"}, {"batch", "v1beta1", "CronJob"}, {"x.io", "v1", "Pod"}};
  for (const GroupVersionKind& kind : strangers) {
    for (const Verdict& verdict :
         {reviewer_.Mutate(ReviewOf(kind, kCpuPod), kReviewedEnforced),
          reviewer_.Validate(ReviewOf(kind, kCpuPod), kReviewedEnforced)}) {
      EXPECT_THAT(
          verdict.answer.warnings,
          ElementsAre("berth: unknown kind " + ToString(kind) +
                      "; remove it from the webhook's rules, or list it in admission.templates"));
      EXPECT_THAT(verdict.answer.patch + verdict.answer.denial, IsEmpty());
    }
  }
}

TEST_F(ReviewerTest, ForetellsWhatBecomesOfTheDaemonsAndServicesPods) {
  const GroupVersionKind kinds[] = {{"apps", "v1", "Deployment"},
                                    {"apps", "v1", "StatefulSet"},
                                    {"apps", "v1", "ReplicaSet"},
                                    {"", "v1", "ReplicationController"}};
  const std::string cpu = TemplateOf(kCpuPod);
  for (const GroupVersionKind& kind : kinds) {
    const Review created = ReviewOf(kind, cpu);
    EXPECT_THAT(reviewer_.Validate(created, kReviewedEnforced).answer.warnings,
                ElementsAre(HasSubstr("berth, pods: kept off")));
    EXPECT_THAT(reviewer_.Validate(created, kReviewedWarned).answer.warnings, SizeIs(1));
    // Nobody hears it twice.
    EXPECT_THAT(reviewer_.Mutate(created, kReviewedEnforced).answer.warnings, IsEmpty());
    const std::string scaled =
        R"({"spec": {"replicas": 5, "template": )" + std::string(kCpuPod) + "}}";
    EXPECT_THAT(reviewer_.Validate(UpdateOf(kind, cpu, scaled), kReviewedEnforced).answer.warnings,
                IsEmpty());
    EXPECT_THAT(reviewer_.Validate(UpdateOf(kind, TemplateOf(kGpuPod), cpu), kReviewedEnforced)
                    .answer.warnings,
                SizeIs(1));
  }
}

TEST_F(ReviewerTest, JudgesTheTemplatesOfConfiguredKinds) {
  const std::string two = R"({"spec": {"replicas": {"Worker": {"template": )" +
                          std::string(kCpuPod) + R"(}, "Master": {"template": )" + kCpuPod + "}}}}";
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, two), kReviewedEnforced).answer.warnings,
              ElementsAre(HasSubstr("berth, pods: kept off")));
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, "{}"), kReviewedEnforced).answer.warnings,
              IsEmpty());
  EXPECT_THAT(reviewer_.Validate(UpdateOf(kTrainer, two, two), kReviewedEnforced).answer.warnings,
              IsEmpty());
}

TEST_F(ReviewerTest, RecordsTheCreatorInTheTemplatesOfConfiguredKinds) {
  const std::string object =
      R"({"spec": {"replicas": {"a/b": {"template": )" + std::string(kGpuPod) +
      R"(}}, "launcher": {"template": {"metadata": {"annotations": {"x": "y"}}, "spec": {}}}}})";
  const Verdict marked = reviewer_.Mutate(ReviewOf(kTrainer, object), kReviewedEnforced);
  EXPECT_EQ(marked.answer.patch,
            R"([{"op":"add","path":"/spec/replicas/a~1b/template/metadata","value":)"
            R"({"annotations":{"berth.dev/created-by":"alice"}}},{"op":"add","path":)"
            R"("/spec/launcher/template/metadata/annotations/berth.dev~1created-by",)"
            R"("value":"alice"}])");
  EXPECT_THAT(marked.answer.warnings, IsEmpty());
  EXPECT_THAT(marked.effects,
              ElementsAre(Field(&policies::admission::PolicyEffect::changed, true)));
  for (const Verdict& verdict :
       {reviewer_.Mutate(ReviewOf(kTrainer, object), kReviewedWarned),
        reviewer_.Mutate(UpdateOf(kTrainer, object, object), kReviewedEnforced),
        reviewer_.Mutate(ReviewOf({"apps", "v1", "Deployment"}, object), kReviewedEnforced),
        reviewer_.Mutate(ReviewOf(kTrainer, R"({"spec": {"launcher": {"template": {"spec": 5}}}})"),
                         kReviewedEnforced)}) {
    EXPECT_THAT(verdict.answer.patch + verdict.answer.denial, IsEmpty());
  }
}

TEST_F(ReviewerTest, JudgesTheTemplatesOfEveryPathOfAKind) {
  const std::string launcher = R"({"spec": {"replicas": {"Worker": {"template": )" +
                               std::string(kGpuPod) + R"(}}, "launcher": {"template": )" + kCpuPod +
                               "}}}";
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, launcher), kReviewedEnforced).answer.warnings,
              ElementsAre(HasSubstr("pods: kept off")));
}

// As if the Job itself were created, because nobody reads what its creator, a controller, hears.
TEST(ReviewerOfJobsTest, ForetellsWhatBecomesOfTheJobsOfAnObject) {
  kube::JsonParser parser;
  const Reviewer reviewer(std::make_shared<const policies::admission::AdmissionEngine>(
                              std::make_shared<const model::AcceleratorCatalog>(
                                  model::AcceleratorCatalog::Make({}).value()),
                              "berth.dev", "1.2.3", policies::admission::AdmissionConfig()),
                          {{"example.com", "Sweep", "/spec/trials/*/template",
                            policies::admission::TemplateOf::kJobs}});
  const std::string object = R"({"metadata": {"name": "s"}, "spec": {"trials": [{"template": {
      "spec": {"backoffLimit": 4, "template": {"spec": {"restartPolicy": "Never",
               "containers": [{"name": "c"}]}}}}}]}})";
  const Review review{.uid = "u",
                      .kind = {"example.com", "v1", "Sweep"},
                      .user = {.name = "alice", .groups = {}},
                      .object = parser.Parse(object).value()};
  const std::vector<std::string> warnings =
      reviewer.Validate(review, kReviewedEnforced).answer.warnings;
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("berth, pods: cpu and memory of 'c' set to")));
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("preempted or evicted, 4 times at most")));
}

// Else it would take another's place among those that are looked at.
TEST_F(ReviewerTest, ATemplateThatTwoPathsLeadToCountsOnce) {
  const auto with = [](const std::string& role, const std::string& pod) {
    return "\"" + role + R"(": {"template": )" + pod + "}";
  };
  std::string roles = with("launcher", kGpuPod);
  for (std::size_t i = 2; i < kMaxTemplates; ++i) {
    roles += ", " + with("role-" + std::to_string(i), kGpuPod);
  }
  const std::string object = R"({"spec": {)" + roles + ", " + with("last", kCpuPod) + "}}";
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kTrainer, object), kReviewedEnforced).answer.warnings,
              ElementsAre(HasSubstr("pods: kept off")));
}

TEST_F(ReviewerTest, AuditsWhatItSaysOfAllTemplatesOfAnObject) {
  const std::string selecting =
      R"({"spec": {"nodeSelector": {"berth.dev/accelerator": "V100"}, "containers": [{}]}})";
  const std::string two = R"({"spec": {"replicas": {"Worker": {"template": )" +
                          std::string(kCpuPod) + R"(}, "Master": {"template": )" + selecting +
                          "}}}}";
  const Verdict verdict = reviewer_.Validate(ReviewOf(kTrainer, two), kReviewedEnforced);
  EXPECT_THAT(verdict.answer.warnings, SizeIs(2));
  EXPECT_THAT(
      verdict.answer.audit_annotations,
      ElementsAre(testing::Pair("isolation", testing::AllOf(HasSubstr("1.2.3: kept off nodes"),
                                                            HasSubstr("; asks for no accel")))));
  EXPECT_THAT(verdict.effects, SizeIs(1));
}

/// An object whose template says who creates its pods.
std::string Claiming(const std::string& creator, const std::string& image = "i") {
  return R"({"spec": {"template": {"metadata": {"annotations": {"berth.dev/created-by": ")" +
         creator + R"("}}, "spec": {"containers": [{"image": ")" + image + R"(", "resources": )" +
         R"({"limits": {"nvidia.com/gpu": 1}}}]}}}})";
}

TEST_F(ReviewerTest, DeniesTemplatesThatNameAnotherCreator) {
  const GroupVersionKind deployment{"apps", "v1", "Deployment"};
  const Review forged = ReviewOf(deployment, Claiming("bob"));
  EXPECT_THAT(reviewer_.Validate(forged, kReviewedEnforced).answer.denial,
              HasSubstr("berth creator: spec.template.metadata.annotations[berth.dev/created-by] "
                        "names 'bob', who does not write the template; remove it"));
  const Verdict warned = reviewer_.Validate(forged, kReviewedWarned);
  EXPECT_THAT(warned.answer.denial, IsEmpty());
  EXPECT_THAT(warned.answer.warnings,
              testing::Contains(HasSubstr("berth (warn only), denied: spec.template.metadata")));
  EXPECT_THAT(
      reviewer_.Validate(ReviewOf(deployment, Claiming("alice")), kReviewedEnforced).answer.denial,
      IsEmpty());
}

TEST_F(ReviewerTest, DeniesOnAnUpdateOnlyWhatIsNew) {
  const GroupVersionKind deployment{"apps", "v1", "Deployment"};
  const auto denial = [&](const std::string& from, const std::string& to) {
    return reviewer_.Validate(UpdateOf(deployment, from, to), kReviewedEnforced).answer.denial;
  };
  EXPECT_THAT(denial(Claiming("bob"), Claiming("bob", "other")), IsEmpty());
  EXPECT_THAT(denial(Claiming("bob"), Claiming("alice")), IsEmpty());
  EXPECT_THAT(denial(R"({"spec": {"template": 5}})", Claiming("bob")), IsEmpty());
  EXPECT_THAT(denial(Claiming("alice"), Claiming("bob")), HasSubstr("names 'bob'"));
  EXPECT_THAT(denial(TemplateOf(kGpuPod), Claiming("bob")), HasSubstr("names 'bob'"));
}

// The ReplicaSet of a Deployment has its template, whose author was asked about it.
TEST_F(ReviewerTest, LetsTheDeploymentControllerCopyATemplate) {
  Review copied = ReviewOf({"apps", "v1", "ReplicaSet"}, Claiming("bob"));
  copied.user.name = "system:serviceaccount:kube-system:deployment-controller";
  EXPECT_THAT(reviewer_.Validate(copied, kReviewedEnforced).answer.denial, IsEmpty());
}

TEST_F(ReviewerTest, SaysWhichFieldItCannotRead) {
  const std::string broken = R"({"spec": {"containers": [{"resources": {"limits": 5}}]}})";
  const std::string field = "spec.containers[0].resources.limits: expected an object, got number";
  const Review created = ReviewOf(kPodKind, broken);
  for (const Verdict& denied : {reviewer_.Mutate(created, kReviewedEnforced),
                                reviewer_.Validate(created, kReviewedEnforced)}) {
    EXPECT_TRUE(denied.unreadable);
    EXPECT_EQ(denied.answer.denial, "berth: " + field);
  }
  for (const Verdict& warned :
       {reviewer_.Mutate(created, kReviewedWarned), reviewer_.Validate(created, kReviewedWarned)}) {
    EXPECT_TRUE(warned.unreadable);
    EXPECT_THAT(warned.answer.denial + warned.answer.patch, IsEmpty());
    EXPECT_THAT(warned.answer.warnings, ElementsAre("berth: not reviewed: " + field));
  }
  EXPECT_EQ(reviewer_.Mutate(ReviewOf(kPodKind, ""), kReviewedEnforced).answer.denial,
            "berth: object: is missing");
}

TEST_F(ReviewerTest, NeverLocksOutWhatIsStoredThoughItCannotReadIt) {
  const std::string broken = R"({"spec": {"containers": 5}})";
  const Verdict stored = reviewer_.Validate(UpdateOf(kPodKind, broken, broken), kReviewedEnforced);
  EXPECT_THAT(stored.answer.denial, IsEmpty());
  EXPECT_THAT(stored.answer.warnings, SizeIs(1));
  const Verdict template_ = reviewer_.Validate(
      ReviewOf({"apps", "v1", "Deployment"}, TemplateOf(broken)), kReviewedEnforced);
  EXPECT_THAT(template_.answer.denial, IsEmpty());
  EXPECT_THAT(
      template_.answer.warnings,
      ElementsAre(
          "berth: not reviewed: spec.template.spec.containers: expected an array, got number"));
}

}  // namespace
}  // namespace berth::admission
