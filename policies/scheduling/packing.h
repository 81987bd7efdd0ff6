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
/// Scores, where `left` is the number of free devices that the pod leaves over:
///
///   started node                 500 + 500 / (1 + left)
///   empty node                   500 / (1 + left)
///   node with too few devices    0
///
/// If a pod requests several resources of the catalogue, the lowest of their scores counts. For a
/// pod with 2 devices, a started node with 2 free devices scores 1000, and an empty node with 8
/// scores 71.
///
/// A node with a PreferNoSchedule taint that the pod does not tolerate comes last. The policy never
/// refuses: kube-scheduler counts devices (NodeResourcesFit).
class PackingPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "packing";
  static constexpr std::int32_t kDefaultWeight = 2;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp =
      "Nodes with pods are filled up first, and nodes with PreferNoSchedule taints last";
  using Config = NoConfig;

  PackingPolicy(const PolicyContext& context, const NoConfig&);

  /// Always returns an evaluator. It depends neither on the view nor on `now`.
  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

 private:
  const model::AcceleratorCatalog& catalog_;
  ReasonId tainted_;
};

}  // namespace berth::policies::scheduling
