#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "doctor/checks/all.h"
#include "policies/scheduling/health_profiles.h"
#include "tests/unit/doctor/fixtures.h"

// Which detectors a cluster has, and whether the configuration knows them.

namespace berth::doctor {
namespace {

using model::ConditionStatus;
using policies::scheduling::HealthProfile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class CheckConditionsTest : public ::testing::Test {
 protected:
  CheckConditionsTest() {
    facts_.nodes = std::vector<model::Node>{GpuNode("v100-1"), CpuNode("cpu-1")};
    facts_.daemon_sets = std::vector<DaemonSetFacts>{};
  }

  policies::scheduling::HealthConfig& health() {
    using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
    return std::get<Settings>(rules_.config.scheduling.policies.all).config;
  }

  void Publish(const std::vector<std::string>& types) {
    for (const std::string& type : types) {
      facts_.nodes->front().conditions.push_back({.type = type, .status = ConditionStatus::kFalse});
    }
  }

  // Of the detectors that the configuration does not know, what is said of each.
  std::vector<std::string> Named() {
    std::vector<std::string> named;
    for (const Finding& finding : checks::Conditions().run(facts_, rules_.rules())) {
      if (finding.what.starts_with("the cluster seems")) named.push_back(finding.what);
    }
    return named;
  }

  DefaultRules rules_;
  Facts facts_ = NoFacts();
};

TEST_F(CheckConditionsTest, NameNoDetectorWhereThereIsNone) { EXPECT_THAT(Named(), IsEmpty()); }

TEST_F(CheckConditionsTest, RecogniseADetectorByWhatItPublishes) {
  Publish({"AcceleratedHardwareReady", "KernelReady"});
  const Findings findings = checks::Conditions().run(facts_, rules_.rules());
  EXPECT_THAT(
      findings,
      Contains(AllOf(Field(&Finding::severity, Severity::kNote),
                     Field(&Finding::what,
                           "the cluster seems to have the node monitoring agent of Amazon EKS, by "
                           "nodes that publish AcceleratedHardwareReady and KernelReady; "
                           "health.profiles lacks eks"),
                     Field(&Finding::advice, HasSubstr("set health.profiles: [pfn, eks]")))));
}

TEST_F(CheckConditionsTest, NameNothingThatIsConfigured) {
  Publish({"AcceleratedHardwareReady", "KernelReady"});
  health().profiles.push_back(HealthProfile::kEks);
  EXPECT_THAT(Named(), IsEmpty());
  health().profiles = {HealthProfile::kPfn};
  health().conditions = policies::scheduling::SpecOf(HealthProfile::kEks).conditions;
  EXPECT_THAT(Named(), IsEmpty());
}

TEST_F(CheckConditionsTest, NameNothingOfWhichOneConditionIsIgnored) {
  Publish({"GPUIsLost", "DStateProcess"});
  health().conditions = {
      {.type = "DStateProcess", .effect = policies::scheduling::Effect::kIgnore}};
  EXPECT_THAT(Named(), IsEmpty());
}

TEST_F(CheckConditionsTest, RecogniseADetectorByItsDaemonSet) {
  facts_.daemon_sets = std::vector<DaemonSetFacts>{
      {.namespace_name = "kube-system", .name = "kube-proxy"},
      {.namespace_name = "nvsentinel", .name = "syslog-health-monitor-regular"}};
  EXPECT_THAT(Named(), ElementsAre("the cluster seems to have NVSentinel, by the DaemonSet "
                                   "nvsentinel/syslog-health-monitor-regular; health.profiles "
                                   "lacks nvsentinel"));
}

// XidCriticalError is on no node that is well.
TEST_F(CheckConditionsTest, RecogniseADetectorByLabels) {
  model::StringMap& labels = facts_.nodes->front().labels;
  labels.emplace_back("cloud.google.com/gke-accelerator", "nvidia-tesla-v100");
  model::Normalize(labels);
  EXPECT_THAT(Named(), ElementsAre(HasSubstr("by the label cloud.google.com/gke-accelerator of "
                                             "v100-1; health.profiles lacks gke")));
}

TEST_F(CheckConditionsTest, DoWithoutDaemonSetsThatCannotBeRead) {
  facts_.daemon_sets = absl::PermissionDeniedError("forbidden");
  Publish({"AMDGPUProblem"});
  EXPECT_THAT(Named(), ElementsAre(HasSubstr("lacks amd")));
}

// The profile of AKS has all of npd's types.
TEST_F(CheckConditionsTest, NameTheOneOfSeveralProfilesThatExplainsMost) {
  Publish({"KernelDeadlock", "ReadonlyFilesystem"});
  EXPECT_THAT(Named(), ElementsAre(HasSubstr("lacks npd")));
  Publish({"GPUMissing"});
  EXPECT_THAT(Named(), ElementsAre(HasSubstr("lacks aks")));
}

TEST_F(CheckConditionsTest, RecogniseTheProbes) {
  Publish({"GPUIsLost", "GPUECCError", "GPUClockThrottling"});
  EXPECT_THAT(Named(), ElementsAre(HasSubstr("GPUClockThrottling and GPUECCError; health.profiles "
                                             "lacks probe")));
}

TEST_F(CheckConditionsTest, NameAksByItsLabelAlone) {
  Publish({"KernelDeadlock"});
  model::StringMap& labels = facts_.nodes->front().labels;
  labels.emplace_back("kubernetes.azure.com/cluster", "mc");
  model::Normalize(labels);
  EXPECT_THAT(Named(), ElementsAre(HasSubstr("lacks aks")));
}

// Nodes that are well may have none of its conditions.
TEST_F(CheckConditionsTest, NameNebiusByItsLabelAlone) {
  model::StringMap& labels = facts_.nodes->front().labels;
  labels.emplace_back("nebius.com/node-group-id", "mk8snodegroup-1");
  model::Normalize(labels);
  EXPECT_THAT(Named(), ElementsAre(HasSubstr("lacks nebius")));
}

TEST_F(CheckConditionsTest, NameSeveralDetectors) {
  Publish({"NebiusGPUError", "Drained"});
  EXPECT_THAT(Named(), SizeIs(2));
}

TEST_F(CheckConditionsTest, NameTypesThatNobodyPublishes) {
  facts_.nodes->front().conditions.clear();
  health().profiles = {HealthProfile::kEks};
  Publish({"AcceleratedHardwareReady", "KernelReady", "NetworkingReady", "StorageReady"});
  const Finding finding = Only(checks::Conditions().run(facts_, rules_.rules()));
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_EQ(finding.what, "no node publishes ContainerRuntimeReady");
}

// A detector that writes only of faults is silent where all is well.
TEST_F(CheckConditionsTest, ExpectNothingOfDetectorsThatWriteOnlyOfFaults) {
  facts_.nodes->front().conditions.clear();
  health().profiles = {HealthProfile::kGke, HealthProfile::kLifecycle};
  EXPECT_EQ(Only(checks::Conditions().run(facts_, rules_.rules())).severity, Severity::kOk);
  health().conditions = {{.type = "Mine"}};
  const Finding finding = Only(checks::Conditions().run(facts_, rules_.rules()));
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_THAT(finding.what, AllOf(HasSubstr("(Mine)"), Not(HasSubstr("Xid"))));
}

}  // namespace
}  // namespace berth::doctor
