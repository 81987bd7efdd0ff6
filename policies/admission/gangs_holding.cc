// By what the pods of gangs are held back.

#include <algorithm>
#include <string>

#include "policies/admission/gangs.h"

namespace berth::policies::admission {

bool GangsPolicy::IsHeld(const model::PodTemplate& pod) const {
  const bool is_gated = std::ranges::find(pod.gates, names_.gate) != pod.gates.end();
  return is_gated || (config_.hold == GangHold::kPodGroup && !pod.scheduling_group.empty());
}

std::string GangsPolicy::HoldBack(const std::string& gang, Draft& draft) const {
  if (config_.hold == GangHold::kGate) {
    draft.AddSchedulingGate(names_.gate);
    return Holder();
  }
  const std::string pod_group = model::PodGroupNameOf(gang);
  draft.SetSchedulingGroup(pod_group);
  return Holder() + " " + pod_group;
}

std::string GangsPolicy::Holder() const {
  return config_.hold == GangHold::kGate ? "scheduling gate " + names_.gate : "PodGroup";
}

Objection GangsPolicy::Unheld(const std::string& pods) const {
  if (config_.hold == GangHold::kGate) {
    return {.field = "spec.schedulingGates",
            .reason = "lacks " + names_.gate + " of a gang of " + pods,
            .advice = "write that gate, or remove " + names_.size};
  }
  // kube-apiserver drops the field without a word where the feature is off
  // (dropDisabledSchedulingGroup in k8s.io/kubernetes/pkg/api/pod/util.go, v1.37.2).
  return {.field = "spec.schedulingGroup",
          .reason = "is missing in a pod of a gang of " + pods +
                    ", as where kube-apiserver's feature GenericWorkload is off",
          .advice =
              "turn the feature on, or write admission.policies.gangs.hold: Gate in Berth's "
              "configuration"};
}

}  // namespace berth::policies::admission
