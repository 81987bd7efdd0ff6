#pragma once

#include <optional>

#include "model/pod.h"

namespace berth::model {

/// What in the cluster, besides the nodes, influences kube-scheduler's own scoring of a pod that is
/// not bound yet. If nothing does, Berth may answer with a shortlist. It belongs to a ClusterView,
/// stays unchanged as long as that, and may be read on the same threads.
class PodSelection {
 public:
  virtual ~PodSelection() = default;

  /// Whether an affinity term of a bound pod could select `pod`. May be true without need, but is
  /// never false wrongly.
  virtual bool AffinitySelects(const Pod& pod) const = 0;

  /// Whether a Service of the pod's namespace selects `pod`. nullopt if Services are not known.
  virtual std::optional<bool> ServiceSelects(const Pod& pod) const = 0;
};

}  // namespace berth::model
