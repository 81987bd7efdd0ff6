#include "policies/admission/config.h"

#include <utility>

namespace berth::policies::admission {

namespace {

using Errors = std::vector<model::FieldError>;

void Append(Errors errors, const std::string& path, Errors& all) {
  for (model::FieldError& error : errors) {
    error.path = path + (error.path.empty() ? "" : "." + error.path);
    all.push_back(std::move(error));
  }
}

std::string ItemPath(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
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

std::vector<ControllerSpec> KubernetesControllers() {
  const std::string account = "system:serviceaccount:kube-system:";
  return {{account + "job-controller", "Job"},
          {account + "cronjob-controller", "CronJob"},
          {account + "replicaset-controller", "ReplicaSet"},
          {account + "statefulset-controller", "StatefulSet"},
          {account + "replication-controller", "ReplicationController"},
          {account + "daemon-set-controller", "DaemonSet"}};
}

std::vector<model::FieldError> Validate(const AdmissionConfig& config) {
  Errors errors;
  ValidateControllers(config.controllers, errors);
  ValidateTemplates(config.templates, errors);
  ForEachPolicy(config.policies, [&errors]<typename Policy>(const PolicySettings<Policy>& policy) {
    Append(Validate(policy.config), "policies." + std::string(Policy::kConfigKey), errors);
  });
  ValidateRetryless(config.policies, errors);
  return errors;
}

}  // namespace berth::policies::admission
