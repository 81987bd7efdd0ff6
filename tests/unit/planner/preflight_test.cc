// What becomes of a preflight, pod by pod.

#include "planner/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/policies/fixtures.h"

namespace berth::planner {
namespace {

using policies::scheduling::kNow;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Word = PreflightAnswer::Word;
using enum PreflightOutcome;

constexpr std::int64_t kCode = 3;

/// One rank: 'p' passed, 'f' failed with 1, 'x' failed with the code that blames its own node, 'n'
/// not run, 'o' open, '-' not there.
struct Ranks {
  explicit Ranks(const std::string& letters) {
    all.reserve(letters.size());
    for (const char letter : letters) {
      all.push_back({.outcome = letter == 'p'                    ? kPassed
                                : letter == 'f' || letter == 'x' ? kFailed
                                : letter == 'n'                  ? kNotRun
                                                                 : kOpen,
                     .exit_code = letter == 'x'   ? kCode
                                  : letter == 'f' ? 1
                                                  : 0});
      pods.push_back(letter == '-' ? nullptr : &all.back());
    }
  }
  std::vector<PreflightPod> all;
  std::vector<const PreflightPod*> pods;
};

TEST(PlacesAtFault, AreThoseThatSayItOrElseAMinorityThatFailsAlone) {
  const std::vector<std::pair<std::string, std::vector<std::size_t>>> cases = {
      {"pppp", {}},
      {"ppfp", {2}},
      {"fpfp", {0, 2}},
      {"ffpf", {}},
      {"ffff", {}},
      {"fp", {0}},
      {"ff", {}},
      // The others fail because of it.
      {"ffxf", {2}},
      {"ooxo", {2}},
      {"xffx", {0, 3}},
      // As likely the program.
      {"xxxp", {}},
      {"xx", {}},
      // Its peer may have hung.
      {"ppfo", {}},
      {"ppfn", {}},
      {"ppf-", {}},
      {"pppn", {}},
  };
  for (const auto& [letters, places] : cases) {
    EXPECT_EQ(PlacesAtFault(Ranks(letters).pods, kCode), places) << letters;
  }
}

/// Preflights, and the pods that they order. A pod that is deleted is gone.
class World {
 public:
  explicit World(PreflightConfig config = Config()) : preflights(config) {}

  static PreflightConfig Config() { return {.image = "image:1", .timeout = minutes(2)}; }

  static PreflightRequest Request(std::size_t nodes, std::uint64_t run = 7,
                                  const std::string& gang = "ml/train") {
    PreflightRequest request{.gang = gang, .run = run};
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::string name = "node-" + std::to_string(i);
      request.places.push_back({.node = name, .node_uid = name + "-uid", .requests = {}});
    }
    return request;
  }

  PreflightAnswer Ask(std::size_t nodes, std::uint64_t run = 7) {
    PreflightRequest request = Request(nodes, run);
    request.pace = pace;
    return preflights.Ask(request, now);
  }
  /// Asks, and does what is decided. Pods get their addresses at once.
  PreflightAnswer Step(std::size_t nodes = 4, std::uint64_t run = 7) {
    const PreflightAnswer answer = Ask(nodes, run);
    Decide();
    return answer;
  }
  Preflights::Step Decide() {
    const Preflights::Step step = preflights.Decide(pods, time, now);
    for (const auto& ended_now : step.ended) ended.push_back(ended_now);
    for (const auto& fault : step.faults) {
      if (!writes) continue;
      faults.push_back(fault.node);
      preflights.OnWritten(fault);
    }
    std::vector<std::string> gone;
    for (const PreflightPod* pod : step.deletions) gone.push_back(pod->uid);
    if (deletes) {
      std::erase_if(pods, [&gone](const PreflightPod& pod) {
        return std::ranges::find(gone, pod.uid) != gone.end();
      });
    }
    for (const auto& order : step.orders) {
      orders.push_back(order);
      pods.push_back({.name = std::to_string(order.rank),
                      .uid = "uid-" + std::to_string(orders.size()),
                      .gang = order.gang,
                      .run = order.run,
                      .rank = order.rank,
                      .address = has_addresses ? "10.0.0." + std::to_string(order.rank) : "",
                      .created = time - ahead});
    }
    return step;
  }
  /// All pods are there.
  void Begin(std::size_t nodes = 4) {
    Step(nodes);
    Step(nodes);
    ASSERT_THAT(pods, SizeIs(nodes));
  }
  PreflightPod& Of(std::size_t rank) { return *std::ranges::find(pods, rank, &PreflightPod::rank); }
  /// As Ranks.
  void Become(const std::string& letters) {
    const Ranks ranks(letters);
    for (std::size_t rank = 0; rank < letters.size(); ++rank) {
      Of(rank).outcome = ranks.all[rank].outcome;
      Of(rank).exit_code = ranks.all[rank].exit_code;
    }
  }
  void Pass(seconds span) {
    now += span;
    time += span;
  }
  /// Asks until the preflight is over, for a minute at most.
  PreflightAnswer Finish(std::size_t nodes = 4) {
    Step(nodes);
    Step(nodes);
    return Step(nodes);
  }

  Preflights preflights;
  std::vector<PreflightPod> pods;
  std::vector<Preflights::Order> orders;
  std::vector<Preflights::Ended> ended;
  std::vector<std::string> faults;  // nodes
  bool writes = true;
  bool deletes = true;
  bool has_addresses = true;
  seconds pace{1};  // of rounds
  model::Time time = kNow;
  seconds ahead{0};  // the clock, of that of the API server
  Preflights::Clock::time_point now{std::chrono::hours(1)};
};

TEST(Preflight, IsForGangsThatAreLargeEnoughOrAskForIt) {
  struct Case {
    std::size_t nodes;
    std::optional<bool> said;
    bool runs;
  };
  PreflightConfig config = World::Config();
  config.min_nodes = 4;
  for (const Case& c : {Case{4, {}, true}, Case{3, {}, false}, Case{2, true, true},
                        Case{1, true, false}, Case{8, false, false}, Case{0, {}, false}}) {
    World world(config);
    PreflightRequest request = World::Request(c.nodes);
    request.said = c.said;
    EXPECT_EQ(world.preflights.Ask(request, world.now).word, c.runs ? Word::kWait : Word::kGo)
        << c.nodes;
  }
}

TEST(Preflight, BeginsWithTheFirstNodeWhoseAddressTheOthersGet) {
  World world;
  world.has_addresses = false;
  EXPECT_EQ(world.Step().word, Word::kWait);
  world.Step();
  ASSERT_THAT(world.orders, SizeIs(1));
  EXPECT_EQ(world.orders[0].rank, 0);
  EXPECT_EQ(world.orders[0].place.node, "node-0");
  EXPECT_EQ(world.orders[0].size, 4);
  world.pods[0].address = "10.1.2.3";
  world.Step();
  ASSERT_THAT(world.orders, SizeIs(4));
  for (std::size_t rank = 1; rank < 4; ++rank) {
    EXPECT_EQ(world.orders[rank].rank, rank);
    EXPECT_EQ(world.orders[rank].master, "10.1.2.3");
  }
  world.Step();
  EXPECT_THAT(world.orders, SizeIs(4));
}

TEST(Preflight, ThatPassesLetsTheGangGoOnceItsPodsAreGone) {
  World world;
  world.Begin();
  world.Become("ppop");
  world.Step();
  EXPECT_EQ(world.Step(),
            (PreflightAnswer{Word::kWait,
                             "its nodes are checked before it starts: 3 of 4 nodes have passed"}));
  world.Become("pppp");
  world.deletes = false;
  EXPECT_EQ(world.Finish().word, Word::kWait);
  ASSERT_THAT(world.ended, SizeIs(1));
  EXPECT_EQ(world.ended[0].result, PreflightResult::kPassed);
  world.deletes = true;
  EXPECT_EQ(world.Finish().word, Word::kGo);
  EXPECT_THAT(world.pods, IsEmpty());
  EXPECT_THAT(world.faults, IsEmpty());
  EXPECT_THAT(world.ended, SizeIs(1));
}

struct Ending {
  std::string ranks;
  PreflightResult result;
  std::vector<std::string> faults;
  // At once, and once the plan could have found other nodes.
  Word first;
  Word later;
  std::string detail;
};

TEST(Preflight, EndsAsItsPodsDo) {
  const std::vector<Ending> cases = {
      {"pppp", PreflightResult::kPassed, {}, Word::kGo, Word::kGo, ""},
      {"pfpp",
       PreflightResult::kFailed,
       {"node-1"},
       Word::kWait,
       Word::kRest,
       "its preflight has found faults on 1 of 4 nodes: node-1"},
      {"ffxf",
       PreflightResult::kFailed,
       {"node-2"},
       Word::kWait,
       Word::kRest,
       "its preflight has found faults on 1 of 4 nodes: node-2"},
      {"ffff",
       PreflightResult::kUnclear,
       {},
       Word::kRest,
       Word::kRest,
       "its preflight failed on 4 of 4 nodes, and nobody knows where the fault is"},
      {"xxxf", PreflightResult::kUnclear, {}, Word::kRest, Word::kRest, "failed on 4 of 4 nodes"},
      {"pnpp",
       PreflightResult::kNotRun,
       {},
       Word::kGo,
       Word::kGo,
       "its preflight could not run to its end on node-1"}};
  for (const Ending& c : cases) {
    SCOPED_TRACE(c.ranks);
    World world;
    world.Begin();
    world.Become(c.ranks);
    const PreflightAnswer first = world.Finish();
    ASSERT_THAT(world.ended, SizeIs(1));
    EXPECT_EQ(world.ended[0].result, c.result);
    EXPECT_THAT(world.ended[0].detail, HasSubstr(c.detail));
    EXPECT_EQ(world.faults, c.faults);
    EXPECT_EQ(first.word, c.first);
    world.Pass(Preflights::kMoves);
    EXPECT_EQ(world.Ask(4).word, c.later);
    EXPECT_THAT(world.pods, IsEmpty());
  }
}

TEST(Preflight, ThatToldNothingMayLetTheGangRest) {
  PreflightConfig config = World::Config();
  config.when_unknown = WhenUnknown::kRest;
  World world(config);
  world.Begin();
  world.Pass(minutes(2));
  const PreflightAnswer answer = world.Finish();
  EXPECT_EQ(answer.word, Word::kRest);
  EXPECT_EQ(answer.reason, "its preflight could not run to its end in 2m");
}

TEST(Preflight, IsGivenUpAfterItsTimeout) {
  World world;
  world.Begin();
  world.Pass(minutes(2) - seconds(1));
  EXPECT_EQ(world.Finish().word, Word::kWait);
  world.Pass(seconds(1));
  EXPECT_EQ(world.Finish().word, Word::kGo);
  EXPECT_THAT(world.pods, IsEmpty());
  EXPECT_EQ(world.ended.at(0).result, PreflightResult::kNotRun);
}

TEST(Preflight, WhoseFirstPodNeverStartsIsGivenUp) {
  World world;
  world.has_addresses = false;
  for (int i = 0; i < 13; ++i) {
    EXPECT_EQ(world.Step().word, Word::kWait);
    world.Pass(seconds(10));
  }
  EXPECT_EQ(world.Finish().word, Word::kGo);
  EXPECT_THAT(world.orders, SizeIs(1));
  EXPECT_THAT(world.pods, IsEmpty());
}

TEST(Preflight, WhoseFirstPodFailsBeforeTheOthersBeginEnds) {
  World world;
  world.has_addresses = false;
  world.Step();
  world.Of(0).outcome = kFailed;
  world.Of(0).exit_code = kCode;
  world.Finish();
  EXPECT_THAT(world.faults, ElementsAre("node-0"));
  EXPECT_THAT(world.orders, SizeIs(1));
}

// Peers wait for it for ever.
TEST(Preflight, EndsSoonAfterANodeHasSaidThatItIsAtFault) {
  for (const char* ranks : {"ooxo", "onoo"}) {
    World world;
    world.Begin();
    world.Become(ranks);
    EXPECT_EQ(world.Finish().word, Word::kWait);
    EXPECT_THAT(world.ended, IsEmpty());
    world.Pass(Preflights::kSettle);
    world.Finish();
    EXPECT_THAT(world.ended, SizeIs(1)) << ranks;
    EXPECT_THAT(world.pods, IsEmpty());
  }
}

TEST(Preflight, OfWhichSomebodyDeletesAPodToldNothing) {
  World world;
  world.Begin();
  world.Step();
  std::erase_if(world.pods, [](const PreflightPod& pod) { return pod.rank == 2; });
  world.Step();
  EXPECT_THAT(world.orders, SizeIs(4)) << "it is not made again";
  world.Pass(Preflights::kSettle);
  EXPECT_EQ(world.Finish().word, Word::kGo);
  EXPECT_THAT(world.ended.at(0).detail, HasSubstr("on node-2 (somebody deleted its pod)"));
}

TEST(Preflight, KeepsItsPodsUntilTheConditionsAreWritten) {
  World world;
  world.Begin();
  world.Become("pfpp");
  world.writes = false;
  EXPECT_EQ(world.Finish().word, Word::kWait);
  EXPECT_THAT(world.pods, SizeIs(4));
  world.writes = true;
  world.Finish();
  EXPECT_THAT(world.pods, IsEmpty());
  EXPECT_THAT(world.faults, ElementsAre("node-1"));
}

TEST(Preflight, HoldsNobodyForEverIfTheConditionsCannotBeWritten) {
  World world;
  world.Begin();
  world.Become("pfpp");
  world.writes = false;
  world.Finish();
  world.Pass(Preflights::kWrites);
  world.Finish();
  EXPECT_THAT(world.pods, IsEmpty());
  world.Pass(Preflights::kMoves);
  EXPECT_EQ(world.Ask(4).word, Word::kRest);
}

TEST(Preflight, BeginsAnewOnOtherNodesOnceItsOldPodsAreGone) {
  World world;
  world.Begin();
  world.deletes = false;
  EXPECT_EQ(world.Step(3, 8).word, Word::kWait);
  EXPECT_EQ(world.ended.at(0).result, PreflightResult::kDropped);
  world.Step(3, 8);
  EXPECT_THAT(world.orders, SizeIs(4));
  world.deletes = true;
  for (int i = 0; i < 4; ++i) world.Step(3, 8);
  ASSERT_THAT(world.orders, SizeIs(7));
  EXPECT_EQ(world.orders[4].run, 8);
  EXPECT_EQ(world.orders[6].size, 3);
  for (const PreflightPod& pod : world.pods) EXPECT_EQ(pod.run, 8);
}

// All its faults are told, though the gang has other nodes after the first.
TEST(Preflight, IsNotForgottenWhileItEnds) {
  World world;
  world.Begin();
  world.Become("xfxf");
  world.writes = false;
  world.Step();
  world.Step();
  world.writes = true;
  EXPECT_EQ(world.Step(4, 8).word, Word::kWait);
  EXPECT_THAT(world.faults, ElementsAre("node-0", "node-2"));
}

TEST(Preflight, OfAGangThatNobodyAsksForIsDropped) {
  World world;
  world.Begin();
  world.Pass(Preflights::kForgotten - seconds(1));
  world.Decide();
  EXPECT_THAT(world.pods, SizeIs(4));
  world.Pass(seconds(1));
  world.Decide();
  world.Decide();
  EXPECT_THAT(world.pods, IsEmpty());
  EXPECT_EQ(world.ended.at(0).result, PreflightResult::kDropped);
  EXPECT_EQ(world.preflights.size(), 0);
}

// As in a large cluster, where the controller has little of a core.
TEST(Preflight, ComesToItsEndHoweverSlowRoundsAre) {
  World world;
  world.pace = seconds(20);
  PreflightAnswer answer{Word::kWait, ""};
  for (int round = 0; round < 12 && answer.word == Word::kWait; ++round) {
    answer = world.Step();
    for (int i = 0; i < 4; ++i) {
      world.Pass(seconds(5));
      world.Decide();
      for (PreflightPod& pod : world.pods) pod.outcome = kPassed;
    }
  }
  EXPECT_EQ(answer.word, Word::kGo);
  ASSERT_FALSE(world.ended.empty());
  EXPECT_EQ(world.ended.back().result, PreflightResult::kPassed);
}

TEST(Preflight, GoesOnUnderAnotherLeader) {
  World world;
  world.Begin();
  world.Become("ppop");
  world.preflights.Forget();
  world.Decide();
  EXPECT_THAT(world.pods, SizeIs(4));
  world.Become("pppp");
  EXPECT_EQ(world.Finish().word, Word::kGo);
  EXPECT_THAT(world.orders, SizeIs(4));
  EXPECT_EQ(world.ended.at(0).result, PreflightResult::kPassed);
}

TEST(Preflight, EndsUnderAnotherLeaderWhenItsPodsAreTooOld) {
  World world;
  world.Begin();
  world.preflights.Forget();
  world.time += World::Config().timeout + Preflights::kOverdue;
  EXPECT_EQ(world.Finish().word, Word::kGo);
  EXPECT_EQ(world.ended.at(0).result, PreflightResult::kNotRun);
}

TEST(Preflight, HasItsTimeoutHoweverFarTheClockIsOff) {
  for (const seconds ahead : {-minutes(60), -minutes(5), minutes(5), minutes(60)}) {
    SCOPED_TRACE(ahead.count());
    World world;
    world.ahead = ahead;
    world.Begin();
    world.Pass(minutes(2) - seconds(1));
    EXPECT_EQ(world.Finish().word, Word::kWait);
    EXPECT_THAT(world.ended, IsEmpty());
    world.Pass(seconds(1));
    EXPECT_EQ(world.Finish().word, Word::kGo);
    EXPECT_THAT(world.pods, IsEmpty());
  }
}

TEST(Preflight, IsNotTooOldForAnotherLeaderWhoseClockIsMinutesOff) {
  for (const seconds ahead : {-minutes(5), minutes(5)}) {
    SCOPED_TRACE(ahead.count());
    World world;
    world.ahead = ahead;
    world.Begin();
    world.Become("ppop");
    world.preflights.Forget();
    world.Pass(minutes(1));
    EXPECT_EQ(world.Finish().word, Word::kWait);
    EXPECT_THAT(world.ended, IsEmpty());
    world.Pass(minutes(1));
    EXPECT_EQ(world.Finish().word, Word::kWait) << "it counts from when this leader saw it";
    world.Pass(minutes(1));
    EXPECT_EQ(world.Finish().word, Word::kGo);
    EXPECT_EQ(world.ended.at(0).result, PreflightResult::kNotRun);
  }
}

// The former leader has deleted some of its pods, the first one first.
TEST(Preflight, OfWhichPartIsGoneBeginsAnewUnderAnotherLeader) {
  World world;
  world.Begin();
  world.preflights.Forget();
  std::erase_if(world.pods, [](const PreflightPod& pod) { return pod.rank < 2; });
  world.Step();
  EXPECT_THAT(world.pods, IsEmpty());
  world.Step();
  world.Step();
  EXPECT_THAT(world.pods, SizeIs(4));
  world.Become("pppp");
  EXPECT_EQ(world.Finish().word, Word::kGo);
}

TEST(Preflight, OfAFormerLeaderIsCleanedUp) {
  World world;
  world.Begin();
  world.preflights.Forget();
  world.Decide();
  world.Pass(Preflights::kForgotten - seconds(1));
  world.Decide();
  EXPECT_THAT(world.pods, SizeIs(4));
  world.Pass(seconds(1));
  world.Decide();
  EXPECT_THAT(world.pods, IsEmpty());
}

TEST(Preflight, OfLargeGangsBeginsStepByStep) {
  World world;
  world.Step(200);
  EXPECT_THAT(world.Decide().orders, SizeIs(Preflights::kMost));
  for (int i = 0; i < 4; ++i) world.Step(200);
  EXPECT_THAT(world.pods, SizeIs(200));
}

}  // namespace
}  // namespace berth::planner
