#include "cluster/condition_memory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionStatus;
using model::kSameFault;
using model::PastStatus;
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

struct MemoryCase {
  std::string name;
  std::vector<Seen> seen;
  std::optional<PastStatus> remembered;
  // If it differs for a reader for whom False is bad.
  std::optional<PastStatus> of_false = {};
};

PastStatus Lost(model::Time since, model::Time until) { return {"GPUIsLost", since, until}; }

ConditionStatus Opposite(ConditionStatus status) {
  if (status == kUnknown) return kUnknown;
  return status == kTrue ? kFalse : kTrue;
}

// What is remembered of one status that ceased, or of one that lasts.
std::vector<PastStatus> Of(ConditionStatus status, std::vector<PastStatus> past,
                           bool lasts = false) {
  std::erase_if(
      past, [&](const PastStatus& each) { return each.status != status || each.lasts != lasts; });
  return past;
}

const std::vector<Condition> kReady = {{"Ready", kTrue, kNoon, kNoon}};

class ConditionMemoryTable : public ::testing::TestWithParam<MemoryCase> {};

// Of the status True, where it ceased, after the states of a case one by one. `others`: what the
// node has beside the condition.
std::vector<PastStatus> Remembered(const std::vector<Seen>& states, bool reversed,
                                   const std::vector<Condition>& others) {
  std::vector<PastStatus> past;
  std::vector<Condition> former;
  for (const Seen& seen : states) {
    const ConditionStatus status = reversed ? Opposite(seen.status) : seen.status;
    std::vector<Condition> present = others;
    present.push_back({"GPUIsLost", status, seen.since, kNoon});
    RememberStatus(former, present, model::kNoTime, past);
    former = std::move(present);
  }
  return Of(reversed ? kFalse : kTrue, past);
}

TEST_P(ConditionMemoryTable, Remembers) {
  const auto past = Remembered(GetParam().seen, false, kReady);
  if (GetParam().remembered) {
    EXPECT_THAT(past, ElementsAre(*GetParam().remembered));
  } else {
    EXPECT_THAT(past, IsEmpty());
  }
}

// For a reader for whom False is bad.
TEST_P(ConditionMemoryTable, RemembersTheSameOfFalse) {
  const auto past = Remembered(GetParam().seen, true, kReady);
  ASSERT_EQ(past.size(), GetParam().remembered ? 1U : 0U);
  if (past.empty()) return;
  PastStatus expected = GetParam().of_false.value_or(*GetParam().remembered);
  expected.status = kFalse;
  EXPECT_EQ(past.front(), expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, ConditionMemoryTable,
    ::testing::Values(
        MemoryCase{"NothingOfWhatNeverWasTrue", {{kFalse, kNoon}, {kFalse, kNoon + hours(1)}}, {}},
        MemoryCase{"NothingOfWhatIsTrueStill", {{kFalse, kNoon}, {kTrue, kNoon + hours(1)}}, {}},
        MemoryCase{"NothingOfWhatItHasNotSeen", {{kFalse, kNoon}}, {}},
        MemoryCase{"WhatWasTrue",
                   {{kTrue, kNoon}, {kFalse, kNoon + hours(3)}},
                   Lost(kNoon, kNoon + hours(3))},
        MemoryCase{"WhatWasTrueSinceNobodyKnowsWhen",
                   {{kTrue, model::kNoTime}, {kFalse, kNoon}},
                   Lost(model::kNoTime, kNoon)},
        MemoryCase{"WhatWasTrueThoughADetectorRestartsAfterwards",
                   {{kTrue, kNoon}, {kFalse, kNoon + hours(3)}, {kFalse, kNoon + hours(9)}},
                   Lost(kNoon, kNoon + hours(3))},
        MemoryCase{
            "NoEndOfWhatWasTrueAndIsUnknown", {{kTrue, kNoon}, {kUnknown, kNoon + hours(3)}}, {}},
        MemoryCase{"WhatWasUnknownOnTheWayToFalse",
                   {{kTrue, kNoon}, {kUnknown, kNoon + hours(3)}, {kFalse, kNoon + hours(5)}},
                   Lost(kNoon, kNoon + hours(5))},
        MemoryCase{"WhatWasUnknownForHoursAndThenTheSame",
                   {{kTrue, kNoon},
                    {kUnknown, kNoon + hours(3)},
                    {kTrue, kNoon + hours(5)},
                    {kFalse, kNoon + hours(6)}},
                   Lost(kNoon, kNoon + hours(6))},
        MemoryCase{"WhatWasUnknownOnTheWayToFalseThoughADetectorRestartsMeanwhile",
                   {{kTrue, kNoon},
                    {kUnknown, kNoon + hours(3)},
                    {kUnknown, kNoon + hours(4)},
                    {kFalse, kNoon + hours(5)}},
                   Lost(kNoon, kNoon + hours(5))},
        // Before it has looked, and has found that it cannot.
        MemoryCase{"AWordOfAMomentBeforeUnknownAsNone",
                   {{kTrue, kNoon},
                    {kFalse, kNoon + hours(3)},
                    {kUnknown, kNoon + hours(3) + kMoment - model::Duration(1)},
                    {kFalse, kNoon + hours(5)}},
                   Lost(kNoon, kNoon + hours(5))},
        MemoryCase{"AWordOfLongerBeforeUnknownAsTheEnd",
                   {{kTrue, kNoon},
                    {kFalse, kNoon + hours(3)},
                    {kUnknown, kNoon + hours(3) + kMoment},
                    {kFalse, kNoon + hours(5)}},
                   Lost(kNoon, kNoon + hours(3))},
        MemoryCase{
            "NothingOfWhatWasOnlyUnknown", {{kUnknown, kNoon}, {kFalse, kNoon + hours(1)}}, {}},
        // A detector that restarts on a broken node says False before it has looked.
        MemoryCase{"ARestartInTheMiddleAsNone",
                   {{kTrue, kNoon},
                    {kFalse, kNoon + hours(3)},
                    {kTrue, kNoon + hours(3) + minutes(1)},
                    {kFalse, kNoon + hours(3) + minutes(2)}},
                   Lost(kNoon, kNoon + hours(3) + minutes(2))},
        MemoryCase{"AnotherFaultApart",
                   {{kTrue, kNoon},
                    {kFalse, kNoon + hours(3)},
                    {kTrue, kNoon + hours(3) + kSameFault},
                    {kFalse, kNoon + hours(4)}},
                   Lost(kNoon + hours(3) + kSameFault, kNoon + hours(4))},
        MemoryCase{"AFaultWhoseDetectorWritesTheTimeAnew",
                   {{kTrue, kNoon},
                    {kTrue, kNoon + minutes(5)},
                    {kTrue, kNoon + minutes(10)},
                    {kFalse, kNoon + minutes(15)}},
                   Lost(kNoon, kNoon + minutes(15)),
                   Lost(kNoon + minutes(10), kNoon + minutes(15))}),
    [](const auto& param) { return param.param.name; });

// As on a node that no kubelet has reported of yet.
TEST(ConditionMemory, RemembersOfANodeWithoutOtherConditions) {
  const std::vector<Seen> seen = {
      {kTrue, kNoon}, {kTrue, kNoon + minutes(5)}, {kFalse, kNoon + minutes(9)}};
  EXPECT_THAT(Remembered(seen, false, {}), ElementsAre(Lost(kNoon, kNoon + minutes(9))));
}

TEST(ConditionMemory, ForgetsTypesThatTheNodeNoLongerHas) {
  std::vector<PastStatus> past;
  RememberStatus({{"A", kTrue, kNoon, kNoon}}, {{"A", kFalse, kNoon + hours(1), kNoon}},
                 model::kNoTime, past);
  ASSERT_EQ(past.size(), 2U);
  RememberStatus({{"A", kFalse, kNoon + hours(1), kNoon}}, {}, model::kNoTime, past);
  EXPECT_THAT(past, IsEmpty());
}

// A detector that restarts writes a new time into all that it says.
TEST(ConditionMemory, IsNotFilledByARestartOnANodeThatIsWell) {
  std::vector<Condition> former;
  std::vector<Condition> present;
  for (const char* type : {"A", "B", "C"}) {
    former.push_back({type, kFalse, kNoon, kNoon});
    present.push_back({type, kFalse, kNoon + hours(1), kNoon + hours(1)});
  }
  std::vector<PastStatus> past;
  RememberStatus(former, present, model::kNoTime, past);
  EXPECT_THAT(past, IsEmpty());
}

TEST(ConditionMemory, NeitherOneStatusNorWhatLastsCrowdsOutTheOther) {
  std::vector<PastStatus> past;
  RememberStatus({{"GPUIsLost", kTrue, kNoon, kNoon}}, {{"GPUIsLost", kFalse, kNoon, kNoon}},
                 model::kNoTime, past);
  std::vector<Condition> former = {{"GPUIsLost", kFalse, kNoon, kNoon}};
  std::vector<Condition> present = former;
  for (int i = 0; i < 20; ++i) {
    former.push_back({"T" + std::to_string(i), kFalse, kNoon, kNoon});
    present.push_back({"T" + std::to_string(i), kTrue, kNoon + hours(1), kNoon});
  }
  RememberStatus(former, present, model::kNoTime, past);
  EXPECT_THAT(Of(kTrue, past), ElementsAre(Lost(kNoon, kNoon)));
  EXPECT_EQ(Of(kFalse, past).size(), kMostPast);
  EXPECT_EQ(Of(kTrue, past, true).size(), kMostPast);
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
  std::vector<PastStatus> past;
  RememberStatus(former, present, model::kNoTime, past);
  EXPECT_EQ(past.size(), 2 * kMostPast);
  const model::Time last = kNoon + minutes(kTypes - static_cast<int>(kMostPast));
  ASSERT_EQ(Of(kTrue, past).size(), kMostPast);
  for (const PastStatus& each : Of(kTrue, past)) EXPECT_GE(each.until, last) << each.type;
  for (const PastStatus& each : Of(kFalse, past, true)) EXPECT_GE(each.since, last) << each.type;
}

// Whatever the clock of the node says.
TEST(ConditionMemory, NotesWhenItLearnedOfTheEnd) {
  std::vector<PastStatus> past;
  const std::vector<Condition> broken = {{"A", kTrue, kNoon, kNoon}};
  const std::vector<Condition> unsure = {{"A", kUnknown, kNoon + hours(1), kNoon}};
  const std::vector<Condition> well = {{"A", kFalse, kNoon + hours(2), kNoon}};
  RememberStatus(broken, unsure, kNoon + hours(7), past);
  ASSERT_EQ(past.size(), 1U);
  EXPECT_EQ(past.front().noticed, kNoon + hours(7));
  RememberStatus(unsure, well, kNoon + hours(8), past);
  EXPECT_EQ(past.front().noticed, kNoon + hours(8));
  RememberStatus(well, broken, kNoon + hours(9), past);
  EXPECT_EQ(Of(kTrue, past, true).front().noticed, kNoon + hours(8));
  RememberStatus(broken, well, kNoon + hours(10), past);
  EXPECT_EQ(Of(kTrue, past).front().noticed, kNoon + hours(10));
}

// A condition that turns True, False and so on, as Berth learns of it. The clock of the node may be
// set meanwhile.
class SeenCondition {
 public:
  explicit SeenCondition(ConditionStatus status) : conditions_({{"A", status, kNoon, kNoon}}) {}

  void Turns(ConditionStatus status, model::Time since, model::Time now) {
    const std::vector<Condition> present = {{"A", status, since, kNoon}};
    RememberStatus(conditions_, present, now, past_);
    conditions_ = present;
  }

  PastStatus RecordOfTrue() const {
    const auto found = std::ranges::find(past_, kTrue, &PastStatus::status);
    return found == past_.end() ? PastStatus{} : *found;
  }

 private:
  std::vector<Condition> conditions_;
  std::vector<PastStatus> past_;
};

TEST(ConditionMemory, NotesWhenItSawTheBeginning) {
  SeenCondition condition(kFalse);
  condition.Turns(kTrue, kNoon + minutes(55), kNoon + hours(1));
  EXPECT_TRUE(condition.RecordOfTrue().lasts);
  EXPECT_EQ(condition.RecordOfTrue().since, kNoon + minutes(55));
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, kNoon + hours(1));
  condition.Turns(kTrue, kNoon + minutes(57), kNoon + minutes(62));  // a new time, the same fault
  EXPECT_TRUE(condition.RecordOfTrue().lasts);
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, kNoon + hours(1));
  condition.Turns(kUnknown, kNoon + minutes(58), kNoon + minutes(63));
  condition.Turns(kTrue, kNoon + minutes(59), kNoon + minutes(64));
  condition.Turns(kFalse, kNoon + minutes(60), kNoon + minutes(65));
  EXPECT_FALSE(condition.RecordOfTrue().lasts);
  EXPECT_EQ(condition.RecordOfTrue().since, kNoon + minutes(55));
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, kNoon + hours(1));
  EXPECT_EQ(condition.RecordOfTrue().noticed, kNoon + minutes(65));
}

TEST(ConditionMemory, KnowsNoBeginningOfWhatItFound) {
  SeenCondition condition(kTrue);
  condition.Turns(kFalse, kNoon + hours(1), kNoon + hours(1));
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, model::kNoTime);
  condition.Turns(kTrue, kNoon + minutes(61), kNoon + minutes(61));
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, model::kNoTime) << "the same fault";
  condition.Turns(kFalse, kNoon + minutes(62), kNoon + minutes(62));
  condition.Turns(kTrue, kNoon + hours(9), kNoon + hours(9));
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, kNoon + hours(9));
}

TEST(ConditionMemory, TellsTheSameFaultByItsOwnClock) {
  SeenCondition set_forward(kTrue);
  set_forward.Turns(kFalse, kNoon + minutes(55), kNoon + minutes(60));
  set_forward.Turns(kTrue, kNoon + minutes(66), kNoon + minutes(66));
  EXPECT_EQ(set_forward.RecordOfTrue().since, kNoon);

  SeenCondition set_back(kTrue);
  set_back.Turns(kFalse, kNoon + minutes(65), kNoon + minutes(60));
  set_back.Turns(kTrue, kNoon + minutes(71), kNoon + minutes(71));
  EXPECT_EQ(set_back.RecordOfTrue().since, kNoon + minutes(71));
}

// A minute later by the node, and eleven by Berth, whose watch was cut meanwhile.
TEST(ConditionMemory, TellsTheSameFaultThoughItLearnsLateOfItsReturn) {
  SeenCondition condition(kTrue);
  condition.Turns(kFalse, kNoon + hours(2), kNoon + hours(2));
  condition.Turns(kTrue, kNoon + minutes(121), kNoon + minutes(131));
  EXPECT_EQ(condition.RecordOfTrue().since, kNoon);
}

// They are 19 minutes apart, and a watch that was cut tells of both at once.
TEST(ConditionMemory, TellsTwoFaultsApartThoughItLearnsOfAllAtOnce) {
  SeenCondition condition(kFalse);
  const model::Time later = kNoon + hours(1);
  condition.Turns(kTrue, later, later);
  condition.Turns(kFalse, later + minutes(1), later + minutes(20));
  condition.Turns(kTrue, later + minutes(20), later + minutes(20));
  EXPECT_EQ(condition.RecordOfTrue().since, later + minutes(20));
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, later + minutes(20));
}

TEST(ConditionMemory, GoesByItsOwnClockWhereTheTransitionTimeStays) {
  SeenCondition condition(kFalse);
  condition.Turns(kTrue, kNoon, kNoon + hours(1));
  condition.Turns(kFalse, kNoon, kNoon + hours(2));
  condition.Turns(kTrue, kNoon, kNoon + hours(3));
  EXPECT_EQ(condition.RecordOfTrue().noticed_since, kNoon + hours(3));
}

TEST(ConditionMemory, HasWhatBecameUnknownLastUntilItTurns) {
  SeenCondition condition(kFalse);
  condition.Turns(kTrue, kNoon + hours(1), kNoon + hours(1));
  condition.Turns(kUnknown, kNoon + hours(2), kNoon + hours(2) + minutes(1));
  const PastStatus expected{.type = "A",
                            .since = kNoon + hours(1),
                            .until = kNoon + hours(2),
                            .lasts = true,
                            .noticed = kNoon + hours(2) + minutes(1),
                            .noticed_since = kNoon + hours(1)};
  EXPECT_EQ(condition.RecordOfTrue(), expected);
  condition.Turns(kUnknown, kNoon + hours(3), kNoon + hours(3));  // written anew
  EXPECT_EQ(condition.RecordOfTrue(), expected);
  condition.Turns(kFalse, kNoon + hours(4), kNoon + hours(4));
  EXPECT_FALSE(condition.RecordOfTrue().lasts);
  EXPECT_EQ(condition.RecordOfTrue().noticed, kNoon + hours(4));
  condition.Turns(kUnknown, kNoon + hours(5), kNoon + hours(5));
  EXPECT_FALSE(condition.RecordOfTrue().lasts) << "it was False in between";
}

// Each time it starts it says False until it has tried to look.
TEST(ConditionMemory, BearsADetectorThatRestartsAndCannotLook) {
  SeenCondition condition(kTrue);
  for (int i = 1; i <= 5; ++i) {
    condition.Turns(kFalse, kNoon + hours(i), kNoon + hours(i));
    EXPECT_FALSE(condition.RecordOfTrue().lasts);
    EXPECT_EQ(condition.RecordOfTrue().noticed, kNoon + hours(i));
    condition.Turns(kUnknown, kNoon + hours(i) + minutes(1), kNoon + hours(i) + minutes(1));
    EXPECT_TRUE(condition.RecordOfTrue().lasts);
    EXPECT_EQ(condition.RecordOfTrue().since, kNoon);
  }
}

TEST(ConditionMemory, TellsAMomentByItsOwnClock) {
  SeenCondition set_forward(kTrue);
  set_forward.Turns(kFalse, kNoon + minutes(55), kNoon + minutes(60));
  set_forward.Turns(kUnknown, kNoon + minutes(61), kNoon + minutes(61));
  EXPECT_TRUE(set_forward.RecordOfTrue().lasts);

  SeenCondition set_back(kTrue);
  set_back.Turns(kFalse, kNoon + minutes(65), kNoon + minutes(60));
  set_back.Turns(kUnknown, kNoon + minutes(63), kNoon + minutes(63));
  EXPECT_FALSE(set_back.RecordOfTrue().lasts);
}

// It was False for twenty minutes, and a watch that was cut tells of it late.
TEST(ConditionMemory, TakesNothingForAMomentThatItLearnedOfLate) {
  SeenCondition condition(kTrue);
  condition.Turns(kFalse, kNoon + minutes(40), kNoon + minutes(60));
  condition.Turns(kUnknown, kNoon + minutes(61), kNoon + minutes(61));
  EXPECT_FALSE(condition.RecordOfTrue().lasts);
}

TEST(ConditionMemory, IsBoundedHoweverManyBecomeUnknown) {
  std::vector<Condition> former;
  std::vector<Condition> present;
  for (int i = 0; i < 100; ++i) {
    const std::string type = "T" + std::to_string(i);
    former.push_back({type, i % 2 == 0 ? kTrue : kFalse, kNoon + minutes(i), kNoon});
    present.push_back({type, kUnknown, kNoon + hours(3), kNoon});
  }
  std::vector<PastStatus> past;
  RememberStatus(former, present, kNoon + hours(3), past);
  EXPECT_EQ(Of(kTrue, past, true).size(), kMostPast);
  EXPECT_EQ(Of(kFalse, past, true).size(), kMostPast);
  for (const PastStatus& each : past) EXPECT_GE(each.since, kNoon + minutes(84)) << each.type;
  RememberStatus(present, former, kNoon + hours(4), past);
  EXPECT_LE(past.size(), 4 * kMostPast);
}

// GKE's detector writes XidCriticalError only when there is a fault.
TEST(ConditionMemory, NotesATypeThatAppearsOnAKnownNodeWithTrue) {
  const std::vector<Condition> known = {{"Ready", kTrue, kNoon, kNoon}};
  std::vector<Condition> present = known;
  present.push_back({"A", kTrue, kNoon + hours(1), kNoon});
  present.push_back({"B", kFalse, kNoon + hours(1), kNoon});
  present.push_back({"C", kUnknown, kNoon + hours(1), kNoon});
  std::vector<PastStatus> past;
  RememberStatus({}, present, kNoon + hours(1), past);
  EXPECT_THAT(past, IsEmpty()) << "the node is new";
  RememberStatus(known, present, kNoon + hours(2), past);
  EXPECT_THAT(past, ElementsAre(PastStatus{.type = "A",
                                           .since = kNoon + hours(1),
                                           .lasts = true,
                                           .noticed_since = kNoon + hours(2)}));
}

TEST(ConditionMemory, IsBoundedHoweverManyTypesAppear) {
  std::vector<Condition> present = {{"Ready", kTrue, kNoon, kNoon}};
  const std::vector<Condition> known = present;
  for (int i = 0; i < 100; ++i) present.push_back({"T" + std::to_string(i), kTrue, kNoon, kNoon});
  std::vector<PastStatus> past;
  RememberStatus(known, present, kNoon + hours(1), past);
  EXPECT_EQ(past.size(), kMostPast);
}

// Times are what somebody wrote.
TEST(ConditionMemory, BearsAnyTimes) {
  const model::Time times[] = {model::Time::min(), model::kNoTime, kNoon, model::kForever};
  for (const model::Time now : times) {
    std::vector<PastStatus> past;
    std::vector<Condition> former;
    for (const model::Time a : times) {
      for (const model::Time b : times) {
        for (const auto& [status, time] : {std::pair{kTrue, a}, std::pair{kUnknown, b},
                                           std::pair{kFalse, b}, std::pair{kUnknown, a}}) {
          const std::vector<Condition> present = {{"A", status, time, kNoon}};
          RememberStatus(former, present, now, past);
          former = present;
        }
      }
    }
    EXPECT_EQ(past.size(), 2U);
  }
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
  EXPECT_THAT(Of(kTrue, past()), ElementsAre(Lost(kNoon, kNoon + hours(3))));

  const std::uint64_t generation = snapshot.Read().Generation();
  snapshot.UpsertNode(node);
  EXPECT_EQ(snapshot.Read().Generation(), generation) << "an equal node is no change";
  EXPECT_THAT(Of(kTrue, past()), ElementsAre(Lost(kNoon, kNoon + hours(3))));

  snapshot.UpsertPod(MakePod("p", "a", 1));  // which holds the place
  snapshot.DeleteNode("a");
  snapshot.UpsertNode(node);
  EXPECT_THAT(past(), IsEmpty());
}

}  // namespace
}  // namespace berth::cluster
