#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/config_field.h"
#include "model/pod.h"
#include "model/pod_selection.h"

// The shortlist: filter answers only the best of the nodes that fit, by default one. Kube-scheduler
// takes longer to decode and score a long answer than Berth takes to make it. A shortlist is right
// only if kube-scheduler's own scoring would not choose a node outside it; JudgeShortlisting()
// decides that for each pod.

namespace berth::policies::scheduling {

/// The largest size of a shortlist. Kube-scheduler's work grows with the size.
inline constexpr std::int32_t kLargestShortlist = 1000;

/// How many of the fitting nodes filter answers at most, and what decides whether it answers all.
struct ShortlistConfig {
  /// Number of nodes; 0 answers all of them.
  std::int32_t size = 0;
  /// Whether kube-scheduler spreads the pods of ReplicaSets and Services that have no constraints
  /// of their own.
  bool default_spreading = true;
  /// Extended resources that DeviceClasses serve: for these kube-scheduler itself makes
  /// ResourceClaims.
  std::vector<std::string> device_class_resources;

  /// Whether Berth must watch Services to decide which pods kube-scheduler spreads.
  bool NeedsServices() const { return size > 0 && default_spreading; }

  friend bool operator==(const ShortlistConfig&, const ShortlistConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ShortlistConfig& config) {
  visit("size", config.size,
        "Maximum number of nodes in the answer to filter, the best of those that fit, 0 to 1000; "
        "0: all. Set 0 if kube-scheduler calls another extender that filters after Berth. Pods for "
        "which kube-scheduler's own scoring matters always get all nodes");
  visit(
      "defaultSpreading", config.default_spreading,
      "Whether kube-scheduler spreads the pods of ReplicaSets, StatefulSets and Services by "
      "default, so that these get all nodes. False: its PodTopologySpreadArgs have defaultingType "
      "List and no constraint of ScheduleAnyway; Berth then does not watch Services");
  visit("deviceClassResources", config.device_class_resources,
        "Resources that a DeviceClass serves (its extendedResourceName); pods that ask for them "
        "get all nodes");
}

/// Returns every error in `config`, with paths below the struct; empty if it is valid.
std::vector<model::FieldError> Validate(const ShortlistConfig& config);

/// Whether the answer for a pod is a shortlist and, if not, why.
enum class Shortlisting : std::uint8_t {
  /// Filter answers only the best nodes.
  kShort,
  /// No more nodes fit than the shortlist would hold, so filter answers all of them.
  kFew,
  /// Filter answers all nodes, because the pod got a shortlist before and was not placed.
  kAskedAgain,
  /// This value and all below: filter answers all nodes because of the pod. It requests no
  /// accelerator of the catalogue.
  kNoAccelerator,
  /// It has ResourceClaims, or requests a resource that a DeviceClass serves.
  kClaims,
  /// It has a preferred node affinity.
  kNodePreference,
  /// It has an affinity or anti-affinity to pods.
  kPodAffinity,
  /// It has a topology spread constraint with ScheduleAnyway.
  kSoftSpread,
  /// A ReplicaSet, StatefulSet or ReplicationController owns it, and kube-scheduler spreads such
  /// pods.
  kReplicated,
  /// A Service selects it, and kube-scheduler spreads such pods.
  kService,
  /// Berth does not know the Services of its namespace (yet).
  kServicesUnknown,
  /// An affinity or anti-affinity of a bound pod may select it.
  kSelected,
};

/// Every value, in the order of the enum.
inline constexpr std::array kAllShortlistings = {
    Shortlisting::kShort,           Shortlisting::kFew,
    Shortlisting::kAskedAgain,      Shortlisting::kNoAccelerator,
    Shortlisting::kClaims,          Shortlisting::kNodePreference,
    Shortlisting::kPodAffinity,     Shortlisting::kSoftSpread,
    Shortlisting::kReplicated,      Shortlisting::kService,
    Shortlisting::kServicesUnknown, Shortlisting::kSelected};

/// The name for a metric's label: "short", "pod_affinity".
std::string_view NameOf(Shortlisting shortlisting);

/// Tells people why filter answers all nodes; empty for kShort and kFew.
std::string_view ReasonOf(Shortlisting shortlisting);

/// Decides whether a shortlist is as good as all nodes for `pod`. It is if kube-scheduler would
/// choose equally well among the nodes that Berth considers best. Then either none of
/// kube-scheduler's own scoring plugins has an influence on the pod, or only plugins whose work
/// Berth does itself (NodeResourcesFit, NodeResourcesBalancedAllocation, TaintToleration) or does
/// without (ImageLocality, VolumeBinding). Facts: k8s.io/kubernetes/pkg/scheduler/framework/plugins
/// (v1.36.3), all plugins with a method Score.
///
/// Returns kShort in that case, and otherwise the first reason against a shortlist; never kFew or
/// kAskedAgain. What Berth does not understand counts as an influence. `selection` knows which pods
/// are selected by the affinity of bound pods and by Services.
Shortlisting JudgeShortlisting(const model::Pod& pod, const model::PodSelection& selection,
                               const model::AcceleratorCatalog& catalog,
                               const ShortlistConfig& config);

}  // namespace berth::policies::scheduling
