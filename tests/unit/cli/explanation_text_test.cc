#include "cli/explanation_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "placement/placement_messages.h"

namespace berth::cli {
namespace {

using model::Duration;
using placement::DeviceCount;
using placement::Explanation;
using placement::NodeExplanation;
using placement::PolicyOpinion;
using placement::RefusedGroup;
using testing::HasSubstr;
using testing::Not;

constexpr model::Time kNoon{Duration{1'800'000'000}};

RefusedGroup Group(std::size_t count, const std::string& summary) {
  return {.count = count, .policy = "p", .reason = "r", .summary = summary};
}

NodeExplanation Node(const std::string& name, DeviceCount devices) {
  NodeExplanation node;
  node.name = name;
  node.devices = {std::move(devices)};
  return node;
}

// Of a pod that asks for two devices, with nothing but `nodes` to tell.
Explanation ExplanationOf(std::vector<NodeExplanation> nodes) {
  Explanation explanation;
  explanation.now = kNoon;
  explanation.requests = {{"example.org/device", 2}};
  explanation.fitting = nodes.size();
  explanation.nodes = std::move(nodes);
  return explanation;
}

TEST(SummaryOf, SpeaksOfOneNodeAndOfMany) {
  Explanation explanation;
  explanation.groups = {Group(2, "are V100"), Group(1, "are A30"), Group(1, "have no memory"),
                        Group(1, "arena")};
  EXPECT_EQ(SummaryOf(ToMessage(explanation)),
            "0 fit; 2 are V100; 1 is A30; 1 has no memory; 1 arena");
}

TEST(SummaryOf, TellsSinceWhenWhereItIsKnown) {
  Explanation explanation{.now = kNoon, .fitting = 96};
  explanation.groups = {Group(12, "GPUIsLost"), Group(3, "DStateProcess")};
  explanation.groups[0].oldest = kNoon - Duration{3 * 3600};
  explanation.groups[0].newest = kNoon - Duration{300};
  EXPECT_EQ(SummaryOf(ToMessage(explanation)),
            "96 fit; 12 GPUIsLost since 5m to 3h; 3 DStateProcess");
}

TEST(ExplanationText, SaysWhyAPodIsNotShortlisted) {
  Explanation explanation = ExplanationOf({});
  EXPECT_THAT(ExplanationText(ToMessage(explanation), "Pod p"), Not(HasSubstr("shortlisted")));
  explanation.not_shortlisted = "it has a preferred node affinity";
  EXPECT_THAT(ExplanationText(ToMessage(explanation), "Pod p"),
              HasSubstr("\n- not shortlisted: it has a preferred node affinity\n"));
}

TEST(ExplanationText, HasTheWordsOfKubeScheduler) {
  const std::string said = "0/3 nodes are available: 3 Insufficient example.org/device.";
  const std::string text = ExplanationText(ToMessage(ExplanationOf({})), "Pod p", {}, said);
  EXPECT_THAT(text, HasSubstr("\n0 fit\nkube-scheduler says: " + said + "\n"));
  EXPECT_THAT(ExplanationText(ToMessage(ExplanationOf({})), "Pod p"),
              Not(HasSubstr("kube-scheduler says")))
      << "it has said nothing";
}

TEST(ExplanationText, HasThemAndTheHintsForPodsWithoutAccelerators) {
  const Explanation explanation{.now = kNoon, .hints = {"a gate holds the pod back"}};
  EXPECT_EQ(ExplanationText(ToMessage(explanation), "Pod p", {}, "0/3 nodes are available"),
            "Pod p asks for no accelerator of the catalogue, so the extender does not judge nodes "
            "for it.\n"
            "kube-scheduler says: 0/3 nodes are available\n"
            "- a gate holds the pod back\n");
}

TEST(ExplanationText, CutsWordsThatAreLongerThanAnEvent) {
  const v1::ExplainResponse explanation = ToMessage(ExplanationOf({}));
  const std::string head = "kube-scheduler says: ";
  EXPECT_THAT(ExplanationText(explanation, "Pod p", {}, std::string(1024, 'x')),
              HasSubstr(head + std::string(1024, 'x') + "\n"));
  EXPECT_THAT(ExplanationText(explanation, "Pod p", {}, std::string(1025, 'x')),
              HasSubstr(head + std::string(1023, 'x') + "…\n"));
}

TEST(ExplanationJson, HasTheWordsOfKubeSchedulerWhole) {
  const v1::ExplainResponse explanation = ToMessage(ExplanationOf({}));
  const std::string said(2000, 'x');
  const auto json = nlohmann::json::parse(ExplanationJson(explanation, "Pod p", nullptr, said));
  EXPECT_EQ(json["unschedulable"], said);
  const auto none = nlohmann::json::parse(ExplanationJson(explanation, "Pod p", nullptr));
  ASSERT_TRUE(none.contains("unschedulable"));
  EXPECT_TRUE(none["unschedulable"].is_null());
}

TEST(ExplanationText, ShowsDevicesAsTheyAreCounted) {
  const std::string text = ExplanationText(
      ToMessage(ExplanationOf({Node("idle", {"example.org/device", 2, true, 8, 7, 0}),
                               Node("overfull", {"example.org/device", 2, true, 8, 7, 9}),
                               Node("without", {"example.org/device", 2, false, 0, 0, 0})})),
      "Pod x");
  EXPECT_THAT(text, HasSubstr("Pod x asks for 2 example.org/device\n3 fit\n"));
  EXPECT_THAT(text, HasSubstr("\nidle      yes   0     0      -            7/8\n"));
  EXPECT_THAT(text, HasSubstr("\noverfull  yes   0     0      -            -2/8\n"));
  EXPECT_THAT(text, HasSubstr("\nwithout   yes   0     0      -            -\n"));
}

TEST(ExplanationText, LeavesPoliciesOutThatDoNotCount) {
  NodeExplanation node = Node("n", {"example.org/device", 2, true, 8, 8, 0});
  node.policies = {{.policy = "silent", .score = 5, .weight = 0},
                   {.policy = "content", .score = 1000, .weight = 1},
                   {.policy = "torn", .score = 5, .weight = 1}};
  const std::string text = ExplanationText(ToMessage(ExplanationOf({node})), "Pod x");
  EXPECT_THAT(text, HasSubstr("  torn 5/1000\n"));
  EXPECT_THAT(text, Not(HasSubstr("silent")));
  EXPECT_THAT(text, Not(HasSubstr("content ")));
}

TEST(ExplanationText, TellsWhatAnObservedPolicyWouldRefuseButNotItsScore) {
  NodeExplanation node = Node("n", {"example.org/device", 2, true, 8, 8, 0});
  node.policies = {{.policy = "watching",
                    .observed = true,
                    .fits = false,
                    .weight = 1,
                    .summary = "are broken",
                    .since = kNoon - Duration{300}},
                   {.policy = "silent", .observed = true, .score = 5, .weight = 1}};
  const std::string text = ExplanationText(ToMessage(ExplanationOf({node})), "Pod x");
  EXPECT_THAT(text, HasSubstr("  watching would refuse: is broken since 5m\n"));
  EXPECT_THAT(text, Not(HasSubstr("silent")));
}

TEST(ExplanationText, HasNoTableWhereThePodIsToBlame) {
  Explanation explanation = ExplanationOf({Node("n", {"example.org/device", 2, true, 8, 8, 0})});
  explanation.refused_everywhere = true;
  EXPECT_THAT(ExplanationText(ToMessage(explanation), "Pod x"), Not(HasSubstr("NODE")));
}

TEST(ExplanationText, WideHasScoresConditionsAndAges) {
  NodeExplanation good = Node("good", {"example.org/device", 2, true, 8, 8, 0});
  good.policies = {{.policy = "health", .score = 1000, .weight = 1},
                   {.policy = "watching", .observed = true, .score = 5, .weight = 1}};
  good.conditions = {{.type = "Ready", .status = model::ConditionStatus::kTrue}};
  NodeExplanation lost = Node("lost", {"example.org/device", 2, true, 8, 8, 0});
  lost.fits = false;
  lost.summary = "GPUIsLost";
  lost.since = kNoon - Duration{300};
  lost.conditions = {{.type = "GPUIsLost",
                      .status = model::ConditionStatus::kTrue,
                      .last_transition = kNoon - Duration{300}},
                     {.type = "Ready", .status = model::ConditionStatus::kUnknown},
                     {.type = "DiskPressure", .status = model::ConditionStatus::kFalse}};
  const std::string text =
      ExplanationText(ToMessage(ExplanationOf({good, lost})), "Pod x", {.wide = true});
  EXPECT_THAT(text,
              HasSubstr("  FREE/TOTAL  SINCE  SCORES       CONDITIONS                   WHY"));
  EXPECT_THAT(text, HasSubstr("  8/8         -      health 1000  -\n"));
  EXPECT_THAT(text, HasSubstr("  8/8         5m     -            GPUIsLost 5m, Ready=Unknown  "
                              "GPUIsLost since 5m\n"));
}

TEST(ExplanationText, ColoursSayWhatFits) {
  NodeExplanation lost = Node("lost", {"example.org/device", 2, true, 8, 8, 0});
  lost.fits = false;
  NodeExplanation torn = Node("torn", {"example.org/device", 2, true, 8, 8, 0});
  torn.policies = {{.policy = "packing", .score = 5, .weight = 1}};
  NodeExplanation slow = torn;
  slow.name = "slow";
  slow.policies[0].summary = "PCIeLinkDegraded";
  const TableStyle style{.terminal = {.colour = true}};
  const std::string text = ExplanationText(
      ToMessage(ExplanationOf(
          {Node("good", {"example.org/device", 2, true, 8, 8, 0}), lost, torn, slow})),
      "Pod x", style);
  EXPECT_THAT(text, HasSubstr("\n\x1b[32m4 fit\x1b[0m\n"));
  EXPECT_THAT(text, HasSubstr("good  \x1b[32myes\x1b[0m "));
  EXPECT_THAT(text, HasSubstr("lost  \x1b[31mno\x1b[0m "));
  EXPECT_THAT(text, HasSubstr("torn  \x1b[32myes\x1b[0m ")) << "other nodes are better, no more";
  EXPECT_THAT(text, HasSubstr("slow  \x1b[33myes\x1b[0m ")) << "it is penalised";
}

TEST(ExplanationText, LeavesNoLineAndNoCommandToWhoeverWritesAnnotations) {
  Explanation explanation = ExplanationOf({});
  explanation.groups = {Group(2, "lack\x1b[8m\nX")};
  explanation.hints = {"A\x1b[8m\n- forged is not in the catalogue"};
  explanation.not_shortlisted = "it\x1b[8m\n- forged";
  const std::string text =
      ExplanationText(ToMessage(explanation), "Pod \x1b[8m\np", {}, "0/3\x1b[8m\n- forged");
  EXPECT_THAT(text, HasSubstr("Pod  [8m p asks for 2 example.org/device\n"));
  EXPECT_THAT(text, HasSubstr("\nkube-scheduler says: 0/3 [8m - forged\n"));
  EXPECT_THAT(text, HasSubstr("; 2 lack [8m X\n"));
  EXPECT_THAT(text, HasSubstr("\n- A [8m - forged is not in the catalogue\n"));
  EXPECT_THAT(text, HasSubstr("\n- not shortlisted: it [8m - forged\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  explanation.requests.clear();
  EXPECT_THAT(ExplanationText(ToMessage(explanation), "Pod \x1b[8m\np"),
              HasSubstr("Pod  [8m p asks for no accelerator"));
}

TEST(NodeText, LeavesNoLineAndNoCommandToWhoeverWritesAnnotations) {
  NodeExplanation node = Node("n", {"example.org/device", 2, true, 8, 8, 0});
  node.fits = false;
  node.reason = "says\x1b[8m\naccelerator: forged";
  const v1::ExplainResponse explanation = ToMessage(ExplanationOf({node}));
  const std::string text = NodeText(explanation.nodes(0), explanation, "Pod \x1b[8m\np");
  EXPECT_THAT(text,
              HasSubstr("Pod  [8m p on node n: does not fit: says [8m accelerator: forged\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(NodeText, SaysThatTheNodeListsNoSuchDevice) {
  const v1::ExplainResponse explanation =
      ToMessage(ExplanationOf({Node("n", {"example.org/device", 2, false, 0, 0, 0})}));
  const std::string text = NodeText(explanation.nodes(0), explanation, "Pod x");
  EXPECT_THAT(text, HasSubstr("Pod x on node n: fits, rank 0, score 0\n"));
  EXPECT_THAT(text, HasSubstr("accelerator: none of the catalogue\n"));
  EXPECT_THAT(text, HasSubstr("example.org/device: 2 requested; the node does not list it\n"));
}

}  // namespace
}  // namespace berth::cli
