#pragma once

#include <cstdint>
#include <string_view>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// Strands as few devices as possible. A device is stranded if it is free on a node that other pods
/// have started to fill, because a pod that needs a whole node cannot have it. So pods first go to
/// the started node where the fewest devices are left over. Only then do they start another node,
/// the one that they fill best.
///
/// A node with a PreferNoSchedule taint that the pod does not tolerate comes last. The policy never
/// refuses: kube-scheduler counts devices (NodeResourcesFit).
///
/// Scores: above kMaxScore / 2 for started nodes, at most that for empty ones, 0 for nodes with too
/// few free devices. Among either kind, fewer devices left over score higher.
class PackingPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "packing";
  static constexpr std::int32_t kDefaultWeight = 2;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp =
      "Started nodes are filled up first, and PreferNoSchedule taints come last";
  using Config = NoConfig;

  PackingPolicy(const PolicyContext& context, const NoConfig&);

  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

 private:
  const model::AcceleratorCatalog& catalog_;
  ReasonId tainted_;
};

}  // namespace berth::policies::scheduling
