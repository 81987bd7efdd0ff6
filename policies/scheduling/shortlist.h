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

namespace berth::policies::scheduling {

/// More than this is no short list, and kube-scheduler's work grows with it.
inline constexpr std::int32_t kLargestShortlist = 1000;

/// How many of the nodes that fit are answered, and what decides whether all are.
struct ShortlistConfig {
  /// 0: always all.
  std::int32_t size = 0;
  /// Whether kube-scheduler spreads the pods of a ReplicaSet or a Service though they do not say
  /// so.
  bool default_spreading = true;
  /// What pods get by ResourceClaims of kube-scheduler's making.
  std::vector<std::string> device_class_resources;

  /// Whether it takes Services to tell which pods kube-scheduler spreads.
  bool NeedsServices() const { return size > 0 && default_spreading; }
};

template <typename Visitor>
void VisitFields(Visitor& visit, ShortlistConfig& config) {
  visit("size", config.size,
        "How many of the nodes that fit filter answers at most, the best, 0 to 1000; 0: all. Only "
        "where no extender that filters is asked after Berth, and not for pods for which "
        "kube-scheduler's own scoring has a say");
  visit("defaultSpreading", config.default_spreading,
        "Whether kube-scheduler spreads the pods of ReplicaSets, StatefulSets and Services by "
        "itself, so that these get all nodes. False: its PodTopologySpreadArgs have defaultingType "
        "List and no constraint of ScheduleAnyway; Services are not watched then");
  visit("deviceClassResources", config.device_class_resources,
        "Resources that a DeviceClass serves (its extendedResourceName); pods that ask for them "
        "get all nodes");
}

/// Paths are below the struct.
std::vector<model::FieldError> Validate(const ShortlistConfig& config);

/// What becomes of the nodes that fit a pod.
enum class Shortlisting : std::uint8_t {
  /// Only the best are answered.
  kShort,
  /// No more fit than the shortlist would hold.
  kFew,
  /// The pod was given a shortlist before, and did not get there.
  kAskedAgain,
  // All are answered, because of the pod:
  kNoAccelerator,
  kClaims,
  kNodePreference,
  kPodAffinity,
  kSoftSpread,
  kReplicated,
  kService,
  kServicesUnknown,
  kSelected,
};

inline constexpr std::array kAllShortlistings = {
    Shortlisting::kShort,           Shortlisting::kFew,
    Shortlisting::kAskedAgain,      Shortlisting::kNoAccelerator,
    Shortlisting::kClaims,          Shortlisting::kNodePreference,
    Shortlisting::kPodAffinity,     Shortlisting::kSoftSpread,
    Shortlisting::kReplicated,      Shortlisting::kService,
    Shortlisting::kServicesUnknown, Shortlisting::kSelected};

/// For a metric's label: "short", "pod_affinity".
std::string_view NameOf(Shortlisting shortlisting);

/// For people, why all nodes are answered; empty for kShort and kFew.
std::string_view ReasonOf(Shortlisting shortlisting);

/// kShort where kube-scheduler's own scoring plugins have no say about `pod`, or one that Berth
/// takes over (NodeResourcesFit, NodeResourcesBalancedAllocation, TaintToleration) or gives up
/// (ImageLocality, VolumeBinding): then kube-scheduler would choose as well among the nodes that
/// Berth holds to be the best. Else the reason why not. What is not understood counts as a say.
/// k8s.io/kubernetes/pkg/scheduler/framework/plugins (v1.36.3), all that have a method Score.
Shortlisting JudgeShortlisting(const model::Pod& pod, const model::PodSelection& selection,
                               const model::AcceleratorCatalog& catalog,
                               const ShortlistConfig& config);

}  // namespace berth::policies::scheduling
