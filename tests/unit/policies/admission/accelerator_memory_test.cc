#include "policies/admission/accelerator_memory.h"

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

constexpr char kMemory[] = "berth.dev/accelerator-memory";

class AcceleratorMemoryTest : public testing::Test {
 protected:
  const AcceleratorMemoryPolicy policy_{Context(), {}};
};

model::Workload GpuPodAsking(std::string minimum) {
  return Annotated(GpuPod(), "accelerator-memory", std::move(minimum));
}

TEST_F(AcceleratorMemoryTest, RequiresMoreThanOneGibibyteLess) {
  struct Case {
    std::string text;
    std::string more_than;
    std::string in_words;
  };
  for (const auto& [text, more_than, in_words] : std::vector<Case>{
           {"40Gi", "39", "40"},
           {" 40Gi ", "39", "40"},
           {"40G", "36", "37"},
           {"24.5Gi", "23", "24"},
           {"1Gi", "0", "1"},
           {"64Pi", "67108863", "67108864"},
       }) {
    const Made made = Mutate(policy_, GpuPodAsking(text));
    EXPECT_TRUE(made.holds) << text;
    EXPECT_THAT(*made.workload.pod.node_terms,
                ElementsAre(model::NodeSelectorTerm{.expressions = {{kMemory, "Gt", {more_than}}}}))
        << text;
    EXPECT_THAT(made.changes, ElementsAre("restricted to nodes with at least " + in_words +
                                          " GiB per device, as " + kMemory + " says"));
    EXPECT_THAT(policy_.Judge(MakeRequest(), made.workload), IsEmpty());
  }
}

// "-1" is not the value of a label, which Gt asks for; and whose memory nobody knows does not fit.
TEST_F(AcceleratorMemoryTest, RequiresThatAnyIsKnownForLessThanOneGibibyte) {
  const Made made = Mutate(policy_, GpuPodAsking("500M"));
  EXPECT_THAT(*made.workload.pod.node_terms,
              ElementsAre(model::NodeSelectorTerm{.expressions = {{kMemory, "Exists", {}}}}));
  EXPECT_THAT(made.changes,
              ElementsAre("restricted to nodes whose accelerator memory is known, as " +
                          std::string(kMemory) + " says"));
}

TEST_F(AcceleratorMemoryTest, IsAddedToThePodsOwnTerms) {
  model::Workload pod = GpuPodAsking("32Gi");
  pod.pod.node_terms = {
      {.expressions = {{"zone", "In", {"a"}}}}, {}, {.expressions = {{kMemory, "Gt", {"79"}}}}};
  const Made made = Mutate(policy_, pod);
  EXPECT_EQ(made.writes, 2);
  EXPECT_THAT(*made.workload.pod.node_terms,
              ElementsAre(model::NodeSelectorTerm{.expressions = {{"zone", "In", {"a"}},
                                                                  {kMemory, "Gt", {"31"}}}},
                          model::NodeSelectorTerm{},
                          model::NodeSelectorTerm{
                              .expressions = {{kMemory, "Gt", {"79"}}, {kMemory, "Gt", {"31"}}}}));
}

TEST_F(AcceleratorMemoryTest, LeavesItsOwnResultAlone) {
  for (const model::Workload& workload :
       {GpuPodAsking("40Gi"), GpuPodAsking("1Mi"), MakeJob(GpuPodAsking("24Gi")),
        Annotated(GpuPod("1", kMnCore), "accelerator-memory", "32Gi")}) {
    const Made first = Mutate(policy_, workload);
    const Made second = Mutate(policy_, first.workload);
    EXPECT_EQ(first.writes, 1);
    EXPECT_TRUE(second.holds);
    EXPECT_EQ(second.writes, 0);
    EXPECT_THAT(second.changes, IsEmpty());
  }
}

TEST_F(AcceleratorMemoryTest, SaysNothingWhereNoneIsAskedFor) {
  for (const model::Workload& pod : {GpuPod(), CpuPod()}) {
    const Made made = Mutate(policy_, pod);
    EXPECT_FALSE(made.holds);
    EXPECT_EQ(made.writes, 0);
    EXPECT_THAT(made.notes, IsEmpty());
    EXPECT_THAT(policy_.Judge(MakeRequest(), pod), IsEmpty());
  }
}

TEST_F(AcceleratorMemoryTest, NotesAnAnnotationThatHasNoEffect) {
  for (const char* text : {"40Gi", "much"}) {
    const model::Workload pod = Annotated(CpuPod(), "accelerator-memory", text);
    const Made made = Mutate(policy_, pod);
    EXPECT_FALSE(made.holds);
    EXPECT_EQ(made.workload, pod);
    EXPECT_THAT(made.notes, ElementsAre(std::string(kMemory) +
                                        " has no effect: the pod asks for no accelerator"));
    EXPECT_THAT(policy_.Judge(MakeRequest(), pod), IsEmpty());
  }
}

// The extender would refuse it everywhere.
TEST_F(AcceleratorMemoryTest, ObjectsToWhatIsNoSizeOfADevice) {
  for (const auto& [text, shown] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"0", "0"},
           {"-1Gi", "-1Gi"},
           {"40", "40"},
           {"16Ei", "16Ei"},
           {"40GB", "40GB"},
           {"1e3Ki", "1e3Ki"},
           {"4\n0", "4 0"},
           {std::string(1000, 'x'), std::string(37, 'x') + "..."}}) {
    const model::Workload pod = GpuPodAsking(text);
    const Made made = Mutate(policy_, pod);
    EXPECT_FALSE(made.holds) << text;
    EXPECT_EQ(made.workload, pod) << text;
    EXPECT_THAT(policy_.Judge(MakeRequest(), pod),
                ElementsAre(Objection{"metadata.annotations[" + std::string(kMemory) + "]",
                                      "is \"" + shown + "\", which is not a size from 1Mi to 64Pi",
                                      "write the minimum memory of one device, such as 40Gi"}))
        << text;
  }
}

TEST_F(AcceleratorMemoryTest, ObjectsWhereTheAnnotationIs) {
  const auto objections = policy_.Judge(MakeRequest(), MakeOwner("CronJob", GpuPodAsking("much")));
  ASSERT_THAT(objections, SizeIs(1));
  EXPECT_EQ(objections[0].field,
            "spec.jobTemplate.spec.template.metadata.annotations[" + std::string(kMemory) + "]");
}

TEST(AcceleratorMemory, IsOfTheConfiguredPrefix) {
  const std::string prefix = "ml.example.org";
  const AcceleratorMemoryPolicy policy({.catalog = Catalog(), .prefix = prefix}, {});
  model::Workload pod = GpuPodAsking("40Gi");
  EXPECT_EQ(Mutate(policy, pod).writes, 0);
  pod.pod.annotations = {{"ml.example.org/accelerator-memory", "40Gi"}};
  EXPECT_EQ(Mutate(policy, pod).workload.pod.node_terms->at(0).expressions.at(0).key,
            "ml.example.org/accelerator-memory");
}

}  // namespace
}  // namespace berth::policies::admission
