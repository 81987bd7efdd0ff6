#include "cli/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

const model::GangNames kReleaseNames("berth.dev");
const model::NamespacedName kTrain{"ml", "train"};

// A pod of a gang; "": of none.
std::string Pod(const std::string& name, const std::string& gang, const std::string& gates) {
  const std::string annotations =
      gang.empty() ? "" : R"(,"annotations":{"berth.dev/gang-name":")" + gang + R"("})";
  return R"({"metadata":{"namespace":"ml","name":")" + name + R"(","uid":"u-)" + name + '"' +
         annotations + R"(},"spec":{"schedulingGates":[)" + gates + "]}}";
}

std::string ListOfPods(const std::string& pods) {
  return R"({"metadata":{},"items":[)" + pods + "]}";
}

constexpr char kReleaseGate[] = R"({"name":"berth.dev/gang"})";
constexpr char kForeignGate[] = R"({"name":"kueue.x-k8s.io/admission"})";

TEST(Release, FreesThePodsOfThatGangAlone) {
  kube::ScriptedTransport transport;
  const std::string both = std::string(kForeignGate) + ',' + kReleaseGate;
  transport.replies = {
      {.body = ListOfPods(Pod("train-0", "train", kReleaseGate) + ',' +
                          Pod("train-1", "train", both) + ',' + Pod("train-2", "train", "") + ',' +
                          Pod("other", "other", kReleaseGate))},
      {.body = "{}"},
      {.body = "{}"}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_THAT(*released, ElementsAre(Pair("ml/train-0", absl::OkStatus()),
                                     Pair("ml/train-1", absl::OkStatus())));
  ASSERT_THAT(transport.requests, SizeIs(3));
  EXPECT_THAT(transport.requests[0].target, HasSubstr("/api/v1/namespaces/ml/pods"));
  EXPECT_EQ(transport.requests[2].target, "/api/v1/namespaces/ml/pods/train-1");
  EXPECT_EQ(
      transport.requests[2].body,
      R"({"metadata":{"annotations":{"berth.dev/gang-freed":"true"},"uid":"u-train-1"},"spec":{"schedulingGates":)"
      R"([{"$patch":"delete","name":"berth.dev/gang"}]}})");
}

TEST(Release, OfAllFreesWhoeverHasTheGate) {
  kube::ScriptedTransport transport;
  transport.replies = {
      {.body = ListOfPods(Pod("train-0", "train", kReleaseGate) + ',' +
                          Pod("alone", "", kReleaseGate) + ',' + Pod("free", "", ""))},
      {.body = "{}"},
      {.body = "{}"}};
  const auto released = ReleaseGangs({}, kReleaseNames, transport);
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_THAT(*released, SizeIs(2));
  EXPECT_THAT(transport.requests[0].target, HasSubstr("/api/v1/pods"));
}

TEST(Release, CreatesThePodGroupForWhichPodsWait) {
  const auto pod = [](const std::string& name, const std::string& spec) {
    return R"({"metadata":{"namespace":"ml","name":")" + name +
           R"(","annotations":{"berth.dev/gang-name":"train"}},"spec":{)" + spec + "}}";
  };
  const std::string group = R"("schedulingGroup":{"podGroupName":"berth-train"})";
  kube::ScriptedTransport transport;
  transport.replies = {
      {.body = ListOfPods(pod("train-0", group) + ',' + pod("train-1", group) + ',' +
                          pod("train-2", R"("schedulingGroup":{"podGroupName":"mine"})"))},
      {.body = "{}"},
      {.body = "{}"}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_THAT(*released, ElementsAre(Pair("PodGroup ml/berth-train", absl::OkStatus())));
  ASSERT_THAT(transport.requests, SizeIs(3));
  EXPECT_THAT(transport.requests[2].body, HasSubstr(R"("value":1})"));
  transport.replies = {{.body = ListOfPods(pod("train-0", R"("nodeName":"n1",)" + group))}};
  EXPECT_THAT(*ReleaseGangs({}, kReleaseNames, transport), IsEmpty());
}

TEST(Release, MarksWhatItLetsGoAsLetGoByHand) {
  const std::string pod =
      R"({"metadata":{"namespace":"ml","name":"train-0","annotations":{"berth.dev/gang-name":)"
      R"("train"}},"spec":{"schedulingGroup":{"podGroupName":"berth-train"}}})";
  kube::ScriptedTransport transport;
  transport.replies = {{.body = ListOfPods(pod)}, {.body = "{}"}, {.body = "{}"}};
  ASSERT_TRUE(ReleaseGangs({.gang = kTrain}, kReleaseNames, transport).ok());
  ASSERT_THAT(transport.requests, SizeIs(3));
  EXPECT_THAT(transport.requests[1].body, HasSubstr(R"({"berth.dev/gang-freed":"true"})"));
}

// As a YAML text with an end of line has it; admission and the planner read it likewise.
TEST(Release, KnowsAGangWhoseNameHasBlanksAround) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = ListOfPods(Pod("train-0", R"(train\n)", kReleaseGate))},
                       {.body = "{}"}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_THAT(*released, SizeIs(1));
}

TEST(Release, ADryRunWritesNothing) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = ListOfPods(Pod("train-0", "train", kReleaseGate))}};
  const auto released = ReleaseGangs({.gang = kTrain, .dry_run = true}, kReleaseNames, transport);
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_THAT(*released, ElementsAre(Pair("ml/train-0", absl::OkStatus())));
  EXPECT_THAT(transport.requests, SizeIs(1));
}

TEST(Release, OneThatFailsHoldsUpNoOther) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = ListOfPods(Pod("train-0", "train", kReleaseGate) + ',' +
                                           Pod("train-1", "train", kReleaseGate) + ',' +
                                           Pod("train-2", "train", kReleaseGate))},
                       {.status = 403, .body = R"({"message":"no"})"},
                       {.status = 404, .body = "{}"},
                       {.body = "{}"}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  ASSERT_TRUE(released.ok()) << released.status();
  ASSERT_THAT(*released, SizeIs(3));
  EXPECT_TRUE(absl::IsPermissionDenied(released->at(0).second));
  EXPECT_TRUE(released->at(1).second.ok()) << "it is gone, so it waits no more";
  EXPECT_TRUE(released->at(2).second.ok());
}

TEST(Release, OfAGangThatNobodyKnowsNamesThoseThatWait) {
  kube::ScriptedTransport transport;
  transport.replies = {
      {.body = ListOfPods(Pod("a-0", "a", kReleaseGate) + ',' + Pod("b-0", "b", kReleaseGate) +
                          ',' + Pod("c-0", "c", ""))}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  EXPECT_TRUE(absl::IsNotFound(released.status()));
  EXPECT_EQ(std::string(released.status().message()),
            "no pod in the namespace ml belongs to the gang train; gangs that wait there: a, b");
}

TEST(Release, WritesNoLineAndNoCommandOfAGangsName) {
  kube::ScriptedTransport transport;
  transport.replies = {
      {.body = ListOfPods(Pod("a-0", R"(a\u001b[8m\nberth: all is well)", kReleaseGate))}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Fail("release", kExitNo, released.status()), kExitNo);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "berth release: no pod in the namespace ml belongs to the gang train; gangs that wait "
            "there: a [8m berth: all is well\n");
}

TEST(Fail, KeepsTheLinesOfAMessageAndLeavesNoCommandToIt) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Fail("explain", absl::InvalidArgumentError("a:1: x\x1b[8m\nb:2: y")), kExitUsage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "berth explain: a:1: x [8m\nb:2: y\n");
  testing::internal::CaptureStderr();
  const std::vector<yaml::SourceError> errors = {
      {.file = "a", .line = 1, .path = "", .message = "x\x1b[8m\nforged"},
      {.file = "b", .line = 2, .path = "", .message = "y"}};
  EXPECT_EQ(Fail(errors), kExitUsage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a:1: x [8m forged\nb:2: y\n");
}

TEST(Release, OfAGangThatIsFreeAlreadyIsDone) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = ListOfPods(Pod("train-0", "train", ""))}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_THAT(*released, IsEmpty());
}

TEST(Release, WithoutTheRightToListSaysSo) {
  kube::ScriptedTransport transport;
  transport.replies = {{.status = 403, .body = R"({"message":"no"})"}};
  const auto released = ReleaseGangs({.gang = kTrain}, kReleaseNames, transport);
  EXPECT_THAT(std::string(released.status().message()),
              AllOf(HasSubstr("no right to list pods"), HasSubstr("ml")));
}

TEST(Release, TakesANamespaceAndAName) {
  const auto gang = ParseGang("ml/train");
  ASSERT_TRUE(gang.ok()) << gang.status();
  EXPECT_EQ(*gang, kTrain);
  for (const char* text : {"", "train", "/train", "ml/", "ml/a/b", "../x"}) {
    EXPECT_THAT(std::string(ParseGang(text).status().message()), HasSubstr("ml/train-7f9c2e1a"))
        << text;
  }
}

}  // namespace
}  // namespace berth::cli
