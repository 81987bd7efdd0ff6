#include "extender/extender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/extender/fixtures.h"

namespace berth::extender {
namespace {

using model::ConditionStatus;
using nlohmann::json;
using policies::scheduling::GpuNode;
using policies::scheduling::kMnCore;
using policies::scheduling::NodeWith;
using testing::HasSubstr;
using testing::Not;

using policies::scheduling::kV100;

std::vector<model::NodeState> MixedNodes() {
  return {GpuNode("good", kV100),
          WithCondition(GpuNode("lost", kV100), "GPUIsLost", ConditionStatus::kTrue),
          WithCondition(GpuNode("slow", kV100), "PCIeLinkDegraded", ConditionStatus::kTrue),
          NodeWith("mn", kMnCore, 4)};
}

TEST(Filter, AnswersTheNodesThatFitInTheOrderAsked) {
  ExtenderUnderTest berth(MixedNodes());
  const auto response = berth.Post("/filter", ArgsFor(R"(["slow", "lost", "mn", "good"])"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"NodeNames":["slow","good"]})");
}

TEST(Filter, WhereNoneFitsEveryNodeHasItsReason) {
  ExtenderUnderTest berth(MixedNodes());
  const json reply = json::parse(berth.Post("/filter", ArgsFor(R"(["lost", "mn", "ghost"])")).body);
  EXPECT_EQ(reply, json::parse(R"({
    "NodeNames": [],
    "FailedAndUnresolvableNodes": {
      "lost": "node(s) had condition GPUIsLost",
      "mn": "node(s) had accelerator MN-Core, not one the pod asks for",
      "ghost": "node(s) were unknown to Berth"}})"));
}

TEST(Filter, NoNamesGetNoNodes) {
  ExtenderUnderTest berth(MixedNodes());
  EXPECT_EQ(berth.Post("/filter", ArgsFor("[]")).body, R"({"NodeNames":[]})");
}

TEST(Filter, ModelThatNobodyHasIsRefusedOnEveryNode) {
  ExtenderUnderTest berth(MixedNodes());
  const json reply = json::parse(
      berth.Post("/filter", ArgsFor(R"(["good"])", R"({"berth.dev/accelerators": "V1000"})")).body);
  EXPECT_THAT(reply["FailedAndUnresolvableNodes"]["good"].get<std::string>(),
              HasSubstr("names a model that Berth's catalogue lacks"));
}

TEST(Filter, ErrorIsASentenceInA200) {
  ExtenderUnderTest berth(MixedNodes());
  const auto response = berth.Post("/filter", "{");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(json::parse(response.body)["Error"].get<std::string>(), HasSubstr("JSON"));
}

TEST(Filter, RejectionByTheServerIsASentenceInA200) {
  ExtenderUnderTest berth({});
  const auto routes = berth.extender.Routes();
  const auto response =
      routes[0].reject({server::RejectionCause::kBodyTooLarge, "over 8388608 bytes"});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(json::parse(response.body)["Error"], "berth: over 8388608 bytes");
}

TEST(Filter, BeforeTheFirstListItAnswersAnErrorAndRefusesNobody) {
  server::Metrics metrics;
  const cluster::Snapshot snapshot({.catalog = policies::scheduling::Catalog()});
  auto engine = std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{});
  Extender extender(std::make_shared<Placer>(std::move(engine), snapshot, metrics), metrics,
                    {.now = [] { return policies::scheduling::kNow; }});
  const std::string args = ArgsFor(R"(["good"])");
  const auto routes = extender.Routes();
  const json reply = json::parse(routes[0].handle({"POST", "/filter", args}).body);
  EXPECT_THAT(reply["Error"].get<std::string>(), HasSubstr("not listed yet"));
  EXPECT_FALSE(reply.contains("FailedAndUnresolvableNodes"));
  EXPECT_EQ(routes[1].handle({"POST", "/prioritize", args}).status, 503);
  EXPECT_EQ(routes[2].handle({"POST", "/preempt", R"({"Pod": {}})"}).status, 503);
}

TEST(Prioritize, RanksTheFittingNodesAndGivesTheOthersZero) {
  ExtenderUnderTest berth(MixedNodes());
  const auto response = berth.Post("/prioritize", ArgsFor(R"(["lost", "good", "slow", "ghost"])"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"([{"Host":"lost","Score":0},{"Host":"good","Score":10},)"
                           R"({"Host":"slow","Score":0},{"Host":"ghost","Score":0}])");
}

TEST(Prioritize, NodeDeletedSinceFilterRanksLast) {
  ExtenderUnderTest berth({GpuNode("stays", kV100), GpuNode("goes", kV100)});
  const std::string args = ArgsFor(R"(["stays", "goes"])");
  EXPECT_EQ(berth.Post("/filter", args).body, R"({"NodeNames":["stays","goes"]})");
  berth.snapshot.DeleteNode("goes");
  EXPECT_EQ(berth.Post("/prioritize", args).body,
            R"([{"Host":"stays","Score":10},{"Host":"goes","Score":0}])");
}

TEST(Prioritize, PodsBoundMeanwhileFillNodesUp) {
  ExtenderUnderTest berth({GpuNode("empty", kV100), GpuNode("started", kV100)});
  model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 6);
  pod.node_name = "started";
  berth.snapshot.UpsertPod(pod);
  EXPECT_EQ(berth.Post("/prioritize", ArgsFor(R"(["empty", "started"])")).body,
            R"([{"Host":"empty","Score":0},{"Host":"started","Score":10}])");
}

TEST(Prioritize, ErrorIsA400WithASentence) {
  ExtenderUnderTest berth(MixedNodes());
  const auto response = berth.Post("/prioritize", R"({"Pod": {}, "NodeNames": [1]})");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("NodeNames[0]"));
}

std::string Victims(const json& by_node) {
  json args = json::parse(ArgsFor("[]"));
  args.erase("NodeNames");
  args["NodeNameToMetaVictims"] = by_node;
  return args.dump();
}

TEST(Preempt, KeepsTheNodesThatFilterWouldNotRefuseWithTheirVictims) {
  ExtenderUnderTest berth(MixedNodes());
  const json victims = {{"Pods", {{{"UID", "u-1"}}, {{"UID", "nobody-has-it"}}}},
                        {"NumPDBViolations", 2}};
  const auto response = berth.Post("/preempt", Victims({{"good", victims},
                                                        {"slow", victims},
                                                        {"lost", victims},
                                                        {"mn", victims},
                                                        {"ghost", victims}}));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(json::parse(response.body),
            (json{{"NodeNameToMetaVictims", {{"good", victims}, {"slow", victims}}}}));
}

kube::UnreadableObject OddNode(const std::string& name) {
  return {.kind = "Node", .name = name, .error = "odd"};
}

TEST(Filter, ANodeInQuarantineIsRefusedUntilItCanBeReadAgain) {
  ExtenderUnderTest berth({GpuNode("known", kV100)});
  const auto ask = [&] {
    return json::parse(berth.Post("/filter", ArgsFor(R"(["known", "new", "ghost"])")).body);
  };
  EXPECT_EQ(ask()["NodeNames"], json::array({"known"}));  // remembered from here on
  berth.snapshot.QuarantineNode(OddNode("known"));
  berth.snapshot.QuarantineNode(OddNode("new"));
  EXPECT_EQ(ask()["FailedAndUnresolvableNodes"],
            (json{{"known", "node(s) could not be read by Berth"},
                  {"new", "node(s) could not be read by Berth"},
                  {"ghost", "node(s) were unknown to Berth"}}));
  berth.snapshot.UpsertNode(GpuNode("known", kV100).node);
  EXPECT_EQ(ask()["NodeNames"], json::array({"known"}));
}

// Everything that the answer depends on comes with the request.
TEST(Filter, DevicesThatAreKeptForAGangAreRefusedToPodsThatComeLater) {
  model::NodeState node = GpuNode("kept", kV100);
  node.node.annotations = {
      {"berth.dev/kept",
       "ml/train resource=nvidia.com/gpu devices=8 priority=5 created=2027-01-15T07:00:00Z "
       "ends-by=2027-01-15T09:00:00Z until=2027-01-15T08:10:00Z"}};  // at 08:00
  ExtenderUnderTest berth({node});
  const auto refused = [&berth](const json& change) {
    json args = json::parse(ArgsFor(R"(["kept"])"));
    args["Pod"]["metadata"]["creationTimestamp"] = "2027-01-15T07:30:00Z";
    args["Pod"]["spec"]["priority"] = 5;
    args["Pod"].merge_patch(change);
    return json::parse(berth.Post("/filter", args.dump()).body)
        .contains("FailedAndUnresolvableNodes");
  };
  const auto annotated = [](const json& annotations) {
    return json{{"metadata", {{"annotations", annotations}}}};
  };
  EXPECT_TRUE(refused(json::object()));
  EXPECT_FALSE(refused({{"metadata", {{"creationTimestamp", "2027-01-15T06:59:59Z"}}}}));
  EXPECT_FALSE(refused({{"spec", {{"priority", 6}}}}));
  EXPECT_FALSE(refused({{"status", {{"nominatedNodeName", "kept"}}}}));
  EXPECT_FALSE(refused(annotated({{"berth.dev/max-runtime", "1h"}})));
  const auto of_gang = [](const char* gang) {
    const json annotations = {{"berth.dev/gang-name", gang}, {"berth.dev/gang-size", "2"}};
    return json{{"metadata", {{"namespace", "ml"}, {"annotations", annotations}}}};
  };
  EXPECT_FALSE(refused(of_gang("train")));
  EXPECT_TRUE(refused(of_gang("other")));
}

TEST(Filter, AnOddTimeOfCreationDoesNotMakeThePodUnschedulable) {
  ExtenderUnderTest berth({GpuNode("good", kV100)});
  json args = json::parse(ArgsFor(R"(["good"])"));
  args["Pod"]["metadata"]["creationTimestamp"] = "0000-12-31T15:00:00Z";
  EXPECT_EQ(json::parse(berth.Post("/filter", args.dump()).body)["NodeNames"],
            json::array({"good"}));
}

TEST(Preempt, EvictingPodsDoesNotHelpOnANodeInQuarantine) {
  ExtenderUnderTest berth({GpuNode("odd", kV100)});
  berth.snapshot.QuarantineNode(OddNode("odd"));
  const json victims = {{"Pods", {{{"UID", "u-1"}}}}, {"NumPDBViolations", 0}};
  EXPECT_EQ(berth.Post("/preempt", Victims({{"odd", victims}})).body,
            R"({"NodeNameToMetaVictims":{}})");
}

TEST(Preempt, NodeWithoutVictimsIsNoCandidate) {
  ExtenderUnderTest berth(MixedNodes());
  const auto response =
      berth.Post("/preempt", Victims({{"good", {{"Pods", json::array()}}}, {"slow", nullptr}}));
  EXPECT_EQ(response.body, R"({"NodeNameToMetaVictims":{}})");
}

TEST(Preempt, ErrorIsA400WithASentence) {
  ExtenderUnderTest berth(MixedNodes());
  const auto response = berth.Post("/preempt", Victims({{"good", 1}}));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("NodeNameToMetaVictims[\"good\"]"));
}

constexpr char kWholeNodes[] = R"({"items": [
  {"metadata": {"name": "planned", "labels": {"nvidia.com/gpu.product": "Tesla-V100-SXM2-32GB"}},
   "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}}},
  {"metadata": {"name": "lost", "labels": {"nvidia.com/gpu.product": "Tesla-V100-SXM2-32GB"}},
   "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"},
              "conditions": [{"type": "GPUIsLost", "status": "True"}]}},
  {"metadata": {"name": "small", "labels": {"nvidia.com/gpu.product": "Tesla-V100-PCIE-32GB"}},
   "status": {"capacity": {"nvidia.com/gpu": "2"}, "allocatable": {"nvidia.com/gpu": "2"}}}]})";

std::string WholeNodeArgs(const json& nodes) {
  json args = json::parse(ArgsFor("[]"));
  args["NodeNames"] = nullptr;
  args["Nodes"] = nodes;
  return args.dump();
}

TEST(WholeNodes, AreJudgedAsTheyStandThoughTheClusterDoesNotHaveThem) {
  // The cluster's own node of that name is in order; the one asked about is not.
  ExtenderUnderTest berth({GpuNode("lost", kV100)});
  const json nodes = json::parse(kWholeNodes);
  const json reply = json::parse(berth.Post("/filter", WholeNodeArgs(nodes)).body);
  EXPECT_EQ(reply["Nodes"]["items"], json({nodes["items"][0], nodes["items"][2]}));
  EXPECT_EQ(berth.Post("/prioritize", WholeNodeArgs(nodes)).body,
            R"([{"Host":"planned","Score":0},{"Host":"lost","Score":0},)"
            R"({"Host":"small","Score":10}])");
}

TEST(WholeNodes, OneThatCannotBeReadDoesNotTakeTheOthersWithIt) {
  ExtenderUnderTest berth({});
  json nodes = json::parse(kWholeNodes);
  nodes["items"][0]["status"]["capacity"]["nvidia.com/gpu"] = "many";
  const json reply = json::parse(berth.Post("/filter", WholeNodeArgs(nodes)).body);
  EXPECT_EQ(reply["Nodes"]["items"], json::array({nodes["items"][2]}));
  const json odd = {{"items", {nodes["items"][0]}}};
  EXPECT_EQ(
      json::parse(berth.Post("/filter", WholeNodeArgs(odd)).body)["FailedAndUnresolvableNodes"],
      (json{{"planned", "node(s) could not be read by Berth"}}));
}

TEST(WholeNodes, WhereNoneFitsEveryNodeHasItsReason) {
  ExtenderUnderTest berth({});
  const json lost = {{"items", {json::parse(kWholeNodes)["items"][1]}}};
  EXPECT_EQ(json::parse(berth.Post("/filter", WholeNodeArgs(lost)).body), json::parse(R"({
    "Nodes": {"metadata": {}, "items": []},
    "FailedAndUnresolvableNodes": {"lost": "node(s) had condition GPUIsLost"}})"));
}

TEST(WholeNodes, NeedNoSnapshot) {
  server::Metrics metrics;
  const cluster::Snapshot snapshot({.catalog = policies::scheduling::Catalog()});
  auto engine = std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{});
  Extender extender(std::make_shared<Placer>(std::move(engine), snapshot, metrics), metrics,
                    {.now = [] { return policies::scheduling::kNow; }});
  const std::string args = WholeNodeArgs(json::parse(kWholeNodes));
  const json reply = json::parse(extender.Routes()[0].handle({"POST", "/filter", args}).body);
  EXPECT_EQ(reply["Nodes"]["items"].size(), 2);
}

TEST(Limits, NamesAndWholeNodesHaveTheirOwn) {
  ExtenderUnderTest berth(MixedNodes());
  Extender small(
      berth.placer, *berth.metrics,
      {.max_body = 600, .max_nodes_body = 2'000, .now = [] { return policies::scheduling::kNow; }});
  const auto filter = small.Routes()[0];
  EXPECT_EQ(filter.max_body, 2'000);
  const std::string names = ArgsFor(R"(["good"])") + std::string(600, ' ');
  const server::HttpResponse refusal = filter.handle({"POST", "/filter", names});
  EXPECT_THAT(json::parse(refusal.body)["Error"],
              HasSubstr("more than the 600 of extender.maxBodyBytes"));
  EXPECT_EQ(refusal.limit, server::Limit::kBodyBytes);
  const auto prioritize = small.Routes()[1];
  EXPECT_EQ(prioritize.handle({"POST", "/prioritize", names}).limit, server::Limit::kBodyBytes);
  const std::string nodes = WholeNodeArgs(json::parse(kWholeNodes)) + std::string(100, ' ');
  EXPECT_GT(nodes.size(), 600);
  EXPECT_TRUE(json::parse(filter.handle({"POST", "/filter", nodes}).body).contains("Nodes"));
  EXPECT_THAT(
      json::parse(
          filter.handle({"POST", "/filter", nodes + std::string(2'000, ' ')}).body)["Error"],
      HasSubstr("more than the 2000 of extender.maxNodesBodyBytes"));
}

TEST(Limits, WhatIsNotReadForAnotherReasonCountsTowardsNone) {
  ExtenderUnderTest berth(MixedNodes());
  for (const char* path : {"/filter", "/prioritize", "/preempt"}) {
    EXPECT_EQ(berth.Post(path, "{").limit, std::nullopt) << path;
  }
}

TEST(Use, AnotherPlacerAnswersFromThenOn) {
  ExtenderUnderTest berth(MixedNodes());
  const std::string args = ArgsFor(R"(["lost"])");
  EXPECT_EQ(json::parse(berth.Post("/filter", args).body)["NodeNames"], json::array());
  policies::scheduling::SchedulingConfig lenient;
  std::get<policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>>(
      lenient.policies.all)
      .config.profiles.clear();
  berth.extender.Use(
      std::make_shared<Placer>(std::make_shared<const policies::scheduling::SchedulingEngine>(
                                   policies::scheduling::Catalog(), "berth.dev", lenient),
                               berth.snapshot, *berth.metrics));
  EXPECT_EQ(json::parse(berth.Post("/filter", args).body)["NodeNames"], json({"lost"}));
}

TEST(ExtenderMetrics, CountRejectionsByPolicyAndReasonAndRequestsByResult) {
  ExtenderUnderTest berth(MixedNodes());
  EXPECT_THAT(berth.metrics->Exposition(),
              HasSubstr(R"(berth_rejections_total{policy="health",)"
                        R"(reason="node(s) had condition GPUIsLost"} 0)"));
  berth.Post("/filter", ArgsFor(R"(["lost", "mn", "good"])"));
  berth.Post("/filter", ArgsFor(R"(["lost"])"));
  berth.Post("/filter", "{");
  berth.Post("/prioritize", ArgsFor(R"(["lost", "good"])"));
  const std::string text = berth.metrics->Exposition();
  EXPECT_THAT(text, HasSubstr(R"(berth_rejections_total{policy="health",)"
                              R"(reason="node(s) had condition GPUIsLost"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_extender_requests_total{result="ok",verb="filter"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_extender_requests_total{result="error",verb="filter"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_extender_duration_seconds_count{verb="prioritize"} 1)"));
}

TEST(ExtenderMetrics, CountWhatWasJudgedAndWhatWasRemembered) {
  ExtenderUnderTest berth(MixedNodes());
  const auto counts = [&](const std::string& policies, const std::string& memory) {
    const std::string text = berth.metrics->Exposition();
    EXPECT_THAT(text, HasSubstr("berth_judgements_total{source=\"policies\"} " + policies + "\n"));
    EXPECT_THAT(text, HasSubstr("berth_judgements_total{source=\"memory\"} " + memory + "\n"));
  };
  counts("0", "0");
  berth.Post("/filter", ArgsFor(R"(["lost", "good", "no such node"])"));
  counts("2", "0");
  berth.Post("/prioritize", ArgsFor(R"(["slow", "good"])"));
  counts("3", "1");
  berth.snapshot.UpsertNode(GpuNode("good", kV100, 4).node);
  berth.Post("/filter", ArgsFor(R"(["lost", "good"])"));
  counts("4", "2");
  // The first node of another model changes how good the nodes of all models are.
  berth.snapshot.UpsertNode(GpuNode("other", "NVIDIA-A30").node);
  berth.Post("/filter", ArgsFor(R"(["lost", "good"])"));
  counts("6", "2");
}

TEST(Observe, PassesAndCountsWhatEnforcingWouldRefuseEachTime) {
  policies::scheduling::SchedulingConfig config;
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  std::get<Health>(config.policies.all).mode = policies::scheduling::Mode::kObserve;
  ExtenderUnderTest berth(MixedNodes(), config);
  const std::string would = R"(berth_would_reject_total{policy="health",)"
                            R"(reason="node(s) had condition GPUIsLost"} )";
  EXPECT_THAT(berth.metrics->Exposition(), HasSubstr(would + "0"));
  for (const char* count : {"1", "2"}) {  // judged, then remembered
    EXPECT_EQ(berth.Post("/filter", ArgsFor(R"(["lost", "mn", "good"])")).body,
              R"({"NodeNames":["lost","good"]})");
    EXPECT_THAT(berth.metrics->Exposition(), HasSubstr(would + count));
  }
  EXPECT_EQ(berth.Post("/prioritize", ArgsFor(R"(["lost", "good", "slow"])")).body,
            R"([{"Host":"lost","Score":10},{"Host":"good","Score":10},)"
            R"({"Host":"slow","Score":10}])");
  EXPECT_THAT(berth.metrics->Exposition(), HasSubstr(would + "2"));
  EXPECT_THAT(berth.metrics->Exposition(),
              HasSubstr(R"(berth_rejections_total{policy="health",)"
                        R"(reason="node(s) had condition GPUIsLost"} 0)"));
}

}  // namespace
}  // namespace berth::extender
