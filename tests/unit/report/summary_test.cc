#include "report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/report/fixture.h"

namespace berth::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr const char* kOneGpu =
    R"("limits": {"cpu": "4", "memory": "40Gi", "nvidia.com/gpu": "1"})";
constexpr const char* kOneGpuAlone = R"("limits": {"nvidia.com/gpu": "1"})";
constexpr const char* kImpossible =
    R"("requests": {"cpu": "1", "memory": "8Gi"}, "limits": {"cpu": "1", "memory": "1Gi"})";

class SummaryTest : public testing::Test {
 protected:
  Report On(const std::vector<std::string>& objects, SummaryRules rules = {}) {
    return engines_.ReportOn(ListOf(objects), std::move(rules));
  }

  static const NamespaceReport& In(const Report& report, std::string_view name) {
    const auto found = std::ranges::find(report.by_namespace, name, &NamespaceReport::name);
    EXPECT_NE(found, report.by_namespace.end()) << name;
    return *found;
  }
  static const PoolReport& PoolIn(const Report& report, std::string_view accelerator) {
    const auto found = std::ranges::find(report.pools, accelerator, &PoolReport::accelerator);
    EXPECT_NE(found, report.pools.end()) << accelerator;
    return *found;
  }

  Engines engines_;
};

TEST_F(SummaryTest, CountsByNamespaceAndEffect) {
  const Report report = On({
      PodJson({.name = "same", .resources = kOneGpu}),
      PodJson({.name = "changed", .resources = kOneGpuAlone}),
      PodJson({.name = "denied", .resources = kImpossible}),
      PodJson({.name = "daemon", .metadata = OwnedBy("apps/v1", "DaemonSet", "d")}),
      JobJson("train", kOneGpuAlone),
      PodJson({.name = "other", .namespace_name = "nlp", .resources = kOneGpu}),
  });
  const ObjectCounts& vision = In(report, "vision").objects;
  EXPECT_EQ(vision.pods[Effect::kUnchanged], 1U);
  EXPECT_EQ(vision.pods[Effect::kChanged], 1U);
  EXPECT_EQ(vision.pods[Effect::kDenied], 1U);
  EXPECT_EQ(vision.pods[Effect::kLeftAlone], 1U);
  EXPECT_EQ(vision.jobs[Effect::kChanged], 1U);
  EXPECT_EQ(report.objects.pods.Sum(), 5U);
  EXPECT_THAT(In(report, "vision").denied_by, ElementsAre(testing::Pair("guaranteed-qos", 1U)));
  // The one with most to change comes first.
  EXPECT_EQ(report.by_namespace.front().name, "vision");
}

TEST_F(SummaryTest, HeedsLabelsOfNamespacesWhereverTheyStand) {
  const std::string asks = R"("annotations": {"berth.dev/allow-accelerator-nodes": "true"},)";
  const std::vector<std::string> namespaces = {
      NamespaceJson("off", R"("berth.dev/admission": "off")"),
      NamespaceJson("allows", R"("berth.dev/allow-accelerator-nodes": "true")"),
      NamespaceJson("warns", R"("berth.dev/admission": "warn")")};
  std::vector<std::string> pods;
  for (const char* name : {"off", "allows", "warns", "kube-system", "own"}) {
    pods.push_back(PodJson({.name = "a", .namespace_name = name, .metadata = asks}));
  }
  std::vector<std::string> before = namespaces;
  before.insert(before.end(), pods.begin(), pods.end());
  std::vector<std::string> after = pods;
  after.insert(after.end(), namespaces.begin(), namespaces.end());
  for (const auto& objects : {before, after}) {
    const Report report = On(objects, {.excluded_namespaces = {"own"}});
    EXPECT_EQ(In(report, "off").standing, Standing::kOff);
    EXPECT_EQ(In(report, "off").objects.pods[Effect::kLeftAlone], 1U);
    EXPECT_EQ(In(report, "allows").objects.pods[Effect::kUnchanged], 1U);
    EXPECT_EQ(In(report, "warns").label, "warn");
    EXPECT_EQ(In(report, "warns").objects.pods[Effect::kChanged], 1U);
    EXPECT_EQ(In(report, "kube-system").standing, Standing::kExcluded);
    EXPECT_EQ(In(report, "own").objects.pods[Effect::kLeftAlone], 1U);
    // Of the two opinions on each pod, only the one that holds is told.
    for (const FindingReport& finding : report.findings) {
      EXPECT_THAT(finding.examples, ElementsAre("warns/Pod a")) << finding.says;
    }
  }
}

TEST_F(SummaryTest, CountsAnObjectOfTwoDumpsOnce) {
  const std::vector<std::string> pods = {PodJson({.name = "a"}), PodJson({.name = "b"})};
  EXPECT_EQ(engines_.ReportOn(ListOf(pods) + ListOf(pods)).objects.pods.Sum(), 2U);
}

TEST_F(SummaryTest, CountsWorkloadsOfFindings) {
  std::vector<std::string> objects;
  for (int i = 0; i < 6; ++i) {
    const std::string owner = i < 4 ? "web-5f" : "web-7b";
    objects.push_back(PodJson(
        {.name = "web-" + std::to_string(i), .metadata = OwnedBy("apps/v1", "ReplicaSet", owner)}));
  }
  for (const char* owner : {"web-5f", "web-7b"}) {
    objects.push_back(
        std::string(R"({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {)") +
        OwnedBy("apps/v1", "Deployment", "web") + R"("name": ")" + owner +
        R"(", "namespace": "vision", "uid": "uid-)" + owner +
        R"("}, "spec": {"template": {"spec": {"containers": []}}}})");
  }
  objects.push_back(PodJson({.name = "alone"}));
  const Report report = On(objects);
  const auto isolation =
      std::ranges::find(report.findings, std::string("isolation"), &FindingReport::policy);
  ASSERT_NE(isolation, report.findings.end());
  EXPECT_EQ(isolation->pods, 7U);
  EXPECT_EQ(isolation->workloads, 2U);
  EXPECT_THAT(isolation->examples, ElementsAre("vision/Pod web-0", "vision/Pod alone"));
  EXPECT_EQ(isolation->effect, Effect::kChanged);
}

TEST_F(SummaryTest, TellsTheMostFrequentFindingsWithWhatToWrite) {
  std::vector<std::string> objects;
  for (int i = 0; i < 5; ++i) {
    objects.push_back(PodJson({.name = "d-" + std::to_string(i), .resources = kImpossible}));
    objects.push_back(PodJson(
        {.name = "g-" + std::to_string(i),
         .resources = R"("limits": {"nvidia.com/gpu": ")" + std::to_string(i + 1) + "\"}"}));
  }
  objects.push_back(PodJson({.name = "d-6", .resources = kImpossible}));
  const Report report = On(objects, {.findings = 1});
  EXPECT_GT(report.different_findings, 1U);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].effect, Effect::kDenied);
  EXPECT_EQ(report.findings[0].write, "write 8Gi as the limit, or 1Gi as the request");
  EXPECT_EQ(report.findings[0].workloads, 6U);
  EXPECT_THAT(report.findings[0].examples, SizeIs(3));
}

TEST_F(SummaryTest, SumsWhatPodsWouldReserveByPool) {
  // Four pods with a limit of 100 GiB each fit by their requests, and would not fit by their
  // limits.
  std::vector<std::string> objects = {NodeJson("gpu-1", kV100), NodeJson("gpu-2", kV100),
                                      NodeJson("cpu-1")};
  for (int i = 0; i < 4; ++i) {
    objects.push_back(PodJson({.name = "t-" + std::to_string(i),
                               .resources = R"("requests": {"cpu": "1", "memory": "1Gi",
                                              "nvidia.com/gpu": "1"}, "limits": {"cpu": "1",
                                              "memory": "100Gi", "nvidia.com/gpu": "1"})",
                               .node = "gpu-1"}));
  }
  objects.push_back(PodJson({.name = "cpu", .node = "gpu-2"}));
  objects.push_back(PodJson({.name = "waits", .resources = kOneGpuAlone}));
  objects.push_back(
      PodJson({.name = "over", .node = "gpu-1", .status = R"("phase": "Succeeded")"}));
  const Report report = On(objects);
  const PoolReport& v100 = PoolIn(report, "V100");
  EXPECT_EQ(v100.nodes, 2U);
  EXPECT_EQ(v100.allocatable.memory, 768 * kGiB);
  EXPECT_EQ(v100.now.memory, (4 + 16) * kGiB);
  EXPECT_EQ(v100.then.memory, 400 * kGiB);
  EXPECT_EQ(v100.crowded_now, 0U);
  EXPECT_EQ(v100.crowded_then, 1U);
  EXPECT_THAT(v100.examples, ElementsAre("gpu-1 by 16Gi"));
  // The pod without accelerators counts where it would go.
  EXPECT_EQ(PoolIn(report, "").then.memory, 16 * kGiB);
  EXPECT_EQ(PoolIn(report, "").now.memory, 0);
  EXPECT_EQ(report.waiting, 1U);
  EXPECT_EQ(report.waiting_now.memory, 0);
  EXPECT_GT(report.waiting_then.memory, 0);
}

TEST_F(SummaryTest, SumsUpToNoMoreThanFits) {
  const char* most = R"("limits": {"cpu": "8P", "memory": "8E"})";
  const Report report =
      On({NodeJson("cpu-1"), PodJson({.name = "a", .resources = most, .node = "cpu-1"}),
          PodJson({.name = "b", .resources = most, .node = "cpu-1"}),
          PodJson({.name = "c", .resources = most}), PodJson({.name = "d", .resources = most})});
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr Compute kAll{.cpu = kMost, .memory = kMost};
  EXPECT_EQ(PoolIn(report, "").now, kAll);
  EXPECT_EQ(PoolIn(report, "").then, kAll);
  EXPECT_EQ(PoolIn(report, "").crowded_now, 1U);
  EXPECT_EQ(report.waiting_now, kAll);
  EXPECT_EQ(report.waiting_then, kAll);
}

TEST_F(SummaryTest, TellsWhichPodsBerthWouldNotPutWhereTheyRun) {
  const std::string broken = R"({"type": "GPUIsLost", "status": "True"})";
  const Report report = On({
      NodeJson("gpu-1", kV100, broken),
      NodeJson("gpu-2", kV100),
      NodeJson("cpu-1"),
      PodJson({.name = "on-broken", .resources = kOneGpu, .node = "gpu-1"}),
      PodJson({.name = "fine", .resources = kOneGpu, .node = "gpu-2"}),
      PodJson({.name = "wants-a100",
               .resources = kOneGpu,
               .node = "gpu-2",
               .metadata = R"("annotations": {"berth.dev/accelerators": "A100"},)"}),
      PodJson({.name = "cpu-on-gpu", .node = "gpu-2"}),
      PodJson({.name = "cpu-on-cpu", .node = "cpu-1"}),
      PodJson({.name = "cpu-in-system", .namespace_name = "kube-system", .node = "gpu-2"}),
      PodJson({.name = "broken-in-system",
               .namespace_name = "kube-system",
               .resources = kOneGpu,
               .node = "gpu-1"}),
      PodJson({.name = "elsewhere", .resources = kOneGpu, .node = "gone"}),
  });
  ASSERT_THAT(report.refused, SizeIs(2));
  std::vector<std::string> examples;
  for (const RefusedReport& refused : report.refused) {
    EXPECT_EQ(refused.pods, 1U);
    examples.insert(examples.end(), refused.examples.begin(), refused.examples.end());
  }
  EXPECT_THAT(examples, testing::UnorderedElementsAre("vision/on-broken on gpu-1",
                                                      "vision/wants-a100 on gpu-2"));
  ASSERT_THAT(report.moved, SizeIs(1));
  EXPECT_EQ(report.moved[0].accelerator, "V100");
  EXPECT_EQ(report.moved[0].pods, 1U);
  EXPECT_EQ(report.moved[0].nodes, 1U);
  EXPECT_EQ(report.moved[0].now.memory, 16 * kGiB);
  EXPECT_THAT(report.moved[0].examples, ElementsAre("vision/cpu-on-gpu on gpu-2"));
  EXPECT_EQ(In(report, "vision").refused, 2U);
  EXPECT_EQ(In(report, "vision").moved, 1U);
  EXPECT_THAT(report.notes, Contains("1 pods run on nodes that were not seen"));
}

TEST_F(SummaryTest, WhatIsKeptForGangsIsNotKeptFromPodsThatRunThere) {
  std::string node = NodeJson("gpu-1", kV100);
  node.insert(node.find(R"("name")"),
              R"("annotations": {"berth.dev/kept": "ml/train resource=nvidia.com/gpu devices=8 )"
              R"(priority=9 created=2026-06-01T00:00:00Z ends-by=2026-06-01T12:30:00Z )"
              R"(until=2026-06-01T12:30:00Z"}, )");
  const Report report =
      On({node, PodJson({.name = "runs", .resources = kOneGpu, .node = "gpu-1"})});
  EXPECT_THAT(report.refused, SizeIs(0));
}

TEST_F(SummaryTest, NodesMayComeBehindThePods) {
  const std::vector<std::string> forwards = {
      NodeJson("gpu-1", kV100), PodJson({.name = "cpu", .node = "gpu-1"}),
      NodeJson("gpu-2", kV100, R"({"type": "GPUIsLost", "status": "True"})"),
      PodJson({.name = "gpu", .resources = kOneGpu, .node = "gpu-2"})};
  const std::vector<std::string> backwards(forwards.rbegin(), forwards.rend());
  for (const auto& objects : {forwards, backwards}) {
    const Report report = On(objects);
    EXPECT_THAT(report.moved, SizeIs(1));
    EXPECT_THAT(report.refused, SizeIs(1));
    EXPECT_THAT(report.notes, Contains(HasSubstr("would find no node")));
  }
}

TEST_F(SummaryTest, CountsNodesThatConditionsExclude) {
  const std::string lost = R"({"type": "GPUIsLost", "status": "True"})";
  policies::scheduling::HealthConfig health{
      .profiles = {},
      .conditions = {{.type = "GPUIsLost", .effect = policies::scheduling::Effect::kExclude},
                     {.type = "NICDown", .effect = policies::scheduling::Effect::kExclude}}};
  const Report report = On({NodeJson("gpu-1", kV100, lost), NodeJson("gpu-2", kV100, lost),
                            NodeJson("cpu-1", "", lost), NodeJson("gpu-3", kV100)},
                           {.health = health});
  ASSERT_THAT(report.excluded, SizeIs(2));
  EXPECT_EQ(report.excluded[0].condition, "GPUIsLost");
  EXPECT_EQ(report.excluded[0].accelerator, "V100");
  EXPECT_EQ(report.excluded[0].nodes, 2U);
  EXPECT_EQ(report.excluded[0].devices, 16);
  EXPECT_EQ(report.excluded[1].accelerator, "");
  EXPECT_THAT(report.silent_conditions, ElementsAre("NICDown"));
}

TEST_F(SummaryTest, SaysWhatWasNotSeen) {
  EXPECT_THAT(On({NodeJson("n"), NamespaceJson("t")}).notes,
              ElementsAre("no Pod was seen", HasSubstr("no Job was seen")));
  const Report pods = On({PodJson({.name = "a", .node = "n"})});
  EXPECT_THAT(pods.notes, Contains(HasSubstr("no Node was seen")));
  EXPECT_THAT(pods.notes, Contains(HasSubstr("no Namespace was seen")));
  EXPECT_THAT(pods.silent_conditions, IsEmpty());
}

TEST_F(SummaryTest, ListsEveryObject) {
  const Report report = On({NodeJson("gpu-1", kV100), PodJson({.name = "cpu", .node = "gpu-1"}),
                            JobJson("train", kOneGpuAlone)});
  ASSERT_THAT(report.all, SizeIs(2));
  EXPECT_EQ(report.all[0].name, "cpu");
  EXPECT_EQ(report.all[0].node, "gpu-1");
  EXPECT_TRUE(report.all[0].moved);
  EXPECT_THAT(report.all[0].policies, ElementsAre("isolation"));
  EXPECT_EQ(report.all[1].kind, "Job");
  EXPECT_THAT(report.all[1].policies, testing::IsSupersetOf({"guaranteed-qos", "job-retries"}));
}

TEST_F(SummaryTest, HostileTextsStayWithinBounds) {
  std::vector<std::string> objects;
  for (int i = 0; i < 40; ++i) objects.emplace_back(R"({"kind": "Pod", "spec": 1})");
  objects.push_back(PodJson({.name = std::string(5000, 'x')}));
  objects.push_back(PodJson({.name = std::string(240, 'x') + "\\u001b[2J\\u202e"}));
  const Report report = On(objects);
  EXPECT_EQ(report.unreadable.count, 41U);
  EXPECT_THAT(report.unreadable.examples, SizeIs(Survey::kMostUnreadable));
  ASSERT_THAT(report.all, SizeIs(1));
  EXPECT_LE(report.all[0].name.size(), 253U);
  EXPECT_EQ(report.all[0].name.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace berth::report
