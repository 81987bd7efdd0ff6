#include "admission/reviewer.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/admission/reviewer_fixture.h"

namespace berth::admission {
namespace {

using policies::admission::Operation;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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

// Of a stored pod as if it were created now.
TEST_F(ReviewerTest, ForetellsNothingOfWhatAPodGotWhenItWasStored) {
  const std::string stored = R"({
    "spec": {"nodeName": "cpu-1", "containers": [{"name": "c"}]},
    "status": {"qosClass": "BestEffort"}})";
  const auto fate = reviewer_.Foretell(ReviewOf(kPodKind, stored), kReviewedEnforced);
  ASSERT_TRUE(fate.ok()) << fate.status();
  EXPECT_THAT(fate->created.qos_class, IsEmpty());
  EXPECT_THAT(fate->created.pod.node_name, IsEmpty());
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
