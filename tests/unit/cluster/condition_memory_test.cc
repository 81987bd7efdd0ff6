#include "cluster/condition_memory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionStatus;
using model::PastTrue;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr model::Time kNoon{model::Duration{1'800'000'000}};
constexpr auto kTrue = ConditionStatus::kTrue;
constexpr auto kFalse = ConditionStatus::kFalse;
constexpr auto kUnknown = ConditionStatus::kUnknown;

// One state of the condition after the other, as a watch tells them.
struct Seen {
  ConditionStatus status;
  model::Time since;
};

struct Case {
  std::string name;
  std::vector<Seen> seen;
  std::optional<PastTrue> remembered;
};

PastTrue Lost(model::Time since, model::Time until) { return {"GPUIsLost", since, until}; }

class ConditionMemoryTable : public ::testing::TestWithParam<Case> {};

TEST_P(ConditionMemoryTable, Remembers) {
  std::vector<PastTrue> past;
  std::vector<Condition> former;
  for (const Seen& seen : GetParam().seen) {
    const std::vector<Condition> present = {{"Ready", kTrue, kNoon, kNoon},
                                            {"GPUIsLost", seen.status, seen.since, kNoon}};
    RememberTrue(former, present, past);
    former = present;
  }
  if (GetParam().remembered) {
    EXPECT_THAT(past, ElementsAre(*GetParam().remembered));
  } else {
    EXPECT_THAT(past, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConditionMemoryTable,
    ::testing::Values(
        Case{"NothingOfWhatNeverWasTrue", {{kFalse, kNoon}, {kFalse, kNoon + hours(1)}}, {}},
        Case{"NothingOfWhatIsTrueStill", {{kFalse, kNoon}, {kTrue, kNoon + hours(1)}}, {}},
        Case{"NothingOfWhatItHasNotSeen", {{kFalse, kNoon}}, {}},
        Case{"WhatWasTrue",
             {{kTrue, kNoon}, {kFalse, kNoon + hours(3)}},
             Lost(kNoon, kNoon + hours(3))},
        Case{"WhatWasTrueSinceNobodyKnowsWhen",
             {{kTrue, model::kNoTime}, {kFalse, kNoon}},
             Lost(model::kNoTime, kNoon)},
        Case{"WhatWasTrueThoughADetectorRestartsAfterwards",
             {{kTrue, kNoon}, {kFalse, kNoon + hours(3)}, {kFalse, kNoon + hours(9)}},
             Lost(kNoon, kNoon + hours(3))},
        Case{"WhatWasTrueAndIsUnknown",
             {{kTrue, kNoon}, {kUnknown, kNoon + hours(3)}},
             Lost(kNoon, kNoon + hours(3))},
        Case{"WhatWasUnknownOnTheWayToFalse",
             {{kTrue, kNoon}, {kUnknown, kNoon + hours(3)}, {kFalse, kNoon + hours(5)}},
             Lost(kNoon, kNoon + hours(5))},
        Case{"NothingOfWhatWasOnlyUnknown", {{kUnknown, kNoon}, {kFalse, kNoon + hours(1)}}, {}},
        // A detector that restarts on a broken node says False before it has looked.
        Case{"ARestartInTheMiddleAsNone",
             {{kTrue, kNoon},
              {kFalse, kNoon + hours(3)},
              {kTrue, kNoon + hours(3) + minutes(1)},
              {kFalse, kNoon + hours(3) + minutes(2)}},
             Lost(kNoon, kNoon + hours(3) + minutes(2))},
        Case{"AnotherFaultApart",
             {{kTrue, kNoon},
              {kFalse, kNoon + hours(3)},
              {kTrue, kNoon + hours(3) + kSameFault},
              {kFalse, kNoon + hours(4)}},
             Lost(kNoon + hours(3) + kSameFault, kNoon + hours(4))},
        Case{"AFaultWhoseDetectorWritesTheTimeAnew",
             {{kTrue, kNoon},
              {kTrue, kNoon + minutes(5)},
              {kTrue, kNoon + minutes(10)},
              {kFalse, kNoon + minutes(15)}},
             Lost(kNoon, kNoon + minutes(15))}),
    [](const auto& param) { return param.param.name; });

TEST(ConditionMemory, ForgetsTypesThatTheNodeNoLongerHas) {
  std::vector<PastTrue> past;
  RememberTrue({{"A", kTrue, kNoon, kNoon}}, {{"A", kFalse, kNoon + hours(1), kNoon}}, past);
  ASSERT_EQ(past.size(), 1U);
  RememberTrue({{"A", kFalse, kNoon + hours(1), kNoon}}, {}, past);
  EXPECT_THAT(past, IsEmpty());
}

TEST(ConditionMemory, IsBoundedAndKeepsWhatCeasedLast) {
  std::vector<Condition> former;
  std::vector<Condition> present;
  constexpr int kTypes = 100;
  for (int i = 0; i < kTypes; ++i) {
    const std::string type = "T" + std::to_string(i);
    former.push_back({type, kTrue, kNoon, kNoon});
    present.push_back({type, kFalse, kNoon + minutes((7 * i) % kTypes), kNoon});
  }
  std::vector<PastTrue> past;
  RememberTrue(former, present, past);
  ASSERT_EQ(past.size(), kMostPastTrue);
  for (const PastTrue& each : past) {
    EXPECT_GE(each.until, kNoon + minutes(kTypes - static_cast<int>(kMostPastTrue))) << each.type;
  }
}

// Times are what somebody wrote.
TEST(ConditionMemory, BearsAnyTimes) {
  const model::Time times[] = {model::Time::min(), model::kNoTime, kNoon, model::kForever};
  std::vector<PastTrue> past;
  std::vector<Condition> former;
  for (const model::Time a : times) {
    for (const model::Time b : times) {
      for (const auto& [status, time] : {std::pair{kTrue, a}, std::pair{kFalse, b}}) {
        const std::vector<Condition> present = {{"A", status, time, kNoon}};
        RememberTrue(former, present, past);
        former = present;
      }
    }
  }
  EXPECT_EQ(past.size(), 1U);
}

TEST(SnapshotMemory, IsOfTheNodeAndGoesWithIt) {
  Snapshot snapshot(TestOptions());
  const auto past = [&] {
    const Snapshot::Reader reader = snapshot.Read();
    return reader.At(reader.Find("a").value())->past;
  };
  model::Node node = MakeNode("a");
  node.conditions = {{"GPUIsLost", kTrue, kNoon, kNoon}};
  snapshot.UpsertNode(node);
  node.conditions = {{"GPUIsLost", kFalse, kNoon + hours(3), kNoon}};
  snapshot.UpsertNode(node);
  EXPECT_THAT(past(), ElementsAre(Lost(kNoon, kNoon + hours(3))));

  const std::uint64_t generation = snapshot.Read().Generation();
  snapshot.UpsertNode(node);
  EXPECT_EQ(snapshot.Read().Generation(), generation) << "an equal node is no change";
  EXPECT_THAT(past(), ElementsAre(Lost(kNoon, kNoon + hours(3))));

  snapshot.UpsertPod(MakePod("p", "a", 1));  // which holds the place
  snapshot.DeleteNode("a");
  snapshot.UpsertNode(node);
  EXPECT_THAT(past(), IsEmpty());
}

}  // namespace
}  // namespace berth::cluster
