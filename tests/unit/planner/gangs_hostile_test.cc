// What somebody who may create pods can make of the planner.

#include <malloc.h>

#include <chrono>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/gangs.h"
#include "tests/unit/heap_meter.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

// How many steps of each kind there are in so many rounds, one a second.
std::map<StepKind, std::size_t> StepsIn(GangFixture& f, int rounds) {
  std::map<StepKind, std::size_t> steps;
  for (int i = 0; i < rounds; ++i, f.Pass(seconds(1))) {
    for (const Step& step : f.PlanOnly()) ++steps[step.kind];
  }
  return steps;
}

// Bytes that are allocated. 0 under sanitizers.
std::size_t Allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Each of them has a shape of its own, so that what is found for one says nothing of the next.
void WaitDifferent(GangFixture& f, std::size_t gangs) {
  for (std::size_t i = 0; i < gangs; ++i) {
    const std::string gang = "hostile" + std::to_string(i);
    f.WaitAll(gang, 2, 8);
    for (const std::string& name : f.NamesOf(gang)) {
      f.Edit(name, [i](model::Pod& pod) { pod.requests.Set("cpu", 1 + static_cast<int>(i)); });
    }
  }
}

TEST(HostileGangs, ThatDoNotFitHoldALaterOneUpForSomeRoundsOnly) {
  GangFixture f;
  f.AddNode("a", 8);
  constexpr std::size_t kGangs = 400;
  WaitDifferent(f, kGangs);
  f.PlanOnly();
  std::size_t searched = 0;
  for (std::size_t i = 0; i < kGangs; ++i) {
    const std::string reason = f.ReasonOf("hostile" + std::to_string(i));
    if (reason.find("pods fit at once") != std::string::npos) ++searched;
  }
  EXPECT_EQ(searched, SearchTurns::kFirst + SearchTurns::kOthers);
  f.WaitAll("train", 2, 4);
  std::size_t rounds = 0;
  while (f.HoldsNothing("train") && rounds < 1'000) {
    f.Plan();
    ++rounds;
  }
  EXPECT_THAT(rounds, Le(kGangs / SearchTurns::kOthers + 1));
}

TEST(HostileGangs, ThatNeverFillAreToldSlowly) {
  GangFixture f;
  for (int i = 0; i < 100; ++i) f.WaitAll("hostile" + std::to_string(i), 90, 1);
  f.AddNode("a", 8);
  for (int i = 0; i < 100; ++i) f.Leave("hostile" + std::to_string(i) + "-0");
  const auto told = [](const std::map<StepKind, std::size_t>& steps) {
    return steps.at(StepKind::kSay) + steps.at(StepKind::kReport);
  };
  // One gang more than is allowed, because each is told whole.
  EXPECT_THAT(told(StepsIn(f, 60)),
              AllOf(Ge(Gangs::kSaysAMinute), Le(2 * Gangs::kSaysAMinute + 90)));
  EXPECT_THAT(told(StepsIn(f, 60)), Le(Gangs::kSaysAMinute + 90));
}

TEST(HostileGangs, ThatNeverFillAreCountedTogether) {
  GangFixture f;
  for (int i = 0; i < 1'000; ++i) f.WaitInGang("hostile" + std::to_string(i), 0, 2, 1);
  EXPECT_THAT(StepsIn(f, 120)[StepKind::kCount], Le(120 / Gangs::kCountAgain.count() + 1));
}

TEST(HostileGangs, WhosePodsAllDifferAreRefused) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("hostile", Gangs::kMostShapes + 1, 0);
  int cpu = 0;
  for (const std::string& name : f.NamesOf("hostile")) {
    f.Edit(name, [&cpu](model::Pod& pod) { pod.requests.Set("cpu", ++cpu); });
  }
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_THAT(f.ReasonOf("hostile"), HasSubstr("its pods are of more than 64 kinds"));
  f.Edit("hostile-0", [](model::Pod& pod) { pod.requests.Set("cpu", 2); });
  EXPECT_THAT(f.Plan(), SizeIs(Gangs::kMostShapes + 1));
}

TEST(HostileGangs, WhosePodsAllDifferAreNotPlannedBesideOneThatRuns) {
  GangFixture f;
  f.AddNode("a", 8);
  constexpr std::size_t kSize = Gangs::kMostShapes + 3;
  f.WaitAll("hostile", kSize, 0);
  int cpu = 0;
  for (const std::string& name : f.NamesOf("hostile")) {
    f.Edit(name, [&cpu](model::Pod& pod) { pod.requests.Set("cpu", ++cpu); });
  }
  f.Leave("hostile-1");
  // As one that was created with a node.
  f.Edit("hostile-0", [](model::Pod& pod) { pod.nominated_node = "a"; });
  f.Bind("hostile-0");
  f.Pass(Gangs::kReplacement);
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_TRUE(f.HoldsNothing("hostile"));
}

// Each shape costs memory for each node.
TEST(HostileGangs, ThatDifferTakeLittleMemoryInARound) {
  GangFixture f;
  constexpr std::size_t kNodes = 2'000;
  for (std::size_t i = 0; i < kNodes; ++i) f.AddNode(std::to_string(i), 4);
  WaitDifferent(f, 1'000);
  for (std::size_t i = 0; i < 1'000; ++i) {
    f.Refuse("single" + std::to_string(i), 8).requests.Set("cpu", 5'000 + static_cast<int>(i));
    f.Put(f.pods.at("single" + std::to_string(i)));
  }
  f.PlanOnly();
  f.Pass(seconds(1));
  tests::ResetPeak();
  const std::size_t before = tests::LiveBytes();
  f.PlanOnly();
  // Nothing is metered under sanitizers.
  EXPECT_LT(tests::PeakBytes() - before, 64U << 20);
}

TEST(HostileGangs, MayHaveAnnotationsThatNobodyKeeps) {
  GangFixture f;
  const std::size_t before = Allocated();
  for (int i = 0; i < 100; ++i) {
    model::Pod pod{.namespace_ = "ml", .name = std::to_string(i), .uid = std::to_string(i)};
    pod.annotations = {{"a", std::string(128 << 10, 'x')},
                       {"berth.dev/gang-name", std::string(128 << 10, 'x')}};
    pod.gates.assign(1'000, std::string(300, 'x'));
    pod.gated = true;
    f.planner->Upsert(pod, f.now);
  }
  f.PlanOnly();
  EXPECT_LT(Allocated() - before, 2U << 20);
}

}  // namespace
}  // namespace berth::planner
