#pragma once

#include <cstdint>
#include <string_view>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// Strands the fewest devices: those that are free on a node that has been started, where a pod
/// that needs a whole node cannot have them. So pods fill started nodes, where fewest devices are
/// left over, before they start another, and then they start the one that they fill best.
///
/// A node with a PreferNoSchedule taint that the pod does not tolerate comes last. Never refuses:
/// counting devices is kube-scheduler's business (NodeResourcesFit).
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
