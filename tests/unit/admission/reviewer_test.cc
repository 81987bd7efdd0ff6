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

/// A pod of which somebody says who created it. By its label, the mutating webhook is not asked
/// about its updates.
std::string LabelledPod(const std::string& annotations) {
  return R"({"metadata": {"labels": {"pod-template-hash": "a"}, "annotations": )" + annotations +
         R"(}, "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]}})";
}

TEST_F(ReviewerTest, DeniesUpdatesThatChangeWhoCreatedAPod) {
  const std::string alices = LabelledPod(R"({"berth.dev/created-by": "alice"})");
  const std::string bobs = LabelledPod(R"({"berth.dev/created-by": "bob"})");
  const std::string nobodys = LabelledPod("{}");
  const auto judged = [&](const std::string& from, const std::string& to) {
    return reviewer_.Validate(UpdateOf(kPodKind, from, to), kReviewedEnforced).answer.denial;
  };
  const std::string denial = "berth creator: metadata.annotations[berth.dev/created-by] ";
  EXPECT_EQ(judged(alices, bobs),
            denial + "names 'bob', but the stored pod names 'alice'; write 'alice'");
  EXPECT_EQ(judged(alices, nobodys),
            denial + "is removed, but the stored pod names 'alice'; write 'alice'");
  EXPECT_EQ(judged(nobodys, bobs),
            denial + "names 'bob', but the stored pod names nobody; remove it");
  EXPECT_THAT(judged(bobs, LabelledPod(R"({"a": "b", "berth.dev/created-by": "bob"})")), IsEmpty());
  const Verdict warned = reviewer_.Validate(UpdateOf(kPodKind, alices, bobs), kReviewedWarned);
  EXPECT_THAT(warned.answer.denial, IsEmpty());
  EXPECT_THAT(warned.answer.warnings,
              ElementsAre(HasSubstr("berth (warn only), denied: metadata.annotations")));
}

std::string Zeros(std::size_t count) {
  std::string list = "[0";
  for (std::size_t i = 1; i < count; ++i) list += ",0";
  return list + "]";
}

/// Such a pod, or the template of such pods, that is too large to be read.
std::string LargePod(const std::string& annotations) {
  return R"({"metadata": {"annotations": )" + annotations + R"(}, "large": )" + Zeros(10'001) + "}";
}

const std::string kOfAlice = R"({"berth.dev/created-by": "alice"})";
const std::string kOfBob = R"({"berth.dev/created-by": "bob"})";

TEST_F(ReviewerTest, DeniesToChangeWhoCreatedAPodThatItCannotRead) {
  const std::string large = LargePod(kOfAlice);
  const auto verdict_on = [&](const std::string& to, const NamespaceRules& rules) {
    return reviewer_.Validate(UpdateOf(kPodKind, large, to), rules);
  };
  const std::string why =
      "metadata.annotations[berth.dev/created-by] names 'bob', but the stored "
      "pod names 'alice'";
  for (const std::string& to : {LargePod(kOfBob), LabelledPod(kOfBob)}) {
    EXPECT_EQ(verdict_on(to, kReviewedEnforced).answer.denial,
              "berth creator: " + why + "; write 'alice'");
    const Verdict warned = verdict_on(to, kReviewedWarned);
    EXPECT_THAT(warned.answer.denial, IsEmpty());
    EXPECT_THAT(warned.answer.warnings, ElementsAre(HasSubstr("berth (warn only), denied: " + why),
                                                    HasSubstr("not reviewed: large: has 10001")));
  }
  const Verdict same = verdict_on(LabelledPod(kOfAlice), kReviewedEnforced);
  EXPECT_TRUE(same.unreadable);
  EXPECT_THAT(same.answer.denial, IsEmpty());
  EXPECT_THAT(same.answer.warnings, ElementsAre(HasSubstr("not reviewed: large: has 10001")));
  std::string many = R"({"berth.dev/created-by": "bob")";
  for (int i = 0; i < 10'000; ++i) many += ", \"" + std::to_string(i) + "\": \"\"";
  EXPECT_THAT(verdict_on(LargePod(many + "}"), kReviewedEnforced).answer.denial,
              HasSubstr("metadata.annotations: has 10001 entries"));
}

TEST_F(ReviewerTest, DeniesToChangeWhoseThePodsOfAJobAre) {
  const auto denial = [&](const std::string& from, const std::string& to) {
    return reviewer_
        .Validate(UpdateOf(kJobKind, TemplateOf(from), TemplateOf(to)), kReviewedEnforced)
        .answer.denial;
  };
  const std::string why =
      "berth creator: spec.template.metadata.annotations[berth.dev/created-by] names 'bob', but "
      "the stored Job names ";
  EXPECT_EQ(denial(LabelledPod(kOfAlice), LabelledPod(kOfBob)), why + "'alice'; write 'alice'");
  EXPECT_EQ(denial(LabelledPod("{}"), LabelledPod(kOfBob)), why + "nobody; remove it");
  EXPECT_EQ(denial(LargePod(kOfAlice), LargePod(kOfBob)), why + "'alice'; write 'alice'");
  EXPECT_THAT(denial(LargePod(kOfAlice), LargePod(kOfAlice)), IsEmpty());
  // Whoever applies his Job again: by then the mutating webhook has put back what is stored.
  const std::string kept =
      reviewer_
          .Mutate(UpdateOf(kJobKind, TemplateOf(LabelledPod(kOfAlice)), TemplateOf(kGpuPod)),
                  kReviewedEnforced)
          .answer.patch;
  EXPECT_THAT(kept, HasSubstr(R"("berth.dev/created-by":"alice")"));
  EXPECT_THAT(denial(LabelledPod(kOfAlice), LabelledPod(kOfAlice)), IsEmpty());
}

TEST_F(ReviewerTest, ReadsStoredObjectsOfPodsAndTemplatesUpToTheSameLimit) {
  const auto is_read = [this](const GroupVersionKind& kind, const std::string& object) {
    return reviewer_.CanReadStored(UpdateOf(kind, object, "{}"));
  };
  const std::string most = Zeros(10'000);
  // 5 members, and so many items.
  const auto with = [&most](std::size_t items) {
    return R"({"a": )" + most + R"(, "b": )" + most + R"(, "c": )" + most + R"(, "d": )" + most +
           R"(, "e": )" + Zeros(items - 40'000) + "}";
  };
  EXPECT_TRUE(is_read(kPodKind, with(49'995)));
  EXPECT_FALSE(is_read(kPodKind, with(49'996)));
  EXPECT_TRUE(is_read(kTrainer, with(49'996)));
  EXPECT_FALSE(is_read(kTrainer, R"({"spec": {"launcher": {"template": )" + with(49'996) + "}}}"));
  EXPECT_FALSE(reviewer_.CanReadStored(ReviewOf(kPodKind, "{}")));
}

TEST_F(ReviewerTest, DeniesUnreadWhatItWouldJudgeOrBelieveLater) {
  const auto denial = [this](const GroupVersionKind& kind, Operation operation, Denial cause,
                             bool is_to_blame = false) {
    Review front = ReviewOf(kind, "", "", operation);
    front.update_is_to_blame = is_to_blame;
    EXPECT_THAT(reviewer_.Unread(front, kReviewedWarned, "it is so", cause).answer.denial,
                IsEmpty());
    return reviewer_.Unread(front, kReviewedEnforced, "it is so", cause).answer.denial;
  };
  for (const GroupVersionKind& kind : {kPodKind, kJobKind, kTrainer}) {
    EXPECT_EQ(denial(kind, Operation::kCreate, Denial::kInvalid), "berth: it is so");
    EXPECT_EQ(denial(kind, Operation::kUpdate, Denial::kInvalid, true), "berth: it is so");
    EXPECT_EQ(denial(kind, Operation::kUpdate, Denial::kBusy), "berth: it is so");
    EXPECT_THAT(denial(kind, Operation::kUpdate, Denial::kInvalid), IsEmpty());
    EXPECT_THAT(denial(kind, Operation::kUpdate, Denial::kTooLarge), IsEmpty());
    EXPECT_THAT(denial(kind, Operation::kDelete, Denial::kInvalid), IsEmpty());
  }
  const GroupVersionKind deployment{"apps", "v1", "Deployment"};
  EXPECT_THAT(denial(deployment, Operation::kCreate, Denial::kInvalid), IsEmpty());
  EXPECT_THAT(denial(deployment, Operation::kUpdate, Denial::kInvalid, true), IsEmpty());
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
        reviewer_.Mutate(ReviewOf({"apps", "v1", "Deployment"}, object), kReviewedEnforced)}) {
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

/// A template that claims to be bob's, beside one that is `launcher`.
std::string ClaimingBeside(const std::string& launcher, const std::string& creator = "bob") {
  return R"({"spec": {"launcher": {"template": )" + launcher +
         R"(}, "replicas": {"Worker": {"template": {"metadata": {"annotations": )"
         R"({"berth.dev/created-by": ")" +
         creator + R"("}}, "spec": {"containers": [{"name": "c"}]}}}}}})";
}

constexpr char kBrokenPod[] = R"({"spec": {"containers": 5}})";
constexpr char kWhyBroken[] =
    "spec.launcher.template.spec.containers: expected an array, got number";

// What such a template claims of its pods would be believed later, though nobody has read it.
TEST_F(ReviewerTest, DeniesToCreateWhatHasATemplateThatItCannotRead) {
  const Review created = ReviewOf(kTrainer, ClaimingBeside(kBrokenPod));
  for (const Verdict& verdict : {reviewer_.Mutate(created, kReviewedEnforced),
                                 reviewer_.Validate(created, kReviewedEnforced)}) {
    EXPECT_TRUE(verdict.unreadable);
    EXPECT_THAT(verdict.answer.patch, IsEmpty());
    EXPECT_EQ(verdict.answer.denial, "berth: " + std::string(kWhyBroken) +
                                         "; correct this template, or take it out of the object");
  }
}

TEST_F(ReviewerTest, SaysOfTheTemplatesThatItCanReadWhatItWouldSayAnyway) {
  const Verdict warned =
      reviewer_.Validate(ReviewOf(kTrainer, ClaimingBeside(kBrokenPod)), kReviewedWarned);
  EXPECT_TRUE(warned.unreadable);
  EXPECT_FALSE(warned.pods_denied);
  EXPECT_THAT(warned.answer.denial, IsEmpty());
  EXPECT_THAT(warned.answer.warnings,
              testing::UnorderedElementsAre(HasSubstr("pods: kept off nodes"),
                                            HasSubstr("names 'bob', who does not write"),
                                            "berth: not reviewed: " + std::string(kWhyBroken)));
  EXPECT_THAT(reviewer_.Mutate(ReviewOf(kTrainer, ClaimingBeside(kBrokenPod)), kReviewedWarned)
                  .answer.warnings,
              IsEmpty());
}

TEST_F(ReviewerTest, DeniesAnUpdateOnlyIfItMakesATemplateUnreadable) {
  const auto verdict_on = [this](const std::string& from, const std::string& to) {
    return reviewer_.Validate(UpdateOf(kTrainer, from, to), kReviewedEnforced);
  };
  EXPECT_THAT(verdict_on(ClaimingBeside(kGpuPod), ClaimingBeside(kBrokenPod)).answer.denial,
              HasSubstr(kWhyBroken));
  const Verdict same = verdict_on(ClaimingBeside(kBrokenPod), ClaimingBeside(kBrokenPod));
  EXPECT_THAT(same.answer.denial, IsEmpty());
  EXPECT_THAT(same.answer.warnings, ElementsAre("berth: not reviewed: " + std::string(kWhyBroken)));
  EXPECT_TRUE(same.pods_denied);
  EXPECT_THAT(verdict_on(ClaimingBeside(kBrokenPod), ClaimingBeside(kGpuPod)).answer.denial,
              IsEmpty());
  EXPECT_THAT(
      verdict_on(ClaimingBeside(kBrokenPod, "alice"), ClaimingBeside(kBrokenPod)).answer.denial,
      HasSubstr("spec.replicas.Worker.template.metadata.annotations[berth.dev/created-by] names"))
      << "of the other template";
}

// Nobody has judged what it claimed before.
TEST_F(ReviewerTest, JudgesATemplateThatAnUpdateRepairsAsANewOne) {
  const std::string worker = R"({"spec": {"replicas": {"Worker": {"template": )";
  const auto denial = [&](const std::string& user, const std::string& creator) {
    const std::string claiming = R"({"metadata": {"annotations": {"berth.dev/created-by": ")" +
                                 creator + R"("}}, "spec": {"containers": []}})";
    Review repaired = UpdateOf(kTrainer, worker + kBrokenPod + "}}}}", worker + claiming + "}}}}");
    repaired.user.name = user;
    return reviewer_.Validate(repaired, kReviewedEnforced).answer.denial;
  };
  EXPECT_THAT(denial("bob", "alice"), HasSubstr("names 'alice', who does not write the template"));
  EXPECT_THAT(denial("alice", "alice"), IsEmpty());
  EXPECT_THAT(denial("system:serviceaccount:kube-system:cronjob-controller", "alice"), IsEmpty());
}

/// With so many templates, of which the last claims to be bob's.
std::string WithTemplates(std::size_t count) {
  std::string roles;
  for (std::size_t i = 1; i < count; ++i) {
    roles += "\"role-" + std::to_string(i) + R"(": {"template": )" + kGpuPod + "}, ";
  }
  return R"({"spec": {)" + roles +
         R"("last": {"template": {"metadata": {"annotations": {"berth.dev/created-by": "bob"}},)"
         R"( "spec": {"containers": []}}}}})";
}

TEST_F(ReviewerTest, DeniesMoreTemplatesThanItReads) {
  const Review created = ReviewOf(kTrainer, WithTemplates(kMaxTemplates + 1));
  for (const Verdict& verdict : {reviewer_.Mutate(created, kReviewedEnforced),
                                 reviewer_.Validate(created, kReviewedEnforced)}) {
    EXPECT_EQ(verdict.answer.denial,
              "berth: spec.last.template: is beyond the 64 templates that Berth reads of an "
              "object; correct this template, or take it out of the object");
  }
  EXPECT_THAT(reviewer_.Validate(created, kReviewedWarned).answer.warnings,
              testing::Contains(HasSubstr("berth: not reviewed: spec.last.template: is beyond")));
  const std::string many = WithTemplates(kMaxTemplates + 1);
  EXPECT_THAT(reviewer_.Validate(UpdateOf(kTrainer, many, many), kReviewedEnforced).answer.denial,
              IsEmpty());
  const Review most = ReviewOf(kTrainer, WithTemplates(kMaxTemplates));
  EXPECT_THAT(reviewer_.Mutate(most, kReviewedEnforced).answer.denial, IsEmpty());
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
  EXPECT_THAT(denial(R"({"spec": {"template": 5}})", Claiming("bob")), HasSubstr("names 'bob'"));
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
