#include "policies/scheduling/health_profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "policies/scheduling/health.h"
#include "probe/probes.h"
#include "probe/verdict.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using model::ConditionStatus;

enum class Fate { kFits, kComesLast, kRefused };

Fate Judge(const HealthConfig& config, const model::NodeState& node, const model::Pod& pod) {
  ReasonTable reasons;
  const std::string prefix = "berth.dev";
  const HealthPolicy policy({*Catalog(), prefix, reasons}, config);
  const auto prepared = policy.Prepare(pod, FixedView(), kNow);
  const Verdict verdict = std::get<std::unique_ptr<NodeEvaluator>>(prepared)->Evaluate(node);
  if (!verdict.fits) return Fate::kRefused;
  return verdict.score == kMaxScore ? Fate::kFits : Fate::kComesLast;
}

HealthConfig Of(HealthProfile profile) {
  HealthConfig config;
  config.profiles = {profile};
  return config;
}

// An A30 node with the conditions of a v1.Node's status, in JSON.
model::NodeState ProfileNode(const std::string& conditions) {
  kube::JsonParser parser;
  const auto root = parser.Parse(R"({"metadata": {"name": "n"}, "status": {"conditions": [)" +
                                 conditions + "]}}");
  const auto node = kube::NodeFromJson(root.value(), "Node");
  EXPECT_TRUE(node.ok()) << node.status();
  model::NodeState state = GpuNode("n", "NVIDIA-A30");
  state.node.conditions = node->conditions;
  return state;
}

// Now is 2027-01-15T08:00:00Z.
constexpr char kBeating[] =
    R"("lastHeartbeatTime": "2027-01-15T07:57:12Z", "lastTransitionTime": "2027-01-15T03:12:40Z")";
// As of a detector that wrote once, last year.
constexpr char kOnce[] =
    R"("lastHeartbeatTime": "2026-11-02T10:15:30Z", "lastTransitionTime": "2026-11-02T10:15:30Z")";
// As of one that died two hours ago.
constexpr char kSilent[] =
    R"("lastHeartbeatTime": "2027-01-15T06:00:00Z", "lastTransitionTime": "2027-01-15T03:12:40Z")";

struct ProfileCase {
  std::string name;
  HealthProfile profile;
  // Type, status, reason and message as the detector writes them.
  std::string fields;
  Fate fate;
  const char* times = kBeating;
  // A resource that the pod asks for besides its GPU, and its max-runtime.
  std::string resource = {};
  std::string max_runtime = {};
};

class HealthProfileTable : public testing::TestWithParam<ProfileCase> {};

TEST_P(HealthProfileTable, JudgesWhatTheDetectorWrites) {
  const ProfileCase& c = GetParam();
  model::Pod pod = PodAskingFor(kGpu, 1);
  if (!c.resource.empty()) pod.requests.Set(c.resource, 1);
  if (!c.max_runtime.empty()) pod.annotations = {{"berth.dev/max-runtime", c.max_runtime}};
  const std::string separator = *c.times == '\0' ? "" : ", ";
  const model::NodeState node = ProfileNode("{" + c.fields + separator + c.times + "}");
  EXPECT_EQ(Judge(Of(c.profile), node, pod), c.fate);
}

std::string NameOfCase(const testing::TestParamInfo<ProfileCase>& info) { return info.param.name; }

// kubernetes/node-problem-detector v1.36.0, config/*.json. Earlier minors, down to v0.8, spell the
// same types the same, and have fewer.
INSTANTIATE_TEST_SUITE_P(
    Npd, HealthProfileTable,
    testing::Values(
        ProfileCase{"Deadlock", HealthProfile::kNpd,
                    R"("type": "KernelDeadlock", "status": "True", "reason": "DockerHung",
                "message": "task docker:20744 blocked for more than 120 seconds.")",
                    Fate::kRefused},
        ProfileCase{"NoDeadlock", HealthProfile::kNpd,
                    R"("type": "KernelDeadlock", "status": "False", "reason": "KernelHasNoDeadlock",
                "message": "kernel has no deadlock")",
                    Fate::kFits},
        ProfileCase{
            "ReadonlyFilesystem", HealthProfile::kNpd,
            R"("type": "ReadonlyFilesystem", "status": "True", "reason": "FilesystemIsReadOnly",
                "message": "Remounting filesystem read-only")",
            Fate::kRefused},
        ProfileCase{"XfsShutdown", HealthProfile::kNpd,
                    R"("type": "XfsShutdown", "status": "True", "reason": "XfsHasShutdown",
                "message": "XFS (nvme0n1p1): Shutting down filesystem")",
                    Fate::kRefused},
        ProfileCase{"CperHardwareErrorFatal", HealthProfile::kNpd,
                    R"("type": "CperHardwareErrorFatal", "status": "True",
                "reason": "CperHardwareErrorFatal", "message": "event severity: fatal")",
                    Fate::kRefused},
        ProfileCase{"KubeletUnhealthy", HealthProfile::kNpd,
                    R"("type": "KubeletUnhealthy", "status": "True", "reason": "KubeletUnhealthy",
                "message": "kubelet:kubelet was found unhealthy; repair flag : true")",
                    Fate::kRefused},
        ProfileCase{"ContainerdUnhealthy", HealthProfile::kNpd,
                    R"("type": "ContainerRuntimeUnhealthy", "status": "True",
                "reason": "ContainerdUnhealthy", "message": "containerd was found unhealthy")",
                    Fate::kRefused},
        ProfileCase{"DockerUnhealthyOfEarlierMinors", HealthProfile::kNpd,
                    R"("type": "ContainerRuntimeUnhealthy", "status": "True",
                "reason": "DockerUnhealthy", "message": "docker was found unhealthy")",
                    Fate::kRefused},
        ProfileCase{"FrequentContainerdRestart", HealthProfile::kNpd,
                    R"("type": "FrequentContainerdRestart", "status": "True",
                "reason": "FrequentContainerdRestart", "message": "Found 7 matching logs")",
                    Fate::kComesLast},
        ProfileCase{"CorruptDockerOverlay2", HealthProfile::kNpd,
                    R"("type": "CorruptDockerOverlay2", "status": "True",
                "reason": "CorruptDockerOverlay2", "message": "Found 12 matching logs")",
                    Fate::kComesLast},
        // A plugin that was killed.
        ProfileCase{
            "PluginTimedOut", HealthProfile::kNpd,
            R"("type": "KubeletUnhealthy", "status": "Unknown", "reason": "KubeletIsHealthy",
                "message": "Timeout when running plugin \"/home/kubernetes/bin/health-checker\": state - signa")",
            Fate::kComesLast},
        ProfileCase{"DeadDetectorOnABrokenNode", HealthProfile::kNpd,
                    R"("type": "KernelDeadlock", "status": "True", "reason": "DockerHung",
                "message": "task docker:20744 blocked for more than 120 seconds.")",
                    Fate::kRefused, kSilent},
        ProfileCase{"DeadDetector", HealthProfile::kNpd,
                    R"("type": "KernelDeadlock", "status": "False", "reason": "KernelHasNoDeadlock",
                "message": "kernel has no deadlock")",
                    Fate::kComesLast, kSilent},
        ProfileCase{"ExampleOfNtp", HealthProfile::kNpd,
                    R"("type": "NTPProblem", "status": "True", "reason": "NTPIsDown",
                "message": "NTP service is not running")",
                    Fate::kFits}),
    NameOfCase);

INSTANTIATE_TEST_SUITE_P(
    Pfn, HealthProfileTable,
    testing::Values(ProfileCase{"Lost", HealthProfile::kPfn,
                                R"("type": "GPUIsLost", "status": "True", "reason": "GPUIsLost",
                            "message": "0000:3b:00.0 GPU is lost")",
                                Fate::kRefused},
                    ProfileCase{"NotLost", HealthProfile::kPfn,
                                R"("type": "GPUIsLost", "status": "False", "reason": "GPUIsNotLost",
                            "message": "8 GPUs")",
                                Fate::kFits},
                    ProfileCase{"SilenceIsNoSign", HealthProfile::kPfn,
                                R"("type": "GPUIsLost", "status": "False", "reason": "GPUIsNotLost",
                            "message": "8 GPUs")",
                                Fate::kFits, kSilent},
                    ProfileCase{"PcieLinkDegraded", HealthProfile::kPfn,
                                R"("type": "PCIeLinkDegraded", "status": "True", "reason": "Width",
                            "message": "0000:3b:00.0 x8 of x16")",
                                Fate::kComesLast},
                    ProfileCase{"NicDownForRdma", HealthProfile::kPfn,
                                R"("type": "NICLinkDown", "status": "True", "reason": "NICLinkDown",
                            "message": "ens1f0")",
                                Fate::kRefused, kBeating, "rdma/hca_a"},
                    ProfileCase{"NicDown", HealthProfile::kPfn,
                                R"("type": "NICLinkDown", "status": "True", "reason": "NICLinkDown",
                            "message": "ens1f0")",
                                Fate::kComesLast}),
    NameOfCase);

// What node-problem-detector 1.36.0 publishes of a probe's answer, with the texts that `berth probe
// config` writes (generateStatus in pkg/custompluginmonitor/custom_plugin_monitor.go): the message
// is the answer unless that is well, and Unknown has the reason of False.
std::string WrittenOf(std::string_view name, const probe::Verdict& answer) {
  const probe::Probe& asked = *probe::FindProbe(name);
  std::string status = "Unknown";
  std::string_view reason = asked.well_reason;
  std::string message = answer.message;
  if (answer.outcome == probe::Outcome::kWell) {
    status = "False";
    message = asked.well_message;
  } else if (answer.outcome == probe::Outcome::kBad) {
    status = "True";
    reason = asked.bad_reason;
  }
  return R"("type": ")" + std::string(asked.condition) + R"(", "status": ")" + status +
         R"(", "reason": ")" + std::string(reason) + R"(", "message": ")" + message + '"';
}

INSTANTIATE_TEST_SUITE_P(
    Probe, HealthProfileTable,
    testing::Values(
        ProfileCase{
            "Lost", HealthProfile::kProbe,
            WrittenOf("gpu-lost", probe::Bad("0000:86:00.0 does not answer on the PCI bus")),
            Fate::kRefused},
        ProfileCase{"NotLost", HealthProfile::kProbe,
                    WrittenOf("gpu-lost", probe::Well("8 GPUs answer")), Fate::kFits},
        ProfileCase{
            "TheDriverIsUnloaded", HealthProfile::kProbe,
            WrittenOf("pending-page", probe::Unknown("nvidia-smi: the driver is not loaded (9)")),
            Fate::kComesLast},
        ProfileCase{"DeadDetector", HealthProfile::kProbe,
                    WrittenOf("gpu-lost", probe::Well("8 GPUs answer")), Fate::kComesLast, kSilent},
        ProfileCase{"RowRemapFailure", HealthProfile::kProbe,
                    WrittenOf("remapped-rows",
                              probe::Bad("GPU 0000:86:00.0 could not remap a row of its memory")),
                    Fate::kRefused},
        ProfileCase{"EccError", HealthProfile::kProbe,
                    WrittenOf("ecc", probe::Bad("GPU 0000:86:00.0 has uncorrected ECC errors")),
                    Fate::kRefused},
        ProfileCase{"NfsUnresponsive", HealthProfile::kProbe,
                    WrittenOf("nfs", probe::Bad("statfs /mnt/data has not ended in 20s")),
                    Fate::kRefused},
        ProfileCase{
            "Throttling", HealthProfile::kProbe,
            WrittenOf("clock", probe::Bad("GPU 0000:86:00.0 is slowed down by its hardware")),
            Fate::kComesLast},
        ProfileCase{"InfiniBandDownForRdma", HealthProfile::kProbe,
                    WrittenOf("ib", probe::Bad("port 1 of mlx5_1 is 1: DOWN")), Fate::kRefused,
                    kBeating, "rdma/hca_a"},
        ProfileCase{"InfiniBandDown", HealthProfile::kProbe,
                    WrittenOf("ib", probe::Bad("port 1 of mlx5_1 is 1: DOWN")), Fate::kComesLast}),
    NameOfCase);

TEST(HealthProfiles, OfProbesKnowsTheConditionOfEach) {
  std::set<std::string> published;
  for (const probe::Probe& each : probe::AllProbes()) published.emplace(each.condition);
  EXPECT_EQ(ExpectedTypes(Of(HealthProfile::kProbe)), published);
}

// NVIDIA/NVSentinel, platform-connectors/pkg/connectors/kubernetes/process_node_events.go: the
// reason is the check's name and IsHealthy or IsNotHealthy; times are those of the event.
INSTANTIATE_TEST_SUITE_P(
    Nvsentinel, HealthProfileTable,
    testing::Values(
        ProfileCase{"Mem", HealthProfile::kNvsentinel,
                    R"("type": "GpuMemWatch", "status": "True", "reason": "GpuMemWatchIsNotHealthy",
                "message": "ErrorCode:DCGM_FR_VOLATILE_DBE_DETECTED GPU:3 A volatile DBE. Recommended Action=COMPONENT_RESET;")",
                    Fate::kRefused, kOnce},
        ProfileCase{"MemIsWell", HealthProfile::kNvsentinel,
                    R"("type": "GpuMemWatch", "status": "False", "reason": "GpuMemWatchIsHealthy",
                "message": "No Health Failures")",
                    Fate::kFits, kOnce},
        ProfileCase{"FallenOffTheBus", HealthProfile::kNvsentinel,
                    R"("type": "SysLogsGPUFallenOff", "status": "True",
                "reason": "SysLogsGPUFallenOffIsNotHealthy",
                "message": "GPU:0 GPU has fallen off the bus. Recommended Action=RESTART_BM;")",
                    Fate::kRefused, kOnce},
        ProfileCase{"Xid", HealthProfile::kNvsentinel,
                    R"("type": "SysLogsXIDError", "status": "True",
                "reason": "SysLogsXIDErrorIsNotHealthy",
                "message": "ErrorCode:79 PCI:0000:b3:00 Recommended Action=RESTART_BM;")",
                    Fate::kRefused, kOnce},
        ProfileCase{"NvswitchFatal", HealthProfile::kNvsentinel,
                    R"("type": "GpuNvswitchFatalWatch", "status": "True",
                "reason": "GpuNvswitchFatalWatchIsNotHealthy",
                "message": "Recommended Action=CONTACT_SUPPORT;")",
                    Fate::kRefused, kOnce},
        // Also written for IMEX, where the GPUs are well.
        ProfileCase{
            "Nvlink", HealthProfile::kNvsentinel,
            R"("type": "GpuNvlinkWatch", "status": "True", "reason": "GpuNvlinkWatchIsNotHealthy",
                "message": "ErrorCode:DCGM_FR_IMEX_UNHEALTHY GPU:0 Recommended Action=CONTACT_SUPPORT;")",
            Fate::kComesLast, kOnce},
        ProfileCase{"InfiniBandForRdma", HealthProfile::kNvsentinel,
                    R"("type": "InfiniBandStateCheck", "status": "True",
                "reason": "InfiniBandStateCheckIsNotHealthy",
                "message": "NIC:mlx5_0 Recommended Action=REPLACE_VM;")",
                    Fate::kRefused, kOnce, "rdma/hca_a"},
        ProfileCase{"InfiniBand", HealthProfile::kNvsentinel,
                    R"("type": "InfiniBandStateCheck", "status": "True",
                "reason": "InfiniBandStateCheckIsNotHealthy",
                "message": "NIC:mlx5_0 Recommended Action=REPLACE_VM;")",
                    Fate::kComesLast, kOnce}),
    NameOfCase);

// aws/eks-node-monitoring-agent v1.7.0, pkg/manager/node_exporter.go.
INSTANTIATE_TEST_SUITE_P(
    Eks, HealthProfileTable,
    testing::Values(
        ProfileCase{"HardwareIsReady", HealthProfile::kEks,
                    R"("type": "AcceleratedHardwareReady", "status": "True",
                "reason": "NvidiaAcceleratedHardwareIsReady",
                "message": "Monitoring for the Nvidia AcceleratedHardware system is active")",
                    Fate::kFits},
        ProfileCase{"HardwareIsReadyInLaterMinors", HealthProfile::kEks,
                    R"("type": "AcceleratedHardwareReady", "status": "True",
                "reason": "NvidiaGPUIsReady",
                "message": "Monitoring for the Nvidia GPU system is active")",
                    Fate::kFits},
        ProfileCase{"HardwareIsNot", HealthProfile::kEks,
                    R"("type": "AcceleratedHardwareReady", "status": "False",
                "reason": "NvidiaXID79Error", "message": "XID 79 detected")",
                    Fate::kRefused},
        ProfileCase{"DeviceCountMismatch", HealthProfile::kEks,
                    R"("type": "AcceleratedHardwareReady", "status": "False",
                "reason": "NvidiaDeviceCountMismatch", "message": "7 of 8 GPUs")",
                    Fate::kRefused},
        ProfileCase{"NetworkingIsNot", HealthProfile::kEks,
                    R"("type": "NetworkingReady", "status": "False", "reason": "IPAMDNotReady",
                "message": "IPAMD is not ready")",
                    Fate::kRefused},
        ProfileCase{
            "DeadAgentOnABrokenNode", HealthProfile::kEks,
            R"("type": "KernelReady", "status": "False", "reason": "KernelBug", "message": "")",
            Fate::kRefused, kSilent},
        ProfileCase{"DeadAgent", HealthProfile::kEks,
                    R"("type": "KernelReady", "status": "True", "reason": "KernelIsReady",
                "message": "Monitoring for the Kernel system is active")",
                    Fate::kComesLast, kSilent}),
    NameOfCase);

// MicrosoftDocs/azure-aks-docs fb060ab, articles/aks/node-problem-detector.md.
INSTANTIATE_TEST_SUITE_P(
    Aks, HealthProfileTable,
    testing::Values(
        ProfileCase{"GpuMissing", HealthProfile::kAks,
                    R"("type": "GPUMissing", "status": "True",
                "reason": "Observed GPU count does not match expected GPU count", "message": "")",
                    Fate::kRefused},
        ProfileCase{"Xid", HealthProfile::kAks,
                    R"("type": "XIDErrors", "status": "True",
                "reason": "XID errors present in kernel log", "message": "")",
                    Fate::kRefused},
        ProfileCase{"ClockThrottling", HealthProfile::kAks,
                    R"("type": "GPUClockThrottling", "status": "True",
                "reason": "Problematic GPU clock throttling detected", "message": "")",
                    Fate::kComesLast},
        ProfileCase{"IbFlappingForRdma", HealthProfile::kAks,
                    R"("type": "IBLinkFlapping", "status": "True",
                "reason": "Intermittent InfiniBand device connectivity", "message": "")",
                    Fate::kRefused, kBeating, "rdma/ib"},
        ProfileCase{"KubeletIsDown", HealthProfile::kAks,
                    R"("type": "KubeletProblem", "status": "True", "reason": "KubeletIsDown",
                "message": "")",
                    Fate::kRefused},
        ProfileCase{"EventScheduled", HealthProfile::kAks,
                    R"("type": "VMEventScheduled", "status": "True", "reason": "VMEventScheduled",
                "message": "")",
                    Fate::kRefused},
        ProfileCase{
            "StockCondition", HealthProfile::kAks,
            R"("type": "ReadonlyFilesystem", "status": "True", "reason": "FilesystemIsReadOnly",
                "message": "Remounting filesystem read-only")",
            Fate::kRefused}),
    NameOfCase);

// GoogleCloudPlatform/container-engine-accelerators 992db81,
// pkg/gpu/nvidia/health_check/health_checker.go: the reason is the set of XIDs as JSON, and the
// message the node's boot ID.
INSTANTIATE_TEST_SUITE_P(
    Gke, HealthProfileTable,
    testing::Values(
        ProfileCase{
            "Xid", HealthProfile::kGke,
            R"("type": "XidCriticalError", "status": "True", "reason": "{\"48\":true,\"79\":true}",
                "message": "6d3c9a3e-7a55-4c1c-9d3e-0d6d8a1f0b11")",
            Fate::kRefused},
        ProfileCase{"PluginIsGone", HealthProfile::kGke,
                    R"("type": "XidCriticalError", "status": "True", "reason": "{\"79\":true}",
                "message": "6d3c9a3e-7a55-4c1c-9d3e-0d6d8a1f0b11")",
                    Fate::kRefused, kSilent},
        ProfileCase{"RemovedAfterTheReboot", HealthProfile::kGke,
                    R"("type": "Ready", "status": "True", "reason": "KubeletReady",
                "message": "kubelet is posting ready status")",
                    Fate::kFits}),
    NameOfCase);

// nebius/nebius-solutions-library c1861f9, soperator/modules/k8s/k8s_ng_workers_v2.tf has the types
// and that True is bad. Reason and message of the first are what a node had of which one GPU was
// partitioned (gpustack/gpustack-operator 9b13bec, cluster-provisioning.md); those of the others
// are not known.
INSTANTIATE_TEST_SUITE_P(
    Nebius, HealthProfileTable,
    testing::Values(
        ProfileCase{
            "Gpu", HealthProfile::kNebius,
            R"("type": "NebiusGPUError", "status": "True", "reason": "GPUHealthCheckFailedMK8S",
                "message": "{\"errors\":[{\"nvidia_smi_topo.status\":\"found OK count: 49, expected: 56\"}]}")",
            Fate::kRefused},
        ProfileCase{"BootDisk", HealthProfile::kNebius,
                    R"("type": "NebiusBootDiskIOError", "status": "True")", Fate::kRefused},
        ProfileCase{"ContainerRuntime", HealthProfile::kNebius,
                    R"("type": "NebiusContainerRuntimeError", "status": "True")", Fate::kRefused},
        ProfileCase{"Well", HealthProfile::kNebius,
                    R"("type": "NebiusGPUError", "status": "False")", Fate::kFits}),
    NameOfCase);

// ROCm/gpu-operator 6df13c1, docs/npd.
INSTANTIATE_TEST_SUITE_P(
    Amd, HealthProfileTable,
    testing::Values(
        ProfileCase{"Down", HealthProfile::kAmd,
                    R"("type": "AMDGPUProblem", "status": "True", "reason": "AMDGPUIsDown",
                            "message": "GPU_ECC_UNCORRECT_TOTAL above 0")",
                    Fate::kRefused},
        ProfileCase{"Up", HealthProfile::kAmd,
                    R"("type": "AMDGPUProblem", "status": "False", "reason": "AMDGPUIsUp",
                            "message": "AMD GPU is up")",
                    Fate::kFits}),
    NameOfCase);

constexpr char kPlanned[] =
    R"("type": "MaintenancePlanned", "status": "True", "reason": "MaintenanceWindow",
       "message": "Hardware maintenance is scheduled for this Node",
       "lastTransitionTime": "2027-01-15T06:00:00Z")";

// k8s.io/api v0.37.0, core/v1/types.go: administrators write these, and owe no heartbeat.
INSTANTIATE_TEST_SUITE_P(
    Lifecycle, HealthProfileTable,
    testing::Values(
        ProfileCase{"Planned", HealthProfile::kLifecycle, kPlanned, Fate::kRefused, ""},
        ProfileCase{"PlannedAndTheyAreShort", HealthProfile::kLifecycle, kPlanned, Fate::kFits, "",
                    "", "1h"},
        ProfileCase{"PlannedAndTheyAreTooLong", HealthProfile::kLifecycle, kPlanned, Fate::kRefused,
                    "", "", "1h1s"},
        ProfileCase{"PlannedAndTheySayNothingOfUse", HealthProfile::kLifecycle, kPlanned,
                    Fate::kRefused, "", "", "soon"},
        ProfileCase{"PlannedAndTheyClaimToTakeNoTime", HealthProfile::kLifecycle, kPlanned,
                    Fate::kRefused, "", "", "0s"},
        ProfileCase{
            "CalledOff", HealthProfile::kLifecycle,
            R"("type": "MaintenancePlanned", "status": "False", "reason": "MaintenanceWindow")",
            Fate::kFits, kOnce},
        ProfileCase{"InProgress", HealthProfile::kLifecycle,
                    R"("type": "MaintenanceInProgress", "status": "True", "reason": "Rollout")",
                    Fate::kRefused, "", "", "1m"},
        ProfileCase{"Drained", HealthProfile::kLifecycle,
                    R"("type": "Drained", "status": "True", "reason": "PodsEvicted")",
                    Fate::kRefused, "", "", "1m"}),
    NameOfCase);

// Every type of every profile: bad has the effect, and well has none.
TEST(HealthProfiles, EachTypeHasItsEffectAndNoOther) {
  for (const HealthProfileSpec& spec : HealthProfiles()) {
    const HealthConfig config = Of(spec.profile);
    EXPECT_EQ(Validate({.profiles = {}, .conditions = spec.conditions}).size(), 0u);
    for (const HealthCondition& entry : spec.conditions) {
      const ConditionStatus bad = BadStatusOf(entry);
      const auto well =
          bad == ConditionStatus::kTrue ? ConditionStatus::kFalse : ConditionStatus::kTrue;
      model::Pod pod = PodAskingFor(kGpu, 1);
      if (!entry.resources.empty()) pod.requests.Set("rdma/a", 1);
      model::NodeState node = GpuNode("n", "NVIDIA-A30");
      node.node.conditions = {{entry.type, bad, kNow - std::chrono::hours(1), kNow}};
      const Fate expected = entry.effect == Effect::kExclude ? Fate::kRefused : Fate::kComesLast;
      if (!entry.resources.empty() || entry.effect == Effect::kExclude) {
        EXPECT_EQ(Judge(config, node, pod), expected) << entry.type;
      } else {
        EXPECT_NE(Judge(config, node, pod), Fate::kFits) << entry.type;
      }
      node.node.conditions[0].status = well;
      EXPECT_EQ(Judge(config, node, pod), Fate::kFits) << entry.type;
    }
  }
}

// A node that somebody works on is not broken: nobody is to repair it, and nothing is lost.
TEST(HealthProfiles, TellMaintenanceFromFaults) {
  std::vector<std::string> types;
  for (const HealthProfileSpec& spec : HealthProfiles()) {
    for (const HealthCondition& entry : spec.conditions) {
      if (entry.IsMaintenance()) types.push_back(entry.type);
    }
  }
  EXPECT_EQ(types,
            (std::vector<std::string>{"CSPMaintenance", "VMEventScheduled", "MaintenancePlanned",
                                      "MaintenanceInProgress", "DrainInProgress", "Drained",
                                      "GracefulNodeShutdownInProgress"}));
}

std::vector<std::string> TypesOf(const HealthConfig& config) {
  std::vector<std::string> types;
  for (const HealthCondition& entry : AllConditions(config)) types.push_back(entry.type);
  return types;
}

// What Berth did before there were profiles: an upgrade excludes nothing new.
TEST(AllConditions, AreThoseOfPfnByDefault) {
  const std::vector<HealthCondition> before = {
      {"GPUIsLost", Effect::kExclude, {}, std::chrono::minutes(10)},
      {"GPURuntimeError", Effect::kExclude, {}, std::chrono::minutes(10)},
      {"GPUPendingPage", Effect::kExclude},
      {"DStateProcess", Effect::kExclude},
      {"PCIeLinkDegraded", Effect::kPenalize},
      {"NICLinkDown", Effect::kExclude, {}, {}, {"rdma/*"}},
      {"NICLinkDown", Effect::kPenalize},
      {"NICLinkFlapping", Effect::kPenalize}};
  EXPECT_EQ(AllConditions({}), before);
}

TEST(AllConditions, AreOfProfilesInTheirOrderAndThenTheConfigurationsOwn) {
  HealthConfig config;
  config.profiles = {HealthProfile::kGke, HealthProfile::kAmd};
  config.conditions = {{"Mine", Effect::kPenalize}};
  EXPECT_EQ(TypesOf(config),
            (std::vector<std::string>{"XidCriticalError", "AMDGPUProblem", "Mine"}));
}

TEST(AllConditions, WhatComesLaterReplacesAllThatWasSaidAboutAType) {
  HealthConfig config;
  config.conditions = {{"NICLinkDown", Effect::kExclude}};
  const auto all = AllConditions(config);
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const auto& each) { return each.type == "NICLinkDown"; }),
            1);
  EXPECT_EQ(all.back(), config.conditions[0]);

  config.conditions.clear();
  config.profiles = {HealthProfile::kNpd, HealthProfile::kAks};
  const auto both = TypesOf(config);
  EXPECT_EQ(std::count(both.begin(), both.end(), "KernelDeadlock"), 1);
}

TEST(AllConditions, DoNotHoldWhatIsIgnored) {
  HealthConfig config;
  config.conditions = {{"NICLinkDown", Effect::kIgnore}, {"Mine", Effect::kIgnore}};
  EXPECT_TRUE(Validate(config).empty());
  EXPECT_EQ(TypesOf(config),
            (std::vector<std::string>{"GPUIsLost", "GPURuntimeError", "GPUPendingPage",
                                      "DStateProcess", "PCIeLinkDegraded", "NICLinkFlapping"}));
  EXPECT_EQ(ExpectedTypes(config).count("NICLinkDown"), 0U);
  // One for some pods only goes on to count beside it.
  config.conditions[1] = {"NICLinkDown", Effect::kExclude, {}, {}, {"rdma/*"}};
  EXPECT_EQ(AllConditions(config).back(), config.conditions[1]);
}

TEST(AllConditions, AreNoneWithoutProfilesAndConditions) {
  EXPECT_TRUE(AllConditions({.profiles = {}}).empty());
}

TEST(HealthProfiles, AreInTheOrderOfTheirNames) {
  const auto names = EnumNames(HealthProfile{});
  ASSERT_EQ(HealthProfiles().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(HealthProfiles()[i].profile, names[i].value);
    EXPECT_EQ(NameOf(names[i].value), names[i].name);
    EXPECT_EQ(SpecOf(names[i].value).profile, names[i].value);
  }
}

TEST(HealthPolicyAnnotations, AreReadOnlyWhereAnEntryNeedsThem) {
  ReasonTable reasons;
  const std::string prefix = "example.org";
  EXPECT_TRUE(HealthPolicy({*Catalog(), prefix, reasons}, {}).Annotations().empty());
  EXPECT_EQ(
      HealthPolicy({*Catalog(), prefix, reasons}, Of(HealthProfile::kLifecycle)).Annotations(),
      std::vector<std::string>{"example.org/max-runtime"});
}

}  // namespace
}  // namespace berth::policies::scheduling
