#include "policies/admission/scheduler_name.h"

#include "model/label.h"

namespace berth::policies::admission {

namespace {

// The API server writes this if a pod names no scheduler (DefaultSchedulerName in
// k8s.io/api/core/v1).
constexpr std::string_view kDefaultScheduler = "default-scheduler";

}  // namespace

std::vector<model::FieldError> Validate(const SchedulerNameConfig& config) {
  if (config.name == kDefaultScheduler) {
    return {{"name", "is the default anyway; leave it empty to change nothing"}};
  }
  if (config.name.empty() || model::IsDnsSubdomain(config.name)) return {};
  return {{"name", "'" + config.name +
                       "' is not a valid scheduler name; write the schedulerName of a "
                       "KubeSchedulerConfiguration's profile, such as berth-scheduler"}};
}

SchedulerNamePolicy::SchedulerNamePolicy(const PolicyContext& context,
                                         const SchedulerNameConfig& config)
    : catalog_(context.catalog), name_(config.name) {}

bool SchedulerNamePolicy::Mutate(const Request&, Draft& draft, Remarks& remarks) const {
  const model::PodTemplate& pod = draft.pod();
  // A pod that has a node is already placed.
  if (name_.empty() || !pod.node_name.empty() || !AsksForAccelerators(pod, catalog_)) return false;
  if (pod.scheduler_name == kDefaultScheduler) {
    draft.SetSchedulerName(name_);
    remarks.Changed("schedulerName set to " + name_ + ", which places pods with accelerators");
  }
  return pod.scheduler_name == name_;
}

}  // namespace berth::policies::admission
