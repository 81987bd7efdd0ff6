#pragma once

#include <optional>

#include "model/pod.h"

namespace berth::model {

/// What of the cluster, besides its nodes, gives kube-scheduler's own scoring a say about a pod
/// that is not bound yet. Holds still and may be read as the ClusterView that it goes with.
class PodSelection {
 public:
  virtual ~PodSelection() = default;

  /// Whether an affinity term of a bound pod could select `pod`.
  virtual bool AffinitySelects(const Pod& pod) const = 0;

  /// Whether a Service selects `pod`; nothing where Services are not known.
  virtual std::optional<bool> ServiceSelects(const Pod& pod) const = 0;
};

}  // namespace berth::model
