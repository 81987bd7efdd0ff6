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
#include "planner/config.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/shortlist.h"

// Why a pod may go to which nodes: the data behind `berth explain` and the gRPC service.

namespace berth::placement {

/// One resource of the catalogue on one node, if the pod requests it. In whole devices. Berth does
/// not refuse nodes for a lack of devices; kube-scheduler does.
struct DeviceCount {
  std::string resource;
  /// How many the pod requests.
  std::int64_t requested = 0;
  /// Whether the node lists the resource at all, in capacity or allocatable.
  bool listed = false;
  /// From the node's status.
  std::int64_t capacity = 0;
  std::int64_t allocatable = 0;
  /// Requested by the pods that are bound to the node.
  std::int64_t used = 0;

  /// Devices that are left for new pods; negative if the node has lost devices that pods use.
  std::int64_t Free() const { return allocatable - used; }
};

/// The verdict of one policy on one node. Texts are empty and times kNoTime if there is nothing to
/// say.
struct PolicyOpinion {
  std::string policy;
  /// Whether the policy is in mode Observe and so has no influence on the node's verdict.
  bool observed = false;
  /// Whether the policy does not refuse the node.
  bool fits = true;
  /// The policy's own score, 0 to policies::scheduling::kMaxScore, before the weight.
  std::uint16_t score = 0;
  /// Whether the policy puts the node behind all others.
  bool last = false;
  std::int32_t weight = 0;
  /// As kube-scheduler's event shows it, and short for a list.
  std::string reason;
  std::string summary;
  /// When the state that `reason` names began.
  model::Time since = model::kNoTime;
};

/// The common verdict on one node, with everything that led to it.
struct NodeExplanation {
  std::string name;
  bool fits = true;
  /// The rank, 0 to 10, that prioritize would answer for exactly the fitting nodes; 0 for the
  /// others.
  std::int64_t rank = 0;
  /// Sum over the enforced policies of weight x score.
  std::uint32_t score = 0;
  /// Whether the node comes behind every node without this flag, whatever the scores.
  bool last = false;
  /// Name in the catalogue; empty if no entry recognises the node.
  std::string accelerator;
  /// One element for each of Explanation::requests, in that order.
  std::vector<DeviceCount> devices;
  /// Why the node does not fit: as kube-scheduler's event shows it, and short for a list.
  std::string reason;
  std::string summary;
  model::Time since = model::kNoTime;
  /// In the order of the policies. Policies without an opinion on the pod are left out.
  std::vector<PolicyOpinion> policies;
  /// All conditions of the node, as the API server has them.
  std::vector<model::Condition> conditions;
};

/// The nodes that are refused for the same reason.
struct RefusedGroup {
  /// Number of nodes.
  std::size_t count = 0;
  /// Name of the policy that gives the reason; "engine" for nodes in quarantine.
  std::string policy;
  std::string reason;
  std::string summary;
  /// When the reason began on the first and on the last node of the group; kNoTime if nobody knows.
  model::Time oldest = model::kNoTime;
  model::Time newest = model::kNoTime;
};

/// Where a pod may go, and why. Answers "why is my pod pending?" as far as Berth has a part in it:
/// kube-scheduler's own filters (taints, affinity, free cpu, memory and devices) are not judged.
struct Explanation {
  /// The time as of which conditions were judged.
  model::Time now = model::kNoTime;
  /// The catalogue's resources that the pod requests. If empty, the pod is not Berth's business,
  /// and the rest of the struct is empty, too, but for what AddGateHints() adds.
  std::vector<model::Resources::Entry> requests;
  /// Whether the pod itself is the reason why no node fits, whatever the nodes' state.
  bool refused_everywhere = false;
  /// Number of nodes that fit.
  std::size_t fitting = 0;
  /// Why filter answers all fitting nodes although a shortlist is configured. Empty if it answers a
  /// shortlist, if none is configured, or if the pod is already bound.
  std::string not_shortlisted;
  std::vector<RefusedGroup> groups;  // greatest first
  /// Sentences about what the verdicts alone do not show.
  std::vector<std::string> hints;
  /// First the nodes that fit, by descending score, with those that come last at the end; then the
  /// others, in the order of `groups`. Equal nodes are sorted by name.
  std::vector<NodeExplanation> nodes;
};

/// Asks the engine about every node of `view`, as the extender does, and fills in everything but
/// not_shortlisted. Takes time and memory in proportion to the nodes. Does not change anything: the
/// extender's memory of judgements and shortlists is not used.
Explanation Explain(const model::Pod& pod, const model::ClusterView& view,
                    const policies::scheduling::SchedulingEngine& engine, model::Time now);

/// Same, for a snapshot. Also fills in not_shortlisted, as far as the snapshot knows, and adds
/// hints about objects that cannot be read. Holds the snapshot's read lock, so the calling thread
/// must not hold a Reader.
Explanation Explain(const model::Pod& pod, const cluster::Snapshot& snapshot,
                    const policies::scheduling::SchedulingEngine& engine,
                    const policies::scheduling::ShortlistConfig& shortlist, model::Time now);

/// Adds hints about the planner: which node is nominated, by whom and what for, or what the planner
/// makes of a waiting pod, in the words of the metric berth_planner_pods. That is told by the pod
/// alone: whether a controller runs, and what it remembers, is not known here. A template is no pod
/// that waits, so nothing is said of pods without a UID. `prefix` is that of Berth's annotations.
void AddPlanHints(const model::Pod& pod, const planner::PlannerConfig& planner,
                  const std::string& prefix, Explanation& explanation);

/// Adds hints about what holds a pod back before any scheduler looks at it, also if it asks for no
/// accelerator: the scheduling gates of others, and until when they do if Berth knows (Kueue's),
/// and the gang that it belongs to. Nothing is said of templates, nor of pods that are bound or
/// have ended. `prefix` is that of Berth's annotations. Does not repeat what AddPlanHints() says.
void AddGateHints(const model::Pod& pod, const std::string& prefix, Explanation& explanation);

}  // namespace berth::placement
