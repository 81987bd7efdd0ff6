// The shortlist from request to answer: which pods get it, and which never do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "placement/explanation.h"
#include "tests/unit/extender/fixtures.h"

namespace berth::extender {
namespace {

using nlohmann::json;
using policies::scheduling::GpuNode;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

using policies::scheduling::kV100;
constexpr std::size_t kNodes = 12;

std::vector<model::NodeState> Nodes() {
  std::vector<model::NodeState> nodes;
  for (std::size_t i = 0; i < kNodes; ++i) {
    nodes.push_back(GpuNode("n" + std::to_string(i), kV100));
  }
  return nodes;
}

json NamesOfAll() {
  json names = json::array();
  for (std::size_t i = 0; i < kNodes; ++i) names.push_back("n" + std::to_string(i));
  return names;
}

/// A pod of namespace "team" that asks for one GPU, with more in its metadata and spec.
json PodWith(const std::string& metadata, const std::string& spec) {
  json pod = json::parse(R"({
    "metadata": {"namespace": "team", "name": "train", "uid": "u-1", "labels": {"app": "web"}},
    "spec": {"containers": [{"resources": {"requests": {"nvidia.com/gpu": "1"}}}]}})");
  pod["metadata"].update(json::parse(metadata));
  pod["spec"].update(json::parse(spec));
  return pod;
}

class Shortlist : public ::testing::Test {
 protected:
  explicit Shortlist(policies::scheduling::ShortlistConfig config = {.size = 3})
      : berth_(Nodes(), {}, std::move(config)) {
    ListServices({});
  }

  void ListServices(const std::vector<model::Service>& services) {
    berth_.snapshot.BeginReplace(cluster::Kind::kServices);
    for (const model::Service& service : services) berth_.snapshot.UpsertService(service);
    berth_.snapshot.EndReplace(cluster::Kind::kServices);
  }

  json Filter(const json& pod, const json& names = NamesOfAll()) {
    const json args = {{"Pod", pod}, {"NodeNames", names}};
    return json::parse(berth_.Post("/filter", args.dump()).body);
  }

  /// For a pod like `pod` that nobody has asked about before.
  std::size_t Answered(json pod) {
    pod["metadata"]["uid"] = "new-" + std::to_string(++pods_);
    return Filter(pod)["NodeNames"].size();
  }

  /// The outcomes that were counted, "short 1".
  std::vector<std::string> Outcomes() {
    std::vector<std::string> outcomes;
    for (const prometheus::MetricFamily& family : berth_.metrics->registry().Collect()) {
      if (family.name != "berth_shortlist_total") continue;
      for (const prometheus::ClientMetric& series : family.metric) {
        if (series.counter.value == 0) continue;
        outcomes.push_back(series.label.at(0).value + " " +
                           std::to_string(static_cast<int>(series.counter.value)));
      }
    }
    return outcomes;
  }

  ExtenderUnderTest berth_;

 private:
  int pods_ = 0;
};

TEST_F(Shortlist, HasTheBestNodesInTheOrderAsked) {
  for (const char* node : {"n7", "n2"}) {
    model::Pod started = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 7);
    started.name = node;
    started.node_name = node;
    berth_.snapshot.UpsertPod(started);
  }
  const json reply = Filter(PodWith("{}", "{}"));
  ASSERT_EQ(reply["NodeNames"].size(), 3U);
  EXPECT_EQ(reply.size(), 1U) << "nothing of the others: " << reply;
  const auto names = reply["NodeNames"].get<std::vector<std::string>>();
  EXPECT_THAT(names, ::testing::IsSupersetOf({"n2", "n7"}));
  EXPECT_LT(std::find(names.begin(), names.end(), "n2"),
            std::find(names.begin(), names.end(), "n7"));
  EXPECT_THAT(Outcomes(), ElementsAre("short 1"));
}

TEST_F(Shortlist, OfFewNodesAllAreAnswered) {
  EXPECT_EQ(Filter(PodWith("{}", "{}"), {"n1", "n0", "n2"})["NodeNames"],
            json::parse(R"(["n1", "n0", "n2"])"));
  EXPECT_THAT(Outcomes(), ElementsAre("few 1"));
}

TEST_F(Shortlist, LeavesPrioritizeAsItIs) {
  const json args = {{"Pod", PodWith("{}", "{}")}, {"NodeNames", NamesOfAll()}};
  EXPECT_EQ(json::parse(berth_.Post("/prioritize", args.dump()).body).size(), kNodes);
}

// Nobody knows which of them kube-scheduler chose.
TEST_F(Shortlist, OfSeveralNoneIsPutLastWhenThePodIsAskedAboutAgain) {
  const json pod = PodWith("{}", "{}");
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), 3U);
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), kNodes);
  const json args = {{"Pod", pod}, {"NodeNames", NamesOfAll()}};
  for (const json& node : json::parse(berth_.Post("/prioritize", args.dump()).body)) {
    EXPECT_EQ(node["Score"], 10) << node["Host"];
  }
}

// They need not be of this cluster, and their sender may be an autoscaler.
TEST_F(Shortlist, WholeNodesAreAllAnswered) {
  json nodes = json::array();
  for (std::size_t i = 0; i < kNodes; ++i) {
    nodes.push_back(
        {{"metadata",
          {{"name", "new" + std::to_string(i)}, {"labels", {{"nvidia.com/gpu.product", kV100}}}}},
         {"status", {{"allocatable", {{"nvidia.com/gpu", "8"}}}}}});
  }
  const json args = {{"Pod", PodWith("{}", "{}")}, {"Nodes", {{"items", nodes}}}};
  const json reply = json::parse(berth_.Post("/filter", args.dump()).body);
  EXPECT_EQ(reply["Nodes"]["items"].size(), kNodes);
  EXPECT_THAT(Outcomes(), ElementsAre());
}

struct ShortlistCase {
  std::string name;
  std::string metadata;
  std::string spec;
  std::string outcome;
};

class NeverShortlisted : public Shortlist, public ::testing::WithParamInterface<ShortlistCase> {};

TEST_P(NeverShortlisted, AllNodesThatFitAreAnswered) {
  const ShortlistCase& test = GetParam();
  ListServices({{"team", "web", {{"app", "served"}}}});
  EXPECT_EQ(Answered(PodWith(test.metadata, test.spec)), kNodes);
  EXPECT_THAT(Outcomes(), ElementsAre(test.outcome + " 1"));
}

INSTANTIATE_TEST_SUITE_P(
    All, NeverShortlisted,
    ::testing::Values(
        ShortlistCase{"PreferredNodeAffinity", "{}",
                      R"({"affinity": {"nodeAffinity":
                 {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1,
                  "preference": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}]}}})",
                      "node_preference"},
        ShortlistCase{
            "PodAffinity", "{}",
            R"({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                 [{"topologyKey": "zone", "labelSelector": {}}]}}})",
            "pod_affinity"},
        ShortlistCase{
            "PreferredPodAffinity", "{}",
            R"({"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution":
                 [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]}}})",
            "pod_affinity"},
        ShortlistCase{
            "RequiredPodAntiAffinity", "{}",
            R"({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                 [{"topologyKey": "zone", "labelSelector": {}}]}}})",
            "pod_affinity"},
        ShortlistCase{
            "PodAntiAffinity", "{}",
            R"({"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution":
                 [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]}}})",
            "pod_affinity"},
        ShortlistCase{"ScheduleAnyway", "{}",
                      R"({"topologySpreadConstraints": [{"whenUnsatisfiable": "ScheduleAnyway"}]})",
                      "soft_spread"},
        ShortlistCase{"OfAReplicaSet",
                      R"({"ownerReferences": [{"kind": "ReplicaSet", "controller": true}]})", "{}",
                      "replicated"},
        ShortlistCase{"OfAStatefulSet",
                      R"({"ownerReferences": [{"kind": "StatefulSet", "controller": true}]})", "{}",
                      "replicated"},
        ShortlistCase{
            "OfAReplicationController",
            R"({"ownerReferences": [{"kind": "ReplicationController", "controller": true}]})", "{}",
            "replicated"},
        ShortlistCase{"OfAService", R"({"labels": {"app": "served", "more": "x"}})", "{}",
                      "service"},
        ShortlistCase{"WithClaims", "{}", R"({"resourceClaims": [{"name": "gpu"}]})", "claims"}),
    [](const auto& param_info) { return param_info.param.name; });

// A Job's pods are spread by nobody.
TEST_F(Shortlist, IsForPodsOfJobs) {
  EXPECT_EQ(Answered(PodWith(R"({"ownerReferences": [{"kind": "Job", "controller": true}]})",
                             R"({"topologySpreadConstraints":
                                 [{"whenUnsatisfiable": "DoNotSchedule"}]})")),
            3U);
}

TEST_F(Shortlist, ComesBackWhenTheServiceIsGone) {
  const json pod = PodWith("{}", "{}");
  berth_.snapshot.UpsertService({"team", "web", {{"app", "web"}}});
  EXPECT_EQ(Answered(pod), kNodes);
  berth_.snapshot.DeleteService({"team", "web", {}});
  EXPECT_EQ(Answered(pod), 3U);
  berth_.snapshot.UpsertService({"other", "web", {{"app", "web"}}});
  EXPECT_EQ(Answered(pod), 3U) << "of another namespace";
}

/// A bound pod of namespace "other" with this affinity.
model::Pod NeighbourWith(const std::string& affinity) {
  const std::string text = R"({
    "metadata": {"namespace": "other", "name": "neighbour", "uid": "u-2"},
    "spec": {"nodeName": "n0", "affinity": )" +
                           affinity + "}}";
  kube::JsonParser parser;
  return kube::PodFromJson(parser.Parse(text).value(), "Pod").value();
}

/// One with one preferred anti-affinity term.
model::Pod Neighbour(const std::string& term) {
  return NeighbourWith(R"({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution":
                           [{"podAffinityTerm": )" +
                       term + "}]}}");
}

struct TermCase {
  std::string name;
  std::string term;
  bool selects;
};

class UnderATerm : public Shortlist, public ::testing::WithParamInterface<TermCase> {};

TEST_P(UnderATerm, AllNodesAreAnsweredWhileThePodIsThere) {
  const json pod = PodWith("{}", "{}");
  const model::Pod neighbour = Neighbour(GetParam().term);
  berth_.snapshot.UpsertPod(neighbour);
  EXPECT_EQ(Answered(pod), GetParam().selects ? kNodes : 3U);
  berth_.snapshot.DeletePod(neighbour);
  EXPECT_EQ(Answered(pod), 3U);
}

INSTANTIATE_TEST_SUITE_P(
    All, UnderATerm,
    ::testing::Values(
        TermCase{"MatchLabels",
                 R"({"namespaces": ["team"], "labelSelector": {"matchLabels": {"app": "web"}}})",
                 true},
        TermCase{"OtherLabels",
                 R"({"namespaces": ["team"], "labelSelector": {"matchLabels": {"app": "db"}}})",
                 false},
        TermCase{"Expressions",
                 R"({"namespaces": ["team"], "labelSelector": {"matchExpressions":
                     [{"key": "app", "operator": "In", "values": ["db", "web"]},
                      {"key": "x", "operator": "DoesNotExist"}]}})",
                 true},
        TermCase{"ExpressionThatIsNotMet",
                 R"({"namespaces": ["team"], "labelSelector": {"matchExpressions":
                     [{"key": "app", "operator": "NotIn", "values": ["web"]}]}})",
                 false},
        TermCase{"OfItsOwnNamespaceAlone", R"({"labelSelector": {}})", false},
        TermCase{"OfSeveralNamespaces", R"({"namespaces": ["a", "team"], "labelSelector": {}})",
                 true},
        TermCase{"ByANamespaceSelector",
                 R"({"namespaceSelector": {"matchLabels": {"a": "b"}}, "labelSelector": {}})",
                 true},
        TermCase{"WithoutALabelSelector", R"({"namespaces": ["team"]})", false},
        TermCase{"WithMatchLabelKeys",
                 R"({"namespaces": ["team"], "labelSelector": {}, "matchLabelKeys": ["rev"]})",
                 true}),
    [](const auto& param_info) { return param_info.param.name; });

// kube-scheduler scores by these terms of others, but for required anti-affinity, which only
// refuses.
TEST_F(Shortlist, IsNotForPodsThatAnyTermByWhichKubeSchedulerScoresSelects) {
  const std::string term = R"({"topologyKey": "zone", "namespaces": ["team"],
                               "labelSelector": {"matchLabels": {"app": "web"}}})";
  const std::string weighted = R"([{"weight": 1, "podAffinityTerm": )" + term + "}]";
  const struct {
    std::string affinity;
    std::size_t answered;
  } cases[] = {
      {R"({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [)" + term + "]}}",
       kNodes},
      {R"({"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": )" + weighted + "}}",
       kNodes},
      {R"({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": )" + weighted +
           "}}",
       kNodes},
      {R"({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [)" + term + "]}}",
       3U}};
  for (const auto& test : cases) {
    const model::Pod neighbour = NeighbourWith(test.affinity);
    berth_.snapshot.UpsertPod(neighbour);
    EXPECT_EQ(Answered(PodWith("{}", "{}")), test.answered) << test.affinity;
    berth_.snapshot.DeletePod(neighbour);
  }
}

class ShortlistWithDeviceClasses : public Shortlist {
 protected:
  ShortlistWithDeviceClasses()
      : Shortlist({.size = 3, .device_class_resources = {"nvidia.com/gpu"}}) {}
};

TEST_F(ShortlistWithDeviceClasses, IsNotForPodsWhoseDevicesKubeSchedulerClaims) {
  EXPECT_EQ(Answered(PodWith("{}", "{}")), kNodes);
  EXPECT_THAT(Outcomes(), ElementsAre("claims 1"));
}

class ShortlistOfOne : public Shortlist {
 protected:
  ShortlistOfOne() : Shortlist({.size = 1}) {}
};

TEST_F(ShortlistOfOne, ComesAsTheOnlyOne) { EXPECT_EQ(Answered(PodWith("{}", "{}")), 1U); }

// kube-scheduler never asks to prioritize one node, so filter tells of its decision.
TEST_F(ShortlistOfOne, TellsWhatWasChosen) {
  struct Listener final : DecisionObserver {
    bool Wants() override { return true; }
    void OnDecision(const Decision& decision) override { told.push_back(decision); }
    std::vector<Decision> told;
  } listener;
  Placer placer(berth_.engine, berth_.snapshot, *berth_.metrics, {&listener}, {.size = 1});
  ArgsReader reader;
  for (int pod = 0; pod < 5; ++pod) {
    const json args = {{"Pod", PodWith(R"({"uid": "u-)" + std::to_string(pod) + "\"}", "{}")},
                       {"NodeNames", NamesOfAll()}};
    const std::string text = args.dump();
    const auto read = reader.Read(text);
    const FilterResult result = placer.Filter(*read, policies::scheduling::kNow);
    ASSERT_EQ(result.node_names.size(), 1U);
    EXPECT_EQ(listener.told.back().top.at(0).name, result.node_names[0]);
    EXPECT_EQ(listener.told.back().fitting, kNodes);
  }
  EXPECT_EQ(listener.told.size(), 5U);
}

// What kube-scheduler made of the first answer came to nothing: a volume that cannot be provisioned
// there, or Reserve, Permit or the binding.
TEST_F(ShortlistOfOne, IsNotForAPodThatDidNotGetThere) {
  const json pod = PodWith("{}", "{}");
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), 1U);
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), kNodes);
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), kNodes) << "nor the next time";
  EXPECT_THAT(Outcomes(), UnorderedElementsAre("short 1", "asked_again 2"));
}

// Else it would be the best of all again, and kube-scheduler would choose it again.
TEST_F(ShortlistOfOne, LeavesTheNodeToWhichThePodDidNotGetTheLastChoice) {
  model::Pod started = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 7);
  started.node_name = "n7";
  berth_.snapshot.UpsertPod(started);
  const auto ranks = [&](const json& pod) {
    const json args = {{"Pod", pod}, {"NodeNames", NamesOfAll()}};
    std::map<std::string, int> by_name;
    for (const json& entry : json::parse(berth_.Post("/prioritize", args.dump()).body)) {
      by_name[entry["Host"]] = entry["Score"];
    }
    return by_name;
  };
  const json pod = PodWith("{}", "{}");
  EXPECT_EQ(Filter(pod)["NodeNames"], json::parse(R"(["n7"])"));
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), kNodes);
  for (const auto& [name, rank] : ranks(pod)) {
    EXPECT_EQ(rank, name == "n7" ? 0 : 10) << name;
  }
  EXPECT_EQ(ranks(PodWith(R"({"uid": "u-2"})", "{}"))["n7"], 10) << "of another pod";
}

// The call for its nominated node is the first half of the same attempt.
TEST_F(ShortlistOfOne, IsForAPodWhoseNominationFailed) {
  const json pod = PodWith("{}", "{}");
  EXPECT_EQ(Filter(pod, {"n1"})["NodeNames"].size(), 1U);
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), 1U);
}

TEST_F(ShortlistOfOne, IsForAPodThatWasRefusedBefore) {
  const json pod = PodWith(R"({"annotations": {"berth.dev/accelerators": "A100"}})", "{}");
  EXPECT_TRUE(Filter(pod)["NodeNames"].empty());
  for (const char* name : {"a0", "a1"}) {
    berth_.snapshot.UpsertNode(GpuNode(name, "NVIDIA-A100-SXM4-40GB").node);
  }
  EXPECT_EQ(Filter(pod, {"a0", "a1"})["NodeNames"].size(), 1U);
}

TEST_F(ShortlistOfOne, IsForEveryPodWithoutUid) {
  const json pod = PodWith(R"({"uid": ""})", "{}");
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), 1U);
  EXPECT_EQ(Filter(pod)["NodeNames"].size(), 1U);
}

class WithoutDefaultSpreading : public Shortlist {
 protected:
  WithoutDefaultSpreading() : Shortlist({.size = 3, .default_spreading = false}) {}
};

TEST_F(WithoutDefaultSpreading, PodsOfReplicaSetsAndServicesAreShortlisted) {
  ListServices({{"team", "web", {{"app", "web"}}}});
  EXPECT_EQ(Answered(PodWith(R"({"ownerReferences": [{"kind": "ReplicaSet", "controller": true}]})",
                             "{}")),
            3U);
}

TEST(ShortlistWithoutServices, IsForNobodyWhoMightBeSpread) {
  ExtenderUnderTest berth(Nodes(), {}, {.size = 3});
  const json args = {{"Pod", PodWith("{}", "{}")}, {"NodeNames", NamesOfAll()}};
  EXPECT_EQ(json::parse(berth.Post("/filter", args.dump()).body)["NodeNames"].size(), kNodes);
}

TEST(ShortlistOff, AnswersAllAndCountsNothing) {
  ExtenderUnderTest berth(Nodes());
  const json args = {{"Pod", PodWith("{}", "{}")}, {"NodeNames", NamesOfAll()}};
  EXPECT_EQ(json::parse(berth.Post("/filter", args.dump()).body)["NodeNames"].size(), kNodes);
  const std::string metrics = berth.metrics->Exposition();
  EXPECT_THAT(metrics, HasSubstr("berth_shortlist_total{outcome=\"short\"} 0"));
  EXPECT_THAT(metrics, Not(ContainsRegex("berth_shortlist_total\\{[^}]*\\} [1-9]")));
}

class Explained : public Shortlist {
 protected:
  std::string NotShortlisted(const json& pod, std::int32_t size = 3) {
    kube::JsonParser parser;
    const std::string text = pod.dump();
    const model::Pod read = kube::PodFromJson(parser.Parse(text).value(), "Pod").value();
    return placement::Explain(read, berth_.snapshot, *berth_.engine, {.size = size},
                              policies::scheduling::kNow)
        .not_shortlisted;
  }
};

TEST_F(Explained, SaysWhyAPodIsNotShortlisted) {
  EXPECT_EQ(NotShortlisted(PodWith("{}", "{}")), "");
  const json claims = PodWith("{}", R"({"resourceClaims": [{"name": "gpu"}]})");
  EXPECT_EQ(NotShortlisted(claims),
            "it has resource claims, or asks for a resource that a DeviceClass serves");
  EXPECT_EQ(NotShortlisted(claims, 0), "") << "there is no shortlist";
}

TEST_F(Explained, SaysNothingOfPodsThatHaveTheirPlace) {
  EXPECT_EQ(NotShortlisted(PodWith("{}", R"({"resourceClaims": [{"name": "gpu"}],
                                             "nodeName": "n0"})")),
            "");
}

}  // namespace
}  // namespace berth::extender
