#include "report/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/json.h"
#include "tests/unit/report/fixture.h"

namespace berth::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class JudgeTest : public testing::Test {
 protected:
  std::vector<Seen> Look(const std::string& text, std::string_view kind = "",
                         std::string_view api_version = "") {
    return engines_.MakeJudge(only_warning_).Look(parser_.Parse(text).value(), kind, api_version);
  }
  JudgedObject Judged(const std::string& text) {
    std::vector<Seen> seen = Look(text);
    return seen.size() == 1 ? std::get<JudgedObject>(seen.front()) : JudgedObject();
  }
  Effect EffectOn(const std::string& text) { return Judged(text).opinion.effect; }

  static std::vector<std::string> Policies(const Opinion& opinion) {
    std::vector<std::string> policies;
    for (const Finding& finding : opinion.findings) policies.emplace_back(finding.policy);
    return policies;
  }

  kube::JsonParser parser_;
  Engines engines_;
  std::vector<std::string_view> only_warning_;
};

TEST_F(JudgeTest, ForgetsThatAPodIsStored) {
  // A node's name would exempt the pod from isolation, and its class would be removed.
  const JudgedObject pod = Judged(PodJson({.name = "a", .node = "cpu-1"}));
  EXPECT_EQ(pod.opinion.effect, Effect::kChanged);
  EXPECT_THAT(Policies(pod.opinion), ElementsAre("isolation"));
  EXPECT_TRUE(pod.opinion.IsChangedBy("isolation"));
  ASSERT_TRUE(pod.use);
  EXPECT_EQ(pod.use->node, "cpu-1");
  EXPECT_EQ(pod.use->then, (Compute{.cpu = 4000, .memory = std::int64_t{16} << 30}));
}

TEST_F(JudgeTest, DoesNotCountThatTheCreatorIsRecorded) {
  const std::string gpu = R"("limits": {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"})";
  const JudgedObject pod = Judged(PodJson({.name = "a", .resources = gpu}));
  EXPECT_EQ(pod.opinion.effect, Effect::kUnchanged);
  EXPECT_THAT(pod.opinion.findings, IsEmpty());
  ASSERT_TRUE(pod.use && pod.use->asking);
  EXPECT_EQ(pod.use->asking->requests.Get("nvidia.com/gpu"), 1);
}

TEST_F(JudgeTest, TellsWhatAPodWouldRequest) {
  const JudgedObject pod = Judged(PodJson(
      {.name = "a", .resources = R"("requests": {"memory": "1Gi"}, "limits": {"memory": "8Gi"})"}));
  ASSERT_TRUE(pod.use);
  EXPECT_EQ(pod.use->now.memory, std::int64_t{1} << 30);
  EXPECT_EQ(pod.use->then.memory, std::int64_t{8} << 30);
  EXPECT_EQ(pod.use->now.cpu, 0);
  EXPECT_GT(pod.use->then.cpu, 0);
}

TEST_F(JudgeTest, TellsWhyAPodWouldBeDenied) {
  const JudgedObject pod = Judged(PodJson(
      {.name = "a",
       .resources = R"("requests": {"memory": "8Gi", "cpu": "1"}, "limits": {"memory": "1Gi"})"}));
  EXPECT_EQ(pod.opinion.effect, Effect::kDenied);
  ASSERT_THAT(pod.opinion.findings, SizeIs(1));
  EXPECT_EQ(pod.opinion.findings[0].policy, "guaranteed-qos");
  EXPECT_THAT(pod.opinion.findings[0].text,
              HasSubstr("is above the limit; write 8Gi as the limit, or 1Gi as the request"));
  ASSERT_TRUE(pod.use);
  EXPECT_EQ(pod.use->then, pod.use->now);
}

TEST_F(JudgeTest, LeavesAloneWhatBelongsToANodeAndWhatIsBeingDeleted) {
  const auto owned = [](const std::string& metadata) {
    return PodJson({.name = "a", .resources = "", .metadata = metadata});
  };
  EXPECT_EQ(EffectOn(owned(OwnedBy("apps/v1", "DaemonSet", "d"))), Effect::kLeftAlone);
  EXPECT_EQ(EffectOn(owned(OwnedBy("v1", "Node", "n"))), Effect::kLeftAlone);
  EXPECT_EQ(EffectOn(owned(R"("deletionTimestamp": "2026-01-01T00:00:00Z",)")), Effect::kLeftAlone);
  EXPECT_EQ(EffectOn(owned(OwnedBy("apps/v1", "ReplicaSet", "r"))), Effect::kChanged);
}

TEST_F(JudgeTest, JudgesByWhoeverMadeAPod) {
  const std::string claim = R"("annotations": {"berth.dev/created-by": "alice"},)";
  const auto says = [&](const std::string& owner) {
    return Policies(Judged(PodJson({.name = "a", .metadata = claim + owner})).opinion);
  };
  // Nobody has judged the template of a ReplicaSet. The Job's has its creator.
  EXPECT_THAT(says(OwnedBy("apps/v1", "ReplicaSet", "r")), testing::Contains("creator"));
  EXPECT_THAT(says(OwnedBy("batch/v1", "Job", "j")), testing::Not(testing::Contains("creator")));
  // The controller of another group's Jobs is not known, nor is what it may claim.
  EXPECT_THAT(says(OwnedBy("batch.volcano.sh/v1alpha1", "Job", "j")),
              testing::Not(testing::Contains("creator")));
}

TEST_F(JudgeTest, JudgesJobs) {
  const JudgedObject job = Judged(JobJson("train", R"("limits": {"nvidia.com/gpu": "1"})"));
  EXPECT_EQ(job.kind, "Job");
  EXPECT_FALSE(job.is_template);
  EXPECT_EQ(job.opinion.effect, Effect::kChanged);
  EXPECT_THAT(Policies(job.opinion), testing::IsSupersetOf({"guaranteed-qos", "job-retries"}));
  EXPECT_FALSE(job.use);
}

TEST_F(JudgeTest, JudgesTemplatesByWhatTheirPodsWillMeet) {
  const std::string maker = R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {
      "name": "web", "namespace": "vision"}, "spec": {"template": {"spec": {"containers": [
      {"name": "main", "resources": {)";
  const JudgedObject changed = Judged(maker + "}}]}}}}");
  EXPECT_TRUE(changed.is_template);
  EXPECT_EQ(changed.opinion.effect, Effect::kChanged);
  const JudgedObject denied =
      Judged(maker +
             R"("requests": {"cpu": "9", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"})"
             "}}]}}}}");
  EXPECT_EQ(denied.opinion.effect, Effect::kDenied);
  EXPECT_THAT(Policies(denied.opinion), ElementsAre("guaranteed-qos"));
}

TEST_F(JudgeTest, APolicyThatOnlyWarnsChangesNothing) {
  std::get<policies::admission::PolicySettings<policies::admission::IsolationPolicy>>(
      engines_.admission.policies.all)
      .mode = policies::admission::Mode::kWarn;
  only_warning_ = {policies::admission::IsolationPolicy::kName};
  const JudgedObject pod = Judged(PodJson({.name = "a"}));
  EXPECT_EQ(pod.opinion.effect, Effect::kWarned);
  EXPECT_THAT(Policies(pod.opinion), ElementsAre("isolation"));
  EXPECT_EQ(EffectOn(R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"},
    "spec": {"template": {"spec": {"containers": [{"name": "main", "resources": {)" +
                     std::string(kGuaranteed) + "}}]}}}}"),
            Effect::kWarned);
}

TEST_F(JudgeTest, ForetellsBothForAPodThatAsksToBeLetIn) {
  const JudgedObject pod = Judged(
      PodJson({.name = "a",
               .metadata = R"("annotations": {"berth.dev/allow-accelerator-nodes":"true"},)"}));
  EXPECT_EQ(pod.opinion.effect, Effect::kChanged);
  ASSERT_TRUE(pod.where_allowed);
  EXPECT_EQ(pod.where_allowed->effect, Effect::kUnchanged);
}

TEST_F(JudgeTest, TellsWhatHasEnded) {
  EXPECT_TRUE(Judged(PodJson({.name = "a", .status = R"("phase": "Succeeded")"})).ended);
  EXPECT_FALSE(Judged(PodJson({.name = "a", .status = R"("phase": "Failed")"})).use);
  std::string job = JobJson("train", kGuaranteed);
  job.replace(job.rfind('}'), 1,
              R"(, "status": {"conditions": [{"type": "Complete", "status": "True"}]}})");
  EXPECT_TRUE(Judged(job).ended);
}

TEST_F(JudgeTest, ReadsNodesNamespacesAndListsOfBothForms) {
  EXPECT_EQ(std::get<model::Node>(Look(NodeJson("n")).front()).name, "n");
  const auto seen = std::get<SeenNamespace>(Look(NamespaceJson("t", R"("berth.dev/admission": "off",
                                 "berth.dev/allow-accelerator-nodes": "true")"))
                                                .front());
  EXPECT_EQ(seen.mode, "off");
  EXPECT_TRUE(seen.accelerator_nodes_allowed);
  EXPECT_THAT(Look(ListOf({NodeJson("n"), PodJson({.name = "a"})})), SizeIs(2));
  const auto of_list = Look(R"({"metadata": {"name": "j"}, "spec": {}})", "Job", "batch/v1");
  EXPECT_EQ(std::get<JudgedObject>(of_list.front()).kind, "Job");
}

TEST_F(JudgeTest, MayLookAtNodesAndOneNamespaceAlone) {
  const std::string list =
      ListOf({NodeJson("n"), NamespaceJson("t"), NamespaceJson("other"),
              PodJson({.name = "a", .namespace_name = "t"}), PodJson({.name = "b"}),
              JobJson("train", kGuaranteed), R"({"apiVersion": "v1", "kind": "Pod", "spec": 5,
                "metadata": {"name": "odd", "namespace": "other"}})",
              R"({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "p"}})"});
  const auto seen = engines_.MakeJudge({}, "t").Look(parser_.Parse(list).value());
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_EQ(std::get<model::Node>(seen[0]).name, "n");
  EXPECT_EQ(std::get<SeenNamespace>(seen[1]).name, "t");
  EXPECT_EQ(std::get<JudgedObject>(seen[2]).name, "a");
}

TEST_F(JudgeTest, SaysWhatItCannotRead) {
  const auto error = [this](const std::string& text) {
    return std::get<kube::UnreadableObject>(Look(text).front()).error;
  };
  EXPECT_THAT(error(R"({"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": 5}})"),
              HasSubstr("spec.containers: expected an array"));
  EXPECT_THAT(error(R"({"metadata": {"name": "p"}})"), HasSubstr("has no kind"));
  EXPECT_THAT(error("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(error(R"({"kind": "Node", "metadata": {}})"), HasSubstr("is missing"));
}

TEST_F(JudgeTest, NamesKindsWhosePodsItCannotForetell) {
  const auto other = [this](const std::string& text) {
    return std::get<OtherObject>(Look(text).front());
  };
  EXPECT_EQ(other(R"({"apiVersion": "v1", "kind": "ConfigMap"})").why, "");
  const OtherObject jobset =
      other(R"({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"})");
  EXPECT_EQ(jobset.kind, "JobSet of jobset.x-k8s.io/v1alpha2");
  EXPECT_THAT(jobset.why, HasSubstr("list jobset in admission.frameworks"));
}

}  // namespace
}  // namespace berth::report
