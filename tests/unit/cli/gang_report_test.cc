#include "cli/gang_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/kube/scripted_transport.h"

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const model::GangNames kNames("berth.dev");

constexpr char kGate[] = R"({"name":"berth.dev/gang"})";
constexpr char kForeign[] = R"({"name":"kueue.x-k8s.io/admission"})";

// A pod of a gang of two.
std::string Member(int rank, const std::string& gates, const std::string& node = "",
                   const std::string& status = "", const std::string& gang = "train") {
  const std::string number = std::to_string(rank);
  return R"({"metadata":{"namespace":"ml","name":"train-)" + number +
         R"(","annotations":{"batch.kubernetes.io/job-completion-index":")" + number +
         R"(","berth.dev/gang-name":")" + gang + R"(","berth.dev/gang-size":"2"}},)" +
         R"("spec":{"nodeName":")" + node + R"(","schedulingGates":[)" + gates +
         R"(]},"status":{)" + status + "}}";
}

std::string Nominated(const std::string& node) { return R"("nominatedNodeName":")" + node + '"'; }

std::string Condition(const std::string& status, const std::string& message) {
  return R"("conditions":[{"type":"PodScheduled","status":"False","message":"no"},)"
         R"({"type":"berth.dev/gang","status":")" +
         status + R"(","message":")" + message + R"("}])";
}

absl::StatusOr<GangReport> ReportIn(const std::string& pods, const std::string& gang = "ml/train") {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = R"({"metadata":{},"items":[)" + pods + "]}"}};
  return ReadGang(gang, kNames, transport);
}

std::string StateOf(const std::string& pods) {
  const auto report = ReportIn(pods);
  return report.ok() ? report->state : std::string(report.status().message());
}

TEST(GangReport, TellsHowFarAGangIsByItsPods) {
  EXPECT_EQ(StateOf(Member(0, kGate)), "collecting");
  EXPECT_EQ(StateOf(Member(0, kGate) + ',' + Member(1, std::string(kForeign) + ',' + kGate)),
            "collecting");
  EXPECT_EQ(StateOf(Member(0, kGate) + ',' + Member(1, kGate)), "waiting");
  EXPECT_EQ(StateOf(Member(0, kGate, "", Nominated("a")) + ',' + Member(1, kGate)), "waiting");
  EXPECT_EQ(
      StateOf(Member(0, kGate, "", Nominated("a")) + ',' + Member(1, kGate, "", Nominated("b"))),
      "planned");
  EXPECT_EQ(StateOf(Member(0, "", "", Nominated("a")) + ',' + Member(1, kGate, "", Nominated("b"))),
            "released");
  EXPECT_EQ(StateOf(Member(0, "", "a") + ',' + Member(1, "", "", Nominated("b"))), "released");
  EXPECT_EQ(StateOf(Member(0, "", "a") + ',' + Member(1, "", "b")), "bound");
}

TEST(GangReport, OfPodsThatWaitForAPodGroupAsksWhetherItIsThere) {
  const auto pod = [](const std::string& name, const std::string& status) {
    return R"({"metadata":{"namespace":"ml","name":")" + name +
           R"(","annotations":{"berth.dev/gang-name":"train","berth.dev/gang-size":"2"}},"spec":)"
           R"({"schedulingGroup":{"podGroupName":"berth-train"}},"status":{)" +
           status + "}}";
  };
  const std::string pods = R"({"metadata":{},"items":[)" + pod("a", Nominated("n1")) + ',' +
                           pod("b", Nominated("n2")) + "]}";
  const std::string open = R"({"spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})";
  const std::string closed = R"({"spec":{"schedulingPolicy":{"gang":{"minCount":2147483647}}}})";
  for (const auto& [status, body, state] :
       {std::tuple(404, std::string("{}"), "planned"), std::tuple(200, open, "released"),
        std::tuple(200, closed, "planned"), std::tuple(403, std::string("{}"), "released")}) {
    kube::ScriptedTransport transport;
    transport.replies = {{.body = pods}, {.status = status, .body = body}};
    const auto report = ReadGang("ml/train", kNames, transport);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->state, state) << status << ' ' << body;
    EXPECT_THAT(transport.requests, SizeIs(2));
  }
}

// As planner::Gangs places them: neighbours are near each other.
TEST(GangReport, HasThePodsInTheOrderOfTheirRanks) {
  const auto pod = [](const std::string& name, const std::string& job, const std::string& index) {
    const std::string rank =
        index.empty() ? "" : R"("batch.kubernetes.io/job-completion-index":")" + index + R"(",)";
    return R"({"metadata":{"namespace":"ml","name":")" + name + R"(","annotations":{)" + rank +
           R"("berth.dev/gang-name":"train","berth.dev/gang-size":"4"},"ownerReferences":[)"
           R"({"kind":"Owner","uid":"none"},{"kind":"Job","controller":true,"uid":")" +
           job + R"("}]},"spec":{},"status":{}})";
  };
  const auto names = [](const std::string& pods) {
    const auto report = ReportIn(pods);
    std::vector<std::string> all;
    for (const GangMember& member : report->members) all.push_back(member.pod);
    return all;
  };
  EXPECT_THAT(names(pod("set-a-0-x", "a", "0") + ',' + pod("set-b-0-x", "b", "0") + ',' +
                    pod("set-a-1-x", "a", "1") + ',' + pod("set-b-1-x", "b", "1")),
              ElementsAre("set-a-0-x", "set-a-1-x", "set-b-0-x", "set-b-1-x"));
  EXPECT_THAT(names(pod("worker-10", "m", "") + ',' + pod("worker-2", "m", "")),
              ElementsAre("worker-2", "worker-10"));
}

TEST(GangReport, SaysInTheControllersWordsWhyItWaits) {
  const auto report = ReportIn(
      Member(1, kGate) + ',' +
      Member(0, kGate, "", Condition("False", "gang train of 2: 1 of 2 pods fit at once")));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(GangText(*report),
            "gang ml/train of 2: waiting\n"
            "2 of 2 pods are there: 2 gated\n"
            "why: gang train of 2: 1 of 2 pods fit at once\n"
            "\n"
            "POD      STATE  NODE\n"
            "train-0  gated\n"
            "train-1  gated\n");
}

TEST(GangReport, SaysWhereEachPodIsPlannedAndWhoElseHoldsItBack) {
  const auto report = ReportIn(Member(0, kGate, "", Nominated("a")) + ',' +
                               Member(1, std::string(kForeign) + ',' + kGate));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(GangText(*report), EndsWith("\nPOD      STATE                                  NODE\n"
                                          "train-0  reserved                               a\n"
                                          "train-1  held back by kueue.x-k8s.io/admission\n"));
}

// Nobody corrects it once the pod is bound.
TEST(GangReport, WhatABoundPodWasToldIsNoReason) {
  const auto report = ReportIn(Member(0, "", "a", Condition("False", "1 of 2 pods fit")) + ',' +
                               Member(1, "", "b"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(GangText(*report), Not(HasSubstr("why")));
}

// As one that was created while the webhook was away.
TEST(GangReport, APodWithoutTheGateIsNoRelease) {
  const auto report = ReportIn(Member(0, kGate) + ',' + Member(1, ""));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->state, "waiting");
  EXPECT_THAT(GangText(*report), HasSubstr("without the gate: 1 of them; kube-scheduler may bind"));
  EXPECT_EQ(report->members[1].state, MemberState::kOpen);
}

TEST(GangReport, ReadsTheNameAsThePlannerDoes) {
  const std::string pods =
      Member(0, kGate, "", "", R"(train\n)") + ',' + Member(1, kGate, "", "", " train ");
  EXPECT_EQ(StateOf(pods), "waiting");
}

// It was true before the release; the condition is written later than the gates are.
TEST(GangReport, WhatIsNoLongerTrueIsNoReason) {
  const auto report =
      ReportIn(Member(0, "", "a", Condition("True", "")) + ',' + Member(1, "", "b"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(GangText(*report), Not(HasSubstr("why")));
}

// A pod of an Indexed Job that has succeeded is not made anew when the others are.
TEST(GangReport, DoesNotWaitForPodsThatHaveSucceeded) {
  const std::string done = Member(0, "", "a", R"("phase":"Succeeded")");
  EXPECT_EQ(StateOf(done + ',' + Member(1, kGate)), "waiting");
  EXPECT_EQ(StateOf(done + ',' + Member(1, kGate, "", Nominated("b"))), "planned");
  EXPECT_EQ(StateOf(done + ',' + Member(1, "", "b")), "bound");
  const auto report = ReportIn(done + ',' + Member(1, kGate));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(GangText(*report), HasSubstr("2 of 2 pods are there: 1 gated, 1 succeeded\n"));
}

TEST(GangReport, LeavesOutPodsOfOthersAndThoseThatHaveFailed) {
  const auto report = ReportIn(Member(0, kGate) + ',' + Member(1, kGate, "", "", "other") + ',' +
                               Member(2, "", "a", R"("phase":"Failed")"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->members, SizeIs(1));
}

TEST(GangReport, OfAGangThatNobodyKnowsSaysWhereItsNameWouldBe) {
  const auto report = ReportIn(Member(0, kGate), "ml/other");
  EXPECT_TRUE(absl::IsNotFound(report.status()));
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("berth.dev/gang-name"));
  EXPECT_TRUE(absl::IsInvalidArgument(ReportIn("", "train").status()));
}

TEST(GangReport, AsJsonHasTheSame) {
  const auto report = ReportIn(Member(0, kGate, "", Nominated("a")) + ',' + Member(1, kForeign));
  ASSERT_TRUE(report.ok()) << report.status();
  const auto json = nlohmann::json::parse(GangJson(*report));
  EXPECT_EQ(json["gang"], "train");
  EXPECT_EQ(json["namespace"], "ml");
  EXPECT_EQ(json["size"], 2);
  EXPECT_EQ(json["state"], "collecting");
  EXPECT_TRUE(json["reason"].is_null());
  EXPECT_EQ(json["pods"][0]["node"], "a");
  EXPECT_EQ(json["pods"][0]["state"], "reserved");
  EXPECT_EQ(json["pods"][1]["gates"][0], "kueue.x-k8s.io/admission");
}

absl::StatusOr<std::vector<GangReport>> ReadAll(const std::string& pods,
                                                const std::string& namespace_name = "") {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = R"({"metadata":{},"items":[)" + pods + "]}"}};
  auto reports = ReadGangs(namespace_name, kNames, transport);
  EXPECT_THAT(transport.requests, SizeIs(1));
  EXPECT_THAT(
      transport.requests.front().target,
      HasSubstr(namespace_name.empty() ? "/api/v1/pods?"
                                       : "/api/v1/namespaces/" + namespace_name + "/pods?"));
  return reports;
}

// A pod of no gang.
constexpr char kLoner[] = R"({"metadata":{"namespace":"ml","name":"x"},"spec":{},"status":{}})";

TEST(GangReports, HaveEveryGangByItself) {
  const auto reports =
      ReadAll(Member(0, kGate, "", "", "zoo") + ',' + Member(0, "", "a") + ',' + kLoner + ',' +
              Member(1, "", "b") + ',' + Member(1, kGate, "", Nominated("c"), "zoo"));
  ASSERT_TRUE(reports.ok()) << reports.status();
  ASSERT_THAT(*reports, SizeIs(2));
  EXPECT_EQ(reports->at(0).name, "train");
  EXPECT_EQ(reports->at(0).state, "bound");
  EXPECT_EQ(reports->at(1).name, "zoo");
  EXPECT_EQ(reports->at(1).state, "waiting");
  EXPECT_THAT(reports->at(1).Nodes(), testing::ElementsAre("c"));
}

// Nothing else tells of it but the gate.
TEST(GangReports, HaveAPodBehindTheGateThatNamesNoGang) {
  const auto gated = [](const std::string& name, const std::string& annotations,
                        const std::string& gates) {
    return R"({"metadata":{"namespace":"ml","name":")" + name + R"(","annotations":{)" +
           annotations + R"(}},"spec":{"schedulingGates":[)" + gates + R"(]},"status":{}})";
  };
  const auto reports =
      ReadAll(gated("lost", "", kGate) + ',' + gated("queued", "", kForeign) + ',' +
              gated("both", "", std::string(kGate) + ',' + kForeign) + ',' +
              gated("odd-1", R"("berth.dev/gang-name":"odd","berth.dev/gang-size":"x")", kGate) +
              ',' + gated("sized", R"("berth.dev/gang-size":"2")", kGate));
  ASSERT_TRUE(reports.ok()) << reports.status();
  ASSERT_THAT(*reports, SizeIs(3));
  EXPECT_EQ(reports->at(0).name, "");
  EXPECT_EQ(reports->at(0).reason,
            "nobody plans the pod lost: berth.dev/gang-name and berth.dev/gang-size are missing; "
            "write both");
  EXPECT_THAT(reports->at(1).reason,
              StartsWith("nobody plans the pod sized: berth.dev/gang-name is missing although"));
  EXPECT_EQ(reports->at(2).name, "odd");
  EXPECT_THAT(reports->at(2).reason,
              StartsWith("nobody plans the pod odd-1: berth.dev/gang-size 'x' is not a whole"));
  EXPECT_THAT(GangsTable(*reports, {}, {}), HasSubstr("\nml         -     1     waiting"));
  EXPECT_TRUE(nlohmann::json::parse(GangsJson(*reports))["gangs"][0]["gang"].is_null());
}

TEST(GangReports, OfANamespaceWithoutGangsAreNone) {
  const auto reports = ReadAll(kLoner, "ml");
  ASSERT_TRUE(reports.ok()) << reports.status();
  EXPECT_THAT(*reports, testing::IsEmpty());
}

TEST(GangReports, AskForPodGroupsOnce) {
  const auto pod = [](const std::string& name, const std::string& gang) {
    return R"({"metadata":{"namespace":"ml","name":")" + name +
           R"(","annotations":{"berth.dev/gang-name":")" + gang +
           R"(","berth.dev/gang-size":"1"}},"spec":{"schedulingGroup":{"podGroupName":"berth-)" +
           gang + R"("}},"status":{}})";
  };
  kube::ScriptedTransport transport;
  transport.replies = {
      {.body = R"({"metadata":{},"items":[)" + pod("a", "one") + ',' + pod("b", "two") + "]}"},
      {.body = R"({"metadata":{},"items":[{"metadata":{"namespace":"ml","name":"berth-one"},)"
               R"("spec":{"schedulingPolicy":{"gang":{"minCount":1}}}}]})"}};
  const auto reports = ReadGangs("", kNames, transport);
  ASSERT_TRUE(reports.ok()) << reports.status();
  ASSERT_THAT(transport.requests, SizeIs(2));
  EXPECT_THAT(transport.requests[1].target,
              testing::StartsWith("/apis/scheduling.k8s.io/v1beta1/podgroups"));
  EXPECT_EQ(reports->at(0).state, "released");
  EXPECT_EQ(reports->at(1).state, "waiting");
}

constexpr model::Time kReportedAt{model::Duration{1'780'315'200}};

GangReport Planned() {
  return {.namespace_name = "ml",
          .name = "train",
          .size = 4,
          .state = "waiting",
          .reason = "gang train of 4: 3 of 4 pods fit at once",
          .created = kReportedAt - model::Duration(300),
          .topology = "rack",
          .members = {{"a", MemberState::kBound, "n1"},
                      {"b", MemberState::kReserved, "n2"},
                      {"c", MemberState::kReserved, "n2"},
                      {"d", MemberState::kGated}}};
}

TEST(GangsTable, CountsPodsByHowFarTheyAre) {
  EXPECT_EQ(GangsTable({Planned()}, kReportedAt, {}),
            "NAMESPACE  GANG   SIZE  STATE    BOUND  RESERVED  WAITING  AGE  NODES  WHY\n"
            "ml         train  4     waiting  1      2         1        5m   2      gang train of "
            "4: 3 of 4 pods fit at once\n");
}

TEST(GangsTable, WideNamesNodesAndWhatTheyShare) {
  kube::ScriptedTransport transport;
  transport.replies = {
      {.body = R"({"metadata":{},"items":[{"metadata":{"name":"n1","labels":{"rack":"r7"}}},)"
               R"({"metadata":{"name":"n2","labels":{"rack":"r7"}}},)"
               R"({"metadata":{"name":"n3","labels":{"rack":"r8"}}}]})"}};
  std::vector<GangReport> reports = {Planned()};
  ASSERT_TRUE(AddDomains(transport, reports).ok());
  const std::string table = GangsTable(reports, kReportedAt, {.wide = true});
  EXPECT_THAT(table, HasSubstr("  NODES  DOMAINS   WHY\n"));
  EXPECT_THAT(table, HasSubstr("  n1,n2  rack: r7  gang train"));
}

TEST(GangsTable, NodesAreReadOnlyForGangsThatMustShareALabel) {
  kube::ScriptedTransport transport;
  std::vector<GangReport> reports = {Planned()};
  reports.front().topology = "";
  EXPECT_TRUE(AddDomains(transport, reports).ok());
  EXPECT_THAT(transport.requests, SizeIs(0));
}

TEST(GangsJson, HasWhatTheTableHas) {
  std::vector<GangReport> reports = {Planned()};
  reports.front().domains = {"r7"};
  const auto json = nlohmann::json::parse(GangsJson(reports));
  const auto& gang = json["gangs"][0];
  EXPECT_EQ(gang["gang"], "train");
  EXPECT_EQ(gang["bound"], 1);
  EXPECT_EQ(gang["reserved"], 2);
  EXPECT_EQ(gang["waiting"], 1);
  EXPECT_EQ(gang["created"], "2026-06-01T11:55:00Z");
  EXPECT_EQ(gang["nodes"], nlohmann::json({"n1", "n2"}));
  EXPECT_EQ(gang["domains"], nlohmann::json({"r7"}));
  EXPECT_EQ(gang["pods"].size(), 4U);
}

}  // namespace
}  // namespace berth::cli
