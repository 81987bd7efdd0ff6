#include "planner/candidates.h"

#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using model::NodeIndex;
using policies::scheduling::FixedView;
using policies::scheduling::PodAskingFor;

TEST(Candidates, OfEqualNodesTheFirstIsTheBest) {
  const FixedView view({RoomyNode("a", 0), RoomyNode("b"), RoomyNode("c")});
  const PlannedView planned(view);
  Candidates candidates(*Engine(), PodAskingFor(kGpu, 1), planned, kNow);
  EXPECT_EQ(candidates.Best(), NodeIndex{1});
  EXPECT_EQ(candidates.Best(), NodeIndex{1});
  EXPECT_FALSE(candidates.Fits(0));
  EXPECT_TRUE(candidates.Fits(2));
}

TEST(Candidates, AvoidedNodesArePassedOverAndNotForgotten) {
  const FixedView view({RoomyNode("a"), RoomyNode("b")});
  const PlannedView planned(view);
  Candidates candidates(*Engine(), PodAskingFor(kGpu, 1), planned, kNow);
  EXPECT_EQ(candidates.Best(std::vector<NodeIndex>{0}), NodeIndex{1});
  EXPECT_EQ(candidates.Best(std::vector<NodeIndex>{0, 1}), std::nullopt);
  EXPECT_EQ(candidates.Best(), NodeIndex{0});
}

TEST(Candidates, WhatIsBookedCountsForEveryShape) {
  const FixedView view({RoomyNode("a", 4), RoomyNode("b", 4)});
  PlannedView planned(view);
  const model::Pod small = PodAskingFor(kGpu, 1);
  const model::Pod large = PodAskingFor(kGpu, 4);
  Candidates smalls(*Engine(), small, planned, kNow);
  Candidates larges(*Engine(), large, planned, kNow);
  EXPECT_EQ(larges.Best(), NodeIndex{0});
  planned.Book(small, *smalls.Best());
  EXPECT_EQ(larges.Best(), NodeIndex{1});
  EXPECT_FALSE(larges.Fits(0));
  planned.Book(large, 1);
  EXPECT_EQ(larges.Best(), std::nullopt);
  for (int i = 0; i < 3; ++i) planned.Book(small, *smalls.Best());
  EXPECT_EQ(smalls.Best(), std::nullopt);
}

TEST(Candidates, PodsArePacked) {
  const FixedView view({RoomyNode("a"), RoomyNode("b")});
  PlannedView planned(view);
  const model::Pod pod = PodAskingFor(kGpu, 3);
  planned.Book(pod, 1);
  Candidates candidates(*Engine(), pod, planned, kNow);
  EXPECT_EQ(candidates.Best(), NodeIndex{1});
}

// What is kept is booked in the ledger of this plan already.
TEST(Candidates, WhatNodesSayIsKeptDoesNotCount) {
  std::vector<model::NodeState> nodes = {RoomyNode("a")};
  nodes[0].node.annotations = {
      {"berth.dev/kept", model::KeptRoomsText({{.gang = "ml/train",
                                                .resource = std::string(kGpu),
                                                .devices = 8,
                                                .priority = 9,
                                                .until = kNow + std::chrono::minutes(10)}})}};
  const FixedView view(nodes);
  ASSERT_FALSE(Engine()->Prepare(PodAskingFor(kGpu, 1), view, kNow).Judge(nodes[0]).fits);
  const PlannedView planned(view);
  Candidates candidates(*Engine(), PodAskingFor(kGpu, 1), planned, kNow);
  EXPECT_EQ(candidates.Best(), NodeIndex{0});
}

TEST(PlannedView, ShowsWhatIsBookedBesideWhatIsBound) {
  std::vector<model::NodeState> nodes = {RoomyNode("a"), RoomyNode("b")};
  nodes[0].used.Set(kGpu, 2);
  nodes[0].pods = 1;
  const FixedView view(nodes);
  PlannedView planned(view);
  model::Pod pod = PodAskingFor(kGpu, 3);
  pod.host_ports = {{.port = 80}};
  planned.Book(pod, 0);
  EXPECT_EQ(planned.At(0)->used.Get(kGpu), 5);
  EXPECT_EQ(planned.At(0)->pods, 2);
  EXPECT_EQ(planned.At(0)->ports, pod.host_ports);
  EXPECT_EQ(planned.At(1)->used.Get(kGpu), 0);
  EXPECT_EQ(view.At(0)->used.Get(kGpu), 2);
  EXPECT_EQ(planned.bookings(), std::vector<NodeIndex>{0});
}

}  // namespace
}  // namespace berth::planner
