#include "policies/admission/framework_profiles.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/origin.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::vector<Framework> All() {
  std::vector<Framework> all;
  for (const auto& each : EnumNames(Framework{})) all.push_back(each.value);
  return all;
}

TEST(FrameworkProfilesTest, ThereIsOneForEachName) {
  std::vector<std::string_view> names;
  for (const FrameworkProfile& profile : FrameworkProfiles()) {
    names.push_back(NameOf(profile.framework));
  }
  EXPECT_THAT(names, ElementsAre("jobset", "kueue", "mpi-operator", "training-operator", "trainer",
                                 "kuberay", "lws", "argo"));
}

// Else the webhook would not be asked about an object whose templates it could read.
TEST(FrameworkProfilesTest, RulesCoverTheGroupsOfTheTemplates) {
  for (const FrameworkProfile& profile : FrameworkProfiles()) {
    std::set<std::string> templates;
    std::set<std::string> rules;
    for (const TemplateSpec& spec : profile.templates) templates.insert(spec.group);
    for (const ResourceRule& rule : profile.rules) rules.insert(rule.group);
    EXPECT_EQ(templates, rules) << NameOf(profile.framework);
  }
}

TEST(FrameworkProfilesTest, AreValid) {
  AdmissionConfig config;
  for (const FrameworkProfile& profile : FrameworkProfiles()) {
    config.frameworks.push_back(profile.framework);
    config.templates.insert(config.templates.end(), profile.templates.begin(),
                            profile.templates.end());
    config.controllers.insert(config.controllers.end(), profile.controllers.begin(),
                              profile.controllers.end());
  }
  EXPECT_THAT(Validate(config), IsEmpty());
}

TEST(FrameworkProfilesTest, NothingIsKnownUnlessItIsListed) {
  EXPECT_THAT(AllTemplates({}), IsEmpty());
  EXPECT_THAT(AllControllers({}), ElementsAreArray(KubernetesControllers()));
}

TEST(FrameworkProfilesTest, TheFileWinsForTheKindsThatItNames) {
  AdmissionConfig config;
  config.frameworks = {Framework::kTrainingOperator, Framework::kMpiOperator};
  const TemplateSpec own{"kubeflow.org", "PyTorchJob", "/spec/elsewhere"};
  config.templates = {own};
  const std::vector<TemplateSpec> all = AllTemplates(config);
  EXPECT_EQ(all.front(), own);
  EXPECT_EQ(std::ranges::count(all, own.kind, &TemplateSpec::kind), 1);
  // Two profiles have it.
  EXPECT_EQ(std::ranges::count(all, "MPIJob", &TemplateSpec::kind), 1);
  EXPECT_THAT(all, Contains(TemplateSpec{.group = "kubeflow.org",
                                         .kind = "TFJob",
                                         .path = "/spec/tfReplicaSpecs/*/template",
                                         .replicas = {"/spec/tfReplicaSpecs/*/replicas"}}));
}

TEST(FrameworkProfilesTest, ControllersOfTheFileComeBeforeThoseOfProfiles) {
  AdmissionConfig config;
  config.frameworks = {Framework::kMpiOperator};
  const ControllerSpec own{"system:serviceaccount:mpi-operator:mpi-operator", "Training"};
  config.controllers = {own};
  EXPECT_EQ(ControllerOf({.name = own.user, .groups = {}}, CpuPod(), AllControllers(config)),
            "Training");
}

TEST(FrameworkProfilesTest, RecogniseWhoCreatesTheirPods) {
  struct Case {
    std::string account;
    std::string owner;
  };
  AdmissionConfig config;
  config.frameworks = All();
  for (const Case& c : std::vector<Case>{{"jobset-system:jobset-controller-manager", "JobSet"},
                                         {"mpi-operator:mpi-operator", "MPIJob"},
                                         {"kubeflow:training-operator", "PyTorchJob"},
                                         {"kubeflow:training-operator", "XGBoostJob"},
                                         {"ray-system:kuberay-operator", "RayCluster"},
                                         {"ray-system:kuberay-operator", "RayJob"},
                                         {"argo:argo", "Workflow"}}) {
    model::Workload pod = CpuPod();
    pod.owners = {{.kind = c.owner, .name = "owner", .controller = true}};
    const User user{.name = "system:serviceaccount:" + c.account, .groups = {}};
    EXPECT_EQ(ControllerOf(user, pod, AllControllers(config)), c.owner) << c.account;
    EXPECT_EQ(ControllerOf(user, pod, AllControllers({})), "") << c.account;
  }
}

// In the namespace default many may create a service account of whatever name.
TEST(FrameworkProfilesTest, TrustNobodyInTheNamespaceDefault) {
  for (const FrameworkProfile& profile : FrameworkProfiles()) {
    for (const ControllerSpec& spec : profile.controllers) {
      EXPECT_FALSE(spec.user.starts_with("system:serviceaccount:default:")) << spec.user;
    }
  }
}

TEST(FrameworkProfilesTest, TellWhichOneHasAKind) {
  EXPECT_EQ(FrameworkWith("jobset.x-k8s.io", "JobSet"), Framework::kJobSet);
  EXPECT_EQ(FrameworkWith("ray.io", "RayService"), Framework::kKubeRay);
  EXPECT_EQ(FrameworkWith("batch.volcano.sh", "Job"), std::nullopt);
}

TEST(FrameworkProfilesTest, AreListedOnce) {
  AdmissionConfig config;
  config.frameworks = {Framework::kArgo, Framework::kJobSet, Framework::kArgo};
  const std::vector<model::FieldError> errors = Validate(config);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].path, "frameworks[2]");
  EXPECT_EQ(errors[0].message, "is listed before; write each framework once");
}

}  // namespace
}  // namespace berth::policies::admission
