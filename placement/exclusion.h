#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/cluster_view.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::placement {

/// Why the state of a node keeps pods off it that ask for one device and nothing else. Its texts
/// live as long as the engine.
struct Exclusion {
  /// kNoReason if node-operation-controller is repairing the node, which is no reason of Berth's.
  policies::scheduling::ReasonId id = policies::scheduling::kNoReason;
  /// As kube-scheduler's event shows it, and short for a list.
  std::string_view reason;
  std::string_view summary;
  /// When it began; kNoTime if nobody knows.
  model::Time since = model::kNoTime;
};

/// Tells the nodes that are excluded by their state from those that are merely less good: by a
/// condition, because Berth cannot read the node, or because node-operation-controller is repairing
/// it. Judges as of one moment. Must not outlive the engine. Judge() may be called on several
/// threads at once.
class ExclusionJudge {
 public:
  /// `resource`: the one that the pods ask for. Reads `view` only during the call.
  ExclusionJudge(const policies::scheduling::SchedulingEngine& engine, const std::string& resource,
                 const model::ClusterView& view, model::Time now);

  /// Returns why the node is excluded; nothing if it is not.
  std::optional<Exclusion> Judge(const model::NodeState& node) const;

 private:
  const policies::scheduling::SchedulingEngine* engine_;
  policies::scheduling::PreparedPod prepared_;
};

}  // namespace berth::placement
