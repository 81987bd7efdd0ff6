#include "policies/admission/accelerator_affinity.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AcceleratorAffinityTest : public testing::Test {
 protected:
  const AcceleratorAffinityPolicy policy_{Context(), {}};
};

model::Workload GpuPodNaming(std::string models) {
  return Annotated(GpuPod(), "accelerators", std::move(models));
}

TEST_F(AcceleratorAffinityTest, RequiresTheModelsOfTheAnnotation) {
  for (const char* text : {"A100,V100", " A100 ,, V100,A100,"}) {
    const Made made = Mutate(policy_, GpuPodNaming(text));
    EXPECT_TRUE(made.holds) << text;
    EXPECT_THAT(*made.workload.pod.node_terms,
                ElementsAre(model::NodeSelectorTerm{
                    .expressions = {{"berth.dev/accelerator", "In", {"A100", "V100"}}}}))
        << text;
    EXPECT_THAT(made.changes,
                ElementsAre("restricted to nodes with A100, V100, as berth.dev/accelerators says"));
    EXPECT_THAT(policy_.Judge(MakeRequest(), made.workload), IsEmpty());
  }
}

TEST_F(AcceleratorAffinityTest, IsAddedToThePodsOwnTerms) {
  model::Workload pod = GpuPodNaming("A30");
  pod.pod.node_terms = {{.expressions = {{"zone", "In", {"a"}}}}, {}};
  const Made made = Mutate(policy_, pod);
  EXPECT_THAT(
      *made.workload.pod.node_terms,
      ElementsAre(
          model::NodeSelectorTerm{
              .expressions = {{"zone", "In", {"a"}}, {"berth.dev/accelerator", "In", {"A30"}}}},
          model::NodeSelectorTerm{}));
}

TEST_F(AcceleratorAffinityTest, LeavesItsOwnResultAlone) {
  for (const model::Workload& workload :
       {GpuPodNaming("A100"), MakeJob(GpuPodNaming("V100,A30")),
        Annotated(GpuPod("1", kMnCore), "accelerators", "MN-Core")}) {
    const Made first = Mutate(policy_, workload);
    const Made second = Mutate(policy_, first.workload);
    EXPECT_EQ(first.writes, 1);
    EXPECT_TRUE(second.holds);
    EXPECT_EQ(second.writes, 0);
    EXPECT_THAT(second.changes, IsEmpty());
  }
}

TEST_F(AcceleratorAffinityTest, SaysNothingWhereNoModelIsNamed) {
  for (const model::Workload& pod : {GpuPod(), GpuPodNaming(""), GpuPodNaming(" , "), CpuPod()}) {
    const Made made = Mutate(policy_, pod);
    EXPECT_FALSE(made.holds);
    EXPECT_EQ(made.writes, 0);
    EXPECT_THAT(made.notes, IsEmpty());
    EXPECT_THAT(policy_.Judge(MakeRequest(), pod), IsEmpty());
  }
}

TEST_F(AcceleratorAffinityTest, NotesAnAnnotationThatHasNoEffect) {
  const model::Workload pod = Annotated(CpuPod(), "accelerators", "A1000");
  const Made made = Mutate(policy_, pod);
  EXPECT_FALSE(made.holds);
  EXPECT_EQ(made.workload, pod);
  EXPECT_THAT(made.notes,
              ElementsAre("berth.dev/accelerators has no effect: the pod asks for no accelerator"));
  EXPECT_THAT(policy_.Judge(MakeRequest(), pod), IsEmpty());
}

struct Fault {
  std::string models;
  std::string reason;
  std::string advice;
};

TEST_F(AcceleratorAffinityTest, ObjectsToModelsThatCannotBeHad) {
  const std::string names =
      "write one or more of V100, A100, A30, H100, H200, B200, L4, L40S and 2 more";
  const std::string other =
      "name models of a resource that the pod asks for, or ask for that resource";
  for (const Fault& fault : std::vector<Fault>{
           {"a100", "names a100, which is not in the catalogue", names + "; did you mean A100?"},
           {"A100,V1OO", "names V1OO, which is not in the catalogue",
            names + "; did you mean V100?"},
           {"GTX1080", "names GTX1080, which is not in the catalogue", names},
           {"A100,MN-Core", "names MN-Core, but the pod asks for no preferred.jp/mncore", other},
           {std::string(1000, 'x'),
            "names " + std::string(60, 'x') + "..., which is not in the catalogue", names},
       }) {
    const model::Workload pod = GpuPodNaming(fault.models);
    const Made made = Mutate(policy_, pod);
    EXPECT_FALSE(made.holds) << fault.models;
    EXPECT_EQ(made.workload, pod) << fault.models;
    EXPECT_THAT(policy_.Judge(MakeRequest(), pod),
                ElementsAre(Objection{"metadata.annotations[berth.dev/accelerators]", fault.reason,
                                      fault.advice}))
        << fault.models;
  }
}

TEST_F(AcceleratorAffinityTest, ObjectsWhereTheAnnotationIs) {
  for (const auto& [kind, field] : std::vector<std::pair<std::string, std::string>>{
           {"Job", "spec.template.metadata.annotations[berth.dev/accelerators]"},
           {"CronJob",
            "spec.jobTemplate.spec.template.metadata.annotations[berth.dev/accelerators]"},
           {"Deployment", "spec.template.metadata.annotations[berth.dev/accelerators]"}}) {
    const auto objections = policy_.Judge(MakeRequest(), MakeOwner(kind, GpuPodNaming("K80")));
    ASSERT_THAT(objections, SizeIs(1)) << kind;
    EXPECT_EQ(objections[0].field, field);
  }
}

TEST_F(AcceleratorAffinityTest, FindsFaultWithOneOfAHundredThousandModels) {
  std::string models;
  for (int i = 0; i < 100'000; ++i) models += "K" + std::to_string(i) + ",";
  EXPECT_THAT(policy_.Judge(MakeRequest(), GpuPodNaming(models)), SizeIs(1));
}

}  // namespace
}  // namespace berth::policies::admission
