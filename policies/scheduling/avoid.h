#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// A pod is not put again on a node on which another pod of the same Job has just failed. The
/// controller notes on the node whose pods failed there, and until when that counts
/// (model/avoid.h); "Job" stands for whatever object controls the pod.
///
/// Such a node comes last, whatever the scores: behind every node that nobody has noted. It is
/// never refused, because a failure says little about a node, and a Job that has failed on all
/// nodes that fit it would otherwise wait although nodes are free.
class AvoidPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "avoid";
  static constexpr std::int32_t kDefaultWeight = 1;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp =
      "Nodes on which a pod of the same Job has just failed come last; see controller.avoidFor";
  using Config = NoConfig;

  AvoidPolicy(const PolicyContext& context, const NoConfig&);

  /// Returns NoOpinion for a pod whose controller no node of the view names, which is nearly every
  /// pod. For the others the evaluator's ViewKey() names the controller: it is no part of the pod's
  /// shape.
  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

 private:
  const std::string annotation_;
  ReasonId failed_;
};

}  // namespace berth::policies::scheduling
