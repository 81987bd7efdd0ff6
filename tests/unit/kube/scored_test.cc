// What gives kube-scheduler's own scoring a say about a pod, from JSON and from protobuf alike.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Requirements = std::vector<model::LabelRequirement>;

model::Pod FromText(const std::string& text) {
  JsonParser parser;
  const auto root = parser.Parse(text);
  const auto pod = PodFromJson(root.value(), "Pod");
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.value_or(model::Pod());
}

model::Pod FromMessage(const pb::Pod& message) {
  const auto page = DecodePage<model::Pod>(Body("PodList", ListOf(message)));
  EXPECT_TRUE(page.ok()) << page.status();
  return page->items.at(0);
}

struct FieldCase {
  std::string name;
  /// A pod's metadata and spec.
  std::string json;
  std::function<void(pb::Pod&)> message;
  model::ScoredFields expected;
};

class ScoredFieldsTable : public ::testing::TestWithParam<FieldCase> {};

TEST_P(ScoredFieldsTable, AreReadFromBothEncodings) {
  EXPECT_EQ(FromText(GetParam().json).scored, GetParam().expected);
  pb::Pod message;
  GetParam().message(message);
  EXPECT_EQ(FromMessage(message).scored, GetParam().expected);
}

std::string OwnedBy(const std::string& owner) {
  return R"({"metadata": {"ownerReferences": [)" + owner + "]}}";
}

void AddOwner(pb::Pod& pod, const char* kind, bool controller) {
  pb::OwnerReference* owner = pod.mutable_metadata()->add_owner_references();
  owner->set_kind(kind);
  owner->set_controller(controller);
}

INSTANTIATE_TEST_SUITE_P(
    All, ScoredFieldsTable,
    ::testing::Values(
        FieldCase{
            "Nothing", R"({"metadata": {}, "spec": {"affinity": null}})", [](pb::Pod&) {}, {}},
        FieldCase{"NodePreference",
                  R"({"spec": {"affinity": {"nodeAffinity":
                {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}}}})",
                  [](pb::Pod& pod) {
                    pod.mutable_spec()
                        ->mutable_affinity()
                        ->mutable_node_affinity()
                        ->add_preferred_during_scheduling_ignored_during_execution()
                        ->set_weight(1);
                  },
                  {.node_preferences = true}},
        FieldCase{
            "RequiredNodeAffinityIsNoPreference",
            R"({"spec": {"affinity": {"nodeAffinity":
                      {"requiredDuringSchedulingIgnoredDuringExecution": {}}}}})",
            [](pb::Pod& pod) { pod.mutable_spec()->mutable_affinity()->mutable_node_affinity(); },
            {}},
        FieldCase{
            "PodAffinity",
            R"({"spec": {"affinity": {"podAffinity": {}}}})",
            [](pb::Pod& pod) { pod.mutable_spec()->mutable_affinity()->mutable_pod_affinity(); },
            {.pod_affinity = true}},
        FieldCase{"PodAntiAffinity",
                  R"({"spec": {"affinity": {"podAntiAffinity": {}}}})",
                  [](pb::Pod& pod) {
                    pod.mutable_spec()->mutable_affinity()->mutable_pod_anti_affinity();
                  },
                  {.pod_affinity = true}},
        FieldCase{"HardSpread",
                  R"({"spec": {"topologySpreadConstraints":
                      [{"whenUnsatisfiable": "DoNotSchedule"}]}})",
                  [](pb::Pod& pod) {
                    pod.mutable_spec()->add_topology_spread_constraints()->set_when_unsatisfiable(
                        "DoNotSchedule");
                  },
                  {.spread_constraints = true, .hard_spread = true}},
        FieldCase{"SoftSpreadBesideAHardOne",
                  R"({"spec": {"topologySpreadConstraints":
                      [{"whenUnsatisfiable": "ScheduleAnyway"},
                       {"whenUnsatisfiable": "DoNotSchedule"}]}})",
                  [](pb::Pod& pod) {
                    for (const char* when : {"ScheduleAnyway", "DoNotSchedule"}) {
                      pod.mutable_spec()->add_topology_spread_constraints()->set_when_unsatisfiable(
                          when);
                    }
                  },
                  {.spread_constraints = true, .soft_spread = true, .hard_spread = true}},
        FieldCase{"SpreadOfAnUnknownKindIsSoft",
                  R"({"spec": {"topologySpreadConstraints": [{"whenUnsatisfiable": "Perhaps"}]}})",
                  [](pb::Pod& pod) {
                    pod.mutable_spec()->add_topology_spread_constraints()->set_when_unsatisfiable(
                        "Perhaps");
                  },
                  {.spread_constraints = true, .soft_spread = true}},
        FieldCase{"ReplicaSet",
                  OwnedBy(R"({"kind": "ReplicaSet", "controller": true})"),
                  [](pb::Pod& pod) { AddOwner(pod, "ReplicaSet", true); },
                  {.replicated = true}},
        FieldCase{"StatefulSet",
                  OwnedBy(R"({"kind": "StatefulSet", "controller": true})"),
                  [](pb::Pod& pod) { AddOwner(pod, "StatefulSet", true); },
                  {.replicated = true}},
        FieldCase{"ReplicationController",
                  OwnedBy(R"({"kind": "Job"}, {"kind": "ReplicationController",
                              "controller": true})"),
                  [](pb::Pod& pod) {
                    AddOwner(pod, "Job", false);
                    AddOwner(pod, "ReplicationController", true);
                  },
                  {.replicated = true}},
        FieldCase{"Job",
                  OwnedBy(R"({"kind": "Job", "controller": true})"),
                  [](pb::Pod& pod) { AddOwner(pod, "Job", true); },
                  {}},
        FieldCase{"OwnedButNotControlled",
                  OwnedBy(R"({"kind": "ReplicaSet"})"),
                  [](pb::Pod& pod) { AddOwner(pod, "ReplicaSet", false); },
                  {}},
        FieldCase{"Claims",
                  R"({"spec": {"resourceClaims": [{"name": "gpu"}]}})",
                  [](pb::Pod& pod) { pod.mutable_spec()->add_resource_claims()->set_name("gpu"); },
                  {.claims = true}},
        FieldCase{"NoClaims", R"({"spec": {"resourceClaims": []}})", [](pb::Pod&) {}, {}}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(PodLabels, AreKeptUntilThePodIsBound) {
  const auto json = [](const char* node) {
    return R"({"metadata": {"labels": {"b": "2", "a": "1"}}, "spec": {"nodeName": ")" +
           std::string(node) + "\"}}";
  };
  EXPECT_THAT(FromText(json("")).labels, ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_THAT(FromText(json("gpu-7")).labels, IsEmpty());
  pb::Pod message;
  (*message.mutable_metadata()->mutable_labels())["a"] = "1";
  EXPECT_THAT(FromMessage(message).labels, ElementsAre(Pair("a", "1")));
  message.mutable_spec()->set_node_name("gpu-7");
  EXPECT_THAT(FromMessage(message).labels, IsEmpty());
}

// One term, as JSON and as a message.
struct TermCase {
  std::string name;
  std::string json;
  std::function<void(pb::PodAffinityTerm&)> message;
  std::vector<model::PodSelector> expected;
};

class TermTable : public ::testing::TestWithParam<TermCase> {};

TEST_P(TermTable, IsReadFromBothEncodings) {
  EXPECT_EQ(FromText(R"({"metadata": {"namespace": "team"}, "spec": {"affinity": {"podAffinity":
                         {"requiredDuringSchedulingIgnoredDuringExecution": [)" +
                     GetParam().json + "]}}}}")
                .affinity_terms,
            GetParam().expected);
  pb::Pod message;
  message.mutable_metadata()->set_namespace_("team");
  GetParam().message(*message.mutable_spec()
                          ->mutable_affinity()
                          ->mutable_pod_affinity()
                          ->add_required_during_scheduling_ignored_during_execution());
  EXPECT_EQ(FromMessage(message).affinity_terms, GetParam().expected);
}

void AddExpression(pb::LabelSelector& selector, const char* key, const char* op,
                   const std::vector<const char*>& values) {
  pb::LabelSelectorRequirement* expression = selector.add_match_expressions();
  expression->set_key(key);
  expression->set_operator_(op);
  for (const char* value : values) expression->add_values(value);
}

INSTANTIATE_TEST_SUITE_P(
    All, TermTable,
    ::testing::Values(
        TermCase{"WithoutASelectorItSelectsNothing",
                 R"({"namespaceSelector": {}})",
                 [](pb::PodAffinityTerm& term) { term.mutable_namespace_selector(); },
                 {}},
        TermCase{"AnEmptySelectorSelectsEveryPodOfItsNamespace",
                 R"({"labelSelector": {}})",
                 [](pb::PodAffinityTerm& term) { term.mutable_label_selector(); },
                 {{.namespaces = {"team"}, .labels = {}}}},
        TermCase{"LabelsAndExpressionsInOrder",
                 R"({"labelSelector": {"matchLabels": {"b": "2", "a": "1"}, "matchExpressions":
                     [{"key": "c", "operator": "NotIn", "values": ["x", "y"]},
                      {"key": "a", "operator": "Exists"}]}, "topologyKey": "zone"})",
                 [](pb::PodAffinityTerm& term) {
                   pb::LabelSelector& selector = *term.mutable_label_selector();
                   (*selector.mutable_match_labels())["b"] = "2";
                   (*selector.mutable_match_labels())["a"] = "1";
                   AddExpression(selector, "c", "NotIn", {"x", "y"});
                   AddExpression(selector, "a", "Exists", {});
                 },
                 {{.namespaces = {"team"},
                   .labels = {{"a", "Exists", {}},
                              {"a", "In", {"1"}},
                              {"b", "In", {"2"}},
                              {"c", "NotIn", {"x", "y"}}}}}},
        TermCase{"Namespaces",
                 R"({"labelSelector": {}, "namespaces": ["z", "a", "z"]})",
                 [](pb::PodAffinityTerm& term) {
                   term.mutable_label_selector();
                   for (const char* name : {"z", "a", "z"}) term.add_namespaces(name);
                 },
                 {{.namespaces = {"a", "z"}, .labels = {}}}},
        TermCase{"ANamespaceSelectorCountsAsAny",
                 R"({"labelSelector": {}, "namespaces": ["a"],
                     "namespaceSelector": {"matchLabels": {"x": "y"}}})",
                 [](pb::PodAffinityTerm& term) {
                   term.mutable_label_selector();
                   term.add_namespaces("a");
                   (*term.mutable_namespace_selector()->mutable_match_labels())["x"] = "y";
                 },
                 {{.namespaces = {}, .labels = {}}}},
        // As the API server stores it: merged into the selector.
        TermCase{"MatchLabelKeysAreInTheSelector",
                 R"({"labelSelector": {"matchExpressions":
                     [{"key": "hash", "operator": "In", "values": ["1"]}]},
                     "matchLabelKeys": ["hash"]})",
                 [](pb::PodAffinityTerm& term) {
                   AddExpression(*term.mutable_label_selector(), "hash", "In", {"1"});
                 },
                 {{.namespaces = {"team"}, .labels = {{"hash", "In", {"1"}}}}}}),
    [](const auto& param_info) { return param_info.param.name; });

// Required anti-affinity only refuses nodes.
TEST(PodDraws, AreTheTermsByWhichKubeSchedulerScores) {
  const model::Pod pod = FromText(R"({"metadata": {"namespace": "n"}, "spec": {"affinity": {
    "podAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {"matchLabels": {"a": "1"}}}],
      "preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "podAffinityTerm": {"labelSelector": {"matchLabels": {"a": "2"}}}}]},
    "podAntiAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {"matchLabels": {"a": "3"}}}],
      "preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "podAffinityTerm": {"labelSelector": {"matchLabels": {"a": "4"}}}}]}}}})");
  std::vector<Requirements> labels;
  for (const model::PodSelector& selector : pod.affinity_terms) labels.push_back(selector.labels);
  EXPECT_THAT(labels,
              ElementsAre(Requirements{{"a", "In", {"1"}}}, Requirements{{"a", "In", {"2"}}},
                          Requirements{{"a", "In", {"4"}}}));
}

TEST(PodDraws, AreReadFromPreferredTermsInProtobufToo) {
  pb::Pod message;
  pb::Affinity& affinity = *message.mutable_spec()->mutable_affinity();
  const auto select = [](pb::PodAffinityTerm& term, const char* value) {
    (*term.mutable_label_selector()->mutable_match_labels())["a"] = value;
  };
  select(*affinity.mutable_pod_affinity()
              ->add_preferred_during_scheduling_ignored_during_execution()
              ->mutable_pod_affinity_term(),
         "2");
  select(*affinity.mutable_pod_anti_affinity()
              ->add_required_during_scheduling_ignored_during_execution(),
         "3");
  select(*affinity.mutable_pod_anti_affinity()
              ->add_preferred_during_scheduling_ignored_during_execution()
              ->mutable_pod_affinity_term(),
         "4");
  const model::Pod pod = FromMessage(message);
  ASSERT_EQ(pod.affinity_terms.size(), 2U);
  EXPECT_EQ(pod.affinity_terms[0].labels, (Requirements{{"a", "In", {"2"}}}));
  EXPECT_EQ(pod.affinity_terms[1].labels, (Requirements{{"a", "In", {"4"}}}));
}

TEST(Services, AreReadWithTheirSelector) {
  pb::Service service;
  service.mutable_metadata()->set_namespace_("team");
  service.mutable_metadata()->set_name("web");
  (*service.mutable_spec()->mutable_selector())["app"] = "web";
  pb::Service headless;
  headless.mutable_metadata()->set_name("headless");
  const auto page = DecodePage<model::Service>(Body("ServiceList", ListOf(service, headless)));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->items, ElementsAre(model::Service{"team", "web", {{"app", "web"}}},
                                       model::Service{"", "headless", {}}));
}

TEST(Services, AreWatched) {
  pb::Service service;
  service.mutable_metadata()->set_name("web");
  service.mutable_metadata()->set_resource_version("7");
  const auto event = DecodeWatchEvent<model::Service>(Event("DELETED", Body("Service", service)));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kDeleted);
  EXPECT_EQ(event->object->name, "web");
  EXPECT_EQ(event->resource_version, "7");
}

TEST(PodFromJsonScored, NamesTheFieldThatIsWrong) {
  JsonParser parser;
  const auto root = parser.Parse(
      R"({"spec": {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
          [{"labelSelector": {"matchExpressions": [{"key": "a", "values": [1]}]}}]}}}})");
  EXPECT_EQ(std::string(PodFromJson(root.value(), "Pod").status().message()),
            "Pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
            ".labelSelector.matchExpressions[0].values[0]: expected a string, got number");
}

}  // namespace
}  // namespace berth::kube
