// Pods that are as large as the API server lets them be. Whoever may create pods can have any
// number of them wait for ever, behind a gate of their own.

#include <functional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/fit/trimmed_pod.h"
#include "tests/unit/heap_meter.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr std::size_t kMega = 1 << 20;
// What a container of the controller has in the chart.
constexpr std::size_t kContainer = 256 * kMega;
constexpr std::size_t kTolerations = 95'000;  // {"operator":"Exists"}, in 1.5 MB

// Ascending.
std::string Numbered(std::size_t number) {
  return "example.com/" + std::to_string(100'000 + number);
}

void Tolerate(model::Pod& pod, std::size_t count = kTolerations) {
  pod.tolerations.assign(count, {.op = "Exists"});
}

// Adds tolerations as long as everything that the pod needs is kept.
void TolerateAsMuchAsMayBe(model::Pod& pod) {
  while (policies::fit::ExcessOf(pod).empty()) {
    pod.tolerations.push_back({.key = "key-" + std::to_string(pod.tolerations.size())});
  }
  pod.tolerations.pop_back();
}

// What is kept of each of such pods. 0 under sanitizers.
std::size_t BytesKept(const std::function<void(model::Pod&)>& change) {
  constexpr std::size_t kPods = 20;
  Fixture f;
  f.nodes.push_back(RoomyNode("a"));
  f.PlanOnly();
  const std::size_t before = tests::LiveBytes();
  for (std::size_t i = 0; i < kPods; ++i) {
    const std::string name = std::to_string(i);
    model::Pod pod{.namespace_ = "team", .name = name, .uid = name, .scheduler = "berth"};
    pod.requests.Set(kGpu, 1);
    change(pod);
    f.planner->Upsert(std::move(pod), f.now);
  }
  f.PlanOnly();
  return (tests::LiveBytes() - before) / kPods;
}

struct LargePod {
  const char* name;
  std::function<void(model::Pod&)> change;
};

class LargePods : public testing::TestWithParam<LargePod> {};

TEST_P(LargePods, AreNotKeptWhole) {
  const std::size_t kept = BytesKept([](model::Pod& pod) {
    pod.gates = {"example.com/wait"};
    pod.gated = true;
    GetParam().change(pod);
  });
  EXPECT_LT(10'000 * kept, kContainer);
}

INSTANTIATE_TEST_SUITE_P(
    Planner, LargePods,
    testing::Values(
        LargePod{"Tolerations", [](model::Pod& pod) { Tolerate(pod); }},
        LargePod{"Labels",
                 [](model::Pod& pod) {
                   for (std::size_t i = 0; i < 50'000; ++i) {
                     pod.labels.emplace_back(Numbered(i), "");
                   }
                 }},
        LargePod{"NodeSelector",
                 [](model::Pod& pod) {
                   for (std::size_t i = 0; i < 50'000; ++i) {
                     pod.needs.selector.emplace_back(Numbered(i), "");
                   }
                 }},
        LargePod{"NodeTerms", [](model::Pod& pod) { pod.needs.terms.emplace(50'000); }},
        LargePod{"ValuesOfANodeTerm",
                 [](model::Pod& pod) {
                   pod.needs.terms = {
                       {.expressions = {{"a", "In", std::vector<std::string>(50'000, "value")}}}};
                 }},
        LargePod{"TermsOfAffinityToPods",
                 [](model::Pod& pod) {
                   pod.affinity_terms.assign(20'000, {.namespaces = {"team"}, .labels = {}});
                 }},
        LargePod{"Requests",
                 [](model::Pod& pod) {
                   for (std::size_t i = 0; i < 20'000; ++i) pod.requests.Set(Numbered(i), 1);
                 }},
        LargePod{"RequestsOfNothing",
                 [](model::Pod& pod) {
                   for (std::size_t i = 0; i < 50'000; ++i) pod.requests.Set(Numbered(i), 0);
                 }},
        LargePod{"BerthsAnnotations",
                 [](model::Pod& pod) {
                   for (std::size_t i = 0; i < 10'000; ++i) {
                     pod.annotations.emplace_back("berth.dev/" + std::to_string(100'000 + i), "");
                   }
                 }},
        LargePod{"Gates", [](model::Pod& pod) { pod.gates.assign(4'000, std::string(300, 'x')); }},
        LargePod{"Scheduler", [](model::Pod& pod) { pod.scheduler = std::string(kMega, 'x'); }},
        LargePod{"Owner", [](model::Pod& pod) { pod.controller_uid = std::string(kMega, 'x'); }},
        LargePod{"Message", [](model::Pod& pod) { pod.unschedulable = std::string(kMega, 'x'); }}),
    [](const auto& pod) { return pod.param.name; });

TEST(PodsAtTheLimits, TakeSomeTensOfKibibytes) {
  EXPECT_LT(BytesKept([](model::Pod& pod) {
              pod.unschedulable = kRefused + std::string(kMega, 'x');
              for (std::size_t i = 0; i < 10'000; ++i) {
                pod.annotations.emplace_back("berth.dev/" + std::to_string(100'000 + i), "");
              }
              TolerateAsMuchAsMayBe(pod);
            }),
            96U << 10);
}

TEST(PodsAtTheLimits, ArePlannedAsOthersAre) {
  Fixture f;
  f.nodes.push_back(RoomyNode("a"));
  f.nodes.back().node.taints = {{.key = "pool", .value = "ml", .effect = "NoSchedule"}};
  f.Refuse("train", 8);
  f.Edit("train", [](model::Pod& pod) {
    pod.tolerations = {{.key = "pool", .op = "Exists"}};
    TolerateAsMuchAsMayBe(pod);
  });
  EXPECT_THAT(f.Plan(), ElementsAre("train a"));
}

TEST(PodsBeyondTheLimits, AreLeftToKubeScheduler) {
  Fixture f;
  f.nodes.push_back(RoomyNode("a"));
  f.Refuse("train", 8);
  f.Edit("train", [](model::Pod& pod) { Tolerate(pod); });
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("train"), State::kLeftToScan);
  EXPECT_EQ(f.planner->Find("team", "train")->unknown, policies::fit::Unknown::kTooLarge);
  EXPECT_EQ(f.planner->left_to_scan().at(policies::fit::Unknown::kTooLarge), 1U);
}

// Tolerations may be added to a pod that waits.
TEST(PodsBeyondTheLimits, LoseWhatThePlanHadNominated) {
  Fixture f;
  f.nodes.push_back(RoomyNode("a"));
  f.Refuse("train", 8);
  EXPECT_THAT(f.Plan(), ElementsAre("train a"));
  f.Edit("train", [](model::Pod& pod) { Tolerate(pod); });
  EXPECT_THAT(f.Plan(), ElementsAre("train "));
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.StateOf("train"), State::kLeftToScan);
}

TEST(PodsBeyondTheLimits, CountWhereSomebodyElseHasNominatedThem) {
  Fixture f;
  f.nodes.push_back(RoomyNode("a"));
  f.Wait("large", 8);
  f.Edit("large", [](model::Pod& pod) {
    Tolerate(pod);
    for (std::size_t i = 0; i < 20'000; ++i) pod.requests.Set(Numbered(i), 1);
    pod.nominated_node = "a";
  });
  f.Refuse("train", 1);
  EXPECT_THAT(f.Plan(), IsEmpty());
  f.Nominate("large", "");
  f.Pass(Planner::kLookAgain);
  EXPECT_THAT(f.Plan(), ElementsAre("train a"));
}

TEST(PodsBeyondTheLimits, HoldTheirGangUp) {
  GangFixture f;
  f.AddNode("a", 8);
  f.WaitAll("train", 2, 4);
  f.Edit("train-1", [](model::Pod& pod) { Tolerate(pod); });
  EXPECT_THAT(f.Plan(), IsEmpty());
  EXPECT_EQ(f.PhaseOf("train"), GangPhase::kCollecting);
  EXPECT_EQ(f.ReasonOf("train"),
            "its pod train-1 states in more than 16 KiB what it needs of nodes, most of it in "
            "tolerations: write less");
  f.Edit("train-1", [](model::Pod& pod) { Tolerate(pod, 1); });
  EXPECT_THAT(f.Plan(), UnorderedElementsAre("train-0 a", "train-1 a"));
  f.Edit("train-1", [](model::Pod& pod) { Tolerate(pod); });
  EXPECT_THAT(f.Plan(), UnorderedElementsAre("train-0 ", "train-1 "));
}

TEST(PodsBeyondTheLimits, AreLeftToKubeSchedulerOnceTheirGangIsReleased) {
  GangFixture f;
  f.AddNode("a", 8);
  f.ReleaseAll("train", 2, 4);
  f.Edit("train-1", [](model::Pod& pod) {
    Tolerate(pod);
    pod.nominated_node.clear();
    pod.unschedulable = kRefused;
  });
  f.Pass(WaitingPod::kBackoff);
  EXPECT_THAT(f.Plan(), Not(Contains(HasSubstr("train-1"))));
  f.Edit("train-1", [](model::Pod& pod) { Tolerate(pod, 1); });
  EXPECT_THAT(f.Plan(), Contains("train-1 a"));
}

}  // namespace
}  // namespace berth::planner
