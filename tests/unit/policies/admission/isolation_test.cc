#include "policies/admission/isolation.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Terms = std::vector<model::NodeSelectorTerm>;

const model::NodeRequirement kIsolated{"berth.dev/accelerator", "DoesNotExist", {}};
const model::NodeRequirement kZone{"zone", "In", {"a"}};

class IsolationTest : public testing::Test {
 protected:
  const IsolationPolicy policy_{Context(), {}};
};

model::Workload WithTerms(Terms terms) {
  model::Workload pod = CpuPod();
  pod.pod.node_terms = std::move(terms);
  return pod;
}

model::Workload Requiring(std::vector<model::NodeRequirement> requirements) {
  return WithTerms({{.expressions = std::move(requirements)}});
}

model::Workload Selecting(std::string label, std::string value) {
  model::Workload pod = CpuPod();
  pod.pod.node_selector = {{std::move(label), std::move(value)}};
  return pod;
}

Request Allowed() {
  Request request = MakeRequest();
  request.accelerator_nodes_allowed = true;
  return request;
}

TEST_F(IsolationTest, KeepsPodsWithoutAcceleratorsOffTheirNodes) {
  const Made made = Mutate(policy_, CpuPod());
  EXPECT_TRUE(made.holds);
  EXPECT_THAT(*made.workload.pod.node_terms,
              ElementsAre(model::NodeSelectorTerm{.expressions = {kIsolated}}));
  EXPECT_THAT(made.changes, ElementsAre("kept off nodes with accelerators (berth.dev/accelerator "
                                        "DoesNotExist): it asks for none"));
  EXPECT_THAT(made.notes, IsEmpty());
}

TEST_F(IsolationTest, AddsItToEveryTermThatMatchesSomething) {
  const Made made = Mutate(
      policy_, WithTerms({{.expressions = {kZone}},
                          {},
                          {.expressions = {}, .fields = {{"metadata.name", "In", {"n1"}}}}}));
  EXPECT_THAT(*made.workload.pod.node_terms,
              ElementsAre(model::NodeSelectorTerm{.expressions = {kZone, kIsolated}},
                          model::NodeSelectorTerm{},
                          model::NodeSelectorTerm{.expressions = {kIsolated},
                                                  .fields = {{"metadata.name", "In", {"n1"}}}}));
}

TEST_F(IsolationTest, ConcernsTheTemplatesOfJobsAndOfWhatMakesPods) {
  for (const char* kind : {"Job", "CronJob", "Deployment", "PyTorchJob"}) {
    const Made made = Mutate(policy_, MakeOwner(kind, CpuPod()));
    EXPECT_TRUE(made.holds) << kind;
    EXPECT_THAT(made.changes, SizeIs(1)) << kind;
  }
}

struct IsolationCase {
  std::string what;
  model::Workload pod;
  /// Part of what is said; empty: nothing.
  std::string note;
};

std::vector<IsolationCase> LeftAlone() {
  model::Workload bound = CpuPod();
  bound.pod.node_name = "node-1";
  model::Workload claiming = CpuPod();
  claiming.pod.has_claims = true;
  model::Workload requesting = CpuPod();
  requesting.pod.containers[0].resources.requests["nvidia.com/gpu"] = Q("1");
  model::Workload starting = CpuPod();
  starting.pod.containers.push_back(GpuPod().pod.containers[0]);
  starting.pod.containers[1].init = true;
  const std::string wants = "its node selector selects such nodes";
  return {
      {"asks for a GPU", GpuPod(), ""},
      {"asks for another accelerator", GpuPod("4", kMnCore), ""},
      {"requests a GPU without a limit", requesting, ""},
      {"asks for a GPU to initialise", starting, ""},
      {"asks for a slice of a GPU", GpuPod("1", "nvidia.com/mig-1g.5gb"), ""},
      {"asks for a TPU", GpuPod("4", "google.com/tpu"), ""},
      {"asks for what may be an accelerator", GpuPod("1", "example.com/fpga"),
       "list example.com/fpga in accelerators, or admission.ordinaryResources if it is none"},
      {"asks for a device by its class",
       GpuPod("1", "deviceclass.resource.kubernetes.io/gpu.example.com"),
       "if deviceclass.resource.kubernetes.io/gpu.example.com is no accelerator, list it in "
       "admission.ordinaryResources"},
      {"has claims", claiming, ""},
      {"has its node", bound, ""},
      {"selects a model", Selecting("berth.dev/accelerator", "A100"), wants},
      {"selects a model that there is not", Selecting("berth.dev/accelerator", ""), wants},
      {"selects a product", Selecting("nvidia.com/gpu.product", "Tesla-V100-SXM2-32GB"), wants},
      {"selects the plain label", Selecting("accelerator", "nvidia-tesla-a30"), wants},
      {"requires some model", Requiring({{kIsolated.key, "Exists", {}}}), wants},
      {"requires a model", Requiring({kZone, {kIsolated.key, "In", {"A100"}}}), wants},
      {"requires some product", Requiring({{"nvidia.com/gpu.product", "Exists", {}}}), wants},
      {"requires one of some products",
       Requiring({{"nvidia.com/gpu.product", "In", {"Tesla-T4", "NVIDIA-A30"}}}), wants},
      {"wants them in one of its terms",
       WithTerms({{.expressions = {kZone}}, {.expressions = {{kIsolated.key, "Exists", {}}}}}),
       wants},
  };
}

TEST_F(IsolationTest, LeavesAlone) {
  for (const IsolationCase& c : LeftAlone()) {
    const Made made = Mutate(policy_, c.pod);
    EXPECT_FALSE(made.holds) << c.what;
    EXPECT_EQ(made.workload, c.pod) << c.what;
    EXPECT_THAT(made.changes, IsEmpty()) << c.what;
    EXPECT_THAT(made.notes, SizeIs(c.note.empty() ? 0 : 1)) << c.what;
    for (const std::string& note : made.notes) EXPECT_THAT(note, HasSubstr(c.note)) << c.what;
    EXPECT_THAT(policy_.Judge(MakeRequest(), c.pod), IsEmpty()) << c.what;
  }
}

TEST_F(IsolationTest, KeepsPodsThatAskForOrdinaryResourcesOff) {
  const std::vector<std::string> ordinary = {"rdma/*", "example.com/nic"};
  PolicyContext context = Context();
  context.ordinary_resources = ordinary;
  const IsolationPolicy policy(context, {});
  for (const char* resource : {"rdma/hca", "example.com/nic", "cpu", "hugepages-2Mi"}) {
    const Made made = Mutate(policy, GpuPod("1", resource));
    EXPECT_TRUE(made.holds) << resource;
    EXPECT_THAT(made.notes, IsEmpty()) << resource;
    EXPECT_THAT(policy.Judge(MakeRequest(), GpuPod("1", resource)), SizeIs(1)) << resource;
  }
  EXPECT_FALSE(Mutate(policy, GpuPod("1", "example.com/nics")).holds);
}

TEST_F(IsolationTest, HeedsAnnotationsThatAskForAPartOfADeviceWhereConfigured) {
  model::Workload pod = CpuPod();
  pod.pod.annotations = {{"gpu-fraction", "0.5"}};
  EXPECT_TRUE(Mutate(policy_, pod).holds);
  const std::vector<std::string> annotations = {"gpu-memory", "gpu-fraction"};
  PolicyContext context = Context();
  context.fraction_annotations = annotations;
  const IsolationPolicy policy(context, {});
  const Made made = Mutate(policy, pod);
  EXPECT_EQ(made.workload, pod);
  EXPECT_THAT(made.notes, ElementsAre("not kept off nodes with accelerators: gpu-fraction asks for "
                                      "a part of one"));
  EXPECT_THAT(policy.Judge(MakeRequest(), pod), IsEmpty());
  EXPECT_TRUE(Mutate(policy, CpuPod()).holds);
}

TEST_F(IsolationTest, IsNotFooledByWhatWantsNoAccelerator) {
  model::Workload zero = CpuPod();
  zero.pod.containers[0].resources = Resources({{kGpu, "0"}});
  for (const auto& [what, pod] : std::vector<std::pair<std::string, model::Workload>>{
           {"asks for no device in so many words", zero},
           {"selects another label", Selecting("zone", "a")},
           {"selects a product that is not in the catalogue",
            Selecting("nvidia.com/gpu.product", "Tesla-P100-PCIE-16GB")},
           {"wants anything but a model", Requiring({{kIsolated.key, "NotIn", {"A100"}}})},
           {"wants no product", Requiring({{"nvidia.com/gpu.product", "DoesNotExist", {}}})},
           {"wants none of some products",
            Requiring({{"nvidia.com/gpu.product", "NotIn", {"NVIDIA-A30"}}})},
       }) {
    const Made made = Mutate(policy_, pod);
    EXPECT_TRUE(made.holds) << what;
    EXPECT_EQ(made.writes, 1) << what;
    EXPECT_THAT(policy_.Judge(MakeRequest(), pod), SizeIs(1)) << what;
    EXPECT_THAT(policy_.Judge(MakeRequest(), made.workload), IsEmpty()) << what;
  }
}

TEST_F(IsolationTest, HoldsWhereSomebodyWroteItAlready) {
  for (const Terms& terms :
       {Terms{{.expressions = {kIsolated}}}, Terms{{}, {.expressions = {kZone, kIsolated}}},
        // These match no node.
        Terms{{}}, Terms{}}) {
    const Made made = Mutate(policy_, WithTerms(terms));
    EXPECT_TRUE(made.holds);
    EXPECT_EQ(made.workload, WithTerms(terms));
    EXPECT_THAT(made.changes, IsEmpty());
    EXPECT_THAT(policy_.Judge(MakeRequest(), made.workload), IsEmpty());
  }
}

TEST_F(IsolationTest, AnnotationCountsWhereTheNamespaceAllowsIt) {
  const model::Workload pod = Annotated(CpuPod(), "allow-accelerator-nodes", "true");
  const Made made = Mutate(policy_, pod, Allowed());
  EXPECT_FALSE(made.holds);
  EXPECT_EQ(made.workload, pod);
  EXPECT_THAT(made.notes, IsEmpty());
  EXPECT_THAT(policy_.Judge(Allowed(), pod), IsEmpty());
}

TEST_F(IsolationTest, AnnotationDoesNotCountElsewhereAndSaysWhy) {
  const model::Workload pod = Annotated(CpuPod(), "allow-accelerator-nodes", "true");
  const Made made = Mutate(policy_, pod);
  EXPECT_TRUE(made.holds);
  EXPECT_THAT(made.changes, SizeIs(1));
  EXPECT_THAT(made.notes, ElementsAre("berth.dev/allow-accelerator-nodes has no effect unless the "
                                      "namespace has that label, too"));
  EXPECT_THAT(policy_.Judge(MakeRequest(), pod), SizeIs(1));
}

TEST_F(IsolationTest, ANamespaceThatAllowsItStillNeedsTheAnnotation) {
  for (const model::Workload& pod :
       {CpuPod(), Annotated(CpuPod(), "allow-accelerator-nodes", "yes")}) {
    EXPECT_TRUE(Mutate(policy_, pod, Allowed()).holds);
    EXPECT_THAT(policy_.Judge(Allowed(), pod), SizeIs(1));
  }
}

TEST_F(IsolationTest, ObjectsToOneTermThatLetsThePodIn) {
  const model::Workload pod = WithTerms({{.expressions = {kIsolated}}, {.expressions = {kZone}}});
  const auto objections = policy_.Judge(MakeRequest(), pod);
  ASSERT_THAT(objections, SizeIs(1));
  EXPECT_EQ(objections[0].field, "spec.affinity.nodeAffinity");
  EXPECT_THAT(objections[0].advice, HasSubstr("write berth.dev/accelerator DoesNotExist"));
}

TEST_F(IsolationTest, DoesNotObjectToWhatMakesPods) {
  for (const char* kind : {"Job", "CronJob", "Deployment"}) {
    EXPECT_THAT(policy_.Judge(MakeRequest(), MakeOwner(kind, CpuPod())), IsEmpty()) << kind;
  }
}

}  // namespace
}  // namespace berth::policies::admission
