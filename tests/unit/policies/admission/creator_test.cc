#include "policies/admission/creator.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::admission {
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
    EXPECT_THAT(made.changes, ElementsAre("berth.dev/created-by set to 'alice', who creates it, "
                                          "instead of 'bob'"));
  }
}

// Whatever its ownerReferences say: only who asks tells a controller.
TEST_F(CreatorTest, APodThatSomebodyGaveAnOwnerIsHis) {
  model::Workload pod = Annotated(CpuPod(), "created-by", "bob");
  pod.owners = {{.kind = "Job", .name = "train", .controller = true}};
  EXPECT_THAT(Mutate(policy_, pod).workload.pod.annotations,
              ElementsAre(Pair("berth.dev/created-by", "alice")));
}

TEST_F(CreatorTest, APodOfAControllerKeepsWhatItsTemplateHas) {
  for (const model::Workload& pod : {CpuPod(), Annotated(CpuPod(), "created-by", "bob")}) {
    const Made made =
        Mutate(policy_, pod, By("system:serviceaccount:kube-system:job-controller", "Job"));
    EXPECT_FALSE(made.holds);
    EXPECT_EQ(made.workload, pod);
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

TEST_F(CreatorTest, RecordsNobodyUnknownAndNothingOnOtherKinds) {
  EXPECT_EQ(Mutate(policy_, CpuPod(), By("")).workload, CpuPod());
  const model::Workload deployment = MakeOwner("Deployment", CpuPod());
  EXPECT_EQ(Mutate(policy_, deployment).workload, deployment);
  EXPECT_FALSE(Mutate(policy_, deployment).holds);
}

}  // namespace
}  // namespace berth::admission
