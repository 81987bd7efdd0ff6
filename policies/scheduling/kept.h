#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/gang.h"
#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// A gang that waits for many devices gets them, although pods that come later would take each of
/// them as it becomes free. The controller notes on the node how many devices it keeps for which
/// gangs (model/kept_room.h). Such a node is refused to a pod that would leave fewer free. Each
/// resource counts by itself: a pod that asks for others of the node is not concerned.
///
/// An entry is for pods that come after the gang in the order of planning: those of lower priority,
/// and those of equal priority that were created no earlier. A pod that does not exist yet comes
/// last of its priority. Of these, the entry leaves alone
/// - pods of the gang itself;
/// - pods whose max-runtime says that they have ended by then;
/// - the pod that is nominated for the node, because the planner has chosen it, or kube-scheduler,
///   which has evicted others for it.
/// Pods of other gangs to which a node is nominated, whichever: the planner, which knows what it
/// keeps, has let them go, and kube-scheduler may know of a volume for which another node alone
/// will do. Those that were let go without a node, or never waited, are placed by kube-scheduler
/// like any single pod. Their annotations prove nothing: users write them.
///
/// The devices that are kept need not be free yet: each one that becomes free is kept until there
/// are as many as the gang shall have. Evicting pods is no cure: whoever evicts them would take
/// what is kept.
class KeptPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "kept";
  static constexpr std::int32_t kDefaultWeight = 0;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp =
      "Devices that the controller keeps for gangs are refused to pods that come later; see "
      "planner.gangs";
  using Config = NoConfig;

  KeptPolicy(const PolicyContext& context, const NoConfig&);

  /// Returns NoOpinion for a pod that comes before all gangs for which nodes of the view keep
  /// devices, as every pod does while nothing is kept, and for a pod of a gang to which a node is
  /// nominated. For the others the evaluator's ViewKey()
  /// names the last gang that the pod comes after, by its place, the pod's max-runtime, its
  /// nominated node if devices of that are kept, and its gang: they are no part of the pod's shape.
  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

 private:
  const model::AcceleratorCatalog& catalog_;
  const std::string annotation_;
  const std::string runtime_annotation_;
  const model::GangNames gang_names_;
  ReasonId kept_;
};

}  // namespace berth::policies::scheduling
