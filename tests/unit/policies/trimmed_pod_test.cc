#include "policies/fit/trimmed_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "policies/fit/fit.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::fit {
namespace {

using model::Pod;
using scheduling::kGpu;
using scheduling::PodAskingFor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Le;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::size_t kMany = 50'000;

// Ascending.
std::string Nth(std::size_t number) { return "n" + std::to_string(100'000 + number); }

Pod TrimmedOf(Pod pod) { return Trimmed(std::move(pod), "berth.dev", *scheduling::Catalog()); }

TEST(ExcessOf, NamesWhatIsTooMuch) {
  const struct {
    std::function<void(Pod&)> change;
    std::string excess;
  } cases[] = {
      {[](Pod&) {}, ""},
      {[](Pod& pod) { pod.tolerations.assign(kMany, {.op = "Exists"}); },
       "states in more than 16 KiB what it needs of nodes, most of it in tolerations"},
      {[](Pod& pod) {
         for (std::size_t i = 0; i < kMany; ++i) pod.needs.selector.emplace_back(Nth(i), "");
       },
       "states in more than 16 KiB what it needs of nodes, most of it in the node selector and "
       "node affinity"},
      {[](Pod& pod) {
         pod.needs.terms = {{.expressions = {{"host", "In", std::vector<std::string>(kMany)}}}};
       },
       "states in more than 16 KiB what it needs of nodes, most of it in the node selector and "
       "node affinity"},
      {[](Pod& pod) { pod.needs.terms.emplace(kMany); },
       "states in more than 16 KiB what it needs of nodes, most of it in the node selector and "
       "node affinity"},
      {[](Pod& pod) {
         for (std::size_t i = 0; i < 60; ++i) {
           pod.requests.Set(Nth(i) + std::string(300, 'x'), 1);
         }
       },
       "states in more than 16 KiB what it needs of nodes, most of it in requests"},
      {[](Pod& pod) {
         for (std::size_t i = 0; i < kMostRequests; ++i) pod.requests.Set(Nth(i), 1);
       },
       "requests more than 64 resources"},
      // They exclude no node.
      {[](Pod& pod) {
         for (std::size_t i = 0; i < kMany; ++i) pod.requests.Set(Nth(i), 0);
       },
       ""},
  };
  for (const auto& [change, excess] : cases) {
    Pod pod = PodAskingFor(kGpu, 1);
    change(pod);
    EXPECT_EQ(ExcessOf(pod), excess);
    EXPECT_EQ(UnknownNeed(pod), excess.empty() ? Unknown::kNone : Unknown::kTooLarge);
  }
}

TEST(Trimmed, KeepsAnOrdinaryPodButWhatNobodyReads) {
  Pod pod = PodAskingFor(kGpu, 8, {{"berth.dev/accelerators", "A100,V100"}});
  pod.annotations.emplace_back("batch.kubernetes.io/job-completion-index", "3");
  model::Normalize(pod.annotations);
  pod.requests.Set("cpu", 64'000);
  pod.requests.Set("example.com/nic", 1);
  pod.tolerations = {{.key = "pool", .op = "Equal", .value = "ml", .effect = "NoSchedule"}};
  pod.needs = {.selector = {{"zone", "a"}}, .terms = {{{.expressions = {{"x", "Exists", {}}}}}}};
  pod.host_ports = {{.port = 80}};
  pod.gates = {"berth.dev/gang", "example.com/queue"};
  pod.gated = true;
  pod.scheduler = "berth";
  pod.controller_uid = "4d1c1f4e-8b1f-4f0a-9a45-3d5cf0e1a8d2";
  pod.unschedulable = "0/9 nodes are available: 9 Insufficient nvidia.com/gpu.";
  pod.scored.claims = true;
  pod.attached_volumes = true;
  EXPECT_EQ(TrimmedOf(pod), pod);
  Pod more = pod;
  more.labels = {{"app", "train"}};
  more.affinity_terms = {{.namespaces = {"team"}, .labels = {{"app", "In", {"train"}}}}};
  more.annotations.emplace_back("kubectl.kubernetes.io/last-applied-configuration", "{}");
  more.requests.Set("example.com/none", 0);
  EXPECT_EQ(TrimmedOf(more), pod);
}

TEST(Trimmed, LeavesOfALargePodWhatItWouldHold) {
  Pod pod = PodAskingFor(kGpu, 8);
  pod.requests.Set("cpu", 1'000);
  for (std::size_t i = 0; i < kMany; ++i) pod.requests.Set(Nth(i), 1);
  pod.tolerations.assign(kMany, {.op = "Exists"});
  pod.needs.terms.emplace(kMany);
  pod.host_ports = {{.port = 80}};
  const Pod trimmed = TrimmedOf(pod);
  EXPECT_EQ(trimmed.requests.Get(kGpu), 8);
  EXPECT_EQ(trimmed.requests.Get("cpu"), 1'000);
  EXPECT_EQ(trimmed.requests.end() - trimmed.requests.begin(),
            static_cast<std::ptrdiff_t>(2 + kMostRequests));
  EXPECT_EQ(trimmed.host_ports, pod.host_ports);
  EXPECT_THAT(trimmed.tolerations, IsEmpty());
  EXPECT_TRUE(trimmed.needs.empty());
}

TEST(Trimmed, KeepsSomeOfBerthsAnnotations) {
  Pod pod;
  for (std::size_t i = 0; i < kMany; ++i) pod.annotations.emplace_back("a/" + Nth(i), "");
  pod.annotations.emplace_back("berth.dev/accelerators", "V100");
  pod.annotations.emplace_back("berth.dev/gang-name", std::string(kMaxAnnotationBytes, 'x'));
  pod.annotations.emplace_back("berth.dev/plan", "n1");
  EXPECT_THAT(TrimmedOf(pod).annotations,
              ElementsAre(Key("berth.dev/accelerators"), Key("berth.dev/plan")));
  pod.annotations.clear();
  for (std::size_t i = 0; i < kMany; ++i) {
    pod.annotations.emplace_back("berth.dev/" + Nth(i), "");
  }
  const Pod trimmed = TrimmedOf(pod);
  EXPECT_THAT(trimmed.annotations, SizeIs(Le(kMaxAnnotationBytes / sizeof(std::string))));
  EXPECT_EQ(trimmed.annotations.capacity(), trimmed.annotations.size());
}

TEST(Trimmed, KeepsTheBeginningOfAMessageAndWhatItSaysOfEvictions) {
  const std::string evictions =
      "preemption: 0/9 nodes are available: 9 No preemption victims found for incoming pod. ";
  for (const std::size_t after : {std::size_t{0}, 2 * kMaxMessageBytes}) {
    Pod pod;
    pod.unschedulable = "0/9 nodes are available: " + std::string(1 << 20, 'x') + evictions +
                        std::string(after, 'y');
    const std::string message = TrimmedOf(pod).unschedulable;
    EXPECT_THAT(message, StartsWith("0/9 nodes are available: "));
    EXPECT_THAT(message, HasSubstr(evictions));
    EXPECT_THAT(message, SizeIs(Le(kMaxMessageBytes + 16)));
  }
}

TEST(Trimmed, CutsNamesThatNobodyChecks) {
  Pod pod;
  pod.scheduler = pod.job = pod.controller_uid = std::string(1 << 20, 'x');
  pod.gates.assign(kMany, "example.com/gate");
  const Pod trimmed = TrimmedOf(pod);
  EXPECT_THAT(trimmed.scheduler, SizeIs(kMaxNameBytes));
  EXPECT_THAT(trimmed.job, SizeIs(kMaxNameBytes));
  EXPECT_THAT(trimmed.controller_uid, SizeIs(kMaxNameBytes));
  EXPECT_THAT(trimmed.gates, SizeIs(kMostGates));
}

}  // namespace
}  // namespace berth::policies::fit
