#include "controller/movable_pod.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"

namespace berth::controller {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Verdict = Advice::What;

constexpr char kCheckpoint[] = "berth.dev/checkpoint";

template <typename Read>
auto Parse(const std::string& text, Read read) {
  kube::JsonParser parser;
  absl::Status error;
  const kube::JsonValue root(parser.Parse(text).value(), kube::Path(""), error);
  auto result = read(root);
  EXPECT_TRUE(error.ok()) << error;
  return result;
}

RunningPod PodWith(const std::string& annotations, const std::string& kind = "Job",
                   const std::string& version = "batch/v1") {
  const std::string owners = kind.empty() ? "[]"
                                          : R"([{"apiVersion":")" + version + R"(","kind":")" +
                                                kind + R"(","name":"train","controller":true}])";
  return Parse(R"({"metadata":{"name":"train-0","namespace":"ml","annotations":{)" + annotations +
                   R"(},"ownerReferences":)" + owners + R"(},"spec":{"nodeName":"gpu-1"}})",
               RunningPodFromJson);
}

const RunningPod kPlain = PodWith("");
const RunningPod kWithCheckpoint = PodWith(R"("berth.dev/checkpoint":"true")");

JobRetries Job(const std::string& spec, const std::string& status = "{}") {
  return Parse(R"({"spec":)" + spec + R"(,"status":)" + status + "}", JobRetriesFromJson);
}

/// The rules that the policy job-retries writes.
std::string WithRule(const std::string& action, const std::string& more = R"("backoffLimit":6)") {
  return R"({)" + more + R"(,"podFailurePolicy":{"rules":[{"action":")" + action +
         R"(","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]},)" +
         R"({"action":"FailJob","onExitCodes":{"operator":"NotIn","values":[0]}}]}})";
}

Advice AdviceWith(const RunningPod& pod, const JobRetries& job, std::int64_t pods = 1) {
  return AdviceOn(pod, &job, pods, kCheckpoint);
}

TEST(AdviceOn, APodWhoseJobRetriesDisruptionsMoves) {
  EXPECT_EQ(AdviceWith(kPlain, Job(WithRule("Count"))), Advice{});
  EXPECT_EQ(AdviceWith(kPlain, Job(WithRule("Ignore", R"("backoffLimit":0)"))), Advice{});
}

// Six retries are Kubernetes' default, and say nothing about what the pod would lose.
TEST(AdviceOn, APodWithoutCheckpointsAndRulesStays) {
  const Advice advice = AdviceWith(kPlain, Job(R"({})"));
  EXPECT_EQ(advice.what, Verdict::kStay);
  EXPECT_THAT(advice.why, HasSubstr(kCheckpoint));
}

TEST(AdviceOn, APodWithCheckpointsMovesIfItsJobRetriesIt) {
  EXPECT_EQ(AdviceWith(kWithCheckpoint, Job(R"({})")), Advice{});
  EXPECT_EQ(AdviceWith(PodWith(R"("berth.dev/checkpoint":"my-claim")"), Job(R"({})")), Advice{});
  EXPECT_EQ(AdviceWith(kWithCheckpoint, Job(R"({"backoffLimit":0})")).what, Verdict::kStay);
  EXPECT_EQ(AdviceWith(kWithCheckpoint, Job(WithRule("FailJob"))).what, Verdict::kStay);
  for (const char* none : {"false", "", " "}) {
    const auto pod = PodWith(R"("berth.dev/checkpoint":")" + std::string(none) + "\"");
    EXPECT_EQ(AdviceWith(pod, Job(R"({})")).what, Verdict::kStay) << none;
  }
}

// Nobody knows the exit code that the pod will have.
TEST(AdviceOn, ARuleAboutExitCodesThatComesFirstMayFailTheJob) {
  const std::string rules =
      R"({"podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"operator":"NotIn","values":[0]}},
          {"action":"Count","onPodConditions":[{"type":"DisruptionTarget"}]}]}})";
  EXPECT_EQ(AdviceWith(kWithCheckpoint, Job(rules)).what, Verdict::kStay);
  const std::string other =
      R"({"podFailurePolicy":{"rules":[{"action":"Ignore","onExitCodes":{"operator":"In","values":[3]}},
          {"action":"FailJob","onPodConditions":[{"type":"ConfigIssue"}]},
          {"action":"Count","onPodConditions":[{"type":"DisruptionTarget"}]}]}})";
  EXPECT_EQ(AdviceWith(kPlain, Job(other)), Advice{});
}

TEST(AdviceOn, ARuleAboutExitCodesThatComesFirstMayCountThePod) {
  const auto job = [](int limit) {
    return Job(R"({"backoffLimit":)" + std::to_string(limit) + R"(,"podFailurePolicy":{"rules":[
          {"action":"Count","onExitCodes":{"operator":"NotIn","values":[0]}},
          {"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"}]}]}})");
  };
  EXPECT_THAT(AdviceWith(kPlain, job(0)).why, HasSubstr("backoffLimit"));
  EXPECT_EQ(AdviceWith(kPlain, job(1)), Advice{});
}

TEST(AdviceOn, AJobNeedsRetriesForAllPodsThatGoTogether) {
  const std::string spec = WithRule("Count");
  EXPECT_EQ(AdviceWith(kPlain, Job(spec, R"({"failed":5})")), Advice{});
  EXPECT_THAT(AdviceWith(kPlain, Job(spec, R"({"failed":6})")).why, HasSubstr("backoffLimit"));
  EXPECT_EQ(AdviceWith(kPlain, Job(spec, R"({"failed":2})"), 4), Advice{});
  EXPECT_EQ(AdviceWith(kPlain, Job(spec, R"({"failed":3})"), 4).what, Verdict::kStay);
  EXPECT_EQ(AdviceWith(kPlain, Job(WithRule("Ignore"), R"({"failed":60})"), 4), Advice{});
}

TEST(AdviceOn, PodsThatAreEndingCountBeforeTheyHaveFailed) {
  const Advice advice =
      AdviceWith(kPlain, Job(WithRule("Count"), R"({"failed":3,"terminating":3})"));
  EXPECT_EQ(advice.what, Verdict::kWait);
  EXPECT_THAT(advice.why, IsEmpty());
}

// The API server stores the backoffLimit of a Job that names only the other.
TEST(AdviceOn, ALimitPerIndexCountsTheFailuresOfTheIndex) {
  const JobRetries job =
      Job(WithRule("Count", R"("backoffLimit":2147483647,"backoffLimitPerIndex":2)"),
          R"({"failed":60})");
  const auto pod = [](const char* failures) {
    return PodWith(R"("batch.kubernetes.io/job-index-failure-count":")" + std::string(failures) +
                   "\"");
  };
  EXPECT_EQ(AdviceWith(pod("1"), job), Advice{});
  EXPECT_EQ(AdviceWith(pod("1"), job, 4), Advice{});
  EXPECT_EQ(AdviceWith(pod("2"), job).what, Verdict::kStay);
}

TEST(AdviceOn, TheLimitOfTheJobHoldsBesideThatPerIndex) {
  const std::string none = WithRule("Count", R"("backoffLimit":0,"backoffLimitPerIndex":1)");
  EXPECT_THAT(AdviceWith(kPlain, Job(none)).why, HasSubstr("(backoffLimit)"));
  const std::string three = WithRule("Count", R"("backoffLimit":3,"backoffLimitPerIndex":1)");
  EXPECT_EQ(AdviceWith(kPlain, Job(three, R"({"failed":2})")), Advice{});
  EXPECT_EQ(AdviceWith(kPlain, Job(three, R"({"failed":2})"), 2).what, Verdict::kStay);
  EXPECT_EQ(AdviceWith(kPlain, Job(three, R"({"failed":2,"terminating":1})")).what, Verdict::kWait);
}

TEST(AdviceOn, PodsThatNobodyMakesAnewStay) {
  const RunningPod bare = PodWith(R"("berth.dev/checkpoint":"true")", "");
  EXPECT_THAT(AdviceOn(bare, nullptr, 1, kCheckpoint).why, HasSubstr("controls"));
}

// They have no rules that Berth knows; who writes the annotation says that they come again.
TEST(AdviceOn, PodsOfOtherControllersMoveIfTheyHaveCheckpoints) {
  const auto with = PodWith(R"("berth.dev/checkpoint":"true")", "PyTorchJob", "kubeflow.org/v1");
  EXPECT_FALSE(with.IsOfJob());
  EXPECT_EQ(AdviceOn(with, nullptr, 1, kCheckpoint), Advice{});
  EXPECT_EQ(AdviceOn(PodWith("", "StatefulSet", "apps/v1"), nullptr, 1, kCheckpoint).what,
            Verdict::kStay);
}

TEST(RunningPod, KnowsWhatBelongsToItsNode) {
  EXPECT_TRUE(PodWith("", "DaemonSet", "apps/v1").BelongsToNode());
  EXPECT_TRUE(PodWith("", "Node", "v1").BelongsToNode());
  EXPECT_TRUE(PodWith(R"("kubernetes.io/config.mirror":"x")", "").BelongsToNode());
  EXPECT_FALSE(kPlain.BelongsToNode());
  EXPECT_TRUE(kPlain.IsOfJob());
  EXPECT_FALSE(PodWith("", "Job", "batch.volcano.sh/v1alpha1").IsOfJob());
}

}  // namespace
}  // namespace berth::controller
