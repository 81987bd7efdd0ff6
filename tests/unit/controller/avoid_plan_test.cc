#include "controller/avoid_plan.h"

#include <chrono>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using model::Avoided;
using policies::scheduling::FixedView;
using policies::scheduling::GpuNode;
using policies::scheduling::kNow;
using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kAnnotation[] = "berth.dev/avoid";

model::NodeState Node(const std::string& name, const std::vector<Avoided>& entries = {}) {
  model::NodeState state = GpuNode(name, "Tesla-V100-SXM2-32GB");
  state.node.uid = "u-" + name;
  if (!entries.empty()) state.node.annotations = {{kAnnotation, model::AvoidedText(entries)}};
  return state;
}

std::vector<AvoidChange> Plan(std::vector<model::NodeState> nodes, const FailedOwners& failed) {
  return PlanAvoided(FixedView(std::move(nodes)), kAnnotation, failed, kNow);
}

TEST(MergeAvoided, KeepsTheLaterEntryOfAnOwner) {
  EXPECT_THAT(MergeAvoided({{"a", kNow + hours(2)}, {"b", kNow + hours(1)}},
                           {{"a", kNow + hours(1)}, {"b", kNow + hours(3)}}, kNow),
              ElementsAre(Avoided{"a", kNow + hours(2)}, Avoided{"b", kNow + hours(3)}));
}

TEST(MergeAvoided, KeepsTheSixteenThatExpireLast) {
  std::vector<Avoided> present;
  for (int i = 0; i < 16; ++i) present.push_back({"job-" + std::to_string(i), kNow + hours(i + 1)});
  const auto merged = MergeAvoided(present, {{"new", kNow + hours(9)}}, kNow);
  EXPECT_THAT(merged, SizeIs(model::kMostAvoided));
  EXPECT_THAT(merged, testing::Not(testing::Contains(Avoided{"job-0", kNow + hours(1)})));
  EXPECT_THAT(merged, testing::Contains(Avoided{"new", kNow + hours(9)}));
}

TEST(PlanAvoided, AddsWhatFailedAndDropsWhatExpired) {
  const auto text = model::AvoidedText({{"old", kNow + hours(1)}, {"new", kNow + hours(2)}});
  EXPECT_THAT(
      Plan({Node("gpu-1", {{"gone", kNow}, {"old", kNow + hours(1)}}), Node("gpu-2"),
            Node("gpu-3", {{"gone", kNow}}), Node("gpu-4", {{"stays", kNow + hours(1)}})},
           {{"gpu-1", {{"new", kNow + hours(2)}}}}),
      ElementsAre(AvoidChange{"gpu-1", "u-gpu-1", text}, AvoidChange{"gpu-3", "u-gpu-3", ""}));
}

TEST(PlanAvoided, DoesNothingThatIsDone) {
  EXPECT_THAT(Plan({Node("gpu-1", {{"b", kNow + hours(2)}, {"a", kNow + hours(1)}})},
                   {{"gpu-1", {{"a", kNow + hours(1)}}}}),
              IsEmpty());
}

TEST(PlanAvoided, LeavesOutNodesThatAreGoneOrCannotBeRead) {
  auto unreadable = Node("gpu-1", {{"gone", kNow}});
  unreadable.quarantined = true;
  EXPECT_THAT(Plan({unreadable},
                   {{"gpu-1", {{"a", kNow + hours(1)}}}, {"gpu-9", {{"a", kNow + hours(1)}}}}),
              IsEmpty());
}

TEST(CountAvoided, CountsWhatHasNotExpired) {
  const FixedView view({Node("gpu-1", {{"a", kNow}, {"b", kNow + hours(1)}}), Node("gpu-2"),
                        Node("gpu-3", {{"b", kNow + hours(1)}, {"c", kNow + hours(1)}})});
  EXPECT_EQ(CountAvoided(view, kAnnotation, kNow), 3U);
}

}  // namespace
}  // namespace berth::controller
