#include "placement/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/explanation_output.h"
#include "extender/placer.h"
#include "model/accelerator.h"
#include "model/suggest.h"
#include "nlohmann/json.hpp"
#include "placement/placement_messages.h"
#include "tests/unit/cli/explain_fixture.h"

namespace berth::cli {
namespace {

using placement::DeviceCount;
using placement::Explanation;
using placement::NodeExplanation;
using placement::PolicyOpinion;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using ExplanationTest = ExplainFixture;

const DeviceCount& DevicesOf(const Explanation& explanation, const std::string& name) {
  const auto node = std::find_if(explanation.nodes.begin(), explanation.nodes.end(),
                                 [&](const auto& each) { return each.name == name; });
  return node->devices.at(0);
}

TEST_F(ExplanationTest, AgreesWithTheExtender) {
  server::Metrics metrics;
  extender::Placer placer(engine_.scheduling, snapshot_, metrics);
  for (const char* file : kPods) {
    const model::Pod pod = PodOf(file);
    const Explanation explanation = Explained(pod);
    extender::ExtenderArgs args{.pod = pod, .node_names = {}};
    std::vector<std::string_view> fitting;
    std::vector<std::int64_t> ranks;
    for (const NodeExplanation& node : explanation.nodes) {
      args.node_names.push_back(node.name);
      if (node.fits) fitting.push_back(node.name);
      ranks.push_back(node.rank);
    }
    const extender::FilterResult filtered = placer.Filter(args, kNow);
    EXPECT_EQ(filtered.node_names, fitting) << file;
    EXPECT_EQ(placer.Prioritize(args, kNow), ranks) << file;
    if (!fitting.empty()) continue;
    for (const extender::FailedNode& failed : filtered.unresolvable) {
      const auto node = std::find_if(explanation.nodes.begin(), explanation.nodes.end(),
                                     [&](const auto& each) { return each.name == failed.name; });
      ASSERT_NE(node, explanation.nodes.end()) << failed.name;
      EXPECT_EQ(node->reason, failed.reason) << file << ' ' << failed.name;
    }
  }
}

TEST_F(ExplanationTest, ToldByPolicyIsToldByTheSum) {
  for (const char* file : kPods) {
    for (const NodeExplanation& node : Explained(PodOf(file)).nodes) {
      if (!node.fits) continue;
      std::uint32_t sum = 0;
      for (const PolicyOpinion& opinion : node.policies) {
        EXPECT_TRUE(opinion.fits);
        sum += static_cast<std::uint32_t>(opinion.weight) * opinion.score;
      }
      EXPECT_EQ(sum, node.score) << file << ' ' << node.name;
    }
  }
}

TEST_F(ExplanationTest, PutsTheBestFirstAndTheRefusedTogether) {
  const Explanation explanation = Explained(PodOf("one_gpu.yaml"));
  EXPECT_EQ(explanation.fitting, 7u);
  ASSERT_EQ(explanation.nodes.size(), 11u);
  for (std::size_t i = 1; i < explanation.nodes.size(); ++i) {
    const NodeExplanation& before = explanation.nodes[i - 1];
    const NodeExplanation& after = explanation.nodes[i];
    EXPECT_GE(before.fits, after.fits);
    if (before.fits && after.fits) {
      EXPECT_GE(before.score, after.score);
      EXPECT_GE(before.rank, after.rank);
    }
  }
  EXPECT_EQ(explanation.nodes.front().rank, 10);
  ASSERT_EQ(explanation.groups.size(), 2u);
  EXPECT_EQ(explanation.groups[0].reason, "node(s) had condition GPUIsLost");
  EXPECT_EQ(explanation.groups[0].count, 2u);
  EXPECT_EQ(kNow - explanation.groups[0].newest, model::Duration{300});
  EXPECT_EQ(kNow - explanation.groups[0].oldest, model::Duration{3 * 3600});
}

TEST_F(ExplanationTest, CountsDevicesOfBoundPodsAlone) {
  const Explanation explanation = Explained(PodOf("one_gpu.yaml"));
  EXPECT_EQ(DevicesOf(explanation, "a100-1").Free(), 1);
  EXPECT_EQ(DevicesOf(explanation, "v100-1").Free(), 0);
  EXPECT_EQ(DevicesOf(explanation, "v100-4").Free(), 8);  // its pod has succeeded
  EXPECT_EQ(DevicesOf(explanation, "a100-3").allocatable, 3);
  EXPECT_EQ(DevicesOf(explanation, "a100-3").capacity, 4);
  EXPECT_FALSE(DevicesOf(explanation, "cpu-1").listed);
}

TEST_F(ExplanationTest, HasNoSayInPodsWithoutAccelerators) {
  const Explanation explanation = Explained(PodOf("cpu_only.yaml"));
  EXPECT_THAT(explanation.requests, IsEmpty());
  EXPECT_THAT(explanation.nodes, IsEmpty());
  EXPECT_THAT(ExplanationText(ToMessage(explanation), "Pod x"),
              HasSubstr("so the extender does not judge nodes for it"));
}

struct HintCase {
  model::StringMap annotations;
  std::int64_t gpus;
  std::vector<std::string> hints;
};

TEST_F(ExplanationTest, HintsAtWhatTheVerdictsDoNotTell) {
  const std::string no_devices =
      "1 that fits lists no nvidia.com/gpu at all; kube-scheduler will refuse it, unless dynamic "
      "resource allocation serves it there";
  const std::string models = "V100, A100, A30, MN-Core, MN-Core2, H100, H200, B200 and 14 more";
  const HintCase cases[] = {
      {{{"berth.dev/accelerators", "A30"}}, 6, {}},
      {{{"berth.dev/accelerators", "A30"}},
       7,
       {"of the 1 that fit, 0 have 7 free nvidia.com/gpu; "
        "the most is 6"}},
      {{{"berth.dev/accelerators", "V100"}}, 8, {"of the 3 that fit, 1 has 8 free nvidia.com/gpu"}},
      {{}, 1, {"of the 7 that fit, 5 have 1 free nvidia.com/gpu", no_devices}},
      {{{"berth.dev/accelerators", " a100 , ,K80,A30"}},
       1,
       {"a100 is not in the catalogue; it has " + models + "; did you mean A100?",
        "K80 is not in the catalogue; it has " + models}},
      {{{"berth.dev/accelerator-memory", "-1"}},
       1,
       {"berth.dev/accelerator-memory: must be from 1Mi to 64Pi, got \"-1\"; write a size such as "
        "\"40Gi\""}},
  };
  for (const HintCase& test : cases) {
    model::Pod pod;
    pod.annotations = test.annotations;
    pod.requests.Set("nvidia.com/gpu", test.gpus);
    EXPECT_EQ(Explained(pod).hints, test.hints);
  }
}

TEST_F(ExplanationTest, HintsThatAPodIsBoundAlready) {
  model::Pod pod = PodOf("whole_node.yaml");
  pod.node_name = "v100-4";
  EXPECT_THAT(
      Explained(pod).hints,
      testing::Contains("the pod is bound to v100-4 already, and its devices count as used there"));
}

// A pod that is there and waits; it asks for no accelerator.
model::Pod PodWithGates(std::vector<std::string> gates) {
  model::Pod pod;
  pod.namespace_ = "ml";
  pod.uid = "u1";
  pod.gated = !gates.empty();
  pod.gates = std::move(gates);
  return pod;
}

std::vector<std::string> GateHintsOf(const model::Pod& pod,
                                     const std::string& prefix = "berth.dev") {
  Explanation explanation;
  placement::AddGateHints(pod, prefix, explanation);
  return explanation.hints;
}

TEST(GateHints, NameGatesOfOthersAndWhenTheyGo) {
  EXPECT_THAT(GateHintsOf(PodWithGates(
                  {"kueue.x-k8s.io/admission", "kueue.x-k8s.io/topology", "example.org/quota"})),
              ElementsAre("the scheduling gate kueue.x-k8s.io/admission holds the pod back until "
                          "Kueue admits its Workload; see `kubectl get workloads.kueue.x-k8s.io "
                          "-n ml`",
                          "the scheduling gate kueue.x-k8s.io/topology holds the pod back until "
                          "Kueue has chosen a domain of its topology for it",
                          "the scheduling gate example.org/quota holds the pod back until whoever "
                          "has set this gate takes it away"));
}

TEST(GateHints, NameTheGangAndTheCommandThatTellsOfIt) {
  const std::string hint =
      "the pod is of gang ml/train-7f9c: `berth explain --gang ml/train-7f9c` says how far the "
      "gang is, and what it waits for";
  model::Pod pod = PodWithGates({"berth.dev/gang"});
  pod.annotations = {{"berth.dev/gang-name", "train-7f9c"}, {"berth.dev/gang-size", "3"}};
  EXPECT_THAT(GateHintsOf(pod), ElementsAre(hint));
  pod.gates = {"kueue.x-k8s.io/admission", "berth.dev/gang"};
  EXPECT_THAT(GateHintsOf(pod), ElementsAre(HasSubstr("kueue.x-k8s.io/admission"), hint));
  pod.gates.clear();
  EXPECT_THAT(GateHintsOf(pod), ElementsAre(hint)) << "a PodGroup may hold it back instead";
  EXPECT_THAT(GateHintsOf(pod, "example.com"), IsEmpty()) << "the names are below the prefix";
}

TEST(GateHints, TellOfAGateWithoutAGang) {
  model::Pod pod = PodWithGates({"berth.dev/gang"});
  const std::string hint =
      "the scheduling gate berth.dev/gang holds the pod back, but the annotations "
      "berth.dev/gang-name and berth.dev/gang-size do not state its gang, so no node is planned "
      "for it";
  EXPECT_THAT(GateHintsOf(pod), ElementsAre(hint));
  pod.annotations = {{"berth.dev/gang-name", "train-7f9c"}};
  EXPECT_THAT(GateHintsOf(pod), ElementsAre(hint)) << "it does not say of how many pods";
}

TEST(GateHints, AreOfPodsThatWait) {
  model::Pod pod = PodWithGates({"example.org/quota"});
  pod.annotations = {{"berth.dev/gang-name", "train-7f9c"}, {"berth.dev/gang-size", "3"}};
  ASSERT_THAT(GateHintsOf(pod), SizeIs(2));
  model::Pod bound = pod;
  bound.node_name = "n1";
  EXPECT_THAT(GateHintsOf(bound), IsEmpty());
  model::Pod ended = pod;
  ended.terminated = true;
  EXPECT_THAT(GateHintsOf(ended), IsEmpty());
  model::Pod template_of_a_job = pod;
  template_of_a_job.uid.clear();
  EXPECT_THAT(GateHintsOf(template_of_a_job), IsEmpty());
  EXPECT_THAT(GateHintsOf(PodWithGates({})), IsEmpty());
}

TEST_F(ExplanationTest, IsEmptyForAnEmptyCluster) {
  const cluster::Snapshot empty({.catalog = engine_.catalog, .labels = {}});
  const Explanation explanation =
      placement::Explain(PodOf("one_gpu.yaml"), empty.Read(), *engine_.scheduling, kNow);
  EXPECT_EQ(SummaryOf(ToMessage(explanation)), "0 fit");
  EXPECT_THAT(explanation.hints, IsEmpty());
}

TEST_F(ExplanationTest, JsonHasTheSameAnswer) {
  const Explanation explanation = Explained(PodOf("one_gpu.yaml"));
  const auto json =
      nlohmann::json::parse(ExplanationJson(ToMessage(explanation), "Pod train", nullptr));
  EXPECT_EQ(json["summary"], SummaryOf(ToMessage(explanation)));
  EXPECT_EQ(json["requests"]["nvidia.com/gpu"], 1);
  ASSERT_EQ(json["nodes"].size(), explanation.nodes.size());
  for (std::size_t i = 0; i < explanation.nodes.size(); ++i) {
    EXPECT_EQ(json["nodes"][i]["name"], explanation.nodes[i].name);
    EXPECT_EQ(json["nodes"][i]["fits"], explanation.nodes[i].fits);
    EXPECT_EQ(json["nodes"][i]["rank"], explanation.nodes[i].rank);
    EXPECT_EQ(json["nodes"][i]["reason"].is_null(), explanation.nodes[i].fits);
    EXPECT_FALSE(json["nodes"][i].contains("conditions"));
  }
}

}  // namespace
}  // namespace berth::cli
