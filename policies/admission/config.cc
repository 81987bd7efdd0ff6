#include "policies/admission/config.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/label.h"

namespace berth::policies::admission {

namespace {

using Errors = std::vector<model::FieldError>;

void Append(Errors errors, const std::string& path, Errors& all) {
  for (model::FieldError& error : errors) {
    error.path = path + (error.path.empty() ? "" : "." + error.path);
    all.push_back(std::move(error));
  }
}

constexpr model::EnumName<TemplateOf> kTemplateOfNames[] = {{TemplateOf::kPods, "Pods"},
                                                            {TemplateOf::kJobs, "Jobs"}};

std::string ItemPath(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

void ValidateFrameworks(const std::vector<Framework>& frameworks, Errors& errors) {
  for (std::size_t i = 0; i < frameworks.size(); ++i) {
    const auto end = frameworks.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(frameworks.begin(), end, frameworks[i]) == end) continue;
    errors.push_back({ItemPath("frameworks", i), "is listed before; write each framework once"});
  }
}

void ValidateControllers(const std::vector<ControllerSpec>& specs, Errors& errors) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string path = ItemPath("controllers", i);
    if (specs[i].user.empty()) {
      errors.push_back({path + ".user",
                        "is empty; write a user name such as "
                        "system:serviceaccount:kubeflow:training-operator"});
    }
    if (specs[i].owner.empty()) {
      errors.push_back({path + ".owner", "is empty; write a kind such as PyTorchJob"});
    }
  }
}

// Pointers into the object beside its template.
void ValidateGangPlaces(const TemplateSpec& spec, const std::string& path, Errors& errors) {
  const auto check = [&errors](const std::string& pointer, const std::string& field) {
    if (pointer.size() >= 2 && pointer.front() == '/') return;
    errors.push_back({field, "is not a JSON pointer; write one such as /spec/replicas"});
  };
  for (std::size_t i = 0; i < spec.replicas.size(); ++i) {
    check(spec.replicas[i], ItemPath(path + ".replicas", i));
  }
  for (std::size_t i = 0; i < spec.in_turn.size(); ++i) {
    check(spec.in_turn[i], ItemPath(path + ".inTurn", i));
  }
  if (!spec.gang_size.empty()) check(spec.gang_size, path + ".gangSize");
  if (spec.gang_size.empty() || spec.replicas.empty()) return;
  errors.push_back({path + ".gangSize", "is there beside replicas; write one of the two"});
}

void ValidateTemplates(const std::vector<TemplateSpec>& specs, Errors& errors) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string path = ItemPath("templates", i);
    if (specs[i].kind.empty()) {
      errors.push_back({path + ".kind", "is empty; write a kind such as PyTorchJob"});
    }
    if (specs[i].path.size() < 2 || specs[i].path.front() != '/') {
      errors.push_back(
          {path + ".path",
           "is not a JSON pointer to a pod template; write one such as /spec/template"});
    }
    ValidateGangPlaces(specs[i], path, errors);
  }
}

void ValidateNames(const std::vector<std::string>& names, std::string_view list,
                   std::string_view advice, Errors& errors) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty() && names[i].find_first_of(" \t,") == std::string::npos) continue;
    errors.push_back({ItemPath(list, i), "is not one name; " + std::string(advice)});
  }
}

void ValidateOwnRetries(const std::vector<std::string>& namespaces, Errors& errors) {
  for (std::size_t i = 0; i < namespaces.size(); ++i) {
    if (model::IsDnsLabel(namespaces[i])) continue;
    errors.push_back({ItemPath("ownRetries", i),
                      "is not the name of a namespace; write one such as team-vision"});
  }
}

// A Job that may lack limits must not be retried.
void ValidateRetryless(const PoliciesConfig& policies, Errors& errors) {
  const auto& qos = std::get<PolicySettings<GuaranteedQosPolicy>>(policies.all);
  const auto& retries = std::get<PolicySettings<JobRetriesPolicy>>(policies.all);
  if (qos.mode == Mode::kOff || retries.mode == Mode::kEnforce) return;
  if (qos.config.missing_limits != MissingLimits::kAllowRetryless) return;
  errors.push_back({"policies.guaranteedQos.missingLimits",
                    "AllowRetryless takes policies.jobRetries.mode Enforce, which keeps such Jobs "
                    "from being retried; write that, or Default or Deny here"});
}

}  // namespace

std::span<const model::EnumName<TemplateOf>> EnumNames(TemplateOf) { return kTemplateOfNames; }

std::vector<ControllerSpec> KubernetesControllers() {
  const std::string account = "system:serviceaccount:kube-system:";
  return {{account + "job-controller", "Job"},
          {account + "cronjob-controller", "CronJob"},
          {account + "deployment-controller", "Deployment"},
          {account + "replicaset-controller", "ReplicaSet"},
          {account + "statefulset-controller", "StatefulSet"},
          {account + "replication-controller", "ReplicationController"},
          {account + "daemon-set-controller", "DaemonSet"}};
}

// The names are those of the device plugins: k8s-rdma-shared-dev-plugin and sriov-network-device-
// plugin (k8snetworkplumbingwg), the AWS and Alibaba Cloud network plugins, GKE's multi-networking,
// KubeVirt, smarter-device-manager, generic-device-plugin (squat), Intel's SGX and QAT plugins.
std::vector<std::string> CommonOrdinaryResources() {
  return {"rdma/*",
          "nvidia.com/hostdev*",
          "nvidia.com/sriov*",
          "mellanox.com/*",
          "intel.com/sriov*",
          "intel.com/intel_sriov*",
          "openshift.io/*",
          "vpc.amazonaws.com/*",
          "networking.gke.io.networks/*",
          "aliyun/*",
          "devices.kubevirt.io/*",
          "*.network.kubevirt.io/*",
          "smarter-devices/*",
          "squat.ai/*",
          "github.com/fuse",
          "sgx.intel.com/*",
          "qat.intel.com/*"};
}

std::vector<model::FieldError> Validate(const AdmissionConfig& config) {
  Errors errors;
  ValidateFrameworks(config.frameworks, errors);
  ValidateNames(config.ordinary_resources, "ordinaryResources",
                "write a resource or a pattern such as rdma/*", errors);
  ValidateNames(config.fraction_annotations, "fractionAnnotations",
                "write the name of an annotation, such as gpu-fraction", errors);
  ValidateControllers(config.controllers, errors);
  ValidateTemplates(config.templates, errors);
  ValidateOwnRetries(config.own_retries, errors);
  ForEachPolicy(config.policies, [&errors]<typename Policy>(const PolicySettings<Policy>& policy) {
    Append(Validate(policy.config), "policies." + std::string(Policy::kConfigKey), errors);
  });
  ValidateRetryless(config.policies, errors);
  return errors;
}

}  // namespace berth::policies::admission
