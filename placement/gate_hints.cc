#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "model/gang.h"
#include "placement/explanation.h"

namespace berth::placement {

namespace {

// The gates of Kueue v0.15.0: SchedulingGateName in pkg/controller/jobs/pod/constants/constants.go,
// and TopologySchedulingGate in apis/kueue/v1beta1/topology_types.go.
constexpr std::string_view kAdmissionGate = "kueue.x-k8s.io/admission";
constexpr std::string_view kTopologyGate = "kueue.x-k8s.io/topology";

// When the gate of somebody else goes, as a clause behind "holds the pod back".
std::string UntilWhen(const std::string& gate, const std::string& namespace_name) {
  if (gate == kAdmissionGate) {
    // The name of the resource is written in full, because scheduling.k8s.io has Workloads, too.
    return fmt::format(
        "until Kueue admits its Workload; see `kubectl get workloads.kueue.x-k8s.io -n {}`",
        namespace_name);
  }
  if (gate == kTopologyGate) return "until Kueue has chosen a domain of its topology for it";
  return "until whoever has set this gate takes it away";
}

// What the pod says of its gang. Empty if it has nothing to do with gangs. The planner and
// admission read gangs by the same function, so this tells of no gang that they do not know.
std::string GangHint(const model::Pod& pod, const model::GangNames& names) {
  const auto gang = model::GangOf(pod.annotations, names);
  if (gang.ok() && *gang) {
    const std::string full_name = fmt::format("{}/{}", pod.namespace_, (*gang)->name);
    return fmt::format(
        "the pod is of gang {}: `berth explain --gang {}` says how far the gang is, and what it "
        "waits for",
        full_name, full_name);
  }
  if (std::ranges::find(pod.gates, names.gate) == pod.gates.end()) return "";
  // Admission refuses annotations that state no gang, so this is for whoever went around it.
  return fmt::format(
      "the scheduling gate {} holds the pod back, but the annotations {} and {} do not state its "
      "gang, so no node is planned for it",
      names.gate, names.name, names.size);
}

}  // namespace

void AddGateHints(const model::Pod& pod, const std::string& prefix, Explanation& explanation) {
  if (pod.uid.empty() || !pod.node_name.empty() || pod.terminated) return;
  const model::GangNames names(prefix);
  for (const std::string& gate : pod.gates) {
    if (gate == names.gate) continue;
    explanation.hints.push_back(fmt::format("the scheduling gate {} holds the pod back {}", gate,
                                            UntilWhen(gate, pod.namespace_)));
  }
  const std::string gang = GangHint(pod, names);
  if (!gang.empty()) explanation.hints.push_back(gang);
}

}  // namespace berth::placement
