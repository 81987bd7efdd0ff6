// Where the pods of one gang go.

#include "planner/gang_placer.h"

#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(GangPlaces, TheNarrowestDomainThatHoldsAllIsTaken) {
  GangFixture f;
  f.AddNode("a", 8, "1", "east");
  f.AddNode("b", 8, "2", "west");
  f.AddNode("c", 8, "2", "west");
  f.AddNode("d", 8, "3", "west");
  f.WaitAll("train", 2, 8);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("b", "c"));
}

TEST(GangPlaces, OfDomainsThatHoldAllTheSmallestIsTaken) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8, "1", "east");
  for (const char* name : {"d", "e"}) f.AddNode(name, 8, "2", "east");
  f.WaitAll("train", 2, 8);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("d", "e"));
}

TEST(GangPlaces, OneNodeIsTakenIfItHoldsAll) {
  GangFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.Node("a").used.Set(kGpu, 6);  // the best one by packing
  f.WaitAll("train", 4, 1);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), Each("b"));
}

TEST(GangPlaces, AGangThatNoRackHoldsSpansAsFewAsPossible) {
  GangFixture f;
  f.AddNode("a", 8, "1", "east");
  for (const char* name : {"b", "c"}) f.AddNode(name, 8, "2", "east");
  for (const char* name : {"d", "e"}) f.AddNode(name, 8, "3", "east");
  f.WaitAll("train", 4, 8);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("b", "c", "d", "e"));
}

TEST(GangPlaces, NearRanksGetNearNodes) {
  GangFixture f;
  f.AddNode("a", 1, "2", "east");
  f.AddNode("b", 1, "1", "east");
  f.AddNode("c", 1, "2", "east");
  f.AddNode("d", 1, "1", "east");
  f.WaitAll("train", 4, 1);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("b", "d", "a", "c"));
}

TEST(GangPlaces, RanksAreNumbers) {
  GangFixture f;
  f.AddNode("a", 10, "1", "east");
  f.AddNode("b", 1, "2", "east");
  f.WaitAll("train", 11, 1);
  f.Plan();
  EXPECT_EQ(f.pods.at("train-2").nominated_node, "a");
  EXPECT_EQ(f.pods.at("train-10").nominated_node, "b");
}

TEST(GangPlaces, ARequiredDomainIsNotLeft) {
  GangFixture f;
  f.AddNode("a", 8, "1", "east");
  f.AddNode("b", 8, "2", "east");
  f.WaitAll("train", 2, 8, {{"berth.dev/gang-topology", kRack}});
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("1 of 2 pods fit at once"));
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("with the same rack"));
  f.AddNode("c", 8, "2", "east");
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("b", "c"));
}

TEST(GangPlaces, NodesWithoutARequiredLabelDoNotCount) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8, "1", "");
  f.WaitAll("train", 2, 8, {{"berth.dev/gang-topology", kZone}});
  EXPECT_THAT(f.Plan(), IsEmpty());
  for (const char* name : {"c", "d"}) f.AddNode(name, 8, "2", "east");
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("c", "d"));
}

TEST(GangPlaces, ALabelThatNoNodeHasIsNamed) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8);
  f.WaitAll("train", 2, 8, {{"berth.dev/gang-topology", "rak"}});
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.ReasonOf("train"), "no node has the label rak");
}

TEST(GangPlaces, ARequiredLabelNeedNotBeALevel) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8, "1", "east");
  for (const char* name : {"a", "c"}) f.Node(name).node.labels.emplace_back("switch", name);
  f.Node("c").node.labels.back().second = "a";
  for (auto& node : f.nodes) model::Normalize(node.node.labels);
  f.WaitAll("train", 2, 8, {{"berth.dev/gang-topology", "switch"}});
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "c"));
}

// It may be wider than all levels, and the gang still gets as few racks as possible.
TEST(GangPlaces, ARequiredLabelThatIsNoLevelLeavesTheLevelsAsTheyAre) {
  GangFixture f;
  for (const char* name : {"a", "b", "c", "d"}) {
    const std::string rack = name[0] == 'a' || name[0] == 'c' ? "1" : "2";
    f.AddNode(name, 8, rack, "east");
    f.Node(name).node.labels.emplace_back("site", "x");
    model::Normalize(f.Node(name).node.labels);
  }
  f.WaitAll("train", 2, 8, {{"berth.dev/gang-topology", "site"}});
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "c"));
}

// As the pods of two Jobs of a JobSet, of which each has the indices 0 and 1.
TEST(GangPlaces, PodsOfOneJobAreNearEachOther) {
  GangFixture f;
  for (const char* name : {"a", "b"}) f.AddNode(name, 8, "1", "east");
  for (const char* name : {"c", "d"}) f.AddNode(name, 8, "2", "east");
  f.WaitAll("train", 4, 8);
  for (const auto& [name, job] : {std::pair("train-0", "second"), std::pair("train-1", "first"),
                                  std::pair("train-2", "second"), std::pair("train-3", "first")}) {
    f.Edit(name, [&job = job](model::Pod& pod) {
      pod.controller_uid = job;
      const bool is_last = pod.name == "train-2" || pod.name == "train-3";
      std::erase_if(pod.annotations, [](const auto& each) {
        return each.first.starts_with("batch.kubernetes.io/");
      });
      pod.annotations.emplace_back("batch.kubernetes.io/job-completion-index", is_last ? "1" : "0");
      model::Normalize(pod.annotations);
    });
  }
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "c", "b", "d"));
}

// As those of a PyTorchJob, which have no index.
TEST(GangPlaces, NumbersInNamesAreNumbers) {
  GangFixture f;
  f.AddNode("a", 10, "1", "east");
  f.AddNode("b", 1, "2", "east");
  f.WaitAll("train", 11, 1);
  for (const std::string& name : f.NamesOf("train")) {
    f.Edit(name, [](model::Pod& pod) {
      std::erase_if(pod.annotations, [](const auto& each) {
        return each.first.starts_with("batch.kubernetes.io/");
      });
    });
  }
  f.Plan();
  EXPECT_EQ(f.pods.at("train-2").nominated_node, "a");
  EXPECT_EQ(f.pods.at("train-10").nominated_node, "b");
}

void AddA100(GangFixture& f, const std::string& name) {
  f.nodes.push_back(policies::scheduling::GpuNode(name, "NVIDIA-A100-SXM4-40GB", 8));
  f.nodes.back().node.allocatable.Set("pods", 110);
  f.Node(name);
}

GangFixture& WithTwoModels(GangFixture& f) {
  f.AddNode("a", 8);
  AddA100(f, "b");
  return f;
}

TEST(GangPlaces, AllPodsGetOneModel) {
  GangFixture f;
  WithTwoModels(f).WaitAll("train", 2, 8);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"),
              HasSubstr("1 of 2 pods fit at once on nodes of one model (A30)"));
}

TEST(GangPlaces, TheModelThatHoldsTheMostPodsIsNamed) {
  GangFixture f;
  WithTwoModels(f);
  AddA100(f, "c");
  f.WaitAll("train", 3, 8);
  f.WaitAll("any", 4, 8, {{"berth.dev/gang-models", "any"}});
  f.WaitAll("large", 2, 16);
  f.Plan();
  EXPECT_THAT(f.ReasonOf("train"),
              HasSubstr("2 of 3 pods fit at once on nodes of one model (A100)"));
  EXPECT_THAT(f.ReasonOf("any"), AllOf(HasSubstr("of 4 pods fit at once"), Not(HasSubstr("("))));
  EXPECT_THAT(f.ReasonOf("large"), HasSubstr("0 of 2 pods fit at once on nodes of one model, and"));
}

TEST(GangPlaces, PodsThatSaySoGetAnyModel) {
  GangFixture f;
  WithTwoModels(f).WaitAll("train", 2, 8, {{"berth.dev/gang-models", "any"}});
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "b"));
}

TEST(GangPlaces, PodsThatAskForNoAcceleratorMayBeAnywhere) {
  GangFixture f;
  f.AddNode("a", 8, "1", "east");
  f.AddNode("cpu", 0, "2", "west");
  f.WaitInGang("train", 0, 2, 8, {{"berth.dev/gang-topology", kRack}});
  model::Pod launcher = f.WaitInGang("train", 1, 2, 0, {{"berth.dev/gang-topology", kRack}});
  launcher.requests = {};
  launcher.requests.Set("cpu", 1000);
  launcher.needs.selector = {{kZone, "west"}};
  f.Put(launcher);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "cpu"));
}

TEST(GangPlaces, AGangWithoutAcceleratorsDoesNotLeaveARequiredDomainEither) {
  GangFixture f;
  f.AddNode("a", 0, "1", "east");
  f.AddNode("b", 0, "2", "east");
  f.WaitAll("train", 2, 0, {{"berth.dev/gang-topology", kRack}});
  for (const char* name : {"train-0", "train-1"}) {
    f.Edit(name, [](model::Pod& pod) {
      pod.requests = {};
      pod.requests.Set("cpu", 600'000);
    });
  }
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("train"), HasSubstr("1 of 2 pods fit at once with the same rack"));
  f.AddNode("c", 0, "2", "east");
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("b", "c"));
}

TEST(GangPlaces, AGangWithoutAcceleratorsStaysTogetherIfItCan) {
  GangFixture f;
  f.AddNode("a", 0, "1", "east");
  for (const char* name : {"b", "c"}) f.AddNode(name, 0, "2", "east");
  f.WaitAll("train", 2, 0);
  for (const char* name : {"train-0", "train-1"}) {
    f.Edit(name, [](model::Pod& pod) {
      pod.requests = {};
      pod.requests.Set("cpu", 600'000);
    });
  }
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("b", "c"));
}

TEST(GangPlaces, LargePodsComeBeforeSmallOnes) {
  GangFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 4);
  f.WaitInGang("train", 0, 2, 4);
  f.WaitInGang("train", 1, 2, 8);
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("b", "a"));
}

TEST(GangPlaces, NodesWithAFlawComeLast) {
  GangFixture f;
  for (const char* name : {"a", "b", "c"}) f.AddNode(name, 8);
  f.Node("a").node.conditions = {{.type = "GPUPendingPage",
                                  .status = model::ConditionStatus::kTrue,
                                  .last_transition = kNow,
                                  .last_heartbeat = kNow}};
  f.WaitAll("train", 2, 8);
  f.Plan();
  const auto nodes = f.NodesOf("train");
  EXPECT_THAT(nodes, ElementsAre("b", "c"));
}

TEST(GangPlaces, PodsWithAHostPortGetANodeEach) {
  GangFixture f;
  f.AddNode("a", 8);
  f.AddNode("b", 8);
  f.WaitAll("train", 2, 1);
  for (const char* name : {"train-0", "train-1"}) {
    f.Edit(name, [](model::Pod& pod) { pod.host_ports = {{.port = 80}}; });
  }
  f.Plan();
  EXPECT_THAT(f.NodesOf("train"), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace berth::planner
