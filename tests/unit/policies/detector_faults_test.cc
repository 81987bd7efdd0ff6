// What becomes of a node while its detector restarts, falls silent, or has another clock: the
// snapshot is told what the API server would have, and the health policy judges every ten seconds.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "policies/scheduling/health.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using model::ConditionStatus;
using model::Duration;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kTrue = ConditionStatus::kTrue;
constexpr auto kFalse = ConditionStatus::kFalse;
constexpr auto kUnknown = ConditionStatus::kUnknown;

// What the detector writes, and when by Berth's clock.
struct Step {
  Duration at;
  // Nothing: it removes the condition.
  std::optional<ConditionStatus> status;
  // By its own clock.
  Duration transition;
  Duration heartbeat;
};

struct Story {
  std::string name;
  HealthCondition entry;
  std::vector<Step> steps;
  // Until when the node is excluded; from then on it fits. Zero: it always fits.
  Duration excluded_until;
  // Before that it fits, too.
  Duration excluded_from{0};
  // Whether it has its full score whenever it fits.
  bool costs_nothing = false;
  Duration stale_after{0};
  Duration end = hours(3);
};

constexpr Duration kAlways = hours(1000);

class DetectorFaults : public testing::TestWithParam<Story> {
 protected:
  DetectorFaults()
      : snapshot_({.catalog = Catalog(), .labels = {}, .now = [this] { return now_; }}) {
    config_.profiles.clear();
    config_.conditions = {GetParam().entry};
    config_.stale_after = GetParam().stale_after;
  }

  void Write(const Step& step) {
    model::Node node = GpuNode("n", "NVIDIA-A30").node;
    node.conditions = {{"Ready", kTrue, kNow - hours(99), kNow + step.at}};
    if (step.status) {
      node.conditions.push_back(
          {GetParam().entry.type, *step.status, kNow + step.transition, kNow + step.heartbeat});
    }
    snapshot_.UpsertNode(node);
  }

  model::NodeState State() {
    const cluster::Snapshot::Reader view = snapshot_.Read();
    return *view.At(view.Find("n").value());
  }

  Verdict Judge() {
    ReasonTable reasons;
    const std::string prefix = "berth.dev";
    const HealthPolicy policy({*Catalog(), prefix, reasons}, config_);
    const cluster::Snapshot::Reader view = snapshot_.Read();
    const auto prepared = policy.Prepare(PodAskingFor(kGpu, 1), view, now_);
    return std::get<std::unique_ptr<NodeEvaluator>>(prepared)->Evaluate(
        *view.At(view.Find("n").value()));
  }

  HealthConfig config_;
  model::Time now_ = kNow;  // by Berth's clock
  cluster::Snapshot snapshot_;
};

TEST_P(DetectorFaults, NeitherExcludeAWellNodeNorLetABrokenOneIn) {
  const Story& story = GetParam();
  std::size_t next = 0;
  for (Duration at{0}; at <= story.end; at += seconds(10)) {
    now_ = kNow + at;
    for (; next < story.steps.size() && story.steps[next].at <= at; ++next) {
      Write(story.steps[next]);
    }
    const Verdict verdict = Judge();
    const bool excluded = at >= story.excluded_from && at < story.excluded_until;
    ASSERT_EQ(verdict.fits, !excluded) << at.count() << " s";
    ASSERT_NE(Excludes(story.entry, config_, State(), now_), verdict.fits) << at.count() << " s";
    if (story.costs_nothing && verdict.fits) {
      ASSERT_EQ(verdict.score, kMaxScore) << at.count() << " s";
    }
  }
}

const HealthCondition kLost{"GPUIsLost", Effect::kExclude, Duration{0}, minutes(10), {}};
// It has no recovery.
const HealthCondition kPending{"GPUPendingPage", Effect::kExclude};
const HealthCondition kLostFor5m{"GPUIsLost", Effect::kExclude, minutes(5), minutes(10), {}};
const HealthCondition kLostFor30m{"GPUIsLost", Effect::kExclude, minutes(30), minutes(10), {}};
const HealthCondition kReady{.type = "AcceleratedHardwareReady",
                             .effect = Effect::kExclude,
                             .recovery = minutes(10),
                             .bad_status = BadStatus::kFalse};
const HealthCondition kReadyFor5m{.type = "AcceleratedHardwareReady",
                                  .effect = Effect::kExclude,
                                  .min_duration = minutes(5),
                                  .bad_status = BadStatus::kFalse};

// The status since `since`, with heartbeats every five minutes for an hour, by a clock that is
// `ahead`.
std::vector<Step> Beating(ConditionStatus status, Duration since, Duration ahead) {
  std::vector<Step> steps;
  for (Duration at{0}; at <= hours(1); at += minutes(5)) {
    steps.push_back({at, status, since + ahead, at + ahead});
  }
  return steps;
}

// A detector that restarts on a broken node an hour after the fault and says False until it has
// looked, by a clock that is `ahead`.
std::vector<Step> RestartedByAClock(Duration ahead) {
  return {{{}, kTrue, -hours(1) + ahead, ahead},
          {hours(1), kFalse, hours(1) + ahead, hours(1) + ahead},
          {hours(1) + seconds(90), kTrue, hours(1) + seconds(90) + ahead, hours(1) + ahead}};
}

INSTANTIATE_TEST_SUITE_P(
    WellNodes, DetectorFaults,
    testing::Values(
        Story{.name = "NpdRestarts",
              .entry = kLost,
              .steps = {{{}, kFalse, -hours(9), {}}, {hours(1), kFalse, hours(1), hours(1)}}},
        Story{.name = "EksAgentRestarts",
              .entry = kReady,
              .steps = {{{}, kTrue, -hours(9), {}}, {hours(1), kTrue, hours(1), hours(1)}}},
        Story{.name = "HeartbeatsCease",
              .entry = kLost,
              .steps = {{{}, kFalse, -hours(9), {}}},
              .stale_after = minutes(20)},
        Story{.name = "HeartbeatsOfWhatIsWellWhenTrueCease",
              .entry = kReady,
              .steps = {{{}, kTrue, -hours(9), {}}},
              .stale_after = minutes(20)},
        Story{.name = "ClockIsAhead",
              .entry = kLost,
              .steps = Beating(kFalse, -hours(9), minutes(5)),
              .costs_nothing = true,
              .stale_after = minutes(20),
              .end = hours(1)},
        Story{.name = "ClockIsBehind",
              .entry = kLost,
              .steps = Beating(kFalse, -hours(9), -minutes(5)),
              .costs_nothing = true,
              .stale_after = minutes(20),
              .end = hours(1)},
        // A detector that writes events, as NVSentinel does, beside one with heartbeats.
        Story{
            .name = "NeverRepeated",
            .entry = {.type = "GPUIsLost", .effect = Effect::kExclude, .stale_after = Duration{0}},
            .steps = {{{}, kFalse, -hours(9), -hours(9)}},
            .costs_nothing = true,
            .stale_after = minutes(20)},
        Story{.name = "DetectorIsUnsure",
              .entry = kLost,
              .steps = {{{}, kFalse, -hours(9), {}}, {hours(1), kUnknown, hours(1), hours(1)}}}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    BrokenNodes, DetectorFaults,
    testing::Values(
        Story{.name = "NpdRestartsAndSaysFalseUntilItHasLooked",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1), {}},
                        {hours(1), kFalse, hours(1), hours(1)},
                        {hours(1) + seconds(90), kTrue, hours(1) + seconds(90), hours(1)}},
              .excluded_until = kAlways},
        Story{.name = "NpdRestartsByAClockThatIsBehind",
              .entry = kLost,
              .steps = RestartedByAClock(-minutes(5)),
              .excluded_until = kAlways},
        Story{.name = "NpdRestartsByAClockThatIsBehindAndThereIsNoRecovery",
              .entry = kPending,
              .steps = RestartedByAClock(-minutes(5)),
              .excluded_until = kAlways},
        Story{.name = "NpdRestartsByAClockThatIsAhead",
              .entry = kLost,
              .steps = RestartedByAClock(minutes(5)),
              .excluded_until = kAlways},
        Story{.name = "NpdRestartsTwice",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1), {}},
                        {hours(1), kFalse, hours(1), hours(1)},
                        {hours(1) + seconds(90), kTrue, hours(1) + seconds(90), hours(1)},
                        {hours(1) + seconds(100), kFalse, hours(1) + seconds(100), hours(1)},
                        {hours(1) + seconds(190), kTrue, hours(1) + seconds(190), hours(1)}},
              .excluded_until = kAlways},
        Story{.name = "NpdRestartsWithoutAnInitialStatus",
              .entry = kLostFor5m,
              .steps = {{{}, kTrue, -hours(1), {}}, {hours(1), kTrue, hours(1), hours(1)}},
              .excluded_until = kAlways},
        Story{.name = "NpdRestartsAndItsMinDurationGoesOn",
              .entry = kLostFor5m,
              .steps = {{{}, kTrue, -hours(1), {}},
                        {hours(1), kFalse, hours(1), hours(1)},
                        {hours(1) + seconds(90), kTrue, hours(1) + seconds(90), hours(1)}},
              .excluded_until = kAlways},
        Story{.name = "EksAgentRestarts",
              .entry = kReady,
              .steps = {{{}, kFalse, -hours(1), {}},
                        {hours(1), kTrue, hours(1), hours(1)},
                        {hours(1) + seconds(60), kFalse, hours(1) + seconds(60), hours(1)}},
              .excluded_until = kAlways},
        Story{.name = "DetectorTimesOutOnce",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1), {}},
                        {hours(1), kUnknown, hours(1), hours(1)},
                        {hours(1) + seconds(90), kTrue, hours(1) + seconds(90), hours(1)}},
              .excluded_until = kAlways},
        Story{.name = "MinDurationPassesByAClockThatIsAhead",
              .entry = kLostFor5m,
              .steps = {{{}, kFalse, -hours(9), minutes(5)},
                        {hours(1), kTrue, hours(1) + minutes(5), hours(1) + minutes(5)}},
              .excluded_until = kAlways,
              .excluded_from = hours(1) + minutes(5)},
        Story{.name = "MinDurationPassesByAClockThatIsBehindWhereFalseIsBad",
              .entry = kReadyFor5m,
              .steps = {{{}, kTrue, -hours(9), -minutes(5)},
                        {hours(1), kFalse, hours(1) - minutes(5), hours(1) - minutes(5)}},
              .excluded_until = kAlways,
              .excluded_from = hours(1) + minutes(5)},
        Story{.name = "HeartbeatsCease",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1), {}}},
              .excluded_until = kAlways,
              .stale_after = minutes(20)},
        Story{.name = "HeartbeatsOfWhatIsBadWhenFalseCease",
              .entry = kReady,
              .steps = {{{}, kFalse, -hours(1), {}}},
              .excluded_until = kAlways,
              .stale_after = minutes(20)},
        Story{.name = "ClockIsAhead",
              .entry = kLost,
              .steps = Beating(kTrue, {}, minutes(5)),
              .excluded_until = kAlways,
              .stale_after = minutes(20)},
        Story{.name = "ClockIsBehind",
              .entry = kLost,
              .steps = Beating(kTrue, {}, -minutes(5)),
              .excluded_until = kAlways,
              .stale_after = minutes(20)}),
    [](const auto& param) { return param.param.name; });

// What the detector writes when the condition has turned, `late` before Berth learns of it.
Step Turned(Duration at, ConditionStatus status, Duration late = {}) {
  return {at, status, at - late, at - late};
}

const Step kWell{{}, kFalse, -hours(9), {}};

// A detector that finds a fault and an hour later cannot look for another hour, by a clock that is
// `ahead`.
std::vector<Step> UnsureForAnHour(Duration ahead) {
  std::vector<Step> steps = {kWell, Turned(minutes(10), kTrue), Turned(minutes(70), kUnknown),
                             Turned(minutes(130), kFalse)};
  for (Step& step : steps) {
    step.transition += ahead;
    step.heartbeat += ahead;
  }
  return steps;
}

// As where the driver is not loaded, or an upgrade has told the probes the wrong directory.
INSTANTIATE_TEST_SUITE_P(
    DetectorsThatCannotTell, DetectorFaults,
    testing::Values(Story{.name = "KeepAFaultUntilTheySayWell",
                          .entry = kPending,
                          .steps = UnsureForAnHour({}),
                          .excluded_until = minutes(132),
                          .excluded_from = minutes(10)},
                    Story{.name = "KeepAFaultByAClockThatIsAhead",
                          .entry = kPending,
                          .steps = UnsureForAnHour(minutes(5)),
                          .excluded_until = minutes(132),
                          .excluded_from = minutes(10)},
                    Story{.name = "KeepAFaultByAClockThatIsBehind",
                          .entry = kPending,
                          .steps = UnsureForAnHour(-minutes(5)),
                          .excluded_until = minutes(132),
                          .excluded_from = minutes(10)},
                    Story{.name = "KeepAFaultThatBerthHasFound",
                          .entry = kLost,
                          .steps = {Turned({}, kTrue, hours(1)), Turned(hours(1), kUnknown),
                                    Turned(hours(2), kFalse)},
                          .excluded_until = hours(2) + minutes(2)},
                    Story{.name = "KeepAFaultWhereFalseIsBad",
                          .entry = kReady,
                          .steps = {Turned({}, kFalse, hours(1)), Turned(hours(1), kUnknown),
                                    Turned(hours(2), kTrue)},
                          .excluded_until = hours(2) + minutes(2)},
                    Story{.name = "KeepAFaultWhenTheyFallSilentMeanwhile",
                          .entry = kLost,
                          .steps = {Turned({}, kTrue, hours(1)), Turned(hours(1), kUnknown)},
                          .excluded_until = kAlways,
                          .stale_after = minutes(20)},
                    Story{.name = "KeepAFaultWhenTheyRestartMeanwhile",
                          .entry = kLost,
                          .steps = {Turned({}, kTrue, hours(1)), Turned(hours(1), kUnknown),
                                    Turned(minutes(90), kUnknown), Turned(hours(2), kFalse)},
                          .excluded_until = hours(2) + minutes(2)},
                    Story{.name = "KeepAFaultWhenTheySayWellFirst",
                          .entry = kPending,
                          .steps = {Turned({}, kTrue, hours(1)), Turned(hours(1), kFalse),
                                    Turned(minutes(61), kUnknown), Turned(minutes(90), kFalse),
                                    Turned(minutes(91), kUnknown), Turned(hours(2), kFalse)},
                          .excluded_until = hours(2) + minutes(2)},
                    Story{.name = "AndFindItAgain",
                          .entry = kLostFor30m,
                          .steps = {Turned({}, kTrue, hours(1)), Turned(hours(1), kUnknown),
                                    Turned(hours(2), kTrue)},
                          .excluded_until = kAlways},
                    Story{.name = "KeepNoFaultThatIsOver",
                          .entry = kPending,
                          .steps = {Turned({}, kTrue, hours(1)), Turned(hours(1), kFalse),
                                    Turned(minutes(62), kUnknown)},
                          .excluded_until = minutes(62)},
                    Story{.name = "KeepNoFaultWhoseConditionIsRemoved",
                          .entry = kLost,
                          .steps = {Turned({}, kTrue, hours(1)),
                                    Turned(hours(1), kUnknown),
                                    {hours(2), {}, {}, {}}},
                          .excluded_until = hours(2),
                          .costs_nothing = true},
                    Story{.name = "KeepNoSlip",
                          .entry = kLost,
                          .steps = {kWell, Turned(hours(1), kTrue),
                                    Turned(hours(1) + seconds(30), kUnknown)},
                          .excluded_until = hours(1) + seconds(30),
                          .excluded_from = hours(1)},
                    Story{.name = "KeepNothingForLessThanItsMinDuration",
                          .entry = kLostFor5m,
                          .steps = {kWell, Turned(hours(1), kTrue), Turned(minutes(63), kUnknown)}},
                    // Nothing on the node tells what the condition was.
                    Story{.name = "KeepNothingThatBerthHasNotSeen",
                          .entry = kLost,
                          .steps = {Turned({}, kUnknown, hours(1))}},
                    Story{.name = "KeepWellNodesWhereFalseIsBad",
                          .entry = kReady,
                          .steps = {Turned({}, kTrue, hours(9)), Turned(hours(1), kUnknown),
                                    Turned(hours(2), kTrue)}}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Repairs, DetectorFaults,
    testing::Values(
        Story{.name = "EndWhenTheDetectorHadTimeToLook",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1), {}}, {hours(1), kFalse, hours(1), hours(1)}},
              .excluded_until = hours(1) + minutes(2)},
        Story{.name = "EndTheSameWhereFalseIsBad",
              .entry = kReady,
              .steps = {{{}, kFalse, -hours(1), {}}, {hours(1), kTrue, hours(1), hours(1)}},
              .excluded_until = hours(1) + minutes(2)},
        Story{.name = "EndTheSameByAClockThatIsAhead",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1) + minutes(5), {}},
                        {hours(1), kFalse, hours(1) + minutes(5), hours(1) + minutes(5)}},
              .excluded_until = hours(1) + minutes(2)},
        Story{.name = "EndTheSameByAClockThatIsBehind",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1) - minutes(5), {}},
                        {hours(1), kFalse, hours(1) - minutes(5), hours(1) - minutes(5)}},
              .excluded_until = hours(1) + minutes(2)},
        // The node was rebooted: GKE's health checker takes XidCriticalError away.
        Story{.name = "EndAtOnceWhenTheConditionIsRemoved",
              .entry = kLost,
              .steps = {{{}, kTrue, -hours(1), {}}, {hours(1), {}, {}, {}}},
              .excluded_until = hours(1),
              .costs_nothing = true},
        Story{.name = "OfASlipEndAtOnce",
              .entry = kLost,
              .steps = {{{}, kTrue, {}, {}}, {seconds(30), kFalse, seconds(30), seconds(30)}},
              .excluded_until = seconds(30)}),
    [](const auto& param) { return param.param.name; });

struct MinDurationCase {
  std::string name;
  // As the clock that is right tells them.
  std::vector<Step> steps;
  // From when on the node is excluded, by clocks that are behind, right and ahead.
  Duration behind;
  Duration right;
  Duration ahead;
};

// Of a minDuration of five minutes.
std::vector<MinDurationCase> MinDurationCases() {
  return {
      {"SeenToTurn", {kWell, Turned(minutes(60), kTrue)}, minutes(65), minutes(65), minutes(65)},
      {"SeenToFlap",
       {kWell, Turned(minutes(60), kTrue), Turned(minutes(61), kFalse), Turned(minutes(62), kTrue)},
       minutes(65),
       minutes(65),
       minutes(65)},
      {"SeenToTurnAndWrittenAnew",
       {kWell, Turned(minutes(60), kTrue), Turned(minutes(62), kTrue)},
       minutes(65),
       minutes(65),
       minutes(65)},
      {"SeenToTurnByWayOfUnknown",
       {kWell, Turned(minutes(58), kUnknown), Turned(minutes(60), kTrue)},
       minutes(65),
       minutes(65),
       minutes(65)},
      // It counts as bad throughout.
      {"SeenToTurnAndUnknownForLong",
       {kWell, Turned(minutes(60), kTrue), Turned(minutes(62), kUnknown),
        Turned(minutes(80), kTrue)},
       minutes(80),
       minutes(80),
       minutes(80)},
      {"SeenToTurnAfterAnotherFault",
       {kWell, Turned(minutes(40), kTrue), Turned(minutes(41), kFalse), Turned(minutes(60), kTrue)},
       minutes(65),
       minutes(65),
       minutes(65)},
      // As GKE's detector writes XidCriticalError, only when there is a fault.
      {"SeenToAppear", {Step{}, Turned(minutes(60), kTrue)}, minutes(65), minutes(65), minutes(65)},
      // As from a list after an outage.
      {"LearnedLate",
       {kWell, Turned(minutes(63), kTrue, minutes(3))},
       minutes(65),
       minutes(68),
       minutes(68)},
      {"LearnedVeryLate",
       {kWell, Turned(minutes(80), kTrue, minutes(20))},
       minutes(80),
       minutes(80),
       minutes(80)},
      // Berth was started later, and has nothing but the clock of the node.
      {"FoundBad", {Turned({}, kTrue, minutes(1))}, minutes(0), minutes(4), minutes(9)},
      {"FoundBadAndWrittenAnew",
       {Turned({}, kTrue, minutes(1)), Turned(minutes(2), kTrue)},
       minutes(0),
       minutes(4),
       minutes(9)},
      {"FoundBadForLongAndRestarted",
       {Turned({}, kTrue, hours(1)), Turned(minutes(1), kFalse), Turned(minutes(2), kTrue)},
       minutes(0),
       minutes(0),
       minutes(0)},
  };
}

std::vector<Story> MinDurationStories() {
  std::vector<Story> stories;
  for (const MinDurationCase& each : MinDurationCases()) {
    const auto add = [&](const std::string& clock, Duration ahead, Duration excluded_from) {
      Story story{.name = each.name + "ByAClockThatIs" + clock,
                  .entry = kLostFor5m,
                  .steps = each.steps,
                  .excluded_until = kAlways,
                  .excluded_from = excluded_from};
      for (Step& step : story.steps) {
        step.transition += ahead;
        step.heartbeat += ahead;
      }
      stories.push_back(std::move(story));
    };
    add("Behind", -minutes(5), each.behind);
    add("Right", {}, each.right);
    add("Ahead", minutes(5), each.ahead);
  }
  return stories;
}

// The watch is cut meanwhile.
INSTANTIATE_TEST_SUITE_P(WhatIsLearnedLate, DetectorFaults,
                         testing::Values(Story{.name = "ARestartDoesNotBeginAnew",
                                               .entry = kLostFor30m,
                                               .steps = {kWell, Turned(minutes(60), kTrue),
                                                         Turned(minutes(70), kFalse),
                                                         Turned(minutes(81), kTrue, minutes(10))},
                                               .excluded_until = kAlways,
                                               .excluded_from = minutes(90)},
                                         Story{.name = "AnotherFaultBeginsAnew",
                                               .entry = kLostFor30m,
                                               .steps = {kWell, Turned(minutes(60), kTrue),
                                                         Turned(minutes(80), kFalse, minutes(19)),
                                                         Turned(minutes(80), kTrue)},
                                               .excluded_until = kAlways,
                                               .excluded_from = minutes(110)}),
                         [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(MinDurations, DetectorFaults, testing::ValuesIn(MinDurationStories()),
                         [](const auto& param) { return param.param.name; });

// The clock was wrong by five minutes when the condition turned bad, and is right from then on.
INSTANTIATE_TEST_SUITE_P(
    ClocksSetRight, DetectorFaults,
    testing::Values(Story{.name = "BackDuringAFaultOverWhichTheDetectorRestarts",
                          .entry = kLost,
                          .steps = {kWell,
                                    {minutes(60), kTrue, minutes(65), minutes(65)},
                                    Turned(minutes(63), kFalse),
                                    Turned(minutes(64), kTrue)},
                          .excluded_until = kAlways,
                          .excluded_from = minutes(60)},
                    Story{.name = "ForwardDuringAFaultOverWhichTheDetectorRestarts",
                          .entry = kLost,
                          .steps = {kWell,
                                    {minutes(60), kTrue, minutes(55), minutes(55)},
                                    Turned(minutes(63), kFalse),
                                    Turned(minutes(64), kTrue)},
                          .excluded_until = kAlways,
                          .excluded_from = minutes(60)},
                    Story{.name = "BackDuringAFaultThatIsRepaired",
                          .entry = kPending,
                          .steps = {kWell,
                                    {minutes(60), kTrue, minutes(65), minutes(65)},
                                    Turned(minutes(63), kFalse)},
                          .excluded_until = minutes(65),
                          .excluded_from = minutes(60)},
                    Story{.name = "BackDuringASlip",
                          .entry = kLost,
                          .steps = {kWell,
                                    {minutes(60), kTrue, minutes(65), minutes(65)},
                                    Turned(minutes(60) + seconds(30), kFalse)},
                          .excluded_until = minutes(60) + seconds(30),
                          .excluded_from = minutes(60)},
                    Story{.name = "ForwardDuringASlip",
                          .entry = kLost,
                          .steps = {kWell,
                                    {minutes(60), kTrue, minutes(55), minutes(55)},
                                    Turned(minutes(60) + seconds(30), kFalse)},
                          .excluded_until = minutes(60) + seconds(30),
                          .excluded_from = minutes(60)},
                    // They are 14 minutes apart, and nine by the clock of the node.
                    Story{.name = "BackBetweenTwoFlaps",
                          .entry = kLostFor5m,
                          .steps = {kWell,
                                    {minutes(60), kTrue, minutes(65), minutes(65)},
                                    {minutes(61), kFalse, minutes(66), minutes(66)},
                                    Turned(minutes(75), kTrue)},
                          .excluded_until = kAlways,
                          .excluded_from = minutes(80)},
                    Story{.name = "ForwardAfterAConditionHasTurned",
                          .entry = kLostFor5m,
                          .steps = {kWell,
                                    {minutes(60), kTrue, minutes(55), minutes(55)},
                                    {minutes(61), kTrue, minutes(55), minutes(61)}},
                          .excluded_until = kAlways,
                          .excluded_from = minutes(65)}),
    [](const auto& param) { return param.param.name; });

TEST(KeepFor, IsAChoice) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {kLost};
  model::NodeState node = GpuNode("n", "NVIDIA-A30");
  node.node.conditions = {{"GPUIsLost", kFalse, kNow - minutes(4), kNow}};
  node.past = {{"GPUIsLost", kNow - hours(1), kNow - minutes(4)}};
  config.keep_for = minutes(5);
  EXPECT_TRUE(Excludes(kLost, config, node, kNow));
  EXPECT_FALSE(Excludes(kLost, config, node, kNow + minutes(1)));
  config.keep_for = Duration{0};
  EXPECT_FALSE(Excludes(kLost, config, node, kNow - minutes(4)));
}

// Nobody has said that it is over.
TEST(KeepFor, IsNotAboutWhatBecameUnknown) {
  HealthConfig config;
  config.profiles.clear();
  config.conditions = {kLost};
  config.keep_for = Duration{0};
  model::NodeState node = GpuNode("n", "NVIDIA-A30");
  node.node.conditions = {{"GPUIsLost", kUnknown, kNow - minutes(4), kNow}};
  node.past = {
      {.type = "GPUIsLost", .since = kNow - hours(1), .until = kNow - minutes(4), .lasts = true}};
  EXPECT_TRUE(Excludes(kLost, config, node, kNow));
  EXPECT_EQ(ExcludedSince(kLost, config, node, kNow), kNow - hours(1));
}

}  // namespace
}  // namespace berth::policies::scheduling
