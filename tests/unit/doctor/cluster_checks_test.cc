#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "doctor/checks/all.h"
#include "policies/scheduling/health_profiles.h"
#include "tests/unit/doctor/fixtures.h"

// The checks of nodes, each by what is changed in a cluster that is well.

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;

struct ClusterCase {
  std::string name;
  Findings (*check)(const Facts&, const Rules&);
  std::function<void(std::vector<model::Node>&)> change;
  Severity severity;
  std::string what;
  std::string advice;
};

class NodeTable : public ::testing::TestWithParam<ClusterCase> {};

TEST_P(NodeTable, Judges) {
  const ClusterCase& test = GetParam();
  Facts facts = NoFacts();
  facts.nodes = std::vector<model::Node>{GpuNode("v100-1"), GpuNode("v100-2"), CpuNode("cpu-1")};
  test.change(*facts.nodes);
  const Finding finding = Only(test.check(facts, DefaultRules().rules()));
  EXPECT_EQ(finding.severity, test.severity) << finding.what;
  EXPECT_THAT(finding.what, HasSubstr(test.what));
  EXPECT_THAT(finding.advice, HasSubstr(test.advice));
}

using Nodes = std::vector<model::Node>;
void Nothing(Nodes&) {}

void PublishAll(Nodes& nodes) {
  for (const auto& condition : policies::scheduling::AllConditions({})) {
    nodes[0].conditions.push_back({.type = condition.type});
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NodeTable,
    ::testing::Values(
        ClusterCase{"Labelled", checks::Labels().run, Nothing, Severity::kOk,
                    "2 accelerator nodes labelled", ""},
        ClusterCase{"LabelMissing", checks::Labels().run,
                    [](Nodes& nodes) { nodes[1].labels.erase(nodes[1].labels.begin()); },
                    Severity::kProblem, "1 accelerator node without label berth.dev/accelerator",
                    "check rights"},
        ClusterCase{"LabelMissingNamesTheNode", checks::Labels().run,
                    [](Nodes& nodes) { nodes[1].labels.erase(nodes[1].labels.begin()); },
                    Severity::kProblem, "v100-2 (V100)", ""},
        ClusterCase{"LabelOfAnother", checks::Labels().run,
                    [](Nodes& nodes) { nodes[0].labels[0].second = "A100"; }, Severity::kWarning,
                    "v100-1 (V100, labelled A100)", "drain"},
        ClusterCase{
            "MemoryMissing", checks::Labels().run,
            [](Nodes& nodes) { nodes[1].labels.erase(nodes[1].labels.begin() + 1); },
            Severity::kProblem,
            "1 accelerator node without label berth.dev/accelerator-memory: pods that name a "
            "minimum memory do not go there: v100-2 (32 GiB)",
            "check rights"},
        ClusterCase{"MemoryOfAnother", checks::Labels().run,
                    [](Nodes& nodes) { nodes[0].labels[1].second = "40"; }, Severity::kWarning,
                    "1 node labelled with another memory: v100-1 (32 GiB, labelled 40)", "drain"},
        ClusterCase{"MemoryThatDriversReport", checks::Labels().run,
                    [](Nodes& nodes) {
                      nodes[0].labels.insert(nodes[0].labels.begin() + 2,
                                             {"nvidia.com/gpu.memory", "16384"});
                    },
                    Severity::kWarning, "v100-1 (17 GiB, labelled 32)", "drain"},

        ClusterCase{"OneEntry", checks::Catalogue().run, Nothing, Severity::kOk, "", ""},
        ClusterCase{"TwoEntries", checks::Catalogue().run,
                    [](Nodes& nodes) { nodes[0].labels[2].second = "NVIDIA-A100-like-V100"; },
                    Severity::kWarning, "v100-1 (V100 and A100)", "so that only one entry matches"},
        ClusterCase{"NoEntry", checks::Catalogue().run,
                    [](Nodes& nodes) { nodes[0].labels.clear(); }, Severity::kWarning,
                    "v100-1 (nvidia.com/gpu)", "add an entry"},

        ClusterCase{"AllPublished", checks::Conditions().run, PublishAll, Severity::kOk,
                    "conditions are published", ""},
        ClusterCase{"SomePublished", checks::Conditions().run, Nothing, Severity::kNote,
                    "no node publishes", "health.conditions"},
        ClusterCase{"NonePublished", checks::Conditions().run,
                    [](Nodes& nodes) {
                      for (model::Node& node : nodes) node.conditions.clear();
                    },
                    Severity::kWarning, "broken nodes are not excluded", "node-problem-detector"},

        ClusterCase{"SharesFit", checks::Shares().run, Nothing, Severity::kOk, "", ""},
        ClusterCase{"TooLittleCpu", checks::Shares().run,
                    [](Nodes& nodes) { nodes[0].allocatable.Set("cpu", 20'000); },
                    Severity::kWarning, "V100: 8 x 4 cpu on a node with 20000m: v100-1", "share"},
        ClusterCase{
            "TooLittleMemory", checks::Shares().run,
            [](Nodes& nodes) { nodes[1].allocatable.Set("memory", std::int64_t{100} << 30); },
            Severity::kWarning, "memory on a node with 100Gi: v100-2", "share"},
        ClusterCase{
            "MoreDevicesThanCanBeMultiplied", checks::Shares().run,
            [](Nodes& nodes) { nodes[0].allocatable.Set("nvidia.com/gpu", std::int64_t{1} << 62); },
            Severity::kWarning, "V100: 4611686018427387904 x 4 cpu", "share"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(CheckLabels, CutsTheNamesOfManyNodes) {
  Facts facts = NoFacts();
  facts.nodes = Nodes();
  for (int i = 0; i < 46; ++i) {
    facts.nodes->push_back(GpuNode(fmt::format("v100-{:02}", i)));
    facts.nodes->back().labels.erase(facts.nodes->back().labels.begin());
  }
  const Finding finding = Only(checks::Labels().run(facts, DefaultRules().rules()));
  EXPECT_THAT(finding.what, HasSubstr("46 accelerator nodes"));
  EXPECT_THAT(finding.what, HasSubstr("v100-04 (V100) and 41 more"));
}

// A node of a group that an autoscaler may have started.
model::Node GroupedNode(const std::string& name, const std::string& group) {
  model::Node node = GpuNode(name);
  node.labels.emplace_back("karpenter.sh/nodepool", group);
  model::Normalize(node.labels);
  return node;
}

TEST(CheckNodeGroups, NamesTheGroupsThatTheControllerHadToLabel) {
  Facts facts = NoFacts();
  facts.nodes = Nodes{GroupedNode("a-1", "late"), GroupedNode("a-2", "late"),
                      GroupedNode("b-1", "at-join"), GpuNode("ungrouped"), CpuNode("cpu-1")};
  facts.labelled_late = {"a-1", "a-2", "ungrouped"};
  const Finding finding = Only(checks::NodeGroups().run(facts, DefaultRules().rules()));
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_EQ(finding.what,
            "nodes of these groups got Berth's labels only after they had joined: "
            "karpenter.sh/nodepool=late (berth.dev/accelerator=V100,"
            "berth.dev/accelerator-memory=32)");
  EXPECT_THAT(finding.advice, HasSubstr("from zero"));
}

TEST(CheckNodeGroups, AreWellWhereNodesJoinWithTheLabels) {
  Facts facts = NoFacts();
  facts.nodes = Nodes{GroupedNode("b-1", "at-join"), CpuNode("cpu-1")};
  facts.labelled_late = {"cpu-1"};
  const Finding finding = Only(checks::NodeGroups().run(facts, DefaultRules().rules()));
  EXPECT_EQ(finding.severity, Severity::kOk);
  EXPECT_THAT(finding.what, HasSubstr("1 node group with accelerators"));
}

TEST(CheckReadable, NamesTheObjectTheFieldAndWhatToDo) {
  Facts facts = NoFacts();
  facts.nodes = Nodes{GpuNode("v100-1")};
  facts.pods = std::vector<PodFacts>();
  EXPECT_EQ(Only(checks::Readable().run(facts, DefaultRules().rules())).severity, Severity::kOk);
  facts.unreadable.push_back({.kind = "Node", .name = "odd", .error = "status.capacity: odd"});
  const Finding node = Only(checks::Readable().run(facts, DefaultRules().rules()));
  EXPECT_EQ(node.severity, Severity::kProblem);
  EXPECT_EQ(node.what, "Node odd cannot be read: status.capacity: odd");
  EXPECT_THAT(node.advice, HasSubstr("kubectl get node odd -o yaml --show-managed-fields"));
  EXPECT_THAT(node.advice, HasSubstr("gets no pods"));
  facts.unreadable = {{.kind = "Pod", .namespace_ = "ml", .name = "p", .error = "odd"}};
  EXPECT_THAT(Only(checks::Readable().run(facts, DefaultRules().rules())).advice,
              HasSubstr("kubectl get pod p -n ml"));
}

TEST(CheckReadable, ListsTheFirstOfMany) {
  Facts facts = NoFacts();
  facts.nodes = Nodes();
  facts.pods = std::vector<PodFacts>();
  facts.unreadable.assign(46, {.kind = "Node", .name = "odd", .error = "odd"});
  const Findings findings = checks::Readable().run(facts, DefaultRules().rules());
  ASSERT_EQ(findings.size(), kNamesShown + 1);
  EXPECT_EQ(findings.back().what, "41 more cannot be read");
}

}  // namespace
}  // namespace berth::doctor
