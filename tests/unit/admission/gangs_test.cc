// Gangs of objects as users write them, through the review.

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "admission/reviewer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "model/accelerator.h"
#include "policies/admission/framework_profiles.h"

namespace berth::admission {
namespace {

using policies::admission::Mode;
using policies::admission::Operation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr NamespaceRules kEnforced{Mode::kEnforce, false};
constexpr NamespaceRules kWarned{Mode::kWarn, false};
const GroupVersionKind kPod{"", "v1", "Pod"};
const GroupVersionKind kJob{"batch", "v1", "Job"};

/// With gangs alone, and every framework.
policies::admission::AdmissionConfig GangsAlone() {
  policies::admission::AdmissionConfig config;
  std::apply([](auto&... policies) { ((policies.mode = Mode::kOff), ...); }, config.policies.all);
  std::get<policies::admission::PolicySettings<policies::admission::GangsPolicy>>(
      config.policies.all)
      .mode = Mode::kEnforce;
  for (const auto& each : EnumNames(policies::admission::Framework{})) {
    config.frameworks.push_back(each.value);
  }
  return config;
}

class GangReviewTest : public testing::Test {
 protected:
  Review ReviewOf(const GroupVersionKind& kind, const std::string& object) {
    Review review{
        .uid = "u", .kind = kind, .operation = Operation::kCreate, .user = {.name = "alice"}};
    review.object = parser_.Parse(object).value();
    return review;
  }

  /// The patch of an object that asks for a gang.
  std::string PatchOf(const GroupVersionKind& kind, const std::string& spec) {
    return reviewer_
        .Mutate(ReviewOf(kind, R"({"metadata": {"name": "train", "annotations": {)"
                               R"("berth.dev/gang": "true"}}, "spec": )" +
                                   spec + "}"),
                kEnforced)
        .answer.patch;
  }

  kube::JsonParser parser_;
  const policies::admission::AdmissionConfig config_ = GangsAlone();
  const Reviewer reviewer_{
      std::make_shared<const policies::admission::AdmissionEngine>(
          std::make_shared<const model::AcceleratorCatalog>(
              model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value()),
          "berth.dev", "1.2.3", config_),
      policies::admission::AllTemplates(config_)};
};

constexpr char kTemplate[] =
    R"("template": {"metadata": {"annotations": {"a": "b"}}, "spec": {"containers": [{}]}})";

/// Sets the size in the template at `pointer`.
std::string SizeAt(const std::string& pointer, const std::string& size) {
  return R"({"op":"add","path":")" + pointer +
         R"(/metadata/annotations/berth.dev~1gang-size","value":")" + size + R"("})";
}

TEST_F(GangReviewTest, PodsGetGateNameAndSize) {
  const Verdict verdict =
      reviewer_.Mutate(ReviewOf(kPod, R"({"metadata": {"annotations": {"berth.dev/gang-size": "8"},
          "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train",
                               "controller": true, "uid": "12345678-90"}]},
          "spec": {"containers": [{}]}})"),
                       kEnforced);
  EXPECT_THAT(verdict.answer.patch,
              HasSubstr(R"("path":"/metadata/annotations/berth.dev~1gang-name","value":)"
                        R"("train-12345678")"));
  EXPECT_THAT(verdict.answer.patch,
              HasSubstr(R"("path":"/spec/schedulingGates","value":[{"name":"berth.dev/gang"}])"));
}

TEST_F(GangReviewTest, JobsOfFrameworksAreWholeGangs) {
  const std::string roles = std::string(R"({"Master": {)") + kTemplate +
                            R"(}, "Worker": {"replicas": 3, )" + kTemplate + "}}";
  for (const auto& [kind, member] : std::vector<std::pair<std::string, std::string>>{
           {"PyTorchJob", "pytorchReplicaSpecs"}, {"MPIJob", "mpiReplicaSpecs"}}) {
    EXPECT_EQ(PatchOf({"kubeflow.org", "v1", kind}, "{\"" + member + "\": " + roles + "}"),
              "[" + SizeAt("/spec/" + member + "/Master/template", "4") + "," +
                  SizeAt("/spec/" + member + "/Worker/template", "4") + "]");
  }
}

TEST_F(GangReviewTest, AJobSetCountsThePodsOfItsJobs) {
  const std::string jobs =
      std::string(R"([{"name": "leader", "template": {"spec": {)") + kTemplate +
      R"(}}}, {"name": "workers", "replicas": 2, "template": {"spec": {"parallelism": 4,)" +
      R"("completions": 4, )" + kTemplate + "}}}]";
  const GroupVersionKind kind{"jobset.x-k8s.io", "v1alpha2", "JobSet"};
  EXPECT_EQ(PatchOf(kind, R"({"replicatedJobs": )" + jobs + "}"),
            "[" + SizeAt("/spec/replicatedJobs/0/template/spec/template", "9") + "," +
                SizeAt("/spec/replicatedJobs/1/template/spec/template", "9") + "]");

  const std::string in_order =
      R"({"metadata": {"annotations": {"berth.dev/gang": "true"}}, "spec": )"
      R"({"startupPolicy": {"startupPolicyOrder": "InOrder"}, "replicatedJobs": )" +
      jobs + "}}";
  EXPECT_THAT(reviewer_.Mutate(ReviewOf(kind, in_order), kEnforced).answer.patch, IsEmpty());
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kind, in_order), kEnforced).answer.denial,
              HasSubstr("berth gangs: spec starts its pods in turn"));
  EXPECT_THAT(reviewer_.Validate(ReviewOf(kind, in_order), kWarned).answer.denial, IsEmpty());
}

TEST_F(GangReviewTest, ARayClusterCountsItsHeadAndTheHostsOfItsWorkers) {
  const std::string groups = std::string(R"("headGroupSpec": {)") + kTemplate +
                             R"(}, "workerGroupSpecs": [{"replicas": 2, "numOfHosts": 4, )" +
                             kTemplate + "}]}";
  const GroupVersionKind kind{"ray.io", "v1", "RayCluster"};
  EXPECT_EQ(PatchOf(kind, "{" + groups), "[" + SizeAt("/spec/headGroupSpec/template", "9") + "," +
                                             SizeAt("/spec/workerGroupSpecs/0/template", "9") +
                                             "]");
  EXPECT_THAT(PatchOf(kind, R"({"enableInTreeAutoscaling": true, )" + groups), IsEmpty());
}

TEST_F(GangReviewTest, EachGroupOfALeaderWorkerSetIsAGang) {
  const std::string pods = R"({"metadata": {"annotations": {"a": "b"}}, )"
                           R"("spec": {"containers": [{}]}})";
  EXPECT_EQ(PatchOf({"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet"},
                    R"({"replicas": 7, "leaderWorkerTemplate": {"size": 4, "workerTemplate": )" +
                        pods + "}}"),
            "[" + SizeAt("/spec/leaderWorkerTemplate/workerTemplate", "4") + "]");
}

TEST_F(GangReviewTest, AuthorsAreToldOnceAndByMutateToo) {
  const std::string object =
      std::string(R"({"metadata": {"annotations": {"berth.dev/gang": "true"}}, "spec": )") +
      R"({"pytorchReplicaSpecs": {"Worker": {"replicas": 3, )" + kTemplate + "}}}}";
  const Review review = ReviewOf({"kubeflow.org", "v1", "PyTorchJob"}, object);
  const std::string text =
      "its 3 pods are a gang: they wait for each other (scheduling gate berth.dev/gang)";
  EXPECT_THAT(reviewer_.Mutate(review, kEnforced).answer.warnings, ElementsAre("berth: " + text));
  EXPECT_THAT(reviewer_.Preview(review, kEnforced).answer.warnings,
              ElementsAre("berth, pods: " + text));
  EXPECT_THAT(reviewer_.Validate(review, kWarned).answer.warnings,
              ElementsAre("berth (warn only), pods: " + text));
}

TEST_F(GangReviewTest, AJobOfAJobSetKeepsTheSizeOfTheWhole) {
  const std::string job =
      R"({"metadata": {"name": "set-workers-0", "ownerReferences": [{"apiVersion": )"
      R"("jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "set", "controller": true}]},)"
      R"("spec": {"parallelism": 4, "completions": 4, "template": {"metadata": {"annotations": )"
      R"({"berth.dev/gang-size": "9"}}, "spec": {"containers": [{}]}}}})";
  for (const Verdict& verdict : {reviewer_.Mutate(ReviewOf(kJob, job), kEnforced),
                                 reviewer_.Validate(ReviewOf(kJob, job), kEnforced)}) {
    EXPECT_THAT(verdict.answer.denial + verdict.answer.patch, IsEmpty());
  }
}

}  // namespace
}  // namespace berth::admission
