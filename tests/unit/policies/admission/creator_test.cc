#include "policies/admission/creator.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class CreatorTest : public testing::Test {
 protected:
  static Request By(std::string user, std::string controller = "") {
    Request request = MakeRequest();
    request.user.name = std::move(user);
    request.controller = std::move(controller);
    return request;
  }

  const CreatorPolicy policy_{Context(), {}};
};

TEST_F(CreatorTest, RecordsWhoCreatesAPodWithoutAWord) {
  const Made made = Mutate(policy_, CpuPod());
  EXPECT_TRUE(made.holds);
  EXPECT_THAT(made.workload.pod.annotations, ElementsAre(Pair("berth.dev/created-by", "alice")));
  EXPECT_THAT(made.changes, IsEmpty());
}

TEST_F(CreatorTest, RecordsItOnAJobAndItsPods) {
  const Made made = Mutate(policy_, MakeJob(CpuPod()));
  EXPECT_THAT(made.workload.annotations, ElementsAre(Pair("berth.dev/created-by", "alice")));
  EXPECT_THAT(made.workload.pod.annotations, ElementsAre(Pair("berth.dev/created-by", "alice")));
}

TEST_F(CreatorTest, ReplacesWhatSomebodyElseIsSaidToBe) {
  for (const model::Workload& workload : {CpuPod(), MakeJob(CpuPod())}) {
    const Made made = Mutate(policy_, Annotated(workload, "created-by", "bob"));
    EXPECT_THAT(made.workload.pod.annotations, ElementsAre(Pair("berth.dev/created-by", "alice")));
    EXPECT_THAT(made.changes,
                ElementsAre("berth.dev/created-by set to 'alice', the creator, instead of 'bob'"));
  }
}

TEST_F(CreatorTest, RecordsTheBeginningOfALongName) {
  const std::string longest(CreatorPolicy::kMaxNameBytes, 'u');
  const std::string cut = longest.substr(3) + "...";
  for (const auto& [user, recorded] :
       {std::pair(longest, longest), std::pair(longest + "u", cut)}) {
    const Request request = By(user);
    const Made made = Mutate(policy_, CpuPod(), request);
    EXPECT_THAT(made.workload.pod.annotations, ElementsAre(Pair("berth.dev/created-by", recorded)));
    EXPECT_THAT(policy_.JudgeTemplate(request, made.workload), IsEmpty());
    Draft draft(CpuPod());
    Remarks remarks;
    policy_.MutateTemplate(request, draft, remarks);
    EXPECT_THAT(draft.workload().pod.annotations,
                ElementsAre(Pair("berth.dev/created-by", recorded)));
  }
}

// Whatever its ownerReferences say: only who asks tells a controller.
TEST_F(CreatorTest, APodThatSomebodyGaveAnOwnerIsHis) {
  model::Workload pod = Annotated(CpuPod(), "created-by", "bob");
  pod.owners = {{.kind = "Job", .name = "train", .controller = true}};
  EXPECT_THAT(Mutate(policy_, pod).workload.pod.annotations,
              ElementsAre(Pair("berth.dev/created-by", "alice")));
}

model::Workload OwnedBy(model::Workload pod, const std::string& kind, const std::string& group) {
  pod.owners = {{.kind = kind, .name = "train", .controller = true, .group = group}};
  return pod;
}

TEST_F(CreatorTest, APodOfAJobKeepsWhatItsJobGot) {
  for (const model::Workload& made_by_job : {CpuPod(), Annotated(CpuPod(), "created-by", "bob")}) {
    const model::Workload pod = OwnedBy(made_by_job, "Job", "batch");
    const Made made =
        Mutate(policy_, pod, By("system:serviceaccount:kube-system:job-controller", "Job"));
    EXPECT_FALSE(made.holds);
    EXPECT_EQ(made.workload, pod);
  }
}

// Whoever wrote the template of a Deployment could write any name into it.
TEST_F(CreatorTest, APodOfAnotherControllerLosesWhatItsTemplateClaims) {
  const struct {
    const char* kind;
    const char* group;
    const char* user;
  } cases[] = {
      {"ReplicaSet", "apps", "system:serviceaccount:kube-system:replicaset-controller"},
      {"StatefulSet", "apps", "system:serviceaccount:kube-system:statefulset-controller"},
      {"DaemonSet", "apps", "system:serviceaccount:kube-system:daemon-set-controller"},
      {"PyTorchJob", "kubeflow.org", "system:serviceaccount:kubeflow:training-operator"},
      {"Job", "batch.volcano.sh", "system:serviceaccount:volcano-system:controllers"},
  };
  for (const auto& test : cases) {
    const model::Workload plain = OwnedBy(CpuPod(), test.kind, test.group);
    const Made made =
        Mutate(policy_, Annotated(plain, "created-by", "bob"), By(test.user, test.kind));
    EXPECT_FALSE(made.holds) << test.kind;
    EXPECT_EQ(made.workload, plain) << test.kind;
    EXPECT_THAT(
        made.changes,
        ElementsAre(
            "berth.dev/created-by 'bob' removed: a template cannot name the creator of its pods"));
    EXPECT_EQ(Mutate(policy_, plain, By(test.user, test.kind)).writes, 0);
  }
}

TEST_F(CreatorTest, LeavesItsOwnResultAlone) {
  for (const model::Workload& workload : {CpuPod(), MakeJob(CpuPod())}) {
    const Made again = Mutate(policy_, Mutate(policy_, workload).workload);
    EXPECT_TRUE(again.holds);
    EXPECT_EQ(again.writes, 0);
    EXPECT_THAT(again.changes, IsEmpty());
  }
}

TEST_F(CreatorTest, ForetellsWhatATemplateClaimsInVain) {
  const model::Workload plain = MakeOwner("Deployment", CpuPod());
  const Made made = Mutate(policy_, Annotated(plain, "created-by", "alice"));
  EXPECT_EQ(made.workload, plain) << "nobody knows later that it was alice who wrote it";
  EXPECT_THAT(
      made.changes,
      ElementsAre(
          "berth.dev/created-by 'alice' removed: a template cannot name the creator of its pods"));
}

TEST_F(CreatorTest, ObjectsToATemplateThatNamesAnother) {
  for (const char* kind : {"Deployment", "StatefulSet", "ReplicaSet", "CronJob"}) {
    const model::Workload plain = MakeOwner(kind, CpuPod());
    EXPECT_THAT(policy_.JudgeTemplate(MakeRequest(), plain), IsEmpty()) << kind;
    const model::Workload own = Annotated(plain, "created-by", "alice");
    EXPECT_THAT(policy_.JudgeTemplate(MakeRequest(), own), IsEmpty()) << kind;
    const auto objections =
        policy_.JudgeTemplate(MakeRequest(), Annotated(plain, "created-by", "bob"));
    ASSERT_EQ(objections.size(), 1u) << kind;
    EXPECT_THAT(objections[0].field,
                testing::EndsWith("template.metadata.annotations[berth.dev/created-by]"));
    EXPECT_EQ(objections[0].reason, "names 'bob', who does not write the template");
  }
}

TEST_F(CreatorTest, LetsControllersCopyTemplatesAndManifestsNameAnybody) {
  const model::Workload claiming =
      Annotated(MakeOwner("ReplicaSet", CpuPod()), "created-by", "bob");
  EXPECT_THAT(
      policy_.JudgeTemplate(
          By("system:serviceaccount:kube-system:deployment-controller", "Deployment"), claiming),
      IsEmpty());
  EXPECT_THAT(policy_.JudgeTemplate(By(""), claiming), IsEmpty());
}

/// By the operator of a configured kind, whose templates say who created the object.
Request ByReviewedOwner() {
  Request request = MakeRequest();
  request.user.name = "system:serviceaccount:kubeflow:training-operator";
  request.controller = "PyTorchJob";
  request.owner_is_reviewed = true;
  return request;
}

TEST_F(CreatorTest, APodKeepsWhatTheReviewedTemplateOfItsOwnerGot) {
  const model::Workload plain = OwnedBy(CpuPod(), "PyTorchJob", "kubeflow.org");
  for (const model::Workload& pod : {plain, Annotated(plain, "created-by", "bob")}) {
    const Made made = Mutate(policy_, pod, ByReviewedOwner());
    EXPECT_EQ(made.workload, pod);
    EXPECT_THAT(made.changes, IsEmpty());
  }
}

TEST_F(CreatorTest, AJobInheritsItFromTheReviewedTemplateOfItsOwner) {
  const model::Workload plain = OwnedBy(MakeJob(CpuPod()), "JobSet", "jobset.x-k8s.io");
  const Made made = Mutate(policy_, Annotated(plain, "created-by", "bob"), ByReviewedOwner());
  EXPECT_TRUE(made.holds);
  EXPECT_THAT(made.workload.annotations, ElementsAre(Pair("berth.dev/created-by", "bob")));
  EXPECT_THAT(made.workload.pod.annotations, ElementsAre(Pair("berth.dev/created-by", "bob")));
  EXPECT_THAT(made.changes, IsEmpty());
  EXPECT_THAT(Mutate(policy_, plain, ByReviewedOwner()).workload.annotations,
              ElementsAre(Pair("berth.dev/created-by", ByReviewedOwner().user.name)))
      << "nobody knows who it was for";
}

TEST_F(CreatorTest, ObjectsToAnUpdateOfAPodThatChangesItsCreator) {
  const model::Workload alices = Annotated(CpuPod(), "created-by", "alice");
  const model::Workload bobs = Annotated(CpuPod(), "created-by", "bob");
  const auto reason = [&](const model::Workload& now, const model::Workload& before) {
    const auto objections = policy_.JudgeUpdate(By("bob"), now, before);
    return objections.empty() ? std::string() : objections[0].reason + "; " + objections[0].advice;
  };
  EXPECT_EQ(reason(alices, alices), "");
  EXPECT_EQ(reason(CpuPod(), CpuPod()), "");
  EXPECT_EQ(reason(bobs, alices), "names 'bob', but the stored pod names 'alice'; write 'alice'");
  EXPECT_EQ(reason(CpuPod(), alices),
            "is removed, but the stored pod names 'alice'; write 'alice'");
  EXPECT_EQ(reason(bobs, CpuPod()), "names 'bob', but the stored pod names nobody; remove it");
}

// The Job may be suspended, and all its pods still to come.
TEST_F(CreatorTest, ObjectsToAnUpdateOfAJobThatChangesWhoseItsPodsAre) {
  const model::Workload nobodys = MakeJob(CpuPod());
  const model::Workload alices = Annotated(nobodys, "created-by", "alice");
  const auto objections = policy_.JudgeUpdate(By("bob"), alices, nobodys);
  ASSERT_EQ(objections.size(), 1u);
  EXPECT_EQ(objections[0].field, "spec.template.metadata.annotations[berth.dev/created-by]");
  EXPECT_EQ(objections[0].reason, "names 'alice', but the stored Job names nobody");
  EXPECT_EQ(objections[0].advice, "remove it");
  EXPECT_THAT(policy_.JudgeUpdate(By("bob"), nobodys, alices), testing::SizeIs(1));
  EXPECT_THAT(policy_.JudgeUpdate(By("bob"), alices, alices), IsEmpty());
  const model::Workload owned = OwnedBy(alices, "JobSet", "jobset.x-k8s.io");
  EXPECT_THAT(policy_.JudgeUpdate(ByReviewedOwner(), owned, nobodys), IsEmpty())
      << "its controller copies the template again before it resumes the Job";
}

TEST_F(CreatorTest, LetsAControllerCopyARecordedCreatorIntoAPodThatExists) {
  const model::Workload plain = OwnedBy(CpuPod(), "PyTorchJob", "kubeflow.org");
  const model::Workload bobs = Annotated(plain, "created-by", "bob");
  EXPECT_THAT(policy_.JudgeUpdate(ByReviewedOwner(), bobs, plain), IsEmpty());
  EXPECT_THAT(policy_.JudgeUpdate(By("alice"), bobs, plain), testing::SizeIs(1));
}

TEST_F(CreatorTest, RecordsWhoCreatesAnObjectOfAConfiguredKindInItsTemplate) {
  model::Workload trainer = MakeOwner("PyTorchJob", CpuPod());
  trainer.template_field = "spec.template";
  for (const model::Workload& written : {trainer, Annotated(trainer, "created-by", "bob")}) {
    Draft draft(written);
    Remarks remarks;
    policy_.MutateTemplate(MakeRequest(), draft, remarks);
    EXPECT_THAT(draft.pod().annotations, ElementsAre(Pair("berth.dev/created-by", "alice")));
    EXPECT_THAT(draft.workload().annotations, IsEmpty());
    EXPECT_EQ(remarks.changes().size(), written == trainer ? 0u : 1u);
    EXPECT_EQ(Mutate(policy_, draft.workload()).writes, 0u) << "it is not foretold to be removed";
  }
  Draft copied(Annotated(trainer, "created-by", "bob"));
  Remarks remarks;
  policy_.MutateTemplate(ByReviewedOwner(), copied, remarks);
  EXPECT_EQ(copied.writes(), 0u) << "its own owner has said who it was";
}

TEST_F(CreatorTest, RecordsNobodyUnknownAndNothingOnOtherKinds) {
  EXPECT_EQ(Mutate(policy_, CpuPod(), By("")).workload, CpuPod());
  const model::Workload deployment = MakeOwner("Deployment", CpuPod());
  EXPECT_EQ(Mutate(policy_, deployment).workload, deployment);
  EXPECT_FALSE(Mutate(policy_, deployment).holds);
}

}  // namespace
}  // namespace berth::policies::admission
