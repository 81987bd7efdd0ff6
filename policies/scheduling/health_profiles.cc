#include "policies/scheduling/health_profiles.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <iterator>

namespace berth::policies::scheduling {

namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr model::EnumName<HealthProfile> kProfileNames[] = {
    {HealthProfile::kNpd, "npd"},     {HealthProfile::kPfn, "pfn"},
    {HealthProfile::kProbe, "probe"}, {HealthProfile::kNvsentinel, "nvsentinel"},
    {HealthProfile::kEks, "eks"},     {HealthProfile::kAks, "aks"},
    {HealthProfile::kGke, "gke"},     {HealthProfile::kNebius, "nebius"},
    {HealthProfile::kAmd, "amd"},     {HealthProfile::kLifecycle, "lifecycle"}};

// Three heartbeats of five minutes, and five minutes by which the node's clock may be wrong.
constexpr model::Duration kThreeHeartbeats = minutes(20);

constexpr model::Duration kNever{0};
constexpr model::Duration kRecovery = minutes(10);

HealthCondition Excluding(std::string_view type, std::optional<model::Duration> stale_after = {}) {
  return {.type = std::string(type),
          .effect = Effect::kExclude,
          .recovery = kRecovery,
          .stale_after = stale_after};
}

// One that tells of work on the node, which is not broken.
HealthCondition OfMaintenance(HealthCondition condition) {
  condition.maintenance = true;
  return condition;
}

HealthCondition Penalizing(std::string_view type, std::optional<model::Duration> stale_after = {}) {
  return {.type = std::string(type), .effect = Effect::kPenalize, .stale_after = stale_after};
}

// Two entries: a broken network adapter excludes its node only for pods that ask for one.
void AddNetwork(std::string_view type, std::optional<model::Duration> stale_after,
                std::vector<HealthCondition>& conditions) {
  HealthCondition entry = Excluding(type, stale_after);
  entry.resources = {"rdma/*"};
  conditions.push_back(std::move(entry));
  conditions.push_back(Penalizing(type, stale_after));
}

// What node-problem-detector's own config/*.json publish, v1.36.0.
std::vector<HealthCondition> StockConditions() {
  std::vector<HealthCondition> conditions;
  for (const char* type : {"KernelDeadlock", "XfsShutdown", "CperHardwareErrorFatal",
                           "ReadonlyFilesystem", "KubeletUnhealthy", "ContainerRuntimeUnhealthy"}) {
    conditions.push_back(Excluding(type, kThreeHeartbeats));
  }
  for (const char* type :
       {"CorruptDockerOverlay2", "FrequentUnregisterNetDevice", "FrequentKubeletRestart",
        "FrequentDockerRestart", "FrequentContainerdRestart"}) {
    conditions.push_back(Penalizing(type, kThreeHeartbeats));
  }
  return conditions;
}

HealthProfileSpec Npd() {
  return {.profile = HealthProfile::kNpd,
          .detector = "node-problem-detector with its own monitors",
          .source = "kubernetes/node-problem-detector v1.36.0, config/*.json",
          .note = "It repeats conditions every five minutes; nodes of a dead one are penalised",
          .conditions = StockConditions()};
}

HealthProfileSpec Pfn() {
  return {.profile = HealthProfile::kPfn,
          .detector = "node-problem-detector with monitors for accelerators",
          .source = "Berth's own list",
          .note = "The default: what Berth did before there were profiles",
          .conditions = {{"GPUIsLost", Effect::kExclude, {}, kRecovery},
                         {"GPURuntimeError", Effect::kExclude, {}, kRecovery},
                         {"GPUPendingPage", Effect::kExclude},
                         {"DStateProcess", Effect::kExclude},
                         {"PCIeLinkDegraded", Effect::kPenalize},
                         {"NICLinkDown", Effect::kExclude, {}, {}, {"rdma/*"}},
                         {"NICLinkDown", Effect::kPenalize},
                         {"NICLinkFlapping", Effect::kPenalize}}};
}

HealthProfileSpec Probe() {
  std::vector<HealthCondition> conditions = Pfn().conditions;
  std::erase_if(conditions, [](const HealthCondition& each) {
    return each.type == "GPURuntimeError" || each.type == "NICLinkFlapping";
  });
  for (HealthCondition& entry : conditions) entry.stale_after = kThreeHeartbeats;
  conditions.push_back(Excluding("GPURowRemapFailure", kThreeHeartbeats));
  conditions.push_back(Excluding("GPUECCError", kThreeHeartbeats));
  conditions.push_back(
      {.type = "NFSUnresponsive", .effect = Effect::kExclude, .stale_after = kThreeHeartbeats});
  AddNetwork("IBLinkDown", kThreeHeartbeats, conditions);
  // A GPU that works hard is hot now and then.
  conditions.push_back(Penalizing("GPUClockThrottling", kThreeHeartbeats));
  conditions.back().min_duration = minutes(10);
  return {.profile = HealthProfile::kProbe,
          .detector = "node-problem-detector with the probes of berth probe",
          .source = "berth probe config of this version",
          .note = "Says of the types of pfn what pfn says, and that their silence means Unknown",
          .conditions = std::move(conditions),
          .daemon_sets = {"berth-probe"}};
}

HealthProfileSpec Nvsentinel() {
  std::vector<HealthCondition> conditions;
  for (const char* watch : {"Mem", "Pcie", "Inforom", "Thermal", "Power", "Sm", "Mcu", "Pmu",
                            "Driver", "NvswitchFatal"}) {
    conditions.push_back(Excluding("Gpu" + std::string(watch) + "Watch", kNever));
  }
  // NVLink is reported also for IMEX (NVIDIA/NVSentinel#1471), and the others tell of a detector or
  // of a loss of speed.
  for (const char* type :
       {"GpuNvlinkWatch", "GpuNvswitchNonfatalWatch", "GpuDcgmConnectivityFailure",
        "GpuDcgmUnresponsive", "GpuThermalMarginWatch", "GpuPowerBrakeWatch"}) {
    conditions.push_back(Penalizing(type, kNever));
  }
  for (const char* type : {"SysLogsXIDError", "SysLogsSXIDError", "SysLogsGPUFallenOff"}) {
    conditions.push_back(Excluding(type, kNever));
  }
  for (const char* type :
       {"SysLogsNICDriverError", "InfiniBandStateCheck", "InfiniBandDegradationCheck",
        "InfiniBandCharDeviceCheck", "EthernetStateCheck", "EthernetDegradationCheck",
        "EFAStateCheck", "EFADegradationCheck"}) {
    AddNetwork(type, kNever, conditions);
  }
  conditions.push_back(OfMaintenance(Excluding("CSPMaintenance", kNever)));
  return {.profile = HealthProfile::kNvsentinel,
          .detector = "NVSentinel",
          .source = "NVIDIA/NVSentinel, platform-connectors (227932c) and the monitors to v1.31.0",
          .note =
              "It writes when something happens and repeats nothing, so nothing is ever stale. "
              "It also cordons nodes by itself",
          .conditions = std::move(conditions),
          .daemon_sets = {"nvsentinel", "gpu-health-monitor", "syslog-health-monitor"},
          .labels = {"nvsentinel.dgxc.nvidia.com/", "dgxc.nvidia.com/nvsentinel-state"}};
}

HealthProfileSpec Eks() {
  std::vector<HealthCondition> conditions;
  for (const char* type : {"AcceleratedHardwareReady", "KernelReady", "NetworkingReady",
                           "StorageReady", "ContainerRuntimeReady"}) {
    HealthCondition entry = Excluding(type, kThreeHeartbeats);
    entry.bad_status = BadStatus::kFalse;
    conditions.push_back(std::move(entry));
  }
  return {
      .profile = HealthProfile::kEks,
      .detector = "the node monitoring agent of Amazon EKS",
      .source = "aws/eks-node-monitoring-agent v1.7.0, pkg/manager/node_exporter.go",
      .note = "True means well. The agent says False until it is restarted, and forgets it then",
      .conditions = std::move(conditions),
      .daemon_sets = {"eks-node-monitoring-agent"}};
}

HealthProfileSpec Aks() {
  std::vector<HealthCondition> conditions = StockConditions();
  for (const char* type :
       {"GPUMissing", "NVLinkStatusInactive", "XIDErrors", "FilesystemCorruptionProblem",
        "KubeletProblem", "ContainerRuntimeProblem"}) {
    conditions.push_back(Excluding(type, kThreeHeartbeats));
  }
  conditions.push_back(OfMaintenance(Excluding("VMEventScheduled", kThreeHeartbeats)));
  for (const char* type : {"GPUClockThrottling", "UnhealthyNvidiaDevicePlugin"}) {
    conditions.push_back(Penalizing(type, kThreeHeartbeats));
  }
  AddNetwork("IBLinkFlapping", kThreeHeartbeats, conditions);
  return {.profile = HealthProfile::kAks,
          .detector = "node-problem-detector as Azure AKS runs it",
          .source = "MicrosoftDocs/azure-aks-docs fb060ab, articles/aks/node-problem-detector.md",
          .note = "Includes npd. AKS runs it on the node itself, not as a DaemonSet",
          .conditions = std::move(conditions),
          .labels = {"kubernetes.azure.com/cluster"}};
}

HealthProfileSpec Gke() {
  return {.profile = HealthProfile::kGke,
          .detector = "the GPU device plugin of Google GKE",
          .source =
              "GoogleCloudPlatform/container-engine-accelerators 992db81, "
              "pkg/gpu/nvidia/health_check",
          .note = "The condition is removed, not set to False, when the node has been rebooted",
          .conditions = {Excluding("XidCriticalError")},
          .only_when_bad = true,
          .labels = {"cloud.google.com/gke-accelerator"}};
}

HealthProfileSpec Nebius() {
  return {
      .profile = HealthProfile::kNebius,
      .detector = "Nebius Managed Kubernetes",
      .source =
          "nebius/nebius-solutions-library c1861f9, soperator/modules/k8s/k8s_ng_workers_v2.tf; "
          "the label: k8s-training/mig.tf",
      .note =
          "The conditions by which it repairs nodes. Whether nodes that are well have them is "
          "not known",
      .conditions = {Excluding("NebiusGPUError"), Excluding("NebiusBootDiskIOError"),
                     Excluding("NebiusContainerRuntimeError")},
      .only_when_bad = true,
      .labels = {"nebius.com/node-group-id"}};
}

HealthProfileSpec Amd() {
  return {.profile = HealthProfile::kAmd,
          .detector = "node-problem-detector with AMD's amdgpuhealth",
          .source = "ROCm/gpu-operator 6df13c1, docs/npd",
          .note = "The name is that of AMD's example; you may have chosen another",
          .conditions = {Excluding("AMDGPUProblem", kThreeHeartbeats)}};
}

HealthProfileSpec Lifecycle() {
  HealthCondition planned{.type = "MaintenancePlanned",
                          .effect = Effect::kExclude,
                          .stale_after = kNever,
                          .max_runtime = hours(1)};
  std::vector<HealthCondition> conditions = {std::move(planned)};
  for (const char* type :
       {"MaintenanceInProgress", "DrainInProgress", "Drained", "GracefulNodeShutdownInProgress"}) {
    conditions.push_back(
        OfMaintenance({.type = type, .effect = Effect::kExclude, .stale_after = kNever}));
  }
  return {.profile = HealthProfile::kLifecycle,
          .detector = "administrators and their controllers, by the names of Kubernetes 1.37",
          .source = "k8s.io/api v0.37.0, core/v1/types.go",
          .note =
              "No condition says when maintenance begins. Before it, only pods start that state "
              "in berth.dev/max-runtime that they need at most maxRuntime",
          .conditions = std::move(conditions),
          .only_when_bad = true};
}

bool HasType(const std::vector<HealthCondition>& conditions, const std::string& type) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const HealthCondition& each) { return each.type == type; });
}

void Overlay(const std::vector<HealthCondition>& layer, std::vector<HealthCondition>& conditions) {
  std::erase_if(conditions, [&](const HealthCondition& each) { return HasType(layer, each.type); });
  conditions.insert(conditions.end(), layer.begin(), layer.end());
}

}  // namespace

std::span<const model::EnumName<HealthProfile>> EnumNames(HealthProfile) { return kProfileNames; }

const std::vector<HealthProfileSpec>& HealthProfiles() {
  static const std::vector<HealthProfileSpec> profiles = {
      Npd(), Pfn(), Probe(), Nvsentinel(), Eks(), Aks(), Gke(), Nebius(), Amd(), Lifecycle()};
  return profiles;
}

const HealthProfileSpec& SpecOf(HealthProfile profile) {
  return HealthProfiles()[static_cast<std::size_t>(profile)];
}

std::string_view NameOf(HealthProfile profile) {
  return kProfileNames[static_cast<std::size_t>(profile)].name;
}

std::vector<HealthCondition> AllConditions(const HealthConfig& config) {
  std::vector<HealthCondition> conditions;
  for (const HealthProfile profile : config.profiles) {
    Overlay(SpecOf(profile).conditions, conditions);
  }
  Overlay(config.conditions, conditions);
  std::erase_if(conditions,
                [](const HealthCondition& each) { return each.effect == Effect::kIgnore; });
  return conditions;
}

std::set<std::string> ExpectedTypes(const HealthConfig& config) {
  std::set<std::string> types;
  for (const HealthCondition& condition : AllConditions(config)) types.insert(condition.type);
  for (const HealthProfile profile : config.profiles) {
    const HealthProfileSpec& spec = SpecOf(profile);
    if (!spec.only_when_bad) continue;
    for (const HealthCondition& condition : spec.conditions) {
      if (!HasType(config.conditions, condition.type)) types.erase(condition.type);
    }
  }
  return types;
}

}  // namespace berth::policies::scheduling
