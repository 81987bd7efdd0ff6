#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/shortlist.h"

namespace berth::placement {

/// One resource of the catalogue on one node, as far as the pod asks for it.
struct DeviceCount {
  std::string resource;
  std::int64_t requested = 0;
  /// Whether the node lists the resource at all.
  bool listed = false;
  std::int64_t capacity = 0;
  std::int64_t allocatable = 0;
  /// Asked for by the pods bound there.
  std::int64_t used = 0;

  std::int64_t Free() const { return allocatable - used; }

  friend bool operator==(const DeviceCount&, const DeviceCount&) = default;
};

/// What one policy says of one node. Reasons are empty and times kNoTime where there are none.
struct PolicyOpinion {
  std::string policy;
  /// In mode Observe: it has no part in the node's verdict.
  bool observed = false;
  bool fits = true;
  std::uint16_t score = 0;
  bool last = false;
  std::int32_t weight = 0;
  std::string reason;
  std::string summary;
  model::Time since = model::kNoTime;

  friend bool operator==(const PolicyOpinion&, const PolicyOpinion&) = default;
};

struct NodeExplanation {
  std::string name;
  bool fits = true;
  /// As prioritize would answer if exactly the fitting nodes were asked for; 0 for the others.
  std::int64_t rank = 0;
  std::uint32_t score = 0;
  /// Behind every node of which this is not said, whatever the scores.
  bool last = false;
  /// Name in the catalogue; empty: none recognises the node.
  std::string accelerator;
  std::vector<DeviceCount> devices;
  /// Why it does not fit; as kube-scheduler's event has it, and for a list.
  std::string reason;
  std::string summary;
  model::Time since = model::kNoTime;
  std::vector<PolicyOpinion> policies;
  std::vector<model::Condition> conditions;

  friend bool operator==(const NodeExplanation&, const NodeExplanation&) = default;
};

/// Nodes that are refused for the same reason.
struct RefusedGroup {
  std::size_t count = 0;
  std::string policy;
  std::string reason;
  std::string summary;
  /// When the reason began, on the first and on the last node of the group; kNoTime: not known.
  model::Time oldest = model::kNoTime;
  model::Time newest = model::kNoTime;

  friend bool operator==(const RefusedGroup&, const RefusedGroup&) = default;
};

/// Why a pod may go where.
struct Explanation {
  model::Time now = model::kNoTime;
  /// What the pod asks for of the catalogue. Empty: Berth has no say, and nothing else is filled
  /// in.
  std::vector<model::Resources::Entry> requests;
  /// No node will do, whatever its state: the pod itself is to blame.
  bool refused_everywhere = false;
  std::size_t fitting = 0;
  /// Why filter answers all of these, though there is a shortlist; empty: it does not, or there is
  /// none, or the pod is bound already.
  std::string not_shortlisted;
  std::vector<RefusedGroup> groups;  // greatest first
  /// Sentences about what the nodes' verdicts alone do not tell.
  std::vector<std::string> hints;
  /// Those that fit by descending score, those that come last behind them, then the others by
  /// group; by name among equals.
  std::vector<NodeExplanation> nodes;

  friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// Asks the engine about every node of `view`, as the extender does. All but not_shortlisted.
Explanation Explain(const model::Pod& pod, const model::ClusterView& view,
                    const policies::scheduling::SchedulingEngine& engine, model::Time now);

/// The same with not_shortlisted, as far as the snapshot knows, and with what cannot be read.
Explanation Explain(const model::Pod& pod, const cluster::Snapshot& snapshot,
                    const policies::scheduling::SchedulingEngine& engine,
                    const policies::scheduling::ShortlistConfig& shortlist, model::Time now);

}  // namespace berth::placement
