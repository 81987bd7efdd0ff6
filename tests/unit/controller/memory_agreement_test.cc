// The least memory of a device is judged twice: by Berth's extender, and by kube-scheduler, from
// the node affinity that admission writes and the label that the controller does.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "controller/node_label.h"
#include "gtest/gtest.h"
#include "model/accelerator_memory.h"
#include "policies/admission/accelerator_memory.h"
#include "policies/scheduling/accelerator.h"
#include "tests/unit/policies/admission/fixtures.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::controller {
namespace {

constexpr char kMemoryAnnotation[] = "berth.dev/accelerator-memory";
constexpr std::int64_t kGibi = std::int64_t{1} << 30;

bool ExtenderAccepts(const model::NodeState& node, const std::string& minimum) {
  const std::string prefix = "berth.dev";
  policies::scheduling::ReasonTable reasons;
  const policies::scheduling::AcceleratorPolicy policy(
      {*policies::scheduling::Catalog(), prefix, reasons}, {});
  // Of MN-Core, too: other resources are no matter of memory.
  model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 1,
                                                      {{kMemoryAnnotation, minimum}});
  pod.requests.Set(policies::scheduling::kMnCore, 1);
  const auto preparation =
      policy.Prepare(pod, policies::scheduling::FixedView(), policies::scheduling::kNow);
  return std::get<std::unique_ptr<policies::scheduling::NodeEvaluator>>(preparation)
      ->Evaluate(node)
      .fits;
}

/// What admission writes.
model::NodeRequirement RequirementOf(const std::string& minimum) {
  const policies::admission::AcceleratorMemoryPolicy policy(policies::admission::Context(), {});
  const model::Workload pod =
      policies::admission::Annotated(policies::admission::GpuPod(), "accelerator-memory", minimum);
  return policies::admission::Mutate(policy, pod).workload.pod.node_terms->at(0).expressions.at(0);
}

/// As kube-scheduler's NodeAffinity does.
bool AffinityAccepts(const model::NodeState& node, const std::string& minimum) {
  const model::NodeRequirement requirement = RequirementOf(minimum);
  const model::StringMap labels =
      WantedLabels(node, *policies::scheduling::Catalog(), NodeLabelNames("berth.dev"));
  const auto label = model::Find(labels, requirement.key);
  if (requirement.op == "Exists") return label.has_value();
  EXPECT_EQ(requirement.op, "Gt");
  return label && std::stoll(std::string(*label)) > std::stoll(requirement.values.at(0));
}

model::NodeState Reporting(std::int64_t mebibytes) {
  return policies::scheduling::NodeWith("n", policies::scheduling::kGpu, 8,
                                        {{"nvidia.com/gpu.product", "Tesla-V100-SXM2-32GB"},
                                         {"nvidia.com/gpu.memory", std::to_string(mebibytes)}});
}

/// Around what devices of so many GiB report.
std::vector<model::NodeState> NodesAround(std::int64_t gibibytes) {
  const std::int64_t reported = gibibytes * 1024 * 93 / 100;
  std::vector<model::NodeState> nodes;
  for (std::int64_t more = -2; more <= 2; ++more) nodes.push_back(Reporting(reported + more));
  return nodes;
}

void ExpectAgreement(const model::NodeState& node, const std::string& minimum) {
  SCOPED_TRACE(minimum + " of a node with " +
               std::to_string(node.gpu.memory_mebibytes.value_or(0)) + " MiB");
  const bool extender = ExtenderAccepts(node, minimum);
  const bool affinity = AffinityAccepts(node, minimum);
  const std::int64_t bytes = *model::ParseMemoryMinimum(minimum);
  const auto met =
      model::GreatestMemoryMinimum(node.gpu, node.accelerator, *policies::scheduling::Catalog());
  if (!met || bytes % kGibi == 0) {
    EXPECT_EQ(affinity, extender);
    return;
  }
  if (extender) {
    EXPECT_TRUE(affinity);
  } else if (affinity) {
    EXPECT_LT(bytes - *met, kGibi);
  }
}

TEST(MemoryAgreement, HoldsAroundEveryWholeSize) {
  for (std::int64_t gibibytes = 1; gibibytes <= 300; ++gibibytes) {
    for (const model::NodeState& node : NodesAround(gibibytes)) {
      ExpectAgreement(node, std::to_string(gibibytes) + "Gi");
      ExpectAgreement(node, std::to_string(gibibytes * kGibi + 1));
      ExpectAgreement(node, std::to_string(gibibytes * kGibi - 1));
    }
  }
}

TEST(MemoryAgreement, HoldsForAnySizes) {
  std::mt19937_64 random(1);
  const auto below = [&random](std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(1, end - 1)(random);
  };
  for (int i = 0; i < 3'000; ++i) {
    const std::int64_t bits = 20 + below(36);
    const std::string minimum =
        std::to_string((std::int64_t{1} << 20) + below(std::int64_t{1} << bits));
    ExpectAgreement(Reporting(below(std::int64_t{1} << (bits - 19))), minimum);
    ExpectAgreement(Reporting(below(200'000)), std::to_string(below(200'000)) + "Mi");
    ExpectAgreement(Reporting(below(200'000)), std::to_string(below(200)) + "G");
  }
}

TEST(MemoryAgreement, HoldsForWhatOnlyTheCatalogueKnowsAndForWhatNobodyDoes) {
  using policies::scheduling::GpuNode;
  for (const model::NodeState& node :
       {GpuNode("a", "Tesla-V100-SXM2-32GB"), GpuNode("b", "NVIDIA-A30"), GpuNode("c", "Tesla-K80"),
        policies::scheduling::NodeWith("d", policies::scheduling::kMnCore, 4), Reporting(0)}) {
    for (const char* minimum :
         {"1Mi", "500M", "1Gi", "24Gi", "24G", "25Gi", "32Gi", "33Gi", "64Pi"}) {
      ExpectAgreement(node, minimum);
    }
  }
}

}  // namespace
}  // namespace berth::controller
