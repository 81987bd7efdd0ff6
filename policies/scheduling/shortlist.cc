#include "policies/scheduling/shortlist.h"

#include <algorithm>
#include <optional>

#include "model/accelerator_requests.h"
#include "model/label.h"

namespace berth::policies::scheduling {
namespace {

// A resource with this prefix names a DeviceClass (ResourceDeviceClassPrefix in
// k8s.io/api/resource/v1/types.go).
constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

struct Wording {
  std::string_view name;
  std::string_view reason;
};

Wording WordingOf(Shortlisting shortlisting) {
  switch (shortlisting) {
    case Shortlisting::kShort:
      return {"short", ""};
    case Shortlisting::kFew:
      return {"few", ""};
    case Shortlisting::kAskedAgain:
      return {"asked_again", "an earlier answer was a shortlist, and the pod was not placed"};
    case Shortlisting::kNoAccelerator:
      return {"no_accelerator", "it asks for no accelerator of the catalogue"};
    case Shortlisting::kClaims:
      return {"claims", "it has resource claims, or asks for a resource that a DeviceClass serves"};
    case Shortlisting::kNodePreference:
      return {"node_preference", "it has a preferred node affinity"};
    case Shortlisting::kPodAffinity:
      return {"pod_affinity", "it has an affinity or anti-affinity to pods"};
    case Shortlisting::kSoftSpread:
      return {"soft_spread", "it has a topology spread constraint of ScheduleAnyway"};
    case Shortlisting::kReplicated:
      return {"replicated",
              "kube-scheduler spreads the pods of ReplicaSets, StatefulSets and "
              "ReplicationControllers by default"};
    case Shortlisting::kService:
      return {"service", "a Service selects it, and kube-scheduler spreads such pods by default"};
    case Shortlisting::kServicesUnknown:
      return {"services_unknown", "the Services of its namespace are not known"};
    case Shortlisting::kSelected:
      return {"selected", "an affinity or anti-affinity of a running pod may select it"};
  }
  return {};
}

bool AsksForDeviceClass(const model::Pod& pod, const ShortlistConfig& config) {
  const std::vector<std::string>& served = config.device_class_resources;
  return std::any_of(pod.requests.begin(), pod.requests.end(), [&](const auto& request) {
    return request.first.starts_with(kDeviceClassPrefix) ||
           std::find(served.begin(), served.end(), request.first) != served.end();
  });
}

// For pods without constraints of their own (buildDefaultConstraints in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread/common.go).
Shortlisting JudgeDefaultSpreading(const model::Pod& pod, const model::PodSelection& selection) {
  if (pod.scored.replicated) return Shortlisting::kReplicated;
  const std::optional<bool> selected = selection.ServiceSelects(pod);
  if (!selected) return Shortlisting::kServicesUnknown;
  return *selected ? Shortlisting::kService : Shortlisting::kShort;
}

}  // namespace

std::vector<model::FieldError> Validate(const ShortlistConfig& config) {
  std::vector<model::FieldError> errors;
  if (config.size < 0 || config.size > kLargestShortlist) {
    errors.push_back({"size", "must be from 0 to " + std::to_string(kLargestShortlist) + ", got " +
                                  std::to_string(config.size)});
  }
  for (std::size_t i = 0; i < config.device_class_resources.size(); ++i) {
    const std::string& resource = config.device_class_resources[i];
    if (model::IsExtendedResourceName(resource)) continue;
    errors.push_back({"deviceClassResources[" + std::to_string(i) + "]",
                      "\"" + resource +
                          "\" is not an extended resource; write the extendedResourceName of a "
                          "DeviceClass, such as nvidia.com/gpu"});
  }
  return errors;
}

std::string_view NameOf(Shortlisting shortlisting) { return WordingOf(shortlisting).name; }

std::string_view ReasonOf(Shortlisting shortlisting) { return WordingOf(shortlisting).reason; }

Shortlisting JudgeShortlisting(const model::Pod& pod, const model::PodSelection& selection,
                               const model::AcceleratorCatalog& catalog,
                               const ShortlistConfig& config) {
  if (model::AcceleratorRequests(pod, catalog).empty()) return Shortlisting::kNoAccelerator;
  if (pod.scored.claims || AsksForDeviceClass(pod, config)) return Shortlisting::kClaims;
  if (pod.scored.node_preferences) return Shortlisting::kNodePreference;
  if (pod.scored.pod_affinity) return Shortlisting::kPodAffinity;
  if (pod.scored.soft_spread) return Shortlisting::kSoftSpread;
  if (config.default_spreading && !pod.scored.spread_constraints) {
    const Shortlisting spreading = JudgeDefaultSpreading(pod, selection);
    if (spreading != Shortlisting::kShort) return spreading;
  }
  return selection.AffinitySelects(pod) ? Shortlisting::kSelected : Shortlisting::kShort;
}

}  // namespace berth::policies::scheduling
