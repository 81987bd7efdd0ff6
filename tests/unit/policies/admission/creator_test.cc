#include "policies/admission/creator.h"

#include <string>
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

TEST_F(CreatorTest, RecordsNobodyUnknownAndNothingOnOtherKinds) {
  EXPECT_EQ(Mutate(policy_, CpuPod(), By("")).workload, CpuPod());
  const model::Workload deployment = MakeOwner("Deployment", CpuPod());
  EXPECT_EQ(Mutate(policy_, deployment).workload, deployment);
  EXPECT_FALSE(Mutate(policy_, deployment).holds);
}

}  // namespace
}  // namespace berth::policies::admission
